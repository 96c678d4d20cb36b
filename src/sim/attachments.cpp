#include "sim/attachments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/index.h"
#include "base/refuse.h"
#include "sim/bond_setup.h"

namespace supple {

namespace {

/// Largest coordinate, as for motions (math/motion.h), m.
constexpr double farthest = 1e100;
/// Largest rounding error of weights that sum to one, and of entries of R R^T.
constexpr double rounding = 1e-6;

void check_stiffness(double stiffness) {
  require(std::isfinite(stiffness) && stiffness > 0, "stiffness",
          "expected a positive stiffness in N/m");
}

void check_place(const Vec3& place, const char* where) {
  for (const double x : place) {
    if (!(std::abs(x) <= farthest)) refuse(where, "expected numbers between -1e100 and 1e100");
  }
}

void check_targets(std::span<const Vec3> targets, std::size_t count) {
  if (targets.size() != count) {
    refuse("targets",
           "expected " + std::to_string(count) + ", there are " + std::to_string(targets.size()));
  }
  for (const Vec3& target : targets) check_place(target, "targets");
}

void check_rotation(const std::array<double, 9>& r) {
  const Pose pose{r, {0, 0, 0}};
  const Vec3 columns[3] = {pose.rotate({1, 0, 0}), pose.rotate({0, 1, 0}), pose.rotate({0, 0, 1})};
  bool is_rotation = true;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double product = i == j ? -1 : 0;
      for (std::size_t k = 0; k < 3; ++k) product += columns[i][k] * columns[j][k];
      is_rotation = is_rotation && std::abs(product) <= rounding;
    }
  }
  const double determinant = r[0] * (r[4] * r[8] - r[5] * r[7]) -
                             r[1] * (r[3] * r[8] - r[5] * r[6]) +
                             r[2] * (r[3] * r[7] - r[4] * r[6]);
  if (!(is_rotation && determinant > 0)) refuse("pose.rotation", "expected a rotation matrix");
}

/// A grip on the point with these weights at corners; a single corner gives its vertex.
Grip point_of(const Model& model, const Numbering& numbering, std::span<const int> vertices,
              std::span<const double> weights, const char* where, const Vec3& target,
              double stiffness) {
  check_stiffness(stiffness);
  check_targets({&target, 1}, 1);
  Grip grip{.vertices = {}, .weights = {}, .targets = {target}, .stiffness = stiffness};
  const std::string name = where;
  double sum = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const double weight = weights[i];
    require(weight >= 0 && weight <= 1 + rounding, name + "weights",
            "expected numbers from 0 to 1");
    sum += weight;
    if (weight == 0) continue;
    const int vertex = vertices[i];
    if (vertex < 0 || vertex >= model.num_vertices) {
      refuse(name + "vertices", "there is no vertex " + std::to_string(vertex) +
                                    ": the scene has " + std::to_string(model.num_vertices));
    }
    require(model.mass[at(numbering.to_model(vertex))] > 0, name + "vertices",
            "vertex " + std::to_string(vertex) + " has no mass: nothing uses it");
    const auto known = std::find(grip.vertices.begin(), grip.vertices.end(), vertex);
    if (known == grip.vertices.end()) {
      grip.vertices.push_back(vertex);
      grip.weights.push_back(weight);
    } else {
      grip.weights[at(known - grip.vertices.begin())] += weight;
    }
  }
  require(std::abs(sum - 1) <= rounding, name + "weights", "expected numbers with sum 1");
  for (const int vertex : grip.vertices) {
    require(model.body_of(numbering.to_model(vertex)) ==
                model.body_of(numbering.to_model(grip.vertices[0])),
            name + "vertices", "expected vertices of one body");
  }
  for (double& weight : grip.weights) weight /= sum;
  if (grip.vertices.size() == 1) grip.weights.clear();
  return grip;
}

}  // namespace

Grip Attachments::of_vertices(const Model& model, int body, std::span<const int> vertices,
                              std::span<const Vec3> targets, double stiffness) {
  check_stiffness(stiffness);
  const int first = model.body_vertices[at(body)];
  const int count = model.body_vertices[at(body) + 1] - first;
  require(!vertices.empty(), "vertices", "expected at least one");
  Grip grip{.vertices = {}, .weights = {}, .targets = {}, .stiffness = stiffness};
  for (const int vertex : vertices) {
    if (vertex < 0 || vertex >= count) {
      refuse("vertices", "there is no vertex " + std::to_string(vertex) + ": the body has " +
                             std::to_string(count));
    }
    grip.vertices.push_back(first + vertex);
  }
  std::vector<int> sorted = grip.vertices;
  std::sort(sorted.begin(), sorted.end());
  require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "vertices",
          "a vertex occurs twice");
  check_targets(targets, vertices.size());
  grip.targets.assign(targets.begin(), targets.end());
  return grip;
}

Grip Attachments::of_hit(const Model& model, const Numbering& numbering, const SurfaceHit& hit,
                         const Vec3& target, double stiffness) {
  return point_of(model, numbering, hit.vertices, hit.weights, "hit.", target, stiffness);
}

Grip Attachments::of_tet(const Scene& scene, const Model& model, const Numbering& numbering,
                         int tet, const std::array<double, 4>& weights, const Vec3& target,
                         double stiffness) {
  if (tet < 0 || tet >= model.num_tets) {
    refuse("tet", "there is no tet " + std::to_string(tet) + ": the scene has " +
                      std::to_string(model.num_tets));
  }
  std::size_t body = 0, of_body = at(tet);
  for (; of_body >= scene.bodies[body].mesh.tets.size(); ++body) {
    of_body -= scene.bodies[body].mesh.tets.size();
  }
  std::array<int, 4> corners = scene.bodies[body].mesh.tets[of_body];
  for (int& corner : corners) corner += model.body_vertices[body];
  return point_of(model, numbering, corners, weights, "", target, stiffness);
}

Attachment Attachments::add(Grip grip) {
  const auto free =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return !slot.is_used; });
  const auto index = static_cast<std::uint32_t>(free - slots_.begin());
  if (free == slots_.end()) slots_.emplace_back();
  Slot& slot = slots_[index];
  slot.is_used = true;
  slot.first_target = static_cast<int>(targets_.from.size());
  targets_.from.insert(targets_.from.end(), grip.targets.begin(), grip.targets.end());
  targets_.to.insert(targets_.to.end(), grip.targets.begin(), grip.targets.end());
  slot.grip = std::move(grip);
  order_.push_back(index);
  return {index, slot.generation};
}

void Attachments::remove(Attachment attachment) {
  slot_of(attachment);
  Slot& slot = slots_[attachment.index];
  const int count = static_cast<int>(slot.grip.targets.size());
  for (std::vector<Vec3>* places : {&targets_.from, &targets_.to}) {
    const auto first = places->begin() + slot.first_target;
    places->erase(first, first + count);
  }
  for (Slot& other : slots_) {
    if (other.is_used && other.first_target > slot.first_target) other.first_target -= count;
  }
  std::erase(order_, attachment.index);
  slot.grip = {};
  slot.is_used = false;
  ++slot.generation;
}

void Attachments::renumber(std::span<const int> vertex,
                           const std::function<bool(std::vector<int>&)>& moves) {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].is_used) continue;
    std::vector<int>& held = slots_[i].grip.vertices;
    std::vector<PointBond>& bonds = slots_[i].grip.bonds;
    if (vertex[at(held[0])] < 0 || (!bonds.empty() && vertex[at(bonds[0].vertices[1])] < 0)) {
      remove({i, slots_[i].generation});
      continue;
    }
    if (moves && slots_[i].grip.is_point() && moves(held)) continue;
    for (int& own : held) own = vertex[at(own)];
    for (PointBond& bond : bonds) {
      const auto place = bond.vertices.begin() + 1, end = bond.vertices.begin() + bond.count;
      std::vector<int> corners(place, end);
      if (!(moves && moves(corners))) {
        for (int& corner : corners) corner = vertex[at(corner)];
      }
      bond.vertices[0] = vertex[at(bond.vertices[0])];
      std::copy(corners.begin(), corners.end(), place);
    }
  }
}

bool Attachments::contains(Attachment attachment) const {
  return attachment.index < slots_.size() && slots_[attachment.index].is_used &&
         slots_[attachment.index].generation == attachment.generation;
}

const Attachments::Slot& Attachments::slot_of(Attachment attachment) const {
  if (!contains(attachment)) {
    refuse("attachment", attachment.generation == 0 ? "was never attached"
                                                    : "was detached, or is of another simulation");
  }
  return slots_[attachment.index];
}

void Attachments::set_targets(Attachment attachment, std::span<const Vec3> targets) {
  const Slot& slot = slot_of(attachment);
  if (!slot.grip.bonds.empty()) refuse("attachment", "ties two bodies and has no targets");
  check_targets(targets, slot.grip.targets.size());
  std::copy(targets.begin(), targets.end(), targets_.to.begin() + slot.first_target);
}

void Attachments::set_targets(Attachment attachment, const Pose& pose) {
  const Slot& slot = slot_of(attachment);
  if (!slot.grip.bonds.empty()) refuse("attachment", "ties two bodies and has no targets");
  check_rotation(pose.rotation);
  check_place(pose.translation, "pose.translation");
  std::transform(slot.grip.targets.begin(), slot.grip.targets.end(),
                 targets_.to.begin() + slot.first_target,
                 [&](const Vec3& target) { return pose.apply(target); });
}

void Attachments::add_to(PinSet& pins, const Numbering& numbering) const {
  pins.held = &targets_;
  for (const std::uint32_t index : order_) {
    const Slot& slot = slots_[index];
    const Grip& grip = slot.grip;
    if (!grip.bonds.empty()) continue;
    const int point = grip.is_point() ? static_cast<int>(pins.points.size()) : -1;
    if (grip.is_point()) {
      PinnedPoint& added =
          pins.points.emplace_back(PinnedPoint{.first = static_cast<int>(pins.pins.size()),
                                               .count = static_cast<int>(grip.vertices.size()),
                                               .stiffness = grip.stiffness,
                                               .weights = {}});
      std::copy(grip.weights.begin(), grip.weights.end(), added.weights.begin());
    }
    for (std::size_t i = 0; i < grip.vertices.size(); ++i) {
      const double weight = grip.is_point() ? grip.weights[i] : 1;
      const int target = slot.first_target + (grip.is_point() ? 0 : static_cast<int>(i));
      pins.pins.push_back({.vertex = numbering.to_model(grip.vertices[i]),
                           .motion = -1,
                           .stiffness = weight * grip.stiffness,
                           .rest = {0, 0, 0},
                           .held = target,
                           .point = point});
    }
  }
}

void Attachments::add_to(BondSet& bonds, const Numbering& numbering) const {
  for (const std::uint32_t index : order_) {
    std::vector<PointBond> own = slots_[index].grip.bonds;
    to_model(numbering, own);
    bonds.bonds.insert(bonds.bonds.end(), own.begin(), own.end());
  }
}

Vec3 Attachments::force_on(const Slot& slot, std::size_t i, const VectorField& x,
                           const Numbering& numbering) const {
  const Grip& grip = slot.grip;
  if (!grip.bonds.empty()) {
    BondSet alone{{grip.bonds[i]}};
    to_model(numbering, alone.bonds);
    return alone.pull(0, grip.bonds[i].length, x);
  }
  Vec3 place{0, 0, 0};
  const auto add = [&](std::size_t vertex, double weight) {
    const PaddedVector& corner = x[at(numbering.to_model(grip.vertices[vertex]))];
    for (int k = 0; k < 3; ++k) place[at(k)] += weight * corner[k];
  };
  if (grip.is_point()) {
    for (std::size_t c = 0; c < grip.vertices.size(); ++c) add(c, grip.weights[c]);
  } else {
    add(i, 1);
  }
  const Vec3& target = targets_.from[at(slot.first_target) + (grip.is_point() ? 0 : i)];
  const double stiffness = grip.stiffness * (grip.is_point() ? grip.weights[i] : 1);
  Vec3 force;
  for (std::size_t k = 0; k < 3; ++k) force[k] = stiffness * (target[k] - place[k]);
  return force;
}

Vec3 Attachments::force(Attachment attachment, const VectorField& x,
                        const Numbering& numbering) const {
  const Slot& slot = slot_of(attachment);
  Vec3 sum{0, 0, 0};
  for (std::size_t i = 0; i < slot.grip.vertices.size(); ++i) {
    const Vec3 force = force_on(slot, i, x, numbering);
    for (std::size_t k = 0; k < 3; ++k) sum[k] += force[k];
  }
  return sum;
}

std::vector<Vec3> Attachments::forces(Attachment attachment, const VectorField& x,
                                      const Numbering& numbering) const {
  const Slot& slot = slot_of(attachment);
  std::vector<Vec3> forces;
  for (std::size_t i = 0; i < slot.grip.vertices.size(); ++i) {
    forces.push_back(force_on(slot, i, x, numbering));
  }
  return forces;
}

void Attachments::begin_frame(double begin, double end) {
  targets_.begin = begin;
  targets_.end = end;
}

void Attachments::end_frame(bool is_undone) {
  targets_.begin = targets_.end = std::numeric_limits<double>::infinity();
  if (is_undone) return;
  std::copy(targets_.to.begin(), targets_.to.end(), targets_.from.begin());
}

}  // namespace supple

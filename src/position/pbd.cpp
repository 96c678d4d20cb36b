#include "position/pbd.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "math/mat3.h"
#include "position/constraint_colours.h"
#include "position/positions.h"

namespace supple {

namespace {

using Matrix = Mat3<double>;
using Vector = Vector3<double>;

/// Constraints per task: 5 to 50 us of work.
constexpr int chunk_size = 512;
/// A volume's sum w_i |dC/dx_i|^2 counts as at least this part of its value at rest. It vanishes in
/// a tet flattened to a line, which would otherwise throw its vertices away.
constexpr double least_slope = 0.01;

/// The sum w_i^2/m_i of a point counts as at least this part of what it would be if all its
/// vertices were as light as the lightest. It nearly vanishes where pinned or heavy vertices carry
/// the point, which would otherwise throw the others away.
constexpr double least_mobility = 0.1;

struct Length {
  int a, b;
  double rest;          ///< m
  Vec3 rest_direction;  ///< unit, from b to a: used if the length is zero
};

/// Lengths to keep, colour after colour.
struct Lengths {
  std::vector<Length> lengths;
  ConstraintColours colours;

  void colour(int num_vertices) {
    std::vector<int> ends;
    for (const Length& length : lengths) ends.insert(ends.end(), {length.a, length.b});
    colours = colour_constraints(ends, 2, num_vertices);
    std::vector<Length> sorted;
    for (int l : colours.constraints) sorted.push_back(lengths[at(l)]);
    lengths.swap(sorted);
  }
};

/// Calls work(first, last) for pieces of each colour in turn.
template <class Work>
void for_each_colour(const ConstraintColours& colours, Threads& threads, const Work& work) {
  for (int colour = 0; colour < colours.num_colours(); ++colour) {
    const int begin = colours.start[at(colour)];
    const int end = colours.start[at(colour) + 1];
    threads.parallel_for((end - begin + chunk_size - 1) / chunk_size, [&](int chunk) {
      const int first = begin + chunk * chunk_size;
      work(first, std::min(first + chunk_size, end));
    });
  }
}

/// The edges of the tets, each once.
Lengths edges_of(const Model& model) {
  std::vector<std::pair<int, int>> pairs;
  for (const std::array<int, 4>& tet : model.tets) {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = i + 1; j < 4; ++j) {
        pairs.emplace_back(std::min(tet[i], tet[j]), std::max(tet[i], tet[j]));
      }
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  Lengths edges;
  for (const auto& [a, b] : pairs) {
    const Vec3 &p = model.rest[at(a)], &q = model.rest[at(b)];
    const Vec3 d{p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    const double rest = std::hypot(d[0], d[1], d[2]);
    edges.lengths.push_back({a, b, rest, {d[0] / rest, d[1] / rest, d[2] / rest}});
  }
  edges.colour(model.num_vertices);
  return edges;
}

Lengths springs_of(const Model& model) {
  Lengths springs;
  for (std::size_t s = 0; s < model.springs.size(); ++s) {
    const SpringSet::Spring& spring = model.springs.springs[s];
    springs.lengths.push_back(
        {spring.a, spring.b, spring.rest_length, model.springs.rest_direction[s]});
  }
  springs.colour(model.num_vertices);
  return springs;
}

class Pbd final : public PositionSolver {
 public:
  Pbd(const Model& model, ContactEnergy* contact, const SolverSettings& settings)
      : model_(&model),
        stiffness_(settings.stiffness),
        volume_stiffness_(settings.volume_stiffness),
        edges_(edges_of(model)),
        springs_(springs_of(model)),
        x_(at(model.num_vertices)),
        weight_(at(model.num_vertices)),
        violation_(model.tets.size()),
        shape_gradient_(model.all_shape_gradients()) {
    std::vector<int> corners;
    corners.reserve(4 * model.tets.size());
    for (const auto& tet : model.tets) corners.insert(corners.end(), tet.begin(), tet.end());
    tets_ = colour_constraints(corners, 4, model.num_vertices);
    contact_changed(contact);
    pins_changed();
  }

  void begin(const PositionStep& step, Threads& threads) override {
    x_ = step.y;
    model_->pins.targets(step.time, pin_target_);
    hold_pins();
    if (contact_ != nullptr && !x_.empty()) {
      contact_->begin_step(contact_step(step), threads);
    }
    num_contacts_ = 0;
  }

  bool iterate(Threads& threads) override {
    if (stiffness_ > 0) {
      for (const Lengths* set : {&edges_, &springs_}) {
        for_each_colour(set->colours, threads, [&](int first, int last) {
          for (int i = first; i < last; ++i) keep_length(set->lengths[at(i)]);
        });
      }
    }
    for_each_colour(tets_, threads, [&](int first, int last) {
      for (int i = first; i < last; ++i) keep_volume(at(tets_.constraints[at(i)]));
    });
    hold_points();
    if (contact_ != nullptr) leave_colliders(threads);
    double sum = 0;
    for (const PaddedVector& p : x_) sum += p[0] + p[1] + p[2];
    return std::isfinite(sum);
  }

  void copy_positions(VectorField& z) const override { z = x_; }

  void pins_changed() override {
    for (std::size_t v = 0; v < weight_.size(); ++v) {
      weight_[v] = model_->mass[v] > 0 ? 1 / model_->mass[v] : 0;
    }
    for (const PinnedVertex& pin : model_->pins.pins) {
      if (pin.point < 0) weight_[at(pin.vertex)] = 0;
    }
    pin_target_.resize(model_->pins.pins.size());
  }

  void materials_changed(bool) override {}

  void contact_changed(ContactEnergy* contact) override {
    if (contact != nullptr) touched_in_.resize(at(model_->num_vertices), 0);
    contact_ = contact;
    num_contacts_ = 0;
  }

  std::vector<ConstraintGroup> groups() const override {
    std::vector<ConstraintGroup> groups;
    const auto add = [&](const char* of, const ConstraintColours& colours) {
      for (int c = 0; c < colours.num_colours(); ++c) groups.push_back({of, colours.size(c)});
    };
    add("edges", edges_.colours);
    add("springs", springs_.colours);
    add("tets", tets_);
    return groups;
  }

  int num_contacts() const override { return num_contacts_; }

  double worst_violation() const override {
    return violation_.empty() ? 0 : *std::max_element(violation_.begin(), violation_.end());
  }

 private:
  /// How far an impulse moves a point, 1/kg.
  class Mobility {
   public:
    void add(double share, double inverse_mass) {
      sum_ += share * share * inverse_mass;
      squares_ += share * share;
      lightest_ = std::max(lightest_, inverse_mass);
    }
    double sum() const { return std::max(sum_, least_mobility * squares_ * lightest_); }

   private:
    double sum_ = 0, squares_ = 0, lightest_ = 0;
  };

  /// Puts pinned vertices at their targets; the last of several pins wins.
  void hold_pins() {
    for (std::size_t i = 0; i < pin_target_.size(); ++i) {
      if (model_->pins.pins[i].point >= 0) continue;
      PaddedVector& x = x_[at(model_->pins.pins[i].vertex)];
      for (int k = 0; k < 3; ++k) x[k] = pin_target_[i][at(k)];
    }
  }

  /// Moves each pinned point to its target. If others then move it, it is off until the next
  /// iteration.
  void hold_points() {
    for (const PinnedPoint& point : model_->pins.points) {
      const PinnedVertex* const corner = &model_->pins.pins[at(point.first)];
      Mobility mobility;
      for (int i = 0; i < point.count; ++i) {
        mobility.add(point.weights[at(i)], weight_[at(corner[i].vertex)]);
      }
      const double sum = mobility.sum();
      if (!(sum > 0)) continue;
      const Vec3 away = model_->pins.stretch(at(point.first), x_, pin_target_);
      for (int i = 0; i < point.count; ++i) {
        const std::size_t v = at(corner[i].vertex);
        const double part = point.weights[at(i)] * weight_[v] / sum;
        for (int k = 0; k < 3; ++k) x_[v][k] -= part * away[at(k)];
      }
    }
  }

  /// C = l - r [Mueller et al. 2007, eqs. 10 and 11].
  void keep_length(const Length& length) {
    const std::size_t a = at(length.a), b = at(length.b);
    const double weight = weight_[a] + weight_[b];
    if (!(weight > 0)) return;
    Vector d;
    for (int k = 0; k < 3; ++k) d[k] = x_[a][k] - x_[b][k];
    const double l = std::sqrt(dot(d, d));
    const double factor = stiffness_ * (length.rest - l) / weight;
    for (int k = 0; k < 3; ++k) {
      const double impulse = factor * (l > 0 ? d[k] / l : length.rest_direction[at(k)]);
      x_[a][k] += weight_[a] * impulse;
      x_[b][k] -= weight_[b] * impulse;
    }
  }

  /// C = det F - 1, dC/dx_i = cof F b_i.
  void keep_volume(std::size_t tet) {
    const auto& gradients = shape_gradient_[tet];
    Matrix F = Matrix::zero();
    double at_rest = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t v = at(model_->tets[tet][i]);
      const Vec3& b = gradients[i];
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) F(r, c) += x_[v][r] * b[at(c)];
      }
      at_rest += weight_[v] * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    }
    const Matrix cof = cofactor(F);
    const double C = determinant(F) - 1;
    violation_[tet] = std::abs(C);
    if (!(volume_stiffness_ > 0 && at_rest > 0)) return;
    Vector slope[4];
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      slope[i] = cof * Vector{{gradients[i][0], gradients[i][1], gradients[i][2]}};
      sum += weight_[at(model_->tets[tet][i])] * dot(slope[i], slope[i]);
    }
    const double factor = -volume_stiffness_ * C / std::max(sum, least_slope * at_rest);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t v = at(model_->tets[tet][i]);
      for (int k = 0; k < 3; ++k) x_[v][k] += weight_[v] * factor * slope[i][k];
    }
  }

  bool can_move(const ContactPoint& point) const {
    return std::any_of(point.vertices, point.vertices + point.count,
                       [&](int v) { return weight_[at(v)] > 0; });
  }

  /// Moves a point by `length` in the direction `along`: each vertex according to its inverse mass
  /// and its weight in the point.
  void move(const ContactPoint& point, double length, const Vector& along) {
    Mobility mobility;
    for (int i = 0; i < point.count; ++i) {
      mobility.add(point.weights[i], weight_[at(point.vertices[i])]);
    }
    const double sum = mobility.sum();
    for (int i = 0; i < point.count; ++i) {
      const std::size_t v = at(point.vertices[i]);
      const double part = point.weights[i] * weight_[v] / sum;
      for (int k = 0; k < 3; ++k) x_[v][k] += part * length * along[k];
    }
  }

  /// Moves each vertex, and each point of an edge or face, that is in a collider to its surface,
  /// and back along it by what friction holds: at most the coefficient times the depth.
  void leave_colliders(Threads& threads) {
    if (x_.empty()) return;
    contact_->sweep(x_[0].v, threads);
    contact_->detect(x_[0].v, threads);
    ++detection_;
    num_contacts_ = 0;
    for (const Contact& contact : contact_->touching()) {
      const ContactPoint& point = contact.point;
      const std::size_t v = at(point.vertices[0]);
      if (!contact.is_of_vertex() || touched_in_[v] != detection_) ++num_contacts_;
      if (contact.is_of_vertex()) touched_in_[v] = detection_;
      if (!can_move(point)) continue;
      double gap = 0;
      const Vec3 place = point.position(x_[0].v);
      for (std::size_t k = 0; k < 3; ++k)
        gap += (place[k] - contact.surface[k]) * contact.normal[k];
      if (!(gap < 0)) continue;
      Vector normal;
      for (int k = 0; k < 3; ++k) normal[k] = contact.normal[at(k)];
      move(point, -gap, normal);
      const double friction = contact_->friction_on(contact.collider);
      if (!(friction > 0)) continue;
      const Vec3 pushed = point.position(x_[0].v);
      Vector slip;
      for (int k = 0; k < 3; ++k) slip[k] = pushed[at(k)] - contact.anchor[at(k)];
      slip = slip - dot(slip, normal) * normal;
      const double far = std::sqrt(dot(slip, slip));
      const double held = friction * -gap;
      const double share = far > held ? held / far : 1;
      move(point, -share, slip);
    }
  }

  const Model* model_;
  ContactEnergy* contact_ = nullptr;
  double stiffness_;
  double volume_stiffness_;
  Lengths edges_, springs_;
  ConstraintColours tets_;
  VectorField x_;
  std::vector<double> weight_;     ///< [num_vertices], 1/kg; 0: pinned or without mass
  std::vector<Vec3> pin_target_;   ///< [num_pins], m
  std::vector<double> violation_;  ///< [num_tets], |det F - 1| before the last projection
  std::vector<std::array<Vec3, 4>> shape_gradient_;  ///< [num_tets], 1/m
  // For each vertex, the last detection that found it in a collider.
  std::vector<long> touched_in_;
  long detection_ = 0;
  int num_contacts_ = 0;
};

}  // namespace

std::unique_ptr<PositionSolver> make_pbd(const Model& model, ContactEnergy* contact,
                                         const SolverSettings& settings) {
  return std::make_unique<Pbd>(model, contact, settings);
}

}  // namespace supple

#include "descent/vertex_block_descent.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "descent/coordinates.h"
#include "elements/damping.h"

namespace supple {

namespace {

constexpr int most_halvings = 10;

}  // namespace

/// g as a function of the vertices of a group: the quadratic part (inertia, weight, pins) by its
/// gradient and curvature, and the rest.
struct VertexBlockDescent::Local {
  double quadratic_gradient[3][lanes] = {};
  double quadratic_stiffness[lanes] = {};
  double scale[lanes] = {};  ///< size of the terms that cancel at rest, J
  PairSums rest{};           ///< of colliders only the energy

  /// Finds out in which lanes the step d does not increase g, and returns their number. energy: of
  /// the rest, after the step.
  int accept(const double (&d)[3][lanes], const double (&energy)[lanes],
             bool (&accepted)[lanes]) const {
    int count = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      double slope = 0, square = 0;
      for (int k = 0; k < 3; ++k) {
        slope += quadratic_gradient[k][lane] * d[k][lane];
        square += d[k][lane] * d[k][lane];
      }
      const double rise =
          slope + 0.5 * quadratic_stiffness[lane] * square + (energy[lane] - rest.energy[lane]);
      // Energies that cancel at rest have the rounding errors of their terms.
      const double rounding =
          4 * std::numeric_limits<double>::epsilon() * (std::abs(rest.energy[lane]) + scale[lane]);
      accepted[lane] = rise <= rounding;
      count += accepted[lane] ? 1 : 0;
    }
    return count;
  }
};

/// The colliders as quadratic functions of the steps of the vertices of a group.
struct VertexBlockDescent::Planes {
  double energy[lanes] = {};  ///< where the planes were found, J
  double gradient[3][lanes] = {};
  double hessian[9][lanes] = {};
};

VertexBlockDescent::VertexBlockDescent(const Model& model, double inverse_a2)
    : model_(&model),
      colouring_(colour_vertices(model)),
      groups_(model, colouring_),
      kernels_(&corner_kernels(simd_level_in_use())),
      floor_(pivot_floor(model, inverse_a2)),
      scale_(floor_.size(), 0.0),
      first_pin_(floor_.size(), -1),
      place_(floor_.size(), -1),
      first_corner_(floor_.size(), -1),
      shares_point_(floor_.size(), 0),
      is_held_(static_cast<std::size_t>(model.num_bodies())),
      x_(floor_.size()) {
  list_bonds();
  sum_scales();
  list_pins();
}

void VertexBlockDescent::sum_scales() {
  const Model& model = *model_;
  std::fill(scale_.begin(), scale_.end(), 0.0);
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    for (int v : model.tets[t]) {
      scale_[static_cast<std::size_t>(v)] += model.stiffness[t] * model.volume[t];
    }
  }
  for (const SpringSet::Spring& spring : model.springs.springs) {
    for (int v : {spring.a, spring.b}) {
      scale_[static_cast<std::size_t>(v)] +=
          spring.stiffness * spring.rest_length * spring.rest_length;
    }
  }
  for (const PointBond& bond : model.bonds.bonds) {
    for (int c = 0; c < bond.count; ++c) {
      scale_[at(bond.vertices[at(c)])] += bond.stiffness * bond.length * bond.length;
    }
  }
  for (int lane = 0; lane < model.membranes.num_lanes(); ++lane) {
    for (int c = 0; c < 3; ++c) {
      scale_[static_cast<std::size_t>(model.membranes.vertex(lane, c))] +=
          model.membranes.energy_scale(lane);
    }
  }
}

/// Makes the list of the pins of each vertex, linked by next_pin_.
void VertexBlockDescent::list_pins() {
  const Model& model = *model_;
  next_pin_.assign(model.pins.pins.size(), -1);
  stretch_.resize(model.pins.points.size());
  std::fill(first_pin_.begin(), first_pin_.end(), -1);
  for (std::size_t i = model.pins.pins.size(); i-- > 0;) {
    int& first = first_pin_[static_cast<std::size_t>(model.pins.pins[i].vertex)];
    next_pin_[i] = first;
    first = static_cast<int>(i);
  }
}

/// Lists the ends of bonds at each vertex.
void VertexBlockDescent::list_bonds() {
  const std::vector<PointBond>& bonds = model_->bonds.bonds;
  if (bonds.empty()) return;
  bond_start_.assign(floor_.size() + 1, 0);
  const auto for_ends = [&](const auto& visit) {
    for (std::size_t b = 0; b < bonds.size(); ++b) {
      for (int c = 0; c < bonds[b].count; ++c) {
        visit(at(bonds[b].vertices[at(c)]), BondEnd{static_cast<int>(b), c});
      }
    }
  };
  for_ends([&](std::size_t v, const BondEnd&) { ++bond_start_[v + 1]; });
  for (std::size_t v = 1; v < bond_start_.size(); ++v) bond_start_[v] += bond_start_[v - 1];
  bond_ends_.resize(at(bond_start_.back()));
  std::vector<int> next(bond_start_.begin(), bond_start_.end() - 1);
  for_ends([&](std::size_t v, const BondEnd& end) { bond_ends_[at(next[v]++)] = end; });
}

void VertexBlockDescent::pins_changed(const PinChange& change) {
  floor_ = pivot_floor(change.model, change.inverse_a2);
  list_pins();
}

void VertexBlockDescent::materials_changed(const MaterialChange& change) {
  if (change.same_places) {
    groups_.copy_materials(change.model);
  } else {
    groups_ = VertexStencils(change.model, colouring_);
  }
  floor_ = pivot_floor(change.model, change.inverse_a2);
  sum_scales();
}

void VertexBlockDescent::begin_step(Objective& objective) {
  const ContactEnergy* contact = objective.contact();
  std::fill(place_.begin(), place_.end(), -1);
  if (contact == nullptr) return;
  corners_.reserve(contact->max_contacts() + 4 * contact->max_points());
  for (std::size_t i = 0; i < contact->vertices().size(); ++i) {
    place_[static_cast<std::size_t>(contact->vertices()[i].vertex)] = static_cast<int>(i);
  }
}

/// Lists the contacts that a vertex cannot find at its turn: friction, which depends on the state
/// at the start of the step, and points of edges and faces.
void VertexBlockDescent::list_contacts(const Objective& objective) {
  const ContactEnergy* contact = objective.contact();
  std::fill(first_corner_.begin(), first_corner_.end(), -1);
  std::fill(shares_point_.begin(), shares_point_.end(), 0);
  corners_.clear();
  if (contact == nullptr) return;
  const std::size_t num_touching = contact->touching().size();
  for (std::size_t c = 0; c < contact->contacts().size(); ++c) {
    const ContactPoint& point = contact->contacts()[c].point;
    if (c < num_touching && point.count == 1) continue;
    for (int corner = 0; corner < point.count; ++corner) {
      int& first = first_corner_[static_cast<std::size_t>(point.vertices[corner])];
      corners_.push_back({static_cast<int>(c), corner, first});
      first = static_cast<int>(corners_.size()) - 1;
      if (point.count > 1) shares_point_[static_cast<std::size_t>(point.vertices[corner])] = 1;
    }
  }
}

/// Whether a contact couples vertices of the group to others, which may have the same colour.
bool VertexBlockDescent::shares_points(const VertexGroup& group) const {
  return std::any_of(group.vertex, group.vertex + group.num_vertices,
                     [&](int v) { return shares_point_[static_cast<std::size_t>(v)] != 0; });
}

/// Finds how far pinned points are from their targets. This is done before each colour, so the
/// order of its vertices does not matter, and pins of corners that all move by it still bound the
/// energy from above (potentials/pins.h).
void VertexBlockDescent::find_points(const Objective& objective) {
  for (std::size_t p = 0; p < stretch_.size(); ++p) {
    const auto corner = static_cast<std::size_t>(model_->pins.points[p].first);
    stretch_[p] = model_->pins.stretch(corner, x_, objective.pin_targets());
  }
}

void VertexBlockDescent::add_smooth(const Objective& objective, int vertex, int lane,
                                    Local& local) const {
  const auto v = static_cast<std::size_t>(vertex);
  const double mass = model_->mass[v];
  double stiffness = mass * objective.inverse_a2();
  double gradient[3];
  for (int k = 0; k < 3; ++k) {
    gradient[k] = stiffness * (x_[v][k] - objective.inertial_target()[v][k]) -
                  mass * objective.weight()[static_cast<std::size_t>(k)];
  }
  for (int i = first_pin_[v]; i >= 0; i = next_pin_[static_cast<std::size_t>(i)]) {
    const PinnedVertex& pin = model_->pins.pins[static_cast<std::size_t>(i)];
    const Vec3 stretch = pin.point >= 0 ? stretch_[static_cast<std::size_t>(pin.point)]
                                        : model_->pins.stretch(static_cast<std::size_t>(i), x_,
                                                               objective.pin_targets());
    stiffness += pin.stiffness;
    for (int k = 0; k < 3; ++k) {
      gradient[k] += pin.stiffness * stretch[static_cast<std::size_t>(k)];
    }
  }
  if (objective.pressure() != nullptr) {
    const Vec3 push = objective.pressure()->gradient_of(vertex, x_);
    for (int k = 0; k < 3; ++k) gradient[k] += push[static_cast<std::size_t>(k)];
  }
  local.quadratic_stiffness[lane] = stiffness;
  for (int k = 0; k < 3; ++k) local.quadratic_gradient[k][lane] = gradient[k];
}

/// Adds springs, membranes, bonds and friction.
void VertexBlockDescent::add_kinked(const Objective& objective, int vertex, int lane,
                                    Local& local) const {
  const auto v = static_cast<std::size_t>(vertex);
  double energy = 0, gradient[3] = {}, hessian[9] = {};
  const SpringSet& set = model_->springs;
  for (int i = set.empty() ? 0 : set.start[v]; !set.empty() && i < set.start[v + 1]; ++i) {
    const int entry = set.incident[static_cast<std::size_t>(i)];
    const auto s = static_cast<std::size_t>(entry / 2);
    const SpringSet::Spring& spring = set.springs[s];
    const double* a = x_[static_cast<std::size_t>(spring.a)].v;
    const double* b = x_[static_cast<std::size_t>(spring.b)].v;
    double force[3], block[9];
    energy += set.energy_and_force(s, a, b, force);
    spring_hessian(spring, a, b, SpringHessian::exact, block);
    const double sign = entry % 2 == 0 ? 1.0 : -1.0;
    for (int k = 0; k < 3; ++k) gradient[k] += sign * force[k];
    for (int k = 0; k < 9; ++k) hessian[k] += block[k];
    if (!model_->is_damped()) continue;
    const SpringSet::Spring damping = damper(*model_, spring, objective.start());
    energy += energy_and_force(damping, set.rest_direction[s], a, b, force);
    spring_hessian(damping, a, b, SpringHessian::exact, block);
    for (int k = 0; k < 3; ++k) gradient[k] += sign * force[k];
    for (int k = 0; k < 9; ++k) hessian[k] += block[k];
  }
  energy += add_membranes(objective, vertex, x_[v].v, gradient, hessian);
  energy += add_bonds(objective, vertex, x_[v].v, gradient, hessian);
  for (int i = first_corner_[v]; i >= 0; i = corners_[static_cast<std::size_t>(i)].next) {
    energy +=
        add_contact(objective, corners_[static_cast<std::size_t>(i)], x_[v].v, gradient, hessian);
  }
  local.rest.energy[lane] = energy;
  for (int k = 0; k < 3; ++k) local.rest.gradient[k][lane] = gradient[k];
  for (int k = 0; k < 9; ++k) local.rest.hessian[k][lane] = hessian[k];
}

/// Energy of the triangles, bends and hinges of a vertex if it is at x, J. If `gradient` is not
/// null, adds their gradient, N, and Hessian with respect to that vertex.
double VertexBlockDescent::add_membranes(const Objective& objective, int vertex, const double* x,
                                         double* gradient, double* hessian) const {
  const MembraneSet& set = model_->membranes;
  if (set.empty()) return 0;
  const auto v = static_cast<std::size_t>(vertex);
  const auto place = [&](int other) {
    return other == vertex ? x : x_[static_cast<std::size_t>(other)].v;
  };
  double energy = 0;
  for (int i = set.corner_start[v]; i < set.corner_start[v + 1]; ++i) {
    const int lane = set.corners[static_cast<std::size_t>(i)] / 3;
    const double* const corners[3] = {place(set.vertex(lane, 0)), place(set.vertex(lane, 1)),
                                      place(set.vertex(lane, 2))};
    if (model_->is_damped()) {
      const int corner = set.corners[static_cast<std::size_t>(i)] % 3;
      energy += SheetDamping(*model_, lane, objective.start())
                    .energy_at_corner(corners, corner, gradient, hessian);
    }
    if (gradient == nullptr) {
      energy += set.energy(lane, corners);
      continue;
    }
    double force[3], block[9];
    energy += set.energy_at_corner(lane, corners, set.corners[static_cast<std::size_t>(i)] % 3,
                                   NegativeEigenvalues::keep, force, block);
    for (int k = 0; k < 3; ++k) gradient[k] += force[k];
    for (int k = 0; k < 9; ++k) hessian[k] += block[k];
  }
  for (int i = set.bend_start[v]; i < set.bend_start[v + 1]; ++i) {
    const auto& [index, weight] = set.bends_of_vertex[static_cast<std::size_t>(i)];
    const Bend& bend = set.bends[static_cast<std::size_t>(index)];
    const Vector3<double> bent = curvature_vector(set, bend, place);
    energy += 0.5 * bend.stiffness * dot(bent, bent);
    if (gradient == nullptr) continue;
    for (int k = 0; k < 3; ++k) {
      gradient[k] += bend.stiffness * weight * bent[k];
      hessian[4 * k] += bend.stiffness * weight * weight;
    }
  }
  for (int i = set.hinge_start[v]; i < set.hinge_start[v + 1]; ++i) {
    const int corner = set.hinges_of_vertex[static_cast<std::size_t>(i)];
    const BentHinge hinge = bent_hinge(set.hinges[static_cast<std::size_t>(corner / 4)], place);
    energy += hinge.energy();
    if (gradient == nullptr) continue;
    const Vector3<double> force = hinge.gradient(corner % 4);
    const Mat3<double> block = hinge.exact_block(corner % 4, corner % 4);
    for (int k = 0; k < 3; ++k) gradient[k] += force[k];
    for (int k = 0; k < 9; ++k) hessian[k] += block(k / 3, k % 3);
  }
  return energy;
}

/// Energy of the bonds of a vertex if it is at x, J. If `gradient` is not null, adds their
/// gradient, N, and Hessian with respect to that vertex.
double VertexBlockDescent::add_bonds(const Objective& objective, int vertex, const double* x,
                                     double* gradient, double* hessian) const {
  if (bond_start_.empty()) return 0;
  const auto v = static_cast<std::size_t>(vertex);
  double energy = 0;
  for (int i = bond_start_[v]; i < bond_start_[v + 1]; ++i) {
    const BondEnd& end = bond_ends_[at(i)];
    const PointBond& bond = model_->bonds.bonds[at(end.bond)];
    const double length = objective.bond_lengths()[at(end.bond)];
    const double weight = bond.weights[at(end.corner)];
    Vec3 d = bond.span(x_), force;
    for (int k = 0; k < 3; ++k) d[at(k)] += weight * (x[k] - x_[v][k]);
    energy += bond.energy(length, d, &force);
    if (gradient == nullptr) continue;
    const Mat3<double> H = bond.hessian(length, d, BondHessian::exact);
    for (int k = 0; k < 3; ++k) gradient[k] += weight * force[at(k)];
    for (int k = 0; k < 9; ++k) hessian[k] += weight * weight * H(k / 3, k % 3);
  }
  return energy;
}

/// Energy of a contact if one of its vertices is at x, J. Adds its gradient, N, and, if `hessian`
/// is not null, its Hessian with respect to that vertex.
double VertexBlockDescent::add_contact(const Objective& objective, const Corner& own,
                                       const double* x, double* gradient, double* hessian) const {
  const ContactEnergy& contacts = *objective.contact();
  const Contact& contact = contacts.contacts()[static_cast<std::size_t>(own.contact)];
  const double weight = contact.point.weights[own.corner];
  const Vec3 place = contact.point.position(x_[0].v, own.corner, x);
  double by_point[3] = {}, block[9];
  const double energy = contacts.add(contact, place.data(), by_point);
  for (int k = 0; k < 3; ++k) gradient[k] += weight * by_point[k];
  if (hessian == nullptr) return energy;
  contacts.hessian(contact, place.data(), block);
  for (int k = 0; k < 9; ++k) hessian[k] += weight * weight * block[k];
  return energy;
}

/// Energy of the springs, membranes, bonds, friction and colliders of a vertex if it is at x, J.
double VertexBlockDescent::kinked_energy(const Objective& objective, int vertex,
                                         const double* x) const {
  const auto v = static_cast<std::size_t>(vertex);
  double energy = 0, unused[3] = {};
  const SpringSet& set = model_->springs;
  for (int i = set.empty() ? 0 : set.start[v]; !set.empty() && i < set.start[v + 1]; ++i) {
    const int entry = set.incident[static_cast<std::size_t>(i)];
    const double* other = x_[static_cast<std::size_t>(set.other_end(entry))].v;
    const bool is_a = entry % 2 == 0;
    const auto s = static_cast<std::size_t>(entry / 2);
    energy += set.energy_and_force(s, is_a ? x : other, is_a ? other : x, unused);
    if (!model_->is_damped()) continue;
    energy += energy_and_force(damper(*model_, set.springs[s], objective.start()),
                               set.rest_direction[s], is_a ? x : other, is_a ? other : x, unused);
  }
  energy += add_membranes(objective, vertex, x, nullptr, nullptr);
  energy += add_bonds(objective, vertex, x, nullptr, nullptr);
  for (int i = first_corner_[v]; i >= 0; i = corners_[static_cast<std::size_t>(i)].next) {
    energy += add_contact(objective, corners_[static_cast<std::size_t>(i)], x, unused, nullptr);
  }
  if (place_[v] >= 0) {
    objective.contact()->visit_touching(
        static_cast<std::size_t>(place_[v]), x,
        [&](const Contact& contact) { energy += objective.contact()->add(contact, x, unused); });
  }
  return energy;
}

/// Calls work(pairs) for the segments of a group whose vertices are at `own`.
template <class Work>
void VertexBlockDescent::for_segments(const Objective& objective, const VertexGroup& group,
                                      const double (&own)[3][lanes], const Work& work) const {
  for (int s = group.first_segment; s < group.first_segment + group.num_segments; ++s) {
    const StencilSegment& segment = groups_.segments[static_cast<std::size_t>(s)];
    const auto r = static_cast<std::size_t>(segment.range);
    const auto first = static_cast<std::size_t>(segment.first_batch);
    const ElementRange& range = model_->ranges[r];
    const StencilRange& pairs = groups_.ranges[r];
    PairWork piece{
        .material = &range.material,
        .batches = &pairs.batches[first],
        .num_batches = segment.num_batches,
        .parameters = pairs.parameters.data() + first * at(range.parameter_stride),
        .parameter_stride = range.parameter_stride,
        .fibers = FiberBatches{pairs.fibers.data(), range.curves.data(), range.num_fibers}.from(
            segment.first_batch),
        .x = x_.data(),
        .own = {},
        .vertex = group.vertex,
        .viscosity = range.viscosity.empty() ? nullptr : pairs.viscosity.data() + first * lanes,
        .start = objective.start()};
    std::copy(&own[0][0], &own[0][0] + 3 * lanes, &piece.own[0][0]);
    work(piece);
  }
}

/// Local::rest.energy with the group's vertices at x.
void VertexBlockDescent::energy_at(const Objective& objective, const VertexGroup& group,
                                   const double (&x)[3][lanes], double (&energy)[lanes]) const {
  std::fill(energy, energy + lanes, 0.0);
  if (!model_->springs.empty() || !model_->membranes.empty() || !model_->bonds.empty() ||
      objective.contact() != nullptr) {
    for (int lane = 0; lane < group.num_vertices; ++lane) {
      const double own[3] = {x[0][lane], x[1][lane], x[2][lane]};
      energy[lane] = kinked_energy(objective, group.vertex[lane], own);
    }
  }
  for_segments(objective, group, x,
               [&](const PairWork& work) { kernels_->add_energy(work, energy); });
}

/// Writes energy, gradient and Hessian of the colliders that a vertex is in at x + d, as a
/// quadratic function of its step from x. Returns whether there are any.
bool VertexBlockDescent::find_planes(const Objective& objective, int vertex, int lane,
                                     const double (&x)[3][lanes], const double (&d)[3][lanes],
                                     Planes& planes) const {
  const int place = place_[static_cast<std::size_t>(vertex)];
  if (place < 0) return false;
  const ContactEnergy& contacts = *objective.contact();
  double at[3], energy = 0, gradient[3] = {}, hessian[9] = {};
  for (int k = 0; k < 3; ++k) at[k] = x[k][lane] + d[k][lane];
  bool found = false;
  contacts.visit_touching(static_cast<std::size_t>(place), at, [&](const Contact& contact) {
    double block[9];
    found = true;
    energy += contacts.add(contact, at, gradient);
    contacts.hessian(contact, at, block);
    for (int k = 0; k < 9; ++k) hessian[k] += block[k];
  });
  planes.energy[lane] = energy;
  for (int k = 0; k < 9; ++k) planes.hessian[k][lane] = hessian[k];
  for (int k = 0; k < 3; ++k) {
    planes.gradient[k][lane] = gradient[k];
    for (int l = 0; l < 3; ++l) planes.gradient[k][lane] -= hessian[3 * k + l] * d[l][lane];
  }
  return found;
}

/// The Newton step of every lane; zero if nothing resists.
void VertexBlockDescent::solve(const double (&floor)[lanes], const Local& local,
                               const Planes& planes, double (&d)[3][lanes]) const {
  double hessian[9][lanes], descent[3][lanes], size2[lanes] = {};
  for (int k = 0; k < 9; ++k) {
    for (int lane = 0; lane < lanes; ++lane) {
      hessian[k][lane] = local.rest.hessian[k][lane] + planes.hessian[k][lane] +
                         (k % 4 == 0 ? local.quadratic_stiffness[lane] : 0);
      size2[lane] += hessian[k][lane] * hessian[k][lane];
    }
  }
  for (int k = 0; k < 3; ++k) {
    for (int lane = 0; lane < lanes; ++lane) {
      descent[k][lane] = -(local.rest.gradient[k][lane] + planes.gradient[k][lane] +
                           local.quadratic_gradient[k][lane]);
    }
  }
  kernels_->solve_absolute(hessian, descent, floor, d);
  for (int lane = 0; lane < lanes; ++lane) {
    const bool resists = size2[lane] > floor[lane] * floor[lane];
    for (int k = 0; k < 3; ++k) d[k][lane] = resists ? d[k][lane] : 0;
  }
}

void VertexBlockDescent::solve_group(const Objective& objective, const VertexGroup& group) {
  Local local;
  Planes planes;
  double floor[lanes], own[3][lanes], d[3][lanes] = {};
  std::fill(floor, floor + lanes, 1.0);
  for (int lane = 0; lane < lanes; ++lane) {
    const int vertex = group.vertex[lane];
    for (int k = 0; k < 3; ++k) own[k][lane] = x_[static_cast<std::size_t>(vertex)][k];
    if (lane >= group.num_vertices) continue;
    add_smooth(objective, vertex, lane, local);
    add_kinked(objective, vertex, lane, local);
    find_planes(objective, vertex, lane, own, d, planes);
    local.rest.energy[lane] += planes.energy[lane];
    floor[lane] = floor_[static_cast<std::size_t>(vertex)];
    local.scale[lane] = scale_[static_cast<std::size_t>(vertex)];
  }
  for_segments(objective, group, own,
               [&](const PairWork& work) { kernels_->add_pairs(work, local.rest); });
  solve(floor, local, planes, d);

  bool accepted[lanes];
  for (int trial = 0; trial <= most_halvings; ++trial) {
    double to[3][lanes], energy[lanes];
    for (int k = 0; k < 3; ++k) {
      for (int lane = 0; lane < lanes; ++lane) to[k][lane] = own[k][lane] + d[k][lane];
    }
    energy_at(objective, group, to, energy);
    if (local.accept(d, energy, accepted) == lanes) break;
    // The first time: with the planes that the step has met.
    bool again[lanes] = {};
    for (int lane = 0; lane < group.num_vertices && trial == 0; ++lane) {
      again[lane] =
          !accepted[lane] && find_planes(objective, group.vertex[lane], lane, own, d, planes);
    }
    double other[3][lanes] = {};
    if (std::find(again, again + lanes, true) != again + lanes) solve(floor, local, planes, other);
    const double shrink = trial < most_halvings ? 0.5 : 0.0;
    for (int lane = 0; lane < lanes; ++lane) {
      for (int k = 0; k < 3 && !accepted[lane]; ++k) {
        d[k][lane] = again[lane] ? other[k][lane] : shrink * d[k][lane];
      }
    }
  }
  for (int lane = 0; lane < group.num_vertices; ++lane) {
    PaddedVector& to = x_[static_cast<std::size_t>(group.vertex[lane])];
    for (int k = 0; k < 3; ++k) {
      if (accepted[lane]) to[k] += d[k][lane];
    }
  }
}

bool VertexBlockDescent::compute(Objective& objective, const Iterate& at, VectorField& p) {
  x_ = at.x;
  list_contacts(objective);
  for (int colour = 0; colour < num_colours(); ++colour) {
    const int first = groups_.colour_start[static_cast<std::size_t>(colour)];
    const int last = groups_.colour_start[static_cast<std::size_t>(colour) + 1];
    find_points(objective);
    objective.threads().parallel_for(last - first, [&](int i) {
      const VertexGroup& group = groups_.groups[static_cast<std::size_t>(first + i)];
      if (!shares_points(group)) solve_group(objective, group);
    });
    // These are coupled: one after the other, in an order that does not depend on the threads.
    for (int i = first; i < last; ++i) {
      const VertexGroup& group = groups_.groups[static_cast<std::size_t>(i)];
      if (shares_points(group)) solve_group(objective, group);
    }
  }
  keep_means(objective);
  objective.algebra().difference(x_, at.x, p);
  return true;
}

/// Forces within a body do not move its mean. The mean of a body that nothing holds or touches
/// therefore belongs where that of y is, and a sweep leaves it a little off. Moving the whole body
/// there costs no elastic energy and lowers the inertial energy.
void VertexBlockDescent::keep_means(const Objective& objective) {
  if (!(objective.inverse_a2() > 0)) return;
  objective.find_held_bodies(is_held_);
  for (std::size_t body = 0; body < is_held_.size(); ++body) {
    if (is_held_[body] != 0) continue;
    const auto first = static_cast<std::size_t>(model_->body_vertices[body]);
    const auto last = static_cast<std::size_t>(model_->body_vertices[body + 1]);
    double mass = 0, way[3] = {};
    for (std::size_t i = first; i < last; ++i) {
      mass += model_->mass[i];
      for (int k = 0; k < 3; ++k) {
        way[k] += model_->mass[i] * (objective.inertial_target()[i][k] - x_[i][k]);
      }
    }
    for (std::size_t i = first; i < last; ++i) {
      for (int k = 0; k < 3 && model_->mass[i] > 0; ++k) x_[i][k] += way[k] / mass;
    }
  }
}

}  // namespace supple

#include "descent/vertex_block_descent.h"

#include <cmath>
#include <limits>

#include "descent/batch_gather.h"
#include "descent/coordinates.h"
#include "descent/corner_block.h"
#include "materials/fiber.h"
#include "math/svd.h"

namespace supple {

namespace {

constexpr int most_halvings = 10;

/// The gradients of corners 1 to 3 as rows.
Mat3<Batch8> inverse_rest(const PairBatch& batch) {
  Mat3<Batch8> m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = Batch8::load(batch.inverse_rest[i]);
  return m;
}

/// F with the first corner at `own`.
Mat3<Batch8> deformation_gradient(const PairBatch& batch, const Mat3<Batch8>& inverse_Dm,
                                  const VectorField& x, const Vector3<Batch8>& own) {
  Mat3<Batch8> Ds;
  for (int c = 0; c < 3; ++c) {
    Ds.set_column(c, detail::gather(x.data(), batch.vertex[c + 1]) - own);
  }
  return Ds * inverse_Dm;
}

template <class Family>
auto material_at(const Family& family, const PairRange& range, std::size_t b) {
  Batch8 parameters[Family::num_parameters > 0 ? Family::num_parameters : 1];
  for (std::size_t p = 0; p < Family::num_parameters; ++p) {
    parameters[p] = Batch8::load(&range.parameters[(b * Family::num_parameters + p) * lanes]);
  }
  return family.template at<Batch8>(parameters);
}

Fiber<Batch8> fiber_at(const PairRange& range, std::size_t b) {
  const double* f = &range.fibers[b * 4 * lanes];
  return {{{Batch8::load(f), Batch8::load(f + lanes), Batch8::load(f + 2 * lanes)}},
          Batch8::load(f + 3 * lanes)};
}

/// Energy of a segment's pairs, J.
template <bool has_fiber, class Family>
Batch8 pair_energy(const PairRange& range, const PairSegment& segment, const Family& family,
                   const VectorField& x, const Vector3<Batch8>& own) {
  Batch8 energy = 0.0;
  for (int i = 0; i < segment.num_batches; ++i) {
    const auto b = static_cast<std::size_t>(segment.first_batch + i);
    const PairBatch& batch = range.batches[b];
    const Mat3<Batch8> F = deformation_gradient(batch, inverse_rest(batch), x, own);
    Batch8 density = material_at(family, range, b).energy_density(F);
    if constexpr (has_fiber) density += fiber_at(range, b).energy_density(F);
    energy += Batch8::load(batch.volume) * density;
  }
  return energy;
}

/// Adds what a segment's pairs give their first corners: energy, J, gradient, N, and Hessian, N/m.
template <bool has_fiber, class Family>
void add_pairs(const PairRange& range, const PairSegment& segment, const Family& family,
               const VectorField& x, const Vector3<Batch8>& own, Batch8& energy,
               Vector3<Batch8>& gradient, Mat3<Batch8>& hessian) {
  for (int i = 0; i < segment.num_batches; ++i) {
    const auto b = static_cast<std::size_t>(segment.first_batch + i);
    const PairBatch& batch = range.batches[b];
    const Mat3<Batch8> inverse_Dm = inverse_rest(batch);
    const Mat3<Batch8> F = deformation_gradient(batch, inverse_Dm, x, own);
    const auto material = material_at(family, range, b);
    const Batch8 volume = Batch8::load(batch.volume);
    Vector3<Batch8> shape;
    for (int k = 0; k < 3; ++k) {
      shape[k] = Batch8(-1.0) * (inverse_Dm(0, k) + inverse_Dm(1, k) + inverse_Dm(2, k));
    }
    const Svd<Batch8> frame = svd(F);
    const Vector3<Batch8> q = transpose(frame.V) * shape;
    // P grad N = U diag(dPsi/ds) V^T grad N
    Vector3<Batch8> along = principal_stress(material, frame.s);
    for (int k = 0; k < 3; ++k) along[k] = along[k] * q[k];
    gradient = gradient + volume * (frame.U * along);
    const PrincipalHessian<Batch8> H = principal_hessian(material, frame.s, false);
    hessian = hessian + volume * detail::corner_block(H, frame.U, q);
    Batch8 density = material.energy_density(F);
    if constexpr (has_fiber) {
      const Fiber<Batch8> fiber = fiber_at(range, b);
      Mat3<Batch8> P;
      density += fiber.energy_and_stress(F, P);
      gradient = gradient + volume * (P * shape);
      const Batch8 share = dot(fiber.direction, shape);
      hessian = hessian + (volume * (share * share)) * fiber.hessian_block(F, false);
    }
    energy += volume * density;
  }
}

/// Calls work(range, segment, family, has_fiber as a constant) for the segments of a group.
template <class Work>
void for_segments(const Model& model, const VertexGroups& groups, const VertexGroup& group,
                  const Work& work) {
  for (int s = group.first_segment; s < group.first_segment + group.num_segments; ++s) {
    const PairSegment& segment = groups.segments[static_cast<std::size_t>(s)];
    const auto r = static_cast<std::size_t>(segment.range);
    std::visit(
        [&](const auto& family) {
          if (model.ranges[r].has_fiber) {
            work(groups.ranges[r], segment, family, std::true_type{});
          } else {
            work(groups.ranges[r], segment, family, std::false_type{});
          }
        },
        model.ranges[r].material);
  }
}

}  // namespace

/// What g is to the vertices of a group: its part that is quadratic (inertia, weight, pins) with
/// gradient and curvature, and the energy of the rest; both are in `gradient` and `hessian`.
struct VertexBlockDescent::Local {
  Vector3<Batch8> quadratic_gradient{{Batch8(0.0), Batch8(0.0), Batch8(0.0)}};
  Batch8 quadratic_stiffness = 0.0;
  Batch8 energy = 0.0;
  Vector3<Batch8> gradient{{Batch8(0.0), Batch8(0.0), Batch8(0.0)}};
  Mat3<Batch8> hessian = Mat3<Batch8>::zero();
};

VertexBlockDescent::VertexBlockDescent(const Model& model, double inverse_a2)
    : model_(&model),
      colouring_(colour_vertices(model)),
      groups_(model, colouring_),
      floor_(pivot_floor(model, inverse_a2)),
      scale_(floor_.size(), 0.0),
      first_pin_(floor_.size(), -1),
      next_pin_(model.pins.pins.size(), -1),
      first_contact_(floor_.size(), -1),
      x_(floor_.size()) {
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
  for (std::size_t i = model.pins.pins.size(); i-- > 0;) {
    int& first = first_pin_[static_cast<std::size_t>(model.pins.pins[i].vertex)];
    next_pin_[i] = first;
    first = static_cast<int>(i);
  }
}

void VertexBlockDescent::begin_step(Objective& objective) {
  if (objective.contact() == nullptr) return;
  next_contact_.reserve(objective.contact()->max_contacts());
  contact_block_.reserve(objective.contact()->max_contacts());
}

void VertexBlockDescent::find_contacts(const Objective& objective, const VectorField& x) {
  const ContactEnergy* contact = objective.contact();
  if (contact == nullptr) return;
  std::fill(first_contact_.begin(), first_contact_.end(), -1);
  next_contact_.clear();
  contact_block_.clear();
  // A vertex stands at x until its turn, so the blocks are those that it needs.
  contact->visit_hessian(x[0].v, [&](int vertex, const double* block) {
    int& first = first_contact_[static_cast<std::size_t>(vertex)];
    next_contact_.push_back(first);
    first = static_cast<int>(contact_block_.size());
    contact_block_.emplace_back();
    std::copy(block, block + 9, contact_block_.back().begin());
  });
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
    const double pull = model_->pins.pins[static_cast<std::size_t>(i)].stiffness;
    const Vec3& target = objective.pin_targets()[static_cast<std::size_t>(i)];
    stiffness += pull;
    for (int k = 0; k < 3; ++k) {
      gradient[k] += pull * (x_[v][k] - target[static_cast<std::size_t>(k)]);
    }
  }
  local.quadratic_stiffness.set(lane, stiffness);
  for (int k = 0; k < 3; ++k) local.quadratic_gradient[k].set(lane, gradient[k]);
}

/// Springs and contacts.
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
  }
  for (int i = first_contact_[v]; i >= 0; i = next_contact_[static_cast<std::size_t>(i)]) {
    const auto c = static_cast<std::size_t>(i);
    energy += objective.contact()->add(objective.contact()->contacts()[c], x_[v].v, gradient);
    for (std::size_t k = 0; k < 9; ++k) hessian[k] += contact_block_[c][k];
  }
  local.energy.set(lane, energy);
  for (int k = 0; k < 3; ++k) local.gradient[k].set(lane, gradient[k]);
  for (int k = 0; k < 9; ++k) local.hessian(k / 3, k % 3).set(lane, hessian[k]);
}

/// Energy of the springs and contacts of a vertex that stands at x, J.
double VertexBlockDescent::kinked_energy(const Objective& objective, int vertex,
                                         const double* x) const {
  const auto v = static_cast<std::size_t>(vertex);
  double energy = 0, unused[3] = {};
  const SpringSet& set = model_->springs;
  for (int i = set.empty() ? 0 : set.start[v]; !set.empty() && i < set.start[v + 1]; ++i) {
    const int entry = set.incident[static_cast<std::size_t>(i)];
    const double* other = x_[static_cast<std::size_t>(set.other_end(entry))].v;
    const bool is_a = entry % 2 == 0;
    energy += set.energy_and_force(static_cast<std::size_t>(entry / 2), is_a ? x : other,
                                   is_a ? other : x, unused);
  }
  for (int i = first_contact_[v]; i >= 0; i = next_contact_[static_cast<std::size_t>(i)]) {
    const auto c = static_cast<std::size_t>(i);
    energy += objective.contact()->add(objective.contact()->contacts()[c], x, unused);
  }
  return energy;
}

/// As Local::energy, with the group's vertices at x.
Batch8 VertexBlockDescent::energy_at(const Objective& objective, const VertexGroup& group,
                                     const Vector3<Batch8>& x) const {
  Batch8 energy = 0.0;
  if (!model_->springs.empty() || !contact_block_.empty()) {
    for (int lane = 0; lane < group.num_vertices; ++lane) {
      const double own[3] = {x[0][lane], x[1][lane], x[2][lane]};
      energy.set(lane, kinked_energy(objective, group.vertex[lane], own));
    }
  }
  for_segments(
      *model_, groups_, group,
      [&](const PairRange& range, const PairSegment& segment, const auto& family, auto has_fiber) {
        energy += pair_energy<has_fiber.value>(range, segment, family, x_, x);
      });
  return energy;
}

void VertexBlockDescent::solve_group(const Objective& objective, const VertexGroup& group) {
  Local local;
  Batch8 floor = 1.0, scale = 0.0;
  for (int lane = 0; lane < group.num_vertices; ++lane) {
    const int vertex = group.vertex[lane];
    add_smooth(objective, vertex, lane, local);
    add_kinked(objective, vertex, lane, local);
    floor.set(lane, floor_[static_cast<std::size_t>(vertex)]);
    scale.set(lane, scale_[static_cast<std::size_t>(vertex)]);
  }
  const Vector3<Batch8> own = detail::gather(x_.data(), group.vertex);
  for_segments(
      *model_, groups_, group,
      [&](const PairRange& range, const PairSegment& segment, const auto& family, auto has_fiber) {
        add_pairs<has_fiber.value>(range, segment, family, x_, own, local.energy, local.gradient,
                                   local.hessian);
      });
  const Vector3<Batch8> gradient = local.gradient + local.quadratic_gradient;
  for (int k = 0; k < 3; ++k) local.hessian(k, k) += local.quadratic_stiffness;
  Vector3<Batch8> d = detail::solve_absolute(local.hessian, Batch8(-1.0) * gradient, floor);

  // Energies that cancel at rest err by the rounding of what cancels.
  const Batch8 rounding =
      Batch8(4 * std::numeric_limits<double>::epsilon()) * (abs(local.energy) + scale);
  auto accepted = Batch8(1.0) < Batch8(0.0);
  for (int trial = 0; trial <= most_halvings; ++trial) {
    const Batch8 rise = dot(local.quadratic_gradient, d) +
                        Batch8(0.5) * local.quadratic_stiffness * dot(d, d) +
                        (energy_at(objective, group, own + d) - local.energy);
    accepted = rise <= rounding;
    if (count(accepted) == lanes) break;
    const Batch8 shrink = trial < most_halvings ? Batch8(0.5) : Batch8(0.0);
    const Batch8 factor = select(accepted, Batch8(1.0), shrink);
    for (int k = 0; k < 3; ++k) d[k] *= factor;
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
  find_contacts(objective, at.x);
  for (int colour = 0; colour < num_colours(); ++colour) {
    const int first = groups_.colour_start[static_cast<std::size_t>(colour)];
    const int last = groups_.colour_start[static_cast<std::size_t>(colour) + 1];
    objective.threads().parallel_for(last - first, [&](int i) {
      solve_group(objective, groups_.groups[static_cast<std::size_t>(first + i)]);
    });
  }
  objective.algebra().difference(x_, at.x, p);
  return true;
}

}  // namespace supple

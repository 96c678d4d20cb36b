#include "descent/projective_dynamics.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "descent/laplacian.h"
#include "elements/vertex_adjacency.h"
#include "materials/projection.h"
#include "model/range_fibers.h"
#include "supple/error.h"

namespace supple {

namespace {

/// Springs that one thread processes at a time.
constexpr std::size_t springs_per_chunk = 1024;

/// Whether elements of a material model can be projected.
template <class Family>
constexpr bool is_projective =
    Projective<decltype(std::declval<Family>().template at<double>(nullptr))>;

template <std::size_t i = 0>
std::string projective_names() {
  if constexpr (i == std::variant_size_v<MaterialModel>) {
    return {};
  } else {
    using Family = std::variant_alternative_t<i, MaterialModel>;
    const std::string rest = projective_names<i + 1>();
    if (!is_projective<Family>) return rest;
    return Family::name + (rest.empty() ? "" : ", " + rest);
  }
}

[[noreturn]] void refuse_material(const std::string& name) {
  throw Error(
      ErrorKind::invalid_input, "/solver/method",
      "projective_dynamics cannot run the material " + name +
          ", which is not a distance to a set; it runs " + projective_names() +
          ", woven_limit, fibers and springs. Others take for example quasi_newton or l_bfgs");
}

void check_material(const MaterialModel& material) {
  std::visit(
      [](const auto& family) {
        if (!is_projective<std::decay_t<decltype(family)>>) refuse_material(family.name);
      },
      material);
}

void check_materials(const Model& model) {
  for (const ElementRange& range : model.ranges) check_material(range.material);
  if (!model.membranes.hinges.empty()) {
    throw Error(ErrorKind::invalid_input, "/solver/method",
                "projective_dynamics cannot run dihedral bending, whose matrix is not constant; "
                "expected quadratic bending, or for example quasi_newton or l_bfgs");
  }
  for (const MembraneRange& range : model.membranes.ranges) {
    if (range.model.kind == SheetModel::Kind::orthotropic) {
      refuse_material(OrthotropicSheetModel::name);
    }
    if (range.model.kind == SheetModel::Kind::isotropic) check_material(range.model.isotropic);
  }
}

double dot3(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Calls visit(tet, range, batch of the range, lane) for each tet that has fibers.
template <class Visit>
void for_fibers(const Model& model, const Visit& visit) {
  for (const ElementRange& range : model.ranges) {
    for (int b = 0; range.num_fibers > 0 && b < range.num_batches; ++b) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const auto batch = static_cast<std::size_t>(range.first_batch + b);
        const int tet = model.tet_of_lane[batch * lanes + lane];
        if (tet >= 0) visit(tet, range, static_cast<std::size_t>(b), lane);
      }
    }
  }
}

/// For each tet, sum kappa (g_a . d)(g_b . d) over its fibers, for its corners a and b, row-major,
/// Pa/m^2: [num_tets].
std::vector<std::array<double, 16>> fiber_entries(const Model& model) {
  std::vector<std::array<double, 16>> entries(model.tets.size(), std::array<double, 16>{});
  for_fibers(model, [&](int tet, const ElementRange& range, std::size_t batch, std::size_t lane) {
    const auto t = static_cast<std::size_t>(tet);
    const std::array<Vec3, 4> gradient = model.shape_gradients(t);
    for (int k = 0; k < range.num_fibers; ++k) {
      const Fiber<double> fiber = fiber_of(range, batch, lane, k);
      const Vec3 direction{fiber.direction[0], fiber.direction[1], fiber.direction[2]};
      for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
          entries[t][4 * a + b] +=
              fiber.kappa * dot3(gradient[a], direction) * dot3(gradient[b], direction);
        }
      }
    }
  });
  return entries;
}

/// Lower triangle of M/a^2 + L without pins, in elimination order. The diagonal is 1 for vertices
/// that nothing acts on.
SpdSolver::Matrix global_matrix(const Model& model, double inverse_a2,
                                const std::vector<int>& order) {
  const int n = model.num_vertices;
  const double inverse_a = std::sqrt(inverse_a2);
  std::vector<int> place(order.size());
  for (int k = 0; k < n; ++k) {
    place[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = k;
  }
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(model.tets.size() * 10 + model.springs.size() + static_cast<std::size_t>(n));
  const auto add = [&](int a, int b, double value) {
    const int i = place[static_cast<std::size_t>(a)], j = place[static_cast<std::size_t>(b)];
    entries.emplace_back(std::max(i, j), std::min(i, j), value);
  };
  const std::vector<double> diagonal = laplacian_diagonal(model, inverse_a2, Pins::left_out);
  for (int i = 0; i < n; ++i) add(i, i, diagonal[static_cast<std::size_t>(i)]);
  const std::vector<std::array<double, 16>> fibers = fiber_entries(model);
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    const std::array<Vec3, 4> gradient = model.shape_gradients(t);
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        const Vec3 &ga = gradient[a], &gb = gradient[b];
        double value = fibers[t][4 * a + b];
        if (a != b) {  // the diagonal is done separately
          value += model.stiffness[t] * dot3(ga, gb);
          value +=
              model.damping_of(model.tets[t][0], inverse_a) * model.stiffness[t] * dot3(ga, gb);
        }
        add(model.tets[t][a], model.tets[t][b], model.volume[t] * value);
      }
    }
  }
  visit_laplacian_edges(model, inverse_a2, [&](int a, int b, double k) { add(a, b, -k); });
  SpdSolver::Matrix lower(n, n);
  lower.setFromTriplets(entries.begin(), entries.end());
  return lower;
}

/// Vertices without mass (they belong to no element) and without a pin of their own.
std::vector<bool> idle_vertices(const Model& model) {
  std::vector<bool> idle(static_cast<std::size_t>(model.num_vertices));
  for (std::size_t i = 0; i < idle.size(); ++i) idle[i] = model.mass[i] == 0;
  for (const PinnedVertex& pin : model.pins.pins) {
    if (pin.point < 0) idle[static_cast<std::size_t>(pin.vertex)] = false;
  }
  return idle;
}

PrefactoredSystem prefactored_system(const Model& model, double inverse_a2) {
  check_materials(model);
  std::vector<int> order = elimination_order(model);
  SpdSolver::Matrix lower = global_matrix(model, inverse_a2, order);
  return {model,           inverse_a2, std::move(order), lower, PrefactoredSystem::Coupling::none,
          Precision::full, "M/h^2 + L"};
}

}  // namespace

ProjectiveDynamics::ProjectiveDynamics(const Model& model, double inverse_a2)
    : model_(&model),
      inverse_a2_(inverse_a2),
      matrix_(prefactored_system(model, inverse_a2)),
      stiffness_(model.stiffness),
      kernels_(&element_kernels(simd_level_in_use())),
      is_idle_(idle_vertices(model)),
      slots_(static_cast<std::size_t>(model.num_slots)),
      spring_targets_(model.springs.size()),
      membranes_(model.membranes),
      right_(static_cast<std::size_t>(model.num_vertices)) {}

void ProjectiveDynamics::pins_changed(const PinChange& change) {
  std::vector<bool> idle = idle_vertices(change.model);
  matrix_.pins_changed(change.model, change.h);
  is_idle_ = std::move(idle);
}

void ProjectiveDynamics::materials_changed(const MaterialChange& change) {
  check_materials(change.model);
  slots_.resize(static_cast<std::size_t>(change.model.num_slots));
  has_its_stiffness_ = change.model.stiffness == stiffness_;
}

void ProjectiveDynamics::project_elements(const VectorField& x, Threads& threads) {
  threads.parallel_for(static_cast<int>(model_->blocks.size()), [&](int i) {
    const ElementBlock& block = model_->blocks[static_cast<std::size_t>(i)];
    kernels_->project(work_of_block(*model_, block, x, slots_));
  });
}

void ProjectiveDynamics::project_springs(const VectorField& x, Threads& threads) {
  const SpringSet& set = model_->springs;
  const std::size_t chunks = (set.size() + springs_per_chunk - 1) / springs_per_chunk;
  threads.parallel_for(static_cast<int>(chunks), [&](int chunk) {
    const std::size_t first = static_cast<std::size_t>(chunk) * springs_per_chunk;
    for (std::size_t s = first; s < std::min(first + springs_per_chunk, set.size()); ++s) {
      const SpringSet::Spring& spring = set.springs[s];
      double* target = spring_targets_[s].v;
      set.project(s, x[static_cast<std::size_t>(spring.a)].v,
                  x[static_cast<std::size_t>(spring.b)].v, target);
      for (int k = 0; k < 3; ++k) target[k] *= spring.stiffness;
    }
  });
}

/// For an energy whose matrix is L, the local step gives sum k V G p^T = L x - dE/dx, which is zero
/// for bending, as that is quadratic. Adds it to the negative right-hand side.
void ProjectiveDynamics::add_membrane_targets(const VectorField& x, Threads& threads) {
  const MembraneSet& set = model_->membranes;
  if (set.empty()) return;
  membranes_.evaluate(x, threads);
  for (std::size_t v = 0; v < right_.size(); ++v) {
    membranes_.add_gradient_of_vertex(static_cast<int>(v), right_[v]);
  }
  for (const MembraneSet::Edge& edge : set.edges) {
    const auto a = static_cast<std::size_t>(edge.a), b = static_cast<std::size_t>(edge.b);
    for (int k = 0; k < 3; ++k) {
      const double pull = edge.stiffness * (x[a][k] - x[b][k]);
      right_[a][k] -= pull;
      right_[b][k] += pull;
    }
  }
}

void ProjectiveDynamics::add_target_of_vertex(std::size_t vertex, PaddedVector& sum) const {
  for (int s = model_->slot_start[vertex]; s < model_->slot_start[vertex + 1]; ++s) {
    const auto slot = static_cast<std::size_t>(model_->slot_list[static_cast<std::size_t>(s)]);
    for (int k = 0; k < 3; ++k) sum[k] += slots_[slot][k];
  }
  const SpringSet& set = model_->springs;
  if (set.empty()) return;
  for (int i = set.start[vertex]; i < set.start[vertex + 1]; ++i) {
    const int entry = set.incident[static_cast<std::size_t>(i)];
    const double sign = entry % 2 == 0 ? 1.0 : -1.0;
    const PaddedVector& target = spring_targets_[static_cast<std::size_t>(entry / 2)];
    for (int k = 0; k < 3; ++k) sum[k] += sign * target[k];
  }
}

bool ProjectiveDynamics::compute(Objective& objective, const Iterate& at, VectorField& p) {
  // With damping, the local and global step together are still -A^-1 grad g.
  if (!is_exact() || model_->is_damped()) {
    matrix_.solve(at.gradient, p, objective.threads());
    return true;
  }
  project_elements(at.x, objective.threads());
  project_springs(at.x, objective.threads());

  // The matrix may have more inertia than the step (in the first step of BDF2). The excess holds
  // the iterate back, so that p stays -A^-1 grad g.
  const double beyond = inverse_a2_ - objective.inverse_a2();
  // Contacts add their gradient, so the negative right-hand side is computed.
  const VectorField& y = objective.inertial_target();
  const Vec3& weight = objective.weight();
  objective.algebra().for_chunks([&](int, int first, int last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      PaddedVector sum;
      for (int k = 0; k < 3; ++k) {
        sum[k] = model_->mass[i] *
                 (objective.inverse_a2() * y[i][k] + weight[static_cast<std::size_t>(k)]);
        sum[k] += model_->mass[i] * beyond * at.x[i][k];
        if (is_idle_[i]) sum[k] = at.x[i][k];
      }
      add_target_of_vertex(i, sum);
      for (int k = 0; k < 3; ++k) right_[i][k] = -sum[k];
    }
  });
  // A pinned point has k w x_a, to match k w w^T in the matrix.
  const std::vector<Vec3>& targets = objective.pin_targets();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const PinnedVertex& pin = model_->pins.pins[i];
    for (int k = 0; k < 3; ++k) {
      right_[static_cast<std::size_t>(pin.vertex)][k] -=
          pin.stiffness * targets[i][static_cast<std::size_t>(k)];
    }
  }
  // A bond of length r puts its points that far apart, in their current direction.
  for (std::size_t b = 0; b < model_->bonds.size(); ++b) {
    const PointBond& bond = model_->bonds.bonds[b];
    const double length = objective.bond_lengths()[b];
    if (length == 0) continue;
    const Vec3 d = bond.span(at.x), pull = model_->bonds.pull(b, length, at.x);
    for (std::size_t c = 0; c < static_cast<std::size_t>(bond.count); ++c) {
      PaddedVector& of_vertex = right_[static_cast<std::size_t>(bond.vertices[c])];
      for (int k = 0; k < 3; ++k) {
        const auto own = static_cast<std::size_t>(k);
        of_vertex[k] -= bond.weights[c] * (bond.stiffness * d[own] + pull[own]);
      }
    }
  }
  add_membrane_targets(at.x, objective.threads());
  if (has_contacts_) objective.contact()->add(at.x[0].v, right_[0].v);

  matrix_.solve(right_, p, objective.threads());
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (int c = 0; c < 3; ++c) p[i][c] -= at.x[i][c];
    p[i][3] = 0;
  }
  return true;
}

}  // namespace supple

#include "descent/sheet_normals.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.h"

namespace supple {

namespace {

/// e.
constexpr double tension_ahead = 0.05;

/// Mean of a^2 L_ii/m_i beyond which A is better alone.
constexpr double too_stiff = 6e3;

/// Springs, lanes, hinges or vertices that a thread works on at a time.
constexpr int items_per_chunk = 512;

template <class Work>
void in_chunks(Threads& threads, int count, const Work& work) {
  threads.parallel_for((count + items_per_chunk - 1) / items_per_chunk, [&](int chunk) {
    const int end = std::min((chunk + 1) * items_per_chunk, count);
    for (int i = chunk * items_per_chunk; i < end; ++i) work(i);
  });
}

double dot(const PaddedVector& a, const PaddedVector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// a . K b, K row-major.
double product(const PaddedVector& a, const double* K, const PaddedVector& b) {
  double sum = 0;
  for (int r = 0; r < 3; ++r) {
    sum += a[r] * (K[3 * r] * b[0] + K[3 * r + 1] * b[1] + K[3 * r + 2] * b[2]);
  }
  return sum;
}

/// Adds k d d^T/|d|^2.
void add_direction(const PaddedVector& a, const PaddedVector& b, double k, Eigen::Matrix3d& sum) {
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  if (!(square > 0)) return;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) sum(r, c) += k / square * d[r] * d[c];
  }
}

}  // namespace

SheetNormals::SheetNormals(const Model& model, double inverse_a2, std::unique_ptr<Direction> inner)
    : model_(&model),
      inverse_a2_(inverse_a2),
      direction_(std::move(inner)),
      inner_(direction_->constant_direction()),
      is_sheet_(at(model.num_vertices)),
      row_(at(model.num_vertices)),
      part_of_(at(model.num_vertices), -1),
      bonds_(at(model.num_vertices)),
      weight_(at(model.num_vertices)),
      normal_(at(model.num_vertices)),
      motion_(at(model.num_vertices)) {
  for (const SpringSet::Spring& spring : model.springs.springs) {
    is_sheet_[at(spring.a)] = is_sheet_[at(spring.b)] = 1;
  }
  for (int lane = 0; lane < model.membranes.num_lanes(); ++lane) {
    for (int k = 0; k < 3; ++k) is_sheet_[at(model.membranes.vertex(lane, k))] = 1;
  }
  for (const auto& tet : model.tets) {
    for (const int vertex : tet) is_sheet_[at(vertex)] = 0;
  }
  model.bonds.visit_edges([this](int a, int b, double k) {
    bonds_[at(a)] += k;
    bonds_[at(b)] += k;
  });
  const std::vector<double> diagonal = laplacian_diagonal(model, inverse_a2, Pins::left_out);
  const BodyMatrices& matrices = inner_->constant_matrix()->matrices();
  for (std::size_t part = 0; part < matrices.count(); ++part) {
    add_part(part, matrices[part], diagonal);
  }
  selected_.reserve(parts_.size());
  list_places();
}

void SheetNormals::add_part(std::size_t part, const PrefactoredSystem& system,
                            const std::vector<double>& diagonal) {
  const std::vector<int>& order = system.order();
  const auto is_sheet = [this](int vertex) { return is_sheet_[at(vertex)] != 0; };
  if (std::none_of(order.begin(), order.end(), is_sheet)) return;
  double stiffness = 0, inertia = 0;
  for (const int vertex : order) {
    if (!is_sheet(vertex)) continue;
    stiffness += diagonal[at(vertex)];
    inertia += model_->mass[at(vertex)] * inverse_a2_;
  }
  if (!(stiffness <= too_stiff * inertia)) return;
  Part& own = parts_.emplace_back();
  own.part = part;
  own.order = order;
  const auto [least, most] = std::minmax_element(order.begin(), order.end());
  const std::vector<int> springs = model_->springs.first_of_bodies(model_->body_vertices);
  own.first_spring = springs[at(model_->body_of(*least))];
  own.end_spring = springs[at(model_->body_of(*most) + 1)];
  own.lower = system.matrix().lower();
  own.solver = std::make_unique<FloatCholesky>(simd_level_in_use());
  own.solver->analyse(own.lower);
  const int n = static_cast<int>(order.size());
  for (int k = 0; k < n; ++k) {
    row_[at(order[at(k)])] = k;
    part_of_[at(order[at(k)])] = static_cast<int>(parts_.size()) - 1;
  }
  // Parents in the elimination tree come later than their children.
  const std::vector<int>& parent = system.matrix().pattern().tree;
  own.piece.resize(order.size());
  int num_pieces = 0;
  for (int k = n - 1; k >= 0; --k) {
    own.piece[at(k)] = parent[at(k)] < 0 ? num_pieces++ : own.piece[at(parent[at(k)])];
  }
  own.right.resize(order.size());
  own.weight.resize(at(num_pieces));
  own.force.resize(at(num_pieces));
  own.shift.resize(at(num_pieces));
}

/// The place of a product in S, or null.
double* SheetNormals::entry(int vertex, int other) {
  if (is_sheet_[at(vertex)] == 0 || is_sheet_[at(other)] == 0) return nullptr;
  if (part_of_[at(vertex)] < 0 || part_of_[at(vertex)] != part_of_[at(other)]) return nullptr;
  SpdSolver::Matrix& lower = parts_[at(part_of_[at(vertex)])].lower;
  const auto [column, row] = std::minmax(row_[at(vertex)], row_[at(other)]);
  const int* const first = lower.innerIndexPtr() + lower.outerIndexPtr()[column];
  const int* const last = lower.innerIndexPtr() + lower.outerIndexPtr()[column + 1];
  const int* const found = std::lower_bound(first, last, row);
  if (found == last || *found != row) return nullptr;
  return lower.valuePtr() + (found - lower.innerIndexPtr());
}

void SheetNormals::list_places() {
  places_.clear();
  const auto add_edge = [this](int a, int b) {
    places_.insert(places_.end(), {entry(a, a), entry(b, b), entry(a, b)});
  };
  for (const SpringSet::Spring& spring : model_->springs.springs) add_edge(spring.a, spring.b);
  const MembraneSet& set = model_->membranes;
  for (int lane = 0; lane < set.num_lanes(); ++lane) {
    for (int k = 0; k < blocks_of_triangle; ++k) {
      places_.push_back(set.is_triangle(lane) ? entry(set.vertex(lane, block_row[k]),
                                                      set.vertex(lane, block_column[k]))
                                              : nullptr);
    }
  }
  for (const Hinge& hinge : set.hinges) {
    for (int k = 0; k < blocks_of_hinge; ++k) {
      places_.push_back(entry(hinge.vertex[hinge_row[k]], hinge.vertex[hinge_column[k]]));
    }
  }
  for (const auto* const edges : {&set.edges, &set.bending_edges}) {
    for (const MembraneSet::Edge& edge : *edges) add_edge(edge.a, edge.b);
  }
  products_.resize(places_.size());
  triangles_.resize(at(set.num_lanes() * blocks_of_triangle) * 9);
  hinges_.resize(set.hinges.size() * blocks_of_hinge * 9);
}

void SheetNormals::find_normals(const Part& part, const VectorField& z, Threads& threads) {
  const SpringSet& springs = model_->springs;
  const MembraneSet& set = model_->membranes;
  in_chunks(threads, static_cast<int>(part.order.size()), [&](int row) {
    const auto i = at(part.order[at(row)]);
    if (is_sheet_[i] == 0) return;
    Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
    for (int e = springs.empty() ? 0 : springs.start[i];
         !springs.empty() && e < springs.start[i + 1]; ++e) {
      const int entry = springs.incident[at(e)];
      add_direction(z[i], z[at(springs.other_end(entry))], springs.springs[at(entry / 2)].stiffness,
                    sum);
    }
    for (int e = set.empty() ? 0 : set.corner_start[i]; !set.empty() && e < set.corner_start[i + 1];
         ++e) {
      const int lane = set.corners[at(e)] / 3, corner = set.corners[at(e)] % 3;
      for (int k = 1; k < 3; ++k) {
        add_direction(z[i], z[at(set.vertex(lane, (corner + k) % 3))], set.energy_scale(lane), sum);
      }
    }
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
    solver.computeDirect(sum);
    for (int k = 0; k < 3; ++k) normal_[i][k] = solver.eigenvectors()(k, 0);
  });
}

/// n . K n of springs, damped like their energy.
void SheetNormals::multiply_springs(const Part& part, const VectorField& z, Threads& threads) {
  const double inverse_a = std::sqrt(inverse_a2_);
  in_chunks(threads, part.end_spring - part.first_spring, [&](int k) {
    const auto s = at(part.first_spring + k);
    const SpringSet::Spring& spring = model_->springs.springs[s];
    double K[9];
    spring_hessian(spring, z[at(spring.a)].v, z[at(spring.b)].v, SpringHessian::clamp, K);
    for (int c = 0; c < 3; ++c) K[4 * c] += tension_ahead * spring.stiffness;
    const double damped = 1 + model_->damping_of(spring.a, inverse_a);
    const PaddedVector &a = normal_[at(spring.a)], &b = normal_[at(spring.b)];
    products_[3 * s] = damped * product(a, K, a);
    products_[3 * s + 1] = damped * product(b, K, b);
    products_[3 * s + 2] = -damped * product(a, K, b);
  });
}

/// The same of triangles and hinges, and what e L and the constant bending add.
void SheetNormals::multiply_membranes(const VectorField& z, Threads& threads) {
  const MembraneSet& set = model_->membranes;
  const double inverse_a = std::sqrt(inverse_a2_);
  double* products = products_.data() + 3 * model_->springs.size();
  membrane_hessians(set, z, NegativeEigenvalues::clamp, threads, triangles_.data());
  in_chunks(threads, set.num_lanes(), [&](int lane) {
    if (!set.is_triangle(lane)) return;
    const double damped = 1 + model_->damping_of(set.vertex(lane, 0), inverse_a);
    for (int k = 0; k < blocks_of_triangle; ++k) {
      const std::size_t own = at(lane * blocks_of_triangle + k);
      products[own] =
          damped * product(normal_[at(set.vertex(lane, block_row[k]))], &triangles_[9 * own],
                           normal_[at(set.vertex(lane, block_column[k]))]);
    }
  });
  products += set.num_lanes() * blocks_of_triangle;
  hinge_hessians(set, z, NegativeEigenvalues::clamp, threads, hinges_.data());
  in_chunks(threads, static_cast<int>(set.hinges.size()) * blocks_of_hinge, [&](int own) {
    const Hinge& hinge = set.hinges[at(own / blocks_of_hinge)];
    products[own] =
        product(normal_[at(hinge.vertex[hinge_row[own % blocks_of_hinge]])], &hinges_[at(own) * 9],
                normal_[at(hinge.vertex[hinge_column[own % blocks_of_hinge]])]);
  });
  products += set.hinges.size() * blocks_of_hinge;
  for (const auto& [edges, factor] :
       {std::pair(&set.edges, tension_ahead), std::pair(&set.bending_edges, 1.0)}) {
    for (const MembraneSet::Edge& edge : *edges) {
      const double k = factor * edge.stiffness;
      *products++ = k;
      *products++ = k;
      *products++ = -k * dot(normal_[at(edge.a)], normal_[at(edge.b)]);
    }
  }
}

void SheetNormals::add_products(std::size_t first, std::size_t end) {
  for (std::size_t k = first; k < end; ++k) {
    if (places_[k] != nullptr) *places_[k] += products_[k];
  }
}

void SheetNormals::prepare(const Objective& objective, const VectorField& z) {
  Threads& threads = objective.threads();
  for (std::size_t i = 0; i < weight_.size(); ++i) weight_[i] = model_->mass[i] * inverse_a2_;
  for (const PinnedVertex& pin : model_->pins.pins) weight_[at(pin.vertex)] += pin.stiffness;
  for (const std::size_t own : selected_) {
    Part& part = parts_[own];
    if (!part.is_on) continue;
    find_normals(part, z, threads);
    multiply_springs(part, z, threads);
    std::fill_n(part.lower.valuePtr(), part.lower.nonZeros(), 0.0);
    for (const int vertex : part.order) {
      *(part.lower.valuePtr() + part.lower.outerIndexPtr()[row_[at(vertex)]]) =
          is_sheet_[at(vertex)] != 0 ? weight_[at(vertex)] + bonds_[at(vertex)] : 1;
    }
    add_products(3 * at(part.first_spring), 3 * at(part.end_spring));
    std::fill(part.weight.begin(), part.weight.end(), 0.0);
    for (std::size_t k = 0; k < part.order.size(); ++k) {
      part.weight[at(part.piece[k])] += weight_[at(part.order[k])];
    }
  }
  // Scenes with membranes are minimised as a whole.
  if (!model_->membranes.empty()) {
    multiply_membranes(z, threads);
    add_products(3 * model_->springs.size(), products_.size());
  }
  for (const std::size_t own : selected_) {
    Part& part = parts_[own];
    part.is_on = part.is_on && part.solver->factor(part.lower, threads);
  }
}

void SheetNormals::begin_step(Objective& objective) {
  inner_->begin_step(objective);
  selected_.clear();
  const BodyMatrices& matrices = inner_->constant_matrix()->matrices();
  matrices.for_parts(objective.selected(), [&](std::size_t part) {
    for (std::size_t own = 0; own < parts_.size(); ++own) {
      if (parts_[own].part == part) selected_.push_back(own);
    }
  });
  for (const std::size_t own : selected_) {
    parts_[own].is_on = true;
    for (const int vertex : parts_[own].order) motion_[at(vertex)] = {};
  }
  is_first_ = true;
}

void SheetNormals::turn_off_what_touches(const ContactEnergy& contact) {
  for (const Contact& own : contact.touching()) {
    for (int i = 0; i < own.point.count; ++i) {
      const int part = part_of_[at(own.point.vertices[i])];
      if (part >= 0) parts_[at(part)].is_on = false;
    }
  }
}

/// Whether S was part of the last direction.
bool SheetNormals::turn_off() {
  bool was_on = false;
  for (const std::size_t own : selected_) {
    Part& part = parts_[own];
    if (!std::exchange(part.is_on, false)) continue;
    was_on = true;
    for (const int vertex : part.order) motion_[at(vertex)] = {};
  }
  return was_on;
}

bool SheetNormals::compute(Objective& objective, const Iterate& at, VectorField& p) {
  if (!compute_unfinished(objective, at, p)) return false;
  objective.algebra().for_chunks(
      [&](int /*chunk*/, int first, int last) { finish(first, last, p); });
  if (objective.contact() != nullptr) respect_contacts(objective, at, p);
  return true;
}

bool SheetNormals::compute_unfinished(Objective& objective, const Iterate& at, VectorField& p) {
  if (!inner_->compute_unfinished(objective, at, p)) return false;
  if (std::exchange(is_first_, false)) {
    if (objective.contact() != nullptr) turn_off_what_touches(*objective.contact());
    const auto is_on = [this](std::size_t own) { return parts_[own].is_on; };
    if (std::any_of(selected_.begin(), selected_.end(), is_on)) prepare(objective, at.x);
  }
  for (const std::size_t own : selected_) {
    if (parts_[own].is_on) solve(parts_[own], at.gradient, objective.threads());
  }
  return true;
}

ConstantDirection::Respect SheetNormals::respect_contacts(Objective& objective, const Iterate& at,
                                                          VectorField& p) {
  const Respect respect = inner_->respect_contacts(objective, at, p);
  if (respect == Respect::as_it_was) return respect;
  return turn_off() ? Respect::new_matrix : respect;
}

bool SheetNormals::restart() { return inner_->restart() || turn_off(); }

void SheetNormals::materials_changed(const MaterialChange& change) {
  inner_->materials_changed(change);
  if (!change.same_places) list_places();
}

void SheetNormals::solve(Part& part, const VectorField& gradient, Threads& threads) {
  std::fill(part.force.begin(), part.force.end(), PaddedVector{});
  std::fill(part.shift.begin(), part.shift.end(), PaddedVector{});
  const std::size_t n = part.order.size();
  for (std::size_t k = 0; k < n; ++k) {
    const auto vertex = at(part.order[k]);
    for (int c = 0; c < 3; ++c) part.force[at(part.piece[k])][c] += gradient[vertex][c];
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto vertex = at(part.order[k]);
    const auto piece = at(part.piece[k]);
    const double share = part.weight[piece] > 0 ? weight_[vertex] / part.weight[piece] : 0;
    part.right[k] =
        dot(normal_[vertex], gradient[vertex]) - share * dot(normal_[vertex], part.force[piece]);
  }
  part.solver->solve(part.right.data(), part.right.data(), threads);
  for (std::size_t k = 0; k < n; ++k) {
    const auto vertex = at(part.order[k]);
    const auto piece = at(part.piece[k]);
    if (!(part.weight[piece] > 0)) continue;
    const double share = weight_[vertex] / part.weight[piece] * part.right[k];
    for (int c = 0; c < 3; ++c) part.shift[piece][c] += share * normal_[vertex][c];
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto vertex = at(part.order[k]);
    const PaddedVector& shift = part.shift[at(part.piece[k])];
    for (int c = 0; c < 3; ++c) {
      motion_[vertex][c] = part.right[k] * normal_[vertex][c] - shift[c];
    }
  }
}

void SheetNormals::finish(int first, int last, VectorField& p) const {
  inner_->finish(first, last, p);
  for (auto i = at(first); i < at(last); ++i) {
    for (int c = 0; c < 3; ++c) p[i][c] -= motion_[i][c];
  }
}

}  // namespace supple

#include "descent/laplacian.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/index.h"
#include "elements/vertex_adjacency.h"
#include "linear/supernodes.h"
#include "supple/error.h"

namespace supple {

namespace {

/// sum k d d^T over the fibers with a curve, Pa: [num_tets], or empty if there are none. Fibers
/// with kappa are not in L [thesis sec. 8.3].
std::vector<Mat3<double>> curve_stiffness(const Model& model) {
  std::vector<Mat3<double>> sums;
  for (const ElementRange& range : model.ranges) {
    for (std::size_t k = 0; k < range.curve_stiffness.size(); ++k) {
      if (range.curves[k] == nullptr) continue;
      sums.resize(model.tets.size(), Mat3<double>::zero());
      // Muscles at rest have directions of length one.
      const std::vector<double>& fibers =
          range.resting_fibers.empty() ? range.fibers : range.resting_fibers;
      for (std::size_t lane = 0; lane < at(range.num_batches) * lanes; ++lane) {
        const int tet = model.tet_of_lane[at(range.first_batch) * lanes + lane];
        if (tet < 0) continue;
        const double* const d =
            &fibers[(lane / lanes * at(range.num_fibers) + k) * 4 * lanes + lane % lanes];
        for (int i = 0; i < 9; ++i) {
          sums[at(tet)](i / 3, i % 3) +=
              range.curve_stiffness[k] * d[i / 3 * lanes] * d[i % 3 * lanes];
        }
      }
    }
  }
  return sums;
}

/// Entries of L for pairs of corners of tets.
class TetEntries {
 public:
  TetEntries(const Model& model, double inverse_a)
      : model_(model), inverse_a_(inverse_a), fibers_(curve_stiffness(model)) {}

  /// (1 + tau/a) k_j V_j g_a . g_b for two corners of tet t [thesis eq. 8.4], plus
  /// V_j k (g_a . d)(g_b . d) for its fibers.
  double operator()(std::size_t t, const Vec3& ga, const Vec3& gb) const {
    const double k = model_.stiffness[t] +
                     model_.stiffness[t] * model_.damping_of(model_.tets[t][0], inverse_a_);
    const double own = k * model_.volume[t] * (ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2]);
    if (fibers_.empty()) return own;
    const Vector3<double> pull = fibers_[t] * Vector3<double>{{gb[0], gb[1], gb[2]}};
    return own + model_.volume[t] * (ga[0] * pull[0] + ga[1] * pull[1] + ga[2] * pull[2]);
  }

 private:
  const Model& model_;
  double inverse_a_;
  std::vector<Mat3<double>> fibers_;
};

}  // namespace

std::vector<double> own_diagonal(const Model& model, double inverse_a2) {
  std::vector<double> diagonal = laplacian_diagonal(model, inverse_a2, Pins::left_out);
  model.bonds.visit_edges([&](int a, int b, double k) {
    diagonal[at(a)] -= k;
    diagonal[at(b)] -= k;
  });
  // A vertex of a rigid body moves all of it.
  for (int b = 0; b < model.num_bodies(); ++b) {
    if (!model.is_rigid_body(b)) continue;
    const int first = model.body_vertices[at(b)], last = model.body_vertices[at(b) + 1];
    const double mass = std::accumulate(model.mass.begin() + first, model.mass.begin() + last, 0.0);
    std::fill(diagonal.begin() + first, diagonal.begin() + last, mass * inverse_a2);
  }
  return diagonal;
}

std::vector<double> laplacian_diagonal(const Model& model, double inverse_a2, Pins pins) {
  std::vector<double> diagonal(static_cast<std::size_t>(model.num_vertices));
  for (std::size_t i = 0; i < diagonal.size(); ++i) diagonal[i] = model.mass[i] * inverse_a2;
  const TetEntries entry(model, std::sqrt(inverse_a2));
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    const std::array<Vec3, 4> g = model.shape_gradients(t);
    for (std::size_t a = 0; a < 4; ++a) {
      diagonal[static_cast<std::size_t>(model.tets[t][a])] += entry(t, g[a], g[a]);
    }
  }
  visit_laplacian_edges(model, inverse_a2, [&](int a, int b, double k) {
    diagonal[static_cast<std::size_t>(a)] += k;
    diagonal[static_cast<std::size_t>(b)] += k;
  });
  if (pins == Pins::in_the_matrix) {
    for (const PinnedVertex& pin : model.pins.pins) {
      diagonal[static_cast<std::size_t>(pin.vertex)] += pin.stiffness;
    }
  }
  for (double& d : diagonal) {
    if (d == 0) d = 1;  // a vertex without tets: its gradient is zero, so it stays
  }
  return diagonal;
}

namespace {

/// Turns k diag(w), which is there already, into k w w^T, if elements join the corners.
void make_exact(const PinSet& pins, const PinnedPoint& point, const std::vector<int>& place,
                SpdSolver::Matrix& lower) {
  const auto entry = [&](int i, int j) -> double* {
    const auto [column, row] = std::minmax(place[at(pins.pins[at(point.first + i)].vertex)],
                                           place[at(pins.pins[at(point.first + j)].vertex)]);
    const int* const start = lower.innerIndexPtr() + lower.outerIndexPtr()[column];
    const int* const end = lower.innerIndexPtr() + lower.outerIndexPtr()[column + 1];
    const int* const found = std::lower_bound(start, end, row);
    if (found == end || *found != row) return nullptr;
    return lower.valuePtr() + (found - lower.innerIndexPtr());
  };
  for (int i = 0; i < point.count; ++i) {
    for (int j = 0; j < i; ++j) {
      double* const between = entry(i, j);
      if (between == nullptr) continue;
      // w_i - sum_j w_i w_j = w_i^2.
      const double value = point.stiffness * point.weights[at(i)] * point.weights[at(j)];
      *between += value;
      *entry(i, i) -= value;
      *entry(j, j) -= value;
    }
  }
}

}  // namespace

namespace {

/// The entries of M/a^2 + L in the rows of the vertices that are `wanted`, those of some bodies:
/// [num_vertices].
template <class Wanted>
SpdSolver::Matrix lower_where(const Model& model, double inverse_a2, const std::vector<int>& place,
                              const std::vector<double>& diagonal, const Wanted& wanted) {
  const int n = model.num_vertices;
  const TetEntries entry(model, std::sqrt(inverse_a2));
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(model.tets.size() * 6 + model.springs.size() + model.membranes.edges.size() +
                  model.rods.edges.size() + at(n));
  for (int i = 0; i < n; ++i) {
    if (wanted(i)) entries.emplace_back(place[at(i)], place[at(i)], diagonal[at(i)]);
  }
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    if (!wanted(model.tets[t][0]) || model.is_rigid_vertex(model.tets[t][0])) continue;
    const std::array<Vec3, 4> g = model.shape_gradients(t);
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const int i = place[at(model.tets[t][a])], j = place[at(model.tets[t][b])];
        entries.emplace_back(std::max(i, j), std::min(i, j), entry(t, g[a], g[b]));
      }
    }
  }
  visit_laplacian_edges(model, inverse_a2, [&](int a, int b, double k) {
    const int i = place[at(a)], j = place[at(b)];
    if (model.is_rigid_vertex(a) || model.is_rigid_vertex(b)) return;
    if (wanted(a)) entries.emplace_back(std::max(i, j), std::min(i, j), -k);
  });
  SpdSolver::Matrix lower(n, n);
  lower.setFromTriplets(entries.begin(), entries.end());
  return lower;
}

}  // namespace

SpdSolver::Matrix laplacian_lower(const Model& model, double inverse_a2,
                                  const std::vector<int>& order, Pins pins) {
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[at(order[k])] = static_cast<int>(k);
  SpdSolver::Matrix lower =
      lower_where(model, inverse_a2, place, laplacian_diagonal(model, inverse_a2, pins),
                  [](int) { return true; });
  if (pins == Pins::in_the_matrix) {
    for (const PinnedPoint& point : model.pins.points) make_exact(model.pins, point, place, lower);
  }
  return lower;
}

/// Without pins, and without the bodies that are taken over.
SpdSolver::Matrix Laplacian::lower_of(const Model& model, double inverse_a2,
                                      const Earlier<Laplacian>& earlier) {
  const std::vector<int> order = elimination_order(model);
  std::vector<char> is_new(order.size());
  for (std::size_t b = 0; b < at(model.num_bodies()); ++b) {
    std::fill(is_new.begin() + model.body_vertices[b], is_new.begin() + model.body_vertices[b + 1],
              earlier.of(b) < 0 ? 1 : 0);
  }
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[at(order[k])] = static_cast<int>(k);
  return lower_where(model, inverse_a2, place,
                     laplacian_diagonal(model, inverse_a2, Pins::left_out),
                     [&](int vertex) { return is_new[at(vertex)] != 0; });
}

Error not_positive_definite(const std::string& matrix) {
  return {ErrorKind::invalid_input, "solver",
          "the matrix " + matrix +
              " is not positive definite: masses, stiffnesses or the time "
              "step are beyond the range of double precision"};
}

/// `origin` of the bodies that bonds couple neither there nor here: [num_bodies].
std::vector<int> Laplacian::taken_over(const Model& model, const Earlier<Laplacian>& earlier) {
  std::vector<int> origin;
  const std::vector<char> is_bound = bound_bodies(model);
  for (std::size_t b = 0; b < is_bound.size(); ++b) {
    const int own = earlier.of(b);
    const bool is_same = own >= 0 && is_bound[b] == 0 && earlier.made->is_bound_[at(own)] == 0;
    origin.push_back(is_same ? own : -1);
  }
  return origin;
}

Laplacian::Laplacian(const Model& model, double inverse_a2, Precision precision, Weights weights,
                     const Earlier<Laplacian>& earlier)
    : Laplacian(model, inverse_a2, precision, weights, earlier.made, taken_over(model, earlier)) {}

Laplacian::Laplacian(const Model& model, double inverse_a2, Precision precision, Weights weights,
                     const Laplacian* earlier, const std::vector<int>& origin)
    : is_bound_(bound_bodies(model)),
      matrix_(model, inverse_a2, elimination_order(model),
              lower_of(model, inverse_a2, {earlier, origin}), precision, "M/h^2 + L",
              {earlier != nullptr ? &earlier->matrix_ : nullptr, origin}),
      rigid_(model, inverse_a2, matrix_) {
  // Weights would follow the strains of rigid bodies, too.
  const bool follow = weights == Weights::following && model.is_rigid.empty();
  if (follow && model.num_tets > 0) weights_.emplace(model);
}

void Laplacian::begin_step(Objective& objective) {
  matrix_.begin_step(objective.selected());
  rigid_.begin_step(objective);
  patches_.begin_step();
  if (weights_) weights_->begin_step(objective, matrix_);
}

Compliance& Laplacian::compliance() {
  if (!compliance_) compliance_ = std::make_unique<Compliance>(matrix_);
  return *compliance_;
}

bool Laplacian::compute(Objective& objective, const Iterate& at, VectorField& p) {
  if (weights_) weights_->count(objective);
  matrix_.solve(objective.selected(), at.gradient, p, objective.threads());
  rigid_.add(objective.selected(), at.gradient, p);
  return true;
}

bool Laplacian::compute_half_way(Objective& objective, const Iterate& at, HalfWay& half_way,
                                 const PaddedVector& taken, VectorField& p) {
  if (weights_) weights_->count(objective);
  const std::size_t part = matrix_.part_of_body(objective.selected().front());
  matrix_[part].begin_solve(at.gradient, p, half_way, taken, objective.threads());
  return true;
}

bool Laplacian::compute_unfinished(Objective& objective, const Iterate& at, VectorField& p) {
  if (!rigid_.empty()) return compute(objective, at, p);
  if (weights_) weights_->count(objective);
  matrix_.begin_solve(objective.selected(), at.gradient, p, objective.threads());
  return true;
}

}  // namespace supple

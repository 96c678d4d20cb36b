#include "descent/laplacian.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/index.h"
#include "linear/supernodes.h"
#include "supple/error.h"

namespace supple {

namespace {

/// (1 + tau/a) k_j V_j g_a . g_b for corners a, b of tet t [thesis eq. 8.4].
double laplacian_entry(const Model& model, double inverse_a, std::size_t t, std::size_t a,
                       std::size_t b) {
  const Vec3& ga = model.shape_gradient[t][a];
  const Vec3& gb = model.shape_gradient[t][b];
  const double k =
      model.stiffness[t] + model.stiffness[t] * model.damping_of(model.tets[t][0], inverse_a);
  return k * model.volume[t] * (ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2]);
}

}  // namespace

Adjacency vertex_adjacency(const Model& model) {
  std::vector<std::pair<int, int>> edges;
  edges.reserve(model.tets.size() * 12 + model.springs.size() * 2 +
                model.membranes.edges.size() * 2);
  for (const auto& tet : model.tets) {
    for (int a : tet) {
      for (int b : tet) {
        if (a != b) edges.emplace_back(a, b);
      }
    }
  }
  for (const SpringSet::Spring& spring : model.springs.springs) {
    edges.emplace_back(spring.a, spring.b);
    edges.emplace_back(spring.b, spring.a);
  }
  for (const MembraneSet::Edge& edge : model.membranes.edges) {
    edges.emplace_back(edge.a, edge.b);
    edges.emplace_back(edge.b, edge.a);
  }
  for (const PressureSet::Edge& edge : model.pressures.edges) {
    edges.emplace_back(edge.a, edge.b);
    edges.emplace_back(edge.b, edge.a);
  }
  // Row by row: rows are short, and sorted much sooner than all edges together.
  Adjacency adjacency;
  std::vector<int>& start = adjacency.start;
  start.assign(at(model.num_vertices) + 1, 0);
  for (const auto& [a, b] : edges) ++start[at(a) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<int> rows(edges.size()), end = start;
  for (const auto& [a, b] : edges) rows[at(end[at(a)]++)] = b;
  int first = 0;
  for (std::size_t v = 0; v + 1 < start.size(); ++v) {
    const auto begin = rows.begin() + std::exchange(first, start[v + 1]);
    std::sort(begin, rows.begin() + first);
    const auto last = std::unique(begin, rows.begin() + first);
    start[v] = static_cast<int>(adjacency.neighbour.size());
    adjacency.neighbour.insert(adjacency.neighbour.end(), begin, last);
  }
  start.back() = static_cast<int>(adjacency.neighbour.size());
  return adjacency;
}

std::vector<int> elimination_order(const Model& model) {
  if (!model.in_elimination_order) return fill_reducing_order(vertex_adjacency(model));
  std::vector<int> order(static_cast<std::size_t>(model.num_vertices));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<int> elimination_order(const Model& model, const Adjacency& adjacency) {
  return model.in_elimination_order ? elimination_order(model) : fill_reducing_order(adjacency);
}

std::vector<double> laplacian_diagonal(const Model& model, double inverse_a2, Pins pins) {
  std::vector<double> diagonal(static_cast<std::size_t>(model.num_vertices));
  for (std::size_t i = 0; i < diagonal.size(); ++i) diagonal[i] = model.mass[i] * inverse_a2;
  const double inverse_a = std::sqrt(inverse_a2);
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    for (std::size_t a = 0; a < 4; ++a) {
      diagonal[static_cast<std::size_t>(model.tets[t][a])] +=
          laplacian_entry(model, inverse_a, t, a, a);
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
    if (d == 0) d = 1;  // a vertex of no tet: its gradient is zero and it stays
  }
  return diagonal;
}

namespace {

/// From k diag(w), which is there, to k w w^T, where elements join the corners.
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

SpdSolver::Matrix laplacian_lower(const Model& model, double inverse_a2,
                                  const std::vector<int>& order, Pins pins) {
  const int n = model.num_vertices;
  const double inverse_a = std::sqrt(inverse_a2);
  std::vector<int> place(order.size());
  for (int k = 0; k < n; ++k) {
    place[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = k;
  }
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(model.tets.size() * 6 + model.springs.size() + model.membranes.edges.size() +
                  static_cast<std::size_t>(n));
  const std::vector<double> diagonal = laplacian_diagonal(model, inverse_a2, pins);
  for (int i = 0; i < n; ++i) {
    const int k = place[static_cast<std::size_t>(i)];
    entries.emplace_back(k, k, diagonal[static_cast<std::size_t>(i)]);
  }
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const int i = place[static_cast<std::size_t>(model.tets[t][a])];
        const int j = place[static_cast<std::size_t>(model.tets[t][b])];
        entries.emplace_back(std::max(i, j), std::min(i, j),
                             laplacian_entry(model, inverse_a, t, a, b));
      }
    }
  }
  visit_laplacian_edges(model, inverse_a2, [&](int a, int b, double k) {
    const int i = place[static_cast<std::size_t>(a)], j = place[static_cast<std::size_t>(b)];
    entries.emplace_back(std::max(i, j), std::min(i, j), -k);
  });
  SpdSolver::Matrix lower(n, n);
  lower.setFromTriplets(entries.begin(), entries.end());
  if (pins == Pins::in_the_matrix) {
    for (const PinnedPoint& point : model.pins.points) make_exact(model.pins, point, place, lower);
  }
  return lower;
}

Error not_positive_definite(const std::string& matrix) {
  return {ErrorKind::invalid_input, "solver",
          "the matrix " + matrix +
              " is not positive definite: masses, stiffnesses or the time "
              "step are out of what double precision can hold"};
}

Laplacian::Laplacian(const Model& model, double inverse_a2, Precision precision, Weights weights)
    : matrix_([&] {
        std::vector<int> order = elimination_order(model);
        SpdSolver::Matrix lower = laplacian_lower(model, inverse_a2, order, Pins::left_out);
        return PinnedMatrix(model, inverse_a2, std::move(order), lower,
                            PinnedMatrix::Coupling::none, precision, "M/h^2 + L");
      }()),
      num_vertices_(static_cast<std::size_t>(model.num_vertices)) {
  if (weights == Weights::following && model.num_tets > 0) weights_.emplace(model);
}

void Laplacian::begin_step(Objective& objective) {
  matrix_.begin_step();
  if (weights_) weights_->begin_step(objective, matrix_);
}

Compliance& Laplacian::compliance() {
  if (!compliance_) compliance_ = std::make_unique<Compliance>(matrix_, num_vertices_);
  return *compliance_;
}

bool Laplacian::compute(Objective& objective, const Iterate& at, VectorField& p) {
  if (weights_) weights_->count(objective);
  matrix_.solve(at.gradient, p, objective.threads());
  return true;
}

bool Laplacian::compute_unfinished(Objective& objective, const Iterate& at, VectorField& p) {
  if (weights_) weights_->count(objective);
  matrix_.begin_solve(at.gradient, p, objective.threads());
  return true;
}

}  // namespace supple

#include "elements/fiber_field.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "base/refuse.h"
#include "linear/spd_solver.h"
#include "math/vec3.h"
#include "model/element_layout.h"
#include "model/material_assignment.h"
#include "model/pin_selection.h"

namespace supple {

namespace {

using vec3::dot;
/// As a fraction of the steepest slope: a smaller slope is rounding and has no direction.
constexpr double least_slope = 1e-9;

using Corners = std::array<Vec3, 4>;

Corners corners_of(const TetMesh& mesh, std::size_t tet) {
  Corners corners;
  for (std::size_t c = 0; c < 4; ++c) corners[c] = mesh.vertices[at(mesh.tets[tet][c])];
  return corners;
}

/// u at the vertices. fixed: 0 or 1 where u is given, else -1.
class LaplaceField {
 public:
  LaplaceField(const TetMesh& mesh, std::vector<int> fixed)
      : mesh_(&mesh), volumes_(tet_volumes(mesh)), u_(fixed.size()), row_(fixed.size(), -1) {
    std::vector<std::pair<int, int>> edges;
    for (const auto& tet : mesh.tets) {
      for (const int a : tet) {
        for (const int b : tet) {
          if (a != b && fixed[at(a)] < 0 && fixed[at(b)] < 0) edges.emplace_back(a, b);
        }
      }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    Adjacency adjacency;
    adjacency.start.assign(fixed.size() + 1, 0);
    for (const auto& [a, b] : edges) {
      ++adjacency.start[at(a) + 1];
      adjacency.neighbour.push_back(b);
    }
    for (std::size_t i = 1; i < adjacency.start.size(); ++i) {
      adjacency.start[i] += adjacency.start[i - 1];
    }
    // Vertices with a given u keep rows of their own, coupled to nothing.
    const std::vector<int> order = fill_reducing_order(adjacency);
    for (std::size_t k = 0; k < order.size(); ++k) row_[at(order[k])] = static_cast<int>(k);
    for (std::size_t i = 0; i < u_.size(); ++i) u_[i] = std::max(fixed[i], 0);
    fixed_ = std::move(fixed);
  }

  /// Returns false if a part of the mesh has no vertex with a given u.
  bool solve(Threads& threads) {
    const auto n = static_cast<Eigen::Index>(u_.size());
    std::vector<Eigen::Triplet<double>> entries;
    std::vector<double> right(u_.size(), 0.0);
    std::vector<char> is_used(u_.size(), 0);
    for (std::size_t t = 0; t < mesh_->tets.size(); ++t) {
      const auto& tet = mesh_->tets[t];
      const std::array<Vec3, 4> g = shape_gradients(corners_of(*mesh_, t));
      const double volume = volumes_[t];
      for (std::size_t a = 0; a < 4; ++a) {
        const auto i = at(tet[a]);
        if (fixed_[i] >= 0) continue;
        is_used[i] = 1;
        for (std::size_t b = 0; b < 4; ++b) {
          const auto j = at(tet[b]);
          const double k = volume * dot(g[a], g[b]);
          if (fixed_[j] >= 0) {
            right[at(row_[i])] -= k * fixed_[j];
          } else if (row_[i] >= row_[j]) {
            entries.emplace_back(row_[i], row_[j], k);
          }
        }
      }
    }
    for (std::size_t i = 0; i < u_.size(); ++i) {
      if (is_used[i] != 0) continue;
      entries.emplace_back(row_[i], row_[i], 1.0);
      right[at(row_[i])] = u_[i];
    }
    SpdSolver::Matrix lower(n, n);
    lower.setFromTriplets(entries.begin(), entries.end());
    const std::unique_ptr<SpdSolver> solver = make_supernodal_cholesky(Precision::full);
    solver->analyse(lower);
    if (!solver->factor(lower, threads)) return false;
    solver->solve(right.data(), right.data(), threads);
    for (std::size_t i = 0; i < u_.size(); ++i) u_[i] = right[at(row_[i])];
    return true;
  }

  Vec3 gradient(std::size_t tet) const {
    const std::array<Vec3, 4> g = shape_gradients(corners_of(*mesh_, tet));
    Vec3 sum{0, 0, 0};
    for (std::size_t c = 0; c < 4; ++c) {
      for (std::size_t k = 0; k < 3; ++k) sum[k] += u_[at(mesh_->tets[tet][c])] * g[c][k];
    }
    return sum;
  }

 private:
  const TetMesh* mesh_;
  std::vector<double> volumes_;  ///< [num_tets], m^3
  std::vector<double> u_;        ///< [num_vertices]
  std::vector<int> row_;         ///< [num_vertices]
  std::vector<int> fixed_;       ///< [num_vertices]
};

}  // namespace

std::vector<Vec3> laplace_directions(const TetMesh& original, const LaplaceFibers& fibers,
                                     const std::string& where, Threads& threads) {
  TetMesh mesh = original;
  normalise(mesh, where);
  std::vector<int> fixed(mesh.vertices.size(), -1);
  for (const int vertex : selected_vertices(fibers.from, mesh.vertices, where + "/from")) {
    fixed[at(vertex)] = 0;
  }
  for (const int vertex : selected_vertices(fibers.to, mesh.vertices, where + "/to")) {
    require(fixed[at(vertex)] != 0, where + "/to",
            "selects vertex " + std::to_string(vertex) + ", which `from` selects, too");
    fixed[at(vertex)] = 1;
  }
  LaplaceField field(mesh, std::move(fixed));
  require(field.solve(threads), where, "a part of the body has vertices of neither set");
  std::vector<Vec3> directions;
  double steepest = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    directions.push_back(field.gradient(t));
    steepest = std::max(steepest, std::sqrt(dot(directions[t], directions[t])));
  }
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const double slope = std::sqrt(dot(directions[t], directions[t]));
    require(slope > least_slope * steepest, where,
            "no path from one set to the other leads through tet " + std::to_string(t));
    for (double& x : directions[t]) x /= slope;
  }
  return directions;
}

Scene with_fiber_directions(Scene scene, Threads& threads) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    Body& body = scene.bodies[b];
    for (std::size_t k = 0; k < body.fibers.size(); ++k) {
      FiberSettings& fiber = body.fibers[k];
      if (!fiber.laplace || body.mesh.tets.empty()) continue;
      fiber.directions = laplace_directions(
          body.mesh, *fiber.laplace,
          place_of_fiber(body, "/bodies/" + std::to_string(b), k) + "/laplace", threads);
    }
  }
  return scene;
}

}  // namespace supple

// A lattice made as bad as Macklin & Mueller's crazy cube, and a measure of how bad a mesh is.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "math/vec3.h"
#include "studies/reproduce/macklin2021/bodies.h"

namespace supple::reproduce::macklin2021 {

namespace {

using vec3::cross;
using vec3::dot;
Vec3 minus(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

double length(const Vec3& a) { return std::sqrt(dot(a, a)); }

using Corners = std::array<Vec3, 4>;

struct TetQuality {
  double smallest_angle = 180;  ///< degrees
  double edge_ratio = 1;
  double determinant = 0;  ///< six times the volume
};

TetQuality quality_of(const Corners& x) {
  TetQuality quality;
  double shortest = 1e300, longest = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = i + 1; j < 4; ++j) {
      const double edge = length(minus(x[j], x[i]));
      shortest = std::min(shortest, edge);
      longest = std::max(longest, edge);
    }
    // The three face angles at corner i.
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t k = j + 1; k < 4; ++k) {
        if (i == j || i == k) continue;
        const Vec3 a = minus(x[j], x[i]), b = minus(x[k], x[i]);
        const double angle = std::atan2(length(cross(a, b)), dot(a, b)) * 180 / std::numbers::pi;
        quality.smallest_angle = std::min(quality.smallest_angle, angle);
      }
    }
  }
  quality.edge_ratio = longest / shortest;
  quality.determinant = dot(minus(x[1], x[0]), cross(minus(x[2], x[0]), minus(x[3], x[0])));
  return quality;
}

Corners corners_of(const TetMesh& mesh, const std::array<int, 4>& tet) {
  Corners corners;
  for (std::size_t i = 0; i < 4; ++i) corners[i] = mesh.vertices[static_cast<std::size_t>(tet[i])];
  return corners;
}

/// Uniform in [0, 1), the same everywhere (std::uniform_real_distribution is not).
double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// Moves vertices of a mesh at random within the limits of crazy_cube.
class Wanderers {
 public:
  explicit Wanderers(TetMesh& mesh) : mesh_(mesh), tets_of_(mesh.vertices.size()) {
    double sum = 0;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
      for (const int v : mesh.tets[t]) tets_of_[static_cast<std::size_t>(v)].push_back(t);
      sum += quality_of(corners_of(mesh, mesh.tets[t])).determinant;
    }
    smallest_determinant_ = 1e-3 * sum / static_cast<double>(mesh.tets.size());
    const Box box = bounding_box(mesh.vertices);
    for (const Vec3& X : mesh.vertices) {
      std::array<bool, 3> held;
      for (std::size_t k = 0; k < 3; ++k) held[k] = X[k] == box.min[k] || X[k] == box.max[k];
      held_.push_back(held);
    }
  }

  /// Moves a vertex towards a random corner of one of its tets, by up to 99 % of the way, or away
  /// from it.
  void move(std::size_t vertex, std::mt19937_64& random) {
    const auto& tets = tets_of_[vertex];
    const auto& tet = mesh_.tets[tets[random() % tets.size()]];
    const auto other = static_cast<std::size_t>(tet[random() % 4]);
    const double share = 1.29 * uniform(random) - 0.3;
    Vec3& x = mesh_.vertices[vertex];
    const Vec3 before = x;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!held_[vertex][k]) x[k] += share * (mesh_.vertices[other][k] - x[k]);
    }
    const bool good = std::all_of(tets.begin(), tets.end(), [&](std::size_t t) {
      const TetQuality quality = quality_of(corners_of(mesh_, mesh_.tets[t]));
      return quality.determinant > smallest_determinant_ && quality.edge_ratio <= 67 &&
             quality.smallest_angle >= 0.2;
    });
    if (!good) x = before;
  }

 private:
  TetMesh& mesh_;
  std::vector<std::vector<std::size_t>> tets_of_;  ///< [num_vertices]
  std::vector<std::array<bool, 3>> held_;  ///< [num_vertices] fixed coordinates: on the surface
  double smallest_determinant_ = 0;        ///< m^3
};

}  // namespace

MeshQuality quality(const TetMesh& mesh) {
  MeshQuality worst{.smallest_angle = 180, .largest_edge_ratio = 1, .inverted = 0};
  for (const auto& tet : mesh.tets) {
    const TetQuality one = quality_of(corners_of(mesh, tet));
    worst.smallest_angle = std::min(worst.smallest_angle, one.smallest_angle);
    worst.largest_edge_ratio = std::max(worst.largest_edge_ratio, one.edge_ratio);
    if (!(one.determinant > 0)) ++worst.inverted;
  }
  return worst;
}

TetMesh crazy_cube(int cells) {
  TetMesh mesh = generate(BoxGenerator{.size = {1, 1, 1}, .cells = {cells, cells, cells}});
  std::mt19937_64 random(67);
  Wanderers wanderers(mesh);
  constexpr int rounds = 40;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) wanderers.move(v, random);
  }
  return mesh;
}

}  // namespace supple::reproduce::macklin2021

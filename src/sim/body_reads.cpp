#include "sim/body_reads.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/index.h"
#include "base/refuse.h"

namespace supple {

namespace {

/// The vertices of a body, the same in the scene and the model: first, count.
std::pair<int, int> vertices_of(const Model& model, int body) {
  const int first = model.body_vertices[at(body)];
  return {first, model.body_vertices[at(body) + 1] - first};
}

void check_room(std::size_t size, int count, int stride) {
  require(stride >= 3, "stride",
          "expected a number of values from 3, is " + std::to_string(stride));
  const std::size_t most = at(count) * at(stride);
  const std::size_t least = count > 0 ? most - at(stride) + 3 : 0;
  if (size >= least && size <= most) return;
  refuse("out", "expected room for " + std::to_string(least) +
                    (least < most ? " to " + std::to_string(most) : "") + " numbers (" +
                    std::to_string(count) + " vertices, " + std::to_string(stride) +
                    " apart), there is for " + std::to_string(size));
}

}  // namespace

template <class Number>
void read_body(const VectorField& field, const Model& model, const Numbering& numbering, int body,
               std::span<Number> out, int stride) {
  const auto [first, count] = vertices_of(model, body);
  check_room(out.size(), count, stride);
  for (int i = 0; i < count; ++i) {
    const PaddedVector& from = field[at(numbering.to_model(first + i))];
    Number* const to = out.data() + at(i) * at(stride);
    for (int k = 0; k < 3; ++k) to[k] = static_cast<Number>(from[k]);
  }
}

template <class Number>
void read_normals(const VectorField& x, const Model& model, const Numbering& numbering,
                  const SceneSurface& surface, int body, std::span<Number> out, int stride) {
  const auto [first, count] = vertices_of(model, body);
  check_room(out.size(), count, stride);
  const auto normal = [&, begin = first](int vertex) {
    return out.data() + at(vertex - begin) * at(stride);
  };
  for (int i = 0; i < count; ++i) std::fill_n(normal(first + i), 3, Number{0});
  // Products of edges can leave the range of floats when normals do not.
  const Box box = bounds_of(x, model, body);
  double size = 0;
  for (std::size_t k = 0; k < 3; ++k) size = std::max(size, box.max[k] - box.min[k]);
  const double scale = size > 0 ? 1 / size : 1;
  for (int t = surface.body_triangles[at(body)]; t < surface.body_triangles[at(body) + 1]; ++t) {
    const auto& corners = surface.triangles[at(t)];
    double edge[2][3];
    for (int e = 0; e < 2; ++e) {
      for (int k = 0; k < 3; ++k) {
        edge[e][k] = scale * (x[at(numbering.to_model(corners[at(e) + 1]))][k] -
                              x[at(numbering.to_model(corners[0]))][k]);
      }
    }
    for (const int vertex : corners) {
      for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        normal(vertex)[k] += static_cast<Number>(edge[0][l] * edge[1][m] - edge[0][m] * edge[1][l]);
      }
    }
  }
  for (int i = 0; i < count; ++i) {
    Number* const n = normal(first + i);
    const double length = std::hypot(n[0], n[1], n[2]);
    for (int k = 0; k < 3 && length > 0; ++k) n[k] = static_cast<Number>(n[k] / length);
  }
}

Box bounds_of(const VectorField& x, const Model& model, int body) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Box box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  const auto [first, count] = vertices_of(model, body);
  for (int i = first; i < first + count; ++i) {
    for (int k = 0; k < 3; ++k) {
      box.min[at(k)] = std::min(box.min[at(k)], x[at(i)][k]);
      box.max[at(k)] = std::max(box.max[at(k)], x[at(i)][k]);
    }
  }
  return box;
}

template void read_body(const VectorField&, const Model&, const Numbering&, int, std::span<double>,
                        int);
template void read_body(const VectorField&, const Model&, const Numbering&, int, std::span<float>,
                        int);
template void read_normals(const VectorField&, const Model&, const Numbering&, const SceneSurface&,
                           int, std::span<double>, int);
template void read_normals(const VectorField&, const Model&, const Numbering&, const SceneSurface&,
                           int, std::span<float>, int);

}  // namespace supple

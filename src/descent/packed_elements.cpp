#include "descent/packed_elements.h"

#include <algorithm>
#include <cmath>

namespace supple {

namespace {

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// a - s b
Vec3 less(const Vec3& a, double s, const Vec3& b) {
  return {a[0] - s * b[0], a[1] - s * b[1], a[2] - s * b[2]};
}

Vec3 scaled(const Vec3& a, double s) { return {s * a[0], s * a[1], s * a[2]}; }

/// Whether each parameter is the same in all lanes of all batches.
bool is_uniform(const ElementRange& range) {
  const auto row = static_cast<std::size_t>(range.num_parameters) * lanes;
  for (std::size_t i = 0; i < range.parameters.size(); ++i) {
    if (range.parameters[i] != range.parameters[i % row / lanes * lanes]) return false;
  }
  return true;
}

RestFrame frame_of(const ElementBatch& batch, int lane) {
  Vec3 g[3];
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) g[r][c] = batch.inverse_rest[3 * r + c][lane];
  }
  return rest_frame(g[0], g[1], g[2]);
}

}  // namespace

/// Gram and Schmidt's way through the rows, each against the axes there are already.
RestFrame rest_frame(const Vec3& g1, const Vec3& g2, const Vec3& g3) {
  const double t11 = std::sqrt(dot(g1, g1));
  const Vec3 q1 = scaled(g1, 1 / t11);
  const double t21 = dot(g2, q1);
  Vec3 q2 = less(g2, t21, q1);
  // Of nearly parallel rows the difference is no longer at a right angle.
  q2 = less(q2, dot(q2, q1), q1);
  const double t22 = std::sqrt(dot(q2, q2));
  q2 = scaled(q2, 1 / t22);
  const Vec3 q3 = {q1[1] * q2[2] - q1[2] * q2[1], q1[2] * q2[0] - q1[0] * q2[2],
                   q1[0] * q2[1] - q1[1] * q2[0]};
  RestFrame frame{.T = {t11, t21, t22, dot(g3, q1), dot(g3, q2), dot(g3, q3)}, .Q = {}};
  for (std::size_t k = 0; k < 3; ++k) {
    frame.Q[k][0] = q1[k];
    frame.Q[k][1] = q2[k];
    frame.Q[k][2] = q3[k];
  }
  return frame;
}

PackedElements::PackedElements(const Model& model)
    : batches(model.batches.size()),
      ranges(model.ranges.size()),
      vertex_of_slot(static_cast<std::size_t>(model.num_slots)) {
  for (int vertex = 0; vertex < model.num_vertices; ++vertex) {
    const auto v = static_cast<std::size_t>(vertex);
    for (int s = model.slot_start[v]; s < model.slot_start[v + 1]; ++s) {
      const int slot = model.slot_list[static_cast<std::size_t>(s)];
      vertex_of_slot[static_cast<std::size_t>(slot)] = vertex;
    }
  }
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const ElementRange& from = model.ranges[r];
    Range& to = ranges[r];
    const auto row = static_cast<std::size_t>(from.num_parameters) * lanes;
    const bool uniform = is_uniform(from);
    to.parameters.assign(from.parameters.begin(),
                         uniform ? from.parameters.begin() + static_cast<std::ptrdiff_t>(row)
                                 : from.parameters.end());
    to.parameter_stride = uniform ? 0 : static_cast<int>(row);
    to.fibers = from.fibers;
    for (int b = 0; b < from.num_batches; ++b) {
      const auto at = static_cast<std::size_t>(from.first_batch + b);
      const ElementBatch& source = model.batches[at];
      PackedBatch& batch = batches[at];
      for (int lane = 0; lane < lanes; ++lane) {
        const RestFrame frame = frame_of(source, lane);
        for (int i = 0; i < 6; ++i) batch.rest[i][lane] = frame.T[i];
        batch.volume[lane] = source.volume[lane];
        for (int c = 0; c < 4; ++c) {
          batch.slot[c][lane] = {static_cast<std::uint16_t>(4 * source.slot[c][lane])};
        }
        if (!from.has_fiber) continue;
        const double* d = &from.fibers[static_cast<std::size_t>(b * 4 * lanes + lane)];
        double* turned = &to.fibers[static_cast<std::size_t>(b * 4 * lanes + lane)];
        for (int k = 0; k < 3; ++k) {
          turned[k * lanes] =
              frame.Q[0][k] * d[0] + frame.Q[1][k] * d[lanes] + frame.Q[2][k] * d[2 * lanes];
        }
      }
    }
  }
}

}  // namespace supple

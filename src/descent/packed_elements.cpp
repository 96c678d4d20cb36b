#include "descent/packed_elements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "mesh/face_pairs.h"

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

/// Packs the tets of one block.
class BlockPacker {
 public:
  BlockPacker(const Model& model, const ElementBlock& block)
      : model_(model), range_(model.ranges[at(block.range)]) {
    // In a block of the model neighbouring tets stand in one lane, batch after batch.
    for (int lane = 0; lane < lanes; ++lane) {
      for (int b = block.first_batch; b < block.first_batch + block.num_batches; ++b) {
        const int tet = model.tet_of_lane[at(b) * lanes + at(lane)];
        if (tet < 0) continue;
        const ElementBatch& batch = model.batches[at(b)];
        tets_.push_back({tet, b - range_.first_batch, lane});
        slots_.push_back(
            {batch.slot[0][lane], batch.slot[1][lane], batch.slot[2][lane], batch.slot[3][lane]});
      }
    }
  }

  /// Here, too, neighbours stand in one lane: the pairs of a PackedPair share few vertices, and
  /// their forces do not wait for each other in the slots.
  void append_to(std::vector<PackedPair>& pairs, PackedElements::Range& range) const {
    const std::vector<std::pair<int, int>> two_by_two = pair_by_faces(slots_);
    const int count = static_cast<int>(two_by_two.size());
    const int rows = (count + lanes - 1) / lanes;
    for (int row = 0; row < rows; ++row) {
      pairs.emplace_back();
      // Eight numbers for each parameter of the one tets and as many for the other ones.
      double* const parameters = grown(range.parameters, 2 * at(range_.num_parameters) * lanes);
      double* const fibers = grown(range.fibers, range_.has_fiber ? 2 * 4 * lanes : 0);
      for (int lane = 0; lane < lanes; ++lane) {
        const int index = lane * rows + row;
        const auto [own, other] = two_by_two[at(std::min(index, count - 1))];
        const Corners corners = corners_of(own, other);
        for (std::size_t c = 0; c < 5; ++c) {
          pairs.back().slot[c][lane] = {static_cast<std::uint16_t>(4 * corners[c])};
        }
        for (int side = 0; side < 2; ++side) {
          // A tet that is missing is one without a volume.
          const bool missing = index >= count || (side == 1 && other < 0);
          const int tet = side == 1 && other >= 0 ? other : own;
          const RestFrame frame = frame_of(tet, corners, side);
          for (int i = 0; i < 6; ++i) pairs.back().rest[side][i][lane] = frame.T[i];
          pairs.back().volume[side][lane] = missing ? 0 : model_.volume[at(tets_[at(tet)].number)];
          copy_parameters(tet, parameters + side * range_.num_parameters * lanes + lane);
          if (range_.has_fiber) turn_fiber(tet, frame, fibers + side * 4 * lanes + lane);
        }
      }
    }
  }

 private:
  using Corners = std::array<int, 5>;

  struct Tet {
    int number;  ///< in the scene
    int batch;   ///< of the range
    int lane;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  static double* grown(std::vector<double>& values, std::size_t by) {
    values.resize(values.size() + by);
    return values.data() + (values.size() - by);
  }

  /// The slots of the face's corners, of the one's own and of the other's own; without another one
  /// (or where both have the same corners) the last two are the same.
  Corners corners_of(int own, int other) const {
    const std::array<int, 4>& a = slots_[at(own)];
    const std::array<int, 4>& b = slots_[at(std::max(other, 0))];
    const auto lone = [&](const std::array<int, 4>& tet, const std::array<int, 4>& from) {
      const auto found = std::find_if(tet.begin(), tet.end(), [&](int slot) {
        return std::find(from.begin(), from.end(), slot) == from.end();
      });
      return found == tet.end() ? a[3] : *found;
    };
    const int last = other < 0 ? a[3] : lone(a, b);
    Corners corners{0, 0, 0, last, other < 0 ? last : lone(b, a)};
    std::copy_if(a.begin(), a.end(), corners.begin(), [&](int slot) { return slot != last; });
    return corners;
  }

  RestFrame frame_of(int tet, const Corners& corners, int side) const {
    const std::array<int, 4>& slots = slots_[at(tet)];
    const auto gradient = [&](int slot) {
      const auto corner = std::find(slots.begin(), slots.end(), slot) - slots.begin();
      return model_.shape_gradient[at(tets_[at(tet)].number)][static_cast<std::size_t>(corner)];
    };
    return rest_frame(gradient(corners[1]), gradient(corners[2]), gradient(corners[at(3 + side)]));
  }

  void copy_parameters(int tet, double* to) const {
    const Tet& from = tets_[at(tet)];
    for (int p = 0; p < range_.num_parameters; ++p) {
      to[p * lanes] =
          range_.parameters[at((from.batch * range_.num_parameters + p) * lanes) + at(from.lane)];
    }
  }

  void turn_fiber(int tet, const RestFrame& frame, double* to) const {
    const Tet& from = tets_[at(tet)];
    const double* d = &range_.fibers[at(from.batch) * 4 * lanes + at(from.lane)];
    for (int k = 0; k < 3; ++k) {
      to[k * lanes] =
          frame.Q[0][k] * d[0] + frame.Q[1][k] * d[lanes] + frame.Q[2][k] * d[2 * lanes];
    }
    to[3 * lanes] = d[3 * lanes];
  }

  const Model& model_;
  const ElementRange& range_;
  std::vector<Tet> tets_;
  std::vector<std::array<int, 4>> slots_;  ///< of the tets' corners
};

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
    : ranges(model.ranges.size()), vertex_of_slot(static_cast<std::size_t>(model.num_slots)) {
  for (int vertex = 0; vertex < model.num_vertices; ++vertex) {
    const auto v = static_cast<std::size_t>(vertex);
    for (int s = model.slot_start[v]; s < model.slot_start[v + 1]; ++s) {
      const int slot = model.slot_list[static_cast<std::size_t>(s)];
      vertex_of_slot[static_cast<std::size_t>(slot)] = vertex;
    }
  }
  pairs.reserve(model.batches.size() / 2 + 2 * model.blocks.size());
  for (const ElementBlock& block : model.blocks) {
    Range& range = ranges[static_cast<std::size_t>(block.range)];
    const int first = static_cast<int>(pairs.size());
    if (block.first_batch == model.ranges[static_cast<std::size_t>(block.range)].first_batch) {
      range.first_pair = first;
    }
    block_start.push_back(first);
    BlockPacker(model, block).append_to(pairs, range);
  }
  block_start.push_back(static_cast<int>(pairs.size()));
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const int row = model.ranges[r].num_parameters * lanes;
    const bool uniform = is_uniform(model.ranges[r]);
    if (uniform) ranges[r].parameters.resize(static_cast<std::size_t>(row));
    ranges[r].parameter_stride = uniform ? 0 : row;
  }
}

}  // namespace supple

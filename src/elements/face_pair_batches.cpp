#include "elements/face_pair_batches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "math/mat3.h"
#include "math/vec3.h"
#include "mesh/face_pairs.h"

namespace supple {

namespace {

using vec3::dot;
/// a - s b
Vec3 less(const Vec3& a, double s, const Vec3& b) {
  return {a[0] - s * b[0], a[1] - s * b[1], a[2] - s * b[2]};
}

Vec3 scaled(const Vec3& a, double s) { return {s * a[0], s * a[1], s * a[2]}; }

/// Turns the fibers of a tet into the frame of its face. Both arrays have eight lanes.
void turn(int num_fibers, const double* d, const RestFace& face, double* to) {
  for (int family = 0; family < num_fibers; ++family, d += 4 * lanes, to += 4 * lanes) {
    for (int k = 0; k < 3; ++k) {
      to[k * lanes] = face.Q[0][k] * d[0] + face.Q[1][k] * d[lanes] + face.Q[2][k] * d[2 * lanes];
    }
    to[3 * lanes] = d[3 * lanes];
  }
}

/// Packs the tets of one block.
class BlockPacker {
 public:
  BlockPacker(const Model& model, const ElementBlock& block, bool keeps_parameters)
      : model_(model), range_(model.ranges[at(block.range)]), keeps_parameters_(keeps_parameters) {
    // In a block of the model neighbouring tets are in the same lane, batch after batch.
    for (int lane = 0; lane < lanes; ++lane) {
      for (int b = block.first_batch; b < block.first_batch + block.num_batches; ++b) {
        const int tet = model.tet_of_lane[at(b) * lanes + at(lane)];
        if (tet < 0) continue;
        tets_.push_back({tet, b - range_.first_batch, lane});
        std::array<int, 4>& slots = slots_.emplace_back();
        for (std::size_t c = 0; c < 4; ++c) slots[c] = model.slot_in(block, model.tets[at(tet)][c]);
      }
    }
  }

  /// Here, too, neighbours are in the same lane: the pairs of a FacePairBatch share few vertices,
  /// and their forces need not wait for each other in the slots.
  void append_to(std::vector<FacePairBatch>& pairs, FacePairBatches::Range& range) const {
    const std::vector<std::pair<int, int>> two_by_two =
        range_.changes_rest ? each_alone() : pair_by_faces(slots_);
    const int count = static_cast<int>(two_by_two.size());
    const int rows = (count + lanes - 1) / lanes;
    for (int row = 0; row < rows; ++row) {
      FacePairBatch& packed = pairs.emplace_back();
      // Eight numbers for each parameter of the first tets, and as many for the second ones.
      double* const parameters =
          grown(range.parameters, keeps_parameters_ ? 2 * at(range_.num_parameters) * lanes : 0);
      double* const fibers = grown(range.fibers, 2 * num_fiber_values());
      for (int lane = 0; lane < lanes; ++lane) {
        const int index = lane * rows + row;
        const auto [own, other] = two_by_two[at(std::min(index, count - 1))];
        const Corners corners = corners_of(own, other);
        const RestFace face = face_of(own, corners);
        for (std::size_t c = 0; c < 5; ++c) {
          packed.slot[c][lane] = {static_cast<std::uint16_t>(4 * corners[c])};
        }
        for (int i = 0; i < 3; ++i) packed.face[i][lane] = face.T[i];
        for (int side = 0; side < 2; ++side) {
          // A missing tet is stored with volume zero.
          const bool missing = index >= count || (side == 1 && other < 0);
          const int tet = side == 1 && other >= 0 ? other : own;
          const auto apex = rest_apex(face, edge(tet, corners[0], corners[at(3 + side)]),
                                      determinant(tet, corners, side));
          for (std::size_t i = 0; i < 3; ++i) packed.apex[side][i][lane] = apex[i];
          packed.volume[side][lane] = missing ? 0 : model_.volume[at(tets_[at(tet)].number)];
          if (keeps_parameters_) {
            copy_parameters(tet, parameters + side * range_.num_parameters * lanes + lane);
          }
          turn_fibers(tet, face, fibers + at(side) * num_fiber_values() + lane);
        }
      }
      for (int lane = 0; lane < lanes && range_.changes_rest; ++lane) {
        const Tet& tet = tets_[at(two_by_two[at(std::min(lane * rows + row, count - 1))].first)];
        range.place.push_back((range_.first_batch + tet.batch) * lanes + tet.lane);
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

  std::vector<std::pair<int, int>> each_alone() const {
    std::vector<std::pair<int, int>> alone;
    for (int t = 0; t < static_cast<int>(tets_.size()); ++t) alone.emplace_back(t, -1);
    return alone;
  }

  static double* grown(std::vector<double>& values, std::size_t by) {
    values.resize(values.size() + by);
    return values.data() + (values.size() - by);
  }

  /// The slots of the face's corners, of `own`'s lone corner and of `other`'s. Without another tet
  /// (or if both have the same corners) the last two are the same.
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

  /// The edge from one corner of a tet to another at rest, m.
  Vec3 edge(int tet, int from, int to) const {
    const std::array<int, 4>& slots = slots_[at(tet)];
    const auto position = [&](int slot) -> const Vec3& {
      const auto corner = std::find(slots.begin(), slots.end(), slot) - slots.begin();
      return model_
          .rest[at(model_.tets[at(tets_[at(tet)].number)][static_cast<std::size_t>(corner)])];
    };
    return less(position(to), 1, position(from));
  }

  /// det Dm with the corners in this order, m^3. In a tet's own order it is positive.
  double determinant(int tet, const Corners& corners, int side) const {
    const std::array<int, 4>& slots = slots_[at(tet)];
    const std::array<int, 4> order = {corners[0], corners[1], corners[2], corners[at(3 + side)]};
    std::array<std::ptrdiff_t, 4> place{};
    for (std::size_t c = 0; c < 4; ++c) {
      place[c] = std::find(slots.begin(), slots.end(), order[c]) - slots.begin();
    }
    bool is_even = true;
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = a + 1; b < 4; ++b) is_even ^= place[a] > place[b];
    }
    return (is_even ? 6 : -6) * model_.volume[at(tets_[at(tet)].number)];
  }

  RestFace face_of(int tet, const Corners& corners) const {
    return rest_face(edge(tet, corners[0], corners[1]), edge(tet, corners[0], corners[2]));
  }

  void copy_parameters(int tet, double* to) const {
    const Tet& from = tets_[at(tet)];
    for (int p = 0; p < range_.num_parameters; ++p) {
      to[p * lanes] = range_.parameter(at(from.batch * lanes + from.lane), p);
    }
  }

  /// Numbers for the fibers of a batch.
  std::size_t num_fiber_values() const { return at(range_.num_fibers) * 4 * lanes; }

  /// Turns the fibers at activation 0.
  void turn_fibers(int tet, const RestFace& face, double* to) const {
    const Tet& from = tets_[at(tet)];
    const std::vector<double>& fibers =
        range_.resting_fibers.empty() ? range_.fibers : range_.resting_fibers;
    const std::size_t begin = at(from.batch) * num_fiber_values() + at(from.lane);
    turn(range_.num_fibers, fibers.data() + begin, face, to);
  }

  const Model& model_;
  const ElementRange& range_;
  bool keeps_parameters_;
  std::vector<Tet> tets_;
  std::vector<std::array<int, 4>> slots_;  ///< of the tets' corners
};

}  // namespace

/// Gram-Schmidt: in the frame E1 is (X1, 0, 0) and E2 is (X2, Y2, 0).
RestFace rest_face(const Vec3& E1, const Vec3& E2) {
  const double X1 = std::sqrt(dot(E1, E1));
  const Vec3 q1 = scaled(E1, 1 / X1);
  const double X2 = dot(E2, q1);
  Vec3 q2 = less(E2, X2, q1);
  // If the edges are nearly parallel, the difference is no longer at a right angle.
  q2 = less(q2, dot(q2, q1), q1);
  const double Y2 = std::sqrt(dot(q2, q2));
  q2 = scaled(q2, 1 / Y2);
  const Vec3 q3 = {q1[1] * q2[2] - q1[2] * q2[1], q1[2] * q2[0] - q1[0] * q2[2],
                   q1[0] * q2[1] - q1[1] * q2[0]};
  RestFace face{.T = {1 / X1, -X2 / (X1 * Y2), 1 / Y2}, .Q = {}};
  for (std::size_t k = 0; k < 3; ++k) {
    face.Q[k][0] = q1[k];
    face.Q[k][1] = q2[k];
    face.Q[k][2] = q3[k];
  }
  return face;
}

/// From T Q^T Dm = 1: E3 is (X3, Y3, Z3) in the frame, and det Dm = X1 Y2 Z3.
std::array<double, 3> rest_apex(const RestFace& face, const Vec3& E3, double det) {
  double X[2];
  for (int i = 0; i < 2; ++i) {
    X[i] = face.Q[0][i] * E3[0] + face.Q[1][i] * E3[1] + face.Q[2][i] * E3[2];
  }
  const double T_33 = 1 / (det * face.T[0] * face.T[2]);
  return {-T_33 * (face.T[0] * X[0] + face.T[1] * X[1]), -T_33 * (face.T[2] * X[1]), T_33};
}

FacePairBatches::FacePairBatches(const Model& model)
    : ranges(model.ranges.size()), vertex_of_slot(static_cast<std::size_t>(model.num_slots)) {
  for (int vertex = 0; vertex < model.num_vertices; ++vertex) {
    const auto v = static_cast<std::size_t>(vertex);
    for (int s = model.slot_start[v]; s < model.slot_start[v + 1]; ++s) {
      const int slot = model.slot_list[static_cast<std::size_t>(s)];
      vertex_of_slot[static_cast<std::size_t>(slot)] = vertex;
    }
  }
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const ElementRange& range = model.ranges[r];
    ranges[r].parameter_stride = range.parameter_stride;
    if (range.parameter_stride == 0) ranges[r].parameters = range.parameters;
  }
  pairs.reserve(model.num_batches() / 2 + 2 * model.blocks.size());
  for (const ElementBlock& block : model.blocks) {
    Range& range = ranges[static_cast<std::size_t>(block.range)];
    const int first = static_cast<int>(pairs.size());
    if (block.first_batch == model.ranges[static_cast<std::size_t>(block.range)].first_batch) {
      range.first_pair = first;
    }
    block_start.push_back(first);
    if (std::holds_alternative<OwnModel>(
            model.ranges[static_cast<std::size_t>(block.range)].material)) {
      continue;
    }
    BlockPacker(model, block, range.parameter_stride != 0).append_to(pairs, range);
  }
  block_start.push_back(static_cast<int>(pairs.size()));
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const ElementRange& range = model.ranges[r];
    if (!range.resting_fibers.empty() && !range.changes_rest) {
      ranges[r].resting_fibers = ranges[r].fibers;
    }
  }
  shapes_changed(model, true);
}

namespace {

/// Writes the rest shape and the fibers of a lane of the model to a lane of a pair. The corners are
/// in the order of the model. Dm^-1 does not give the rest shape of nearly flat tets, so that is
/// computed as R times the shape in the mesh.
void repack(const Model& model, const ElementRange& range, std::size_t place, std::size_t lane,
            FacePairBatch& pair, double* fibers) {
  const std::size_t from = place % lanes;
  const auto tet = static_cast<std::size_t>(model.tet_of_lane[place]);
  const Mat3<double> R = inverse(model.inverse_change[tet]);
  Vec3 E[3];
  for (std::size_t c = 0; c < 3; ++c) {
    const Vec3& origin = model.rest[static_cast<std::size_t>(model.tets[tet][0])];
    const Vec3 d = less(model.rest[static_cast<std::size_t>(model.tets[tet][c + 1])], 1, origin);
    const Vector3<double> changed = R * Vector3<double>{{d[0], d[1], d[2]}};
    E[c] = {changed[0], changed[1], changed[2]};
  }
  const RestFace face = rest_face(E[0], E[1]);
  const std::array<double, 3> apex = rest_apex(face, E[2], 6 * model.elastic_volume(tet));
  for (std::size_t i = 0; i < 3; ++i) {
    pair.face[i][lane] = face.T[i];
    pair.apex[0][i][lane] = pair.apex[1][i][lane] = apex[i];
  }
  if (pair.volume[0][lane] != 0) pair.volume[0][lane] = model.elastic_volume(tet);
  const std::size_t local = place - static_cast<std::size_t>(range.first_batch) * lanes;
  const std::size_t num_values = static_cast<std::size_t>(range.num_fibers) * 4 * lanes;
  const double* const d = range.fibers.data() + local / lanes * num_values + from;
  for (std::size_t side = 0; side < 2; ++side) {
    turn(range.num_fibers, d, face, fibers + side * num_values + lane);
  }
}

}  // namespace

void FacePairBatches::shapes_changed(const Model& model, bool all) {
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    Range& range = ranges[r];
    const auto num_fibers = static_cast<std::size_t>(model.ranges[r].num_fibers);
    const auto first_fiber = static_cast<std::size_t>(model.ranges[r].first_fiber);
    for (std::size_t i = 0; i < range.resting_fibers.size(); ++i) {
      const double stretch = model.fiber_stretch[first_fiber + i / (4 * lanes) % num_fibers];
      const double own = range.resting_fibers[i];
      range.fibers[i] = i / lanes % 4 == 3 ? own * (stretch * stretch) : own / stretch;
    }
    for (std::size_t i = 0; i < range.place.size(); ++i) {
      const std::size_t pair = i / lanes;
      const int tet = model.tet_of_lane[static_cast<std::size_t>(range.place[i])];
      // Fibers may have contracted.
      const bool is_same = !all && model.has_new_rest[static_cast<std::size_t>(tet)] == 0;
      if (is_same && range.fibers.empty()) continue;
      repack(model, model.ranges[r], static_cast<std::size_t>(range.place[i]), i % lanes,
             pairs[static_cast<std::size_t>(range.first_pair) + pair],
             range.fibers.data() + 2 * pair * num_fibers * 4 * lanes);
    }
  }
}

}  // namespace supple

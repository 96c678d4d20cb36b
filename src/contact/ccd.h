#pragma once

#include <array>

#include "supple/mesh.h"

namespace supple {

/// What counts as a meeting. Settings outside these ranges are answered as a meeting at time 0.
struct CcdSettings {
  /// Distance up to which two features meet, m: >= 0. With 0 they meet where they touch.
  double separation = 0;
  /// Share of the gap at the start, beyond `separation`, that must remain: in [0, 1). With 0.1 a
  /// step ends when nine tenths of the gap are used up [Li et al. 2021, sec. 4.2].
  double keep = 0;
  /// Whether the answer also holds for positions that are rounded: every point computed in doubles
  /// as before + t (after - before) or (1 - t) before + t after, with any t in [0, time].
  bool rounded = false;
};

/// Answer of continuous collision detection.
struct CcdAnswer {
  /// False: the features are proved to stay farther apart than the separation throughout [0, 1].
  bool meets;
  /// The features are proved to stay apart throughout [0, time], so it is never later than the true
  /// time of impact. 1 if they do not meet; 0 also if they are not proved to be apart at time 0.
  double time;
  int directions;  ///< separating directions that were tried: the cost, at most 134
};

/// Why an answer holds: at each time up to that of the answer (unless that is 0), the features are
/// apart along the direction of some piece.
struct CcdProof {
  /// Along first + (t - from)/(to - from) (last - first) for t in [from, to].
  struct Piece {
    double from, to;
    Vec3 first, last;
  };
  std::array<Piece, 272> pieces;  ///< at most two per direction; unordered and overlapping
  int count;
};

/// Continuous collision detection of a vertex and a triangle whose corners move linearly, from
/// `before` at time 0 to `after` at time 1: vertex, corners of the triangle, m.
///
/// There is no false negative: that the features stay apart is proved for the exact linear motion
/// of the given doubles, with bounds on every rounding error, in every rounding mode, with or
/// without fused multiply-adds. False alarms occur only at gaps of about 1e-15 of the size of the
/// features and their motion, or if features turn a lot while they pass within a small gap.
/// Triangles and edges may be degenerate. Every input gets an answer after a bounded amount of
/// work. Coordinates that are not finite are answered as a meeting at time 0. Allocates nothing,
/// never throws.
///
/// The method is described in docs/collision.md. In short: the features meet when the origin comes
/// within `separation` of the polygon of their differences, whose corners move linearly. A
/// direction n, constant or linear in time, onto which all corners project beyond the separation
/// proves that they are apart. Bounds hold for a whole interval of time, so the search is
/// inclusion-based [Snyder 1992; Wang et al. 2021] in time alone. It advances from one proved time
/// to the next [Mirtich 1996; Li et al. 2021, sec. 4.2].
CcdAnswer vertex_face_ccd(const std::array<Vec3, 4>& before, const std::array<Vec3, 4>& after,
                          const CcdSettings& settings = {}, CcdProof* proof = nullptr) noexcept;

/// The same for two edges: both ends of the first, both ends of the second.
CcdAnswer edge_edge_ccd(const std::array<Vec3, 4>& before, const std::array<Vec3, 4>& after,
                        const CcdSettings& settings = {}, CcdProof* proof = nullptr) noexcept;

}  // namespace supple

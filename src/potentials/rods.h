#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "math/mat3.h"
#include "potentials/pins.h"
#include "supple/scene.h"

namespace supple {

/// The orientation of a segment's material: where its directions point in space, and how far the
/// rod is twisted where the segment begins. This is what is kept from step to step.
struct RodFrame {
  Vector3<double> tangent{{1, 0, 0}};   ///< unit, along the segment
  Vector3<double> director{{0, 1, 0}};  ///< unit, across it; turns with the material
  /// Angle from the previous segment, rad, counting whole turns. 0 if there is no previous one.
  double twist = 0;

  Vector3<double> across() const { return cross(tangent, director); }
};

/// `v` carried along while the unit vector `from` turns to the unit vector `to` on the shortest
/// way, for v across `from` [Bergou et al. 2008, sec. 4.2.2]. For opposite vectors any way will do.
Vector3<double> transported(const Vector3<double>& from, const Vector3<double>& to,
                            const Vector3<double>& v);

double length_of(const Vector3<double>& v);

/// The unit vector along the part of v that lies across the unit vector t.
Vector3<double> unit_across(const Vector3<double>& t, const Vector3<double>& v);

/// The components of v along a frame's tangent, its director and the direction across both.
inline Vector3<double> parts_along(const RodFrame& frame, const Vector3<double>& v) {
  return {{dot(v, frame.tangent), dot(v, frame.director), dot(v, frame.across())}};
}

/// Angle about t by which b lies ahead of a, in (-pi, pi].
double angle_about(const Vector3<double>& t, const Vector3<double>& a, const Vector3<double>& b);

/// Strands with bending and twist [Bergou et al. 2008]: the curvature of a joint is expressed in
/// the material frames of its two segments, and twist is the angle between these frames. With the
/// edges e of rest lengths l, joint i of rest length L = (l_0 + l_1)/2 stores
///   E_i = B/(2 L) (|D - R_0 K_0|^2 + |D - R_1 K_1|^2)/2 + C/(2 L) (m - m_rest)^2,
///   D = e_1/l_1 - e_0/l_0,
/// with B = E I and C = G J; R_j is the frame of segment j, and R_j K_j was D at rest. D is linear
/// in the positions, so bending of a straight rod has a constant Hessian, like the isometric
/// bending of membranes. The difference of the tangents takes the place of the curvature binormal,
/// which grows without bound in a fold. Stretch belongs to the springs of the body.
struct RodSet {
  struct Segment {
    std::int32_t a, b;  ///< vertices of the model
    double length;      ///< l, m
  };
  struct Joint {
    std::int32_t before, after;  ///< segments
    double bending, twist;       ///< B/L and C/L, J
    Vector3<double> rest[2];     ///< K in the frames of `before` and `after`
    double rest_twist;           ///< m_rest, rad
  };
  /// Consecutive segments; joint j is between segments j and j + 1, and the last joint of a closed
  /// strand is between the last and the first.
  struct Chain {
    int first_segment, num_segments;
    int first_joint, num_joints;
    bool is_closed() const { return num_joints == num_segments; }
  };
  /// Two vertices that the constant matrix couples: k (e_a - e_b)(e_a - e_b)^T, k of any sign.
  struct Edge {
    std::int32_t a, b;
    double stiffness;  ///< N/m
  };

  std::vector<Segment> segments{};  ///< [num_segments], strand by strand
  std::vector<Joint> joints{};
  std::vector<Chain> chains{};             ///< body after body
  std::vector<int> first_chain{};          ///< [num_bodies + 1]
  std::vector<RodFrame> rest_frames{};     ///< [num_segments]
  std::vector<RodFrame> frames{};          ///< [num_segments], at the beginning of the step
  double time = 0;                         ///< of `frames`, s
  std::vector<int> clamp{};                ///< [num_segments], the pin that clamps it; -1: none
  std::vector<Edge> edges{};               ///< of bending, exactly its Hessian at fixed frames
  std::vector<double> bending_diagonal{};  ///< [num_vertices], of that, N/m; empty without rods

  bool empty() const { return segments.empty(); }

  /// Adds the rod of a body, whose vertices begin at `first_vertex` of the model and have the
  /// positions `rest` at rest; every body must be added. A rod that has come apart has the segments
  /// of the whole one in the same order, except that a ring begins after the first of its joints
  /// that is gone. Throws Error{invalid_input} at or below `where` for a stiffness or a twist out
  /// of range, an unknown rest shape, tets or triangles, no segments, a segment without length or
  /// spring, a vertex with more than two segments, and copies of something that is not a vertex.
  void add(const Body& body, const std::string& where, int first_vertex,
           const std::vector<Vec3>& rest);

  /// Fills the edges and the diagonal once all bodies are there, or after vertices were renumbered.
  void index_vertices(int num_vertices);

  /// Finds the clamped segments: those whose two vertices one pin of the scene holds. Their
  /// material turns with the pin.
  void find_clamps(const PinSet& pins);

 private:
  void add_chain(const std::vector<int>& vertices, const RodSettings& settings,
                 const std::vector<Vec3>& rest);
  void part_last_chain();
};

}  // namespace supple

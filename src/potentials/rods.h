#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "math/mat3.h"
#include "potentials/pins.h"
#include "supple/scene.h"

namespace supple {

/// How the material of a segment stands: where its directions point in space, and how far the rod
/// is twisted where the segment begins. What is kept from step to step.
struct RodFrame {
  Vector3<double> tangent{{1, 0, 0}};   ///< unit, along the segment
  Vector3<double> director{{0, 1, 0}};  ///< unit, across it; turns with the material
  /// Angle from the segment before, rad: it counts whole turns. 0 where there is none before.
  double twist = 0;

  Vector3<double> across() const { return cross(tangent, director); }
};

/// `v` taken along when the unit vector `from` turns to the unit vector `to` on the shortest way,
/// for v across `from` [Bergou et al. 2008, sec. 4.2.2]. Of opposite vectors any way will do.
Vector3<double> transported(const Vector3<double>& from, const Vector3<double>& to,
                            const Vector3<double>& v);

double length_of(const Vector3<double>& v);

/// The unit vector along the part of v that lies across the unit vector t.
Vector3<double> unit_across(const Vector3<double>& t, const Vector3<double>& v);

/// v by its parts along a frame's tangent, director and what lies across both.
inline Vector3<double> parts_along(const RodFrame& frame, const Vector3<double>& v) {
  return {{dot(v, frame.tangent), dot(v, frame.director), dot(v, frame.across())}};
}

/// Angle about t by which b lies ahead of a, in (-pi, pi].
double angle_about(const Vector3<double>& t, const Vector3<double>& a, const Vector3<double>& b);

/// Strands with bending and twist [Bergou et al. 2008]: the curvature of a joint is what it is in
/// the frames of the material of the two segments there, and twist is the angle between these
/// frames. With the edges e of rest lengths l, joint i of rest length L = (l_0 + l_1)/2 stores
///   E_i = B/(2 L) (|D - R_0 K_0|^2 + |D - R_1 K_1|^2)/2 + C/(2 L) (m - m_rest)^2,
///   D = e_1/l_1 - e_0/l_0,
/// with B = E I and C = G J; R_j is the frame of segment j and R_j K_j what D was at rest. D is
/// linear in the positions, so of a straight rod bending has a constant Hessian, as the isometric
/// bending of membranes has; the tangents' difference takes the place of the curvature binormal,
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
  /// Segments one after the other; joint j lies between segments j and j + 1, and the last joint of
  /// a closed strand between the last and the first.
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
  std::vector<RodFrame> frames{};          ///< [num_segments], as they were when the step began
  double time = 0;                         ///< of `frames`, s
  std::vector<int> clamp{};                ///< [num_segments], the pin that holds it; -1: none
  std::vector<Edge> edges{};               ///< of bending, whose Hessian at fixed frames that is
  std::vector<double> bending_diagonal{};  ///< [num_vertices] of that, N/m; empty without rods

  bool empty() const { return segments.empty(); }

  /// Adds the rod of a body, whose vertices begin at `first_vertex` of the model and lie at `rest`;
  /// every body must be added. One that has come apart has the segments of the whole one in their
  /// order, but that a ring begins behind the first of its joints that is gone. Throws
  /// Error{invalid_input} at or below `where` for a stiffness or a twist out of range, an unknown
  /// rest shape, tets or triangles, no segments, segments that have no length or no spring, a
  /// vertex with more than two, and copies of what is no vertex.
  void add(const Body& body, const std::string& where, int first_vertex,
           const std::vector<Vec3>& rest);

  /// Fills the edges and the diagonal once all bodies are there, or their vertices have other
  /// numbers.
  void index_vertices(int num_vertices);

  /// A segment both of whose vertices one pin of the scene holds is clamped: its material turns
  /// with the pin.
  void find_clamps(const PinSet& pins);

 private:
  void add_chain(const std::vector<int>& vertices, const RodSettings& settings,
                 const std::vector<Vec3>& rest);
  void part_last_chain();
};

}  // namespace supple

#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/parallel_for.h"
#include "contact/close_features.h"
#include "contact/nearest_features.h"
#include "contact/surface_points.h"

namespace supple {

/// Which bodies and features can touch each other.
struct PairSettings {
  bool between_bodies = true;  ///< bodies touch each other
  bool within_bodies = false;  ///< a body touches itself
  /// Pairs of bodies that do not touch, the smaller number first, ascending.
  std::vector<std::pair<int, int>> apart{};
  /// Features with this vertex do not touch this other body: (vertex, body), ascending.
  std::vector<std::pair<int, int>> tied_to_body{};
  /// Features of one body with these vertices, one on either side, do not touch each other, as if
  /// they shared a vertex: (a, b) and (b, a), ascending.
  std::vector<std::pair<int, int>> tied_vertices{};
  /// The last bodies are the surfaces of these colliders. Bodies then touch only these, and get
  /// planes only where more than a vertex of a body is nearest. Empty: there are none.
  std::vector<int> colliders{};
};

/// Keeps the surfaces of bodies apart from each other, and of a body from itself.
///
/// Around each surface is a layer, whose thickness is a small part of the body's size. Two
/// features, a vertex and a face or two edges, that come nearer than the thinner of their layers,
/// d, during a step are held apart by a plane between them. Let a and b be their nearest points at
/// the first time that they are that near, and n the unit normal from b to a. Then
///   E = k/2 min(0, n . (a - b) - d)^2,
/// where a and b are means of their corners with fixed weights [after thesis eq. 8.7]. The next
/// step has other points and another normal. If several features share their nearest points, as the
/// faces around an edge do, only one pair is taken, and none if a neighbour is nearer: the distance
/// of two surfaces has its minima between a vertex and a face, or between two edges that stick out.
///
/// Planes hold only as well as the energy is minimised. Therefore `find_shares` follows the ways of
/// all features to the end of the step (contact/ccd.h), and if two would meet, the ways of both
/// bodies are shortened: surfaces that are apart stay apart, whatever happens. Bodies that overlap
/// when a scene starts cannot be told from those that should be apart, so they do not touch each
/// other at all.
class BodyPairs {
 public:
  /// One surface per body. body_of: for each vertex. layer: thickness for each body, m, > 0. rest:
  /// positions at rest; features of one body that are nearer there than its layer keep half that
  /// distance.
  BodyPairs(const std::vector<BodyFeatures>& bodies, std::vector<int> body_of,
            std::vector<double> layer, std::vector<Vec3> rest, const PairSettings& settings);

  /// Two bodies, or parts of one, that intersect.
  using Overlap = std::pair<int, int>;
  /// x is where a scene starts, at time 0. Moves vertices that touch other bodies, or nearly do,
  /// inwards until there is a gap; those of bodies that overlap deeply stay. Layers that are
  /// thicker than the smallest gap grow from it, so that they do not throw bodies that lie close.
  void start_apart(double* x);
  /// The same when bodies are added at some time, s, [num_bodies]: only these move, and only pairs
  /// with one of them are separated.
  void add_apart(double* x, const std::vector<char>& is_added, double time);
  /// Whether layers still grow at this time, s, from what start_apart found.
  static bool are_growing(double time);
  /// The part of the layers that has grown by this time, s, from first_part at time 0.
  static double grown(double first_part, double time);

  /// Finds the bodies that overlap at x. From now on they do not touch each other.
  void find_overlaps(const double* x);
  /// The first overlap at x of bodies that may touch, without keeping it; null: none.
  const Overlap* first_overlap(const double* x);
  /// Looks again at the bodies that overlapped, and only at them: no others come to overlap.
  void look_at_overlaps(const double* x);
  /// The smaller number first, ascending.
  const std::vector<Overlap>& overlaps() const { return overlapping_; }

  /// Starts a step that ends at this time, s, after so many seconds, and forgets what was found.
  void begin_step(double time, double length);
  /// The same if the layers have this part of their thickness, and had `before` of it when the step
  /// began.
  void begin_step_of_part(double part, double before);
  /// How thick layers were when the step began, as a share of now.
  double grown_before() const { return before_ / part_; }
  /// In this step, features with a vertex whose entry in this list is not 0 touch nothing. The list
  /// may be shorter than the number of vertices, and must outlive the step.
  void leave_out(const std::vector<char>& vertices) { left_out_ = &vertices; }

  /// From now on `find` looks only at these bodies, ascending, with each other and with themselves,
  /// and reads the way only at their vertices. Allocates nothing.
  void select(std::span<const int> bodies);

  /// Adds to `points` planes between features that come near on a way of this step and have none.
  /// held: the way is where the step is about to end, so features that would meet on it get a plane
  /// whatever else holds them, and are pushed harder. Returns how many planes are new or harder.
  int find(const ContactWay& way, bool held, SurfacePoints& points, Threads& threads);

  /// Finds which share of its way from x_n to z each body can go without meeting another:
  /// [num_bodies], 1 for most. Returns whether any is less.
  bool find_shares(const ContactWay& way, std::vector<double>& shares, Threads& threads);

  /// An upper bound of the number of planes in a step.
  std::size_t max_planes() const { return max_planes_; }
  int body_of(int vertex) const { return body_of_[static_cast<std::size_t>(vertex)]; }
  std::size_t num_bodies() const { return layer_.size(); }
  /// The bodies from this one on are the surfaces of colliders.
  std::size_t first_collider() const { return layer_.size() - settings_.colliders.size(); }

 private:
  struct Candidate {
    std::array<int, 4> corners;  ///< vertices
    int first, second;           ///< vertex and triangle, or edges
    bool is_edges;
    bool crosses;         ///< `time` is when they would meet
    bool is_represented;  ///< by another pair at x_n
    int plane;            ///< the newest one, into the step's points; -1: none
    double start;         ///< distance of the features at x_n, m; < 0: not known yet
    double layer;         ///< m
    double time;          ///< in the step when they come near; < 0: never

    bool operator<(const Candidate& other) const {
      return std::tie(is_edges, first, second) <
             std::tie(other.is_edges, other.first, other.second);
    }
  };
  /// A pair that has a plane.
  struct Known {
    bool is_edges;
    int first, second, plane;
    bool operator<(const Known& other) const {
      return std::tie(is_edges, first, second, plane) <
             std::tie(other.is_edges, other.first, other.second, other.plane);
    }
    bool is_of(const Known& pair) const {
      return is_edges == pair.is_edges && first == pair.first && second == pair.second;
    }
  };
  using Corners = std::array<Vec3, 4>;

  void collect(const ContactWay& way, Threads& threads);
  void add(const std::array<int, 4>& corners, int first, int second, bool is_edges);
  void measure(Candidate& own, const Corners& start) const;
  void look(Candidate& own, const ContactWay& way, bool held) const;
  template <class Place>
  bool is_nearest_here(const Candidate& own, const NearestPoints& nearest,
                       const Place& place) const;
  bool is_nearest_at_start(const Candidate& own, const Corners& start, const ContactWay& way) const;
  template <class Place>
  bool sticks_out(int vertex, const Vec3& away, const Place& place) const;
  template <class Place>
  bool edge_sticks_out(int edge, const Vec3& from, const Vec3& away, const Place& place,
                       bool& is_flat) const;
  double layer_of(const Candidate& own, const NearestPoints& nearest) const;
  bool is_of_collider(int vertex) const {
    return static_cast<std::size_t>(body_of(vertex)) >= first_collider();
  }
  void find_raised();
  bool is_raised(const std::array<int, 4>& corners, int first, int second, bool is_edges) const;
  void give_to_collider(const Candidate& own, const ContactWay& way, const NearestPoints& nearest,
                        SurfaceContact& plane) const;
  bool add_plane(Candidate& own, const ContactWay& way, SurfacePoints& points);
  template <class First, class Second>
  bool are_tied(const First& first, const Second& second) const;
  bool may_ever_meet(int a, int b) const;
  bool may_meet(int a, int b) const;
  bool push_apart(double* x, const std::vector<char>& moves, double time);
  void separate(double* x, const std::vector<char>& moves, double time, int most_rounds);
  bool pierces(int body, int other, const double* x) const;
  bool is_deep_inside(const Vec3& point, int body, double depth, const double* x) const;
  bool is_deep_in_both(int body, int other, double depth, const double* x) const;
  template <class IsAsked>
  void look_for_overlaps(const double* x, const IsAsked& is_asked);

  CloseFeatures features_;
  std::vector<int> body_of_;
  std::vector<double> layer_;  ///< [num_bodies], m
  std::vector<Vec3> rest_;     ///< [num_vertices], m
  PairSettings settings_;
  std::vector<char> is_tied_;         ///< [num_vertices]; empty: nothing is
  std::vector<Overlap> overlapping_;  ///< sorted
  std::vector<Overlap> found_;
  // For the bodies that are checked for overlaps: boxes and trees of their triangles.
  std::vector<std::vector<Box>> boxes_;
  std::vector<AabbTree> trees_;
  std::vector<Box> bounds_;
  std::vector<char> has_tree_;
  std::vector<int> vertices_;        ///< that belong to a feature
  std::vector<int> vertices_start_;  ///< [num_bodies + 1]
  std::vector<int> selected_;        ///< bodies
  std::vector<char> is_selected_;    ///< [num_bodies]
  double first_part_ = 1;            ///< of the layers, at time 0
  double part_ = 1, before_ = 1;     ///< of the layers in this step, and before it
  double thickest_ = 0;              ///< layer, m
  double spare_ = 0;                 ///< in this step, as a multiple of the thickest layer
  double used_spare_ = 0;            ///< what would have been enough in this step, or the last one
  bool is_crowded_ = false;          ///< there were too many candidates for a larger spare_
  std::size_t max_candidates_ = 0, max_planes_ = 0;
  // Topology.
  std::vector<std::array<int, 3>> edges_of_triangle_;  ///< from each corner to the next
  std::vector<int> faces_start_, faces_of_edge_;       ///< [num_edges + 1]; ascending for each
  std::vector<int> edges_start_, edges_of_vertex_;     ///< [num_vertices + 1]; the same
  std::vector<char> is_sharp_;                         ///< [num_edges]
  std::vector<int> first_face_;                        ///< [num_vertices]; -1: none
  std::vector<char> is_closed_;                        ///< [num_bodies], around a solid
  std::vector<char> is_fixed_;                         ///< [num_bodies]
  /// Edges of colliders that stick out, and vertices with such an edge. Empty without colliders.
  std::vector<char> is_raised_edge_, is_raised_vertex_;
  const std::vector<char>* left_out_ = nullptr;
  // The current step.
  std::vector<Candidate> candidates_;        ///< ascending
  std::vector<Candidate> collected_before_;  ///< those that were near, ascending
  std::size_t next_before_ = 0;  ///< the first of these that is not before the last candidate
  std::vector<Known> known_;
  bool is_collected_ = false;
  std::vector<double> end_;            ///< x, y, z and the length of the way, [4 * num_vertices]
  std::vector<double> collected_for_;  ///< [4 * num_vertices]
  std::vector<double> next_shares_;    ///< [num_bodies]
};

}  // namespace supple

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/body_pieces.h"
#include "contact/barrier.h"
#include "contact/body_lists.h"
#include "contact/body_pairs.h"
#include "contact/collider.h"
#include "contact/collider_guard.h"
#include "contact/contact_point.h"
#include "contact/mesh_pairs.h"
#include "contact/surface_points.h"
#include "math/friction_memory.h"
#include "supple/scene.h"

/// Contact of bodies with colliders: a function of positions and of the state at the start of the
/// step, evaluated anew wherever a line search asks.
///
/// Contact acts on the vertices x_i, and on points sum_j w_j x_j of edges and faces that meet a
/// collider between their vertices (surface_points.h). The points of a step are chosen at its start
/// and on the ways that are looked at. Each has a plane, whose signed distance is its d; its k is
/// the same mean of the vertices' stiffnesses. Weights and planes stay fixed for the step, so
/// everything below holds for points too.
///
/// Normal part. With the signed distance d of a collider at the end of the step,
///   E_n(x) = sum_i k_i/2 min(0, d(x_i) + s_i)^2                [after thesis eq. 8.7, unilateral].
/// Deeper than some d_s the contact is stiffer, by k'_i/2 min(0, d(x_i) + s_i + d_s)^2: resting
/// bodies need soft contacts to converge in few iterations, fast ones need hard contacts to be
/// stopped. The thesis holds a plane during a line search and drops it when the vertex and the
/// collider move apart. Both make the function that is minimised jump between iterations, so that
/// no iteration sees the vertices that its own step pushes in. Here every evaluation finds the
/// vertices inside. A contact that was found can still be evaluated at other positions of its
/// vertex: it then uses the plane through x_s with the normal n, which agrees with E_n in value and
/// gradient where the contact was found.
///
/// s_i is 0 except for a vertex that starts the step deep inside: such a vertex may come out by
/// `exit_speed` sizes of its body per second and no faster.
///
/// In barrier mode, with a ColliderGuard, colliders are larger by a layer d, and contacts, those
/// between bodies too, are barriers (barrier.h): k is their stiffness in the middle of the layer,
/// and k' is added where little of the layer is left. The depth is measured in the layer, and
/// anything deeper than d would be inside the collider.
///
/// If a path from outside leaves a thin collider on another side, or ends beyond its middle, the
/// plane where it entered holds it for the rest of that step (`sweep`).
///
/// Friction (Coulomb, coefficient mu), as a smoothed dissipation potential:
///   E_f(x) = mu N f(|u|),  u = (I - n n^T)(x - x_n - c),
///   f(s) = s^2 / (2 eps) for s <= eps, s - eps/2 above (Huber),  eps = v_s h.
/// Here x_n is the vertex at the start of the step, and c is the displacement over the step of the
/// collider's point nearest to it. N = k (depth + s) is the normal force at x_n, and n is the
/// normal there, both for the collider at the start of the step. Both thus belong to the previous
/// state, which makes E_f a convex function of x. Summed over a fall, the impulse of friction is
/// that of the normal force, a step later. The force is at most mu N and opposes the slip. v_s is
/// the vertex's `slip_speed`; a point takes the least of its vertices'.
///
/// With a memory, u is the slip since x_n plus eps r, where r is the friction at the end of the
/// step before over mu N, |r| <= 1: the return mapping of elastic-plastic friction [Simo &
/// Laursen 1992, "An augmented Lagrangian treatment of contact problems involving friction"]. What
/// friction holds then stays where it is. Without one it creeps, as it must slip in each step to be
/// held.
namespace supple {

/// m/s, for bodies of 1 m and more. Below this slip speed the friction force falls linearly to
/// zero, so without a memory a body that friction holds creeps more slowly than this: less than
/// 1 mm in a second, which is not seen in motion. Smaller values bring nothing visible and make E_f
/// stiffer, mu N / eps per vertex. At 1/30 s and the weight of a vertex of mass m for N, this value
/// gives mu * 327 m / h^2, less than usual contact stiffnesses. For smaller bodies it is multiplied
/// by their size over 1 m: otherwise a body of 1 mm would slide by its own size in a second.
inline constexpr double friction_slip_speed = 1e-3;

/// How fast a vertex that starts deep inside comes out, in sizes of its body per second. A body
/// gets out of what it was put into within a second, and is not thrown.
inline constexpr double exit_speed = 2;

/// A share of the body's size: a vertex that starts a step deeper than this is let out slowly, and
/// from twice this depth on at `exit_speed`. Contacts that bear a body are ten times shallower.
inline constexpr double deep_start = 0.01;

/// A vertex that can be in contact.
struct ContactVertex {
  int vertex = 0;
  double stiffness = 0;   ///< k, N/m, > 0
  double added = 0;       ///< k', added beyond soft_depth, N/m
  double soft_depth = 0;  ///< d_s, m
  double bearing = 0;     ///< least stiffness between two bodies, which bears their weight, N/m
  double size = 0;        ///< of its body, m; 0: it leaves what it starts in as fast as it can
  double slip_speed = friction_slip_speed;  ///< below which friction gives way, m/s
  bool is_inner = false;  ///< inside a body: it touches only if the surface gives way altogether
  int body = 0;
  int held_by = -1;  ///< a collider that this vertex and its elements do not touch; -1: none
};

/// One contact: the normal force on a point inside a collider, or friction.
struct Contact {
  ContactPoint point;
  int place;          ///< index into the list of vertices, or, for a point of an edge or face, into
                      ///< the step's points
  int collider;       ///< index into the list of colliders; SurfaceContact::no_collider: between
                      ///< bodies
  Vec3 surface;       ///< x_s, m
  Vec3 normal;        ///< n, unit, outward
  double depth;       ///< where the contact was found, m, > 0
  double stiffness;   ///< k, N/m; 0 for friction alone
  double added;       ///< k', N/m
  double soft_depth;  ///< d_s, m
  double shift;       ///< s, m
  double friction;    ///< mu N, N; 0 for the normal force alone
  double slip;        ///< eps, m
  bool is_inner;      ///< whether its vertex is
  double layer;       ///< of a barrier (barrier.h), thickness, m; 0: springs
  Vec3 anchor;        ///< x_n + c: where the point would be if it had stuck to the collider, m;
                      ///< minus eps r with a memory

  /// Force, energy and stiffness of the normal part at a depth, m: N, J, N/m.
  double force_at(double at_depth) const {
    return soft_force_at(at_depth) + added * beyond(at_depth);
  }
  double energy_at(double at_depth) const {
    const double hard = added * beyond(at_depth) * (at_depth - soft_depth - 0.5 * beyond(at_depth));
    if (layer > 0) return hard + stiffness * layer * layer * barrier::energy(1 - at_depth / layer);
    return hard + 0.5 * stiffness * at_depth * at_depth;
  }
  double stiffness_at(double at_depth) const {
    const bool is_hard = at_depth > soft_depth && !(layer > 0 && at_depth > layer);
    return soft_stiffness_at(at_depth) + (is_hard ? added : 0);
  }
  /// The depth that k' acts on, m. It is at most the layer: something that had no way out is inside
  /// the collider, and k' would throw it.
  double beyond(double at_depth) const {
    return std::max(0.0, (layer > 0 ? std::min(at_depth, layer) : at_depth) - soft_depth);
  }
  /// Force and stiffness without k'.
  double soft_force_at(double at_depth) const {
    if (layer > 0) return -stiffness * layer * barrier::slope(1 - at_depth / layer);
    return stiffness * at_depth;
  }
  double soft_stiffness_at(double at_depth) const {
    return layer > 0 ? stiffness * barrier::curvature(1 - at_depth / layer) : stiffness;
  }
  double force() const { return force_at(depth); }

  bool is_of_vertex() const { return point.count == 1; }
  bool is_of_bodies() const { return collider == SurfaceContact::no_collider; }
};

/// The step that the contacts belong to.
struct ContactStep {
  double time_end = 0;            ///< s
  double h = 0;                   ///< its length, s, > 0
  const double* x_n = nullptr;    ///< positions at its start; they must outlive the step
  const double* reach = nullptr;  ///< where the minimisation starts, as z below; null: x_n
  /// Where in the step the unknown z stands: 1 for its end, 1/2 for its middle. Contacts are
  /// evaluated at the end, x = x_n + (z - x_n)/stage, with `stage` times their energy, so that the
  /// gradient with respect to z is their force there: a force taken at the middle would let a
  /// vertex in by any depth.
  double stage = 1;

  /// The step whose stage is at `time`, h after its start, s.
  static ContactStep to_stage(double time, double h, double stage, const double* x_n,
                              const double* reach) {
    const double whole = h / stage;
    return {stage == 1 ? time : time - h + whole, whole, x_n, reach, stage};
  }
};

/// What was met on a way and was not known before.
struct Encounters {
  int crossings = 0;  ///< paths of vertices through a collider, and of points deep into one
  int points = 0;     ///< points of edges and faces that are not deep inside, new or made stiffer
  bool anything() const { return crossings + points > 0; }
};

/// A summary of the normal forces, where they were found.
struct Touch {
  double energy = 0;   ///< J
  double deepest = 0;  ///< m, true depth in colliders
};

/// Which parts of the Hessian of contacts between bodies are visited.
enum class OfBodies { within_vertices, all };

/// Contacts with colliders that have a motion, or all others.
enum class OfColliders { with_motion, without_motion };

/// All contacts of a simulation. Everything is allocated at construction.
///
/// Positions and gradients are [4 * num_vertices]: vertex i at 4 i, 4 i + 1, 4 i + 2, then padding
/// that is neither read nor written.
class ContactEnergy {
 public:
  /// Throws Error{invalid_input} for a stiffness that is not positive, a negative coefficient of
  /// friction, either not finite, or a negative vertex.
  /// Without surfaces, bodies touch by their vertices alone; without pairs, they do not touch each
  /// other.
  ContactEnergy(std::vector<ColliderObject> colliders, double friction,
                std::vector<ContactVertex> vertices,
                const std::vector<ContactSurface>& surfaces = {},
                std::unique_ptr<BodyPairs> pairs = nullptr,
                std::unique_ptr<ColliderGuard> guard = nullptr,
                std::unique_ptr<MeshPairs> meshes = nullptr);

  /// Poses the colliders, finds what the state at the start of the step decides (friction, slow
  /// exits, planes of paths to `reach`), and drops all contacts.
  void begin_step(const ContactStep& step, Threads& threads);

  /// Poses the colliders for a step that may come. Returns 1 for each collider that moves in it, 0
  /// for the others.
  const std::vector<char>& move_colliders(double time_end, double h);
  /// Whether any of the colliders with a 1 in `asked` can be in the box around a body at any time
  /// of the step for which they were posed.
  bool comes_near(int body, const Box& box, const std::vector<char>& asked) const;

  /// From now on only these bodies, ascending, take part: what is found, followed, held and summed
  /// is theirs alone, without contacts with other bodies. A step begins with all. Allocates
  /// nothing.
  void select(std::span<const int> bodies);

  /// Calls visit(int a, int b) with the two bodies of each plane of the step, a <= b; a plane
  /// within one body gives that body twice.
  template <class Visit>
  void visit_coupled(const Visit& visit) const {
    for (const SurfaceContact& plane : surface_.points()) {
      const auto [a, b] = bodies_of(plane.point);
      visit(a, b);
    }
  }
  /// Whether a sweep has met something new of a body, or made it harder, since the last call.
  bool take_news(int body);

  /// Finds the vertices, without inner ones, that would be inside a collider after `steps` steps
  /// like the one that begins, if that one ended at z minus `fall`, m. The deepest come first.
  void find_ahead(const double* z, const Vec3& fall, double steps,
                  std::vector<int>& vertices) const;

  /// Finds the contacts at z. Their order is the same for any number of threads: by block of
  /// vertices, within a block by collider and then by vertex; then come points of edges and faces,
  /// held planes, and last friction.
  void detect(const double* z, Threads& threads) { detect(z, {}, threads); }

  /// What colliders have pushed to its place at z, and how far, m.
  struct Pushed {
    struct Vertex {
      int vertex;
      Vec3 way;
    };
    std::span<const Vertex> vertices;
    std::span<const Vec3> points;  ///< for the first of the step's points of edges and faces
  };
  /// The same, and also finds what would be inside if it had not been pushed. The plane of such a
  /// vertex is where the collider is nearest to z.
  void detect(const double* z, const Pushed& pushed, Threads& threads);

  /// Follows the paths of all vertices and the ways of all edges and faces from x_n to where z puts
  /// them. If a vertex enters a collider and leaves it on another side, later calls of `detect` in
  /// this step hold it by the plane where it entered. Points of edges and faces that meet a
  /// collider are held likewise.
  Encounters sweep(const double* z, Threads& threads) { return sweep(z, true, threads); }
  /// held: z is where the step is about to end. If it is not, this does not look for bodies that
  /// would pass through each other on the way, as the descent may still prevent it.
  Encounters sweep(const double* z, bool held, Threads& threads) {
    return sweep(z, z, held, threads);
  }
  /// The same if colliders have pushed vertices from `lifted` to z: what meets them is sought where
  /// it would be without that, and what meets other bodies where it is.
  Encounters sweep(const double* lifted, const double* z, bool held, Threads& threads);

  /// The part of `sweep` with `held` that concerns contacts of bodies with each other and with
  /// meshes.
  Encounters sweep_pairs(const double* z, Threads& threads);

  /// Shortens the ways from `start` to z, as contacts see the step, of bodies that would meet.
  /// Returns the share of its way that each body goes, [bodies]; empty if all go their whole way.
  std::span<const double> hold_back(const double* start, double* z, Threads& threads);

  /// Barrier mode: what is apart stays apart, bodies from colliders too.
  bool is_barrier() const { return guard_ != nullptr; }
  /// Barrier mode: moves anything that would enter a collider on the way from `start` to z to a
  /// place outside it. Returns for each body whether any of it was moved, [bodies]; empty if
  /// nothing was. Call it before `hold_back`, and if a collider moves, also after it: a moving
  /// collider pushes out what is held back.
  std::span<const char> keep_outside(const double* start, double* z, Threads& threads);
  /// Whether a collider moves in this step.
  bool has_moving_colliders() const;
  /// Barrier mode: the number of triangles, segments and other vertices inside a moving collider
  /// that has left them no way out, as found by the last `keep_outside`, or on the way from `start`
  /// to z.
  int num_inside() const { return guard_ ? guard_->num_inside() : 0; }
  int num_inside(const double* start, const double* z, Threads& threads);
  /// Barrier mode: x is where a scene starts. Moves those of its vertices that touch a collider
  /// outside it; the layers grow from there. Throws like require_apart.
  void start_outside(double* x);
  /// Barrier mode: throws Error{invalid_input} if, at x and at this time, s, a body is in a
  /// collider, in another body or in itself. fresh: the bodies that are looked for in moving
  /// colliders, [bodies], as others may have had no way out; empty: all.
  void require_apart(const double* x, double time, const std::vector<char>& fresh = {});

  /// Contacts of bodies with each other; null: they do not touch.
  BodyPairs* pairs() const { return pairs_.get(); }

  /// Energy of the normal forces where they were found, J: those of colliders with a motion, or all
  /// others.
  double energy_of(OfColliders colliders) const;

  /// Energy of the contacts at z, J; adds its gradient, N, to `gradient`.
  double add(const double* z, double* gradient) const;

  /// Like `add`, for one contact, with its point where z puts it: [3]. Adds the gradient with
  /// respect to the point, [3]; each vertex of the point gets its weight times that.
  double add(const Contact& contact, const double* z, double* gradient) const;

  /// Calls visit(int vertex, int other, const double* block) for every contact and every two of its
  /// vertices with their part of the Hessian of its energy at z, N/m: 9 numbers, 3x3 symmetric, and
  /// positive semi-definite if both are the same vertex. Each pair comes once, in either order.
  /// Some parts may be zero; vertices with several contacts come several times. Parts between
  /// vertices of two bodies, or of two places of one body, come only on request.
  template <class Visit>
  void visit_hessian(const double* z, const Visit& visit,
                     OfBodies of_bodies = OfBodies::within_vertices) const {
    double block[9], part[9];
    for (const Contact& contact : contacts()) {
      const bool is_whole = !contact.is_of_bodies() || of_bodies == OfBodies::all;
      const ContactPoint& point = contact.point;
      hessian(contact, point.position(z).data(), block);
      for (int i = 0; i < point.count; ++i) {
        for (int j = is_whole ? 0 : i; j <= i; ++j) {
          const double weight = point.weights[i] * point.weights[j];
          for (int k = 0; k < 9; ++k) part[k] = weight * block[k];
          visit(point.vertices[i], point.vertices[j], static_cast<const double*>(part));
        }
      }
    }
  }

  /// Calls visit(const Contact& contact) for the normal forces on vertices()[place] at x: [3],
  /// found anew there as `detect` would. Several threads may call it at once.
  template <class Visit>
  void visit_touching(std::size_t place, const double* x, const Visit& visit) const {
    const Vec3 end = moved_on({x[0], x[1], x[2]}, place);
    Contact contact;
    for (std::size_t c = 0; c < colliders_.size(); ++c) {
      if (touches(place, static_cast<int>(c), end, contact)) {
        visit(static_cast<const Contact&>(contact));
      }
    }
    for (std::size_t i = 0; is_special_[place] != 0 && i < num_held_; ++i) {
      if (held_[i].place == place && touches(held_[i], end, contact)) {
        visit(static_cast<const Contact&>(contact));
      }
    }
  }

  /// Calls visit(const ContactPoint& point) for the contacts between bodies at z, and for those
  /// that are known to be possible elsewhere in the step.
  template <class Visit>
  void visit_between(const Visit& visit) const {
    for (const Contact& contact : contacts()) {
      if (contact.is_of_bodies()) visit(contact.point);
    }
    for (const SurfaceContact& plane : surface_.points()) {
      if (plane.collider == SurfaceContact::no_collider) visit(plane.point);
    }
  }

  /// Friction as a spring: its force at z is -stiffness * slip, and its energy is nowhere lower
  /// than that of the friction.
  struct Spring {
    double stiffness;  ///< N/m
    Vec3 slip;         ///< of the point from where it sticks, in terms of the unknown z, m
  };
  Spring friction_spring(const Contact& contact, const double* z) const;

  /// What friction remembers of the step before: contacts begin the step with it. Null: nothing. It
  /// is read whenever a step finds contacts.
  void use_memory(const FrictionMemory* memory) { memory_ = memory; }
  bool has_memory() const { return memory_ != nullptr; }
  /// Writes what friction remembers of a step that ends at z. A vertex remembers what presses on it
  /// most. The arrays of `memory` must have all vertices.
  void remember(const double* z, FrictionMemory& memory);

  /// Work of the friction forces at z over the step, J: positive if a collider drags vertices
  /// along.
  double friction_work(const double* z) const;

  /// Hessian of the energy of one contact with respect to its point, which is where z puts it: [3].
  /// N/m: 9 numbers, 3x3 symmetric positive semi-definite. as_spring: friction is that of
  /// `friction_spring`, which never promises less energy than there is.
  void hessian(const Contact& contact, const double* z, double* block,
               bool as_spring = false) const;

  /// Valid until the next call of `detect` or `begin_step`.
  std::span<const Contact> contacts() const { return {contacts_.get(), num_contacts_}; }
  /// The normal forces among them.
  std::span<const Contact> touching() const { return {contacts_.get(), num_touching_}; }
  Touch touch() const;
  /// An upper bound of the number of contacts.
  std::size_t max_contacts() const { return 2 * max_pairs(); }
  /// The number of points of edges and faces in this step, and an upper bound for any step. Points
  /// keep their places until the next step.
  std::size_t num_points() const { return surface_.points().size(); }
  std::size_t max_points() const { return surface_.max_points(); }
  const std::vector<ColliderObject>& colliders() const { return colliders_; }
  /// In the order of the bodies.
  const std::vector<ContactVertex>& vertices() const { return vertices_; }

  /// Where in the step z stands (ContactStep::stage).
  double stage() const { return stage_; }
  /// Coefficient of friction on a collider, or between bodies: SurfaceContact::no_collider.
  double friction_on(int collider) const {
    if (collider == SurfaceContact::no_collider) return friction_;
    return colliders_[static_cast<std::size_t>(collider)].friction().value_or(friction_);
  }
  /// Whether there is friction anywhere.
  bool has_friction() const;

 private:
  /// Something that can touch: a vertex, or a point of an edge or face.
  struct Toucher {
    ContactPoint point;
    int place;  ///< as in Contact
    double stiffness, added, soft_depth, size, slip_speed;
    bool is_inner;
  };
  /// A plane that contacts lie behind.
  struct Plane {
    int collider;
    Vec3 point, normal;  ///< m; unit
  };
  /// Holds a vertex in front of the plane where its path entered a collider.
  struct Held {
    std::size_t place;  ///< into vertices_
    int collider;
    Vec3 point, normal;  ///< m; unit
  };
  /// How two features press on each other when a step begins.
  struct Press {
    double force = 0;  ///< of their plane, N
    double depth = 0;  ///< in the whole layer between them, m
  };
  /// State of a contact at z.
  struct Local {
    double gap;    ///< (x - x_s) . n, m
    Vec3 slip;     ///< u, m
    double speed;  ///< |u|, m (over the step)
  };
  Local at_position(const Contact& contact, const double* z) const;
  std::size_t max_pairs() const {
    return vertices_.size() * colliders_.size() + surface_.max_points();
  }
  /// Whether vertices_[place] may touch a collider.
  bool may_touch(std::size_t place, int collider) const {
    const ContactVertex& own = vertices_[place];
    return own.held_by != collider &&
           colliders_[static_cast<std::size_t>(collider)].touches(own.body);
  }
  int body_of_vertex(int vertex) const {
    return vertices_[static_cast<std::size_t>(place_of_vertex_[static_cast<std::size_t>(vertex)])]
        .body;
  }
  int body_of(const ContactPoint& point) const { return body_of_vertex(point.vertices[0]); }
  void pose(double time_end, double h);
  void file(BodyLists& list, int body);
  void file_point(std::size_t place);
  template <class T, class Find>
  std::size_t find_in_blocks(T* out, Threads& threads, const Find& find);
  ContactWay way_to(const double* z) const { return {x_n_, z, stage_}; }
  Toucher vertex_at(std::size_t place) const;
  Toucher point_at(std::size_t place) const;
  std::size_t detect_block(std::size_t block, const double* z, Contact* out) const;
  std::size_t start_block(std::size_t block, Contact* out);
  std::size_t sweep_block(std::size_t block, const double* z, Held* out) const;
  bool start(const Toucher& own, Contact& contact) const;
  void start_point(std::size_t place);
  double layer_of(const Plane& plane, const Toucher& own) const;
  Contact behind(const Plane& plane, const Toucher& own, double depth, double shift) const;
  bool touches(std::size_t place, int collider, const Vec3& end, Contact& contact) const;
  bool touches(const Held& held, const Vec3& end, Contact& contact) const;
  Vec3 moved_on(const Vec3& middle, std::size_t place) const;
  Encounters find_points(const double* lifted, const double* z, bool held, Threads& threads);
  Encounters start_points(std::size_t before, const double* z, int count);
  static void before_growth(Contact& contact, double layer, double share);
  void start_pair(std::size_t place);
  void keep_from_start();
  int follow_paths(const double* z, Threads& threads);
  void add_pushed(const Pushed::Vertex& pushed, const double* z);
  bool follow(std::size_t place, int collider, const Vec3& end, Held& held) const;
  Vec3 anchor_of(const Toucher& own, int collider, const Vec3& surface) const;
  /// Calls visit(int vertex, std::int32_t partner, double weight) for the vertices of a contact
  /// with what they touch: see FrictionMemory.
  template <class Visit>
  void visit_sides(const Contact& contact, const Visit& visit) const {
    const ContactPoint& point = contact.point;
    const int first = body_of(point), last = body_of_vertex(point.vertices[point.count - 1]);
    for (int i = 0; i < point.count; ++i) {
      const double weight = point.weights[i];
      visit(point.vertices[i],
            contact.is_of_bodies() ? FrictionMemory::of_body(weight > 0 ? last : first)
                                   : contact.collider,
            weight);
    }
  }
  std::pair<int, int> bodies_of(const ContactPoint& point) const {
    const int a = body_of(point), b = body_of_vertex(point.vertices[point.count - 1]);
    return {std::min(a, b), std::max(a, b)};
  }
  void recall(Contact& contact) const;
  void share_normal_forces();
  void remember_normal_forces(const double* z, FrictionMemory& memory) const;
  Clearance* clearance_of(std::size_t place, std::size_t collider) const;
  Clearance* clearance_of_groups(std::size_t block, std::size_t collider) const;
  bool is_held(std::size_t place, int collider) const;
  double shift_of(std::size_t place, int collider) const;

  std::vector<ColliderObject> colliders_;
  std::vector<char> moves_;  ///< result of move_colliders
  double friction_;          ///< mu of colliders without their own
  std::vector<ContactVertex> vertices_;
  std::vector<int> place_of_vertex_;  ///< by number: index into vertices_; -1: none
  std::vector<double> pressing_;      ///< by number: mu N of what a vertex remembers, N
  std::unique_ptr<BodyPairs> pairs_;
  std::unique_ptr<ColliderGuard> guard_;
  std::unique_ptr<MeshPairs> meshes_;
  SurfacePoints surface_;
  std::vector<double> shares_;  ///< of their ways that bodies go
  const double* x_n_ = nullptr;
  double h_ = 0;                         ///< s
  double posed_time_ = 0, posed_h_ = 0;  ///< of the colliders, s
  double grown_before_ = 1;              ///< layers of colliders at x_n, as a share of now
  double stage_ = 1;                     ///< of z
  // [max_contacts()] and [max_pairs()], of which only the first ones are set. Left uninitialised,
  // so that the system provides memory only for what is used: few vertices are in contact at a
  // time.
  std::unique_ptr<Contact[]> contacts_;
  std::size_t num_contacts_ = 0, num_touching_ = 0;
  std::unique_ptr<Contact[]> from_start_;  ///< of the state at the start: friction and slow exits
  std::unique_ptr<Press[]> presses_;       ///< of those between bodies
  std::vector<Press> sums_;                ///< for each of memory_->normal_forces
  std::size_t num_from_start_ = 0;
  const FrictionMemory* memory_ = nullptr;
  std::unique_ptr<Held[]> held_, found_;
  std::unique_ptr<std::pair<double, int>[]> ahead_;  ///< distances and vertices
  std::size_t num_held_ = 0;
  std::unique_ptr<double[]> shift_of_point_;  ///< [max_points()], m
  std::vector<std::uint8_t> is_special_;      ///< for each vertex: whether it has a slow exit or is
                                              ///< held
  std::size_t num_bodies_;
  std::vector<PieceRange> blocks_;  ///< of vertices_
  std::vector<int>
      keeper_;  ///< of each collider: its number among those that keep clearances, or -1
  /// [keepers][vertices] and [keepers][blocks][groups]. Threads write those of different blocks.
  mutable std::vector<Clearance> clearances_, clearances_of_groups_;
  BodyPieces pieces_;  ///< blocks_
  BodyLists points_, held_of_bodies_, start_of_bodies_;
  std::vector<char> has_news_;  ///< [num_bodies]
  std::vector<std::size_t> count_in_block_;
};

}  // namespace supple

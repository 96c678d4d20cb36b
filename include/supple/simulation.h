#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "supple/attachment.h"
#include "supple/body_handle.h"
#include "supple/pose.h"
#include "supple/scene.h"
#include "supple/surface_hit.h"
#include "supple/task_system.h"

#pragma GCC visibility push(default)

namespace supple {

/// How a step ended.
enum class StepStatus {
  converged,        ///< |grad g| fell to the tolerance, or the integrator solves nothing
  iteration_limit,  ///< all iterations were used: the usual end in real time
  out_of_time,      ///< the next iteration would have exceeded budget_ms
  stalled,          ///< no step length decreases g any more: converged to rounding
  non_finite,       ///< positions, energy or gradient became non-finite: the state was restored
  failed,           ///< an exception ended it: the state was restored, check_step throws it
};

/// "converged", "iteration_limit", "out_of_time", "stalled", "non_finite", "failed".
const char* to_string(StepStatus status);

/// Progress of a scene given to Simulation::change, at the start of a step.
enum class SceneChange {
  none,     ///< no change is pending
  waiting,  ///< the new scene is being built: the step ran the old one
  done,     ///< the new scene took over: the step was its first
  failed,   ///< the new scene cannot be built: the old one goes on, check_change throws why
};

/// What a step did. Times are wall clock.
struct StepReport {
  StepStatus status = StepStatus::iteration_limit;
  int iterations = 0;              ///< of the minimiser, over all substeps
  int evaluations = 0;             ///< of the objective and its gradient
  double objective = 0;            ///< g at the end of the last substep, J
  double gradient_norm = 0;        ///< |grad g| there, N
  double start_gradient_norm = 0;  ///< there |grad g(x_0)|, or of the weight if a body rests, N
  /// Scale to compare gradient_norm with, N; xpbd and step_and_project only, else 0. The largest
  /// of: |M (z - y)|/a^2 (the sum of all forces but the weight), |M gravity|, the forces of pins at
  /// z, and the force that would move the body by 1e-7 of its size in a substep (rounding).
  /// |grad g(x_0)| would not do: stiff pins alone make it large.
  double force_scale = 0;
  /// Decrease of g, J, that the last direction of the last substep still promised: about the error
  /// g - g* before the last step. 0 without a step; infinite if no direction was found.
  double expected_decrease = 0;
  SceneChange change = SceneChange::none;
  /// Pairs of elements that came apart at the start of the frame, by Body::tearing and
  /// Scene::blades: this changes vertices, surface() and scene().
  int separated = 0;
  int sleeping_bodies = 0;         ///< from the next frame on: TimeSettings::sleep_after
  int inverted_tets = 0;           ///< with det F < 0
  int unfolding_bodies = 0;        ///< treated as `arap` in this frame: SolverSettings::recovery
  int contacts = 0;                ///< vertices in contact
  double contact_energy = 0;       ///< of the normal forces at the end of the frame, J
  double deepest_penetration = 0;  ///< of a vertex into a collider at the end of the frame, m
  /// Work of friction on the bodies in the frame, J: below 0 where it slows them, above 0 where
  /// moving colliders drag them along. 0 with explicit integrators.
  double friction_work = 0;
  double plastic_work = 0;  ///< elastic energy removed by plastic flow in the frame, J, >= 0
  /// Vertices, points of edges and faces that passed through a collider. In the contact mode
  /// barrier: triangles and segments of bodies inside moving colliders that left no way out.
  int tunnelled = 0;
  /// Times that a body's motion was shortened in a substep, because its surface would have met
  /// another one or itself although it has contacts, or because contacts had thrown it.
  int held_back = 0;
  /// Pairs of bodies whose surfaces intersect, and bodies that intersect themselves. They do not
  /// touch each other while they do.
  int overlaps = 0;
  /// Mechanical energy that the frame gained beyond the work of gravity, forces, pins and moving
  /// colliders, J, and the energy removed from velocities to prevent a larger gain.
  double energy_gain = 0, energy_removed = 0;
  int repeated_substeps = 0;  ///< solved more than once to avoid gaining energy
  int steady_substeps = 0;    ///< of those, finally solved in parts by backward Euler
  /// Estimated factor by which a body acted too soft because the method had not converged; 1:
  /// converged. Measured in some frames and kept in between.
  double unconverged = 1;
  /// Estimate for bodies held by pins: how far one has deviated from the motion of converged steps
  /// since the simulation began or its state was set, as a share of its largest displacement
  /// (docs/solvers.md). With implicit integrators.
  double drift = 0;
  /// Estimate for free bodies with friction: the speed that friction has wrongly taken from one, or
  /// given to it, since the simulation began or its state was set, because normal forces had not
  /// converged; as a share of its largest speed (docs/solvers.md). With the descent methods.
  double friction_error = 0;
  /// Largest |l/r - 1| of the inextensible springs and |V/V0 - 1| of the exact volumes at the end
  /// of the frame.
  double constraint_error = 0;
  double total_milliseconds = 0;
  double local_milliseconds = 0;    ///< forces and energies of tets, springs, membranes
  double solve_milliseconds = 0;    ///< descent direction: linear solves and the work around them
  double contact_milliseconds = 0;  ///< collision detection
};

/// Mechanical energy of a state, J.
struct Energies {
  double kinetic = 0;
  double elastic = 0;  ///< of tets, membranes, springs and rods
  double pins = 0;
  double gravity = 0;   ///< -sum m g . x
  double pressure = 0;  ///< of Body::pressure: 0 at rest, minus the work that it has done since
};

/// Two elements of a body (tets, triangles of a cloth or segments of a strand) that have come apart
/// at the face, edge or vertex that they shared.
struct Separation {
  std::int64_t frame = 0;  ///< number of frames before it
  int event = 0;           ///< ascending; pairs with the same number came apart at once
  int body = 0;
  int first = 0, second = 0;  ///< elements of the body
  bool operator==(const Separation&) const = default;
};

/// Everything needed to continue later with the same bits. Arrays are in scene order.
struct SimulationState {
  double time = 0;  ///< s
  std::int64_t frame = 0;
  std::vector<double> positions{};   ///< [num_vertices * 3], m
  std::vector<double> velocities{};  ///< [num_vertices * 3], m/s
  // Further memory of the integrator: [num_vertices * 3], or empty.
  std::vector<double> previous_positions{};   ///< m
  std::vector<double> previous_velocities{};  ///< m/s
  std::vector<double> accelerations{};        ///< m/s^2
  // State of StepReport::unconverged, so that reports continue too: its value, the next frame that
  // measures it, and how many frames after the last measurement that is (0: the next frame).
  double unconverged = 1;
  std::int64_t next_look = 0, look_interval = 0;
  // /solver/weights that follow the state: the stiffness of each tet in the matrix, and the
  // estimated time of evaluations that decides when the next matrix is built.
  std::vector<double> weights{};                 ///< [num_tets], Pa; empty: as fitted
  double weights_spent = 0, weights_worked = 0;  ///< s
  // /solver/recovery: for each body the number of frames in a row that began with tets inside out
  // or, negative, in which it was unfolded, and how often it was unfolded; empty: never.
  std::vector<int> unfolding{};  ///< [num_bodies * 2]
  /// For each tet F_p, row after row, and the accumulated plastic strain: [num_tets * 10]; empty if
  /// no material flows, or nothing has flowed yet.
  std::vector<double> plastic{};
  /// For each segment of a rod its direction, a unit vector across it that rotates with the
  /// material, and the twist at its start, rad: [num_segments * 7]; empty without rods, or for rods
  /// twisted as at rest.
  std::vector<double> rods{};
  /// For each inextensible spring its tension, N, below 0 under compression, in the order of bodies
  /// and springs; then for each exact volume the pressure inside minus that outside, Pa, in the
  /// order of bodies and of the first triangles around it. The next step starts from these values.
  /// Empty if there are none, or all are 0.
  std::vector<double> multipliers{};
  /// The friction at each vertex as a share of the largest, from what it has slipped: a vector of
  /// at most 1, along the surface; then what the vertex touches: a collider, or -2 minus a body, or
  /// -1 for nothing. [num_vertices * 4]; empty: there is none. With backward_euler.
  std::vector<double> friction{};
  /// The sums of the normal forces between two bodies, where friction acts: the numbers of both,
  /// the smaller first, and the force, N > 0: [pairs * 3]; empty: there are none. With
  /// backward_euler.
  std::vector<double> normal_forces{};
  /// TimeSettings::sleep_after: how long each body has rested, s, or -1 if it sleeps: [num_bodies];
  /// empty: none has rested.
  std::vector<double> rested{};
  /// Everything that has come apart since the bodies were whole, in that order; it determines their
  /// vertices. set_state accepts any list, and separates the whole bodies as it says.
  std::vector<Separation> separated{};
  /// TimeSettings::separate_after: what has been found and comes apart later, first what is being
  /// built, then what waits for that. `frame` is the number of frames before the frame in which it
  /// comes apart.
  std::vector<Separation> separating{};
};

struct SimulationOptions {
  int threads = 0;  ///< 0: as many as the machine has; any number gives the same bits
  /// Runs the work of `threads` threads; must outlive the simulation and any that it is moved to.
  /// Null: the library's own pool, one for the whole program.
  TaskSystem* tasks = nullptr;
};

/// Measures of the tets in a state. Arrays have one entry per tet, in scene order.
struct ElementMeasures {
  std::vector<double> determinant{};  ///< J = det F
  std::vector<double> von_mises{};    ///< of the Cauchy stress P F^T / J, Pa
  std::vector<Vec3> stretches{};      ///< signed principal stretches, descending
  /// Accumulated plastic strain of the simulation's state; empty if no material flows. Otherwise
  /// the members above refer to the elastic part F_e of F.
  std::vector<double> plastic_strain{};
};

/// Cauchy stress of a tet from the multipliers of its constraints: hydrostatic * I + deviatoric
/// [Macklin & Mueller 2021, sec. 3.2]. The two parts belong to the two terms of the energy; at rest
/// neither is zero, but they cancel.
struct MultiplierStress {
  double hydrostatic = 0;  ///< from the constraint on det F - gamma, Pa; -mu at rest
  /// From the constraint on |F|, Pa: xx, yy, zz, xy, yz, zx; mu I at rest
  std::array<double, 6> deviatoric{};
};

/// Constraints that are projected together; no two share a vertex.
struct ConstraintGroup {
  std::string of{};  ///< "tets", "springs"
  int size = 0;
};

/// A place where a body touches a collider or another body.
struct BodyContact {
  int body = 0;          ///< on which the force acts
  int other_body = -1;   ///< the body that it touches, on which -force acts; -1: a collider
  int collider = -1;     ///< index into Scene::colliders; -1: a body
  Vec3 point{0, 0, 0};   ///< on the body, m
  Vec3 normal{0, 0, 0};  ///< of what it touches, towards the body: unit
  double depth = 0;      ///< into the collider, or into the layer between two bodies, m
  Vec3 force{0, 0, 0};   ///< on the body: normal force and friction, N
};

/// Sum of the forces of bodies on a collider.
struct ColliderForce {
  Vec3 force{0, 0, 0};   ///< on the collider, N
  Vec3 torque{0, 0, 0};  ///< on the collider about `center`, N m
  /// Centre of the shape, moved by `motion`, m: for a mesh and points the middle of their box, for
  /// a plane its point nearest to the origin, for a function the origin. About another point p the
  /// torque is torque + (center - p) x force.
  Vec3 center{0, 0, 0};
};

/// A contact that has begun or ended.
struct ContactEvent {
  int body = 0;
  int other_body =
      -1;              ///< larger than `body`, or the same: the body touches itself; -1: a collider
  int collider = -1;   ///< index into Scene::colliders; -1: a body
  bool begins = true;  ///< false: they no longer touch
};

/// A running simulation of a scene. Vertices are numbered body after body in scene order.
///
/// The constructor builds and factorises; it throws Error if the scene cannot be simulated. `step`
/// never throws. After the first call it allocates nothing, except when something is factorised
/// (`newton`, `step_and_project`, /solver/weights that follow the state) or something built in the
/// background takes over.
///
/// Threads: const members may be called by any number of threads at once while no other member
/// runs; energies() and multiplier_stresses() then wait for each other. Other members need the
/// simulation to themselves. Different simulations are independent.
///
/// A simulation that was moved from can be destroyed or assigned to. Its `step` ends as
/// StepStatus::failed; all other members throw Error{invalid_input} at "simulation".
///
/// Pins, colliders and materials can change at any time, and bodies can be added and removed;
/// `change` replaces anything else by another scene on the same vertices. Slow preparations run on
/// a background thread while steps go on, and their results take over at a step that is known in
/// advance, so the same calls give the same bits, however busy the machine is. The destructor waits
/// for preparations that are still running.
class Simulation {
 public:
  explicit Simulation(const Scene& scene, const SimulationOptions& options = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Advances by one frame: `time.substeps` steps of `time.step / time.substeps` each. If it ends
  /// non-finite or fails (out of memory, a function of a material throws), the state from before it
  /// is restored. After a failure, references from scene(), surface(), body_vertices() are invalid.
  StepReport step() noexcept;

  /// Throws the reason why the last step failed, once: std::bad_alloc, the exception of a function
  /// of a material, or Error{invalid_input} at "simulation" if it was moved from. Otherwise does
  /// nothing.
  void check_step();

  /// Replaces the pins of a body from the next step on: to hold, drag and release. scene() includes
  /// them. A scene that waits to take over gets them too.
  ///
  /// Moving the targets alone costs next to nothing. If the solver has factorised a matrix, up to
  /// 32 vertices whose pins have changed since are accounted for at once and exactly, for about one
  /// solve each. With more, or with vertices released on a body above some 60,000 tets, the matrix
  /// is prepared again in the background; directions are less good until then.
  ///
  /// Throws Error{invalid_input}, with nothing changed, for pins that the constructor would refuse
  /// and for a body that does not exist.
  void set_pins(int body, std::vector<Pin> pins);

  /// Replaces the colliders from the next step on, by any number of any shapes. scene() includes
  /// them; the contact settings stay. A scene that waits to take over gets them too. The cost is
  /// next to nothing, except for mesh shapes, which the call prepares.
  ///
  /// Motions are functions of the simulation's time. A displacement between two calls is not a
  /// velocity: friction does not drag bodies along with it.
  ///
  /// Throws Error{invalid_input}, with nothing changed, for colliders and contact settings that the
  /// constructor would refuse.
  void set_colliders(std::vector<Collider> colliders);

  /// Replaces the material of a body's tets from the next step on; the model may differ. Regions,
  /// layers, fibers and plastic strains stay, and so does whether the material flows
  /// (`plasticity`). scene() includes it. A scene that waits to take over keeps its own material.
  /// Takes some milliseconds for ten thousand tets.
  ///
  /// The matrices factorised by l_bfgs, quasi_newton, chebyshev and projective_dynamics, and the
  /// preconditioners laplacian and rest of conjugate gradients, stay those of the old material.
  /// Every step still descends to the same minimum, but a step of few iterations gets less far the
  /// more the stiffness has changed; `change(scene())` brings the new matrix. Other methods
  /// give the bits of a simulation built with the new material.
  ///
  /// Throws Error{invalid_input}, with nothing changed, for a material that the constructor would
  /// refuse or the method cannot run, for per-tet parameters of the wrong length, and for a body
  /// that does not exist or has no tets.
  void set_material(int body, const MaterialSettings& material);

  // Settings without set-up, from the next step on. Nothing is factorised; set_gravity and
  // set_friction prepare the colliders as set_colliders does. scene() includes them, a scene that
  // waits to take over gets them too, and the steps have the bits of a simulation built with them.
  // All throw Error{invalid_input}, with nothing changed, as the constructor does, naming the key
  // of the scene.

  void set_gravity(const Vec3& gravity);  ///< m/s^2
  void set_drag(double drag);             ///< DampingSettings::drag, 1/s
  void set_friction(double friction);     ///< ContactSettings::friction
  void set_iterations(int iterations);    ///< SolverSettings::iterations
  void set_tolerance(double tolerance);   ///< SolverSettings::tolerance
  void set_budget(double milliseconds);   ///< SolverSettings::budget_ms
  void set_line_search(const LineSearchSettings& line_search);

  // Forces act during the next step with all its substeps and are then cleared; several add up. A
  // force F on a free body changes its momentum by F times time.step, with every integrator. Forces
  // are not part of state(): set_state drops them, a scene that takes over keeps them.
  //
  // Impulses and set_velocity change the velocities at once, and state() with them. An impulse J
  // changes the momentum by J, and the next steps keep it, with every integrator.
  //
  // On a whole body they are distributed like its weight; on a SurfaceHit, by its weights to its
  // corners; otherwise one per vertex, in scene order. Pins and contacts resist them as they resist
  // gravity. All throw Error{invalid_input}, with nothing changed: naming the
  // argument for numbers that are not finite, sizes that differ, and bodies or vertices that do not
  // exist or have no mass; at /time/integrator for quasi_static, which has no momentum.

  void add_force(int body, const Vec3& force);  ///< N
  void add_force(const SurfaceHit& hit, const Vec3& force);
  void add_force(std::span<const int> vertices, std::span<const Vec3> forces);
  /// Removes the forces added since the last step.
  void clear_forces();

  void add_impulse(int body, const Vec3& impulse);  ///< N s
  void add_impulse(const SurfaceHit& hit, const Vec3& impulse);
  void add_impulse(std::span<const int> vertices, std::span<const Vec3> impulses);

  /// Sets the velocity of all vertices of a body, m/s.
  void set_velocity(int body, const Vec3& velocity);

  // With TimeSettings::sleep_after, bodies that have rested this long sleep: they stay where they
  // are, bit for bit, and cost nothing until something acts on them (docs/changing.md). Any call
  // that acts on a body wakes it, and a body that wakes also wakes those that it touches.

  /// Whether a body sleeps from the next step on. Throws Error{invalid_input} if there is no such
  /// body.
  bool is_asleep(int body) const;
  /// Wakes a body as if something acted on it.
  void wake(int body);

  // An attachment holds vertices, or one point of a body, at targets in world coordinates, by
  // springs with rest length zero: k/2 |x - target|^2 each, where k is `stiffness`, N/m, > 0.
  // Attachments add to the pins of the scene. They outlast set_pins and `change`, and are not part
  // of state(): set_state leaves them as they are.
  //
  // Targets are in m. When a target has moved, the next step reaches it, in a straight line over
  // the step. The cost of moving targets depends only on the number of held vertices; attaching and
  // detaching cost as much as set_pins does.
  //
  // All throw Error{invalid_input}, with nothing changed, naming the argument: for numbers that are
  // not finite or above 1e100, sizes that differ, and bodies, vertices or tets that do not exist;
  // and at "attachment" for one that was detached.

  /// Holds vertices of a body, each by a spring of its own. vertices: indices in the body, from 0,
  /// each once. targets: one for each.
  Attachment attach(int body, std::span<const int> vertices, std::span<const Vec3> targets,
                    double stiffness);
  /// Holds the point sum of weight * position by one spring. Its force acts at the point, so the
  /// body can rotate about it. Only the vertices and weights of the hit are read.
  Attachment attach(const SurfaceHit& hit, const Vec3& target, double stiffness);
  /// The same for a point in a tet, counted body after body. weights: of its corners, >= 0, with
  /// sum 1.
  Attachment attach(int tet, const std::array<double, 4>& weights, const Vec3& target,
                    double stiffness);

  /// Ties vertices of a body to another one where both are now, as Bond does. vertices: indices in
  /// the body, from 0, each once. to: the other body. stiffness: N/m per vertex; 0: chosen for
  /// each. It has no targets, and ends when either body is removed. Attaching and detaching
  /// factorise the matrix of both bodies in the call. Refused at "to" by the methods that refuse
  /// bonds (docs/bonds.md).
  Attachment attach(int body, std::span<const int> vertices, int to, double stiffness = 0);

  /// Moves the targets: one for each vertex, or one for a point.
  void set_targets(Attachment attachment, std::span<const Vec3> targets);
  /// Moves the targets given to `attach` rigidly: to R target + d. R must be a rotation.
  void set_targets(Attachment attachment, const Pose& pose);
  /// Moves the target of a point or of a single vertex.
  void set_target(Attachment attachment, const Vec3& target);

  /// Releases it. With quasi_static, refused at /time/integrator if nothing else holds the body.
  void detach(Attachment attachment);
  /// False for an attachment that was detached or default-constructed.
  bool is_attached(Attachment attachment) const;

  /// Force of an attachment on the body at the end of the last step, N: stiffness * (target - x).
  /// If it ties two bodies: on the body whose vertices are tied; the opposite force acts on the
  /// other. About zero with pbd, which ignores the stiffness.
  Vec3 force(Attachment attachment) const;
  /// The same on each vertex; for a point, on each corner with a nonzero weight.
  std::vector<Vec3> forces(Attachment attachment) const;

  // Copies one body into the caller's memory: x y z of each vertex, each vertex `stride` numbers
  // after the one before, as in a vertex buffer. For n vertices `out` holds at least (n - 1) *
  // stride + 3 and at most n * stride numbers; only 3 n of them are written. Throw
  // Error{invalid_input} naming the argument.

  void body_positions(int body, std::span<double> out, int stride = 3) const;  ///< m
  void body_positions(int body, std::span<float> out, int stride = 3) const;
  void body_velocities(int body, std::span<double> out, int stride = 3) const;  ///< m/s
  void body_velocities(int body, std::span<float> out, int stride = 3) const;
  /// Unit, outward: the area-weighted mean of the normals of a vertex's triangles. 0 0 0 for
  /// vertices without a triangle, such as inner ones and those of strands.
  void body_normals(int body, std::span<double> out, int stride = 3) const;
  void body_normals(int body, std::span<float> out, int stride = 3) const;
  /// The smallest box around the vertices, m.
  Box body_bounds(int body) const;
  /// The body's triangles: indices into surface() from `first` on.
  struct TriangleRange {
    int first = 0;
    int count = 0;
  };
  TriangleRange body_triangles(int body) const;

  // Bodies can be added and removed between two steps. Every `int body` argument is the index of a
  // body in scene().bodies. The index decreases when a body before it is removed; a handle names
  // the same body for as long as it exists, also across `change`, and index() gives its index.
  //
  // Bodies that stay keep everything: positions, velocities, the integrator's memory of them,
  // attachments, forces that wait for the next step, user data, and their order. So do time, frame
  // and all settings. Added bodies come last and start as in a scene at time 0: `mesh` is in world
  // coordinates, and `initial` and `velocity` apply; only motions of pins count from time 0. bdf2
  // assumes that an added body was in free flight before, and newmark computes its acceleration
  // where it starts. A body that touches another one, or nearly does, is moved away from it; one
  // that overlaps another stays where it is and does not touch it until the two have come apart.
  // References returned by scene(), surface() and body_vertices() are invalid afterwards.
  //
  // A call costs the set-up of the added bodies and a share of that of all others, whose orders,
  // factors and surfaces are reused: it is best to change several bodies by one call
  // (docs/changing.md). The next step may allocate. The steps have the bits of a simulation that is
  // built with scene() and given state(), except for attachments, which its matrix contains as it
  // does pins.
  //
  // All throw Error{invalid_input}, with nothing changed: at "body" for the handle of a removed
  // body or a default-constructed one; at "change" while a scene waits to take over; and, naming
  // the place in the resulting scene, for a name that another body has and for anything that the
  // constructor would refuse, such as a scene without bodies. Nothing changes either if memory runs
  // out.

  /// Adds a body, without a name or with one that no other body has.
  BodyHandle add_body(const Body& body);
  void remove_body(BodyHandle body);
  /// Removes and adds bodies at the cost of one call. Returns handles of the added bodies in their
  /// order.
  std::vector<BodyHandle> change_bodies(std::span<const BodyHandle> removed,
                                        std::span<const Body> added);

  /// False for a body that was removed and a default-constructed handle.
  bool is_alive(BodyHandle body) const;
  /// The current index of a body.
  int index(BodyHandle body) const;
  /// The handle of a body by its index. Bodies of the constructor's scene have one too.
  BodyHandle handle(int body) const;

  /// A number of the program's own for a body, for example an entity or a pointer; 0 at first. It
  /// has no effect.
  void set_user_data(BodyHandle body, std::uint64_t data);
  std::uint64_t user_data(BodyHandle body) const;

  // Tets come apart along faces, cloth along edges, strands at vertices; no element changes shape
  // or disappears. If the elements around a vertex then form several groups, each further group
  // gets a copy of the vertex, after all vertices of the body; the indices of later bodies'
  // vertices increase. Copies have the vertex's position, velocity and integrator memory; masses
  // follow from the elements, so mass, momentum and energy are preserved. Pins hold all copies and
  // divide their stiffness among them; an attachment to vertices keeps the original vertex, one to
  // a point stays in its element. References returned by scene(), surface() and body_vertices() are
  // invalid afterwards (docs/tearing.md).
  //
  // Both return how many pairs of elements come apart: at once or, with
  // TimeSettings::separate_after, in a later step. They throw Error{invalid_input} with nothing
  // changed: at "change" while a scene waits to take over, and for bodies that cannot be cut.

  /// Cuts bodies where they are now: elements come apart if their centres are on different sides of
  /// a triangle and the line between the centres passes through it. Throws at "triangles[i]" for
  /// corners that are not finite or in one line. bodies: those to cut; empty: all.
  int cut(std::span<const std::array<Vec3, 3>> triangles, std::span<const int> bodies = {});
  /// Separates pairs of elements of a body: tets that share a face, triangles an edge, or segments
  /// of a strand a vertex. Throws at "elements" for pairs that do not, or no longer do.
  int separate(int body, std::span<const std::array<int, 2>> elements);

  /// Continues with another scene: other materials, springs, regions, layers, colliders, gravity,
  /// solver, integrator or time, and other tets on the same vertices (a body that is cut or torn).
  /// The bodies stay, each with its number of vertices. Positions, velocities, time and frame carry
  /// over; `initial` and `velocity` have no effect. The integrator keeps its previous positions if
  /// the time step stays the same, but never its accelerations.
  ///
  /// What was found to come apart, but has not yet, stays together.
  ///
  /// after_frames 0: the new scene is built in the call and has taken over on return. Otherwise it
  /// is built on another thread; the next `after_frames` steps run the old scene, and the step
  /// after them starts by switching, waiting for the build if necessary. References returned by
  /// scene(), surface() and body_vertices() are invalid from then on. A new change replaces one
  /// that is still waiting. Functions in materials (valanis_landel) must be thread-safe.
  ///
  /// Throws Error, with nothing changed, for a scene that cannot be simulated; it names
  /// /bodies/k/mesh if a number of vertices differs. With after_frames > 0 only settings, pins and
  /// numbers of vertices are checked here; any other fault shows in StepReport::change when the
  /// scene should take over, and check_change throws it.
  void change(const Scene& scene, int after_frames = 0);

  /// True from a change with after_frames > 0 until it has taken over or failed.
  bool change_is_waiting() const;

  /// Throws the Error of a change that failed, once; otherwise does nothing.
  void check_change();

  int num_vertices() const;
  int num_tets() const;
  int num_threads() const;
  double time() const;         ///< s
  std::int64_t frame() const;  ///< steps taken

  /// Copies num_vertices * 3 values, x y z of each vertex. Throws Error if `out` has another size.
  void copy_positions(std::span<double> out) const;
  void copy_velocities(std::span<double> out) const;

  SimulationState state() const;
  /// Throws Error{invalid_input} for arrays of the wrong size or non-finite values.
  void set_state(const SimulationState& state);

  Energies energies() const;
  /// Measures of the tets at any positions: [num_vertices * 3], m.
  ElementMeasures measure(std::span<const double> positions) const;

  /// Stresses by the multipliers of a position-based method, Pa, one entry per tet in scene order:
  /// p I with p = l_H/(a^2 V), and mu F F^T/J for the constraint on |F| [Macklin & Mueller 2021,
  /// sec. 3.2]. F is taken where the last substep was solved: at the current positions, or in the
  /// middle of that substep with implicit_midpoint. Zeros for tets whose material has no constraint
  /// on det F. Empty if the solver has no multipliers, before the first step, and after set_state
  /// or a step that ended non-finite.
  std::vector<MultiplierStress> multiplier_stresses() const;
  /// Groups of constraints that a position-based method projects together, in the order of an
  /// iteration; empty for other methods.
  std::vector<ConstraintGroup> constraint_groups() const;

  /// Contacts at the end of the last step, in an order that does not depend on the number of
  /// threads; empty before the first step, after the state or the colliders were changed, and with
  /// explicit integrators. Forces are those of the contacts' energies there: with position-based
  /// methods, and if a step is far from converged, they need not balance the other forces.
  std::vector<BodyContact> contacts() const;

  /// Sums of those forces on each collider of the scene, in its order, with those of pins that
  /// follow it (Pin::collider): [num_colliders]. Contacts have none where contacts() is empty.
  std::vector<ColliderForce> collider_forces() const;

  /// The same forces on each vertex, x y z, N: [num_vertices * 3], in scene order. Throws Error if
  /// `out` has another size.
  void copy_contact_forces(std::span<double> out) const;

  /// Contacts between two bodies, or a body and a collider, that exist at the end of the last step
  /// and did not at the end of the previous one, and the reverse; sorted by body, and for each body
  /// first its contacts with bodies, then with colliders. Contacts during only part of a frame are
  /// not reported. If the state, the scene or the number of colliders was changed since the
  /// previous step, all contacts begin anew.
  std::vector<ContactEvent> contact_events() const;

  // Queries against the deformed surface: the triangles of surface(), and the segments of strands
  // if the query says so. Any number of threads may query at once while no step runs. The first
  // query builds a tree of boxes, the first one after each step refits it. All throw
  // Error{invalid_input}, naming an argument that is not finite or out of its range.

  /// Where a ray first hits a triangle, within max_distance, m (>= 0, may be infinite). direction
  /// may have any length but zero. Both sides are hit: dot(normal, direction) > 0 if the ray leaves
  /// a body. No ray passes between triangles that share an edge. Strands, which have no
  /// thickness, and triangles without area are not hit.
  std::optional<SurfaceHit> raycast(
      const Vec3& origin, const Vec3& direction,
      double max_distance = std::numeric_limits<double>::infinity()) const;

  /// The nearest point of a body, strands included, no farther than max_distance, m (>= 0, may be
  /// infinite). The distance is negative inside a body of tets, as decided by the normals there
  /// [Baerentzen & Aanaes 2005]; if a body intersects itself, by those of the nearest triangle.
  std::optional<SurfaceHit> closest_point(
      const Vec3& point, double max_distance = std::numeric_limits<double>::infinity()) const;

  /// Bodies, ascending, whose surface or segments touch the volume (its border included), and
  /// bodies of tets that contain it.
  std::vector<int> overlap(const Box& box) const;
  std::vector<int> overlap(const SphereShape& sphere) const;

  /// Vertices in the volume (its border included), ascending, in scene order, including those
  /// inside bodies. Tests every vertex.
  std::vector<int> vertices_in(const Box& box) const;
  std::vector<int> vertices_in(const SphereShape& sphere) const;

  /// Surface of all bodies but strands, as indices into the scene's vertices.
  const std::vector<std::array<int, 3>>& surface() const;
  /// First vertex of each body, then num_vertices(): [num_bodies + 1].
  const std::vector<int>& body_vertices() const;
  const Scene& scene() const;

 private:
  struct [[gnu::visibility("hidden")]] Implementation;
  Implementation& self();
  const Implementation& self() const;

  std::unique_ptr<Implementation> implementation_;
};

/// What is available, in the order of the docs.
std::vector<Description> list_materials();           ///< of tets; all but volume for membranes too
std::vector<Description> list_membrane_materials();  ///< only for membranes
std::vector<Description> list_spring_materials();    ///< of cloth and strands
std::vector<Description> list_rigid_materials();     ///< of bodies of tets that do not deform
std::vector<Description> list_bending_models();      ///< of membranes
std::vector<Description> list_fabrics();             ///< measured ones, for membranes
std::vector<Description> list_solvers();
/// Keys of /solver: default; allowed values; methods that read it; meaning.
std::vector<Description> list_solver_options();
std::vector<Description> list_integrators();

}  // namespace supple

#pragma GCC visibility pop

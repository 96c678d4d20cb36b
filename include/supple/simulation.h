#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "supple/scene.h"
#include "supple/surface_hit.h"

namespace supple {

/// How a step ended.
enum class StepStatus {
  converged,        ///< |grad g| fell to the tolerance, or the integrator solves nothing
  iteration_limit,  ///< the budget was used up: the usual end in real time
  out_of_time,      ///< the next iteration would have ended after budget_ms
  stalled,          ///< no step length decreases g any more: converged to rounding
  non_finite,       ///< positions, energy or gradient are not finite: the state is the one before
};

/// "converged", "iteration_limit", "out_of_time", "stalled", "non_finite".
const char* to_string(StepStatus status);

/// What became of a scene given to Simulation::change, at the beginning of a step.
enum class SceneChange {
  none,     ///< none was given
  waiting,  ///< it is being built: the step was one of the scene before
  done,     ///< it took over: the step was its first
  failed,   ///< it cannot be built: the scene before goes on, check_change throws why
};

/// What a step did. Times are wall clock.
struct StepReport {
  StepStatus status = StepStatus::iteration_limit;
  int iterations = 0;              ///< of the minimiser, over all substeps
  int evaluations = 0;             ///< of the objective and its gradient
  double objective = 0;            ///< g at the end of the last substep, J
  double gradient_norm = 0;        ///< |grad g| there, N
  double start_gradient_norm = 0;  ///< |grad g(x_0)| of the last substep, N
  /// Of xpbd and step_and_project, what gradient_norm is to be held against, N: the largest of
  /// |M (z - y)|/a^2 (what all forces but the weight come to), |M gravity|, what pins press at z
  /// and the force that would move the body in a substep by 1e-7 of its size (rounding). 0 of other
  /// methods: |grad g(x_0)| is of no use here, for stiff pins alone make it large.
  double force_scale = 0;
  /// Of g, J, that the last direction of the last substep still promised: about the error g - g*
  /// before the last step. 0 where there was no step.
  double expected_decrease = 0;
  SceneChange change = SceneChange::none;
  int inverted_tets = 0;           ///< with det F < 0
  int contacts = 0;                ///< vertices in contact
  double contact_energy = 0;       ///< of the normal forces at the end of the frame, J
  double deepest_penetration = 0;  ///< of a vertex into a collider at the end of the frame, m
  int tunnelled = 0;               ///< vertices, points of edges and faces that passed a collider
  /// Mechanical energy that the frame gained beyond the work of weight, forces, pins and moving
  /// colliders, J, and what was taken out of its velocities so that it should not gain more.
  double energy_gain = 0, energy_removed = 0;
  int repeated_substeps = 0;  ///< that were solved more than once to keep the energy
  int steady_substeps = 0;    ///< of them, those that ended by backward Euler in place of their own
  /// Estimated factor by which the body acted too soft, because the method was not converged: 1
  /// when it was. Measured in some frames and kept in those between.
  double unconverged = 1;
  double total_milliseconds = 0;
  double local_milliseconds = 0;    ///< forces and energies of tets and springs
  double solve_milliseconds = 0;    ///< descent direction: linear solves and what surrounds them
  double contact_milliseconds = 0;  ///< collision detection
};

/// Mechanical energy of a state, J.
struct Energies {
  double kinetic = 0;
  double elastic = 0;  ///< of tets and springs
  double pins = 0;
  double gravity = 0;  ///< -sum m g . x
};

/// All that is needed to go on later with the same bits. Arrays in scene order.
struct SimulationState {
  double time = 0;  ///< s
  std::int64_t frame = 0;
  std::vector<double> positions{};   ///< [num_vertices * 3], m
  std::vector<double> velocities{};  ///< [num_vertices * 3], m/s
  // What the integrator remembers beside them: [num_vertices * 3], or empty.
  std::vector<double> previous_positions{};   ///< m
  std::vector<double> previous_velocities{};  ///< m/s
  std::vector<double> accelerations{};        ///< m/s^2
  // Of StepReport::unconverged, so that reports go on too: what it is, the frame that measures it
  // next and how many frames after the last one that is; 0: the next frame.
  double unconverged = 1;
  std::int64_t next_look = 0, look_interval = 0;
};

struct SimulationOptions {
  int threads = 0;  ///< 0: as many as the machine has; the result has the same bits for any number
};

/// What the elements tell about a state. Arrays have one entry a tet, in scene order.
struct ElementMeasures {
  std::vector<double> determinant{};  ///< J = det F
  std::vector<double> von_mises{};    ///< of the Cauchy stress P F^T / J, Pa
  std::vector<Vec3> stretches{};      ///< signed principal stretches, descending
};

/// What the multipliers of a tet's constraints say about its stress [Macklin & Mueller 2021, sec.
/// 3.2]: the Cauchy stress is hydrostatic * I + deviatoric. The two are those of the energy's
/// terms, so that neither is zero at rest, where they cancel.
struct MultiplierStress {
  double hydrostatic = 0;  ///< of det F - gamma, Pa; -mu at rest
  /// Of |F|, Pa: xx, yy, zz, xy, yz, zx; mu I at rest
  std::array<double, 6> deviatoric{};
};

/// Constraints that are projected together, touching no vertex twice.
struct ConstraintGroup {
  std::string of{};  ///< "tets", "springs"
  int size = 0;
};

/// A scene being simulated. Vertices are numbered body after body in scene order.
///
/// The constructor builds and factorises; it throws Error for what cannot be simulated. `step`
/// never throws and, after the first call, allocates nothing (except with the solvers `newton` and
/// `step_and_project`, which factorise, and where something takes over that was built beside it).
///
/// Pins, colliders and the materials of bodies can change at any time, all else by another scene on
/// the same vertices. What takes long is then built on a further thread while steps go on, and
/// taken at a step that is known beforehand: the same calls give the same bits, however busy the
/// machine is. Destroying a simulation waits for what is being built.
class Simulation {
 public:
  explicit Simulation(const Scene& scene, const SimulationOptions& options = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// One frame: `time.substeps` steps of `time.step / time.substeps` each. When it ends non-finite
  /// the state is the one before the frame.
  StepReport step();

  /// The pins of a body from the next step on, in place of those that it has: to hold, drag and
  /// release. scene() shows them. Only moving the targets costs next to nothing. Where the solver
  /// has factorised a matrix, up to 32 vertices that are held otherwise than when it did are taken
  /// into account at once and exactly, at the price of about one solve each; for more, and for
  /// vertices let go of a body above some 60,000 tets, the matrix is prepared again beside the
  /// steps, whose directions are less good meanwhile. A scene that waits to take over gets the pins
  /// too.
  ///
  /// Throws Error{invalid_input} as the constructor does for pins, and for a body that is not
  /// there; nothing has changed then.
  void set_pins(int body, std::vector<Pin> pins);

  /// The colliders from the next step on, in place of those that the scene has: any number of any
  /// shapes. scene() shows them; the settings of contact stay. Nothing is factorised, so that this
  /// costs next to nothing but for shapes of a mesh, which are prepared in the call. Their motions
  /// are functions of the time of the simulation; what a collider moves by between two calls is no
  /// velocity of its own and drags nothing along by friction. A scene that waits to take over gets
  /// the colliders too.
  ///
  /// Throws Error{invalid_input} as the constructor does for colliders and the settings of contact;
  /// nothing has changed then.
  void set_colliders(std::vector<Collider> colliders);

  /// The material of the tets of a body from the next step on (regions, layers and fiber stay), of
  /// the same model or another one. scene() shows it. Some milliseconds for ten thousand tets. What
  /// was prepared from the materials before stays in use: the matrices that l_bfgs, quasi_newton,
  /// chebyshev and projective_dynamics factorised (and the preconditioners laplacian and rest of
  /// conjugate gradients). Every step still descends to the same minimum, but a step of few
  /// iterations may come less far the more the stiffness differs; `change` to scene() brings the
  /// matrix of the new material. Other methods keep nothing and have the bits of a simulation that
  /// is built with it. A scene that waits to take over keeps its own material.
  ///
  /// Throws Error{invalid_input} as the constructor does for materials, parameters per tet of
  /// another number and materials that the method cannot run, and for a body that is not there or
  /// has no tets; nothing has changed then.
  void set_material(int body, const MaterialSettings& material);

  // Settings that cost next to nothing, from the next step on: nothing is factorised, and nothing
  // built but, by set_gravity and set_friction, what set_colliders builds. scene() shows them, a
  // scene that waits to take over gets them too, and the steps have the bits of a simulation that
  // is built with them. All throw Error{invalid_input} as the constructor does, naming the key of
  // the scene; nothing has changed then.

  void set_gravity(const Vec3& gravity);  ///< m/s^2
  void set_drag(double drag);             ///< DampingSettings::drag, 1/s
  void set_friction(double friction);     ///< ContactSettings::friction
  void set_iterations(int iterations);    ///< SolverSettings::iterations
  void set_tolerance(double tolerance);   ///< SolverSettings::tolerance
  void set_budget(double milliseconds);   ///< SolverSettings::budget_ms
  void set_line_search(const LineSearchSettings& line_search);

  // Forces act through the next step, all of its substeps, and are cleared by it; several add up. A
  // force F on a free body changes its momentum by F times time.step, with every integrator. They
  // are no part of state(): set_state drops them, a scene that takes over keeps them.
  //
  // Impulses and set_velocity change velocities at once, and state() with them: an impulse J the
  // momentum by J, in the step too, with every integrator.
  //
  // On a whole body they are shared as its weight is; on a SurfaceHit, by its weights, on its
  // corners; else on vertices in scene order, one for each. Pins and contacts act against them as
  // against the weight. All throw Error{invalid_input}, naming the argument, for numbers that are
  // not finite, sizes that differ and bodies or vertices that do not exist or have no mass, and at
  // /time/integrator for quasi_static, which knows no momentum; nothing has changed then.

  void add_force(int body, const Vec3& force);  ///< N
  void add_force(const SurfaceHit& hit, const Vec3& force);
  void add_force(std::span<const int> vertices, std::span<const Vec3> forces);
  /// Takes back what was added since the last step.
  void clear_forces();

  void add_impulse(int body, const Vec3& impulse);  ///< N s
  void add_impulse(const SurfaceHit& hit, const Vec3& impulse);
  void add_impulse(std::span<const int> vertices, std::span<const Vec3> impulses);

  /// All vertices of a body move at this velocity, m/s.
  void set_velocity(int body, const Vec3& velocity);

  /// Goes on with another scene: other materials, springs, regions, layers, colliders, gravity,
  /// solver, integrator, time; other tets on the same vertices where a body is cut or torn. Body by
  /// body it must have as many vertices as this one. Positions, velocities, time and frame are kept
  /// (`initial` and `velocity` are of no effect), and what the integrator remembers where it means
  /// the same: last positions for an equal time step, never accelerations.
  ///
  /// after_frames 0: it is built here and has taken over when this returns. Else it is built on
  /// another thread, the next `after_frames` steps are of the scene as it is, and the one after
  /// them begins by taking over, waiting where the build is not done. Then what scene(), surface()
  /// and body_vertices() returned before is gone. A change that was still waiting is dropped.
  /// Functions in materials (valanis_landel) must bear to be called by two threads.
  ///
  /// Throws Error for a scene that cannot be simulated, naming /bodies/k/mesh where the vertices
  /// are not as many; nothing has changed then. With after_frames > 0 only settings, pins and
  /// numbers of vertices are looked at here: what else is wrong shows when it would take over, as
  /// StepReport::change, and check_change throws it.
  void change(const Scene& scene, int after_frames = 0);

  /// From a change with after_frames > 0 until it took over or failed.
  bool change_is_waiting() const;

  /// Throws, once, the Error of a change that failed; nothing where none did.
  void check_change();

  int num_vertices() const;
  int num_tets() const;
  int num_threads() const;
  double time() const;         ///< s
  std::int64_t frame() const;  ///< steps taken

  /// Copies num_vertices * 3 values, x y z of each vertex; throws Error for another size.
  void copy_positions(std::span<double> out) const;
  void copy_velocities(std::span<double> out) const;

  SimulationState state() const;
  /// Throws Error{invalid_input} for arrays of another size or non-finite values.
  void set_state(const SimulationState& state);

  Energies energies() const;
  /// Measures of any positions of this body: [num_vertices * 3], m.
  ElementMeasures measure(std::span<const double> positions) const;

  /// Stresses by the multipliers of a position-based method, Pa, one entry a tet in scene order:
  /// with F where the last substep was solved (the current positions; with implicit_midpoint those
  /// in the middle of that substep), hydrostatic p = l_H/(a^2 V), p I, and for |F| the stress
  /// mu F F^T/J of its multiplier [Macklin & Mueller 2021, sec. 3.2]. Zeros for tets of a material
  /// that is no constraint on det F. Empty where the solver has no multipliers, before the first
  /// step and after set_state or a step that ended non-finite.
  std::vector<MultiplierStress> multiplier_stresses() const;
  /// What a position-based method projects together, in the order of an iteration; empty for other
  /// methods.
  std::vector<ConstraintGroup> constraint_groups() const;

  // Queries against the surface as it is deformed now: the triangles of surface(), and the segments
  // of strands where the query says so. Any threads may ask at once while no step runs. The first
  // query after a step fits boxes to the new positions, the very first one builds a tree of them.
  // All throw Error{invalid_input} naming the argument that is not finite or out of its range.

  /// Where a ray first meets a triangle, within max_distance, m (>= 0, may be infinite). direction:
  /// of any length but zero. Both sides are met: dot(normal, direction) > 0 where the ray leaves a
  /// body. No ray passes between triangles that share an edge. Strands have no thickness and are
  /// not met, nor are triangles without area.
  std::optional<SurfaceHit> raycast(
      const Vec3& origin, const Vec3& direction,
      double max_distance = std::numeric_limits<double>::infinity()) const;

  /// The nearest place on a body, strands included, no farther than max_distance, m (>= 0, may be
  /// infinite). The distance is negative inside a body of tets, as the normals there say
  /// [Baerentzen & Aanaes 2005]: where a body passes through itself, those of the nearest triangle.
  std::optional<SurfaceHit> closest_point(
      const Vec3& point, double max_distance = std::numeric_limits<double>::infinity()) const;

  /// The bodies, ascending, whose surface or segments touch the volume (its border included) or,
  /// of tets, which hold all of it inside.
  std::vector<int> overlap(const Box& box) const;
  std::vector<int> overlap(const SphereShape& sphere) const;

  /// The vertices in a volume (its border included), ascending, in scene order: those inside of
  /// bodies too. Looks at every vertex.
  std::vector<int> vertices_in(const Box& box) const;
  std::vector<int> vertices_in(const SphereShape& sphere) const;

  /// Surface of all bodies, indices into the scene's vertices; nothing of a strand.
  const std::vector<std::array<int, 3>>& surface() const;
  /// First vertex of each body, and num_vertices() at the end: [num_bodies + 1].
  const std::vector<int>& body_vertices() const;
  const Scene& scene() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// A name with the line that `supple list` prints of it.
struct Description {
  std::string name{};
  std::string text{};  ///< what it is and its parameters
};

/// What there is, in the order of the docs.
std::vector<Description> list_materials();         ///< of tets
std::vector<Description> list_spring_materials();  ///< of cloth and strands
std::vector<Description> list_solvers();
std::vector<Description> list_integrators();

}  // namespace supple

#pragma once

#include <stddef.h>
#include <stdint.h>

/// The plain C interface: load or parse a scene, step it, read it, pull it, and the viewer's
/// session. For programs in C and for other languages; docs/c_interface.md shows it at work.
///
/// - A handle (SuppleScene*, SuppleSimulation*, SuppleSession*) comes from a function that returns
///   it, NULL where that failed, and belongs to the caller, who gives it to the matching
///   supple_..._destroy once. Destroying NULL does nothing.
/// - Every other function that can fail returns a SuppleError. What went wrong is kept for each
///   thread until its next call that fails: supple_last_error() and its two texts. No exception and
///   no signal comes out of here. A NULL where something is needed, a wrong size and an index out
///   of range are supple_invalid_input, and nothing has changed then.
/// - Texts are UTF-8. Those given end with a zero unless a size stands beside them, and are copied.
///   Those returned belong to what returned them.
/// - A handle may be used by one thread at a time, different handles by different threads.
/// - Vertices are counted body after body in scene order. SI units.

#ifdef __cplusplus
extern "C" {
#endif

// ----------------------------------------------------------------------------------- errors

typedef enum SuppleError {
  supple_ok = 0,
  supple_invalid_input = 1,  ///< a scene, an option or a call is not valid
  supple_bad_file = 2,       ///< a file cannot be read, or is not what it says
  supple_non_finite = 3,     ///< a step ended with numbers that are not finite
  supple_out_of_memory = 4,
  supple_unexpected = 5,  ///< a fault of the library or of the system under it
} SuppleError;

/// What the last call that failed in this thread failed with; supple_ok where none did.
SuppleError supple_last_error(void);
/// Where: a file with its line, a file with a JSON pointer, the name of a parameter; "" where there
/// is no place. Valid until the next failure in this thread.
const char* supple_last_error_where(void);
/// What is wrong and what was expected. Valid until the next failure in this thread.
const char* supple_last_error_message(void);

/// Version of the library, for example "0.1.0". Never NULL; valid for ever.
const char* supple_version(void);

// ------------------------------------------------------------------------------------ scenes

typedef struct SuppleScene SuppleScene;

/// A setting that replaces a value of the scene.
typedef struct SuppleOverride {
  const char* pointer;  ///< JSON pointer, for example "/solver/iterations"
  const char* value;    ///< JSON; what is not valid JSON is taken as a string
} SuppleOverride;

/// Reads a scene file (docs/scene.md). Mesh files are relative to its folder. overrides: an array
/// of num_overrides, or NULL and 0. NULL: supple_bad_file or supple_invalid_input, with the place.
SuppleScene* supple_scene_load(const char* file, const SuppleOverride* overrides,
                               size_t num_overrides);
/// Reads a scene from `size` bytes of JSON. name stands in errors (NULL: "scene"); mesh files are
/// relative to `folder` (NULL: to the working folder). Overrides and errors as above.
SuppleScene* supple_scene_parse(const char* text, size_t size, const char* name, const char* folder,
                                const SuppleOverride* overrides, size_t num_overrides);
void supple_scene_destroy(SuppleScene* scene);
/// The scene as JSON with every default filled in. Valid as long as the scene; NULL for NULL.
const char* supple_scene_settings(const SuppleScene* scene);

// -------------------------------------------------------------------------------- simulation

typedef struct SuppleSimulation SuppleSimulation;

/// How a step ended.
typedef enum SuppleStepStatus {
  supple_step_converged = 0,
  supple_step_iteration_limit = 1,  ///< the usual end in real time
  supple_step_out_of_time = 2,
  supple_step_stalled = 3,     ///< converged to rounding
  supple_step_non_finite = 4,  ///< the state is the one before the step
} SuppleStepStatus;

/// What became of a scene given to supple_simulation_change, at the beginning of a step.
typedef enum SuppleSceneChange {
  supple_change_none = 0,
  supple_change_waiting = 1,
  supple_change_done = 2,    ///< it took over: counts, triangles and bodies are those of it
  supple_change_failed = 3,  ///< the scene before goes on; supple_simulation_check_change says why
} SuppleSceneChange;

/// What a step did. Times are wall clock.
typedef struct SuppleStepReport {
  SuppleStepStatus status;
  SuppleSceneChange change;
  int32_t iterations;          ///< of the solver, over all substeps
  int32_t evaluations;         ///< of the objective and its gradient
  int32_t inverted_tets;       ///< with det F < 0
  int32_t contacts;            ///< vertices in contact
  double objective;            ///< g at the end of the last substep, J
  double gradient_norm;        ///< |grad g| there, N
  double start_gradient_norm;  ///< |grad g| at the start of the last substep, N
  double force_scale;          ///< of position-based methods: what gradient_norm is held against, N
  double expected_decrease;    ///< of g, that the last direction still promised, J
  double contact_energy;       ///< of the normal forces at the end of the frame, J
  double deepest_penetration;  ///< of a vertex into a collider at the end of the frame, m
  double energy_gain;  ///< that the frame gained beyond the work of weight, pins and colliders, J
  double energy_removed;      ///< taken out of its velocities so that it should not gain more, J
  double unconverged;         ///< estimated factor by which the body acted too soft; 1: converged
  int32_t tunnelled;          ///< vertices, points of edges and faces that passed a collider
  int32_t repeated_substeps;  ///< solved more than once to keep the energy
  int32_t steady_substeps;    ///< of them, ended by backward Euler in place of their integrator
  double total_milliseconds;
  double local_milliseconds;    ///< forces and energies of tets and springs
  double solve_milliseconds;    ///< linear solves and what surrounds them
  double contact_milliseconds;  ///< collision detection
} SuppleStepReport;

/// Mechanical energy, J.
typedef struct SuppleEnergies {
  double kinetic;
  double elastic;  ///< of tets and springs
  double pins;
  double gravity;  ///< -sum m g . x
} SuppleEnergies;

typedef struct SuppleCounts {
  int32_t bodies;
  int32_t vertices;
  int32_t tets;
  int32_t triangles;  ///< of the surface
  int32_t threads;    ///< that a step uses
} SuppleCounts;

/// Builds and factorises. The scene is copied. threads: 0 for as many as the machine has; the
/// result has the same bits for any number. NULL: supple_invalid_input for what cannot be
/// simulated.
SuppleSimulation* supple_simulation_create(const SuppleScene* scene, int32_t threads);
/// Waits for what is being built beside the steps.
void supple_simulation_destroy(SuppleSimulation* simulation);

/// One frame, as long as the scene's time step. report: filled in unless NULL. Returns
/// supple_non_finite where the step ended so: the state is the one before it, the report says the
/// same.
SuppleError supple_simulation_step(SuppleSimulation* simulation, SuppleStepReport* report);

SuppleError supple_simulation_counts(const SuppleSimulation* simulation, SuppleCounts* counts);
/// time (s) and frame (steps taken): filled in unless NULL.
SuppleError supple_simulation_clock(const SuppleSimulation* simulation, double* time,
                                    int64_t* frame);
/// The vertices of a body: `count` of them from `first` on. Either may be NULL.
SuppleError supple_simulation_body(const SuppleSimulation* simulation, int32_t body, int32_t* first,
                                   int32_t* count);
SuppleError supple_simulation_energies(const SuppleSimulation* simulation,
                                       SuppleEnergies* energies);

/// x y z of each vertex, m or m/s. size: of `out` in numbers, 3 * vertices.
SuppleError supple_simulation_copy_positions(const SuppleSimulation* simulation, double* out,
                                             size_t size);
SuppleError supple_simulation_copy_velocities(const SuppleSimulation* simulation, double* out,
                                              size_t size);
/// The same as floats, for drawing.
SuppleError supple_simulation_copy_positions_float(const SuppleSimulation* simulation, float* out,
                                                   size_t size);
SuppleError supple_simulation_copy_velocities_float(const SuppleSimulation* simulation, float* out,
                                                    size_t size);
/// The surface of all bodies: three vertices a triangle, counter-clockwise seen from outside. size:
/// of `out` in numbers, 3 * triangles.
SuppleError supple_simulation_copy_triangles(const SuppleSimulation* simulation, int32_t* out,
                                             size_t size);

/// Holds vertices of a body by springs, k/2 |x - target|^2 each, beside the pins of the scene, in
/// place of what was held before: to pull it. From the next step on; count 0 lets go.
/// vertices: [count] in the body, from 0, each once; targets: [count * 3], m;
/// stiffness: k, N/m, > 0. Moving targets costs next to nothing, up to 32 vertices held otherwise
/// than before about a solve each (docs/changing.md).
SuppleError supple_simulation_hold(SuppleSimulation* simulation, int32_t body,
                                   const int32_t* vertices, const double* targets, size_t count,
                                   double stiffness);

// Queries against the surface as it is deformed now. The first one after a step costs about as much
// as a copy of the positions, the very first one builds a tree of boxes.

/// A place on the surface of a body.
typedef struct SuppleSurfaceHit {
  int32_t body;         ///< -1: nothing was found, and the rest says nothing
  int32_t triangle;     ///< as in supple_simulation_copy_triangles; -1 on a strand
  int32_t tet;          ///< whose face it is, counted body after body; -1 of cloth and strands
  int32_t vertices[3];  ///< corners in scene order; a segment of a strand has its second one twice
  double weights[3];    ///< of the corners, from 0 on, of sum 1
  double point[3];      ///< m
  double normal[3];     ///< of the triangle, unit, outward; 0 0 0 without area
  double distance;      ///< m, along the ray; from the point asked for, negative inside its body
} SuppleSurfaceHit;

/// Where a ray first meets a triangle, from either side, within max_distance, m (from 0, INFINITY
/// for any). direction: of any length but zero. Strands are not met.
SuppleError supple_simulation_raycast(const SuppleSimulation* simulation, const double origin[3],
                                      const double direction[3], double max_distance,
                                      SuppleSurfaceHit* hit);
/// The nearest place on a body, strands included, no farther than max_distance, m.
SuppleError supple_simulation_closest_point(const SuppleSimulation* simulation,
                                            const double point[3], double max_distance,
                                            SuppleSurfaceHit* hit);
/// The bodies, ascending, whose surface or strand a box or a ball touches or that hold it inside.
/// bodies: [room], gets the first `room` of them, may be NULL for 0; count: of all.
SuppleError supple_simulation_overlap_box(const SuppleSimulation* simulation, const double min[3],
                                          const double max[3], int32_t* bodies, size_t room,
                                          size_t* count);
SuppleError supple_simulation_overlap_sphere(const SuppleSimulation* simulation,
                                             const double center[3], double radius, int32_t* bodies,
                                             size_t room, size_t* count);
/// The vertices in a box or a ball, ascending; arrays as above.
SuppleError supple_simulation_vertices_in_box(const SuppleSimulation* simulation,
                                              const double min[3], const double max[3],
                                              int32_t* vertices, size_t room, size_t* count);
SuppleError supple_simulation_vertices_in_sphere(const SuppleSimulation* simulation,
                                                 const double center[3], double radius,
                                                 int32_t* vertices, size_t room, size_t* count);

// Forces (N) act through the next step and are cleared by it; several add up. Impulses (N s) and
// velocities (m/s) change the state at once. On a whole body they are shared as its weight is, on a
// hit by its weights, else on vertices in scene order: [count] and [count * 3]. Where a scene takes
// over the forces that wait stay. quasi_static takes none of them.

SuppleError supple_simulation_add_force(SuppleSimulation* simulation, int32_t body,
                                        const double force[3]);
SuppleError supple_simulation_add_force_at(SuppleSimulation* simulation,
                                           const SuppleSurfaceHit* hit, const double force[3]);
SuppleError supple_simulation_add_forces(SuppleSimulation* simulation, const int32_t* vertices,
                                         const double* forces, size_t count);
/// Takes back what was added since the last step.
SuppleError supple_simulation_clear_forces(SuppleSimulation* simulation);
SuppleError supple_simulation_add_impulse(SuppleSimulation* simulation, int32_t body,
                                          const double impulse[3]);
SuppleError supple_simulation_add_impulse_at(SuppleSimulation* simulation,
                                             const SuppleSurfaceHit* hit, const double impulse[3]);
SuppleError supple_simulation_add_impulses(SuppleSimulation* simulation, const int32_t* vertices,
                                           const double* impulses, size_t count);
SuppleError supple_simulation_set_velocity(SuppleSimulation* simulation, int32_t body,
                                           const double velocity[3]);

// Settings from the next step on, of a scene that waits to take over too. Nothing is factorised.

SuppleError supple_simulation_set_gravity(SuppleSimulation* simulation, const double gravity[3]);
SuppleError supple_simulation_set_drag(SuppleSimulation* simulation, double drag);  ///< 1/s
SuppleError supple_simulation_set_friction(SuppleSimulation* simulation, double coefficient);
SuppleError supple_simulation_set_iterations(SuppleSimulation* simulation, int32_t iterations);
SuppleError supple_simulation_set_tolerance(SuppleSimulation* simulation, double tolerance);
/// Milliseconds that a frame may take; 0: any.
SuppleError supple_simulation_set_budget(SuppleSimulation* simulation, double milliseconds);
/// type: backtracking, wolfe, exact or none; what else it has stays.
SuppleError supple_simulation_set_line_search(SuppleSimulation* simulation, const char* type);

/// Goes on with another scene that has body by body as many vertices; positions, velocities, time
/// and what is held stay. after_frames 0: it has taken over when this returns. Else it is built
/// beside the next after_frames steps and the one after them begins by taking over
/// (docs/changing.md). The scene is copied.
SuppleError supple_simulation_change(SuppleSimulation* simulation, const SuppleScene* scene,
                                     int32_t after_frames);
/// The error, once, of a change that failed while it was built; supple_ok where none did.
SuppleError supple_simulation_check_change(SuppleSimulation* simulation);

// ----------------------------------------------------------------------------------- session

/// What is behind the viewer's page: commands come in, messages go out (docs/viewer_protocol.md).
/// It has no clock of its own: whoever carries its messages calls supple_session_advance when that
/// asks for it.
typedef struct SuppleSession SuppleSession;

typedef struct SuppleMessage {
  const char* bytes;  ///< UTF-8 of JSON or a packet, without a zero at its end; NULL: no message
  size_t size;
  int32_t to_all;     ///< 1: for all clients
  uint32_t to;        ///< else for this one
  int32_t is_packet;  ///< 1: binary, 0: JSON text
  int32_t is_frame;   ///< 1: a newer frame makes it worthless
} SuppleMessage;

/// Opens the first scene. options: JSON ("{}" for every default) with the keys "scenes", the folder
/// of the gallery; "scene", a file or a name of the gallery to open first ("": twisting_bar, or the
/// gallery's first); "threads" (0: as many as the machine has); "engine", "native" or "wasm", which
/// the page is told. NULL where the options are not valid or the scene cannot be read or simulated.
SuppleSession* supple_session_create(const char* options);
void supple_session_destroy(SuppleSession* session);

/// Queues what a client must know to begin with. Clients are told apart by numbers of the caller's
/// choice.
SuppleError supple_session_connect(SuppleSession* session, uint32_t client);
/// What it holds is released.
SuppleError supple_session_disconnect(SuppleSession* session, uint32_t client);
/// One command, `size` bytes of JSON or of a packet. What is wrong with it becomes a message to the
/// client, not an error here.
SuppleError supple_session_receive_text(SuppleSession* session, uint32_t client, const char* text,
                                        size_t size);
SuppleError supple_session_receive_packet(SuppleSession* session, uint32_t client,
                                          const void* packet, size_t size);

/// Does what is due at `now`, s of any steady clock: about one frame of simulation at most. next,
/// unless NULL: when it wants to be called again; not after `now`: at once; infinity: when
/// something was received.
SuppleError supple_session_advance(SuppleSession* session, double now, double* next);
/// Takes the oldest message that is queued; bytes is NULL where there is none. They are valid until
/// the next call with this session.
SuppleError supple_session_next_message(SuppleSession* session, SuppleMessage* message);

#ifdef __cplusplus
}
#endif

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "supple/version_number.h"

/// The plain C interface: load or parse a scene, step it, read it, pull it; and the viewer's
/// session. It is for programs in C and in other languages; docs/c_interface.md has an example.
///
/// - A function that returns a handle (SuppleScene*, SuppleSimulation*, SuppleSession*) returns
///   NULL if it fails. The caller owns the handle and passes it once to the matching
///   supple_..._destroy. Destroying NULL does nothing.
/// - Every other function that can fail returns a SuppleError. Each thread keeps its last error
///   until its next call that fails: supple_last_error() and its two texts. No exception and no
///   signal escapes. A NULL where a value is needed, a wrong size or an index out of range is
///   supple_invalid_input, and nothing has changed.
/// - Texts are UTF-8. Texts passed in are copied and end with a zero unless a size is passed too.
///   Texts returned belong to the object that returned them.
/// - Functions that take a `const SuppleSimulation*` may be called by any number of threads at once
///   while no other function uses that simulation. Other handles belong to one thread at a time;
///   different threads may use different handles.
/// - Structs that begin with `struct_size` may grow at their end. The caller sets it, as in
///   `SuppleCounts counts = {.struct_size = sizeof counts};`, and the library fills in or reads
///   that many bytes, so a program compiled with an older header keeps working. A size that is not
///   set, or larger than the library knows because the header is newer, is supple_invalid_input.
/// - Vertices are numbered body after body in scene order. All units are SI.

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// ----------------------------------------------------------------------------------- errors

typedef enum SuppleError {
  supple_ok = 0,
  supple_invalid_input = 1,  ///< a scene, an option or a call is invalid
  supple_bad_file = 2,       ///< a file cannot be read, or is malformed
  supple_non_finite = 3,     ///< a step ended with numbers that are not finite
  supple_out_of_memory = 4,
  supple_unexpected = 5,  ///< an error inside the library or the system
} SuppleError;

/// Error of the last call that failed in this thread; supple_ok if none did.
SuppleError supple_last_error(void);
/// Where it failed: a file with a line, a file with a JSON pointer, or the name of a parameter; ""
/// if there is no place. Valid until the next failure in this thread.
const char* supple_last_error_where(void);
/// What is wrong and what was expected. Valid until the next failure in this thread.
const char* supple_last_error_message(void);

/// Version of the library, for example "0.2.0". Never NULL; always valid.
const char* supple_version(void);
/// The same in the form of SUPPLE_VERSION_NUMBER: if it differs from the caller's, the caller was
/// compiled with the header of another version.
int32_t supple_version_number(void);

// ------------------------------------------------------------------------------------ scenes

typedef struct SuppleScene SuppleScene;

/// Replaces a value of the scene.
typedef struct SuppleOverride {
  const char* pointer;  ///< JSON pointer, for example "/solver/iterations"
  const char* value;    ///< JSON; anything that is not valid JSON is taken as a string
} SuppleOverride;

/// Reads a scene file (docs/scene.md). Paths of mesh files are relative to its folder. overrides:
/// [num_overrides], or NULL and 0. Returns NULL for supple_bad_file or supple_invalid_input; the
/// error names the place.
SuppleScene* supple_scene_load(const char* file, const SuppleOverride* overrides,
                               size_t num_overrides);
/// Reads a scene from `size` bytes of JSON. name: used in errors (NULL: "scene"). folder: paths of
/// mesh files are relative to it (NULL: the working folder). Overrides and errors as above.
SuppleScene* supple_scene_parse(const char* text, size_t size, const char* name, const char* folder,
                                const SuppleOverride* overrides, size_t num_overrides);
void supple_scene_destroy(SuppleScene* scene);
/// Signed distance of a point, m, from the surface of a solid, negative inside; writes its
/// gradient, which points outward and may have any length but 0. Called by several threads at once.
/// Between two points it must change by no more than their distance (docs/contact.md). A result
/// that is not a number makes the step fail.
typedef double (*SuppleDistance)(void* user, const double point[3], double gradient[3]);
/// Adds a collider whose solid is given by a function, after those of the scene. name: NULL:
/// "distance_" and its number. user: passed to the function; it must outlive the scene and all
/// simulations made from it. friction: a coefficient >= 0, or a negative number: the scene's.
/// supple_scene_settings does not include it.
SuppleError supple_scene_add_distance(SuppleScene* scene, const char* name, SuppleDistance distance,
                                      void* user, double friction);
/// Energy density of the deformation gradient F (row after row), J/m^3; not a number where it is
/// undefined. Called by several threads at once.
typedef double (*SuppleEnergyDensity)(void* user, const double F[9]);
/// Its derivative P = dPsi/dF, Pa.
typedef void (*SuppleStress)(void* user, const double F[9], double P[9]);
/// Its second derivatives, Pa: H[9 i + k] by the entries i and k of F.
typedef void (*SuppleHessian)(void* user, const double F[9], double H[81]);
/// Gives the tets of a body an energy of the caller's own instead of the body's material; regions,
/// layers and plasticity stay. hessian: NULL: by differences of the stress. user: passed to the
/// functions; it must outlive the scene and all simulations made from it. docs/materials.md lists
/// the requirements, which supple_simulation_create checks. supple_scene_settings does not include
/// it.
SuppleError supple_scene_set_energy(SuppleScene* scene, int32_t body, SuppleEnergyDensity energy,
                                    SuppleStress stress, SuppleHessian hessian, void* user);
/// The scene as JSON with every default filled in. Valid as long as the scene exists; NULL for
/// NULL, "" for a scene from supple_simulation_scene.
const char* supple_scene_settings(const SuppleScene* scene);

// ------------------------------------------------------------------------- scenes from arrays

/// Meshes and heights in memory, under names by which a scene refers to them instead of files:
/// {"mesh": {"file": NAME}} of a body or a collider, {"convex_hull": {"file": NAME}},
/// {"height_field": {"file": NAME}}. Everything is copied.
typedef struct SuppleMeshes SuppleMeshes;

/// Returns NULL if memory runs out.
SuppleMeshes* supple_meshes_create(void);
/// Scenes that were made with it stay valid.
void supple_meshes_destroy(SuppleMeshes* meshes);

// All return supple_invalid_input, with nothing added, for a name that exists already, for numbers
// that are not finite, for indices out of range and for elements of size zero. Elements count
// vertices from 0.

/// A body of tets. vertices: [num_vertices * 3], m; tets: [num_tets * 4], of either orientation.
SuppleError supple_meshes_add_tets(SuppleMeshes* meshes, const char* name, const double* vertices,
                                   size_t num_vertices, const int32_t* tets, size_t num_tets);
/// A number for each tet of an added mesh, [num_tets]: for {"field": FIELD} in a material, and for
/// directions of fibers.
SuppleError supple_meshes_add_tet_field(SuppleMeshes* meshes, const char* name, const char* field,
                                        const double* values, size_t num_tets);
/// A surface, its triangles counter-clockwise seen from outside: a membrane (a material with a
/// thickness), a cloth whose edges are springs (the material spring), or the shape of a collider.
SuppleError supple_meshes_add_triangles(SuppleMeshes* meshes, const char* name,
                                        const double* vertices, size_t num_vertices,
                                        const int32_t* triangles, size_t num_triangles);
/// Strands: springs (the material spring) or rods (the material rod). segments: [num_segments * 2];
/// springs resist bending at each vertex where two segments meet.
SuppleError supple_meshes_add_strands(SuppleMeshes* meshes, const char* name,
                                      const double* vertices, size_t num_vertices,
                                      const int32_t* segments, size_t num_segments);
/// Ground: nx heights along x, row after row along z, m: [nz * nx].
SuppleError supple_meshes_add_heights(SuppleMeshes* meshes, const char* name, const double* heights,
                                      int32_t nx, int32_t nz);

/// supple_scene_parse with meshes in memory (NULL: none), whose names take precedence over files.
SuppleScene* supple_scene_parse_with(const char* text, size_t size, const char* name,
                                     const char* folder, const SuppleOverride* overrides,
                                     size_t num_overrides, const SuppleMeshes* meshes);
/// Replaces the springs of a cloth or a strand (not a rod) that its material gave it. vertices:
/// [count * 2], two for each spring, in the body from 0; stiffness: [count], N/m, > 0;
/// rest_lengths: [count], m, >= 0, or NULL: those of the mesh. supple_scene_settings does not
/// include them.
SuppleError supple_scene_set_springs(SuppleScene* scene, int32_t body, const int32_t* vertices,
                                     const double* stiffness, const double* rest_lengths,
                                     size_t count);
/// Chooses which springs of a body, by their numbers from 0, keep their rest lengths exactly
/// (docs/inextensible.md); the others do not. springs: [count].
SuppleError supple_scene_set_inextensible(SuppleScene* scene, int32_t body, const int32_t* springs,
                                          size_t count);

// -------------------------------------------------------------------------------- simulation

typedef struct SuppleSimulation SuppleSimulation;

/// How a step ended.
typedef enum SuppleStepStatus {
  supple_step_converged = 0,
  supple_step_iteration_limit = 1,  ///< the usual end in real time
  supple_step_out_of_time = 2,
  supple_step_stalled = 3,     ///< converged to rounding
  supple_step_non_finite = 4,  ///< the state from before the step was restored
  supple_step_failed = 5,      ///< likewise; the error that the step returned says why
} SuppleStepStatus;

/// Progress of a scene given to supple_simulation_change, at the start of a step.
typedef enum SuppleSceneChange {
  supple_change_none = 0,
  supple_change_waiting = 1,
  supple_change_done = 2,    ///< the new scene took over, with its counts, triangles and bodies
  supple_change_failed = 3,  ///< the old scene goes on; supple_simulation_check_change says why
} SuppleSceneChange;

/// What a step did. Times are wall clock.
typedef struct SuppleStepReport {
  size_t struct_size;  ///< sizeof(SuppleStepReport)
  SuppleStepStatus status;
  SuppleSceneChange change;
  int32_t iterations;          ///< of the solver, over all substeps
  int32_t evaluations;         ///< of the objective and its gradient
  int32_t inverted_tets;       ///< with det F < 0
  int32_t contacts;            ///< vertices in contact
  double objective;            ///< g at the end of the last substep, J
  double gradient_norm;        ///< |grad g| there, N
  double start_gradient_norm;  ///< |grad g| at the start of the last substep, N
  double force_scale;          ///< position-based methods: scale to compare gradient_norm with, N
  double expected_decrease;    ///< of g, J, that the last direction promised; may be inf
  double contact_energy;       ///< of the normal forces at the end of the frame, J
  double deepest_penetration;  ///< of a vertex into a collider at the end of the frame, m
  double energy_gain;     ///< gained in the frame beyond the work of gravity, pins and colliders, J
  double energy_removed;  ///< removed from its velocities to prevent a larger gain, J
  double unconverged;     ///< estimated factor by which the body acted too soft; 1: converged
  int32_t tunnelled;  ///< vertices, points of edges and faces that passed through a collider; in
                      ///< barrier mode: triangles inside a moving one that left no way out
  int32_t repeated_substeps;  ///< solved more than once to avoid gaining energy
  int32_t steady_substeps;    ///< of those, finally solved in parts by backward Euler
  double total_milliseconds;
  double local_milliseconds;    ///< forces and energies of tets and springs
  double solve_milliseconds;    ///< linear solves and the work around them
  double contact_milliseconds;  ///< collision detection
  int32_t held_back;     ///< times that a body's motion was shortened so that surfaces do not meet
  int32_t overlaps;      ///< pairs of bodies that intersect, and therefore do not touch each other
  double friction_work;  ///< of friction on the bodies, J: above 0 where colliders drag them along
  int32_t unfolding_bodies;  ///< treated as arap in this frame, being inside out
  double plastic_work;       ///< elastic energy removed by plastic flow, J
  double drift;  ///< estimated deviation of bodies held by pins from converged steps, a share
  int32_t sleeping_bodies;  ///< from the next frame on
  int32_t separated;        ///< pairs of elements that came apart as the step began
  /// Largest |l/r - 1| of the inextensible springs and |V/V0 - 1| of the exact volumes at the
  /// frame's end.
  double constraint_error;
  /// Estimated speed that friction has wrongly taken from a free body, or given to it, as a share
  /// of its largest.
  double friction_error;
} SuppleStepReport;

/// Mechanical energy, J.
typedef struct SuppleEnergies {
  size_t struct_size;  ///< sizeof(SuppleEnergies)
  double kinetic;
  double elastic;  ///< of tets, membranes, springs and rods
  double pins;
  double gravity;   ///< -sum m g . x
  double pressure;  ///< 0 at rest, minus the work that pressure in bodies has done since
} SuppleEnergies;

typedef struct SuppleCounts {
  size_t struct_size;  ///< sizeof(SuppleCounts)
  int32_t bodies;
  int32_t vertices;
  int32_t tets;
  int32_t triangles;  ///< of the surface
  int32_t threads;    ///< that a step uses
  int32_t segments;   ///< of strands
  int32_t colliders;
} SuppleCounts;

/// Threads of the caller, used instead of the library's own pool. The bits are the same.
typedef struct SuppleTaskSystem {
  /// Calls task(context, i) once for each i = 0 .. count-1, in any order and on any threads, and
  /// returns when all calls have returned. count is at most the number of threads of the simulation
  /// and at most 32. A task that starts late finds nothing left to do, and no task waits for
  /// another. Must be thread-safe: a thread of the library calls it too, while a scene given to
  /// supple_simulation_change is built in the background. A region of work takes microseconds, and
  /// a frame has a few hundred of them.
  void (*run)(void* user, int32_t count, void (*task)(void* context, int32_t index), void* context);
  void* user;  ///< passed to run
} SuppleTaskSystem;

/// All zero except the size: the defaults.
typedef struct SuppleSimulationOptions {
  size_t struct_size;      ///< sizeof(SuppleSimulationOptions)
  int32_t threads;         ///< 0: as many as the machine has; any number gives the same bits
  SuppleTaskSystem tasks;  ///< runs their work; run NULL: the library's own pool
} SuppleSimulationOptions;

/// Builds and factorises. The scene is copied. threads: 0 for as many as the machine has; any
/// number gives the same bits. Returns NULL with supple_invalid_input if the scene cannot be
/// simulated.
SuppleSimulation* supple_simulation_create(const SuppleScene* scene, int32_t threads);
/// The same with options; NULL: the defaults.
SuppleSimulation* supple_simulation_create_with(const SuppleScene* scene,
                                                const SuppleSimulationOptions* options);
/// Waits for preparations that still run in the background.
void supple_simulation_destroy(SuppleSimulation* simulation);

/// Advances by one frame, which lasts one time step of the scene. report: filled in unless NULL.
/// Returns supple_non_finite if the step became non-finite, as the report also says, and
/// supple_out_of_memory if memory ran out; the state from before the step is then restored.
SuppleError supple_simulation_step(SuppleSimulation* simulation, SuppleStepReport* report);

SuppleError supple_simulation_counts(const SuppleSimulation* simulation, SuppleCounts* counts);
/// time (s) and frame (number of steps taken): filled in unless NULL.
SuppleError supple_simulation_clock(const SuppleSimulation* simulation, double* time,
                                    int64_t* frame);
/// The vertices of a body: `count` of them, starting at `first`. Either may be NULL.
SuppleError supple_simulation_body(const SuppleSimulation* simulation, int32_t body, int32_t* first,
                                   int32_t* count);
SuppleError supple_simulation_energies(const SuppleSimulation* simulation,
                                       SuppleEnergies* energies);

/// x y z of each vertex, m or m/s. size: the length of `out`, 3 * vertices.
SuppleError supple_simulation_copy_positions(const SuppleSimulation* simulation, double* out,
                                             size_t size);
SuppleError supple_simulation_copy_velocities(const SuppleSimulation* simulation, double* out,
                                              size_t size);
/// The same as floats, for drawing.
SuppleError supple_simulation_copy_positions_float(const SuppleSimulation* simulation, float* out,
                                                   size_t size);
SuppleError supple_simulation_copy_velocities_float(const SuppleSimulation* simulation, float* out,
                                                    size_t size);
/// The surface of all bodies: three vertices per triangle, counter-clockwise seen from outside.
/// size: the length of `out`, 3 * triangles.
SuppleError supple_simulation_copy_triangles(const SuppleSimulation* simulation, int32_t* out,
                                             size_t size);
/// The segments of all strands, to be drawn as lines: two vertices each. size: 2 * segments.
SuppleError supple_simulation_copy_segments(const SuppleSimulation* simulation, int32_t* out,
                                            size_t size);
/// The tets of all bodies, right-handed: four vertices each. size: 4 * tets.
SuppleError supple_simulation_copy_tets(const SuppleSimulation* simulation, int32_t* out,
                                        size_t size);
/// Name of a body, and of a collider; NULL if there is none. Valid until the scene of the
/// simulation changes, or its bodies or colliders.
const char* supple_simulation_body_name(const SuppleSimulation* simulation, int32_t body);
const char* supple_simulation_collider_name(const SuppleSimulation* simulation, int32_t collider);
/// The scene as it is simulated now: with its current pins, colliders and settings, with bodies
/// that were added and without those that were removed. The caller owns it.
SuppleScene* supple_simulation_scene(const SuppleSimulation* simulation);

/// Pulls a body by one attachment (below), which replaces that of the previous call. The same
/// vertices and stiffness as before only move its targets; count 0 releases it.
SuppleError supple_simulation_hold(SuppleSimulation* simulation, int32_t body,
                                   const int32_t* vertices, const double* targets, size_t count,
                                   double stiffness);

// Copies one body into the caller's memory: x y z of each vertex, each vertex `stride` numbers
// after the one before, as in a vertex buffer (3: one after the other). size: the length of `out`,
// from (n - 1) * stride + 3 to n * stride for n vertices; only 3 n numbers are written. Normals are
// unit and outward, the area-weighted mean of those of the vertex's triangles; 0 0 0 for vertices
// without a triangle.

SuppleError supple_simulation_body_positions(const SuppleSimulation* simulation, int32_t body,
                                             double* out, size_t size, int32_t stride);
SuppleError supple_simulation_body_positions_float(const SuppleSimulation* simulation, int32_t body,
                                                   float* out, size_t size, int32_t stride);
SuppleError supple_simulation_body_velocities(const SuppleSimulation* simulation, int32_t body,
                                              double* out, size_t size, int32_t stride);
SuppleError supple_simulation_body_velocities_float(const SuppleSimulation* simulation,
                                                    int32_t body, float* out, size_t size,
                                                    int32_t stride);
SuppleError supple_simulation_body_normals(const SuppleSimulation* simulation, int32_t body,
                                           double* out, size_t size, int32_t stride);
SuppleError supple_simulation_body_normals_float(const SuppleSimulation* simulation, int32_t body,
                                                 float* out, size_t size, int32_t stride);
/// The smallest box around the vertices of a body, m.
SuppleError supple_simulation_body_bounds(const SuppleSimulation* simulation, int32_t body,
                                          double min[3], double max[3]);
/// A body's triangles in supple_simulation_copy_triangles: `count` of them, starting at `first`.
/// Either may be NULL.
SuppleError supple_simulation_body_triangles(const SuppleSimulation* simulation, int32_t body,
                                             int32_t* first, int32_t* count);

// Queries against the deformed surface. The very first query builds a tree of boxes, and the first
// one after a step refits it.

/// A point of the surface of a body.
typedef struct SuppleSurfaceHit {
  size_t struct_size;   ///< sizeof(SuppleSurfaceHit)
  int32_t body;         ///< -1 if nothing was found; the rest is undefined then
  int32_t triangle;     ///< as in supple_simulation_copy_triangles; -1 on a strand
  int32_t tet;          ///< whose face it is, counted body after body; -1 for cloth, strands
  int32_t vertices[3];  ///< corners in scene order; a segment repeats its second end
  double weights[3];    ///< of the corners, >= 0, with sum 1
  double point[3];      ///< m
  double normal[3];     ///< of the triangle, unit, outward; 0 0 0 if it has no area
  double distance;      ///< m, along the ray, or from the query point: negative inside the body
} SuppleSurfaceHit;

/// A place where a body touches a collider or another body.
typedef struct SuppleContact {
  int32_t body;        ///< on which the force acts
  int32_t other_body;  ///< the body that it touches, on which -force acts; -1: a collider
  int32_t collider;    ///< of the scene; -1: a body
  double point[3];     ///< on the body, m
  double normal[3];    ///< of what it touches, towards the body: unit
  double depth;        ///< into the collider, or into the layer between two bodies, m
  double force[3];     ///< on the body: normal force and friction, N
} SuppleContact;

/// Contacts at the end of the last step; none before the first one, after the state or the
/// colliders were changed, and with explicit integrators. contacts: [room], receives the first
/// `room` of them, may be NULL if room is 0; count: the total number.
SuppleError supple_simulation_contacts(const SuppleSimulation* simulation, SuppleContact* contacts,
                                       size_t room, size_t* count);

/// Sum of the forces of bodies on a collider.
typedef struct SuppleColliderForce {
  double force[3];   ///< on the collider, N
  double torque[3];  ///< on the collider about `center`, N m
  double center[3];  ///< of its shape, where its motion has moved it, m
} SuppleColliderForce;

/// One entry for each collider of the scene. forces: [room], receives the first `room` of them, may
/// be NULL if room is 0; count: number of all.
SuppleError supple_simulation_collider_forces(const SuppleSimulation* simulation,
                                              SuppleColliderForce* forces, size_t room,
                                              size_t* count);
/// Force of the contacts on each vertex, N: [size], num_vertices * 3 numbers.
SuppleError supple_simulation_copy_contact_forces(const SuppleSimulation* simulation, double* out,
                                                  size_t size);

/// A contact that has begun or ended.
typedef struct SuppleContactEvent {
  int32_t body;
  int32_t other_body;  ///< -1: a collider
  int32_t collider;    ///< of the scene; -1: a body
  int32_t begins;      ///< 1; 0: they no longer touch
} SuppleContactEvent;

/// What has changed between the ends of the last two steps. events: as above.
SuppleError supple_simulation_contact_events(const SuppleSimulation* simulation,
                                             SuppleContactEvent* events, size_t room,
                                             size_t* count);

/// Where a ray first hits a triangle, from either side, within max_distance, m (>= 0, may be
/// INFINITY). direction may have any length but zero. Strands are not hit.
SuppleError supple_simulation_raycast(const SuppleSimulation* simulation, const double origin[3],
                                      const double direction[3], double max_distance,
                                      SuppleSurfaceHit* hit);
/// The nearest point of a body, strands included, no farther than max_distance, m.
SuppleError supple_simulation_closest_point(const SuppleSimulation* simulation,
                                            const double point[3], double max_distance,
                                            SuppleSurfaceHit* hit);
/// Bodies, ascending, that touch a box or a sphere, or contain it. bodies: [room], receives
/// the first `room` of them, may be NULL if room is 0; count: number of all.
SuppleError supple_simulation_overlap_box(const SuppleSimulation* simulation, const double min[3],
                                          const double max[3], int32_t* bodies, size_t room,
                                          size_t* count);
SuppleError supple_simulation_overlap_sphere(const SuppleSimulation* simulation,
                                             const double center[3], double radius, int32_t* bodies,
                                             size_t room, size_t* count);
/// Vertices in a box or a sphere, ascending; arrays as above.
SuppleError supple_simulation_vertices_in_box(const SuppleSimulation* simulation,
                                              const double min[3], const double max[3],
                                              int32_t* vertices, size_t room, size_t* count);
SuppleError supple_simulation_vertices_in_sphere(const SuppleSimulation* simulation,
                                                 const double center[3], double radius,
                                                 int32_t* vertices, size_t room, size_t* count);

// Forces (N) act during the next step and are then cleared; several add up. Impulses (N s) and
// velocities (m/s) change the state at once. On a whole body they are distributed like its weight,
// on a hit by its weights; otherwise one per vertex, in scene order: [count] and [count * 3]. A
// scene that takes over keeps waiting forces. quasi_static accepts none of them.

SuppleError supple_simulation_add_force(SuppleSimulation* simulation, int32_t body,
                                        const double force[3]);
SuppleError supple_simulation_add_force_at(SuppleSimulation* simulation,
                                           const SuppleSurfaceHit* hit, const double force[3]);
SuppleError supple_simulation_add_forces(SuppleSimulation* simulation, const int32_t* vertices,
                                         const double* forces, size_t count);
/// Removes the forces added since the last step.
SuppleError supple_simulation_clear_forces(SuppleSimulation* simulation);
SuppleError supple_simulation_add_impulse(SuppleSimulation* simulation, int32_t body,
                                          const double impulse[3]);
SuppleError supple_simulation_add_impulse_at(SuppleSimulation* simulation,
                                             const SuppleSurfaceHit* hit, const double impulse[3]);
SuppleError supple_simulation_add_impulses(SuppleSimulation* simulation, const int32_t* vertices,
                                           const double* impulses, size_t count);
SuppleError supple_simulation_set_velocity(SuppleSimulation* simulation, int32_t body,
                                           const double velocity[3]);

// An attachment holds vertices, or one point of a body, at targets in world coordinates, by springs
// with rest length zero: k/2 |x - target|^2 each, where k is `stiffness`, N/m, > 0. Attachments add
// to the pins of the scene and outlast supple_simulation_change. When a target has moved, the next
// step reaches it, in a straight line over the step. The cost of moving targets depends only on the
// number of held vertices; attaching and detaching up to 32 vertices costs about a solve for each
// (docs/changing.md).

/// Names an attachment of a simulation until it is detached. 0 is none.
typedef uint64_t SuppleAttachment;

/// Holds vertices of a body, each by a spring of its own. vertices: [count], indices in the body
/// from 0, each once; targets: [count * 3], m. attachment: receives the new one.
SuppleError supple_simulation_attach(SuppleSimulation* simulation, int32_t body,
                                     const int32_t* vertices, const double* targets, size_t count,
                                     double stiffness, SuppleAttachment* attachment);
/// Holds the point of a hit by one spring, whose force acts at the point, so the body can rotate
/// about it.
SuppleError supple_simulation_attach_at(SuppleSimulation* simulation, const SuppleSurfaceHit* hit,
                                        const double target[3], double stiffness,
                                        SuppleAttachment* attachment);
/// The same for a point in a tet, counted body after body, by the weights of its corners, >= 0,
/// with sum 1.
SuppleError supple_simulation_attach_in_tet(SuppleSimulation* simulation, int32_t tet,
                                            const double weights[4], const double target[3],
                                            double stiffness, SuppleAttachment* attachment);
/// Ties vertices of a body to another one, `to`, where both are now. vertices: [count], indices in
/// the body from 0, each once; stiffness: N/m per vertex, or 0: chosen for each. It has no targets.
SuppleError supple_simulation_attach_to_body(SuppleSimulation* simulation, int32_t body,
                                             const int32_t* vertices, size_t count, int32_t to,
                                             double stiffness, SuppleAttachment* attachment);
/// Moves the targets: [count * 3], one for each vertex, or one for a point.
SuppleError supple_simulation_set_targets(SuppleSimulation* simulation, SuppleAttachment attachment,
                                          const double* targets, size_t count);
/// Moves the attachment's first targets rigidly: to R target + d. rotation: R,
/// row-major, a rotation matrix; translation: d, m.
SuppleError supple_simulation_set_target_pose(SuppleSimulation* simulation,
                                              SuppleAttachment attachment, const double rotation[9],
                                              const double translation[3]);
SuppleError supple_simulation_detach(SuppleSimulation* simulation, SuppleAttachment attachment);
/// is_attached: receives 1, or 0 for an attachment that was detached.
SuppleError supple_simulation_is_attached(const SuppleSimulation* simulation,
                                          SuppleAttachment attachment, int32_t* is_attached);
/// Force on the body at the end of the last step, N.
SuppleError supple_simulation_attachment_force(const SuppleSimulation* simulation,
                                               SuppleAttachment attachment, double force[3]);
/// The same on each vertex; for a point, on each corner with a nonzero weight. forces: [room * 3],
/// receives the first `room`, may be NULL if room is 0; count: the total number.
SuppleError supple_simulation_attachment_forces(const SuppleSimulation* simulation,
                                                SuppleAttachment attachment, double* forces,
                                                size_t room, size_t* count);

// Bodies can be added and removed between two steps. `body` in every other function is the body's
// index, which decreases when a body before it is removed. A SuppleBody names the same body for as
// long as it exists. Bodies that stay keep everything, and their order; added bodies come last and
// start as in a scene at time 0. A call costs the set-up of the added bodies and a share of that of
// all others: change several in one call (docs/changing.md). supple_invalid_input, with nothing
// changed, while a scene waits to take over, for the handle of a removed body, for a name that
// another body has, and for anything that supple_simulation_create would refuse, such as a scene
// without bodies.

/// Names a body of a simulation until it is removed. 0 is none.
typedef uint64_t SuppleBody;

/// Adds a scene's only body; nothing else of the scene is read. Overrides of
/// supple_scene_parse place it: "/bodies/0/transform", "/bodies/0/velocity", "/bodies/0/name".
/// A body without a name in the scene has none. body: receives its handle, unless NULL.
SuppleError supple_simulation_add_body(SuppleSimulation* simulation, const SuppleScene* scene,
                                       SuppleBody* body);
SuppleError supple_simulation_remove_body(SuppleSimulation* simulation, SuppleBody body);
/// Removes bodies and adds all bodies of a scene (NULL: none) at the cost of one call. removed:
/// [num_removed]; added: receives their handles in the scene's order, [num_added], the scene's
/// number of bodies.
SuppleError supple_simulation_change_bodies(SuppleSimulation* simulation, const SuppleBody* removed,
                                            size_t num_removed, const SuppleScene* scene,
                                            SuppleBody* added, size_t num_added);
/// is_alive: receives 1, or 0 for a body that was removed.
SuppleError supple_simulation_is_alive(const SuppleSimulation* simulation, SuppleBody body,
                                       int32_t* is_alive);
/// The current index of a body, and the handle of the body with an index.
SuppleError supple_simulation_body_index(const SuppleSimulation* simulation, SuppleBody body,
                                         int32_t* index);
SuppleError supple_simulation_body_handle(const SuppleSimulation* simulation, int32_t index,
                                          SuppleBody* body);
/// asleep: receives 1 for a body that sleeps, which costs nothing (docs/changing.md), or 0.
SuppleError supple_simulation_is_asleep(const SuppleSimulation* simulation, int32_t body,
                                        int32_t* asleep);
/// Wakes a body, with all that it touches.
SuppleError supple_simulation_wake(SuppleSimulation* simulation, int32_t body);
/// Cuts bodies where they are now: tets come apart along faces, triangles along edges, segments at
/// vertices, if their centres are on different sides of a triangle and the line between them passes
/// through it (docs/tearing.md). triangles: [num_triangles * 9], m. bodies: [num_bodies], those
/// that are cut; NULL and 0: all. separated: receives how many pairs of elements come apart,
/// unless NULL. This changes vertices, triangles and counts, at once or, with the scene's
/// /time/separate_after, in a later step whose report has `separated` above 0.
/// supple_invalid_input, with nothing changed, while a scene waits to take over, for a body that
/// cannot be cut, and for a triangle without area.
SuppleError supple_simulation_cut(SuppleSimulation* simulation, const double* triangles,
                                  size_t num_triangles, const int32_t* bodies, size_t num_bodies,
                                  int32_t* separated);
/// Separates pairs of elements of a body: [num_pairs * 2], tets that share a face, triangles of a
/// cloth that share an edge, or segments of a strand that share a vertex. separated: as above.
SuppleError supple_simulation_separate(SuppleSimulation* simulation, int32_t body,
                                       const int32_t* elements, size_t num_pairs,
                                       int32_t* separated);
/// A number of the program's own for a body, for example a pointer; 0 at first.
SuppleError supple_simulation_set_user_data(SuppleSimulation* simulation, SuppleBody body,
                                            uint64_t data);
SuppleError supple_simulation_user_data(const SuppleSimulation* simulation, SuppleBody body,
                                        uint64_t* data);

// Settings from the next step on, also for a scene that waits to take over. Nothing is factorised.

SuppleError supple_simulation_set_gravity(SuppleSimulation* simulation, const double gravity[3]);
SuppleError supple_simulation_set_drag(SuppleSimulation* simulation, double drag);  ///< 1/s
SuppleError supple_simulation_set_friction(SuppleSimulation* simulation, double coefficient);
SuppleError supple_simulation_set_iterations(SuppleSimulation* simulation, int32_t iterations);
SuppleError supple_simulation_set_tolerance(SuppleSimulation* simulation, double tolerance);
/// Milliseconds a frame may take; 0: no limit.
SuppleError supple_simulation_set_budget(SuppleSimulation* simulation, double milliseconds);
/// type: backtracking, wolfe, exact or none; its other settings stay. Or all of them as the JSON
/// object /solver/line_search of a scene.
SuppleError supple_simulation_set_line_search(SuppleSimulation* simulation, const char* type);

/// Continues with another scene, whose bodies must have the same numbers of vertices. Positions,
/// velocities, time and attachments stay. after_frames 0: the new scene has taken over on return.
/// Otherwise it is built in the background during the next after_frames steps, and the step after
/// them starts by switching (docs/changing.md). The scene is copied.
SuppleError supple_simulation_change(SuppleSimulation* simulation, const SuppleScene* scene,
                                     int32_t after_frames);
/// Returns the error of a change that failed while it was built, once; supple_ok otherwise.
SuppleError supple_simulation_check_change(SuppleSimulation* simulation);
/// waits: receives 1 from a change with after_frames > 0 until it has taken over or failed, or 0.
SuppleError supple_simulation_change_is_waiting(const SuppleSimulation* simulation, int32_t* waits);

// Changes without another scene, from the next step on; a scene that waits to take over gets pins
// and colliders too. Texts are as in scenes (docs/scene.md). supple_invalid_input, with nothing
// changed, for anything that supple_simulation_create would refuse.

/// Replaces the pins of a body: pins is the JSON list /bodies/0/pins.
SuppleError supple_simulation_set_pins(SuppleSimulation* simulation, int32_t body,
                                       const char* pins);
/// Replaces the material of a body's tets: the JSON object /bodies/0/material. Regions, layers,
/// fibers and plasticity stay.
SuppleError supple_simulation_set_material(SuppleSimulation* simulation, int32_t body,
                                           const char* material);
/// The same with an energy of the caller's own, as in supple_scene_set_energy.
SuppleError supple_simulation_set_energy(SuppleSimulation* simulation, int32_t body,
                                         SuppleEnergyDensity energy, SuppleStress stress,
                                         SuppleHessian hessian, void* user);
/// Replaces the colliders by those of a scene; nothing else of the scene is read.
SuppleError supple_simulation_set_colliders(SuppleSimulation* simulation, const SuppleScene* scene);

/// A pose at a time: first rotated about `axis` through `center`, then translated.
typedef struct SuppleKeyframe {
  double time;          ///< s, of the simulation
  double translate[3];  ///< m
  double axis[3];       ///< any non-zero direction; may be zero if degrees is 0
  double center[3];     ///< m
  double degrees;
} SuppleKeyframe;

/// Moves a collider from where its shape is at rest. keyframes: [count], at increasing times; the
/// pose is interpolated linearly between them and is constant before and after them, or starts
/// again if repeat is not 0. count 0: at rest. Motion between keyframes drags bodies along, so an
/// engine gives two in each frame: where the collider is now, and where it will be a step later.
SuppleError supple_simulation_move_collider(SuppleSimulation* simulation, int32_t collider,
                                            const SuppleKeyframe* keyframes, size_t count,
                                            int32_t repeat);

// ------------------------------------------------------------------------------------- state

/// Everything needed to continue later with the same bits, as bytes with a version and a checksum;
/// the scene and attachments are not included. bytes: [room], or NULL and 0; nothing is written
/// unless everything fits. size: receives the number of bytes.
SuppleError supple_simulation_state(const SuppleSimulation* simulation, void* bytes, size_t room,
                                    size_t* size);
/// Returns supple_bad_file for bytes that are not a state, are damaged or of another version, and
/// supple_invalid_input for a state of another scene; nothing changes then.
SuppleError supple_simulation_set_state(SuppleSimulation* simulation, const void* bytes,
                                        size_t size);
/// Sets the positions and velocities of all vertices: [size], 3 * vertices, m and m/s. Time,
/// plastic strains and separated elements stay; the integrator forgets earlier steps, rods are
/// twisted as at rest, and all bodies are awake.
SuppleError supple_simulation_set_positions(SuppleSimulation* simulation, const double* positions,
                                            const double* velocities, size_t size);

// ---------------------------------------------------------------------------------- measures

/// Measures of the tets in scene order. positions: [size], 3 * vertices, m, or NULL and 0: the
/// current ones. Each other array may be NULL. determinant: J = det F, [num_tets]; von_mises: of
/// the Cauchy stress, Pa, [num_tets]; stretches: signed principal stretches, descending, [num_tets
/// * 3]; plastic_strain: accumulated, [num_tets], zeros if no material flows.
SuppleError supple_simulation_measure(const SuppleSimulation* simulation, const double* positions,
                                      size_t size, double* determinant, double* von_mises,
                                      double* stretches, double* plastic_strain, size_t num_tets);

/// Cauchy stress of a tet from the multipliers of a position-based method, Pa (docs/position.md).
typedef struct SuppleMultiplierStress {
  double hydrostatic;
  double deviatoric[6];  ///< xx, yy, zz, xy, yz, zx
} SuppleMultiplierStress;

/// One for each tet in scene order; none if the method has no multipliers, before the first step
/// and after the state was set. stresses: [room], receives the first `room`, may be NULL if room is
/// 0; count: number of all.
SuppleError supple_simulation_multiplier_stresses(const SuppleSimulation* simulation,
                                                  SuppleMultiplierStress* stresses, size_t room,
                                                  size_t* count);

// ---------------------------------------------------------------------------------- warnings

/// Watches the steps of a simulation and warns of untrustworthy results.
typedef struct SuppleWatch SuppleWatch;

typedef struct SuppleWarning {
  const char* code;  ///< unconverged, energy_gain, inverted, deep_contact, tunnelled,
                     ///< self_intersection, poor_elements, step_too_large, constraint
  const char* text;  ///< one sentence: what happened and what helps
  int64_t first_frame, last_frame;
} SuppleWarning;

SuppleWatch* supple_watch_create(const SuppleSimulation* simulation);
void supple_watch_destroy(SuppleWatch* watch);
/// Adds the last step by its report. It notices a scene that takes over, and added and removed
/// bodies.
SuppleError supple_watch_add(SuppleWatch* watch, const SuppleSimulation* simulation,
                             const SuppleStepReport* report);
/// Warnings about the steps so far; texts are valid until the next call with this watch. warnings:
/// [room], receives the first `room`, may be NULL if room is 0; count: number of all.
SuppleError supple_watch_warnings(SuppleWatch* watch, SuppleWarning* warnings, size_t room,
                                  size_t* count);
/// Share of the force that a position-based method left unbalanced: the median over the steps; 0
/// for other methods. Above 0.4 a step is too large for its iterations.
SuppleError supple_watch_unbalanced_share(const SuppleWatch* watch, double* share);

// ------------------------------------------------------------------------------------- lists

/// An entry of a list of choices; the texts are never freed.
typedef struct SuppleDescription {
  const char* name;
  const char* text;  ///< what it is and its parameters
} SuppleDescription;

typedef enum SuppleList {
  supple_list_materials = 0,           ///< of tets; all but volume for membranes too
  supple_list_membrane_materials = 1,  ///< only for membranes
  supple_list_spring_materials = 2,    ///< of cloth and strands
  supple_list_bending_models = 3,      ///< of membranes
  supple_list_solvers = 4,
  supple_list_solver_options = 5,  ///< keys of /solver: default, values, methods that read it
  supple_list_integrators = 6,
  supple_list_rigid_materials = 7,  ///< of bodies of tets that do not deform
  supple_list_fabrics = 8,          ///< measured ones, for membranes
} SuppleList;

/// entries: receives an array of `count`.
SuppleError supple_list(SuppleList list, const SuppleDescription** entries, size_t* count);
/// The JSON Schema of scenes, which gives editors and panels every key with its type, range,
/// default and unit. NULL if memory runs out.
const char* supple_scene_schema(void);
/// SIMD level of this process: "avx512", "avx2", "baseline" or "native". NULL if the environment
/// variable SUPPLE_SIMD names an unknown level or one that the processor lacks.
const char* supple_simd_level(void);

// ----------------------------------------------------------------------------------- compare

/// Several solvers on the same step, from the same state, compared with the converged answer.
typedef struct SuppleComparison SuppleComparison;

/// All zero except the size: the defaults.
typedef struct SuppleCompareOptions {
  size_t struct_size;  ///< sizeof(SuppleCompareOptions)
  int32_t iterations;  ///< of each solver; 0: 50
  int32_t threads;     ///< 0: as many as the machine has
  /// Called before the converged answer, before each solver, and at the end with done = total =
  /// num_solvers + 1 and an empty label; or NULL.
  void (*progress)(void* user, int32_t done, int32_t total, const char* label);
  void* user;  ///< passed to progress
} SuppleCompareOptions;

/// Solves the first substep after a state (state: [size] bytes of supple_simulation_state; NULL and
/// 0: the scene's start) with each solver: texts like "l_bfgs:history=5", [num_solvers]. options:
/// NULL: the defaults. The caller owns the comparison. Returns NULL for solvers that are unknown or
/// cannot run, and for a step without a converged answer.
SuppleComparison* supple_compare(const SuppleScene* scene, const void* state, size_t size,
                                 const char* const* solvers, size_t num_solvers,
                                 const SuppleCompareOptions* options);
void supple_comparison_destroy(SuppleComparison* comparison);

/// The converged answer.
typedef struct SuppleConvergedStep {
  size_t struct_size;       ///< sizeof(SuppleConvergedStep)
  double objective;         ///< g*, J
  double start_objective;   ///< g(y), J
  double gradient_norm;     ///< |grad g(x*)|, N
  int32_t iterations;       ///< of Newton's method
  int32_t converged;        ///< 1: to rounding, or to 1e-12 of the first gradient
  const double* positions;  ///< x*, m; belong to the comparison
  size_t num_positions;     ///< 3 * vertices
} SuppleConvergedStep;
SuppleError supple_comparison_reference(const SuppleComparison* comparison,
                                        SuppleConvergedStep* reference);

/// An iterate; iteration 0 is where the descent starts.
typedef struct SuppleConvergencePoint {
  int32_t iteration;
  double milliseconds;    ///< wall clock since the step began
  double objective;       ///< g, J
  double gradient_norm;   ///< |grad g|, N
  double relative_error;  ///< (g(x_k) - g*) / (g(y) - g*)
  /// rms distance from x*, relative to the diagonal of the rest shape's box
  double position_error;
} SuppleConvergencePoint;

/// The curve of one solver. Pointers belong to the comparison.
typedef struct SuppleConvergenceCurve {
  size_t struct_size;  ///< sizeof(SuppleConvergenceCurve)
  const char* label;
  SuppleStepStatus status;
  int32_t evaluations;        ///< of g and its gradient
  double build_milliseconds;  ///< once, before the first step
  double energy_scale;        ///< rounding errors of g are relative to this, J
  const SuppleConvergencePoint* points;
  size_t num_points;
  const double* positions;  ///< the last iterate, m
  size_t num_positions;     ///< 3 * vertices
} SuppleConvergenceCurve;
SuppleError supple_comparison_curve(const SuppleComparison* comparison, size_t solver,
                                    SuppleConvergenceCurve* curve);

/// How much stiffer or softer a body is whose converged step looks like a given one.
typedef struct SuppleApparentStiffness {
  size_t struct_size;     ///< sizeof(SuppleApparentStiffness)
  double ratio;           ///< 1: as stiff as its material says; above 1: it acts stiffer
  double unexplained;     ///< share of the error that no change of stiffness explains
  double position_error;  ///< rms distance from the converged step, relative to the box's diagonal
  int32_t defined;        ///< 0: the step does not depend on the material, or no ratio describes it
} SuppleApparentStiffness;

/// positions: the end of the first substep after the state: [num_positions], 3 * vertices, m.
SuppleError supple_apparent_stiffness(const SuppleScene* scene, const void* state, size_t size,
                                      const double* positions, size_t num_positions,
                                      int32_t threads, SuppleApparentStiffness* stiffness);

// ----------------------------------------------------------------------------------- session

/// The engine behind the viewer's page: commands come in, messages go out
/// (docs/viewer_protocol.md). It has no clock: the program that carries its messages calls
/// supple_session_advance when the session asks for it.
typedef struct SuppleSession SuppleSession;

typedef struct SuppleMessage {
  const char* bytes;  ///< JSON in UTF-8 or a packet, not zero-terminated; NULL: no message
  size_t size;
  int32_t to_all;     ///< 1: for all clients
  uint32_t to;        ///< otherwise, for this client
  int32_t is_packet;  ///< 1: binary, 0: JSON text
  int32_t is_frame;   ///< 1: obsolete as soon as there is a newer frame
} SuppleMessage;

/// Opens the first scene. options: JSON ("{}": all defaults) with the keys
/// - "scenes": the folder of the gallery,
/// - "scene": the first scene, a file or a name in the gallery ("": twisting_bar, or the gallery's
///   first),
/// - "threads" (0: as many as the machine has),
/// - "engine": "native" or "wasm", passed on to the page.
///
/// Returns NULL if the options are invalid or the scene cannot be read or simulated.
SuppleSession* supple_session_create(const char* options);
void supple_session_destroy(SuppleSession* session);

/// Queues the messages that a new client needs. The caller chooses the numbers of clients.
SuppleError supple_session_connect(SuppleSession* session, uint32_t client);
/// Releases what the client holds.
SuppleError supple_session_disconnect(SuppleSession* session, uint32_t client);
/// Handles one command, `size` bytes of JSON or of a packet. A faulty command results in a message
/// to the client, not in an error here.
SuppleError supple_session_receive_text(SuppleSession* session, uint32_t client, const char* text,
                                        size_t size);
SuppleError supple_session_receive_packet(SuppleSession* session, uint32_t client,
                                          const void* packet, size_t size);

/// Does what is due at `now`, in seconds of any steady clock: at most about one frame of
/// simulation. next, unless NULL: when to call again; `now` or earlier: at once; infinity: once
/// something has been received.
SuppleError supple_session_advance(SuppleSession* session, double now, double* next);
/// Takes the oldest queued message; its bytes are NULL if there is none. They are valid until the
/// next call with this session.
SuppleError supple_session_next_message(SuppleSession* session, SuppleMessage* message);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "io/scene/object_reader.h"
#include "io/scene/scene_json.h"
#include "supple/scene.h"
#include "supple/simulation.h"

/// The readers of the parts of a scene. Each gets the object that holds the part and reads all of
/// its keys. Errors as in ObjectReader.
namespace supple {

TimeSettings read_time(ObjectReader& time);

/// The time of stiffness-proportional damping, s, as it is or by the loss factor tan(delta) that it
/// has at a frequency, tau = tan(delta)/(2 pi f) (docs/damping.md). usual: if neither is given;
/// none: one of them is required.
double read_damping_time(ObjectReader& damping, std::optional<double> usual);
/// Without a method: `usual` if it reads all options that are given, else l_bfgs.
SolverSettings read_solver(ObjectReader& solver, SolverMethod usual = SolverMethod::l_bfgs);
ContactSettings read_contact(ObjectReader& contact);
WindSettings read_wind(ObjectReader& wind);

/// A motion, already checked by `validate`.
Motion read_motion(ObjectReader& motion);

/// A number over time under `key`: a number, or an object with keyframes; `range` holds for all its
/// values. Already checked by `validate`.
TimedNumber read_timed_number(ObjectReader& reader, const char* key, const Range& range,
                              std::optional<double> fallback = {});

/// How a transform changes the axes of a mesh file: what x, y and z become.
using Axes = std::array<Vec3, 3>;

/// "fiber" of a body of tets. Fields of the mesh have directions along its own axes.
FiberSettings read_fiber(ObjectReader& fiber, const TetMesh& mesh, const Axes& axes);

/// "pressure" of a body.
PressureSettings read_pressure(ObjectReader& body);

/// "tearing" of a body whose mesh and material have been read.
TearingSettings read_tearing(ObjectReader& tearing, const Body& body);

Blade read_blade(ObjectReader& blade, std::size_t index);

/// Vertices in a box, in a list, or both; at least one.
VertexSelection read_selection(ObjectReader& select, const TetMesh& mesh);

/// An element of "bonds", and one of "seams", between these bodies.
Bond read_bond(ObjectReader& bond, const std::vector<Body>& bodies);
Seam read_seam(ObjectReader& seam, const std::vector<Body>& bodies);

/// How to read a file that is not a tetrahedral mesh: as the hull of tets to be generated, as a
/// surface, or as strands, or as a surface if there are none.
enum class FileContent { hull, sheet, strands_or_surface };

/// A body's mesh, generated or from a file. Generators may make up to `max_tets` tets and springs.
BodyMesh read_mesh(ObjectReader& mesh, const SceneSources& sources, std::size_t max_tets,
                   FileContent content);

/// Reads a transform and applies it to the points: scale, then rotation about the origin, then
/// translation.
void read_transform(ObjectReader& transform, std::vector<Vec3>& points);

/// A material whose parameters per tet come from the fields of `mesh`; already checked.
MaterialSettings read_material(ObjectReader& material, const TetMesh& mesh);

/// The material of a cloth, a strand or a surface: its springs, or the settings of a membrane or a
/// rod.
void read_cloth_material(ObjectReader& material, const SpringMesh& mesh, Body& body);

/// An additional material of a membrane.
MaterialSettings read_sheet(ObjectReader& material, const SpringMesh& mesh);

/// An element of "pins" of a body.
Pin read_pin(ObjectReader& pin, const TetMesh& mesh);

/// A list of terms of a user's function, under `key`. An empty function if there are none.
ScalarFunction read_function(ObjectReader& material, const char* key);

/// `max_tets`: how many the generators may still make.
Body read_body(ObjectReader& body, std::size_t index, const SceneSources& sources,
               std::size_t max_tets);

/// "center" of a generator or a collider, m; the origin if it is not given.
Vec3 read_center(ObjectReader& reader);

Collider read_collider(ObjectReader& collider, std::size_t index, const SceneSources& sources);

}  // namespace supple

#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "supple/choices.h"
#include "supple/mesh.h"

#pragma GCC visibility push(default)

/// What to simulate, as plain values: the scene file without its JSON. An engine fills these
/// structs in code; `supple::load_scene` fills them from a file. All units are SI. Every member has
/// a default initialiser, so designated initialisers may omit any of them without a warning.
namespace supple {

// ---------------------------------------------------------------------------------- motion

/// Rotation at constant speed: by degrees_per_second * t about `axis` through `center`.
struct Rotation {
  Vec3 axis{0, 1, 0};    ///< any non-zero direction
  Vec3 center{0, 0, 0};  ///< m
  double degrees_per_second = 0;
  bool operator==(const Rotation&) const = default;
};

/// A pose at a time: first rotated about `axis` through `center`, then translated.
struct Keyframe {
  double time = 0;          ///< s
  Vec3 translate{0, 0, 0};  ///< m
  Vec3 axis{0, 1, 0};       ///< any non-zero direction
  Vec3 center{0, 0, 0};     ///< m
  double degrees = 0;
  bool operator==(const Keyframe&) const = default;
};

/// A rigid motion: rotation first, then translation. A motion has either keyframes, or a rotation,
/// a velocity or both. Translation, centre, angle and axis are interpolated linearly between
/// keyframes (the axis is then normalised). The first and last poses hold before and after, or the
/// motion repeats with the last keyframe's time as its period.
struct Motion {
  std::optional<Rotation> rotate{};
  std::optional<Vec3> velocity{};     ///< m/s
  std::vector<Keyframe> keyframes{};  ///< times strictly increasing
  bool repeat = false;                ///< starts again after the last keyframe
  bool operator==(const Motion&) const = default;
};

/// A number as a function of time: `value`, or linear between keyframes. The first and last values
/// hold before and after, or the function repeats with the last keyframe's time as its period.
struct TimedNumber {
  double value = 0;
  /// (time in s, value), times strictly increasing; empty, or `value` is ignored.
  std::vector<std::pair<double, double>> keyframes{};
  bool repeat = false;  ///< starts again after the last keyframe

  TimedNumber() = default;
  TimedNumber(double v) : value(v) {}  // NOLINT(google-explicit-constructor): as of Parameter
};

// -------------------------------------------------------------------------------- material

/// A material parameter: one value, or one per tet of the body's mesh, or per triangle of a
/// membrane.
struct Parameter {
  double value = 0;
  std::vector<double> per_tet{};  ///< empty, or [num_tets]: `value` is then ignored

  Parameter() = default;
  Parameter(double v) : value(v) {}  // NOLINT(google-explicit-constructor): `mu = 1e5` reads well
  double operator[](std::size_t tet) const { return per_tet.empty() ? value : per_tet[tet]; }
};

/// A twice differentiable function of one variable with its derivatives.
struct ScalarFunction {
  std::function<double(double)> value{};
  std::function<double(double)> first{};   ///< derivative
  std::function<double(double)> second{};  ///< second derivative
};

/// The derivative of an energy term, as a curve through control points (stretch, stress): a natural
/// cubic spline, linear beyond the ends [Xu et al. 2015, sec. 4].
struct SplineCurve {
  std::vector<std::pair<double, double>>
      points{};  ///< x strictly increasing; empty: the zero function
};

/// Multiplicative plasticity, F = F_e F_p: the energy depends on F_e, and F_p, with det F_p = 1,
/// flows after each step if the elastic strain e of a tet, sqrt(2/3) |dev log U_e|, exceeds its
/// limit y (in uniaxial stretch of an incompressible material e is the logarithm of the stretch):
///   da/dt = creep (e - y),  y = yield + hardening a,
/// where a is the accumulated plastic strain (docs/plasticity.md).
struct PlasticitySettings {
  double yield = 0.05;            ///< elastic strain at which it begins to flow, >= 0
  std::optional<double> creep{};  ///< 1/s, > 0; empty: strain above the limit flows at once
  double hardening = 0;           ///< of the limit, per accumulated plastic strain, >= 0
  double max = 1;                 ///< largest plastic strain sqrt(2/3) |log F_p|, in (0, 3]
};

class OwnEnergy;

/// A hyperelastic material. `model` decides which fields are read:
/// | model                                                | fields                       |
/// | corotated, stvk, neo_hookean, stable_neo_hookean     | mu, lambda                   |
/// | arap, volume, polynomial                             | mu                           |
/// | strain_limit                                         | mu, min, max                 |
/// | mooney_rivlin                                        | c1, c2, bulk                 |
/// | spline                                               | spline_a, spline_b, spline_c |
/// | valanis_landel                                       | a, b, c                      |
/// | own (tets only; in code only)                        | own                          |
/// | rigid (tets only)                                    | none                         |
/// | orthotropic_stvk (membranes only)                    | warp, weft, shear, poisson,  |
/// |                                                      | direction                    |
/// | woven_limit (membranes only)                         | mu, warp_limits,             |
/// |                                                      | weft_limits, direction       |
struct MaterialSettings {
  std::string model = "neo_hookean";
  Parameter mu = 0;  ///< shear modulus (second Lame parameter), Pa, >= 0
  /// First Lame parameter, Pa, >= 0. Infinite means incompressible: stable_neo_hookean with xpbd or
  /// step_and_project only.
  Parameter lambda = 0;
  Parameter min = 1, max = 1;                      ///< stretches, 0 <= min <= 1 <= max
  Parameter c1 = 0, c2 = 0, bulk = 0;              ///< Pa, >= 0
  SplineCurve spline_a{}, spline_b{}, spline_c{};  ///< a'(s), b'(s_i s_j), c'(J), Pa
  ScalarFunction a{}, b{}, c{};                    ///< J/m^3; empty: zero
  /// A program's own energy; own_material() of supple/own_material.h sets it and `model`.
  std::shared_ptr<const OwnEnergy> own{};
  /// Young's moduli along warp and weft and the modulus of shear between them, Pa, > 0.
  double warp = 0, weft = 0, shear = 0;
  /// Contraction of the weft over the stretch of the warp; poisson^2 < warp/weft.
  double poisson = 0;
  Vec3 direction{1, 0, 0};  ///< of the warp at rest; its component in each triangle counts
  /// Least and largest free stretch along warp and weft, 0 <= min <= 1 <= max.
  std::array<double, 2> warp_limits{1, 1}, weft_limits{1, 1};
  std::optional<PlasticitySettings> plasticity{};  ///< of tets without fibers; empty: elastic
};

/// Makes a body's triangles a membrane: a sheet of its material, which resists stretch and shear in
/// the sheet, and bending.
struct MembraneSettings {
  double thickness = 0.001;  ///< m, > 0
  /// Bending rigidity, N m, >= 0; empty: that of a plate of the material, E t^3/(12 (1 - nu^2)).
  std::optional<double> bending{};
  /// quadratic: tends to be flat, whatever the shape of the mesh; dihedral: keeps the angles
  /// between the triangles of the mesh, as changed by Body::folds.
  BendingModel bending_model = BendingModel::quadratic;
};

/// Vertices of a body.
struct VertexSelection {
  Box box{};                    ///< by rest position, boundary included, m; min = max: none
  std::vector<int> vertices{};  ///< further ones, by index in the body
};

/// A fold in the rest shape of a membrane with `dihedral` bending: the two triangles at each edge
/// between selected vertices are rotated towards each other.
struct Fold {
  VertexSelection select{};  ///< at least the two ends of one edge between two triangles
  double degrees = 0;        ///< in (-180, 180); above 0: the fronts approach each other
};

/// Fibers that point perpendicularly away from an axis.
struct RadialFibers {
  Vec3 axis{0, 1, 0};    ///< any non-zero direction
  Vec3 center{0, 0, 0};  ///< a point of the axis, m
};

/// Fibers along the gradient of the function that is 0 at one set of vertices, 1 at another one and
/// harmonic in between, with no flux through the rest of the surface.
struct LaplaceFibers {
  VertexSelection from{}, to{};
};

/// A family of fibers along d: adds kappa/2 (|F d| - l)^2 [thesis sec. 8.3], l = 1 - a, where the
/// activation a shortens them to l times their rest length. With a curve T of the stress it adds
/// l^2 W(|F d|/l), W' = T. d is `direction`, or is given per tet by one of the other members.
struct FiberSettings {
  Vec3 direction{1, 0, 0};  ///< at rest, normalised on use
  double kappa = 0;         ///< Pa, >= 0; ignored if there is a curve
  /// Empty, or a direction for each tet of the body's mesh. A Simulation fills it for `laplace`.
  std::vector<Vec3> directions{};
  std::optional<RadialFibers> radial{};
  std::optional<LaplaceFibers> laplace{};
  TimedNumber activation{};  ///< a in [0, 0.9], at the end of the step; of a muscle over time
  /// Control points of T: stress along the fiber, Pa, over stretch. The stress must not decrease,
  /// and (1, 0) must be a point. Empty: kappa.
  SplineCurve curve{};
};

/// A rest shape that changes over time: the tets are stretched at rest, and with them their volume.
/// The mass is constant. Several are multiplied in their order.
struct GrowthSettings {
  TimedNumber stretch = 1;          ///< of lengths, in [0.1, 10], at the end of the step
  std::optional<Vec3> direction{};  ///< at rest, the only one that is stretched; empty: all
  bool along_fiber = false;         ///< the direction is that of the body's first fibers
  Box box{};                        ///< tets whose rest centroid lies in it, m; min = max: all
};

/// A spring between two vertices of a body, E = k/2 (|x_a - x_b| - r)^2 [thesis eq. 4.2].
struct Spring {
  int a = 0, b = 0;        ///< vertices of the body
  double stiffness = 0;    ///< k, N/m, > 0
  double rest_length = 0;  ///< r, m, >= 0
  /// Keeps the length r > 0 like a stiff bar, exactly once the solver has found its tension, and
  /// under tensions and compressions up to k r. k affects only how fast the solver finds them. In
  /// short steps the solver uses a larger one (docs/inextensible.md).
  bool inextensible = false;
};

/// Stiffness of the springs of a cloth or a strand by kind, N/m. 0 leaves out that kind.
struct SpringSettings {
  double stiffness = 0;       ///< of structural springs, > 0
  double shear = 0;           ///< >= 0
  double bending = 0;         ///< >= 0
  bool inextensible = false;  ///< structural springs are: Spring::inextensible
};

/// The springs of a mesh, kind after kind, with their lengths in the mesh as rest lengths. Throws
/// Error{invalid_input} if a stiffness is out of range or a spring's vertex does not exist.
std::vector<Spring> make_springs(const SpringMesh& mesh, const SpringSettings& settings);

/// Makes a strand's segments a rod, which resists bending and twist; its springs resist stretch.
/// For a round rod, `rod_stiffness` gives all three stiffnesses.
struct RodSettings {
  double bending = 0;  ///< E I, N m^2, > 0
  double twist = 0;    ///< G J, N m^2, > 0
  /// mesh: keeps the curvature of its mesh; straight: tends to be straight, whatever its mesh.
  RodRestShape rest_shape = RodRestShape::mesh;
  /// Twist at rest from the first segment to the last one, degrees: spread evenly over the length,
  /// right-handed if above 0.
  double rest_twist = 0;
  /// Of a rod that has come apart: which vertex each of the body's last ones is a copy of. It is
  /// bent and twisted at rest as the whole one, in which they are the same vertex. Simulation sets
  /// this (docs/tearing.md).
  std::vector<int> copies{};
};

/// Stiffness of a round rod of radius r: E A (N), E I and G J (N m^2) with
///   A = pi r^2,  I = pi r^4/4,  J = pi r^4/2,  G = E/(2 (1 + nu)).
struct RodStiffness {
  double stretch = 0, bending = 0, twist = 0;
};

/// Throws Error{invalid_input} unless young > 0 (Pa), -1 < poisson <= 0.5 and radius > 0 (m), and
/// all three results are finite and above 0.
RodStiffness rod_stiffness(double young, double poisson, double radius);

/// A spring for each segment of a strand, with the stiffness `stretch` (E A, N) divided by its
/// length, or inextensible. Throws Error{invalid_input} unless stretch > 0, for a vertex that does
/// not exist and for a segment without length.
std::vector<Spring> make_springs(const SpringMesh& mesh, double stretch, bool inextensible = false);

/// Gives the tets whose rest centroid lies in `box` this material instead of the body's.
struct MaterialRegion {
  Box box{};  ///< in rest positions, m
  MaterialSettings material{};
};

/// mu = E/(2(1+nu)) and lambda = E nu/((1+nu)(1-2 nu)), which is infinite at nu = 0.5. Throws
/// Error{invalid_input} unless young > 0 (Pa) and -1 < poisson <= 0.5.
std::pair<double, double> lame_parameters(double young, double poisson);

// ------------------------------------------------------------------------------------ body

/// Holds each selected vertex by a spring, k/2 |x - target(t)|^2 [thesis eq. 8.5].
struct Pin {
  Box box{};                    ///< selects vertices by rest position, boundary included, m
  std::vector<int> vertices{};  ///< selects further vertices, by index in the body
  double stiffness = 1e6;       ///< N/m per vertex, > 0
  Motion motion{};              ///< from rest position to target, at the end of the step
  /// Name of a collider that the targets follow, instead of `motion`. The vertices do not touch it,
  /// and it bears their forces (Simulation::collider_forces). Empty: none.
  std::string collider{};
  /// Pins of a body with the same number clamp segments of rods as one. Simulation sets this where
  /// vertices have copies, which share a stiffness (docs/tearing.md). -1: the pin stands alone.
  int part_of = -1;
};

struct AtRest {};
/// Every vertex starts at a random position in the box.
struct Randomize {
  Box box{};
  unsigned seed = 1;
};
/// The body starts flat: every vertex at the middle of the rest shape's box along one axis.
struct Flatten {
  int axis = 1;  ///< 0, 1, 2 for x, y, z
};
/// The body starts stretched about the centre of the rest shape's box.
struct Stretch {
  Vec3 factors{1, 1, 1};
};
using Initial = std::variant<AtRest, Randomize, Flatten, Stretch>;

/// Damping of the deformation of a body; flight and rotation are not damped.
struct BodyDamping {
  /// tau, s, >= 0: the rate of strain times tau times the constant stiffness is added to the
  /// stress, so vibrations of angular frequency w decay as exp(-tau w^2 t/2) or faster
  /// (docs/damping.md). For backward_euler and implicit_midpoint with descent methods and xpbd.
  double stiffness = 0;
};

/// Pressure in each volume that a closed surface of the body encloses: the surface of a cloth,
/// which it inflates, or of tets. It acts on the deformed surface. Either a given overpressure p,
/// with the energy -p (V - V0), or, with `ambient`, a fixed amount of gas at constant temperature,
/// with the energy
///   -p V0 log(V/V0) + ambient (V - V0),
/// where p is its absolute pressure in the volume V0 at rest; in a volume V it is p V0/V. Cloth
/// loses the pressure when it tears.
struct PressureSettings {
  TimedNumber pressure{};           ///< p, Pa, at the end of the step; for a gas >= 0
  std::optional<double> ambient{};  ///< absolute pressure outside, Pa, >= 0
  /// For a body of tets: outer (the volume within its outer surface, which the pressure expands) or
  /// cavities (each hollow inside the body is a volume of its own). For a cloth: outer.
  PressureSurface surface = PressureSurface::outer;
};

/// Where tets, cloth or a strand of springs tear: around a vertex, elements come apart across the
/// direction in which they are stretched most (docs/tearing.md). At least one limit.
struct TearingSettings {
  /// Largest principal stretch, of springs that can stretch l/r, > 1.
  std::optional<double> stretch{};
  /// Largest principal Cauchy stress that tets bear, Pa, > 0.
  std::optional<double> stress{};
  /// Largest tension of springs, N, > 0; of a spring that is shared along a tear, its share of
  /// that.
  std::optional<double> force{};
  int per_frame = 4;  ///< vertices around which elements come apart in a frame at most, >= 1
};

struct Body {
  std::string name{};
  TetMesh mesh{};  ///< rest shape in world coordinates, m; springs and membranes have no tets
  /// Surface of a cloth, counter-clockwise seen from its front. It is drawn, and its area
  /// determines the mass. Empty for a body of tets and for a strand.
  std::vector<std::array<int, 3>> triangles{};
  /// Segments of a strand. They are drawn as lines, and their length determines the mass. The mass
  /// of a body of springs without triangles or segments follows from its springs' rest lengths.
  std::vector<std::array<int, 2>> segments{};
  std::vector<Spring> springs{};
  /// Makes the segments a rod. The body then has springs for its stretch and no tets or triangles,
  /// and no vertex has more than two segments.
  std::optional<RodSettings> rod{};
  /// Makes the triangles a membrane of `material` and `layers`. The body then has no tets, segments
  /// or springs, and no regions and fibers.
  std::optional<MembraneSettings> membrane{};
  /// kg/m^3 of tets, kg/m^2 of triangles, kg/m of strands, > 0; ignored if `mass` is given
  double density = 1000;
  std::optional<double> mass{};  ///< total, kg, > 0
  MaterialSettings material{};   ///< of the tets or the membrane
  /// Further materials of the same tets or triangles: the energies add.
  std::vector<MaterialSettings> layers{};
  std::vector<MaterialRegion> regions{};  ///< the last one that contains a tet wins
  std::vector<FiberSettings> fibers{};    ///< of tets, at most 16 families: the energies add
  std::optional<BodyDamping> damping{};   ///< empty: the scene's
  Vec3 velocity{0, 0, 0};                 ///< m/s at time 0
  Initial initial{};
  std::vector<Pin> pins{};
  std::optional<PressureSettings> pressure{};
  /// exact: each part of a body of tets, or each volume that a cloth encloses, keeps its volume at
  /// rest, until that tears (docs/inextensible.md). The body then has no growth, and no pressure
  /// except in cavities between tets.
  BodyVolume volume = BodyVolume::free;
  std::vector<GrowthSettings> growth{};  ///< of the tets
  std::vector<Fold> folds{};             ///< of a membrane; folds of the same edge add up
  /// Names of the bodies and colliders that it touches; empty: all. Two touch unless one has a list
  /// without the other. Whether a body touches itself is ContactSettings::self.
  std::optional<std::vector<std::string>> touches{};
  std::optional<TearingSettings> tearing{};  ///< empty: it does not tear
};

/// A fabric as an orthotropic_stvk membrane: moduli times the thickness. See docs/materials.md for
/// the measurements [Wang, O'Brien & Ramamoorthi 2011] and how these numbers follow from them.
struct FabricProperties {
  double density = 0;         ///< kg/m^2
  double warp = 0, weft = 0;  ///< Young's moduli along the threads times the thickness, N/m
  double shear = 0;           ///< modulus of shear times the thickness, N/m
  double poisson = 0;         ///< as MaterialSettings::poisson
  double bending = 0;         ///< bending rigidity, N m
};

/// Throws Error{invalid_input} for Fabric::custom.
FabricProperties fabric_properties(Fabric fabric);

/// Thickness of fabrics unless it is given, m. It affects neither their stretch nor their bending.
inline constexpr double fabric_thickness = 0.0005;

/// Makes the triangles of a body a membrane of this fabric: sets material, membrane and density.
/// The warp keeps its direction. Throws Error{invalid_input} for Fabric::custom and unless
/// thickness > 0 (m).
void set_fabric(Body& body, Fabric fabric, double thickness = fabric_thickness);

// -------------------------------------------------------------------------------- colliders

/// Points with normal . x < offset are inside.
struct PlaneShape {
  Vec3 normal{0, 1, 0};
  double offset = 0;  ///< m
  bool operator==(const PlaneShape&) const = default;
};
struct SphereShape {
  Vec3 center{0, 0, 0};
  double radius = 1;
  bool operator==(const SphereShape&) const = default;
};
struct BoxShape {
  Vec3 center{0, 0, 0};
  Vec3 size{1, 1, 1};  ///< edge lengths
  Vec3 axis{0, 1, 0};  ///< rotated about this axis through its centre
  double degrees = 0;
  bool operator==(const BoxShape&) const = default;
};
struct CapsuleShape {
  Vec3 a{0, 0, 0}, b{0, 1, 0};  ///< ends of the middle line
  double radius = 0.5;
  bool operator==(const CapsuleShape&) const = default;
};
struct CylinderShape {
  Vec3 center{0, 0, 0};
  Vec3 axis{0, 1, 0};
  double radius = 0.5;
  double height = 1;
  bool operator==(const CylinderShape&) const = default;
};
struct TorusShape {
  Vec3 center{0, 0, 0};
  Vec3 axis{0, 1, 0};
  double major = 1;
  double minor = 0.3;
  bool operator==(const TorusShape&) const = default;
};
/// A closed surface. The sign of the angle-weighted pseudo-normal tells inside from outside.
struct MeshShape {
  TriangleMesh mesh{};
  bool operator==(const MeshShape&) const = default;
};
/// The convex hull of the points.
struct ConvexHullShape {
  std::vector<Vec3> points{};  ///< at least four, not in one plane, m
  bool operator==(const ConvexHullShape&) const = default;
};
/// Ground over a rectangle of nx times nz heights at distances of `cell`, row after row: heights[i
/// + nx j] at x = (i - (nx - 1)/2) cell and z = (j - (nz - 1)/2) cell, in the frame of the field,
/// whose y points up. Each cell is two triangles, cut along the diagonal from its corner (i, j) to
/// (i + 1, j + 1). Everything below is solid, down to a floor deeper than bodies can get: below the
/// lowest height by the rectangle's diagonal plus the difference of the heights.
struct HeightFieldShape {
  int nx = 0, nz = 0;             ///< each >= 2, with a product of at most 2^20
  std::vector<double> heights{};  ///< [nz * nx], m
  double cell = 1;                ///< m, > 0
  Vec3 center{0, 0, 0};           ///< middle of the rectangle, at height 0
  Vec3 axis{0, 1, 0};             ///< rotated about this axis through its centre
  double degrees = 0;
  bool operator==(const HeightFieldShape&) const = default;
};
/// A solid given by a function: the signed distance of a point from its surface, m, negative
/// inside, and its gradient there, which points outward.
///
/// The values at two points must differ by no more than the distance between the points. Then a
/// fast vertex passes no solid that is thicker than a thousandth of its path. A value may be less
/// than the true distance, but not more. The gradient is normalised; it may have any length but 0
/// near the surface. Several threads call the function at once. An exception, or a value that is
/// not a number, ends a step as StepStatus::failed. Points are relative to the collider at rest:
/// `motion` moves it.
struct DistanceShape {
  std::function<double(const Vec3& x, Vec3& gradient)> distance{};
  /// Functions cannot be compared.
  bool operator==(const DistanceShape&) const { return false; }
};
using ColliderShape =
    std::variant<PlaneShape, SphereShape, BoxShape, CapsuleShape, CylinderShape, TorusShape,
                 MeshShape, ConvexHullShape, HeightFieldShape, DistanceShape>;

struct Collider {
  std::string name{};
  ColliderShape shape{};  ///< at rest; `motion` moves it as a whole
  Motion motion{};
  std::optional<double> friction{};  ///< Coulomb coefficient, >= 0; empty: the scene's
  /// Names of the bodies that it touches; empty: all. See Body::touches.
  std::optional<std::vector<std::string>> touches{};
  bool operator==(const Collider&) const = default;
};

struct ContactSettings {
  /// N/m per vertex, >= 0; 0: chosen for each vertex from its mass, its material and the time step
  double stiffness = 0;
  double friction = 0;  ///< Coulomb coefficient, >= 0
  bool bodies = true;   ///< bodies touch each other
  bool self = false;    ///< a body touches itself
  /// soft: contacts give way by a small part of a body's size; barrier: surfaces never meet
  ContactMode mode = ContactMode::soft;
};

// ------------------------------------------------------------------------------------ bonds

/// Ties vertices of a body to another one: each x_a to the point p = sum_i w_i x_i of the other
/// body at the same position at rest, by E = k/2 |x_a - p|^2, where k is the stiffness. A vertex
/// beside a body of tets is tied to the extension of the nearest tet, with weights outside [0, 1],
/// and so keeps its place beside the body as the body turns and deforms. Beside a cloth or a
/// strand, or farther away than the size of the tets, E = k/2 (|x_a - p| - r)^2 keeps the rest
/// distance r from the nearest point.
struct Bond {
  std::string body{};        ///< name of the body whose vertices are tied
  VertexSelection select{};  ///< of its vertices
  std::string to{};          ///< name of another body
  double stiffness = 0;      ///< N/m per vertex, >= 0; 0: chosen for each (docs/bonds.md)
  /// m, >= 0: vertices farther from the other body are not tied; empty: all are.
  std::optional<double> distance{};
};

/// Vertices of a body that are one side of a seam.
struct SeamSide {
  std::string body{};  ///< its name
  VertexSelection select{};
};

/// Sews vertices of two bodies, or of one, together: pairs of vertices by springs
///   E = k/2 (|x_a - x_b| - r(t))^2,  r(t) = r(0) max(0, 1 - t/close),
/// where r(0) is their distance at rest. Two lists of equally many vertices, without boxes, are
/// paired in their order; else each vertex is sewn to the nearest of the other side at rest.
struct Seam {
  SeamSide a{}, b{};
  double close = 1;      ///< s, >= 0: when the seam is closed; 0: closed from the start
  double stiffness = 0;  ///< N/m per pair, >= 0; 0: chosen for each (docs/bonds.md)
};

// ----------------------------------------------------------------------------------- blades

/// Cuts tets along faces, cloth along edges and strands at vertices, next to where it is. At the
/// start of each frame, a segment cuts what it passed through in the previous frame, and a triangle
/// cuts at its current position (docs/tearing.md).
struct Blade {
  std::string name{};
  std::vector<Vec3> points{};  ///< two: the ends of a segment, three: a triangle; at rest, m
  Motion motion{};
  std::optional<std::vector<std::string>> cuts{};  ///< names of bodies; empty: all
};

// --------------------------------------------------------------------------------- stepping

struct TimeSettings {
  double step = 1.0 / 30;  ///< s per frame, > 0
  int frames = 120;        ///< >= 0
  int substeps = 1;        ///< steps per frame, each of step/substeps, >= 1
  TimeIntegrator integrator = TimeIntegrator::backward_euler;
  /// s, >= 0: bodies that have rested this long sleep, at no cost, until something acts on them
  /// (docs/changing.md). 0: never.
  double sleep_after = 0;
  /// Frames from the one that finds what tears or is cut to the one in which it comes apart, >= 0.
  /// Meanwhile the torn bodies are built on another thread (docs/tearing.md). 0: the frame that
  /// finds it waits for that.
  int separate_after = 0;
};

struct LineSearchSettings {
  /// Without this, g++ 12 warns in programs that initialise a Scene's members by name.
  LineSearchSettings() = default;

  /// backtracking (Armijo), wolfe (strong conditions), exact (minimum along p), none (always the
  /// full step)
  LineSearchType type = LineSearchType::backtracking;
  double sufficient_decrease = 0.03;  ///< gamma in (0, 0.5); backtracking, wolfe
  double shrink = 0.5;                ///< beta in (0, 1), largest factor of a trial; backtracking
  double curvature = 0.9;             ///< in (gamma, 1); wolfe
};

/// How a step is solved. A method reads only some of the fields; `supple list options` says which.
struct SolverSettings {
  SolverMethod method = SolverMethod::l_bfgs;
  int iterations = 10;   ///< limit, >= 1
  double tolerance = 0;  ///< stops when |grad g| <= tolerance |grad g(x_0)|; 0: never early
  /// Wall-clock limit of a frame, ms; 0: no limit. The result is the best iterate found in time, so
  /// it depends on the machine's speed.
  double budget_ms = 0;
  /// Material of bodies that are inside out, until they have unfolded: arap (descent methods; see
  /// docs/solvers.md), or none: their own.
  Recovery recovery = Recovery::arap;
  /// Where the descent starts: inertia (x_0 = y), extrapolated [Wang & Yang 2016, sec. 4.1],
  /// adaptive (vertex_block_descent only) [Chen et al. 2024, sec. 3.7], or automatic: adaptive if
  /// the method and the integrator support it, else y, without its fall if g is lower there
  /// (docs/solvers.md).
  DescentStart start = DescentStart::automatic;
  /// Range of stretches over which the constant stiffness is fitted [thesis eq. 7.14].
  std::pair<double, double> stiffness_range{0.5, 1.5};
  LineSearchSettings line_search{};

  int history = 5;  ///< l_bfgs, >= 0
  /// Initial matrix of l_bfgs, or the matrix of quasi_newton: laplacian, identity, rest,
  /// warped_rest, frame.
  InitialHessian initial_hessian = InitialHessian::laplacian;
  /// Stiffness in a directly factorised laplacian: following (raised for tets that stiffen so much
  /// that they shorten all steps; sheets soft along their normals), constant (as published).
  LaplacianWeights weights = LaplacianWeights::following;
  /// direct (Cholesky), cg, truncated_cg (stops at negative curvature; newton only)
  LinearSolver linear_solver = LinearSolver::direct;
  int linear_iterations = 15;  ///< cg and truncated_cg, >= 1
  /// cg and truncated_cg: none, jacobi, incomplete_cholesky (of the matrix itself), laplacian or
  /// rest (incomplete Cholesky of M/h^2 + L or of the rest Hessian).
  PreconditionerType preconditioner = PreconditionerType::jacobi;
  /// newton: clamp or absolute (changes the eigenvalues of each element's Hessian), tikhonov (adds
  /// a multiple of the identity to the whole matrix), none
  Definiteness definiteness = Definiteness::clamp;
  /// jacobi and gauss_seidel: iterations between evaluations of the Hessian, >= 1.
  int refresh = 10;
  /// jacobi, gauss_seidel and vertex_block_descent: chebyshev, none, or automatic (chebyshev for
  /// vertex_block_descent, none for the others).
  Acceleration acceleration = Acceleration::automatic;
  /// Chebyshev acceleration: plain iterations S before it starts; 0: 3 for vertex_block_descent, 10
  /// for the others.
  int delay = 0;

  /// xpbd, how a tet is projected: stress (the whole stress of the tet, replaced at each visit),
  /// sequential (the paper's two constraints one after the other), block (both at once).
  XpbdProjection projection = XpbdProjection::stress;
  /// xpbd, multipliers at the start of a substep: zero, or kept from the last substep.
  XpbdMultipliers multipliers = XpbdMultipliers::zero;
  /// xpbd, order of the tets: parts, colours, cells (box lattices), natural (serial).
  XpbdOrder order = XpbdOrder::parts;
  XpbdPrecision precision = XpbdPrecision::float64;  ///< xpbd, positions and multipliers
  double stiffness = 1;                              ///< pbd, of lengths, in [0, 1]
  double volume_stiffness = 1;                       ///< pbd, of volumes, in [0, 1]
};

/// Wind on the triangles of cloth: of springs and of membranes.
struct WindSettings {
  Vec3 velocity{0, 0, 0};  ///< of the air, m/s; 0: still air
  double density = 1.2;    ///< of the air, kg/m^3, > 0
  double drag = 1;         ///< coefficient of the force along the wind, >= 0
  double lift = 1;         ///< coefficient of the force across it, >= 0
};

struct DampingSettings {
  double drag = 0;       ///< 1/s, >= 0: v is multiplied by exp(-drag h) before each substep
  double stiffness = 0;  ///< s, >= 0: for bodies without a BodyDamping of their own
};

/// A whole scene.
struct Scene {
  std::string name = "scene";
  TimeSettings time{};
  Vec3 gravity{0, -9.81, 0};  ///< m/s^2
  SolverSettings solver{};
  std::vector<Body> bodies{};
  std::vector<Collider> colliders{};
  std::vector<Blade> blades{};
  ContactSettings contact{};
  DampingSettings damping{};
  std::optional<WindSettings> wind{};  ///< none: cloth does not feel the air
  std::vector<Bond> bonds{};
  std::vector<Seam> seams{};
};

}  // namespace supple

#pragma GCC visibility pop

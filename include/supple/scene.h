#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "supple/mesh.h"

/// What to simulate, as plain values: the scene file without its JSON. An engine fills these in
/// code; `supple::load_scene` fills them from a file. SI units throughout. Every member has an
/// initialiser: designated ones may then leave out any of them without a compiler's warning.
namespace supple {

// ---------------------------------------------------------------------------------- motion

/// Turning at constant speed: by degrees_per_second * t about the axis through the centre.
struct Rotation {
  Vec3 axis{0, 1, 0};    ///< any non-zero direction
  Vec3 center{0, 0, 0};  ///< m
  double degrees_per_second = 0;
};

/// A pose at a time: first turned about `axis` through `center`, then moved.
struct Keyframe {
  double time = 0;          ///< s
  Vec3 translate{0, 0, 0};  ///< m
  Vec3 axis{0, 1, 0};       ///< any non-zero direction
  Vec3 center{0, 0, 0};     ///< m
  double degrees = 0;
};

/// A rigid motion of time: rotation first, then translation. Keyframes are interpolated linearly
/// (translation, centre and angle; the axis is normalised after interpolation) and held before the
/// first and after the last, or repeated with the period of the last keyframe's time.
/// A motion is either keyframes or rotation and/or velocity.
struct Motion {
  std::optional<Rotation> rotate{};
  std::optional<Vec3> velocity{};     ///< m/s
  std::vector<Keyframe> keyframes{};  ///< times strictly increasing
  bool repeat = false;                ///< start again after the last keyframe
};

// -------------------------------------------------------------------------------- material

/// A parameter of a material: one value, or one per tet of the body's mesh.
struct Parameter {
  double value = 0;
  std::vector<double> per_tet{};  ///< empty, or [num_tets]: then `value` is not used

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

/// A derivative of an energy term as a curve through control points (stretch, stress): a natural
/// cubic spline between them, linear beyond the ends [Xu et al. 2015, sec. 4].
struct SplineCurve {
  std::vector<std::pair<double, double>>
      points{};  ///< x strictly increasing; none: the zero function
};

/// Hyperelastic material. `model` decides which of the fields are read:
/// | model                                                | fields                       |
/// | corotated, stvk, neo_hookean, stable_neo_hookean     | mu, lambda                   |
/// | arap, volume, polynomial                             | mu                           |
/// | strain_limit                                         | mu, min, max                 |
/// | mooney_rivlin                                        | c1, c2, bulk                 |
/// | spline                                               | spline_a, spline_b, spline_c |
/// | valanis_landel                                       | a, b, c                      |
struct MaterialSettings {
  std::string model = "neo_hookean";
  Parameter mu = 0;  ///< Pa, >= 0, first Lame parameter of shear
  /// Pa, >= 0. Infinite: incompressible, for stable_neo_hookean with xpbd or step_and_project
  Parameter lambda = 0;
  Parameter min = 1, max = 1;                      ///< stretches, 0 <= min <= 1 <= max
  Parameter c1 = 0, c2 = 0, bulk = 0;              ///< Pa, >= 0
  SplineCurve spline_a{}, spline_b{}, spline_c{};  ///< a'(s), b'(s_i s_j), c'(J), Pa
  ScalarFunction a{}, b{}, c{};                    ///< J/m^3; an empty one is zero
};

/// Adds kappa/2 (|F d| - 1)^2 [thesis sec. 8.3].
struct FiberSettings {
  Vec3 direction{1, 0, 0};  ///< at rest, normalised on use
  double kappa = 0;         ///< Pa, >= 0
};

/// A spring between two vertices of a body, E = k/2 (|x_a - x_b| - r)^2 [thesis eq. 4.2].
struct Spring {
  int a = 0, b = 0;        ///< vertices of the body
  double stiffness = 0;    ///< k, N/m, > 0
  double rest_length = 0;  ///< r, m, >= 0
};

/// Stiffness of the springs of a cloth or a strand by their kind, N/m; 0: none of that kind.
struct SpringSettings {
  double stiffness = 0;  ///< of the structural ones, > 0
  double shear = 0;      ///< >= 0
  double bending = 0;    ///< >= 0
};

/// The springs of a mesh, kind after kind, with the rest lengths that they have there. Throws
/// Error{invalid_input} for a stiffness out of its range and a spring between vertices that do not
/// exist.
std::vector<Spring> make_springs(const SpringMesh& mesh, const SpringSettings& settings);

/// Tets whose rest centroid lies in `box` take this material instead of the body's.
struct MaterialRegion {
  Box box{};  ///< of rest positions, m
  MaterialSettings material{};
};

/// mu = E/(2(1+nu)), lambda = E nu/((1+nu)(1-2 nu)), infinite at nu = 0.5. young > 0 in Pa,
/// -1 < poisson <= 0.5; throws Error{invalid_input} otherwise.
std::pair<double, double> lame_parameters(double young, double poisson);

// ------------------------------------------------------------------------------------ body

/// Holds vertices by springs: k/2 |x - target(t)|^2 each [thesis eq. 8.5].
struct Pin {
  Box box{};                    ///< selects vertices by rest position, edges included, m
  std::vector<int> vertices{};  ///< and these, by index in the body
  double stiffness = 1e6;       ///< N/m per vertex, > 0
  Motion motion{};              ///< of the rest positions, at the time of the end of the step
};

struct AtRest {};
/// Every vertex at a random place in the box.
struct Randomize {
  Box box{};
  unsigned seed = 1;
};
/// Every vertex moved to the centre of the rest shape's box along one axis.
struct Flatten {
  int axis = 1;  ///< 0, 1, 2 for x, y, z
};
/// Stretched about the centre of the rest shape's box.
struct Stretch {
  Vec3 factors{1, 1, 1};
};
using Initial = std::variant<AtRest, Randomize, Flatten, Stretch>;

struct Body {
  std::string name{};
  TetMesh mesh{};  ///< rest shape in the world, m; without tets where `springs` carry the body
  /// Surface of a body of springs, counter-clockwise seen from its front: drawn, and gives mass by
  /// area. Empty for a body of tets and for a strand.
  std::vector<std::array<int, 3>> triangles{};
  /// Of a strand: drawn as lines, and give mass by length. A body of springs that has neither these
  /// nor triangles has the mass of its springs' rest lengths.
  std::vector<std::array<int, 2>> segments{};
  std::vector<Spring> springs{};
  /// kg/m^3 of tets, kg/m^2 of triangles, kg/m of strands, > 0; not used where `mass` is given
  double density = 1000;
  std::optional<double> mass{};  ///< total, kg, > 0
  MaterialSettings material{};   ///< of the tets
  /// Further materials that the same tets carry: the energies add.
  std::vector<MaterialSettings> layers{};
  std::vector<MaterialRegion> regions{};  ///< the last that holds a tet wins
  std::optional<FiberSettings> fiber{};
  Vec3 velocity{0, 0, 0};  ///< m/s at time 0
  Initial initial{};
  std::vector<Pin> pins{};
};

// -------------------------------------------------------------------------------- colliders

/// All points with normal . x < offset are inside.
struct PlaneShape {
  Vec3 normal{0, 1, 0};
  double offset = 0;  ///< m
};
struct SphereShape {
  Vec3 center{0, 0, 0};
  double radius = 1;
};
struct BoxShape {
  Vec3 center{0, 0, 0};
  Vec3 size{1, 1, 1};  ///< edge lengths
  Vec3 axis{0, 1, 0};  ///< turned about this axis through its centre
  double degrees = 0;
};
struct CapsuleShape {
  Vec3 a{0, 0, 0}, b{0, 1, 0};  ///< ends of the core segment
  double radius = 0.5;
};
struct CylinderShape {
  Vec3 center{0, 0, 0};
  Vec3 axis{0, 1, 0};
  double radius = 0.5;
  double height = 1;
};
struct TorusShape {
  Vec3 center{0, 0, 0};
  Vec3 axis{0, 1, 0};
  double major = 1;
  double minor = 0.3;
};
/// A closed surface; inside by the sign of the angle-weighted pseudo-normal.
struct MeshShape {
  TriangleMesh mesh{};
};
using ColliderShape = std::variant<PlaneShape, SphereShape, BoxShape, CapsuleShape, CylinderShape,
                                   TorusShape, MeshShape>;

struct Collider {
  std::string name{};
  ColliderShape shape{};  ///< at rest; `motion` moves it as a whole
  Motion motion{};
};

struct ContactSettings {
  /// N/m per vertex, > 0; 0: chosen for each vertex from its mass, its material and the time step
  double stiffness = 0;
  double friction = 0;  ///< Coulomb coefficient, >= 0
};

// --------------------------------------------------------------------------------- stepping

struct TimeSettings {
  double step = 1.0 / 30;  ///< s a frame, > 0
  int frames = 120;        ///< >= 0
  int substeps = 1;        ///< of step/substeps each, >= 1
  std::string integrator = "backward_euler";
};

struct LineSearchSettings {
  /// Without it g++ 12 warns in programs that give a Scene its members by name.
  LineSearchSettings() = default;

  /// backtracking (Armijo), wolfe (strong conditions), exact (minimum along p), none (always the
  /// whole step)
  std::string type = "backtracking";
  double sufficient_decrease = 0.03;  ///< gamma in (0, 0.5); backtracking, wolfe
  double shrink = 0.5;                ///< beta in (0, 1), largest factor of a trial; backtracking
  double curvature = 0.9;             ///< in (gamma, 1); wolfe
};

/// How a step is solved. A method reads the fields of its row in docs/solvers.md and no others.
struct SolverSettings {
  std::string method = "l_bfgs";
  int iterations = 10;   ///< at most, >= 1
  double tolerance = 0;  ///< stop when |grad g| <= tolerance |grad g(x_0)|; 0: never early
  /// Wall clock time that a frame may take, ms; 0: any. The best iterate so far is then the result,
  /// which depends on the machine's speed.
  double budget_ms = 0;
  /// Where the descent begins: inertia (x_0 = y), extrapolated [Wang & Yang 2016, sec. 4.1],
  /// adaptive (of vertex_block_descent) [Chen et al. 2024, sec. 3.7], or automatic: adaptive where
  /// the method and the integrator have it, else inertia.
  std::string start = "automatic";
  /// Stretches over which the constant stiffness is fitted [thesis eq. 7.14].
  std::pair<double, double> stiffness_range{0.5, 1.5};
  LineSearchSettings line_search{};

  int history = 5;  ///< of L-BFGS, >= 0
  /// Initial matrix of L-BFGS, or the matrix of quasi-Newton: laplacian, identity, rest,
  /// warped_rest, frame.
  std::string initial_hessian = "laplacian";
  /// Of that laplacian, factorised directly, the stiffness that it gives each tet: following
  /// (raised where tets have become much stiffer and shorten the steps of all), constant (as
  /// published).
  std::string weights = "following";
  /// direct (Cholesky), cg, truncated_cg (stops at negative curvature; newton alone)
  std::string linear_solver = "direct";
  int linear_iterations = 15;  ///< of cg and truncated_cg, >= 1
  /// Of cg and truncated_cg: none, jacobi, incomplete_cholesky (of the matrix itself), laplacian
  /// and rest (incomplete Cholesky of M/h^2 + L or of the rest Hessian).
  std::string preconditioner = "jacobi";
  /// Of newton: clamp and absolute (the eigenvalues of each element's Hessian), tikhonov (a
  /// multiple of the identity is added to the whole), none
  std::string definiteness = "clamp";
  /// Of jacobi and gauss_seidel: iterations between computations of the Hessian, >= 1.
  int refresh = 10;
  /// Of jacobi, gauss_seidel and vertex_block_descent: chebyshev, none, or automatic: chebyshev of
  /// vertex_block_descent, none of the others.
  std::string acceleration = "automatic";
  /// Of Chebyshev acceleration: plain iterations S before it begins; 0: 3 of vertex_block_descent,
  /// 10 of the others.
  int delay = 0;

  /// Of xpbd, how a tet is projected: stress (the whole stress of the tet, replaced at each visit),
  /// sequential (the two constraints of the paper one after the other), block (both at once).
  std::string projection = "stress";
  /// Of xpbd, multipliers at the start of a substep: zero, kept (those of the last one).
  std::string multipliers = "zero";
  /// Of xpbd, order of the tets: parts, colours, cells (box lattices), natural (serial).
  std::string order = "parts";
  std::string precision = "double";  ///< of xpbd's positions and multipliers: double, float
  double stiffness = 1;              ///< of pbd: of lengths, in [0, 1]
  double volume_stiffness = 1;       ///< of pbd: of volumes, in [0, 1]
};

struct DampingSettings {
  double drag = 0;  ///< 1/s, >= 0: v is multiplied by exp(-drag h) before each substep
};

/// A whole scene.
struct Scene {
  std::string name = "scene";
  TimeSettings time{};
  Vec3 gravity{0, -9.81, 0};  ///< m/s^2
  SolverSettings solver{};
  std::vector<Body> bodies{};
  std::vector<Collider> colliders{};
  ContactSettings contact{};
  DampingSettings damping{};
};

}  // namespace supple

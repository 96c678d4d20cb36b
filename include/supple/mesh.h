#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace supple {

using Vec3 = std::array<double, 3>;

/// A tetrahedral mesh. Vertices that no tet uses are kept and do not affect the solution.
struct TetMesh {
  std::vector<Vec3> vertices{};            ///< [num_vertices], m
  std::vector<std::array<int, 4>> tets{};  ///< [num_tets], corners; right-handed once normalised:
                                           ///< det [X1-X0, X2-X0, X3-X0] > 0
  /// Named scalars per tet, as read from the mesh file: each [num_tets].
  std::map<std::string, std::vector<double>> tet_fields{};
};

/// A triangle mesh; its triangles are counter-clockwise seen from outside.
struct TriangleMesh {
  std::vector<Vec3> vertices{};                 ///< [num_vertices], m
  std::vector<std::array<int, 3>> triangles{};  ///< [num_triangles]
  bool operator==(const TriangleMesh&) const = default;
};

/// Axis-aligned box.
struct Box {
  Vec3 min{0, 0, 0};  ///< m
  Vec3 max{0, 0, 0};  ///< m
};

/// A box centred at `center`. Each cell is cut into five tets (mirrored from cell to cell, so that
/// faces match) or six (all cells alike: Kuhn's subdivision).
struct BoxGenerator {
  Vec3 size{1, 1, 1};                 ///< m, each > 0
  std::array<int, 3> cells{4, 4, 4};  ///< each >= 1
  Vec3 center{0, 0, 0};               ///< m
  int tets_per_cell = 5;              ///< 5 or 6
};

/// A ball: a cube of cells mapped smoothly onto it.
struct SphereGenerator {
  double radius = 0.5;   ///< m, > 0
  int cells = 8;         ///< across the diameter, >= 2
  Vec3 center{0, 0, 0};  ///< m
};

/// A solid cylinder about `axis` through `center`.
struct CylinderGenerator {
  double radius = 0.25;  ///< m, > 0
  double height = 1;     ///< m, > 0
  int cells = 6;         ///< across the diameter, >= 2
  int layers = 12;       ///< along the axis, >= 1
  Vec3 axis{0, 1, 0};    ///< any non-zero direction
  Vec3 center{0, 0, 0};  ///< m
};

/// A solid torus about `axis` through `center`.
struct TorusGenerator {
  double major = 1;      ///< m, from the axis to the centre of the tube, > minor
  double minor = 0.3;    ///< m, radius of the tube, > 0
  int segments = 32;     ///< around the axis, >= 3
  int cells = 4;         ///< across the tube, >= 2
  Vec3 axis{0, 1, 0};    ///< any non-zero direction
  Vec3 center{0, 0, 0};  ///< m
};

/// One regular tetrahedron centred at `center`.
struct TetrahedronGenerator {
  double edge = 1;       ///< m, > 0
  Vec3 center{0, 0, 0};  ///< m
};

/// Mesh of a generator. Throws Error{invalid_input} if a parameter is out of range or the mesh
/// would have more than `max_generated_tets` tets.
TetMesh generate(const BoxGenerator& box);
TetMesh generate(const SphereGenerator& sphere);
TetMesh generate(const CylinderGenerator& cylinder);
TetMesh generate(const TorusGenerator& torus);
TetMesh generate(const TetrahedronGenerator& tetrahedron);

/// Generators refuse to make more, so that a typo does not exhaust the memory.
inline constexpr std::size_t max_generated_tets = 20'000'000;

/// Vertices and springs of a cloth or a strand, the springs sorted by kind [Provot 1995].
struct SpringMesh {
  std::vector<Vec3> vertices{};                  ///< [num_vertices], m
  std::vector<std::array<int, 3>> triangles{};   ///< of a cloth
  std::vector<std::array<int, 2>> segments{};    ///< of a strand
  std::vector<std::array<int, 2>> structural{};  ///< between neighbours
  std::vector<std::array<int, 2>> shear{};       ///< across the cells of a cloth
  std::vector<std::array<int, 2>> bending{};     ///< from a vertex to the next but one
};

/// A parallelogram of cloth in cells of two triangles; u x v points out of its front. Vertex (i, j)
/// has the index j (cells[0] + 1) + i and lies at center + (i/cells[0] - 1/2) u +
/// (j/cells[1] - 1/2) v.
struct ClothGenerator {
  Vec3 center{0, 0, 0};              ///< m
  Vec3 u{1, 0, 0}, v{0, 0, -1};      ///< sides, m, not parallel
  std::array<int, 2> cells{20, 20};  ///< along u and v, each >= 1
};

/// A straight strand.
struct StrandGenerator {
  Vec3 start{0, 0, 0}, end{0, -1, 0};  ///< m, not the same
  int segments = 20;                   ///< >= 1
};

/// A strand through points, segment by segment.
struct PolylineGenerator {
  std::vector<Vec3> points{};  ///< m, at least two, three if closed; no two in a row the same
  bool closed = false;         ///< a last segment joins the last point to the first
};

/// A strand along a helix at `radius` from the axis through `center`, which advances along the axis
/// by `pitch` each turn. Vertex i of n segments is at the angle 2 pi turns i/n.
struct HelixGenerator {
  double radius = 0.1;   ///< m, > 0
  double pitch = 0.05;   ///< m a turn, along the axis; of any sign
  double turns = 4;      ///< > 0; right-handed if the pitch is above 0
  int segments = 64;     ///< >= 1
  Vec3 axis{0, -1, 0};   ///< any non-zero direction
  Vec3 center{0, 0, 0};  ///< m, where the helix begins on its axis
};

/// The surface of a ball as a closed cloth: an icosahedron whose triangles are divided repeatedly
/// into four, giving 20 * 4^subdivisions of them. Its springs are its edges.
struct IcosphereGenerator {
  double radius = 0.5;   ///< m, > 0
  int subdivisions = 3;  ///< >= 0
  Vec3 center{0, 0, 0};  ///< m
};

/// Vertices and springs of a generator. Throws Error{invalid_input} if a parameter is out of range
/// or there would be more than `max_generated_springs` springs.
SpringMesh generate(const ClothGenerator& cloth);
SpringMesh generate(const StrandGenerator& strand);
SpringMesh generate(const PolylineGenerator& line);
SpringMesh generate(const HelixGenerator& helix);
SpringMesh generate(const IcosphereGenerator& sphere);

inline constexpr std::size_t max_generated_springs = 20'000'000;

/// Makes every tet right-handed and checks the mesh. Throws Error{bad_file}, naming `where` and the
/// tet (counted from 0), for: no tets, a non-finite coordinate, an index out of range, a tet that
/// has a vertex twice, a tet without volume (|det| <= 1e-15 times the product of its three edges),
/// a field whose length is not the number of tets.
void normalise(TetMesh& mesh, const std::string& where);

/// Volumes of the tets, m^3: [num_tets].
std::vector<double> tet_volumes(const TetMesh& mesh);

/// Faces that belong to one tet only, counter-clockwise seen from outside, in the order of the
/// tets, as indices into the mesh's vertices. A face shared by more than two tets counts as
/// surface.
std::vector<std::array<int, 3>> surface_triangles(const TetMesh& mesh);

/// Smallest box that contains all vertices; zeros for an empty list.
Box bounding_box(const std::vector<Vec3>& vertices);

}  // namespace supple

#pragma GCC visibility pop

#pragma once

#include <string>
#include <vector>

#include "studies/reproduce/motion_record.h"
#include "supple/scene.h"

/// The bodies of Macklin & Mueller 2021. The paper gives no sizes, stiffnesses or densities. Here a
/// body measures about 1 m and has 1,000 kg/m^3 and a Young's modulus of 1e5 Pa, so that a shear
/// wave crosses it in 0.17 s.
namespace supple::reproduce::macklin2021 {

inline constexpr double young = 1e5;  ///< Pa

MaterialSettings material_of(const std::string& model, double poisson);

/// A scene with one free body of stable Neo-Hookean material, no gravity, no damping, frames of
/// 1/60 s.
Scene scene_of(const std::string& name, TetMesh mesh, double poisson);

/// XPBD with `substeps` per frame, each of `iterations` Gauss-Seidel iterations.
void use_xpbd(Scene& scene, int substeps, int iterations, const std::string& projection);

/// Holds the vertices whose rest position has `value` as coordinate `axis` where the motion puts
/// them.
Pin hold_face(const TetMesh& mesh, std::size_t axis, double value, const Motion& motion);

/// rms distance of the vertices of two states, over the diagonal of the rest shape's box.
double distance(const Scene& scene, const std::vector<double>& a, const std::vector<double>& b);

/// Quality of the faces and edges of a mesh.
struct MeshQuality {
  double smallest_angle = 0;      ///< of a face, degrees
  double largest_edge_ratio = 0;  ///< longest over shortest edge of a tet
  int inverted = 0;               ///< tets without positive volume
};
MeshQuality quality(const TetMesh& mesh);

/// A cube of 1 m about the origin, `cells`^3 cells of five tets, badly shaped everywhere: its
/// vertices wander along their edges as long as none of their tets gets edges of more than 67:1, a
/// face angle below 0.2 degrees or less than a thousandth of the mean volume. Corners stay, and
/// vertices on the surface stay on it. The result is the same for the same number of cells.
TetMesh crazy_cube(int cells);

/// "finite" or "not finite in frame 12".
std::string finite_text(const MotionRecord& record);

/// As CSV, one line per frame: subject,frame,size,volume,inverted_tets. Its header:
std::string motion_header();
std::string motion_csv(const std::string& subject, const MotionRecord& record);

}  // namespace supple::reproduce::macklin2021

#pragma once

#include <string>
#include <vector>

#include "studies/reproduce/motion_record.h"
#include "supple/scene.h"

/// The bodies of Macklin & Mueller 2021. The paper prints neither sizes nor stiffnesses nor
/// densities: here a body measures about 1 m and has 1,000 kg/m^3 and Young's modulus of 1e5 Pa, so
/// that shear runs through it in 0.17 s.
namespace supple::reproduce::macklin2021 {

inline constexpr double young = 1e5;  ///< Pa

MaterialSettings material_of(const std::string& model, double poisson);

/// One free body of stable Neo-Hookean material, no gravity, nothing damped, frames of 1/60 s.
Scene scene_of(const std::string& name, TetMesh mesh, double poisson);

/// XPBD with `substeps` a frame of `iterations` Gauss-Seidel iterations each.
void use_xpbd(Scene& scene, int substeps, int iterations, const std::string& projection);

/// Holds the vertices of the rest shape with coordinate `axis` at `value` where the motion puts
/// them.
Pin hold_face(const TetMesh& mesh, std::size_t axis, double value, const Motion& motion);

/// rms distance of the vertices of two states, over the diagonal of the rest shape's box.
double distance(const Scene& scene, const std::vector<double>& a, const std::vector<double>& b);

/// Of the faces and edges of a mesh.
struct MeshQuality {
  double smallest_angle = 0;      ///< of a face, degrees
  double largest_edge_ratio = 0;  ///< longest over shortest edge of a tet
  int inverted = 0;               ///< tets without positive volume
};
MeshQuality quality(const TetMesh& mesh);

/// A cube of 1 m about the origin, `cells`^3 cells of five tets, whose vertices then wander along
/// their edges as long as no tet of theirs gets edges of more than 67:1, a face angle below 0.2
/// degrees or less than a thousandth of its volume: badly shaped everywhere. Corners stay, and what
/// lies on the surface stays there. The same for the same number of cells.
TetMesh crazy_cube(int cells);

/// "finite" or "not finite in frame 12".
std::string finite_text(const MotionRecord& record);

/// As CSV, a line a frame: subject,frame,size,volume,inverted_tets. Its header:
std::string motion_header();
std::string motion_csv(const std::string& subject, const MotionRecord& record);

}  // namespace supple::reproduce::macklin2021

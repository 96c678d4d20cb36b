#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "supple/scene.h"
#include "supple/simulation.h"

/// Scenes and measures that several tests share.
namespace supple::test {

/// A well-behaved material of every model of list_materials(), about as stiff as E = 1e5 Pa with
/// Poisson's ratio 0.4.
MaterialSettings soft_material(const std::string& model);

/// Whether a solver of list_solvers() runs a material of list_materials().
bool runs(const std::string& solver, const std::string& material);

/// Whether a solver of list_solvers() ends its steps at the minimum of g. pbd reads no materials,
/// and the multipliers of step_and_project act along the gradients of the way.
bool minimises(const std::string& solver);

/// A material that the solver runs: neo_hookean if it can.
std::string material_of(const std::string& solver);

/// One body without gravity: a box of 0.5 x 0.5 x 0.5 m in 3 x 3 x 3 cells.
Scene free_block(const std::string& model);

/// A bar of the given cells, six tets each, along x, with its ends turned in opposite directions.
Scene twisting_bar(std::array<int, 3> cells, const std::string& model);

/// Such a bar of 4 x 2 x 2 cells of arap with two families of fibers, the second with a curve.
Scene fibrous_bar();

/// A square metre of cloth that lies flat, 0.3 kg, in 5 x 4 cells.
Body cloth_body();

/// Such a cloth, held at two neighbouring corners, with gravity.
Scene hanging_cloth();

/// A cloth of 0.2 kg/m^2 as a membrane of 1 mm of corotated, without its parameters.
Body sheet(const ClothGenerator& cloth);

/// A body and a step that ends in its equilibrium by Newton's method.
Scene statics(Body body);

/// The hanging cloth as a membrane of 1 mm of a material of list_materials() or
/// list_membrane_materials(), about as stiff.
Scene hanging_membrane(const std::string& model);

/// The same membrane with dihedral bending and a fold by 60 degrees along its third column.
Scene folded_membrane(const std::string& model);

/// A strand as a rod of rubber of 4 mm (E = 5e6 Pa, Poisson's ratio 0.5), 0.015 kg/m.
Body rod_body(const SpringMesh& mesh);

/// A helix of 3 turns about y that hangs from its clamped first segment.
Scene hanging_curl();

/// Positions of all vertices.
std::vector<Vec3> positions_of(const Simulation& simulation);

/// Largest distance of the positions from the rest shape after the best rigid motion [Kabsch 1976],
/// m.
double distance_to_rest(const Simulation& simulation, const std::vector<Vec3>& rest);

/// Does so many steps; fails the test if one is not finite or fails.
void run(Simulation& simulation, int frames);

/// The constraint errors and warnings of a run.
struct WatchedRun {
  double worst = 0;     ///< largest constraint_error of a frame
  std::string codes{};  ///< of the warnings, each after a blank
  bool warns(const std::string& code) const {
    return (codes + " ").find(" " + code + " ") != std::string::npos;
  }
};

/// Does so many steps; fails the test if one is not finite. worst: from the frame `first` on.
WatchedRun watch_run(Simulation& simulation, int frames, int first = 0);

/// The place of the invalid input that the call complains of; "nothing" if it does not.
std::string place_of(const std::function<void()>& call);

/// A simulation built anew from the present state of another.
Simulation fresh(const Simulation& simulation, int threads = 1);

/// Fails the test if time, frame, positions or velocities differ.
void expect_same_bits(const Simulation& a, const Simulation& b);

/// Expects so many frames and then so many more to end with the same bits at 1, 2, 3 and 8 threads,
/// and when continued from the state in between.
void expect_same_bits_however_run(const Scene& scene, int before, int after);

}  // namespace supple::test

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/scene/scene_json.h"
#include "supple/compare.h"

/// Solves one frame of a scene by many solvers and writes tables and plots: what `supple compare`
/// does, without a terminal.
namespace supple {

struct CompareSceneOptions {
  std::filesystem::path folder;  ///< of the output; made if it does not exist
  std::string scene_file;        ///< as the caller named it, for messages and compare.json
  int frame = 1;                 ///< N, >= 1: the frame that every solver solves
  std::vector<LabelledSolver> solvers;
  int iterations = 50;  ///< of each solver
  int threads = 0;      ///< see SimulationOptions
};

struct CompareSceneResult {
  Comparison comparison;
  std::vector<std::string> files;  ///< written, relative to the folder
  double wall_seconds = 0;
};

/// Called along the way. Empty functions are not called.
struct CompareObserver {
  std::function<void(int frame)> frame_done;  ///< for each frame before N
  std::function<void(int done, int total, const std::string& label)> solver;
};

/// Runs the scene with its own solver for N - 1 frames, solves the first substep of frame N from
/// that state with every solver (supple/compare.h), and writes convergence.csv, convergence.svg,
/// convergence.png and compare.json.
///
/// Throws Error{invalid_input} for a solver that cannot run the scene and for two solvers with the
/// same label, Error{non_finite} if a frame before N, or the converged answer, is not finite, and
/// Error{bad_file} for files that cannot be written.
CompareSceneResult compare_scene(const LoadedScene& loaded, const CompareSceneOptions& options,
                                 const CompareObserver& observer = {});

/// convergence.csv: a row for each iterate of each solver.
std::string convergence_csv(const Comparison& comparison);

}  // namespace supple

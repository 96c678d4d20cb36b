#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "studies/performance/memory.h"
#include "studies/performance/scenes.h"

namespace supple::bench {

/// Of a simulation with one number of threads. Milliseconds are medians over frames unless said.
struct Timing {
  int threads = 1;
  double frame = 0;      ///< ms a frame
  double slowest = 0;    ///< 99th percentile
  double ratio = 0;      ///< the yardstick's time over this: median over the frames of both
  double local = 0;      ///< forces and energies of tets and springs
  double solve = 0;      ///< descent directions
  double contact = 0;    ///< detection of contacts
  double rest = 0;       ///< of the frame
  double to_coarse = 0;  ///< until the relative error is 1e-3, and
  double to_fine = 0;    ///< until it is 1e-6; infinite: not within `trial_iterations`
  double setup = 0;      ///< of the constructor: median of up to three
};

/// A scene as measured.
struct SceneResult {
  std::string name, mesh, material, paper;
  int vertices = 0, elements = 0;
  int frames = 0;               ///< that were timed
  std::vector<Timing> timings;  ///< on one thread, and on all where there are more
  int yardstick_frames = 0;     ///< of these that the yardstick took
  double yardstick = 0;         ///< ms a frame, median over those; one thread
  double yardstick_setup = 0;   ///< ms
  /// Largest distance of a vertex of the library's from the yardstick's at the end of a frame that
  /// both took from the same state, over the diagonal of the rest shape's box.
  double distance = 0;
  double evaluations = 0;            ///< of the objective, a frame, median
  double yardstick_evaluations = 0;  ///< the same of the yardstick
  double relative_error = 0;         ///< after ten iterations, median over the frames looked at
  double position_error = 0;         ///< of those; see ConvergencePoint
  int unconverged = 0;               ///< frames whose converged answer was not reached to rounding
  Memory memory{};                   ///< of a simulation on one thread, after its first frame
};

/// Within how many iterations an error must be reached.
inline constexpr int trial_iterations = 100;

struct Measuring {
  int threads = 1;                                  ///< beside one; > 0
  std::optional<int> frames;                        ///< timed
  std::function<void(const std::string&)> working;  ///< says what is being done
};

/// Times `entry`: the library on one thread and on all take each frame in turn, in rotating order,
/// after one frame that is not counted; the yardstick takes each of these frames, of large bodies
/// every fifth, from the state in which the library is. Three states on the way (one of the largest
/// bodies) are then solved to convergence. Throws Error{bad_file} for a mesh that cannot be read
/// and Error{non_finite} for a frame that fails.
SceneResult measure(const Entry& entry, const reproduce::Context& context, reproduce::Origin origin,
                    const Measuring& how);

/// Nearest-rank percentile, `share` in (0, 1]; NaN of none.
double percentile(std::vector<double> values, double share);

/// Milliseconds of up to `repeats` constructions of a simulation, median; less where they take
/// long.
double setup_milliseconds(const Scene& scene, int threads, int repeats);

}  // namespace supple::bench

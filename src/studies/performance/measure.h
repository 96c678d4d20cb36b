#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "studies/performance/memory.h"
#include "studies/performance/scenes.h"

namespace supple::bench {

/// Times of a simulation on one number of threads. Milliseconds are medians over frames unless
/// stated otherwise.
struct Timing {
  int threads = 1;
  double frame = 0;      ///< ms per frame
  double slowest = 0;    ///< 99th percentile
  double ratio = 0;      ///< the yardstick's time over this one's: median over the frames of both
  double local = 0;      ///< forces and energies of tets and springs
  double solve = 0;      ///< descent directions
  double contact = 0;    ///< detection of contacts
  double rest = 0;       ///< what is left of the frame
  double to_coarse = 0;  ///< until the relative error is at most 1e-3
  double to_fine = 0;    ///< until it is at most 1e-6; infinite if not within `trial_iterations`
  double setup = 0;      ///< the constructor: median of up to three
};

/// What was measured for one scene.
struct SceneResult {
  std::string name, mesh, material, paper;
  int vertices = 0, elements = 0;
  int frames = 0;               ///< that were timed
  std::vector<Timing> timings;  ///< on one thread, and on all threads if there are more
  int yardstick_frames = 0;     ///< how many of these the yardstick took
  double yardstick = 0;         ///< ms per frame, median over those; one thread
  double yardstick_setup = 0;   ///< ms
  /// Largest distance between a vertex of the library and that of the yardstick at the end of a
  /// frame that both took from the same state, over the diagonal of the rest shape's box.
  double distance = 0;
  double evaluations = 0;            ///< of the objective per frame, median
  double yardstick_evaluations = 0;  ///< the same for the yardstick
  double relative_error = 0;         ///< after ten iterations, median over the states looked at
  double position_error = 0;         ///< for the same states; see ConvergencePoint
  int unconverged = 0;               ///< frames whose reference did not converge
  Memory memory{};                   ///< of a simulation on one thread, after its first frame
};

/// An error must be reached within this many iterations.
inline constexpr int trial_iterations = 100;

struct Measuring {
  int threads = 1;                                  ///< beside one thread; > 0
  std::optional<int> frames;                        ///< to be timed
  std::function<void(const std::string&)> working;  ///< told what is being done
};

/// Times `entry`. After one frame that is not counted, the library takes each frame on one thread
/// and on all threads, in rotating order. The yardstick takes each of these frames (of large bodies
/// every fifth) from the library's state. Three of the states (one for the largest bodies) are then
/// solved to convergence. Throws Error{bad_file} for a mesh that cannot be read and
/// Error{non_finite} for a frame that fails.
SceneResult measure(const Entry& entry, const reproduce::Context& context, reproduce::Origin origin,
                    const Measuring& how);

/// Nearest-rank percentile, `share` in (0, 1]; NaN if there are no values.
double percentile(std::vector<double> values, double share);

/// Median milliseconds of `repeats` constructions of a simulation; of fewer if they take long.
double setup_milliseconds(const Scene& scene, int threads, int repeats);

}  // namespace supple::bench

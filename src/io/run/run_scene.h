#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/run/honesty.h"
#include "io/scene/scene_json.h"
#include "supple/simulation.h"
#include "supple/warnings.h"

/// Runs a scene from its first frame to its files: what `supple run` does, without a terminal.
namespace supple {

struct RunOptions {
  std::filesystem::path folder;      ///< of the output; created if it does not exist
  std::string scene_file;            ///< as given, for messages and run.json
  std::vector<std::string> exports;  ///< names of list_exports()
  int threads = 0;                   ///< see SimulationOptions
  int checkpoint_every = 0;          ///< frames; 0: never
  std::filesystem::path resume;      ///< a checkpoint to resume from; empty: from the start
  bool preview = true;               ///< draw preview.png
  /// Number of frames in which the apparent stiffness is measured after the run; 0: none.
  int honesty_frames = 0;
  /// Called between frames and between outputs: should the run end here, with complete files and a
  /// checkpoint to resume from? Empty: never.
  std::function<bool()> stop;
};

/// The size of the simulation, known before the first frame.
struct RunStart {
  int num_vertices = 0;
  int num_tets = 0;
  int num_threads = 0;
  int first_frame = 1;  ///< to be simulated; above 1 if resumed
  int last_frame = 0;
};

/// The cost and the accuracy of the frames that this process simulated.
struct RunTotals {
  std::vector<double> milliseconds;  ///< of each frame's step
  double local = 0;                  ///< ms, sums over the frames
  double solve = 0;
  double contact = 0;
  double total = 0;
  std::int64_t iterations = 0;
  std::int64_t evaluations = 0;
  double worst_residual = 0;  ///< largest |grad g| at the end of a frame, N
  double worst_relative = 0;  ///< worst_residual over |grad g| at the start of that frame
  int worst_frame = 0;        ///< the frame of worst_residual
  int max_inverted_tets = 0;
  int max_contacts = 0;

  void add(int frame, const StepReport& report);
  /// The smallest time that a share of the frames (0.5: the median) does not exceed [nearest rank];
  /// 0 if there are no frames.
  double percentile(double share) const;
};

struct RunResult {
  RunStart start;
  RunTotals totals;
  std::vector<Warning> warnings;        ///< about the same frames; empty if all is well
  double unbalanced_share = 0;          ///< see RunWatch
  int frames = 0;                       ///< last frame written
  std::optional<int> non_finite_frame;  ///< the frame that failed; earlier frames are written
  bool interrupted = false;             ///< by `stop`, before everything was done
  double wall_seconds = 0;              ///< simulating and writing frames
  std::vector<std::string> files;  ///< files written, relative to the folder; folders end with /
  std::uintmax_t bytes = 0;        ///< total size of the files
  std::vector<HonestySample> honesty;   ///< if asked for
  std::vector<ConstraintGroup> groups;  ///< of a position-based method
  /// Pictures and exports that are missing, and why. They can be missing if the run was
  /// interrupted. If it ended non-finite, its last good frames can be too large for an output to
  /// show.
  std::vector<std::string> left_out;
};

/// Callbacks for progress. Empty ones are not called.
struct RunObserver {
  std::function<void(const RunStart&)> started;
  std::function<void(int frame, const StepReport&)> frame_done;
  std::function<void(const std::string& output)> writing;  ///< before each slow output
};

/// Simulates and writes positions.npy, frames.csv, run.json, preview.png, the exports and, if asked
/// for, checkpoint.bin and honesty.csv. A frame that is not finite ends the run; the frames before
/// it are written. They are also written if `stop` ends the run: then with checkpoint.bin, and
/// without the pictures and exports that were still to come.
///
/// Throws Error{invalid_input}, before anything is written, for a scene that cannot be simulated,
/// an unknown export and a checkpoint beyond the last frame. Throws Error{bad_file} for a
/// checkpoint that read_checkpoint refuses and files that cannot be written. The folder then has
/// only complete files: files under their final names, or parts that belong to a checkpoint.
RunResult run_scene(const LoadedScene& loaded, const RunOptions& options,
                    const RunObserver& observer = {});

}  // namespace supple

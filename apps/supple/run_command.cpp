#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/exports/exports.h"
#include "io/run/run_scene.h"
#include "io/scene/scene_json.h"
#include "supple/command_line.h"
#include "supple/commands.h"
#include "supple/error.h"
#include "supple/interrupt.h"
#include "supple/overrides.h"
#include "supple/progress.h"
#include "supple/run_table.h"
#include "supple/say.h"

namespace supple::cli {

namespace {

struct RunArguments {
  std::string scene;
  std::string folder;
  std::optional<int> frames;
  std::vector<std::string> exports;
  int threads = 0;
  std::vector<std::string> settings;  ///< "PATH=VALUE"
  int checkpoint = 0;
  std::string resume;
  bool honesty = false;
};

/// Frames that --honesty examines: each costs several converged steps.
constexpr int honesty_frames = 5;

std::vector<Override> all_overrides(const RunArguments& arguments) {
  std::vector<Override> overrides = overrides_of(arguments.settings);
  if (arguments.frames) {
    overrides.push_back({"/time/frames", std::to_string(*arguments.frames)});
  }
  return overrides;
}

std::filesystem::path folder_of(const RunArguments& arguments) {
  if (!arguments.folder.empty()) return arguments.folder;
  if (!arguments.resume.empty()) {
    const std::filesystem::path folder = std::filesystem::path(arguments.resume).parent_path();
    return folder.empty() ? "." : folder;
  }
  return std::filesystem::path("out") / std::filesystem::path(arguments.scene).stem();
}

RunOptions options_of(const RunArguments& arguments) {
  RunOptions options;
  options.folder = folder_of(arguments);
  options.scene_file = arguments.scene;
  for (const std::string& kind : arguments.exports) {
    check_export(kind, "--export");
    options.exports.push_back(kind);
  }
  options.threads = arguments.threads;
  options.checkpoint_every = arguments.checkpoint;
  options.resume = arguments.resume;
  options.honesty_frames = arguments.honesty ? honesty_frames : 0;
  return options;
}

int run(const RunArguments& arguments) {
  RunOptions options = options_of(arguments);
  options.stop = [] { return Interrupt::signal() != 0; };
  const LoadedScene loaded = load_scene_with_settings(arguments.scene, all_overrides(arguments));
  const std::string& name = loaded.scene.name;

  std::unique_ptr<Progress> progress;
  std::unique_ptr<Interrupt> interrupt;  // before the first frame there is nothing to save
  RunObserver observer;
  observer.started = [&](const RunStart& start) {
    say(fmt::format("{}: {} vertices, {} tets, {} {}\n", name, grouped(start.num_vertices),
                    grouped(start.num_tets), start.num_threads,
                    start.num_threads == 1 ? "thread" : "threads"));
    progress = std::make_unique<Progress>(start.first_frame, start.last_frame);
    interrupt = std::make_unique<Interrupt>();
  };
  observer.frame_done = [&](int frame, const StepReport&) { progress->frame_done(frame); };
  observer.writing = [&](const std::string& output) { progress->writing(output); };
  const RunResult result = run_scene(loaded, options, observer);
  progress->finish();
  say(run_table(name, options, result));

  for (const std::string& output : result.left_out) {
    complain("left out: " + output);
  }
  if (result.interrupted) {
    complain(
        fmt::format("{}: interrupted after frame {} of {}; the same command with --resume {} "
                    "continues",
                    arguments.scene, result.frames, result.start.last_frame,
                    (options.folder / "checkpoint.bin").string()));
    return interrupted + Interrupt::signal();
  }
  if (!result.non_finite_frame) return success;
  throw Error(ErrorKind::non_finite, arguments.scene,
              fmt::format("frame {} became non-finite; frames 0 to {} are in {}",
                          *result.non_finite_frame, result.frames, options.folder.string()));
}

}  // namespace

Command add_run_command(CLI::App& app) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* const command = app.add_subcommand(
      "run", "Simulates a scene and writes positions.npy, frames.csv, run.json and preview.png.");
  command->footer(
      "Examples:\n"
      "  supple run scenes/twisting_bar.json\n"
      "  supple run scenes/twisting_bar.json -o out/bar --frames 60 --export usda,mp4 \\\n"
      "      --set /solver/iterations=20 --set /bodies/0/material/model=corotated\n"
      "  supple run scenes/twisting_bar.json -o out/bar --resume out/bar/checkpoint.bin");
  command->add_option("SCENE", arguments->scene, "Scene file (JSON)")
      ->required()
      ->check(filled("a scene file"));
  command->add_option("-o,--output", arguments->folder, "Output folder; default out/NAME")
      ->type_name("DIR")
      ->check(filled("a folder"));
  command
      ->add_option("--frames", arguments->frames,
                   "Frames to simulate; by default those of the scene")
      ->type_name("N")
      ->check(CLI::Range(0, 10'000'000).description(""));
  command
      ->add_option("--export", arguments->exports,
                   "Other files to write, separated by commas (supple list formats)")
      ->type_name("KIND[,KIND]")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--threads", arguments->threads,
                   "Threads; default all cores. Any number gives the same bits")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
  command
      ->add_option(
          "--set", arguments->settings,
          "Sets a value of the scene by its JSON pointer; null removes it. May be repeated")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--checkpoint", arguments->checkpoint,
                   "Writes checkpoint.bin every N frames, for --resume")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000'000).description(""));
  command
      ->add_option("--resume", arguments->resume,
                   "Continues from a checkpoint in its folder, to the same bits")
      ->type_name("FILE")
      ->check(filled("a checkpoint"));
  command->add_flag("--honesty", arguments->honesty,
                    "Measures in five frames how stiff the body acts at this solver's budget, "
                    "compared with its material; writes honesty.csv");
  return [arguments] { return run(*arguments); };
}

}  // namespace supple::cli

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "studies/compare/compare_scene.h"
#include "supple/command_line.h"
#include "supple/commands.h"
#include "supple/compare_table.h"
#include "supple/error.h"
#include "supple/overrides.h"
#include "supple/progress.h"
#include "supple/say.h"

namespace supple::cli {

namespace {

struct CompareArguments {
  std::string scene;
  std::string folder;
  int frame = 1;
  std::vector<std::string> solvers;
  int iterations = 50;
  int threads = 0;
  std::vector<std::string> settings;  ///< "PATH=VALUE"
};

int compare(const CompareArguments& arguments) {
  CompareSceneOptions options;
  options.folder = arguments.folder.empty()
                       ? std::filesystem::path("out") /
                             (std::filesystem::path(arguments.scene).stem().string() + "_compare")
                       : std::filesystem::path(arguments.folder);
  options.scene_file = arguments.scene;
  options.frame = arguments.frame;
  options.iterations = arguments.iterations;
  options.threads = arguments.threads;
  for (const std::string& text : arguments.solvers) options.solvers.push_back(parse_solver(text));
  const LoadedScene loaded =
      load_scene_with_settings(arguments.scene, overrides_of(arguments.settings));

  std::optional<Progress> progress;
  if (options.frame > 1) progress.emplace(1, options.frame - 1);
  CompareObserver observer;
  observer.frame_done = [&](int frame) { progress->frame_done(frame); };
  observer.solver = [&](int done, int total, const std::string& label) {
    if (!progress) progress.emplace(1, 0);
    progress->stage(done, total, label);
  };
  const CompareSceneResult result = compare_scene(loaded, options, observer);
  progress->finish();
  say(compare_table(loaded.scene.name, options, result));
  return success;
}

}  // namespace

Command add_compare_command(CLI::App& app) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App* const command = app.add_subcommand(
      "compare",
      "Solves one frame of a scene by many solvers from the same state, against the converged "
      "answer; writes convergence.csv, convergence.svg, convergence.png and compare.json.");
  command->footer(
      "Example:\n"
      "  supple compare scenes/twisting_bar.json --frame 30 --iterations 20 \\\n"
      "      --solver l_bfgs --solver l_bfgs:history=2 --solver quasi_newton --solver newton\n"
      "The scene runs by its own solver up to the frame before. A SOLVER is a method with "
      "options:\n"
      "keys of /solver and their values, as in l_bfgs:history=5,line_search/type=wolfe (supple "
      "list "
      "solvers).");
  command->add_option("SCENE", arguments->scene, "Scene file (JSON)")
      ->required()
      ->check(filled("a scene file"));
  command->add_option("--frame", arguments->frame, "Frame to solve, from 1")
      ->type_name("N")
      ->required()
      ->check(CLI::Range(1, 10'000'000).description(""));
  command->add_option("--solver", arguments->solvers, "Solver to compare; repeat for each")
      ->type_name("SOLVER")
      ->required()
      ->allow_extra_args(false);
  command->add_option("--iterations", arguments->iterations, "Iterations of each solver")
      ->type_name("K")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000).description(""));
  command->add_option("-o,--output", arguments->folder, "Output folder; default out/NAME_compare")
      ->type_name("DIR")
      ->check(filled("a folder"));
  command->add_option("--threads", arguments->threads, "Threads; default all cores")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
  command
      ->add_option(
          "--set", arguments->settings,
          "Sets a value of the scene by its JSON pointer; null removes it. May be repeated")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  return [arguments] { return compare(*arguments); };
}

}  // namespace supple::cli

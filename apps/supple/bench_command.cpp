#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "io/exports/atomic_file.h"
#include "studies/performance/benchmark.h"
#include "supple/command_line.h"
#include "supple/commands.h"
#include "supple/mesh_folder.h"
#include "supple/progress.h"
#include "supple/say.h"

namespace supple::cli {

namespace {

struct BenchArguments {
  std::vector<std::string> names, only;
  std::string folder = "out/bench";
  bool quick = false;
  std::optional<int> frames;
  int threads = 0;
};

/// Milliseconds per frame beside the yardstick's, in one line.
std::string line_of(const bench::SceneResult& scene) {
  std::string text = fmt::format("{:<24} {:>7} elements   plain {:8.2f} ms",
                                 scene.name + (scene.mesh == "published" ? " (published)" : ""),
                                 scene.elements, scene.yardstick);
  for (const bench::Timing& timing : scene.timings) {
    text += fmt::format("   {} {} {:7.2f} ms {:5.1f}x", timing.threads,
                        timing.threads == 1 ? "thread" : "threads", timing.frame, timing.ratio);
  }
  return text + "\n";
}

std::string section(const bench::Table& table, std::size_t texts) {
  if (table.rows.empty()) return "";
  return "\n" + table.caption + "\n" + bench::columns(table, texts);
}

int bench_it(const BenchArguments& arguments) {
  bench::Settings settings{.quick = arguments.quick,
                           .threads = arguments.threads,
                           .frames = arguments.frames,
                           .names = arguments.names,
                           .meshes = folder_of_meshes()};
  settings.names.insert(settings.names.end(), arguments.only.begin(), arguments.only.end());
  bench::check_names(settings.names);
  // Fail now, not after the work, if the folder cannot be written.
  const std::filesystem::path folder = arguments.folder;
  make_folder(folder);
  const Stopwatch watch;
  Progress progress(1, 0);
  int done = 0, total = 1;
  std::string part;
  bench::Observer observer;
  const auto show = [&](const std::string& what) {
    // If the output is not a terminal, one line per scene is enough.
    if (progress.on_terminal()) progress.stage(done, total, what);
  };
  observer.started = [&](int parts_done, int parts, const std::string& title) {
    done = parts_done;
    total = parts;
    part = title;
    show(title);
  };
  observer.working = [&](const std::string& what) { show(part + ": " + what); };
  observer.measured = [&](const bench::SceneResult& scene) {
    progress.finish();
    say(line_of(scene));
  };
  const bench::Results results = bench::run_benchmark(settings, observer);
  progress.finish();
  say(section(bench::frame_table(results), 3) + section(bench::error_table(results), 1) +
      section(bench::stage_table(results), 1) + section(bench::growth_table(results), 1));
  const std::vector<std::string> files = bench::write_results(results, folder);
  std::string names;
  for (const std::string& name : files) names += (names.empty() ? "" : ", ") + name;
  say(fmt::format("\n{:.0f} s; in {}: {}\n", 1e-3 * watch.milliseconds(), folder.string(), names));
  return success;
}

}  // namespace

Command add_bench_command(CLI::App& app) {
  const auto arguments = std::make_shared<BenchArguments>();
  CLI::App* const command = app.add_subcommand(
      "bench",
      "Times the benchmark scenes beside the same method written plainly with Eigen, in one run: "
      "bench.csv, growth.csv, plots and performance.md.");
  std::string names = "Scene to run, default all:";
  for (const bench::Entry& entry : bench::entries()) names += " " + entry.name;
  names += std::string(", or the study of growing bodies: ") + bench::growth_name;
  command->footer(
      "Examples:\n"
      "  supple bench -o out/bench\n"
      "  supple bench twisting_bar hippo --frames 200\n"
      "If the environment variable SUPPLE_PAPER_MESHES names the folder of the published\n"
      "meshes, they are measured beside the generated ones. This takes minutes; files are\n"
      "written at the end. Other work on the machine affects the times.");
  command->add_option("NAME", arguments->names, names);
  command->add_option("-o,--output", arguments->folder, "Output folder")
      ->type_name("DIR")
      ->check(filled("a folder"))
      ->capture_default_str();
  command
      ->add_option("--only", arguments->only,
                   "The same names, separated by commas; may be repeated")
      ->type_name("NAME")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag(
      "--quick", arguments->quick,
      "Small generated bodies and few frames: a check in seconds that everything works");
  command
      ->add_option("--frames", arguments->frames,
                   "Timed frames of each scene; by default 15 to 100, by its size")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000).description(""));
  command
      ->add_option("--threads", arguments->threads,
                   "Threads to measure beside one; default all cores")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
  return [arguments] { return bench_it(*arguments); };
}

}  // namespace supple::cli

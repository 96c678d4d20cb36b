#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "studies/reproduce/reproduce.h"
#include "supple/command_line.h"
#include "supple/commands.h"
#include "supple/mesh_folder.h"
#include "supple/progress.h"
#include "supple/say.h"

namespace supple::cli {

namespace {

struct ReproduceArguments {
  std::string paper;
  std::string folder;
  std::vector<std::string> only;
  bool quick = false;
  int threads = 1;
};

/// "4 hold, 1 does not, 2 not measured".
std::string counts_of(const std::vector<reproduce::Section>& sections) {
  int counts[3] = {0, 0, 0};
  for (const reproduce::Section& section : sections) {
    for (const reproduce::Claim& claim : section.finding.claims) {
      ++counts[static_cast<int>(claim.verdict())];
    }
  }
  std::string text = fmt::format("{} {}", counts[0], counts[0] == 1 ? "holds" : "hold");
  if (counts[1] > 0) text += fmt::format(", {} {} not", counts[1], counts[1] == 1 ? "does" : "do");
  if (counts[2] > 0) text += fmt::format(", {} not measured", counts[2]);
  return text;
}

int reproduce_it(const ReproduceArguments& arguments) {
  const reproduce::Paper paper =
      reproduce::select(reproduce::find_paper(arguments.paper), arguments.only);
  const reproduce::Settings settings{
      .quick = arguments.quick, .threads = arguments.threads, .meshes = folder_of_meshes()};
  const std::filesystem::path folder = arguments.folder.empty()
                                           ? std::filesystem::path("out") / paper.name
                                           : std::filesystem::path(arguments.folder);
  const int total = static_cast<int>(paper.experiments.size());
  Progress progress(1, 0);
  int done = 0;
  std::string title;
  reproduce::Observer observer;
  const auto show = [&](const std::string& what) {
    // If the output is not a terminal, one line per experiment is enough.
    if (progress.on_terminal()) progress.stage(done, total, what);
  };
  observer.started = [&](const reproduce::Experiment& experiment) {
    title = experiment.title.substr(0, experiment.title.find(':'));
    show(title);
  };
  observer.working = [&](const std::string& what) { show(title + ": " + what); };
  observer.finished = [&](const reproduce::Section& section) {
    progress.finish();
    ++done;
    say(fmt::format("[{:>{}}/{}] {:<70} {:6.1f} s  {}\n", done, std::to_string(total).size(), total,
                    section.title, section.seconds, counts_of({section})));
  };
  const reproduce::Result result = reproduce::reproduce_paper(paper, settings, folder, observer);
  progress.finish();
  say(fmt::format("\nclaims: {}\n{} files in {}, {:.0f} s; the report: {}\n",
                  counts_of(result.sections), result.files.size(), folder.string(),
                  result.wall_seconds, (folder / result.files.back()).string()));
  return success;
}

}  // namespace

Command add_reproduce_command(CLI::App& app) {
  const auto arguments = std::make_shared<ReproduceArguments>();
  CLI::App* const command =
      app.add_subcommand("reproduce",
                         "Reproduces a paper's figures and tables as one HTML report, claim by "
                         "claim, with the raw numbers in CSV files.");
  std::string names = "Paper:";
  for (const reproduce::Paper& paper : reproduce::papers()) names += " " + paper.name;
  command->footer(
      "Example:\n"
      "  supple reproduce liu2017 -o out/liu2017\n"
      "  supple reproduce macklin2021 --only table_1,figure_5\n"
      "If the environment variable SUPPLE_PAPER_MESHES names the folder of a paper's meshes,\n"
      "they are measured beside the generated ones. This takes minutes; files are written at\n"
      "the end.");
  command->add_option("PAPER", arguments->paper, names)->required();
  command->add_option("-o,--output", arguments->folder, "Folder of the report; default out/PAPER")
      ->type_name("DIR")
      ->check(filled("a folder"));
  command
      ->add_option("--only", arguments->only,
                   "Experiment to run, for example figure_6; default all. May be repeated")
      ->type_name("ID")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag(
      "--quick", arguments->quick,
      "Small generated bodies and few frames: a check in seconds that everything works");
  command
      ->add_option("--threads", arguments->threads,
                   "Threads; with one, times compare only the methods")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024).description(""));
  return [arguments] { return reproduce_it(*arguments); };
}

}  // namespace supple::cli

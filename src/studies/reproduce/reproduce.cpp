#include "studies/reproduce/reproduce.h"

#include <fmt/format.h>

#include "base/stopwatch.h"
#include "io/exports/atomic_file.h"
#include "io/run/machine.h"
#include "studies/reproduce/csv.h"
#include "supple/error.h"

namespace supple::reproduce {

std::vector<Section> run_experiments(const Paper& paper, const Settings& settings,
                                     const Observer& observer) {
  Context context(settings, observer.working);
  std::vector<Section> sections;
  for (const Experiment& experiment : paper.experiments) {
    if (observer.started) observer.started(experiment);
    const Stopwatch watch;
    Section section{.id = experiment.id, .title = experiment.title, .finding = {}, .seconds = 0};
    try {
      experiment.run(context, section.finding);
    } catch (const Error& error) {
      const std::string why = error.what();
      section.finding.notes.push_back("The experiment ended early: " + why);
      for (Claim& claim : section.finding.claims) {
        if (claim.outcomes.empty()) claim.not_measured("-", why);
      }
    }
    section.seconds = 1e-3 * watch.milliseconds();
    for (DataFile& file : section.finding.data) file.name = experiment.id + "_" + file.name;
    sections.push_back(std::move(section));
    if (observer.finished) observer.finished(sections.back());
  }
  return sections;
}

std::string claims_csv(const std::vector<Section>& sections) {
  std::string text =
      csv_row({"experiment", "claim", "criterion", "subject", "value", "measured", "verdict"});
  for (const Section& section : sections) {
    for (const Claim& claim : section.finding.claims) {
      for (const Outcome& outcome : claim.outcomes) {
        text += csv_row({section.id, claim.text, to_string(claim.criterion), outcome.subject,
                         fmt::format("{:.6g}", outcome.value), outcome.measured,
                         to_string(outcome.verdict)});
      }
    }
  }
  return text;
}

Result reproduce_paper(const Paper& paper, const Settings& settings,
                       const std::filesystem::path& folder, const Observer& observer) {
  const Stopwatch watch;
  // Fail now, not after the work, if the folder cannot be written.
  make_folder(folder);
  Result result;
  result.sections = run_experiments(paper, settings, observer);
  const auto write = [&](const std::string& name, const std::string& content) {
    write_file(folder / name, content);
    result.files.push_back(name);
  };
  for (const Section& section : result.sections) {
    for (const DataFile& file : section.finding.data) write(file.name, file.content);
  }
  write("claims.csv", claims_csv(result.sections));
  result.wall_seconds = 1e-3 * watch.milliseconds();
  write("report.html",
        report_html({.paper = paper.name,
                     .citation = paper.citation,
                     .quick = settings.quick,
                     .published_meshes = paper.published_meshes && settings.meshes.has_value(),
                     .threads = settings.threads,
                     .machine = this_machine(),
                     .seconds = result.wall_seconds},
                    result.sections));
  return result;
}

}  // namespace supple::reproduce

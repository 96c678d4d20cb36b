#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "studies/reproduce/papers.h"
#include "studies/reproduce/report.h"

/// Runs a paper's experiments from start to finish and writes their files: what `supple reproduce`
/// does, without a terminal.
namespace supple::reproduce {

/// Called along the way. Empty functions are not called.
struct Observer {
  std::function<void(const Experiment&)> started;
  std::function<void(const std::string& what)> working;
  std::function<void(const Section&)> finished;
};

struct Result {
  std::vector<Section> sections;
  std::vector<std::string> files;  ///< written, relative to the folder, the report last
  double wall_seconds = 0;
};

/// Runs the experiments in their order and writes nothing. An experiment that throws Error keeps
/// what it found so far; its other claims are not measured.
std::vector<Section> run_experiments(const Paper& paper, const Settings& settings,
                                     const Observer& observer = {});

/// Runs them and writes ID_NAME.csv for each table of raw numbers, claims.csv, and then
/// report.html. Nothing is written until all are done, and each file is written as a whole or not
/// at all. Throws Error{bad_file} for a folder that cannot be made or written.
Result reproduce_paper(const Paper& paper, const Settings& settings,
                       const std::filesystem::path& folder, const Observer& observer = {});

/// claims.csv: experiment,claim,criterion,subject,value,measured,verdict.
std::string claims_csv(const std::vector<Section>& sections);

}  // namespace supple::reproduce

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "studies/performance/tables.h"

/// Measures the benchmark scenes beside the plain yardstick: what `supple bench` does, without a
/// terminal.
namespace supple::bench {

struct Settings {
  bool quick = false;         ///< small bodies and few frames, on generated meshes only
  int threads = 0;            ///< measured beside one thread; 0: as many as the machine has
  std::optional<int> frames;  ///< of each scene, > 0; if missing, each scene's own number
  /// Names of scenes, or `growth`; all if empty.
  std::vector<std::string> names;
  /// Folder of the published meshes; if none, only generated bodies are measured.
  std::optional<std::filesystem::path> meshes;
};

/// Called along the way. Empty functions are not called.
struct Observer {
  /// Before each part of the work; `done` of `total` parts are finished.
  std::function<void(int done, int total, const std::string& part)> started;
  std::function<void(const std::string& what)> working;
  std::function<void(const SceneResult&)> measured;
};

/// Throws Error{invalid_input} for a name that is neither a scene nor `growth`.
void check_names(const std::vector<std::string>& names);

/// Runs the scenes in their order and then the growing bodies. Throws what `check_names` and
/// `measure` throw.
Results run_benchmark(const Settings& settings, const Observer& observer = {});

/// Writes bench.csv, growth.csv, their figures as SVG and PNG, and performance.md; files of studies
/// that were not made are left out. Returns the names, performance.md last. Throws Error{bad_file}.
std::vector<std::string> write_results(const Results& results, const std::filesystem::path& folder);

}  // namespace supple::bench

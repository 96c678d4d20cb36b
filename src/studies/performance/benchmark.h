#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "studies/performance/tables.h"

/// The benchmark scenes beside the plain yardstick: what `supple bench` does, without a terminal.
namespace supple::bench {

struct Settings {
  bool quick = false;         ///< small bodies and few frames, on generated meshes alone
  int threads = 0;            ///< beside one; 0: as many as the machine has
  std::optional<int> frames;  ///< of each scene, > 0; each scene's own number where missing
  /// Names of scenes, or `growth`; all where empty.
  std::vector<std::string> names;
  /// Folder of the published meshes; none: generated bodies alone.
  std::optional<std::filesystem::path> meshes;
};

/// Called on the way. Empty ones are left out.
struct Observer {
  /// Before each part of the work, `done` of `total` being behind it.
  std::function<void(int done, int total, const std::string& part)> started;
  std::function<void(const std::string& what)> working;
  std::function<void(const SceneResult&)> measured;
};

/// Throws Error{invalid_input} for a name that is neither a scene nor `growth`.
void check_names(const std::vector<std::string>& names);

/// Runs the scenes in their order and then the growing bodies. Throws as
/// `check_names` and `measure`.
Results run_benchmark(const Settings& settings, const Observer& observer = {});

/// bench.csv, growth.csv, their figures as SVG and PNG, and performance.md; of studies that were
/// made. Returns the names, performance.md last. Throws Error{bad_file}.
std::vector<std::string> write_results(const Results& results, const std::filesystem::path& folder);

}  // namespace supple::bench

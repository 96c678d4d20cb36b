#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "studies/reproduce/descent.h"

namespace supple::reproduce {

/// Where the rest shapes of an experiment come from.
enum class Origin { generated, published };

/// "generated mesh", "published mesh".
const char* to_string(Origin origin);

struct Settings {
  bool quick = false;  ///< small bodies and few frames, on generated meshes only
  /// See SimulationOptions. One by default: a ratio of times then compares the methods, not how
  /// well each of them uses several cores.
  int threads = 1;
  /// Folder of the meshes that were published with a paper; if none, only generated meshes are
  /// used.
  std::optional<std::filesystem::path> meshes;
};

/// What the experiments of one reproduction share: settings, progress, and the problems and
/// descents that several figures show.
class Context {
 public:
  explicit Context(Settings settings, std::function<void(const std::string&)> working = {});

  const Settings& settings() const { return settings_; }
  bool quick() const { return settings_.quick; }
  int pick(int usual, int quick) const { return settings_.quick ? quick : usual; }
  /// Origins of the rest shapes: generated, and published if their folder is known.
  std::vector<Origin> origins() const;

  /// Reports what is being computed.
  void working(const std::string& what) const;

  /// The problem with this name; `make` is called the first time.
  const Problem& problem(const std::string& name, const std::function<Problem()>& make);

  /// Runs the trials from the problem's state, in their order, with median times. If one cannot
  /// run, its `error` says why. Descents from problems of this object are kept, so each is run only
  /// once.
  std::vector<Descent> descend(const Problem& problem, const std::vector<Trial>& trials);

 private:
  Settings settings_;
  std::function<void(const std::string&)> working_;
  std::map<std::string, Problem> problems_;
  std::map<std::string, Descent> descents_;
};

}  // namespace supple::reproduce

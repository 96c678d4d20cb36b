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
  bool quick = false;  ///< small bodies and few frames, on generated meshes alone
  /// See SimulationOptions. One by default: a ratio of times then compares the methods and not how
  /// well each of them is spread over the cores.
  int threads = 1;
  /// Folder of the meshes that were published with a paper; none: generated meshes alone.
  std::optional<std::filesystem::path> meshes;
};

/// What the experiments of one reproduction share: settings, progress, and the steps and descents
/// that more than one figure shows.
class Context {
 public:
  explicit Context(Settings settings, std::function<void(const std::string&)> working = {});

  const Settings& settings() const { return settings_; }
  bool quick() const { return settings_.quick; }
  int pick(int usual, int quick) const { return settings_.quick ? quick : usual; }
  /// Of the rest shapes: generated, and published where their folder is known.
  std::vector<Origin> origins() const;

  /// Says what is being computed.
  void working(const std::string& what) const;

  /// The problem of this name; `make` is called the first time.
  const Problem& problem(const std::string& name, const std::function<Problem()>& make);

  /// The trials from the problem's state, in their order, with median times. What one cannot run
  /// stands in its `error`. Descents from problems of this object are kept: each is run once.
  std::vector<Descent> descend(const Problem& problem, const std::vector<Trial>& trials);

 private:
  Settings settings_;
  std::function<void(const std::string&)> working_;
  std::map<std::string, Problem> problems_;
  std::map<std::string, Descent> descents_;
};

}  // namespace supple::reproduce

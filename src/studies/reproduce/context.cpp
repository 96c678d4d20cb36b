#include "studies/reproduce/context.h"

#include <fmt/format.h>

#include <utility>

namespace supple::reproduce {

namespace {

/// Equal for trials of a problem that run the same descent.
std::string fingerprint(const Trial& trial) {
  std::string text = fmt::format("{} {}", trial.solver, trial.iterations);
  if (trial.stiffness_range) {
    text += fmt::format(" {} {}", trial.stiffness_range->first, trial.stiffness_range->second);
  }
  return text;
}

}  // namespace

const char* to_string(Origin origin) {
  return origin == Origin::generated ? "generated mesh" : "published mesh";
}

Context::Context(Settings settings, std::function<void(const std::string&)> working)
    : settings_(std::move(settings)), working_(std::move(working)) {}

std::vector<Origin> Context::origins() const {
  if (settings_.quick || !settings_.meshes) return {Origin::generated};
  return {Origin::generated, Origin::published};
}

void Context::working(const std::string& what) const {
  if (working_) working_(what);
}

const Problem& Context::problem(const std::string& name, const std::function<Problem()>& make) {
  const auto found = problems_.find(name);
  if (found != problems_.end()) return found->second;
  Problem made = make();
  made.name = name;
  return problems_.emplace(name, std::move(made)).first->second;
}

std::vector<Descent> Context::descend(const Problem& problem, const std::vector<Trial>& trials) {
  const int repeats = pick(3, 1);
  constexpr double enough_milliseconds = 4000;
  std::vector<Descent> descents;
  for (const Trial& trial : trials) {
    const std::string key = fmt::format("{}: {}", problem.name, fingerprint(trial));
    const auto found = descents_.find(key);
    if (!problem.name.empty() && found != descents_.end()) {
      descents.push_back(found->second);
      descents.back().label = trial.label;
      continue;
    }
    working(problem.subject + ", " + trial.label);
    descents.push_back(run_trial(problem, trial, repeats, enough_milliseconds, settings_.threads));
    if (!problem.name.empty()) descents_[key] = descents.back();
  }
  return descents;
}

}  // namespace supple::reproduce

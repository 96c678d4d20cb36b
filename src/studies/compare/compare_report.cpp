#include "studies/compare/compare_report.h"

#include <nlohmann/json.hpp>

#include "io/run/machine_json.h"
#include "supple/version.h"

namespace supple {

using nlohmann::ordered_json;

namespace {

ordered_json curve_json(const ConvergenceCurve& curve) {
  const ConvergencePoint& last = curve.points.back();
  return {{"solver", curve.label},
          {"status", to_string(curve.status)},
          {"iterations", last.iteration},
          {"evaluations", curve.evaluations},
          {"build_milliseconds", curve.build_milliseconds},
          {"milliseconds", last.milliseconds},
          {"objective", last.objective},
          {"gradient_norm", last.gradient_norm},
          {"relative_error", last.relative_error},
          {"position_error", last.position_error}};
}

}  // namespace

std::string compare_report(const LoadedScene& loaded, const CompareSceneOptions& options,
                           const Comparison& comparison) {
  const ConvergedStep& reference = comparison.reference;
  ordered_json solvers = ordered_json::array();
  for (const ConvergenceCurve& curve : comparison.curves) solvers.push_back(curve_json(curve));
  const ordered_json report = {{"version", version()},
                               {"scene_file", options.scene_file},
                               {"scene", ordered_json::parse(loaded.settings)},
                               {"machine", machine_json(this_machine(), options.threads)},
                               {"frame", options.frame},
                               {"iterations", options.iterations},
                               {"converged",
                                {{"objective", reference.objective},
                                 {"start_objective", reference.start_objective},
                                 {"gradient_norm", reference.gradient_norm},
                                 {"newton_iterations", reference.iterations},
                                 {"to_rounding", reference.converged}}},
                               {"solvers", solvers}};
  constexpr int indent = 2;
  return report.dump(indent, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace supple

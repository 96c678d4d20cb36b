#include "io/run/run_report.h"

#include <nlohmann/json.hpp>

#include "io/run/machine_json.h"
#include "supple/version.h"

namespace supple {

using nlohmann::ordered_json;

namespace {

ordered_json honesty_json(const std::vector<HonestySample>& samples) {
  ordered_json json = ordered_json::array();
  for (const HonestySample& sample : samples) {
    const ApparentStiffness& stiffness = sample.stiffness;
    if (!sample.fault.empty()) {
      json.push_back({{"frame", sample.frame}, {"fault", sample.fault}});
      continue;
    }
    json.push_back({{"frame", sample.frame},
                    {"apparent_stiffness", stiffness.ratio},
                    {"defined", stiffness.defined},
                    {"unexplained", stiffness.unexplained},
                    {"position_error", stiffness.position_error},
                    {"relative_error", sample.relative_error}});
  }
  return json;
}

ordered_json groups_json(const std::vector<ConstraintGroup>& groups) {
  ordered_json json = ordered_json::array();
  for (const ConstraintGroup& group : groups) {
    json.push_back({{"of", group.of}, {"size", group.size}});
  }
  return json;
}

const char* status_of(const RunResult& result) {
  if (result.non_finite_frame) return "non_finite";
  return result.interrupted ? "interrupted" : "complete";
}

ordered_json warnings_json(const std::vector<Warning>& warnings) {
  ordered_json json = ordered_json::array();
  for (const Warning& warning : warnings) {
    json.push_back({{"code", warning.code},
                    {"text", warning.text},
                    {"frames", {warning.first_frame, warning.last_frame}}});
  }
  return json;
}

ordered_json totals_json(const RunResult& result) {
  const RunTotals& totals = result.totals;
  ordered_json json = {{"status", status_of(result)},
                       {"frames", result.frames},
                       {"first_frame", result.start.first_frame},
                       {"vertices", result.start.num_vertices},
                       {"tets", result.start.num_tets},
                       {"wall_seconds", result.wall_seconds},
                       {"milliseconds",
                        {{"median", totals.percentile(0.5)},
                         {"percentile_99", totals.percentile(0.99)},
                         {"local", totals.local},
                         {"solve", totals.solve},
                         {"contact", totals.contact},
                         {"total", totals.total}}},
                       {"iterations", totals.iterations},
                       {"evaluations", totals.evaluations},
                       {"worst_residual", totals.worst_residual},
                       {"worst_residual_relative", totals.worst_relative},
                       {"worst_residual_frame", totals.worst_frame},
                       {"max_inverted_tets", totals.max_inverted_tets},
                       {"max_contacts", totals.max_contacts}};
  if (const double share = result.unbalanced_share; share > 0) {
    json["unbalanced_share"] = share;
    json["step_too_large"] = share > too_large_share;
  }
  if (result.non_finite_frame) json["non_finite_frame"] = *result.non_finite_frame;
  return json;
}

}  // namespace

std::string run_report(const LoadedScene& loaded, const RunOptions& options,
                       const RunResult& result) {
  ordered_json report = {{"version", version()},
                         {"scene_file", options.scene_file},
                         {"scene", ordered_json::parse(loaded.settings)},
                         {"machine", machine_json(this_machine(), result.start.num_threads)},
                         {"totals", totals_json(result)},
                         {"warnings", warnings_json(result.warnings)}};
  if (!result.groups.empty()) report["constraint_groups"] = groups_json(result.groups);
  if (options.honesty_frames > 0) report["honesty"] = honesty_json(result.honesty);
  constexpr int indent = 2;
  return report.dump(indent, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace supple

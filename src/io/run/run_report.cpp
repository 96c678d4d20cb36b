#include "io/run/run_report.h"

#include <nlohmann/json.hpp>

#include "io/run/machine.h"
#include "supple/version.h"

namespace supple {

using nlohmann::ordered_json;

namespace {

ordered_json machine_json(const Machine& machine, int threads) {
  return {{"processor", machine.processor}, {"cores", machine.cores},
          {"memory_gib", machine.memory},   {"threads", threads},
          {"compiler", machine.compiler},   {"build", machine.build},
          {"flags", machine.flags}};
}

ordered_json totals_json(const RunResult& result) {
  const RunTotals& totals = result.totals;
  ordered_json json = {{"status", result.non_finite_frame ? "non_finite" : "complete"},
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
  if (result.non_finite_frame) json["non_finite_frame"] = *result.non_finite_frame;
  return json;
}

}  // namespace

std::string run_report(const LoadedScene& loaded, const RunOptions& options,
                       const RunResult& result) {
  const ordered_json report = {{"version", version()},
                               {"scene_file", options.scene_file},
                               {"scene", ordered_json::parse(loaded.settings)},
                               {"machine", machine_json(this_machine(), result.start.num_threads)},
                               {"totals", totals_json(result)}};
  constexpr int indent = 2;
  return report.dump(indent, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace supple

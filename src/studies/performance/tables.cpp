#include "studies/performance/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "studies/reproduce/csv.h"
#include "supple/version.h"

namespace supple::bench {

namespace {

using reproduce::csv_row;

/// A cell of a CSV file: empty if the value is not known.
std::string raw(double value) { return std::isnan(value) ? "" : fmt::format("{:.6g}", value); }

/// Two or three digits, without an exponent between 0.001 and a million.
std::string shown(double value) {
  if (std::isnan(value)) return "-";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 99.5) return fmt::format("{:.0f}", value);
  if (size >= 9.95) return fmt::format("{:.1f}", value);
  if (size >= 0.995) return fmt::format("{:.2f}", value);
  return fmt::format("{:#.2g}", value);
}

std::string small(double value) { return std::isnan(value) ? "-" : fmt::format("{:.1e}", value); }

std::string times(double ratio) { return shown(ratio) + "x"; }

/// 12345 as 12,345.
std::string grouped(int number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string time_to(double milliseconds) {
  return std::isinf(milliseconds) ? fmt::format("> {} its", trial_iterations) : shown(milliseconds);
}

std::string kilobytes(double bytes, int elements) { return shown(bytes / elements / 1000); }

std::vector<std::string> build_columns() {
  return {"version", "processor", "cores", "compiler", "build", "flags", "simd"};
}

std::vector<std::string> build_cells(const Machine& machine) {
  return {version(),        machine.processor, fmt::format("{}", machine.cores),
          machine.compiler, machine.build,     machine.flags,
          machine.simd};
}

std::string line_of(std::vector<std::string> cells, const std::vector<std::string>& more) {
  cells.insert(cells.end(), more.begin(), more.end());
  return csv_row(cells);
}

std::string name_of(const SceneResult& scene) {
  return scene.mesh == "published" ? scene.name + " (published)" : scene.name;
}

/// 1, and the other number of threads if it differs.
std::vector<int> thread_counts(const Results& results) {
  if (results.threads == 1) return {1};
  return {1, results.threads};
}

}  // namespace

std::string threads_text(int threads) {
  return fmt::format("{} {}", threads, threads == 1 ? "thread" : "threads");
}

std::string bench_csv(const Results& results) {
  std::string text = line_of({"scene",
                              "mesh",
                              "material",
                              "vertices",
                              "elements",
                              "threads",
                              "frames",
                              "ms",
                              "ms_99",
                              "yardstick_frames",
                              "yardstick_ms",
                              "ratio",
                              "distance",
                              "evaluations",
                              "yardstick_evaluations",
                              "local_ms",
                              "solve_ms",
                              "contact_ms",
                              "rest_ms",
                              "relative_error",
                              "position_error",
                              "unconverged",
                              "ms_to_1e-3",
                              "ms_to_1e-6",
                              "setup_ms",
                              "yardstick_setup_ms",
                              "bytes_per_element",
                              "peak_bytes_per_element",
                              "paper_ms"},
                             build_columns());
  for (const SceneResult& scene : results.scenes) {
    for (const Timing& timing : scene.timings) {
      text += line_of({scene.name,
                       scene.mesh,
                       scene.material,
                       fmt::format("{}", scene.vertices),
                       fmt::format("{}", scene.elements),
                       fmt::format("{}", timing.threads),
                       fmt::format("{}", scene.frames),
                       raw(timing.frame),
                       raw(timing.slowest),
                       fmt::format("{}", scene.yardstick_frames),
                       raw(scene.yardstick),
                       raw(timing.ratio),
                       raw(scene.distance),
                       raw(scene.evaluations),
                       raw(scene.yardstick_evaluations),
                       raw(timing.local),
                       raw(timing.solve),
                       raw(timing.contact),
                       raw(timing.rest),
                       raw(scene.relative_error),
                       raw(scene.position_error),
                       fmt::format("{}", scene.unconverged),
                       raw(timing.to_coarse),
                       raw(timing.to_fine),
                       raw(timing.setup),
                       raw(scene.yardstick_setup),
                       raw(scene.memory.held / scene.elements),
                       raw(scene.memory.peak / scene.elements),
                       scene.paper},
                      build_cells(results.machine));
    }
  }
  return text;
}

std::string growth_csv(const Results& results) {
  std::string text = line_of({"material", "tets", "vertices", "threads", "frames", "ms", "ms_99",
                              "setup_ms", "bytes_per_tet", "peak_bytes_per_tet"},
                             build_columns());
  for (const GrowthResult& body : results.growth) {
    text += line_of({body.material, fmt::format("{}", body.tets), fmt::format("{}", body.vertices),
                     fmt::format("{}", body.threads), fmt::format("{}", body.frames),
                     raw(body.frame), raw(body.slowest), raw(body.setup),
                     raw(body.memory.held / body.tets), raw(body.memory.peak / body.tets)},
                    build_cells(results.machine));
  }
  return text;
}

Table frame_table(const Results& results) {
  Table table{.caption = "Milliseconds a frame", .columns = {}, .rows = {}};
  table.columns = {"#", "scene", "material", "elements", "paper", "plain Eigen"};
  for (const int threads : thread_counts(results)) {
    for (const std::string& name :
         {threads_text(threads), std::string("99 %"), std::string("ratio")}) {
      table.columns.push_back(name);
    }
  }
  table.columns.emplace_back("distance");
  for (const SceneResult& scene : results.scenes) {
    std::vector<std::string> row{fmt::format("{}", table.rows.size() + 1),
                                 name_of(scene),
                                 scene.material,
                                 grouped(scene.elements),
                                 scene.paper.empty() ? "-" : scene.paper,
                                 shown(scene.yardstick)};
    for (const Timing& timing : scene.timings) {
      row.push_back(shown(timing.frame));
      row.push_back(shown(timing.slowest));
      row.push_back(times(timing.ratio));
    }
    row.push_back(small(scene.distance));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table error_table(const Results& results) {
  Table table{.caption = "Errors of a frame and the time to them", .columns = {}, .rows = {}};
  table.columns = {"scene", "evaluations", "plain", "relative error", "position error"};
  for (const int threads : thread_counts(results)) {
    for (const char* error : {"1e-3", "1e-6"}) {
      table.columns.push_back(fmt::format("{}, {}", error, threads_text(threads)));
    }
  }
  for (const SceneResult& scene : results.scenes) {
    const std::string mark = scene.unconverged > 0 ? " *" : "";
    std::vector<std::string> row{name_of(scene) + mark, shown(scene.evaluations),
                                 shown(scene.yardstick_evaluations), small(scene.relative_error),
                                 small(scene.position_error)};
    for (const Timing& timing : scene.timings) {
      row.push_back(time_to(timing.to_coarse));
      row.push_back(time_to(timing.to_fine));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table stage_table(const Results& results) {
  Table table{.caption = "Where the time goes, set-up, memory", .columns = {}, .rows = {}};
  table.columns = {"scene", "threads", "local",        "solve",         "contact",
                   "rest",  "set-up",  "plain set-up", "kB an element", "at peak"};
  for (const SceneResult& scene : results.scenes) {
    for (const Timing& timing : scene.timings) {
      table.rows.push_back({name_of(scene), fmt::format("{}", timing.threads), shown(timing.local),
                            shown(timing.solve), shown(timing.contact), shown(timing.rest),
                            shown(timing.setup), shown(scene.yardstick_setup),
                            kilobytes(scene.memory.held, scene.elements),
                            kilobytes(scene.memory.peak, scene.elements)});
    }
  }
  return table;
}

Table growth_table(const Results& results) {
  Table table{.caption = "Growth", .columns = {}, .rows = {}};
  table.columns = {"material", "tets",       "threads",  "ms",     "99 %",
                   "ns a tet", "set-up, ms", "kB a tet", "at peak"};
  for (const GrowthResult& body : results.growth) {
    table.rows.push_back(
        {body.material, grouped(body.tets), fmt::format("{}", body.threads), shown(body.frame),
         shown(body.slowest), shown(1e6 * body.frame / body.tets), shown(body.setup),
         kilobytes(body.memory.held, body.tets), kilobytes(body.memory.peak, body.tets)});
  }
  return table;
}

std::string markdown(const Table& table, std::size_t texts) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + cell + " |";
    return text + "\n";
  };
  std::string text = line(table.columns) + "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += i < texts ? "---|" : "---:|";
  text += "\n";
  for (const auto& row : table.rows) text += line(row);
  return text;
}

std::string columns(const Table& table, std::size_t texts) {
  std::vector<std::vector<std::string>> lines{table.columns};
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string gap = i > 0 ? "  " : "";
      row += gap + (i < texts ? fmt::format("{:<{}}", line[i], widths[i])
                              : fmt::format("{:>{}}", line[i], widths[i]));
    }
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string performance_page(const Results& results) {
  const Machine& machine = results.machine;
  std::string text =
      fmt::format("supple {}, {}, {} cores, {}, {} ({}), vectors: {}{}.\n", version(),
                  machine.processor, machine.cores, machine.compiler, machine.build, machine.flags,
                  machine.simd, results.quick ? "; a quick run: small bodies and few frames" : "");
  const auto section = [&](const Table& table, std::size_t texts, const std::string& note) {
    if (table.rows.empty()) return;
    text += fmt::format("\n### {}\n{}\n\n{}", table.caption, note, markdown(table, texts));
  };
  section(frame_table(results), 3,
          "Ten iterations of L-BFGS(5): median and 99th percentile, ms. `plain Eigen`: the "
          "yardstick in the same run, on one thread. `ratio`: its time over ours, median of the "
          "frames timed with both. `paper`: Table 1 of the paper, on its machine. `distance`: "
          "largest distance between the two after a frame from the same state, relative to the "
          "body's size.");
  section(error_table(results), 1,
          fmt::format("Errors after ten iterations, and the ms that L-BFGS(5) needs to relative "
                      "errors of 1e-3 and 1e-6; medians of up to three frames. `evaluations`, "
                      "`plain`: of the library and the yardstick. `> {} its`: not reached in this "
                      "many iterations. `*`: in some frame no method reached the minimum to "
                      "rounding; errors are then relative to the lowest value found.",
                      trial_iterations));
  section(stage_table(results), 1,
          "Median ms a frame; set-up: ms of the constructor. Memory: growth of the resident set "
          "until after the first frame, and its peak on the way, on one thread.");
  section(growth_table(results), 1,
          "The twisted bar of 4 m x 1 m x 1 m in 24 n^3 tets, ten iterations of L-BFGS(5) a "
          "frame.");
  return text;
}

}  // namespace supple::bench

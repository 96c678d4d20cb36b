#include "supple/run_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace supple::cli {

namespace {

std::string row(const char* name, const std::string& value) {
  const std::size_t end = value.find_last_not_of(' ') + 1;
  return fmt::format("  {:<16} {}\n", name, value.substr(0, end));
}

std::string share(const char* name, double part, double whole) {
  return fmt::format("{} {:.1f} %   ", name, whole > 0 ? 100 * std::max(0.0, part) / whole : 0.0);
}

std::string size_text(std::uintmax_t bytes) {
  constexpr std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 999.5 && unit + 1 < units.size()) {
    size /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", size, unit == 0 || size >= 99.5 ? 0 : 1, units[unit]);
}

std::string frames_text(const RunResult& result) {
  const auto simulated = static_cast<long long>(result.totals.milliseconds.size());
  std::string text = fmt::format("{} {}", grouped(simulated), simulated == 1 ? "frame" : "frames");
  if (result.start.first_frame > 1) {
    text += fmt::format(" ({} to {})", result.start.first_frame, result.frames);
  }
  text += fmt::format(" in {:.2f} s", result.wall_seconds);
  if (simulated > 0 && result.wall_seconds > 0) {
    text += fmt::format(" ({:.1f} frames/s)", static_cast<double>(simulated) / result.wall_seconds);
  }
  return text;
}

/// How many groups of each kind are projected one after another, and their sizes.
std::string group_rows(const std::vector<ConstraintGroup>& groups) {
  constexpr std::size_t most_shown = 8;
  std::string text;
  for (auto begin = groups.begin(); begin != groups.end();) {
    const auto end = std::find_if(begin, groups.end(),
                                  [&](const ConstraintGroup& g) { return g.of != begin->of; });
    const auto count = static_cast<std::size_t>(end - begin);
    std::string line = fmt::format("{} of {}:", grouped(static_cast<long long>(count)), begin->of);
    if (count <= most_shown) {
      for (auto group = begin; group != end; ++group) line += " " + grouped(group->size);
    } else {
      const auto [smallest, largest] = std::minmax_element(
          begin, end,
          [](const ConstraintGroup& a, const ConstraintGroup& b) { return a.size < b.size; });
      line += fmt::format(" {} to {}", grouped(smallest->size), grouped(largest->size));
    }
    text += row(text.empty() ? "groups" : "", line);
    begin = end;
  }
  return text;
}

/// The frames of a warning: "frame 3", "frames 3 to 7".
std::string frames_of(const Warning& warning) {
  if (warning.first_frame == warning.last_frame)
    return fmt::format("frame {}", warning.first_frame);
  return fmt::format("frames {} to {}", warning.first_frame, warning.last_frame);
}

/// The reasons not to trust the run, broken into lines.
std::string warning_rows(const std::vector<Warning>& warnings) {
  constexpr std::size_t width = 90;
  std::string text;
  for (const Warning& warning : warnings) {
    std::string rest = fmt::format("{} ({})", warning.text, frames_of(warning));
    const char* name = "warning";
    while (!rest.empty()) {
      const std::size_t space = rest.size() <= width ? rest.size() : rest.rfind(' ', width);
      const std::size_t end = space == std::string::npos ? rest.size() : space;
      text += row(name, rest.substr(0, end));
      rest.erase(0, std::min(end + 1, rest.size()));
      name = "";
    }
  }
  return text;
}

/// How the solver's budget changed the material, over the examined frames.
std::string honesty_rows(const std::vector<HonestySample>& samples) {
  std::vector<double> ratios;
  double position_error = 0;
  for (const HonestySample& sample : samples) {
    if (!sample.fault.empty()) continue;
    position_error = std::max(position_error, sample.stiffness.position_error);
    if (sample.stiffness.defined) ratios.push_back(sample.stiffness.ratio);
  }
  if (ratios.empty()) {
    return row("honesty",
               "no frame tells how stiff the body acts: none has elastic forces, or "
               "none has a converged answer");
  }
  std::sort(ratios.begin(), ratios.end());
  return row("honesty",
             fmt::format("acts {:.4g} times as stiff as its material (median of {} frames, {:.4g} "
                         "to {:.4g})",
                         ratios[(ratios.size() - 1) / 2], ratios.size(), ratios.front(),
                         ratios.back())) +
         row("", fmt::format("position error of a step at most {:.1e} of the body's size",
                             position_error));
}

}  // namespace

std::string grouped(long long number) {
  std::string digits = std::to_string(std::abs(number));
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return (number < 0 ? "-" : "") + digits;
}

std::string run_table(const std::string& scene_name, const RunOptions& options,
                      const RunResult& result) {
  const RunTotals& totals = result.totals;
  std::string text = fmt::format("{}: {}\n\n", scene_name, frames_text(result));
  const auto frames = static_cast<double>(totals.milliseconds.size());
  if (frames > 0) {
    text += row("time per frame", fmt::format("median {:.2f} ms   99th percentile {:.2f} ms",
                                              totals.percentile(0.5), totals.percentile(0.99)));
    const double rest = totals.total - totals.local - totals.solve - totals.contact;
    text += row("where it went", share("local", totals.local, totals.total) +
                                     share("solve", totals.solve, totals.total) +
                                     share("contact", totals.contact, totals.total) +
                                     share("rest", rest, totals.total));
    text += row(
        "iterations",
        fmt::format("{} ({:.1f} a frame), {} evaluations ({:.1f} a frame)",
                    grouped(totals.iterations), static_cast<double>(totals.iterations) / frames,
                    grouped(totals.evaluations), static_cast<double>(totals.evaluations) / frames));
    if (totals.worst_frame > 0) {
      text += row("worst residual",
                  fmt::format("|grad g| = {:.2e} N, {:.1e} of that at its frame's start (frame {})",
                              totals.worst_residual, totals.worst_relative, totals.worst_frame));
    }
    text += row("inverted tets", fmt::format("at most {}", grouped(totals.max_inverted_tets)));
    if (totals.max_contacts > 0) {
      text += row("contacts", fmt::format("at most {}", grouped(totals.max_contacts)));
    }
    text += warning_rows(result.warnings);
  }
  text += group_rows(result.groups);
  if (options.honesty_frames > 0) text += honesty_rows(result.honesty);
  text += row("output", fmt::format("{} in {}:", size_text(result.bytes), options.folder.string()));
  std::string line;
  for (const std::string& file : result.files) line += (line.empty() ? "" : ", ") + file;
  return text + row("", line);
}

}  // namespace supple::cli

#include "studies/performance/benchmark.h"

#include <algorithm>
#include <string_view>

#include "base/names.h"
#include "base/parallel_for.h"
#include "io/exports/atomic_file.h"
#include "studies/performance/pictures.h"
#include "supple/error.h"

namespace supple::bench {

namespace {

using reproduce::Origin;

struct Part {
  const Entry* entry;  ///< null: the growing bodies
  Origin origin;

  std::string title() const {
    if (entry == nullptr) return growth_name;
    return origin == Origin::published ? entry->name + " (published)" : entry->name;
  }
};

std::vector<Part> parts_of(const Settings& settings, const reproduce::Context& context) {
  const auto wanted = [&](const std::string& name) {
    const auto& names = settings.names;
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<Part> parts;
  for (const Origin origin : context.origins()) {
    for (const Entry& entry : entries()) {
      if (wanted(entry.name) && (origin == Origin::generated || entry.published)) {
        parts.push_back({&entry, origin});
      }
    }
  }
  if (wanted(growth_name)) parts.push_back({nullptr, Origin::generated});
  return parts;
}

std::string_view text_of(const std::vector<unsigned char>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void check_names(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Entry& entry : entries()) known.push_back(entry.name);
  known.emplace_back(growth_name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error(ErrorKind::invalid_input, "bench", unknown_name("scene", name, known));
    }
  }
}

Results run_benchmark(const Settings& settings, const Observer& observer) {
  check_names(settings.names);
  const int threads = Threads(settings.threads).count();
  const reproduce::Context context(
      {.quick = settings.quick, .threads = threads, .meshes = settings.meshes});
  Results results;
  results.machine = this_machine();
  results.threads = threads;
  results.quick = settings.quick;
  const Measuring how{.threads = threads, .frames = settings.frames, .working = observer.working};
  const std::vector<Part> parts = parts_of(settings, context);
  // Fail now, not after half of the work, if a mesh cannot be read.
  for (const Part& part : parts) {
    if (part.origin == Origin::published) part.entry->make(context, part.origin);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (observer.started) {
      observer.started(static_cast<int>(i), static_cast<int>(parts.size()), part.title());
    }
    if (part.entry == nullptr) {
      results.growth = measure_growth(settings.quick, threads, observer.working);
      continue;
    }
    results.scenes.push_back(measure(*part.entry, context, part.origin, how));
    if (observer.measured) observer.measured(results.scenes.back());
  }
  return results;
}

std::vector<std::string> write_results(const Results& results,
                                       const std::filesystem::path& folder) {
  std::vector<std::string> files;
  const auto write = [&](const std::string& name, std::string_view content) {
    write_file(folder / name, content);
    files.push_back(name);
  };
  const auto draw = [&](const std::string& name, const plot::Figure& figure) {
    write(name + ".svg", plot::svg_text(figure));
    write(name + ".png", text_of(plot::png_bytes(figure)));
  };
  if (!results.scenes.empty()) {
    write("bench.csv", bench_csv(results));
    draw("bench", frame_figure(results));
  }
  if (!results.growth.empty()) {
    write("growth.csv", growth_csv(results));
    draw("growth", growth_figure(results));
  }
  write("performance.md", performance_page(results));
  return files;
}

}  // namespace supple::bench

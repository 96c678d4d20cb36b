// Which warnings are true? Runs every scene of a folder with every material that can carry a body
// alone, counts the warnings, and compares each run that is reported as not converged with a
// converged run:
//   build/release/bin/supple_alarm_bench scenes [PART]
// `said`: the codes of the warnings. `off`: the largest distance of a frame from the same frame by
// Newton's method with 20 iterations, rms over the vertices, in sizes of the smallest body.
// `converged said`: the warnings of that run. Codes other than the two about convergence report
// what is there (tets, depths, energies) and are only counted. PART selects the scenes whose file
// name contains it. Scenes whose solver cannot run a material use l_bfgs with ten iterations.
// Writes no file.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "comparable_material.h"
#include "supple/io.h"
#include "supple/supple.h"

namespace {

using supple::Scene;

constexpr int most_frames = 30;

/// mu and lambda of a material of the scene files, Pa, as comparable_material expects them.
std::optional<std::pair<double, double>> moduli_of(const supple::MaterialSettings& material) {
  if (material.model == "mooney_rivlin") {
    const double mu = 2 * (material.c1.value + material.c2.value);
    return std::pair{mu, material.bulk.value - mu * 2 / 3};
  }
  if (material.model == "spline") return {};
  if (material.model == "polynomial") {
    const double mu = material.mu.value / 20;
    return std::pair{mu, 4 * mu};  // Poisson's ratio 0.4
  }
  if (material.model == "arap") return std::pair{material.mu.value, 4 * material.mu.value};
  return std::pair{material.mu.value, material.lambda.value};
}

/// Gives the bodies this material; rigid ones stay rigid. False if no body has tets that could use
/// it.
bool use_material(Scene& scene, const std::string& model) {
  std::optional<std::pair<double, double>> first;
  bool any = false;
  for (supple::Body& body : scene.bodies) {
    if (body.mesh.tets.empty() || body.material.model == "rigid") continue;
    any = true;
    const auto own = moduli_of(body.material);
    if (!first) first = own;
    auto [mu, lambda] = own.value_or(*first);
    if (!std::isfinite(lambda)) {
      if (model == "stable_neo_hookean") continue;  // as the scene has it
      lambda = 4 * mu;
    }
    body.material = supple::comparable_material(model, mu, lambda);
  }
  return any;
}

struct Run {
  std::vector<supple::Warning> warnings;
  std::vector<std::vector<double>> positions;  ///< at the end of each frame
  bool finite = true, refused = false;

  bool says(const std::string& code) const {
    return std::any_of(warnings.begin(), warnings.end(),
                       [&](const supple::Warning& one) { return one.code == code; });
  }
  std::string codes() const {
    if (refused) return "refused";
    std::string text = finite ? "" : "non_finite";
    for (const supple::Warning& one : warnings) text += (text.empty() ? "" : ", ") + one.code;
    return text.empty() ? "nothing" : text;
  }
};

Run run(const Scene& scene) {
  Run result;
  try {
    supple::Simulation simulation(scene, {.threads = 1});
    supple::RunWatch watch(scene);
    for (int frame = 1; frame <= std::min(scene.time.frames, most_frames); ++frame) {
      const supple::StepReport report = simulation.step();
      if (report.status == supple::StepStatus::non_finite) {
        result.finite = false;
        break;
      }
      watch.add(frame, report, simulation.energies());
      std::vector<double> x(3 * static_cast<std::size_t>(simulation.num_vertices()));
      simulation.copy_positions(x);
      result.positions.push_back(std::move(x));
    }
    result.warnings = watch.warnings();
  } catch (const supple::Error&) {
    result.refused = true;
  }
  return result;
}

double smallest_size(const Scene& scene) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const supple::Body& body : scene.bodies) {
    const supple::Box box = supple::bounding_box(body.mesh.vertices);
    double size = 0;
    for (std::size_t k = 0; k < 3; ++k) size = std::max(size, box.max[k] - box.min[k]);
    smallest = std::min(smallest, size);
  }
  return smallest;
}

double farthest(const Run& a, const Run& b) {
  double worst = 0;
  for (std::size_t f = 0; f < std::min(a.positions.size(), b.positions.size()); ++f) {
    double sum = 0;
    for (std::size_t i = 0; i < a.positions[f].size(); ++i) {
      sum += (a.positions[f][i] - b.positions[f][i]) * (a.positions[f][i] - b.positions[f][i]);
    }
    worst = std::max(worst, std::sqrt(3 * sum / static_cast<double>(a.positions[f].size())));
  }
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    fmt::print(stderr, "{}: expected a folder of scenes\n", argv[0]);
    return 2;
  }
  const std::string part = argc > 2 ? argv[2] : "";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (entry.path().extension() == ".json" &&
        entry.path().filename().string().find(part) != std::string::npos) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  fmt::print(
      "| scene | material | solver | said | off | converged said |\n"
      "|---|---|---|---|---|---|\n");
  std::map<std::string, int> counts;
  int runs = 0, quiet = 0;
  for (const auto& file : files) {
    const Scene original = supple::load_scene(file);
    for (const char* model : {"corotated", "arap", "stvk", "neo_hookean", "stable_neo_hookean",
                              "mooney_rivlin", "polynomial", "spline", "valanis_landel"}) {
      Scene scene = original;
      const bool any = use_material(scene, model);
      if (!any && std::string(model) != "corotated") continue;  // once
      Run ours = run(scene);
      if (ours.refused) {
        scene.solver = {};
        ours = run(scene);
      }
      ++runs;
      if (ours.warnings.empty() && ours.finite) ++quiet;
      for (const supple::Warning& warning : ours.warnings) ++counts[warning.code];
      fmt::print("| {} | {} | {} x {} | {} |", file.stem().string(), any ? model : "springs",
                 supple::to_string(scene.solver.method), scene.solver.iterations, ours.codes());
      if (ours.says("unconverged") || ours.says("step_too_large")) {
        Scene converged = scene;
        converged.solver = {
            .method = supple::SolverMethod::newton, .iterations = 20, .tolerance = 1e-6};
        const Run theirs = run(converged);
        fmt::print(" {:.2g} | {} |\n", farthest(ours, theirs) / smallest_size(scene),
                   theirs.codes());
      } else {
        fmt::print(" | |\n");
      }
      std::fflush(stdout);
    }
  }
  fmt::print("\n{} runs, {} of them say nothing", runs, quiet);
  for (const auto& [code, count] : counts) fmt::print("; {}: {}", code, count);
  fmt::print("\n");
  return 0;
}

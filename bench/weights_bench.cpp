// What the constant matrix gains from weights that follow the state
// (docs/solvers.md#weights-that-follow-the-state): free bodies that start stretched, ten frames of
// ten iterations with weights as published and with weights that follow. The error is the rms
// distance of all positions of all frames from the converged motion, over the body's diagonal. The
// bodies are cubes of 1,296 tets whose inner vertices are displaced from their lattice and, if
// SUPPLE_PAPER_MESHES is set, the published meshes. Prints a table and writes no file:
//   build/release/bin/supple_weights_bench [threads]

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "supple/supple.h"

namespace {

using supple::Scene;
using supple::Vec3;

constexpr int num_frames = 10;

supple::TetMesh jittered_cube() {
  constexpr int cells = 6;
  supple::TetMesh mesh =
      generate(supple::BoxGenerator{.cells = {cells, cells, cells}, .tets_per_cell = 6});
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-0.45 / cells, 0.45 / cells);
  for (Vec3& x : mesh.vertices) {
    const bool is_inner =
        std::all_of(x.begin(), x.end(), [](double c) { return std::abs(c) < 0.49; });
    if (!is_inner) continue;
    for (double& c : x) c += uniform(generator);
  }
  return mesh;
}

Scene stretched(const supple::TetMesh& mesh, const std::string& model, double mu, double lambda,
                const Vec3& factors) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  supple::Body body;
  body.mesh = mesh;
  body.mass = 10;
  body.material = {.model = model, .mu = mu, .lambda = lambda};
  body.initial = supple::Stretch{factors};
  scene.bodies.push_back(std::move(body));
  return scene;
}

struct Motion {
  std::vector<double> positions;  // of all frames, m
  std::vector<double> times;      // of the frames, ms; sorted
  double evaluations = 0;         // mean over frames
};

Motion simulate(const Scene& scene, int threads) {
  supple::Simulation simulation(scene, {.threads = threads});
  Motion motion;
  for (int frame = 0; frame < num_frames; ++frame) {
    const supple::StepReport report = simulation.step();
    motion.times.push_back(report.total_milliseconds);
    motion.evaluations += static_cast<double>(report.evaluations) / num_frames;
    const std::vector<double> x = simulation.state().positions;
    motion.positions.insert(motion.positions.end(), x.begin(), x.end());
  }
  std::sort(motion.times.begin(), motion.times.end());
  return motion;
}

double rms_distance(const Motion& a, const Motion& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.positions.size(); ++i) {
    const double d = a.positions[i] - b.positions[i];
    sum += d * d;
  }
  return std::sqrt(3 * sum / static_cast<double>(a.positions.size()));
}

double diagonal(const supple::TetMesh& mesh) {
  Vec3 low = mesh.vertices.front(), high = low;
  for (const Vec3& x : mesh.vertices) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], x[k]);
      high[k] = std::max(high[k], x[k]);
    }
  }
  return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

void measure(const std::string& name, Scene scene, int threads) {
  const double size = diagonal(scene.bodies.front().mesh);
  const supple::SolverSettings fast = scene.solver;
  scene.solver.method = supple::SolverMethod::newton;
  scene.solver.iterations = 60;
  scene.solver.tolerance = 1e-9;
  const Motion converged = simulate(scene, threads);
  scene.solver = fast;
  for (const char* weights : {"constant", "following"}) {
    scene.solver.weights = supple::from_string<supple::LaplacianWeights>(weights);
    const Motion motion = simulate(scene, threads);
    fmt::print("{:<34}{:<11}{:>12.1f}{:>10.2f}{:>10.2f}{:>12.1e}\n", name, weights,
               motion.evaluations, motion.times[num_frames / 2], motion.times.back(),
               rms_distance(motion, converged) / size);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  fmt::print("{:<34}{:<11}{:>12}{:>10}{:>10}{:>12}\n", "body", "weights", "evaluations", "ms",
             "worst", "rms error");
  const Vec3 flat{1.5, 0.7, 1}, far{2, 0.5, 0.7};
  const supple::TetMesh cube = jittered_cube();
  measure("cube, polynomial", stretched(cube, "polynomial", 400, 0, far), threads);
  measure("cube, neo_hookean", stretched(cube, "neo_hookean", 400, 2000, far), threads);
  measure("cube, stvk", stretched(cube, "stvk", 400, 400, far), threads);
  const char* const folder = std::getenv("SUPPLE_PAPER_MESHES");
  if (folder == nullptr) return 0;
  const auto mesh = [&](const char* name) {
    return supple::read_tet_mesh(std::string(folder) + "/" + name);
  };
  const supple::TetMesh hippo = mesh("hippo.mesh"), squirrel = mesh("squirrel_modified.mesh"),
                        bunny = mesh("bunny.mesh");
  measure("hippo, neo_hookean", stretched(hippo, "neo_hookean", 20, 100, flat), threads);
  measure("hippo, neo_hookean, wider", stretched(hippo, "neo_hookean", 20, 100, {1, 1.5, 0.6}),
          threads);
  measure("hippo, polynomial", stretched(hippo, "polynomial", 400, 0, flat), threads);
  measure("squirrel, polynomial", stretched(squirrel, "polynomial", 400, 0, flat), threads);
  measure("bunny, polynomial", stretched(bunny, "polynomial", 400, 0, {1.4, 0.8, 1}), threads);
  return 0;
}

// Bodies that fall on the ground with default settings: is energy created, do vertices sink in,
// does the body come to rest, is a tet left inside out?
//   build/release/bin/supple_drop_bench bodies      a dozen coarse bodies, poor meshes among them,
//                                                   in five materials of two stiffnesses
//   build/release/bin/supple_drop_bench ball        the ball of scenes/falling_ball.json by every
//                                                   descent method and 5, 10, 20, 40 iterations
//   build/release/bin/supple_drop_bench published   the meshes of SUPPLE_PAPER_MESHES, as `bodies`
// prints a row for each drop that breaks a promise: `said`, the run's warnings, and the outcome of
// the same drop with 40 iterations of Newton's method. A further argument keeps only the drops
// whose name contains it, and another one, `NAME:ITERATIONS`, replaces the solver l_bfgs. Writes no
// file; exit code 1 if a promise is broken.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "comparable_material.h"
#include "supple/io.h"
#include "supple/supple.h"

namespace {

using supple::Scene;
using supple::TetMesh;
using supple::Vec3;

/// Relative to the energy of the fall, to the size, and to sqrt(g size).
constexpr double allowed_gain = 0.01, allowed_depth = 0.01, allowed_speed = 0.05;
constexpr double drop_height = 1.2;  ///< of the lowest vertex, in sizes of the body
constexpr double seconds = 5;
constexpr std::size_t most_for_newton = 3000;  ///< tets: Newton's method takes minutes for more

double size_of(const TetMesh& mesh) {
  const supple::Box box = supple::bounding_box(mesh.vertices);
  double size = 0;
  for (std::size_t k = 0; k < 3; ++k) size = std::max(size, box.max[k] - box.min[k]);
  return size;
}

/// Turns the mesh by 30 degrees about x and 20 about z, and moves its lowest vertex to this height,
/// m.
void lift_and_turn(TetMesh& mesh, double height, bool turn = true) {
  double lowest = 1e300;
  const double cx = std::cos(0.52), sx = std::sin(0.52), cz = std::cos(0.35), sz = std::sin(0.35);
  for (Vec3& v : mesh.vertices) {
    if (turn) {
      v = {v[0], cx * v[1] - sx * v[2], sx * v[1] + cx * v[2]};
      v = {cz * v[0] - sz * v[1], sz * v[0] + cz * v[1], v[2]};
    }
    lowest = std::min(lowest, v[1]);
  }
  for (Vec3& v : mesh.vertices) v[1] += height - lowest;
}

double six_volumes(const TetMesh& mesh, const std::array<int, 4>& tet) {
  std::array<Vec3, 3> e;
  const Vec3& x0 = mesh.vertices[static_cast<std::size_t>(tet[0])];
  for (std::size_t a = 0; a < 3; ++a) {
    const Vec3& x = mesh.vertices[static_cast<std::size_t>(tet[a + 1])];
    e[a] = {x[0] - x0[0], x[1] - x0[1], x[2] - x0[2]};
  }
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
         e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/// Moves every vertex by up to `share` of the edge, as long as no tet turns over: poor tets.
TetMesh jittered(TetMesh mesh, double edge, double share, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return 2 * (random() / 4294967296.0) - 1; };
  std::vector<std::vector<std::size_t>> around(mesh.vertices.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (const int v : mesh.tets[t]) around[static_cast<std::size_t>(v)].push_back(t);
  }
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Vec3 before = mesh.vertices[i];
    Vec3 way;
    for (double& w : way) w = share * edge * uniform();
    const auto is_over = [&](std::size_t t) {
      return !(six_volumes(mesh, mesh.tets[t]) > 1e-3 * edge * edge * edge);
    };
    for (int attempt = 0; attempt < 12; ++attempt) {
      const double part = attempt < 11 ? std::pow(0.7, attempt) : 0;
      for (std::size_t k = 0; k < 3; ++k) mesh.vertices[i][k] = before[k] + part * way[k];
      if (std::none_of(around[i].begin(), around[i].end(), is_over)) break;
    }
  }
  return mesh;
}

/// Moves the layer of vertices at x = `from` to x = `to`, close to its neighbours: slivers.
TetMesh pressed(TetMesh mesh, double from, double to) {
  for (Vec3& x : mesh.vertices) {
    if (std::abs(x[0] - from) < 1e-6) x[0] = to;
  }
  return mesh;
}

struct Named {
  std::string name;
  TetMesh mesh;
};

std::vector<Named> bodies() {
  using supple::generate;
  const TetMesh box = generate(supple::BoxGenerator{.cells = {4, 4, 4}});
  const TetMesh kuhn = generate(supple::BoxGenerator{.cells = {5, 5, 5}, .tets_per_cell = 6});
  const TetMesh bar = generate(supple::BoxGenerator{.size = {1, 0.25, 0.25}, .cells = {12, 3, 3}});
  const TetMesh plate = generate(supple::BoxGenerator{.size = {1, 0.12, 1}, .cells = {9, 1, 9}});
  TetMesh slab = jittered(plate, 0.11, 0.3, 5);
  for (Vec3& x : slab.vertices) x[2] *= 0.4;
  return {{"box", box},
          {"bar", bar},
          {"plate", plate},
          {"ball", generate(supple::SphereGenerator{.cells = 6})},
          {"ring", generate(supple::TorusGenerator{
                       .major = 0.38, .minor = 0.12, .segments = 16, .cells = 2})},
          {"cylinder", generate(supple::CylinderGenerator{.cells = 4, .layers = 8})},
          {"tetrahedron", generate(supple::TetrahedronGenerator{})},
          {"jittered box", jittered(kuhn, 0.2, 0.3, 1)},
          {"crumpled box", jittered(kuhn, 0.2, 0.6, 2)},
          {"crumpled ball", jittered(generate(supple::SphereGenerator{.cells = 6}), 0.15, 0.6, 3)},
          {"jittered bar", jittered(bar, 0.083, 0.4, 4)},
          {"stretched slab", slab},
          {"box of slivers", pressed(box, 0.25, 0.5 - 0.25 * 1e-2)},
          {"bar of slivers", pressed(bar, 0, (1.0 / 12) * 0.999)}};
}

struct Drop {
  std::string name;
  Scene scene;
};

Scene drop_scene(const TetMesh& mesh, const supple::MaterialSettings& material, bool turn) {
  Scene scene;
  scene.time.frames = static_cast<int>(std::lround(seconds / scene.time.step));
  supple::Body body{.mesh = mesh};
  lift_and_turn(body.mesh, drop_height * size_of(mesh), turn);
  body.material = material;
  scene.bodies.push_back(std::move(body));
  scene.colliders.push_back({"ground", supple::PlaneShape{}, {}});
  return scene;
}

std::vector<Drop> in_all_materials(const std::vector<Named>& meshes) {
  std::vector<Drop> drops;
  for (const Named& one : meshes) {
    for (const char* model :
         {"neo_hookean", "stable_neo_hookean", "corotated", "mooney_rivlin", "spline"}) {
      for (const auto& [young, poisson] : {std::pair{1e5, 0.4}, std::pair{1e6, 0.49}}) {
        drops.push_back(
            {fmt::format("{}, {}, {:g} Pa", one.name, model, young),
             drop_scene(one.mesh, supple::comparable_material_of(model, young, poisson), true)});
      }
    }
  }
  return drops;
}

std::vector<Drop> balls() {
  TetMesh mesh = supple::generate(supple::SphereGenerator{.cells = 16});
  const double c = std::cos(std::acos(-1.0) / 6), s = 0.5;
  for (Vec3& x : mesh.vertices) x = {x[0], c * x[1] - s * x[2], s * x[1] + c * x[2]};
  std::vector<Drop> drops;
  for (const char* method : {"l_bfgs", "quasi_newton", "newton", "chebyshev", "gauss_seidel",
                             "vertex_block_descent", "jacobi", "gradient_descent"}) {
    for (const int iterations : {5, 10, 20, 40}) {
      Scene scene =
          drop_scene(mesh, supple::comparable_material_of("stable_neo_hookean", 1e5, 0.4), false);
      scene.solver.method = supple::from_string<supple::SolverMethod>(method);
      scene.solver.iterations = iterations;
      drops.push_back({fmt::format("ball, {} x {}", method, iterations), std::move(scene)});
    }
  }
  return drops;
}

std::vector<Named> published() {
  std::vector<Named> meshes;
  const char* folder = std::getenv("SUPPLE_PAPER_MESHES");
  if (folder == nullptr) {
    fmt::print(stderr, "SUPPLE_PAPER_MESHES is not set: there are no published meshes\n");
    std::exit(2);
  }
  for (const char* name : {"torus", "longbar", "sphere", "thin_sheet", "hippo", "longbar2",
                           "super_thin_sheet_2", "squirrel_modified", "bunny"}) {
    TetMesh mesh =
        supple::read_tet_mesh(std::filesystem::path(folder) / (std::string(name) + ".mesh"));
    const double size = size_of(mesh);
    for (Vec3& x : mesh.vertices) {
      for (double& coordinate : x) coordinate /= size;
    }
    meshes.push_back({name, std::move(mesh)});
  }
  return meshes;
}

struct Outcome {
  double gain = 0;     ///< of the energy above its start, in energies of the fall
  int gain_frame = 0;  ///< in which that was
  double depth = 0;    ///< in sizes
  int depth_frame = 0;
  double speed = 0;  ///< rms at the end, in sqrt(g size)
  int inverted = 0;  ///< at the end
  bool finite = true;
  std::string said;

  bool is_right() const {
    return finite && gain <= allowed_gain && depth <= allowed_depth && speed <= allowed_speed &&
           inverted == 0;
  }
};

/// rms speed of the vertices, all weighted alike, relative to their mean velocity along the ground:
/// no friction stops that.
double rms_speed(const supple::Simulation& simulation) {
  std::vector<double> v(3 * static_cast<std::size_t>(simulation.num_vertices()));
  simulation.copy_velocities(v);
  const double n = static_cast<double>(v.size()) / 3;
  double x = 0, z = 0, sum = 0;
  for (std::size_t i = 0; i < v.size(); i += 3) {
    x += v[i] / n;
    z += v[i + 2] / n;
  }
  for (std::size_t i = 0; i < v.size(); i += 3) {
    sum += (v[i] - x) * (v[i] - x) + v[i + 1] * v[i + 1] + (v[i + 2] - z) * (v[i + 2] - z);
  }
  return std::sqrt(sum / n);
}

Outcome run(const Scene& scene) {
  supple::Simulation simulation(scene, {.threads = 1});
  supple::RunWatch watch(scene);
  const TetMesh& mesh = scene.bodies[0].mesh;
  const double size = size_of(mesh), g = 9.81;
  double mass = 0;
  for (const double volume : supple::tet_volumes(mesh)) mass += scene.bodies[0].density * volume;
  const double fall = mass * g * drop_height * size;
  supple::StepReport report;
  const auto mechanical = [&] {
    const supple::Energies e = simulation.energies();
    return e.kinetic + e.elastic + e.gravity + report.contact_energy;
  };
  Outcome outcome;
  const double start = mechanical();
  for (int frame = 1; frame <= scene.time.frames; ++frame) {
    report = simulation.step();
    if (report.status == supple::StepStatus::non_finite) {
      outcome.finite = false;
      return outcome;
    }
    watch.add(frame, report, simulation.energies());
    const double gain = (mechanical() - start) / fall;
    if (gain > outcome.gain) outcome.gain = gain, outcome.gain_frame = frame;
    const double depth = report.deepest_penetration / size;
    if (depth > outcome.depth) outcome.depth = depth, outcome.depth_frame = frame;
  }
  outcome.speed = rms_speed(simulation) / std::sqrt(g * size);
  outcome.inverted = report.inverted_tets;
  for (const supple::Warning& warning : watch.warnings()) {
    outcome.said += (outcome.said.empty() ? "" : ", ") + warning.code;
  }
  return outcome;
}

std::string text_of(const Outcome& outcome) {
  if (!outcome.finite) return "not finite";
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : "; ") + one; };
  if (outcome.gain > allowed_gain) {
    add(fmt::format("gains {:.2g} % of the fall (frame {})", 100 * outcome.gain,
                    outcome.gain_frame));
  }
  if (outcome.depth > allowed_depth) {
    add(fmt::format("{:.2g} % deep (frame {})", 100 * outcome.depth, outcome.depth_frame));
  }
  if (outcome.speed > allowed_speed) add(fmt::format("moves at {:.2g}", outcome.speed));
  if (outcome.inverted > 0) add(fmt::format("{} inverted", outcome.inverted));
  return text.empty() ? "keeps all" : text;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  std::vector<Drop> drops;
  if (mode == "bodies") {
    drops = in_all_materials(bodies());
  } else if (mode == "ball") {
    drops = balls();
  } else if (mode == "published") {
    drops = in_all_materials(published());
  } else {
    fmt::print(stderr, "{}: expected bodies, ball or published\n", argv[0]);
    return 2;
  }
  const std::string part = argc > 2 ? argv[2] : "";
  const std::string solver = argc > 3 ? argv[3] : "";
  int count = 0, broken = 0, silent = 0;
  fmt::print(
      "| drop | tets | what is broken | said | Newton, 40 iterations |\n|---|---|---|---|---|\n");
  for (Drop& drop : drops) {
    if (drop.name.find(part) == std::string::npos) continue;
    if (!solver.empty()) {
      const std::size_t colon = solver.find(':');
      drop.scene.solver.method = supple::from_string<supple::SolverMethod>(solver.substr(0, colon));
      if (colon != std::string::npos) {
        drop.scene.solver.iterations = std::stoi(solver.substr(colon + 1));
      }
    }
    const Outcome outcome = run(drop.scene);
    ++count;
    if (outcome.is_right()) continue;
    ++broken;
    if (outcome.said.empty() && outcome.finite) ++silent;
    const std::size_t num_tets = drop.scene.bodies[0].mesh.tets.size();
    Scene converged = drop.scene;
    converged.solver = {
        .method = supple::SolverMethod::newton, .iterations = 40, .tolerance = 1e-8};
    fmt::print("| {} | {} | {} | {} | {} |\n", drop.name, num_tets, text_of(outcome),
               outcome.said.empty() ? "nothing" : outcome.said,
               num_tets <= most_for_newton ? text_of(run(converged)) : "");
    std::fflush(stdout);
  }
  fmt::print("\n{} drops, {} break a promise, {} of them without a warning\n", count, broken,
             silent);
  return broken > 0 ? 1 : 0;
}

// What do flat tets do to a run? Takes a bar of 2 m whose flattest tets have a given quality (six
// volumes over the cube of the longest edge), held at one end and bent by its weight:
//   build/release/bin/supple_elements_bench
// prints for each quality, method and kind of defect: `off`, the distance of the end after a second
// from where 40 iterations of Newton's method without the defect put it, relative to how far it
// moved there; `rest`, how far a vertex moves in a second without any load, in sizes of the body;
// `said`, the run's warnings except those about its elements. `one vertex`: a vertex in the middle
// lies just above the opposite face of its tet. `a layer`: layers of vertices lie close to the next
// one. If SUPPLE_PAPER_MESHES is set, the published meshes follow, laid along x and compared with
// Newton's method on the same mesh. Writes no file.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "comparable_material.h"
#include "supple/io.h"
#include "supple/supple.h"

namespace {

using supple::Scene;
using supple::TetMesh;
using supple::Vec3;

Vec3 minus(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

std::array<Vec3, 4> corners(const TetMesh& mesh, const std::array<int, 4>& tet) {
  std::array<Vec3, 4> x;
  for (std::size_t a = 0; a < 4; ++a) x[a] = mesh.vertices[static_cast<std::size_t>(tet[a])];
  return x;
}

double quality(const TetMesh& mesh, const std::array<int, 4>& tet) {
  const std::array<Vec3, 4> x = corners(mesh, tet);
  double longest = 0;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const Vec3 e = minus(x[a], x[b]);
      longest = std::max(longest, std::sqrt(dot(e, e)));
    }
  }
  return dot(minus(x[1], x[0]), cross(minus(x[2], x[0]), minus(x[3], x[0]))) /
         (longest * longest * longest);
}

double worst_quality(const TetMesh& mesh) {
  double worst = 1;
  for (const auto& tet : mesh.tets) worst = std::min(worst, quality(mesh, tet));
  return worst;
}

TetMesh bar() {
  return supple::generate(
      supple::BoxGenerator{.size = {2, 0.5, 0.5}, .cells = {12, 3, 3}, .tets_per_cell = 6});
}

/// Moves the first vertex that can be put so close to the opposite face that its tet has the wanted
/// quality while no other tet gets worse than half of it.
TetMesh with_flat_tet(double wanted) {
  const TetMesh clean = bar();
  for (const auto& tet : clean.tets) {
    for (std::size_t apex = 0; apex < 4; ++apex) {
      const std::array<Vec3, 4> x = corners(clean, tet);
      const Vec3 &a = x[(apex + 1) % 4], &b = x[(apex + 2) % 4], &c = x[(apex + 3) % 4];
      if (std::abs(x[apex][0]) > 0.4 || std::abs(x[apex][1]) > 0.24 || std::abs(x[apex][2]) > 0.24)
        continue;
      TetMesh mesh = clean;
      Vec3& moved = mesh.vertices[static_cast<std::size_t>(tet[apex])];
      const auto put = [&](double height) {
        for (std::size_t k = 0; k < 3; ++k) {
          const double base = (a[k] + b[k] + c[k]) / 3;
          moved[k] = base + height * (x[apex][k] - base);
        }
      };
      put(1e-3);
      put(1e-3 * wanted / quality(mesh, tet));
      if (worst_quality(mesh) > 0.5 * wanted) return mesh;
    }
  }
  return clean;
}

TetMesh with_flat_layer(double wanted) {
  TetMesh mesh = bar();
  const auto put = [&](double gap) {
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
      Vec3& x = mesh.vertices[i];
      if (std::abs(x[0] - 1.0 / 12) < 1.0 / 12 + 1e-6 && x[0] < 1.0 / 6 - 1e-14) {
        x[0] = (1.0 / 6) - gap;
      }
    }
  };
  put(1e-3);
  put(1e-3 * wanted / worst_quality(mesh));
  return mesh;
}

Scene held(const TetMesh& mesh, const std::string& method) {
  Scene scene;
  scene.time = {.step = 1.0 / 60, .frames = 60};
  supple::Body body;
  body.mesh = mesh;
  body.material = supple::comparable_material_of("stable_neo_hookean", 1e5, 0.4);
  const supple::Box box = supple::bounding_box(mesh.vertices);
  const double end = box.min[0] + 0.01 * (box.max[0] - box.min[0]);
  supple::Pin pin{.stiffness = 1e8};
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (mesh.vertices[i][0] < end) pin.vertices.push_back(static_cast<int>(i));
  }
  body.pins.push_back(pin);
  scene.bodies.push_back(std::move(body));
  scene.solver.method = supple::from_string<supple::SolverMethod>(method);
  if (method == "newton") scene.solver.iterations = 40;
  if (method == "xpbd") {
    scene.time.substeps = 20;
    scene.solver.iterations = 1;
  }
  return scene;
}

std::vector<double> positions(const supple::Simulation& simulation) {
  std::vector<double> x(3 * static_cast<std::size_t>(simulation.num_vertices()));
  simulation.copy_positions(x);
  return x;
}

struct Outcome {
  Vec3 end{};  ///< where the far end is, m
  std::string said;
};

Outcome run(const Scene& scene) {
  supple::Simulation simulation(scene, {.threads = 1});
  supple::RunWatch watch(scene);
  for (int frame = 1; frame <= scene.time.frames; ++frame) {
    const supple::StepReport report = simulation.step();
    if (report.status == supple::StepStatus::non_finite) return {{NAN, NAN, NAN}, "non_finite"};
    watch.add(frame, report, simulation.energies());
  }
  Outcome outcome;
  for (const supple::Warning& one : watch.warnings()) {
    if (one.code == "poor_elements") continue;
    outcome.said += (outcome.said.empty() ? "" : ", ") + one.code;
  }
  const std::vector<double> x = positions(simulation);
  const auto& rest = scene.bodies[0].mesh.vertices;
  const supple::Box box = supple::bounding_box(rest);
  int count = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i][0] < box.max[0] - 0.01 * (box.max[0] - box.min[0])) continue;
    for (std::size_t k = 0; k < 3; ++k) outcome.end[k] += x[3 * i + k];
    ++count;
  }
  for (double& coordinate : outcome.end) coordinate /= count;
  return outcome;
}

double drift_at_rest(Scene scene) {
  scene.gravity = {0, 0, 0};
  scene.bodies[0].pins.clear();
  supple::Simulation simulation(scene, {.threads = 1});
  const std::vector<double> before = positions(simulation);
  double worst = 0;
  for (int frame = 1; frame <= scene.time.frames; ++frame) {
    simulation.step();
    const std::vector<double> x = positions(simulation);
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - before[i]));
  }
  const supple::Box box = supple::bounding_box(scene.bodies[0].mesh.vertices);
  return worst / (box.max[0] - box.min[0]);
}

double length(const Vec3& a) { return std::sqrt(dot(a, a)); }

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    fmt::print(stderr, "{}: expected no arguments\n", argv[0]);
    return 2;
  }
  const std::vector<std::string> methods{"l_bfgs", "quasi_newton",         "newton",
                                         "xpbd",   "vertex_block_descent", "gauss_seidel"};
  fmt::print("| defect | quality | tets below 1e-2 |");
  for (const std::string& method : methods) fmt::print(" `{}`: off | rest | said |", method);
  fmt::print("\n|---|---|---|");
  for (std::size_t i = 0; i < methods.size(); ++i) fmt::print("---|---|---|");
  fmt::print("\n");
  const auto row = [&](const std::string& name, const TetMesh& mesh, const Vec3& right,
                       double way) {
    const auto poor = std::count_if(mesh.tets.begin(), mesh.tets.end(),
                                    [&](const auto& tet) { return quality(mesh, tet) < 1e-2; });
    fmt::print("| {} | {:.1e} | {} |", name, worst_quality(mesh), poor);
    for (const std::string& method : methods) {
      try {
        const Outcome outcome = run(held(mesh, method));
        fmt::print(" {:.2g} | {:.1g} | {} |", length(minus(outcome.end, right)) / way,
                   drift_at_rest(held(mesh, method)), outcome.said);
      } catch (const supple::Error&) {
        fmt::print(" refused | | |");
      }
      std::fflush(stdout);
    }
    fmt::print("\n");
  };
  const Vec3 right = run(held(bar(), "newton")).end;
  const double way = length(minus(right, {1, 0, 0}));
  row("none", bar(), right, way);
  for (const auto& [name, make] :
       {std::pair{"one vertex", &with_flat_tet}, std::pair{"a layer", &with_flat_layer}}) {
    for (const double digits : {1.0, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 9.0, 12.0}) {
      row(name, make(std::pow(10.0, -digits)), right, way);
    }
  }
  const char* folder = std::getenv("SUPPLE_PAPER_MESHES");
  if (folder == nullptr) return 0;
  for (const char* name : {"torus", "longbar", "sphere", "thin_sheet", "hippo", "longbar2",
                           "squirrel_modified", "bunny"}) {
    TetMesh mesh =
        supple::read_tet_mesh(std::filesystem::path(folder) / (std::string(name) + ".mesh"));
    const supple::Box box = supple::bounding_box(mesh.vertices);
    const double size = box.max[0] - box.min[0];
    for (Vec3& x : mesh.vertices) {
      for (std::size_t k = 0; k < 3; ++k) x[k] = (x[k] - box.min[k]) / size;
    }
    Scene rigid = held(mesh, "newton");
    rigid.time.frames = 0;
    const Vec3 start = run(rigid).end, end = run(held(mesh, "newton")).end;
    row(name, mesh, end, length(minus(end, start)));
  }
  return 0;
}

// How bodies recover from random starts: L-BFGS(5) with 10 iterations a frame of 1/30 s, drag 1/s,
// without weight, at most 300 frames. Writes no file.
//
//   build/release/bin/supple_recovery_bench table [MESH ...]
// prints for each body and material how many of twenty seeds come back, and the simulated time that
// takes: the median and the longest. Bodies: a block, a ball, the block with every second layer of
// vertices close to its neighbour, and the tets of mesh files, scaled to 1 m. Vertices start
// anywhere in the body's box. A body is back once it has its own material again and its elastic
// energy is at most 1e-4 of mu times its volume above that of the rest shape: strains of about a
// percent.
//
//   build/release/bin/supple_recovery_bench [MATERIAL [FIRST_SEED [LAST_SEED [RECOVERY]]]]
// Spheres whose vertices start anywhere in a box twice as large as the sphere. Prints how many of
// them keep more than a millionth of their elastic energy at the start, each with its energy and
// inverted tets. RECOVERY: as /solver/recovery; default `none` (the material unfolds itself).

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "comparable_material.h"
#include "supple/io.h"
#include "supple/supple.h"

namespace {

using supple::Scene;

constexpr int most_frames = 300;
constexpr double mu = 3.5e4, lambda = 1.4e5;  // about 1e5 Pa and Poisson's ratio 0.4

Scene scene_of(const supple::Body& body, const std::string& recovery) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.damping.drag = 1;
  scene.solver.recovery = supple::from_string<supple::Recovery>(recovery);
  scene.bodies.push_back(body);
  return scene;
}

Scene scrambled_sphere(const std::string& material, unsigned seed, const std::string& recovery) {
  supple::Body body;
  body.mesh = supple::generate(supple::SphereGenerator{.radius = 0.3, .cells = 6});
  const auto [shear, first] = supple::lame_parameters(1e5, 0.4);
  body.material = {.model = material, .mu = shear, .lambda = first};
  const double reach = 2 * 0.3;
  body.initial = supple::Randomize{{{-reach, -reach, -reach}, {reach, reach, reach}}, seed};
  return scene_of(body, recovery);
}

/// True if the sphere comes back within the frames.
bool comes_back(const std::string& material, unsigned seed, const std::string& recovery) {
  supple::Simulation simulation(scrambled_sphere(material, seed, recovery));
  const double start = simulation.energies().elastic;
  supple::StepReport report;
  for (int frame = 0; frame < most_frames; ++frame) {
    report = simulation.step();
    if (simulation.energies().elastic <= 1e-6 * start) return true;
  }
  fmt::print("seed {}: {:.4g} J of {:.4g}, {} tets inverted\n", seed, simulation.energies().elastic,
             start, report.inverted_tets);
  return false;
}

struct NamedBody {
  std::string name;
  supple::Body body;
};

std::vector<NamedBody> bodies_of_table(const std::vector<std::string>& files) {
  std::vector<NamedBody> bodies(3);
  bodies[0].name = "block";
  bodies[0].body.mesh = supple::generate(supple::BoxGenerator{.cells = {8, 8, 8}});
  bodies[1].name = "ball";
  bodies[1].body.mesh = supple::generate(supple::SphereGenerator{.radius = 0.5, .cells = 8});
  bodies[2] = {"slivers", bodies[0].body};
  for (supple::Vec3& x : bodies[2].body.mesh.vertices) {
    if (std::lround((x[1] + 0.5) * 8) % 2 == 1) x[1] -= 0.92 / 8;
  }
  for (const std::string& file : files) {
    NamedBody own{std::filesystem::path(file).stem().string(), {}};
    own.body.mesh = supple::read_tet_mesh(file);
    const supple::Box box = supple::bounding_box(own.body.mesh.vertices);
    double size = 0;
    for (std::size_t k = 0; k < 3; ++k) size = std::max(size, box.max[k] - box.min[k]);
    for (supple::Vec3& x : own.body.mesh.vertices) {
      for (double& c : x) c /= size;
    }
    bodies.push_back(std::move(own));
  }
  return bodies;
}

double volume_of(const supple::TetMesh& mesh) {
  double sum = 0;
  for (const auto& tet : mesh.tets) {
    std::array<supple::Vec3, 4> x;
    for (std::size_t a = 0; a < 4; ++a) x[a] = mesh.vertices[static_cast<std::size_t>(tet[a])];
    double six_volumes = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
      six_volumes += (x[1][k] - x[0][k]) * ((x[2][l] - x[0][l]) * (x[3][m] - x[0][m]) -
                                            (x[2][m] - x[0][m]) * (x[3][l] - x[0][l]));
    }
    sum += std::abs(six_volumes) / 6;
  }
  return sum;
}

/// Simulated time, s, until the body is back; none if it does not come back.
std::optional<double> time_back(supple::Body body, unsigned seed) {
  const double rest = supple::Simulation(scene_of(body, "arap")).energies().elastic;
  const double allowed = rest + 1e-4 * mu * volume_of(body.mesh);
  body.initial = supple::Randomize{supple::bounding_box(body.mesh.vertices), seed};
  supple::Simulation simulation(scene_of(body, "arap"));
  for (int frame = 0; frame < most_frames; ++frame) {
    const supple::StepReport report = simulation.step();
    if (report.unfolding_bodies == 0 && simulation.energies().elastic <= allowed) {
      return simulation.time();
    }
  }
  return std::nullopt;
}

void print_table(const std::vector<std::string>& files) {
  constexpr unsigned seeds = 20;
  const std::vector<const char*> materials{"neo_hookean", "stable_neo_hookean", "mooney_rivlin",
                                           "polynomial",  "corotated",          "stvk"};
  fmt::print("| |");
  for (const char* material : materials) fmt::print(" `{}` |", material);
  fmt::print("\n|---|");
  for (std::size_t i = 0; i < materials.size(); ++i) fmt::print("---|");
  fmt::print("\n");
  for (NamedBody& own : bodies_of_table(files)) {
    fmt::print("| {}, {} tets |", own.name, own.body.mesh.tets.size());
    for (const char* material : materials) {
      own.body.material = supple::comparable_material(material, mu, lambda);
      std::vector<double> times;
      for (unsigned seed = 1; seed <= seeds; ++seed) {
        if (const auto time = time_back(own.body, seed)) times.push_back(*time);
      }
      std::sort(times.begin(), times.end());
      if (times.empty()) {
        fmt::print(" 0 |");
      } else {
        fmt::print(" {}: {:.1f}, {:.1f} s |", times.size(), times[times.size() / 2], times.back());
      }
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string material = argc > 1 ? argv[1] : "stable_neo_hookean";
  try {
    if (material == "table") {
      print_table({argv + 2, argv + argc});
      return 0;
    }
    const int first = argc > 2 ? std::atoi(argv[2]) : 1;
    const int last = argc > 3 ? std::atoi(argv[3]) : 2200;
    const std::string recovery = argc > 4 ? argv[4] : "none";
    if (first < 1 || last < first) {
      fmt::print(stderr, "supple_recovery_bench: expected seeds from 1 on, the first one first\n");
      return 2;
    }
    int strays = 0;
    for (int seed = first; seed <= last; ++seed) {
      if (!comes_back(material, static_cast<unsigned>(seed), recovery)) ++strays;
    }
    fmt::print("{}: {} of {} starts did not come back\n", material, strays, last - first + 1);
  } catch (const supple::Error& error) {
    fmt::print(stderr, "supple_recovery_bench: {}\n", error.what());
    return 2;
  }
}

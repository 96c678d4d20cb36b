// How many random starts a material comes back from: spheres whose vertices stand anywhere in a box
// twice as large as they are, L-BFGS(5) with 10 iterations, at most 300 frames of 1/30 s. A body
// is back where its elastic energy has fallen to a millionth of that of its start. Prints the
// number of those that are not, each with its energy and inverted tets; writes no file:
//   build/release/bin/supple_recovery_bench [material [first seed [last seed]]]

#include <fmt/core.h>

#include <cstdlib>
#include <string>

#include "supple/supple.h"

namespace {

using supple::Scene;

Scene scrambled_sphere(const std::string& material, unsigned seed) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.damping.drag = 1;
  supple::Body body;
  body.mesh = supple::generate(supple::SphereGenerator{.radius = 0.3, .cells = 6});
  const auto [mu, lambda] = supple::lame_parameters(1e5, 0.4);
  body.material = {.model = material, .mu = mu, .lambda = lambda};
  const double reach = 2 * 0.3;
  body.initial = supple::Randomize{{{-reach, -reach, -reach}, {reach, reach, reach}}, seed};
  scene.bodies.push_back(body);
  return scene;
}

/// Whether it is back in the end.
bool comes_back(const std::string& material, unsigned seed) {
  supple::Simulation simulation(scrambled_sphere(material, seed));
  const double start = simulation.energies().elastic;
  supple::StepReport report;
  for (int frame = 0; frame < 300; ++frame) {
    report = simulation.step();
    if (simulation.energies().elastic <= 1e-6 * start) return true;
  }
  fmt::print("seed {}: {:.4g} J of {:.4g}, {} tets inverted\n", seed, simulation.energies().elastic,
             start, report.inverted_tets);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string material = argc > 1 ? argv[1] : "stable_neo_hookean";
  const int first = argc > 2 ? std::atoi(argv[2]) : 1, last = argc > 3 ? std::atoi(argv[3]) : 2200;
  if (first < 1 || last < first) {
    fmt::print(stderr, "supple_recovery_bench: expected seeds from 1 on, the first one first\n");
    return 2;
  }
  int strays = 0;
  try {
    for (int seed = first; seed <= last; ++seed) {
      if (!comes_back(material, static_cast<unsigned>(seed))) ++strays;
    }
  } catch (const supple::Error& error) {
    fmt::print(stderr, "supple_recovery_bench: {}\n", error.what());
    return 2;
  }
  fmt::print("{}: {} of {} starts did not come back\n", material, strays, last - first + 1);
}

#include <supple/supple.h>

#include <cstdio>
#include <vector>

int main() {
  const auto [mu, lambda] = supple::lame_parameters(1e5, 0.4);  // Young's modulus, Poisson's ratio
  supple::Body block{.mesh = supple::generate(supple::BoxGenerator{.center = {0, 1, 0}})};
  block.material = {.model = "neo_hookean", .mu = mu, .lambda = lambda};
  supple::Scene scene{.bodies = {block}, .colliders = {{.shape = supple::PlaneShape{}}}};
  supple::Simulation simulation(scene);
  std::vector<double> x(3 * simulation.num_vertices());
  for (int frame = 0; frame < 30; ++frame) {
    simulation.step();
    simulation.copy_positions(x);
    std::printf("%.2f s: the first corner is at height %.3f m\n", simulation.time(), x[1]);
  }
}

#include <supple/supple.h>

#include <cstdio>
#include <vector>

int main() {
  const auto [mu, lambda] = supple::lame_parameters(1e5, 0.4);
  supple::Body block{.mesh = supple::generate(supple::BoxGenerator{}), .velocity = {1, 0, 0}};
  block.material = {.model = "neo_hookean", .mu = mu, .lambda = lambda};
  supple::Simulation simulation(supple::Scene{.gravity = {0, 0, 0}, .bodies = {block}});
  for (int frame = 0; frame < 30; ++frame) simulation.step();  // it flies a second, one metre

  const int touched = simulation.num_vertices() - 1;
  std::vector<double> x(3 * simulation.num_vertices());
  simulation.copy_positions(x);
  supple::Vec3 hand{x[3 * touched], x[3 * touched + 1], x[3 * touched + 2]};
  const supple::Vec3 rest = simulation.scene().bodies[0].mesh.vertices[touched];
  std::vector<supple::Pin> pins = simulation.scene().bodies[0].pins;
  pins.push_back({.vertices = {touched}, .stiffness = 1e5});
  for (int frame = 0; frame < 60; ++frame) {
    hand[1] += 0.01;  // wherever the mouse is now
    // A motion moves the rest position; one of a single keyframe is the same at all times.
    pins.back().motion.keyframes = {
        {.translate = {hand[0] - rest[0], hand[1] - rest[1], hand[2] - rest[2]}}};
    simulation.set_pins(0, pins);  // from the next step on
    simulation.step();
  }
  simulation.copy_positions(x);
  std::printf("the hand is at %.2f %.2f %.2f m, what it holds at %.2f %.2f %.2f m\n", hand[0],
              hand[1], hand[2], x[3 * touched], x[3 * touched + 1], x[3 * touched + 2]);
  pins.pop_back();
  simulation.set_pins(0, pins);  // let go
  simulation.step();
}

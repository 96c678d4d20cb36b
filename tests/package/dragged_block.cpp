#include <supple/supple.h>

#include <cstdio>

int main() {
  const auto [mu, lambda] = supple::lame_parameters(1e5, 0.4);
  supple::Body block{.mesh = supple::generate(supple::BoxGenerator{}), .velocity = {1, 0, 0}};
  block.material = {.model = "neo_hookean", .mu = mu, .lambda = lambda};
  supple::Simulation simulation(supple::Scene{.gravity = {0, 0, 0}, .bodies = {block}});
  for (int frame = 0; frame < 30; ++frame) simulation.step();  // it flies a second, one metre

  const auto hit = simulation.raycast({5, 0.2, 0.1}, {-1, 0, 0});
  if (!hit) return 1;
  supple::Vec3 hand = hit->point;
  const double stiffness = 1e5;  // N/m
  const supple::Attachment grip = simulation.attach(*hit, hand, stiffness);
  for (int frame = 0; frame < 60; ++frame) {
    hand[1] += 0.01;  // wherever the mouse is now
    simulation.set_target(grip, hand);
    simulation.step();
  }
  const supple::Vec3 force = simulation.force(grip);  // stiffness * (hand - what it holds)
  std::printf("the hand is at %.2f %.2f %.2f m, what it holds at %.2f %.2f %.2f m\n", hand[0],
              hand[1], hand[2], hand[0] - force[0] / stiffness, hand[1] - force[1] / stiffness,
              hand[2] - force[2] / stiffness);
  simulation.detach(grip);  // let go
  simulation.step();
}

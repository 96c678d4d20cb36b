// The loop of a game engine at 60 Hz: soft bodies fall to the ground; the mouse picks one up, drags
// it and lets go; another is kicked, a third is shot at. supple gets 4 ms of each frame.
#include <supple/supple.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

namespace {

constexpr int num_bodies = 5, num_frames = 240;
constexpr double budget_ms = 4;

/// Cubes of half a metre in a row, above the ground.
supple::Scene playground() {
  supple::Scene scene;
  scene.time.step = 1.0 / 60;
  scene.solver.budget_ms = budget_ms;
  scene.colliders = {{.name = "ground", .shape = supple::PlaneShape{}}};
  scene.contact.friction = 0.5;
  const auto [mu, lambda] = supple::lame_parameters(2e5, 0.4);  // Young's modulus, Poisson's ratio
  for (int i = 0; i < num_bodies; ++i) {
    supple::Body body;
    body.name = "cube " + std::to_string(i);
    body.mesh = supple::generate(supple::BoxGenerator{
        .size = {0.5, 0.5, 0.5}, .cells = {3, 3, 3}, .center = {0.8 * i, 0.4 + 0.1 * i, 0}});
    body.material.model = "stable_neo_hookean";
    body.material.mu = mu;
    body.material.lambda = lambda;
    scene.bodies.push_back(body);
  }
  return scene;
}

/// What the player does in a frame.
void play(int frame, supple::Simulation& simulation, supple::Attachment& hand) {
  const supple::Vec3 camera{1.6, 0.3, 5}, forwards{0, 0, -1};
  if (frame == 60) {
    if (const auto hit = simulation.raycast(camera, forwards)) {
      std::printf("frame %d: the mouse takes cube %d at %.2f %.2f %.2f m\n", frame, hit->body,
                  hit->point[0], hit->point[1], hit->point[2]);
      hand = simulation.attach(*hit, hit->point, 1e4);
    }
  }
  if (simulation.is_attached(hand)) {
    simulation.set_target(hand, {1.6, 0.3 + 0.02 * (frame - 60), 0.25});
    if (frame == 120) {
      const supple::Vec3 force = simulation.force(hand);
      simulation.detach(hand);
      std::printf("frame %d: the mouse, which pulled up with %.0f N, lets go\n", frame, force[1]);
    }
  }
  if (frame == 150) {
    simulation.add_impulse(0, {0, 400, 0});
    std::printf("frame %d: cube 0 is kicked upwards\n", frame);
  }
  if (frame == 180) {
    if (const auto hit = simulation.raycast({9, 0.3, 0}, {-1, 0, 0})) {
      simulation.add_impulse(*hit, {-150, 0, 0});
      std::printf("frame %d: cube %d is shot at, from %.2f m\n", frame, hit->body, hit->distance);
    }
  }
}

/// What is drawn of a vertex.
struct Corner {
  float position[3], normal[3];
};

/// Fills the vertex buffer of a body.
void fill(const supple::Simulation& simulation, int body, std::vector<Corner>& buffer) {
  constexpr int stride = sizeof(Corner) / sizeof(float);
  const std::span numbers(&buffer[0].position[0], stride * buffer.size());
  simulation.body_positions(body, numbers, stride);
  simulation.body_normals(body, numbers.subspan(3), stride);
}

/// Height of the middle of a body's box, m.
double height_of(int body, const supple::Simulation& simulation) {
  const supple::Box box = simulation.body_bounds(body);
  return (box.min[1] + box.max[1]) / 2;
}

}  // namespace

int main() {
  supple::Simulation simulation(playground());
  std::vector<std::vector<Corner>> buffers;
  for (const supple::Body& body : simulation.scene().bodies) {
    buffers.emplace_back(body.mesh.vertices.size());
  }
  std::vector<double> milliseconds;
  supple::Attachment hand;
  for (int frame = 1; frame <= num_frames; ++frame) {
    const auto start = std::chrono::steady_clock::now();
    play(frame, simulation, hand);
    const supple::StepReport report = simulation.step();
    for (int b = 0; b < num_bodies; ++b) {
      fill(simulation, b, buffers[static_cast<std::size_t>(b)]);
    }
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    milliseconds.push_back(time.count());
    if (report.status == supple::StepStatus::non_finite ||
        report.status == supple::StepStatus::failed) {
      std::printf("frame %d: %s\n", frame, to_string(report.status));
      return EXIT_FAILURE;
    }
    if (frame % 30 == 0) {
      std::printf("frame %d: %d contacts, deepest %.1f mm; heights", frame, report.contacts,
                  1000 * report.deepest_penetration);
      for (int b = 0; b < num_bodies; ++b) std::printf(" %.2f", height_of(b, simulation));
      std::printf(" m\n");
    }
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  const auto late = std::upper_bound(milliseconds.begin(), milliseconds.end(), budget_ms);
  std::printf(
      "%d frames of %d tets on %d threads: median %.2f ms, longest %.2f ms, %d above %g ms\n",
      num_frames, simulation.num_tets(), simulation.num_threads(),
      milliseconds[milliseconds.size() / 2], milliseconds.back(),
      static_cast<int>(milliseconds.end() - late), budget_ms);
}

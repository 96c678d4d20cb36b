// The loop of a game engine at 60 Hz: soft bodies fall to the ground; the mouse picks one up, drags
// it and lets go; another is kicked, a third is shot at. supple gets 4 ms of each frame.
#include <supple/supple.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
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

/// The mouse: holds the vertex nearest to where it took the body.
class Hand {
 public:
  Hand(supple::Simulation& simulation, const supple::SurfaceHit& hit)
      : simulation_(simulation), body_(hit.body) {
    const auto heaviest = std::max_element(hit.weights.begin(), hit.weights.end());
    const int vertex = hit.vertices[static_cast<std::size_t>(heaviest - hit.weights.begin())];
    vertex_ = vertex - simulation.body_vertices()[static_cast<std::size_t>(body_)];
  }
  Hand(const Hand&) = delete;
  Hand& operator=(const Hand&) = delete;
  ~Hand() { simulation_.set_pins(body_, {}); }

  void move_to(const supple::Vec3& target) {
    const supple::Body& body = simulation_.scene().bodies[static_cast<std::size_t>(body_)];
    const supple::Vec3& rest = body.mesh.vertices[static_cast<std::size_t>(vertex_)];
    supple::Pin pin;
    pin.vertices = {vertex_};
    pin.stiffness = 1e4;
    // A motion moves the rest position; one of a single keyframe is the same at all times.
    pin.motion.keyframes.resize(1);
    pin.motion.keyframes[0].translate = {target[0] - rest[0], target[1] - rest[1],
                                         target[2] - rest[2]};
    simulation_.set_pins(body_, {pin});
  }

 private:
  supple::Simulation& simulation_;
  int body_, vertex_;
};

/// What the player does in a frame.
void play(int frame, supple::Simulation& simulation, std::optional<Hand>& hand) {
  const supple::Vec3 camera{1.6, 0.3, 5}, forwards{0, 0, -1};
  if (frame == 60) {
    if (const auto hit = simulation.raycast(camera, forwards)) {
      std::printf("frame %d: the mouse takes cube %d at %.2f %.2f %.2f m\n", frame, hit->body,
                  hit->point[0], hit->point[1], hit->point[2]);
      hand.emplace(simulation, *hit);
    }
  }
  if (hand) hand->move_to({1.6, 0.3 + 0.02 * (frame - 60), 0.25});
  if (frame == 120) {
    hand.reset();
    std::printf("frame %d: the mouse lets go\n", frame);
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

/// Height of the middle of a body's vertices, m.
double height_of(int body, const supple::Simulation& simulation, const std::vector<double>& x) {
  const auto b = static_cast<std::size_t>(body);
  const int first = simulation.body_vertices()[b], end = simulation.body_vertices()[b + 1];
  double sum = 0;
  for (int i = first; i < end; ++i) sum += x[3 * static_cast<std::size_t>(i) + 1];
  return sum / (end - first);
}

}  // namespace

int main() {
  supple::Simulation simulation(playground());
  std::vector<double> x(3 * static_cast<std::size_t>(simulation.num_vertices()));
  std::vector<double> milliseconds;
  std::optional<Hand> hand;
  for (int frame = 1; frame <= num_frames; ++frame) {
    const auto start = std::chrono::steady_clock::now();
    play(frame, simulation, hand);
    const supple::StepReport report = simulation.step();
    simulation.copy_positions(x);  // to be drawn
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
      for (int b = 0; b < num_bodies; ++b) std::printf(" %.2f", height_of(b, simulation, x));
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

// The loop of a game engine at 60 Hz. Soft cubes are dropped on the ground one after another; from
// the twenty-first on, the oldest one disappears each time. The mouse picks one up, drags it and
// lets go; another is kicked, a third is shot at. supple gets 4 ms of each frame.
#include <supple/supple.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace {

constexpr int most_cubes = 20, frames_between = 12, num_frames = 360;
constexpr double budget_ms = 4;

/// What is drawn for a vertex.
struct Corner {
  float position[3], normal[3];
};

/// An object of the game. Its number is the user data of its body.
struct Cube {
  supple::BodyHandle body;
  std::vector<Corner> buffer;
};

/// A cube half a metre wide, above its own place among twenty.
supple::Body cube(int number) {
  const int place = number % most_cubes;
  const auto [mu, lambda] = supple::lame_parameters(2e5, 0.4);  // Young's modulus, Poisson's ratio
  supple::Body body;
  body.name = "cube " + std::to_string(number);
  body.mesh =
      supple::generate(supple::BoxGenerator{.size = {0.5, 0.5, 0.5},
                                            .cells = {3, 3, 3},
                                            .center = {0.8 * (place % 5), 1, 0.8 * (place / 5)}});
  body.material.model = "stable_neo_hookean";
  body.material.mu = mu;
  body.material.lambda = lambda;
  body.velocity = {0, -1, 0};
  return body;
}

supple::Scene playground() {
  supple::Scene scene;
  scene.time.step = 1.0 / 60;
  scene.solver.budget_ms = budget_ms;
  scene.colliders = {{.name = "ground", .shape = supple::PlaneShape{}}};
  scene.contact.friction = 0.5;
  scene.bodies = {cube(0)};
  return scene;
}

class Game {
 public:
  Game() { enter(simulation_.handle(0)); }

  /// Runs a frame; false if the step failed.
  bool advance(int frame);
  void print_times();

 private:
  void enter(const supple::BodyHandle& body);
  void drop_another(int frame);
  void play(int frame);
  void print(int frame, const supple::StepReport& report) const;
  /// The number of the cube whose body currently has this index.
  int number_of(int body) const {
    return static_cast<int>(simulation_.user_data(simulation_.handle(body)));
  }
  supple::Vec3 middle_of(int body) const {
    const supple::Box box = simulation_.body_bounds(body);
    return {(box.min[0] + box.max[0]) / 2, (box.min[1] + box.max[1]) / 2,
            (box.min[2] + box.max[2]) / 2};
  }

  supple::Simulation simulation_{playground()};
  std::vector<Cube> cubes_;  ///< the oldest first
  int num_dropped_ = 0;
  supple::Attachment hand_;
  supple::Vec3 held_at_{0, 0, 0};
  std::vector<double> frame_ms_, drop_ms_;
};

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

void Game::enter(const supple::BodyHandle& body) {
  simulation_.set_user_data(body, static_cast<std::uint64_t>(num_dropped_++));
  const auto index = static_cast<std::size_t>(simulation_.index(body));
  cubes_.push_back(
      {body, std::vector<Corner>(simulation_.scene().bodies[index].mesh.vertices.size())});
}

/// One call for both the new cube and the removed one, because each call builds the simulation
/// anew.
void Game::drop_another(int frame) {
  std::vector<supple::BodyHandle> removed;
  if (cubes_.size() == most_cubes) {
    std::printf("frame %d: cube %d goes\n", frame, number_of(simulation_.index(cubes_[0].body)));
    removed.push_back(cubes_[0].body);
    cubes_.erase(cubes_.begin());
  }
  const auto start = std::chrono::steady_clock::now();
  const std::vector<supple::Body> added{cube(num_dropped_)};
  enter(simulation_.change_bodies(removed, added)[0]);
  drop_ms_.push_back(milliseconds_since(start));
}

/// The player's actions in a frame.
void Game::play(int frame) {
  if (frame == 60) {
    const supple::Vec3 target = middle_of(2);
    if (const auto hit = simulation_.raycast({target[0], target[1], 5}, {0, 0, -1})) {
      std::printf("frame %d: the mouse takes cube %d at %.2f %.2f %.2f m\n", frame,
                  number_of(hit->body), hit->point[0], hit->point[1], hit->point[2]);
      held_at_ = hit->point;
      hand_ = simulation_.attach(*hit, held_at_, 1e4);
    }
  }
  if (simulation_.is_attached(hand_)) {  // false if its cube was removed
    simulation_.set_target(hand_, {held_at_[0], held_at_[1] + 0.02 * (frame - 60), held_at_[2]});
    if (frame == 120) {
      const supple::Vec3 force = simulation_.force(hand_);
      simulation_.detach(hand_);
      std::printf("frame %d: the mouse, which pulled up with %.0f N, lets go\n", frame, force[1]);
    }
  }
  if (frame == 150) {
    simulation_.add_impulse(0, {0, 400, 0});
    std::printf("frame %d: cube %d is kicked upwards\n", frame, number_of(0));
  }
  if (frame == 320) {
    const supple::Vec3 target = middle_of(static_cast<int>(cubes_.size()) - 3);
    if (const auto hit = simulation_.raycast({9, target[1], target[2]}, {-1, 0, 0})) {
      simulation_.add_impulse(*hit, {-150, 0, 0});
      std::printf("frame %d: cube %d is shot at, from %.2f m\n", frame, number_of(hit->body),
                  hit->distance);
    }
  }
}

void Game::print(int frame, const supple::StepReport& report) const {
  const std::vector<supple::BodyContact> contacts = simulation_.contacts();
  std::printf("frame %d: %d cubes, %d contacts, deepest %.1f mm", frame,
              static_cast<int>(cubes_.size()), report.contacts, 1000 * report.deepest_penetration);
  const auto hardest =
      std::max_element(contacts.begin(), contacts.end(),
                       [](const auto& a, const auto& b) { return a.force[1] < b.force[1]; });
  if (hardest != contacts.end()) {
    std::printf("; the %s bears cube %d with %.0f N at %.2f %.2f m",
                hardest->collider >= 0 ? "ground" : "cube below", number_of(hardest->body),
                hardest->force[1], hardest->point[0], hardest->point[2]);
  }
  std::printf("\n");
}

bool Game::advance(int frame) {
  const auto start = std::chrono::steady_clock::now();
  if (frame % frames_between == 0) drop_another(frame);
  play(frame);
  const supple::StepReport report = simulation_.step();
  for (Cube& cube : cubes_) {
    const int body = simulation_.index(cube.body);
    constexpr int stride = sizeof(Corner) / sizeof(float);
    const std::span numbers(&cube.buffer[0].position[0], stride * cube.buffer.size());
    simulation_.body_positions(body, numbers, stride);
    simulation_.body_normals(body, numbers.subspan(3), stride);
  }
  frame_ms_.push_back(milliseconds_since(start));
  if (frame % 60 == 0) print(frame, report);
  if (report.status == supple::StepStatus::non_finite ||
      report.status == supple::StepStatus::failed) {
    std::printf("frame %d: %s\n", frame, to_string(report.status));
    return false;
  }
  return true;
}

void Game::print_times() {
  std::sort(frame_ms_.begin(), frame_ms_.end());
  std::sort(drop_ms_.begin(), drop_ms_.end());
  const auto late = std::upper_bound(frame_ms_.begin(), frame_ms_.end(), budget_ms);
  std::printf(
      "%d frames of up to %d cubes on %d threads: median %.2f ms, longest %.2f ms, %d "
      "above %g ms; a cube that comes: median %.2f ms, longest %.2f ms\n",
      num_frames, most_cubes, simulation_.num_threads(), frame_ms_[frame_ms_.size() / 2],
      frame_ms_.back(), static_cast<int>(frame_ms_.end() - late), budget_ms,
      drop_ms_[drop_ms_.size() / 2], drop_ms_.back());
}

}  // namespace

int main() {
  Game game;
  for (int frame = 1; frame <= num_frames; ++frame) {
    if (!game.advance(frame)) return EXIT_FAILURE;
  }
  game.print_times();
}

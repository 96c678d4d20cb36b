// What a change of a running scene costs. Prints four tables of medians:
//   - milliseconds of set_pins for 1, 8, 32 and 128 pins and of the frames after it, beside a
//     simulation that is built anew with these pins and runs the same frames in turn;
//   - the longest of 30 frames while another material is built on another thread, beside the time
//     to build it at once, while the caller waits;
//   - set_material and set_colliders beside building anew, with the frames after them;
//   - adding and removing a body of about a thousand tets among 1, 10 and 50 others, which all have
//     one mesh or each have their vertices in a different order; and how long it takes to build a
//     simulation of bodies that all start in one place.
// Writes no file. Usage:
//   build/release/bin/supple_changes_bench [threads [initial_hessian]]
//   build/release/bin/supple_changes_bench live [threads]      (the third table alone)
//   build/release/bin/supple_changes_bench bodies [threads]    (the fourth table alone)

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "materials/spline.h"
#include "supple/supple.h"

namespace {

using supple::Pin;
using supple::Scene;
using supple::Simulation;
using supple::Stopwatch;

constexpr int repeats = 15;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A body under its own weight, held by a few vertices at its left end.
Scene make_scene(supple::TetMesh mesh, double size) {
  Scene scene;
  supple::Body body;
  body.mesh = std::move(mesh);
  const auto [mu, lambda] = supple::lame_parameters(1e6, 0.4);
  body.material = {.model = "neo_hookean", .mu = mu, .lambda = lambda};
  Pin pin;
  pin.box = {{-10, -10, -10}, {-0.47 * size, 10, 10}};
  body.pins.push_back(pin);
  scene.bodies.push_back(std::move(body));
  return scene;
}

/// The scene's pins and `count` further vertices spread over the body.
std::vector<Pin> more_pins(const Scene& scene, int count) {
  std::vector<Pin> pins = scene.bodies[0].pins;
  Pin pin;
  const int n = static_cast<int>(scene.bodies[0].mesh.vertices.size());
  for (int k = 0; k < count; ++k) pin.vertices.push_back((2 * k + 1) * n / (2 * count));
  pin.stiffness = 1e5;
  pin.motion.velocity = {0, 0.1, 0};
  if (count > 0) pins.push_back(pin);
  return pins;
}

double step_ms(Simulation& simulation) { return simulation.step().total_milliseconds; }

std::vector<double> positions_of(const Simulation& simulation) {
  std::vector<double> x(3 * static_cast<std::size_t>(simulation.num_vertices()));
  simulation.copy_positions(x);
  return x;
}

double rms_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

/// A simulation that gets the pins, beside one that is built with them from the same state. ms.
struct Costs {
  std::vector<double> set, release, rebuild;
  std::vector<double> first, later;              ///< frames of the first simulation
  std::vector<double> fresh_first, fresh_later;  ///< frames of the other one
  std::vector<double> difference;  ///< after the first frame, relative to how far it moved
};

void measure_pins(const std::string& name, const Scene& scene, int threads) {
  for (const int count : {1, 8, 32, 128}) {
    Simulation simulation(scene, {.threads = threads});
    for (int k = 0; k < 5; ++k) simulation.step();
    const std::vector<Pin> own = scene.bodies[0].pins, more = more_pins(scene, count);
    Costs costs;
    for (int k = 0; k < repeats; ++k) {
      const Stopwatch set;
      simulation.set_pins(0, more);
      costs.set.push_back(set.milliseconds());
      const Stopwatch build;
      Simulation fresh(simulation.scene(), {.threads = threads});
      costs.rebuild.push_back(build.milliseconds());
      fresh.set_state(simulation.state());
      const std::vector<double> start = positions_of(simulation);
      for (int frame = 0; frame < 10; ++frame) {
        (frame == 0 ? costs.first : costs.later).push_back(step_ms(simulation));
        (frame == 0 ? costs.fresh_first : costs.fresh_later).push_back(step_ms(fresh));
        if (frame > 0) continue;
        const std::vector<double> expected = positions_of(fresh);
        costs.difference.push_back(rms_distance(positions_of(simulation), expected) /
                                   rms_distance(start, expected));
      }
      const Stopwatch release;
      simulation.set_pins(0, own);
      costs.release.push_back(release.milliseconds());
      for (int frame = 0; frame < 9; ++frame) simulation.step();
    }
    fmt::print("{:<6}{:>6}{:>10.2f}{:>9.2f}{:>9.1f}{:>10.2f}{:>8.2f}{:>9.2f}{:>8.2f}{:>12.1e}\n",
               name, count, median(costs.set), median(costs.release), median(costs.rebuild),
               median(costs.first), median(costs.fresh_first), median(costs.later),
               median(costs.fresh_later), median(costs.difference));
  }
}

void measure_change(const std::string& name, const Scene& scene, int threads) {
  Scene stiffer = scene;
  const auto [mu, lambda] = supple::lame_parameters(1.5e6, 0.4);
  stiffer.bodies[0].material.mu = mu;
  stiffer.bodies[0].material.lambda = lambda;
  constexpr int after_frames = 30;
  Simulation simulation(scene, {.threads = threads});
  for (int k = 0; k < 5; ++k) simulation.step();
  std::vector<double> plain, longest_plain, longest, taking_over, call, in_the_way;
  for (int k = 0; k < 5; ++k) {
    double most_plain = 0;
    for (int frame = 0; frame < after_frames; ++frame) {
      plain.push_back(step_ms(simulation));
      most_plain = std::max(most_plain, plain.back());
    }
    longest_plain.push_back(most_plain);
    const Stopwatch watch;
    const Scene& next = k % 2 == 0 ? stiffer : scene;
    simulation.change(next, after_frames);
    call.push_back(watch.milliseconds());
    double most = 0;
    for (int frame = 0; frame < after_frames; ++frame) most = std::max(most, step_ms(simulation));
    longest.push_back(most);
    taking_over.push_back(step_ms(simulation));
    const Stopwatch at_once;
    simulation.change(next);
    in_the_way.push_back(at_once.milliseconds());
  }
  fmt::print("{:<6}{:>9.2f}{:>10.2f}{:>10.2f}{:>14.2f}{:>13.2f}{:>12.1f}\n", name, median(plain),
             median(longest_plain), median(call), median(longest), median(taking_over),
             median(in_the_way));
}

/// A call that is repeated; every second time it restores the scene's own material or colliders.
struct LiveChange {
  std::string call;
  supple::MaterialSettings material;
  std::vector<supple::Collider> colliders;
  bool of_material = true;
};

void measure_live(const std::string& name, const Scene& scene, int threads,
                  const LiveChange& change) {
  Simulation simulation(scene, {.threads = threads});
  for (int k = 0; k < 5; ++k) simulation.step();
  std::vector<double> call, rebuild, first, fresh_first, difference;
  for (int k = 0; k < 2 * repeats; ++k) {
    const bool back = k % 2 == 1;
    const Stopwatch watch;
    if (change.of_material) {
      simulation.set_material(0, back ? scene.bodies[0].material : change.material);
    } else {
      simulation.set_colliders(back ? scene.colliders : change.colliders);
    }
    if (!back) call.push_back(watch.milliseconds());
    const Stopwatch build;
    Simulation fresh(simulation.scene(), {.threads = threads});
    rebuild.push_back(build.milliseconds());
    fresh.set_state(simulation.state());
    const std::vector<double> start = positions_of(simulation);
    first.push_back(step_ms(simulation));
    fresh_first.push_back(step_ms(fresh));
    const std::vector<double> expected = positions_of(fresh);
    difference.push_back(rms_distance(positions_of(simulation), expected) /
                         rms_distance(start, expected));
    for (int frame = 0; frame < 4; ++frame) simulation.step();
  }
  fmt::print("{:<6}{:<22}{:<26}{:>8.2f}{:>10.1f}{:>11.2f}{:>8.2f}{:>12.1e}\n", name,
             supple::to_string(scene.solver.method), change.call, median(call), median(rebuild),
             median(first), median(fresh_first),
             *std::max_element(difference.begin(), difference.end()));
}

void measure_live_changes(const std::string& name, Scene scene, int threads) {
  const auto [mu, lambda] = supple::lame_parameters(1e6, 0.4);
  const supple::Collider ball{"ball", supple::SphereShape{{0.3, -0.6, 0}, 0.3}, {}};
  const LiveChange colliders{"colliders, 1 and 2", {}, {ball, ball}, false};
  LiveChange curve{"curve of a spline", supple::spline_preset('A', mu, lambda)};
  for (auto& [stretch, stress] : curve.material.spline_a.points) {
    if (stretch > 1.05) stress *= 1.3;
  }
  const LiveChange other{"spline to stvk", {.model = "stvk", .mu = mu, .lambda = lambda}};
  LiveChange each{"neo_hookean, a mu each", {.model = "neo_hookean", .mu = mu, .lambda = lambda}};
  for (std::size_t t = 0; t < scene.bodies[0].mesh.tets.size(); ++t) {
    each.material.mu.per_tet.push_back(mu * (1 + 1e-5 * static_cast<double>(t)));
  }
  scene.colliders = {ball};
  scene.bodies[0].material = supple::spline_preset('A', mu, lambda);
  for (const LiveChange& change : {colliders, curve, other}) {
    measure_live(name, scene, threads, change);
  }
  scene.bodies[0].material = {.model = "neo_hookean", .mu = mu, .lambda = lambda};
  measure_live(name, scene, threads, each);
  scene.solver.method = supple::SolverMethod::xpbd;
  scene.bodies[0].material = {.model = "stable_neo_hookean", .mu = mu, .lambda = lambda};
  measure_live(name, scene, threads, colliders);
  LiveChange softer{"stable_neo_hookean", scene.bodies[0].material};
  softer.material.mu = 0.5 * mu;
  measure_live(name, scene, threads, softer);
  measure_live(name, scene, threads, {"... to arap", {.model = "arap", .mu = mu}});
}

void measure_pins_and_scenes(const std::vector<std::pair<std::string, Scene>>& scenes,
                             int threads) {
  fmt::print("\nms, {} thread{}: pins that come and go again\n", threads, threads == 1 ? "" : "s");
  fmt::print("{:<6}{:>6}{:>10}{:>9}{:>9}{:>10}{:>8}{:>9}{:>8}{:>12}\n", "body", "pins", "set_pins",
             "release", "rebuild", "1st frame", "fresh", "later", "fresh", "difference");
  for (const auto& [name, scene] : scenes) measure_pins(name, scene, threads);
  fmt::print("\nms, {} thread{}: another material after 30 frames\n", threads,
             threads == 1 ? "" : "s");
  fmt::print("{:<6}{:>9}{:>10}{:>10}{:>14}{:>13}{:>12}\n", "body", "a frame", "longest", "change()",
             "longest then", "taking over", "in the way");
  for (const auto& [name, scene] : scenes) measure_change(name, scene, threads);
}

/// Puts the vertices of a mesh in a random order, a different one for each `number`.
void shuffle(supple::TetMesh& mesh, int number) {
  std::vector<int> place(mesh.vertices.size());
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), std::mt19937(static_cast<unsigned>(number)));
  const std::vector<supple::Vec3> vertices = mesh.vertices;
  for (std::size_t i = 0; i < place.size(); ++i) {
    mesh.vertices[static_cast<std::size_t>(place[i])] = vertices[i];
  }
  for (auto& tet : mesh.tets) {
    for (int& vertex : tet) vertex = place[static_cast<std::size_t>(vertex)];
  }
}

/// Cube `number` of rows of half-metre cubes on the ground, 1,080 tets each.
supple::Body cube(int number, const std::string& model, bool is_own) {
  supple::Body body;
  body.mesh = supple::generate(
      supple::BoxGenerator{.size = {0.5, 0.5, 0.5},
                           .cells = {6, 5, 6},
                           .center = {0.8 * (number % 10), 0.26, 0.8 * (number / 10)},
                           .tets_per_cell = 6});
  if (is_own) shuffle(body.mesh, number);
  const auto [mu, lambda] = supple::lame_parameters(2e5, 0.4);
  body.material = {.model = model, .mu = mu, .lambda = lambda};
  return body;
}

void measure_bodies(const std::string& method, int num_bodies, bool are_own, int threads) {
  const std::string model = method == "xpbd" ? "stable_neo_hookean" : "neo_hookean";
  Scene scene;
  scene.time.step = 1.0 / 60;
  scene.solver.method = supple::from_string<supple::SolverMethod>(method);
  scene.colliders = {{.name = "ground", .shape = supple::PlaneShape{}}};
  for (int k = 0; k < num_bodies; ++k) scene.bodies.push_back(cube(k, model, are_own));
  const supple::Body added = cube(num_bodies, model, are_own);
  Simulation simulation(scene, {.threads = threads});
  for (int k = 0; k < 10; ++k) simulation.step();
  std::vector<double> frame, add, remove, first, rebuild;
  for (int k = 0; k < (num_bodies > 10 ? 5 : repeats); ++k) {
    frame.push_back(step_ms(simulation));
    const Stopwatch adding;
    const supple::BodyHandle body = simulation.add_body(added);
    add.push_back(adding.milliseconds());
    first.push_back(step_ms(simulation));
    const Stopwatch building;
    const Simulation fresh(simulation.scene(), {.threads = threads});
    rebuild.push_back(building.milliseconds());
    const Stopwatch removing;
    simulation.remove_body(body);
    remove.push_back(removing.milliseconds());
    first.push_back(step_ms(simulation));
  }
  fmt::print("{:<10}{:>7}{:>11}{:>9}{:>9.1f}{:>9.1f}{:>9.1f}{:>10.1f}{:>11.1f}\n", method,
             num_bodies, are_own ? "different" : "equal", simulation.num_tets(), median(frame),
             median(add), median(remove), median(rebuild), median(first));
}

void measure_one_place(int num_bodies, int threads) {
  Scene scene;
  for (int k = 0; k < num_bodies; ++k) scene.bodies.push_back(cube(0, "neo_hookean", false));
  const Stopwatch building;
  Simulation simulation(scene, {.threads = threads});
  const double built = building.milliseconds();
  fmt::print("{} bodies in one place: a new simulation {:.1f}, its first frame {:.1f}\n",
             num_bodies, built, step_ms(simulation));
}

void measure_coming_and_going(int threads) {
  fmt::print("\nms, {} thread{}: a body of 1,080 tets that comes and goes\n", threads,
             threads == 1 ? "" : "s");
  fmt::print("{:<10}{:>7}{:>11}{:>9}{:>9}{:>9}{:>9}{:>10}{:>11}\n", "method", "bodies", "meshes",
             "tets", "a frame", "add", "remove", "rebuild", "1st frame");
  for (const char* method : {"l_bfgs", "xpbd"}) {
    for (const int num_bodies : {1, 10, 50}) {
      for (const bool are_own : {false, true}) measure_bodies(method, num_bodies, are_own, threads);
    }
  }
  for (const int num_bodies : {10, 50}) measure_one_place(num_bodies, threads);
}

}  // namespace

int main(int argc, char** argv) {
  const bool live_alone = argc > 1 && argv[1] == std::string("live");
  const bool bodies_alone = argc > 1 && argv[1] == std::string("bodies");
  if (live_alone || bodies_alone) {
    --argc;
    ++argv;
  }
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  if (bodies_alone) {
    measure_coming_and_going(threads);
    return 0;
  }
  std::vector<std::pair<std::string, Scene>> scenes = {
      {"bar", make_scene(supple::generate(supple::BoxGenerator{
                             .size = {4, 1, 1}, .cells = {34, 7, 7}, .tets_per_cell = 6}),
                         4)},
      {"ball",
       make_scene(supple::generate(supple::SphereGenerator{.radius = 0.5, .cells = 17}), 1)}};
  for (auto& [name, scene] : scenes) {
    if (argc > 2)
      scene.solver.initial_hessian = supple::from_string<supple::InitialHessian>(argv[2]);
    fmt::print("{}: {} tets, {} vertices\n", name, scene.bodies[0].mesh.tets.size(),
               scene.bodies[0].mesh.vertices.size());
  }
  if (!live_alone) measure_pins_and_scenes(scenes, threads);
  fmt::print("\nms, {} thread{}: materials and colliders that are set\n", threads,
             threads == 1 ? "" : "s");
  fmt::print("{:<6}{:<22}{:<26}{:>8}{:>10}{:>11}{:>8}{:>12}\n", "body", "method", "what", "call",
             "rebuild", "1st frame", "fresh", "difference");
  for (const auto& [name, scene] : scenes) measure_live_changes(name, scene, threads);
  if (!live_alone) measure_coming_and_going(threads);
}

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sim/stepper.h"
#include "sim/test_scenes.h"
#include "supple/error.h"

/// What a program that holds simulations relies on: its own threads, reads from several of them,
/// errors instead of crashes.
namespace supple {
namespace {

/// Host systems as different as possible. None nests: tasks that start tasks would be more than the
/// header asks of a host.
class Host : public TaskSystem {
 public:
  explicit Host(bool is_threaded) : is_threaded_(is_threaded) {}

  void run(int count, void (*task)(void*, int), void* context) override {
    EXPECT_FALSE(is_task) << "a task brings tasks";
    const auto run_task = [=](int i) {
      is_task = true;
      task(context, i);
      is_task = false;
    };
    ++regions;
    if (is_threaded_) {
      std::vector<std::thread> threads;
      for (int i = 0; i < count; ++i) threads.emplace_back(run_task, i);
      for (std::thread& thread : threads) thread.join();
    } else {
      for (int i = count - 1; i >= 0; --i) run_task(i);
    }
  }

  std::atomic<int> regions{0};

 private:
  static thread_local bool is_task;
  bool is_threaded_;
};
thread_local bool Host::is_task = false;

/// A twisted bar that falls on the ground, large enough for regions of several pieces.
Scene falling_bar(const std::string& method) {
  Scene scene = test::twisting_bar({12, 3, 3}, test::material_of(method));
  scene.solver.method = from_string<SolverMethod>(method);
  scene.solver.iterations = 4;
  scene.gravity = {0, -9.81, 0};
  scene.colliders = {{.shape = PlaneShape{.offset = -0.6}}};
  return scene;
}

TEST(TaskSystem, EverySolverHasTheBitsOfTheOwnPool) {
  for (const Description& solver : choices(SolverMethod{}).entries) {
    SCOPED_TRACE(solver.name);
    const Scene scene = falling_bar(solver.name);
    Simulation own(scene, {.threads = 3});
    test::run(own, 3);
    for (const bool is_threaded : {false, true}) {
      Host host(is_threaded);
      Simulation hosted(scene, {.threads = is_threaded ? 2 : 5, .tasks = &host});
      test::run(hosted, 3);
      test::expect_same_bits(own, hosted);
      EXPECT_GT(host.regions.load(), 0);
    }
  }
}

TEST(TaskSystem, RunsASceneThatTookOver) {
  Host host(true);
  Scene scene = falling_bar("l_bfgs");
  Simulation hosted(scene, {.threads = 2, .tasks = &host}), own(scene, {.threads = 2});
  scene.gravity = {0, -2, 0};
  for (Simulation* const simulation : {&hosted, &own}) {
    simulation->change(scene, 1);
    test::run(*simulation, 2);
  }
  const int before = host.regions;
  test::run(hosted, 1);
  test::run(own, 1);
  EXPECT_GT(host.regions.load(), before);
  test::expect_same_bits(own, hosted);
}

TEST(ConstReads, MayComeFromSeveralThreadsAtOnce) {
  for (const char* const method : {"l_bfgs", "xpbd"}) {
    SCOPED_TRACE(method);
    Simulation simulation(falling_bar(method), {.threads = 2});
    test::run(simulation, 3);
    const Simulation& shared = simulation;
    const auto everything = [&] {
      std::vector<double> numbers(static_cast<std::size_t>(shared.num_vertices()) * 3);
      shared.copy_positions(numbers);
      const ElementMeasures measures = shared.measure(numbers);
      const auto put = [&](double number) { numbers.push_back(number); };
      const Energies energies = shared.energies();
      for (const double e : {energies.kinetic, energies.elastic, energies.pins, energies.gravity})
        put(e);
      for (const double sigma : measures.von_mises) put(sigma);
      for (const MultiplierStress& stress : shared.multiplier_stresses()) put(stress.hydrostatic);
      for (const double v : shared.state().velocities) put(v);
      put(shared.raycast({0, 5, 0}, {0, -1, 0}).value_or(SurfaceHit{}).distance);
      put(shared.closest_point({1, 2, 3})->distance);
      put(static_cast<double>(shared.overlap(SphereShape{.radius = 9}).size()));
      put(static_cast<double>(shared.constraint_groups().size()));
      put(shared.time());
      put(static_cast<double>(shared.frame() + shared.num_tets() + shared.num_threads()));
      put(static_cast<double>(shared.surface().size() + shared.body_vertices().size()));
      put(shared.change_is_waiting() ? 1 : 0);
      put(shared.scene().gravity[1]);
      return numbers;
    };
    std::vector<std::vector<double>> found(4);
    std::vector<std::thread> readers;
    for (std::vector<double>& own : found) {
      readers.emplace_back([&] {
        for (int round = 0; round < 20; ++round) own = everything();
      });
    }
    for (std::thread& reader : readers) reader.join();
    const std::vector<double> alone = everything();
    for (const std::vector<double>& own : found) EXPECT_EQ(own, alone);
  }
}

TEST(MovedFrom, EveryMemberSaysSo) {
  Simulation from(test::free_block("neo_hookean"), {.threads = 1});
  Simulation to = std::move(from);
  std::vector<double> numbers(3);
  const std::vector<int> vertices{0};
  const std::vector<Vec3> amounts{{0, 0, 1}};
  const auto says_so = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_STREQ(error.what(), "simulation: was moved from");
      return;
    }
    ADD_FAILURE() << "nothing was thrown";
  };
  // NOLINTBEGIN(bugprone-use-after-move)
  EXPECT_EQ(from.step().status, StepStatus::failed);
  says_so([&] { from.check_step(); });
  says_so([&] { from.set_pins(0, {}); });
  says_so([&] { from.set_colliders({}); });
  says_so([&] { from.set_material(0, {}); });
  says_so([&] { from.set_gravity({}); });
  says_so([&] { from.set_drag(0); });
  says_so([&] { from.set_friction(0); });
  says_so([&] { from.set_iterations(1); });
  says_so([&] { from.set_tolerance(0); });
  says_so([&] { from.set_budget(0); });
  says_so([&] { from.set_line_search({}); });
  says_so([&] { from.add_force(0, {}); });
  says_so([&] { from.add_force(SurfaceHit{}, {}); });
  says_so([&] { from.add_force(vertices, amounts); });
  says_so([&] { from.clear_forces(); });
  says_so([&] { from.add_impulse(0, {}); });
  says_so([&] { from.add_impulse(SurfaceHit{}, {}); });
  says_so([&] { from.add_impulse(vertices, amounts); });
  says_so([&] { from.set_velocity(0, {}); });
  says_so([&] { from.change(to.scene()); });
  says_so([&] { from.check_change(); });
  says_so([&] { from.set_state(to.state()); });
  const Simulation& read = from;
  says_so([&] { (void)read.change_is_waiting(); });
  says_so([&] { (void)read.num_vertices(); });
  says_so([&] { (void)read.num_tets(); });
  says_so([&] { (void)read.num_threads(); });
  says_so([&] { (void)read.time(); });
  says_so([&] { (void)read.frame(); });
  says_so([&] { read.copy_positions(numbers); });
  says_so([&] { read.copy_velocities(numbers); });
  says_so([&] { (void)read.state(); });
  says_so([&] { (void)read.energies(); });
  says_so([&] { (void)read.measure(numbers); });
  says_so([&] { (void)read.multiplier_stresses(); });
  says_so([&] { (void)read.constraint_groups(); });
  says_so([&] { (void)read.raycast({}, {1, 0, 0}); });
  says_so([&] { (void)read.closest_point({}); });
  says_so([&] { (void)read.overlap(Box{}); });
  says_so([&] { (void)read.overlap(SphereShape{}); });
  says_so([&] { (void)read.vertices_in(Box{}); });
  says_so([&] { (void)read.vertices_in(SphereShape{}); });
  says_so([&] { (void)read.surface(); });
  says_so([&] { (void)read.body_vertices(); });
  says_so([&] { (void)read.scene(); });
  from = std::move(to);
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_NE(from.step().status, StepStatus::failed);
  EXPECT_NO_THROW(from.check_step());
}

/// A flying block, with a material whose function throws on demand.
Scene fragile_block(const std::shared_ptr<std::atomic<int>>& calls_left) {
  Scene scene = test::free_block("valanis_landel");
  scene.bodies[0].velocity = {1, 0, 0};
  const auto count = [calls_left] {
    if (calls_left->fetch_sub(1) == 0) throw std::runtime_error("no such stretch");
  };
  scene.bodies[0].material.a = {.value =
                                    [count](double s) {
                                      count();
                                      return 1e5 * (s - 1) * (s - 1);
                                    },
                                .first =
                                    [count](double s) {
                                      count();
                                      return 2e5 * (s - 1);
                                    },
                                .second =
                                    [count](double) {
                                      count();
                                      return 2e5;
                                    }};
  scene.bodies[0].material.b = scene.bodies[0].material.c = {};
  scene.bodies[0].initial = Stretch{.factors = {1.3, 1, 1}};
  return scene;
}

TEST(FailingStep, KeepsTheStateAndTellsWhatWasThrown) {
  static_assert(noexcept(std::declval<Simulation&>().step()));
  for (const char* const integrator : {"backward_euler", "implicit_midpoint", "symplectic_euler"}) {
    for (const char* const method : {"l_bfgs", "newton", "gauss_seidel"}) {
      for (const int calls : {0, 10, 1000, 20000}) {
        SCOPED_TRACE(integrator + std::string(" ") + method + " " + std::to_string(calls));
        const auto calls_left = std::make_shared<std::atomic<int>>(std::numeric_limits<int>::max());
        Scene scene = fragile_block(calls_left);
        scene.time.integrator = from_string<TimeIntegrator>(integrator);
        scene.solver.method = from_string<SolverMethod>(method);
        Simulation simulation(scene, {.threads = 2});
        test::run(simulation, 2);
        const SimulationState before = simulation.state();
        simulation.add_force(0, {0, 50, 0});
        *calls_left = calls;
        StepReport report;
        // Until it reaches the call that throws.
        for (int frame = 0; frame < 100 && report.status != StepStatus::failed; ++frame) {
          simulation.set_state(before);
          report = simulation.step();
        }
        *calls_left = std::numeric_limits<int>::max();
        ASSERT_EQ(report.status, StepStatus::failed);
        EXPECT_EQ(simulation.state().positions, before.positions);
        EXPECT_EQ(simulation.state().velocities, before.velocities);
        EXPECT_EQ(simulation.time(), before.time);
        EXPECT_EQ(simulation.frame(), before.frame);
        try {
          simulation.check_step();
          ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
          EXPECT_STREQ(error.what(), "no such stretch");
        }
        EXPECT_NO_THROW(simulation.check_step()) << "once";
        // It goes on like a simulation that never failed and that forgot the forces.
        Simulation other(scene, {.threads = 2});
        other.set_state(before);
        simulation.set_state(before);
        test::run(other, 2);
        test::run(simulation, 2);
        test::expect_same_bits(simulation, other);
      }
    }
  }
}

TEST(FailingStep, KeepsWhatIsAttachedAndWhereItsTargetsWere) {
  const auto calls_left = std::make_shared<std::atomic<int>>(std::numeric_limits<int>::max());
  const Scene scene = fragile_block(calls_left);
  Simulation simulation(scene, {.threads = 2}), other(scene, {.threads = 2});
  const SurfaceHit hit{.vertices = {0, 1, 4}, .weights = {0.2, 0.3, 0.5}};
  const Attachment held = simulation.attach(hit, {0, 0, 0}, 1e4);
  const Attachment also = other.attach(hit, {0, 0, 0}, 1e4);
  test::run(simulation, 2);
  test::run(other, 2);
  const Vec3 before = simulation.force(held);
  simulation.set_target(held, {0, 0.1, 0});
  other.set_target(also, {0, 0.1, 0});
  *calls_left = 100;
  ASSERT_EQ(simulation.step().status, StepStatus::failed);
  *calls_left = std::numeric_limits<int>::max();
  EXPECT_EQ(simulation.force(held), before);
  test::run(simulation, 2);
  test::run(other, 2);
  test::expect_same_bits(simulation, other);
}

}  // namespace
}  // namespace supple

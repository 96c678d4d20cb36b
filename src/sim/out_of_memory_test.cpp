#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include "sim/stepper.h"
#include "sim/test_scenes.h"

namespace {

/// Calls of operator new until one throws; negative: none throws.
std::atomic<std::int64_t> calls_left{-1};

void* allocate(std::size_t size, std::size_t alignment) {
  if (calls_left.load(std::memory_order_relaxed) >= 0 && calls_left.fetch_sub(1) == 0) {
    throw std::bad_alloc();
  }
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  void* const memory = alignment <= alignof(std::max_align_t)
                           ? std::malloc(size)
                           : std::aligned_alloc(alignment, whole);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// If they were inline, g++ would notice that they do not belong together.
[[gnu::noinline]] void* operator new(std::size_t size) { return allocate(size, 1); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace supple {
namespace {

/// A bar that falls on the ground and is turned, so that contacts, pins and line searches take
/// part.
Scene scene_of(const std::string& method) {
  Scene scene = test::twisting_bar({3, 2, 2}, test::material_of(method));
  scene.solver.method = from_string<SolverMethod>(method);
  scene.solver.iterations = 3;
  scene.gravity = {0, -9.81, 0};
  scene.colliders = {{.shape = PlaneShape{.offset = -0.5}}};
  return scene;
}

/// Steps while the allocation after so many others fails, and checks what is promised.
void fail_and_go_on(Simulation& simulation, std::int64_t calls, bool& has_failed) {
  const SimulationState before = simulation.state();
  calls_left = calls;
  const StepStatus status = simulation.step().status;
  calls_left = -1;
  has_failed = status == StepStatus::failed;
  if (!has_failed) return;
  EXPECT_EQ(simulation.state().positions, before.positions);
  EXPECT_EQ(simulation.state().velocities, before.velocities);
  EXPECT_EQ(simulation.frame(), before.frame);
  EXPECT_THROW(simulation.check_step(), std::bad_alloc);
  Simulation other = test::fresh(simulation);
  test::run(simulation, 1);
  test::run(other, 1);
  test::expect_same_bits(simulation, other);
}

TEST(OutOfMemory, AStepThatFailsKeepsTheStateAndTheNextOneWorks) {
  int failures = 0;
  for (const Description& solver : choices(SolverMethod{}).entries) {
    SCOPED_TRACE(solver.name);
    const Scene scene = scene_of(solver.name);
    for (const int frames_before : {0, 2}) {
      bool has_failed = true;
      std::int64_t calls = 0;
      for (; has_failed && !testing::Test::HasFailure(); ++calls) {
        SCOPED_TRACE(calls);
        Simulation simulation(scene, {.threads = 1});
        test::run(simulation, frames_before);
        fail_and_go_on(simulation, calls, has_failed);
      }
      failures += static_cast<int>(calls) - 1;
    }
  }
  // The first step makes room for later steps; some methods need none.
  EXPECT_GT(failures, 20);
}

TEST(OutOfMemory, ASimulationThatCannotBeMendedYetIsMendedLater) {
  Simulation simulation(scene_of("l_bfgs"), {.threads = 1});
  for (int attempt = 0; attempt < 2; ++attempt) {
    calls_left = 0;
    EXPECT_EQ(simulation.step().status, StepStatus::failed);
    calls_left = 0;
    EXPECT_THROW(simulation.set_drag(1), std::bad_alloc);
    calls_left = -1;
  }
  simulation.set_drag(0);
  Simulation other(scene_of("l_bfgs"), {.threads = 1});
  test::run(simulation, 2);
  test::run(other, 2);
  test::expect_same_bits(simulation, other);
}

TEST(OutOfMemory, BodiesThatCannotComeOrGoLeaveEverythingAsItWas) {
  for (const char* method : {"l_bfgs", "xpbd"}) {
    SCOPED_TRACE(method);
    const Scene scene = scene_of(method);
    Body added = scene.bodies[0];
    for (Vec3& x : added.mesh.vertices) x[0] += 10;
    for (Pin& pin : added.pins) {
      pin.box.min[0] += 10;
      pin.box.max[0] += 10;
    }
    Simulation simulation(scene, {.threads = 1}), unharmed(scene, {.threads = 1});
    const BodyHandle body = simulation.handle(0);
    simulation.set_user_data(body, 7);
    int failures = 0;
    // Each of the first allocations, then some of the others.
    for (std::int64_t calls = 0; !testing::Test::HasFailure(); calls += 1 + calls / 50) {
      SCOPED_TRACE(calls);
      calls_left = calls;
      bool has_failed = false;
      try {
        simulation.change_bodies({{body}}, {{added}});
      } catch (const std::bad_alloc&) {
        has_failed = true;
      }
      calls_left = -1;
      if (!has_failed) break;
      ++failures;
      ASSERT_TRUE(simulation.is_alive(body));
      EXPECT_EQ(simulation.user_data(body), 7U);
      EXPECT_EQ(simulation.scene().bodies.size(), 1U);
      if (failures % 20 != 1) continue;
      test::run(simulation, 1);
      test::run(unharmed, 1);
      test::expect_same_bits(simulation, unharmed);
    }
    EXPECT_GT(failures, 100);
    EXPECT_FALSE(simulation.is_alive(body));
    test::run(simulation, 1);
  }
}

}  // namespace
}  // namespace supple

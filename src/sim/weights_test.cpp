#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "sim/test_scenes.h"
#include "supple/error.h"

/// Weights of the constant matrix that follow the state, in a simulation.
namespace supple {
namespace {

constexpr int frames = 10;

/// A cube whose inner vertices are off their lattice, so that some tets are flat. It is stretched
/// to twice its length and released.
Scene jittered_cube(const std::string& weights) {
  Scene scene;
  Body body;
  constexpr int cells = 6;
  body.mesh = generate(BoxGenerator{.cells = {cells, cells, cells}, .tets_per_cell = 6});
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-0.4 / cells, 0.4 / cells);
  for (Vec3& x : body.mesh.vertices) {
    const bool is_inner =
        std::all_of(x.begin(), x.end(), [](double c) { return std::abs(c) < 0.49; });
    if (!is_inner) continue;
    for (double& c : x) c += uniform(generator);
  }
  body.mass = 10;
  body.material.model = "polynomial";
  body.material.mu = 400;
  body.initial = Stretch{{2, 0.5, 0.7}};
  scene.bodies.push_back(body);
  scene.gravity = {0, 0, 0};
  scene.solver.weights = from_string<LaplacianWeights>(weights);
  return scene;
}

struct Motion {
  std::vector<double> positions;  ///< of all frames, m
  int evaluations = 0;
};

Motion motion_of(const Scene& scene) {
  Simulation simulation(scene);
  Motion motion;
  for (int frame = 0; frame < frames; ++frame) {
    motion.evaluations += simulation.step().evaluations;
    const std::vector<double> x = simulation.state().positions;
    motion.positions.insert(motion.positions.end(), x.begin(), x.end());
  }
  return motion;
}

double squared_distance(const Motion& a, const Motion& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.positions.size(); ++i) {
    const double d = a.positions[i] - b.positions[i];
    sum += d * d;
  }
  return sum;
}

TEST(Weights, ThatFollowSaveEvaluationsAndComeNearerToTheConvergedMotion) {
  Scene converged = jittered_cube("following");
  converged.solver.method = SolverMethod::newton;
  converged.solver.iterations = 100;
  converged.solver.tolerance = 1e-9;
  const Motion truth = motion_of(converged), constant = motion_of(jittered_cube("constant")),
               following = motion_of(jittered_cube("following"));
  EXPECT_LT(following.evaluations, constant.evaluations);
  EXPECT_LT(squared_distance(following, truth), squared_distance(constant, truth));
}

TEST(Weights, HaveTheSameBitsOnManyThreadsAndFromAState) {
  Simulation one(jittered_cube("following"), {.threads = 1}),
      three(jittered_cube("following"), {.threads = 3});
  bool is_raised = false;
  for (int frame = 0; frame < frames; ++frame) {
    one.step();
    three.step();
    is_raised = is_raised || !one.state().weights.empty();
    test::expect_same_bits(one, three);
    Simulation again = test::fresh(one, 2), ahead = test::fresh(three);
    for (int i = 0; i < 3; ++i) {
      again.step();
      ahead.step();
    }
    test::expect_same_bits(again, ahead);
    if (frame != frames / 2) continue;
    // A run that is restored, and one that went on without a break.
    Simulation built = test::fresh(one);
    for (int i = 0; i < 3; ++i) {
      one.step();
      three.step();
      built.step();
    }
    test::expect_same_bits(one, built);
  }
  EXPECT_TRUE(is_raised);
}

TEST(Weights, OfAnotherNumberOfTetsAreRefused) {
  Simulation simulation(jittered_cube("following"));
  simulation.step();
  SimulationState state = simulation.state();
  state.weights = {1, 2, 3};
  EXPECT_THROW(simulation.set_state(state), Error);
  state.weights.clear();
  simulation.set_state(state);
}

TEST(Weights, WaitWhileTheBudgetHasNoRoomForAFactor) {
  Scene scene = jittered_cube("following");
  scene.solver.budget_ms = 1e-4;  // a factor of some 300 vertices takes longer on any machine
  Simulation simulation(scene);
  for (int frame = 0; frame < frames; ++frame) simulation.step();
  EXPECT_TRUE(simulation.state().weights.empty());
}

}  // namespace
}  // namespace supple

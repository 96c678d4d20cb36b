#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sim/stepper.h"
#include "sim/test_scenes.h"
#include "supple/compare.h"
#include "supple/error.h"

/// What every method whose steps end at the minimum of g promises, on every material that it runs:
/// descents, and xpbd with projection stress. The methods are all that the settings can name; a
/// method that is added to the list is tested without a change here.
namespace supple {
namespace {

template <Choice T>
void expand(std::vector<SolverSettings>& list, const std::string& key, T SolverSettings::*value) {
  std::vector<SolverSettings> expanded;
  for (const SolverSettings& settings : list) {
    const bool is_read =
        reads(settings.method, key) &&
        (key != "preconditioner" ||
         (uses_linear_solver(settings) && settings.linear_solver != LinearSolver::direct));
    if (!is_read) {
      expanded.push_back(settings);
      continue;
    }
    for (const std::string& choice : solver_choices(settings.method, key)) {
      if (choice == "automatic") continue;  // it equals one of the others
      expanded.push_back(settings);
      expanded.back().*value = from_string<T>(choice);
      if (find_conflict(expanded.back())) expanded.pop_back();
    }
  }
  list = std::move(expanded);
}

/// A solver with every setting that tells it from the others.
struct Variant {
  std::string name;
  SolverSettings settings;
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  for (const SolverMethod method : all_choices<SolverMethod>()) {
    SolverSettings plain;
    plain.method = method;
    // Others end elsewhere or read no materials.
    if (is_position_based(method) && !reads(method, "projection")) continue;
    std::vector<SolverSettings> list{plain};
    expand(list, "initial_hessian", &SolverSettings::initial_hessian);
    expand(list, "definiteness", &SolverSettings::definiteness);
    expand(list, "linear_solver", &SolverSettings::linear_solver);
    expand(list, "preconditioner", &SolverSettings::preconditioner);
    expand(list, "acceleration", &SolverSettings::acceleration);
    expand(list, "order", &SolverSettings::order);
    for (const SolverSettings& settings : list) {
      std::string name = to_string(settings.method);
      if (reads(method, "initial_hessian"))
        name += std::string("_") + to_string(settings.initial_hessian);
      if (reads(method, "definiteness"))
        name += std::string("_") + to_string(settings.definiteness);
      if (uses_linear_solver(settings)) {
        name += std::string("_") + to_string(settings.linear_solver);
        if (settings.linear_solver != LinearSolver::direct)
          name += std::string("_") + to_string(settings.preconditioner);
      }
      if (reads(method, "acceleration") && settings.acceleration != Acceleration::none) {
        name += std::string("_") + to_string(settings.acceleration);
      }
      if (reads(method, "order")) name += std::string("_") + to_string(settings.order);
      variants.push_back({name, settings});
    }
  }
  return variants;
}

/// One step of a scene and its converged answer.
struct Problem {
  std::string material;
  Scene scene;
  SimulationState state;
  ConvergedStep reference;
};

/// The state after a frame, with the vertices scattered so that no method starts near the minimum.
SimulationState scattered_state(const Scene& scene, double distance) {
  Simulation simulation(scene, {.threads = 1});
  simulation.step();
  SimulationState state = simulation.state();
  std::mt19937 random(5);
  for (double& x : state.positions) {
    x += distance * (2.0 * static_cast<double>(random()) / 4294967296.0 - 1);
  }
  return state;
}

/// The model of a membrane's material; empty for other problems.
std::string model_of_membrane(const std::string& material) {
  for (const std::string prefix : {"membrane_", "folded_"}) {
    if (material.starts_with(prefix)) return material.substr(prefix.size());
  }
  return "";
}

/// Whether its bending is dihedral.
bool is_folded(const std::string& material) { return material.starts_with("folded_"); }

Scene membrane(const std::string& material) {
  const std::string model = model_of_membrane(material);
  return is_folded(material) ? test::folded_membrane(model) : test::hanging_membrane(model);
}

std::vector<Problem> make_problems() {
  std::vector<Problem> problems;
  for (const Description& material : list_materials()) {
    Problem problem{.material = material.name,
                    .scene = test::twisting_bar({4, 2, 2}, material.name)};
    problem.scene.solver.method = SolverMethod::newton;
    problem.state = scattered_state(problem.scene, 0.02);
    problem.reference = solve_converged(problem.scene, problem.state, 1);
    problems.push_back(std::move(problem));
  }
  Problem cloth{.material = "spring", .scene = test::hanging_cloth()};
  cloth.state = scattered_state(cloth.scene, 0.01);
  cloth.reference = solve_converged(cloth.scene, cloth.state, 1);
  problems.push_back(std::move(cloth));
  // A material that every method that can damp runs.
  Problem damped{.material = "arap", .scene = test::twisting_bar({4, 2, 2}, "arap")};
  damped.scene.damping.stiffness = 0.05;
  damped.scene.solver.method = SolverMethod::newton;
  damped.state = scattered_state(damped.scene, 0.02);
  damped.reference = solve_converged(damped.scene, damped.state, 1);
  problems.push_back(std::move(damped));
  Problem fibrous{.material = "fibers", .scene = test::fibrous_bar()};
  fibrous.scene.solver.method = SolverMethod::newton;
  fibrous.state = scattered_state(fibrous.scene, 0.02);
  fibrous.reference = solve_converged(fibrous.scene, fibrous.state, 1);
  problems.push_back(std::move(fibrous));
  for (const char* const material :
       {"membrane_arap", "membrane_neo_hookean", "membrane_orthotropic_stvk",
        "membrane_woven_limit", "folded_arap"}) {
    Problem sheet{.material = material, .scene = membrane(material)};
    // As stiff as the sheet in a step of 1/30 s.
    if (sheet.material == "membrane_arap") sheet.scene.damping.stiffness = 0.03;
    sheet.scene.solver.method = SolverMethod::newton;
    sheet.state = scattered_state(sheet.scene, 0.01);
    sheet.reference = solve_converged(sheet.scene, sheet.state, 1);
    problems.push_back(std::move(sheet));
  }
  return problems;
}

const std::vector<Problem>& problems() {
  static const std::vector<Problem> list = make_problems();
  return list;
}

bool runs(const Variant& variant, const Problem& problem) {
  const std::string model = model_of_membrane(problem.material);
  if (!model.empty() && variant.settings.method == SolverMethod::projective_dynamics) {
    return (model == "arap" || model == "woven_limit") && !is_folded(problem.material);
  }
  if (!model.empty()) return true;
  if (problem.material == "fibers") {  // one of the fibers has a curve
    return !is_position_based(variant.settings.method) &&
           variant.settings.method != SolverMethod::projective_dynamics;
  }
  return problem.material == "spring" ||
         test::runs(to_string(variant.settings.method), problem.material);
}

class EverySolver : public testing::TestWithParam<Variant> {};

TEST_P(EverySolver, ReachesTheSameMinimumOfEveryMaterialAndDescentsNeverRise) {
  for (const Problem& problem : problems()) {
    SCOPED_TRACE(problem.material);
    ASSERT_TRUE(problem.reference.converged);
    Scene scene = problem.scene;
    scene.solver = GetParam().settings;
    scene.solver.iterations = 20000;
    scene.solver.tolerance = 1e-10;
    if (!runs(GetParam(), problem)) {
      try {
        record_descent(scene, problem.state, problem.reference, 1);
        ADD_FAILURE() << "was not refused";
      } catch (const Error& error) {
        // What it runs instead, or which method runs it.
        const bool is_of_another_method = !model_of_membrane(problem.material).empty();
        const char* const other =
            (is_of_another_method && scene.solver.method != SolverMethod::projective_dynamics) ||
                    problem.material == "fibers"
                ? "l_bfgs"
            : is_folded(problem.material) ? "quadratic"
                                          : "arap";
        EXPECT_NE(error.message().find(other), std::string::npos) << error.what();
      }
      continue;
    }
    const ConvergenceCurve curve = record_descent(scene, problem.state, problem.reference, 1);
    ASSERT_GT(curve.points.size(), 2U);
    EXPECT_GT(curve.points.front().position_error, 1e-3) << "begins at the end";
    EXPECT_LT(curve.points.back().position_error, 1e-6)
        << to_string(curve.status) << " after " << curve.points.size() - 1 << " iterations, error "
        << curve.points.back().relative_error;
    if (is_position_based(scene.solver.method)) continue;  // it follows the way of the constraints
    for (std::size_t k = 1; k < curve.points.size(); ++k) {
      // Rounding of g, a sum of terms of the energy's size.
      const double rounding = 1e-12 * curve.energy_scale;
      ASSERT_LE(curve.points[k].objective, curve.points[k - 1].objective + rounding)
          << "iteration " << k;
    }
  }
}

/// Positions or velocities turned by 90 degrees about z, exactly.
void turn(std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); i += 3) {
    const double x = values[i];
    values[i] = -values[i + 1];
    values[i + 1] = x;
  }
}

/// The largest distance between the results of a few iterations for a scene and for the same scene
/// turned by 90 degrees about z, as a share of the way from the start. The rest shape is not
/// turned.
double change_by_turning(const Variant& variant, const std::string& material, double damping) {
  Scene scene = !model_of_membrane(material).empty() ? membrane(material)
                : material == "spring"               ? test::hanging_cloth()
                : material == "fibers"               ? test::fibrous_bar()
                                                     : test::twisting_bar({4, 2, 2}, material);
  scene.gravity = {1, -9.81, 2};
  scene.damping.stiffness = damping;
  for (Pin& pin : scene.bodies[0].pins) {
    pin.motion = {};
    // Conjugate gradients without a preconditioner find stiff pins first and then, from rounding, a
    // second time; those iterates agree only to a few digits.
    pin.stiffness = std::min(pin.stiffness, 300.0);
  }
  SimulationState state = scattered_state(scene, 0.02);
  Scene turned = scene;
  turned.gravity = {9.81, 1, 2};
  for (Pin& pin : turned.bodies[0].pins) {
    pin.motion.keyframes = {{.time = 0, .axis = {0, 0, 1}, .degrees = 90}};
  }
  SimulationState turned_state = state;
  turn(turned_state.positions);
  turn(turned_state.velocities);
  scene.solver = turned.solver = variant.settings;
  scene.solver.iterations = turned.solver.iterations = 4;
  // With more iterations the systems would be solved, and the preconditioner would not show.
  scene.solver.linear_iterations = turned.solver.linear_iterations = 1;
  Simulation one(scene, {.threads = 1}), other(turned, {.threads = 1});
  one.set_state(state);
  other.set_state(turned_state);
  one.step();
  other.step();
  std::vector<double> expected = one.state().positions;
  turn(expected);
  const std::vector<double> found = other.state().positions;
  double distance = 0, way = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    distance = std::max(distance, std::abs(found[i] - expected[i]));
    way = std::max(way, std::abs(turned_state.positions[i] - expected[i]));
  }
  return distance / way;
}

/// Only what is built from the Hessian of the rest shape knows its orientation [Liu et al. 2017,
/// sec. 5; thesis Table 7.1], unless the material has none there.
bool knows_the_rest_orientation(const SolverSettings& settings, const std::string& material) {
  for (const char* const free : {"polynomial", "strain_limit", "membrane_woven_limit"}) {
    if (material == free) return false;
  }
  if (reads(settings.method, "initial_hessian") && settings.initial_hessian == InitialHessian::rest)
    return true;
  return uses_linear_solver(settings) && settings.linear_solver != LinearSolver::direct &&
         settings.preconditioner == PreconditionerType::rest;
}

TEST_P(EverySolver, TurningTheSceneChangesNothingButWhereTheRestHessianIsUsed) {
  for (const Problem& problem : problems()) {
    SCOPED_TRACE(problem.material);
    if (!runs(GetParam(), problem)) continue;
    const double change =
        change_by_turning(GetParam(), problem.material, problem.scene.damping.stiffness);
    if (knows_the_rest_orientation(GetParam().settings, problem.material)) {
      EXPECT_GT(change, 1e-6);
    } else {
      // Rounding, magnified by the conditions of the systems.
      EXPECT_LT(change, 1e-8);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, EverySolver, testing::ValuesIn(all_variants()),
                         [](const auto& variant) { return variant.param.name; });

}  // namespace
}  // namespace supple

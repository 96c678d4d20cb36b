#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "sim/test_scenes.h"
#include "supple/error.h"

/// Colliders and materials that change while a simulation runs.
namespace supple {
namespace {

using test::expect_same_bits;
using test::fresh;
using test::run;

struct Method {
  std::string method;
  const char *initial_hessian = "laplacian", *linear_solver = "direct", *preconditioner = "jacobi";
};

void PrintTo(const Method& method, std::ostream* out) {
  *out << method.method << ", " << method.initial_hessian << ", " << method.linear_solver << ", "
       << method.preconditioner;
}

void use(const Method& method, Scene& scene) {
  scene.solver.method = from_string<SolverMethod>(method.method);
  scene.solver.initial_hessian = from_string<InitialHessian>(method.initial_hessian);
  scene.solver.linear_solver = from_string<LinearSolver>(method.linear_solver);
  scene.solver.preconditioner = from_string<PreconditionerType>(method.preconditioner);
}

/// Methods that keep nothing of the materials that takes long to make.
std::vector<Method> without_matrix() {
  std::vector<Method> list = {{"l_bfgs", "identity"},
                              {"l_bfgs", "frame"},
                              {"l_bfgs", "frame", "cg", "incomplete_cholesky"},
                              {"newton", "laplacian", "cg"}};
  for (const Description& solver : list_solvers()) {
    if (solver.name == "l_bfgs" || solver.name == "quasi_newton" || solver.name == "chebyshev" ||
        solver.name == "projective_dynamics") {
      continue;
    }
    list.push_back({solver.name});
  }
  return list;
}

std::vector<Method> with_matrix() {
  return {{"l_bfgs"},
          {"quasi_newton"},
          {"chebyshev"},
          {"projective_dynamics"},
          {"l_bfgs", "rest"},
          {"l_bfgs", "warped_rest"},
          {"quasi_newton", "rest", "cg"},
          {"l_bfgs", "laplacian", "cg", "incomplete_cholesky"},
          {"newton", "laplacian", "cg", "laplacian"},
          {"newton", "laplacian", "cg", "rest"}};
}

std::vector<Method> all_methods() {
  std::vector<Method> list = without_matrix();
  const std::vector<Method> more = with_matrix();
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

Scene bar(const std::string& material) { return test::twisting_bar({6, 2, 2}, material); }

double distance(const Simulation& a, const Simulation& b) {
  const std::vector<double> x = a.state().positions, y = b.state().positions;
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
  return largest;
}

/// The message of an Error; empty if there is none.
std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    return error.what();
  }
  return "";
}

// ---------------------------------------------------------------------------------- colliders

Collider ground(double height) {
  Collider collider{"ground", PlaneShape{{0, 1, 0}, height}, {}};
  collider.motion.velocity = {0.3, 0, 0};
  return collider;
}

/// Successive sets of colliders. Every second one touches the bar, which reaches from -0.5 to 0.5 m
/// in y.
std::vector<std::vector<Collider>> collider_sets() {
  const Collider ball{"ball", SphereShape{{0.5, 0.7, 0}, 0.4}, {}};
  const Collider post{"post", CapsuleShape{{-0.6, 0, -1}, {-0.6, 0, 1}, 0.3}, {}};
  return {{}, {ground(-0.4)}, {ground(-0.3), ball}, {post}, {}, {ball, post, ground(-0.45)}};
}

TEST(SetColliders, EveryStepOfEverySolverIsThatOfASimulationBuiltWithThem) {
  for (const Method& method : all_methods()) {
    SCOPED_TRACE(testing::PrintToString(method));
    Scene scene = bar(test::material_of(method.method));
    use(method, scene);
    scene.solver.iterations = 3;
    scene.solver.multipliers = XpbdMultipliers::kept;
    scene.contact.friction = 0.4;
    scene.time.substeps = 2;
    Simulation simulation(scene, {.threads = 1});
    int touches = 0;
    for (const std::vector<Collider>& colliders : collider_sets()) {
      simulation.set_colliders(colliders);
      EXPECT_EQ(simulation.scene().colliders.size(), colliders.size());
      Simulation built = fresh(simulation);
      for (int frame = 0; frame < 2; ++frame) {
        const StepReport report = simulation.step(), expected = built.step();
        EXPECT_EQ(report.contacts, expected.contacts);
        touches += report.contacts > 0 ? 1 : 0;
        EXPECT_TRUE(report.contacts == 0 || !colliders.empty());
        EXPECT_EQ(report.gradient_norm, expected.gradient_norm);
        expect_same_bits(simulation, built);
      }
    }
    EXPECT_GE(touches, 4) << "of the eight steps with colliders";
  }
}

TEST(SetColliders, TheIntegratorsFollow) {
  for (const Description& integrator : list_integrators()) {
    SCOPED_TRACE(integrator.name);
    Scene scene = bar("neo_hookean");
    scene.time.integrator = from_string<TimeIntegrator>(integrator.name);
    scene.time.step = 1e-3;
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 2);
    for (const std::vector<Collider>& colliders : collider_sets()) {
      simulation.set_colliders(colliders);
      Simulation built = fresh(simulation);
      run(simulation, 2);
      run(built, 2);
      expect_same_bits(simulation, built);
    }
  }
}

TEST(SetColliders, TheBitsDoNotDependOnThreads) {
  const auto motion = [](int threads) {
    Simulation simulation(test::twisting_bar({16, 5, 5}, "neo_hookean"), {.threads = threads});
    for (const std::vector<Collider>& colliders : collider_sets()) {
      simulation.set_colliders(colliders);
      run(simulation, 2);
    }
    return simulation.state().positions;
  };
  const std::vector<double> expected = motion(1);
  for (const int threads : {2, 3}) EXPECT_EQ(motion(threads), expected);
}

TEST(SetColliders, WhatIsNoColliderIsRefusedAsByTheConstructorAndHarmsNothing) {
  for (const char* method : {"l_bfgs", "pbd"}) {
    for (const bool has_some : {false, true}) {
      Scene scene = bar("neo_hookean");
      scene.solver.method = from_string<SolverMethod>(method);
      if (has_some) scene.colliders = {ground(-0.4)};
      Simulation simulation(scene, {.threads = 1}), unharmed(scene, {.threads = 1});
      std::vector<std::vector<Collider>> bad(3, {ground(-0.4), ground(-0.3)});
      bad[0][1].shape = SphereShape{{0, 0, 0}, -1};
      bad[1][1].shape = PlaneShape{{0, 0, 0}, 0};
      bad[2][0].motion.velocity = {NAN, 0, 0};
      for (const std::vector<Collider>& colliders : bad) {
        Scene bad_scene = scene;
        bad_scene.colliders = colliders;
        const std::string expected = message_of([&] { const Simulation built(bad_scene); });
        ASSERT_NE(expected, "");
        EXPECT_EQ(message_of([&] { simulation.set_colliders(colliders); }), expected);
        EXPECT_EQ(simulation.scene().colliders.size(), scene.colliders.size());
        run(simulation, 1);
        run(unharmed, 1);
        expect_same_bits(simulation, unharmed);
      }
    }
  }
  // Without colliders the settings of contact are not checked.
  Scene scene = bar("neo_hookean");
  scene.contact.stiffness = -1;
  Simulation simulation(scene, {.threads = 1});
  EXPECT_NE(message_of([&] { simulation.set_colliders({ground(0)}); }).find("/contact/stiffness"),
            std::string::npos);
}

TEST(SetColliders, ThoseSetMeanwhileAreInBothScenes) {
  const Scene scene = bar("neo_hookean");
  Scene next = bar("stvk");
  next.colliders = {ground(-0.2)};
  Simulation simulation(scene, {.threads = 1}), expected(scene, {.threads = 1});
  simulation.change(next, 2);
  for (Simulation* each : {&simulation, &expected}) {
    each->set_colliders({ground(-0.45)});
    run(*each, 1);
    EXPECT_NE(message_of([&] { each->set_colliders({{"", SphereShape{{0, 0, 0}, -1}, {}}}); }), "");
    each->set_colliders({ground(-0.4), ground(-0.35)});
    run(*each, 1);
  }
  expect_same_bits(simulation, expected);
  expected.change(next);
  expected.set_colliders({ground(-0.4), ground(-0.35)});
  EXPECT_EQ(simulation.step().change, SceneChange::done);
  run(expected, 1);
  expect_same_bits(simulation, expected);
  EXPECT_EQ(simulation.scene().colliders.size(), 2U);
}

// ----------------------------------------------------------------------------------- materials

/// Twice as stiff, another model, and a stiffness that varies from tet to tet; whatever a solver
/// does not run is left out.
std::vector<MaterialSettings> other_materials(const std::string& solver, const Scene& scene) {
  std::vector<MaterialSettings> list;
  MaterialSettings material = scene.bodies[0].material;
  material.mu = 2 * material.mu.value;
  list.push_back(material);
  material.mu.per_tet.resize(scene.bodies[0].mesh.tets.size());
  for (std::size_t t = 0; t < material.mu.per_tet.size(); ++t) {
    material.mu.per_tet[t] = material.mu.value * (0.5 + 0.01 * static_cast<double>(t % 50));
  }
  list.push_back(material);
  for (const Description& model : list_materials()) {
    if (test::runs(solver, model.name)) list.push_back(test::soft_material(model.name));
  }
  list.push_back(scene.bodies[0].material);
  return list;
}

/// Bodies whose elements share ranges, so that another material of one of them moves them to other
/// places: with fibers, a region, a layer, and a body of springs between them.
Scene mixed_scene(const std::string& material, bool with_springs) {
  Scene scene = bar(material);
  scene.gravity = {0, -1, 0};
  Body block = test::free_block(material).bodies[0];
  block.pins.push_back({.vertices = {0, 1}, .stiffness = 1e4});
  block.fibers = {FiberSettings{{1, 1, 0}, 2e4}};
  if (with_springs) scene.bodies.push_back(test::hanging_cloth().bodies[0]);
  scene.bodies.push_back(block);
  Body second = test::free_block(material).bodies[0];
  for (Vec3& vertex : second.mesh.vertices) vertex[1] += 2;
  second.regions.push_back({{{-1, 1, -1}, {0.05, 3, 1}}, test::soft_material(material)});
  second.layers.push_back(test::soft_material(material == "volume" ? "arap" : material));
  scene.bodies.push_back(second);
  return scene;
}

TEST(SetMaterial, MethodsThatKeepNothingHaveTheBitsOfASimulationBuiltWithIt) {
  for (const Method& method : without_matrix()) {
    SCOPED_TRACE(testing::PrintToString(method));
    Scene scene = bar(test::material_of(method.method));
    use(method, scene);
    scene.solver.iterations = 3;
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 2);
    for (const MaterialSettings& material : other_materials(method.method, scene)) {
      SCOPED_TRACE(material.model);
      simulation.set_material(0, material);
      EXPECT_EQ(simulation.scene().bodies[0].material.model, material.model);
      EXPECT_TRUE(simulation.multiplier_stresses().empty());
      Simulation built = fresh(simulation);
      EXPECT_EQ(simulation.energies().elastic, built.energies().elastic);
      run(simulation, 1);
      run(built, 1);
      expect_same_bits(simulation, built);
    }
  }
}

TEST(SetMaterial, OfOneBodyAmongOthersThatShareItsModel) {
  for (const Method& method : without_matrix()) {
    SCOPED_TRACE(testing::PrintToString(method));
    const std::string start = test::material_of(method.method);
    Scene scene = mixed_scene(start, true);
    use(method, scene);
    scene.solver.iterations = 2;
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 1);
    for (const int body : {0, 3, 2}) {
      for (const char* model : {"arap", "stable_neo_hookean", "strain_limit"}) {
        SCOPED_TRACE(std::string(model) + " on " + std::to_string(body));
        simulation.set_material(body, test::soft_material(model));
        Simulation built = fresh(simulation);
        const StepReport report = simulation.step(), expected = built.step();
        EXPECT_EQ(report.objective, expected.objective);
        expect_same_bits(simulation, built);
      }
    }
  }
}

TEST(SetMaterial, TheWaysOfXpbdTakeIt) {
  for (const char* projection : {"stress", "block", "sequential"}) {
    for (const char* multipliers : {"zero", "kept"}) {
      for (const char* order : {"parts", "natural"}) {
        Scene scene = mixed_scene("stable_neo_hookean", false);
        scene.solver.method = SolverMethod::xpbd;
        scene.solver.projection = from_string<XpbdProjection>(projection);
        scene.solver.multipliers = from_string<XpbdMultipliers>(multipliers);
        scene.solver.order = from_string<XpbdOrder>(order);
        scene.solver.precision =
            order == std::string("natural") ? XpbdPrecision::float32 : XpbdPrecision::float64;
        scene.time.substeps = 3;
        scene.solver.iterations = 2;
        Simulation simulation(scene, {.threads = 1});
        run(simulation, 1);
        MaterialSettings incompressible = scene.bodies[1].material;
        incompressible.lambda = std::numeric_limits<double>::infinity();
        for (const MaterialSettings& material : {incompressible, test::soft_material("arap"),
                                                 incompressible, scene.bodies[1].material}) {
          for (const int body : {1, 2}) {
            SCOPED_TRACE(std::string(projection) + multipliers + order + material.model);
            simulation.set_material(body, material);
            Simulation built = fresh(simulation);
            const StepReport report = simulation.step(), expected = built.step();
            EXPECT_EQ(report.gradient_norm, expected.gradient_norm);
            expect_same_bits(simulation, built);
            const auto of_both = {simulation.multiplier_stresses(), built.multiplier_stresses()};
            ASSERT_EQ(of_both.begin()->size(), of_both.begin()[1].size());
            for (std::size_t t = 0; t < of_both.begin()->size(); ++t) {
              ASSERT_EQ((*of_both.begin())[t].deviatoric, of_both.begin()[1][t].deviatoric);
            }
          }
        }
      }
    }
  }
}

TEST(SetMaterial, AStepOfManyIterationsEndsAtTheMinimumOfTheNewMaterial) {
  for (const Method& method : with_matrix()) {
    SCOPED_TRACE(testing::PrintToString(method));
    const bool projective = method.method == "projective_dynamics";
    Scene scene = mixed_scene(projective ? "arap" : "neo_hookean", false);
    use(method, scene);
    scene.solver.iterations = 3000;
    scene.solver.tolerance = 1e-12;
    Scene newton = scene;
    use({"newton"}, newton);
    newton.solver.iterations = 200;
    for (const auto& [model, factor] :
         {std::pair{projective ? "arap" : "stvk", 3.0}, {projective ? "arap" : "corotated", 0.2}}) {
      Simulation simulation(scene, {.threads = 1});
      run(simulation, 1);
      MaterialSettings material = test::soft_material(model);
      material.mu = factor * material.mu.value;
      material.lambda = factor * material.lambda.value;
      simulation.set_material(0, material);
      simulation.set_material(2, material);
      newton.bodies = simulation.scene().bodies;
      Simulation converged(newton, {.threads = 1});
      converged.set_state(simulation.state());
      const StepReport report = simulation.step();
      EXPECT_LT(converged.step().gradient_norm, 1e-2);
      // 1e5 N at first. Rounding of g ends the descent with some 1e-3 N, mostly on the pins of 1e6
      // N/m, where that is 1e-9 m.
      EXPECT_LT(report.gradient_norm, 1e-2);
      EXPECT_LT(distance(simulation, converged), 1e-6);
    }
  }
}

TEST(SetMaterial, NoStepAddsEnergyHoweverFarTheMatrixIsOff) {
  for (const Method& method : with_matrix()) {
    SCOPED_TRACE(testing::PrintToString(method));
    for (const double factor : {1e3, 1e-3}) {
      Scene scene = bar(test::material_of(method.method));
      use(method, scene);
      scene.solver.iterations = 2;
      for (Pin& pin : scene.bodies[0].pins) pin.motion = {};
      scene.bodies[0].initial = Stretch{{1.2, 0.9, 0.95}};
      Simulation simulation(scene, {.threads = 1});
      run(simulation, 2);
      MaterialSettings material = scene.bodies[0].material;
      material.mu = factor * material.mu.value;
      material.lambda = factor * material.lambda.value;
      simulation.set_material(0, material);
      const auto energy = [&] {
        const Energies e = simulation.energies();
        return e.kinetic + e.elastic + e.pins;
      };
      double before = energy();
      const double at_first = before;
      for (int frame = 0; frame < 10; ++frame) {
        run(simulation, 1);
        // A step ends below its start, up to a hundredth of the energy of free flight.
        EXPECT_LE(energy(), 1.01 * before) << frame;
        before = energy();
      }
      EXPECT_LT(before, at_first);
    }
  }
}

TEST(SetMaterial, TheOldOneComesBackWithItsBits) {
  for (const Method& method : with_matrix()) {
    SCOPED_TRACE(testing::PrintToString(method));
    Scene scene = bar(test::material_of(method.method));
    use(method, scene);
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 1);
    const MaterialSettings other = other_materials(method.method, scene)[1];
    simulation.set_material(0, other);
    run(simulation, 1);
    simulation.set_material(0, scene.bodies[0].material);
    Simulation built = fresh(simulation);
    run(simulation, 2);
    run(built, 2);
    expect_same_bits(simulation, built);
    // And `change` brings a new matrix.
    simulation.set_material(0, other);
    simulation.change(simulation.scene(), 1);
    run(simulation, 1);
    built = fresh(simulation);
    EXPECT_EQ(simulation.step().change, SceneChange::done);
    run(built, 1);
    expect_same_bits(simulation, built);
  }
}

TEST(SetMaterial, GoesTogetherWithOtherPinsAndColliders) {
  for (const Method& method : {Method{"l_bfgs"}, {"projective_dynamics"}, {"l_bfgs", "rest"}}) {
    SCOPED_TRACE(testing::PrintToString(method));
    Scene scene = bar(test::material_of(method.method));
    use(method, scene);
    scene.solver.iterations = 5000;
    scene.solver.tolerance = 1e-10;
    // Two of these matrices hold no contacts. Stiffer contacts leave more of the gradient when g
    // can no longer tell steps apart.
    scene.contact.stiffness = 1e5;
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 1);
    MaterialSettings stiffer = scene.bodies[0].material;
    stiffer.mu = 2 * stiffer.mu.value;
    simulation.set_material(0, stiffer);
    Pin middle{.vertices = {20, 25, 30}, .stiffness = 1e5};
    middle.motion.velocity = {0, 0.3, 0};
    std::vector<Pin> pins = scene.bodies[0].pins;
    pins.push_back(middle);
    simulation.set_pins(0, pins);
    simulation.set_colliders({ground(-0.45)});
    Simulation built = fresh(simulation);
    run(built, 1);
    const StepReport report = simulation.step();
    EXPECT_GT(report.contacts, 0);
    EXPECT_LT(report.gradient_norm, 1e-2);
    EXPECT_LT(distance(simulation, built), 1e-6);
  }
}

TEST(SetMaterial, TheIntegratorsFollow) {
  for (const Description& integrator : list_integrators()) {
    SCOPED_TRACE(integrator.name);
    Scene scene = bar("neo_hookean");
    scene.time.integrator = from_string<TimeIntegrator>(integrator.name);
    scene.time.step = 1e-3;
    scene.solver.method = SolverMethod::newton;
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 2);
    for (const MaterialSettings& material : other_materials("newton", scene)) {
      simulation.set_material(0, material);
      Simulation built = fresh(simulation);
      run(simulation, 2);
      run(built, 2);
      expect_same_bits(simulation, built);
    }
  }
}

TEST(SetMaterial, TheBitsDoNotDependOnThreads) {
  for (const char* method : {"l_bfgs", "vertex_block_descent", "xpbd", "projective_dynamics"}) {
    const auto motion = [&](int threads) {
      Scene scene = test::twisting_bar({16, 5, 5}, "arap");
      scene.solver.method = from_string<SolverMethod>(method);
      scene.solver.iterations = 3;
      Simulation simulation(scene, {.threads = threads});
      for (const char* model : {"strain_limit", "arap", "volume"}) {
        run(simulation, 1);
        simulation.set_material(0, test::soft_material(model));
      }
      run(simulation, 1);
      return simulation.state().positions;
    };
    const std::vector<double> expected = motion(1);
    for (const int threads : {2, 3}) EXPECT_EQ(motion(threads), expected) << method;
  }
}

TEST(SetMaterial, WhatCannotBeIsRefusedAsByTheConstructorAndHarmsNothing) {
  for (const char* method : {"l_bfgs", "projective_dynamics", "xpbd", "vertex_block_descent"}) {
    Scene scene = bar("arap");
    scene.solver.method = from_string<SolverMethod>(method);
    Simulation simulation(scene, {.threads = 1}), unharmed(scene, {.threads = 1});
    std::vector<MaterialSettings> bad(5, scene.bodies[0].material);
    bad[0].mu = -1;
    bad[1].mu.per_tet = {1, 2, 3};
    bad[2].model = "arrap";
    bad[3].model = "spline";
    bad[3].spline_a = {};
    bad[4].mu = 0;
    for (const char* model : {"neo_hookean", "stable_neo_hookean"}) {
      if (!test::runs(method, model)) bad.push_back(test::soft_material(model));
    }
    for (const MaterialSettings& material : bad) {
      Scene bad_scene = scene;
      bad_scene.bodies[0].material = material;
      const std::string expected = message_of([&] { const Simulation built(bad_scene); });
      ASSERT_NE(expected, "");
      EXPECT_EQ(message_of([&] { simulation.set_material(0, material); }), expected);
      EXPECT_EQ(simulation.scene().bodies[0].material.model, "arap");
      run(simulation, 1);
      run(unharmed, 1);
      expect_same_bits(simulation, unharmed);
    }
    for (const int body : {-1, 1}) {
      EXPECT_NE(message_of([&] { simulation.set_material(body, scene.bodies[0].material); }), "");
    }
  }
  Simulation cloth(test::hanging_cloth(), {.threads = 1});
  EXPECT_NE(message_of([&] {
              cloth.set_material(0, test::soft_material("arap"));
            }).find("/bodies/0/material"),
            std::string::npos);
}

TEST(SetMaterial, TheSceneThatWaitsKeepsItsOwn) {
  const Scene scene = bar("neo_hookean"), next = bar("stvk");
  Simulation simulation(scene, {.threads = 1}), expected(scene, {.threads = 1});
  simulation.change(next, 1);
  for (Simulation* each : {&simulation, &expected}) {
    each->set_material(0, test::soft_material("corotated"));
    run(*each, 1);
  }
  expect_same_bits(simulation, expected);
  expected.change(next);
  EXPECT_EQ(simulation.step().change, SceneChange::done);
  run(expected, 1);
  expect_same_bits(simulation, expected);
  EXPECT_EQ(simulation.scene().bodies[0].material.model, "stvk");
}

TEST(SetMaterial, PbdReadsNone) {
  Scene scene = bar("neo_hookean");
  scene.solver.method = SolverMethod::pbd;
  Simulation simulation(scene, {.threads = 1}), same(scene, {.threads = 1});
  simulation.set_material(0, test::soft_material("stvk"));
  run(simulation, 2);
  run(same, 2);
  expect_same_bits(simulation, same);
  EXPECT_NE(simulation.energies().elastic, same.energies().elastic);
}

}  // namespace
}  // namespace supple

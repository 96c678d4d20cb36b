#include "supple/warnings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/test_scenes.h"

namespace supple {
namespace {

/// A box of 0.5 m and 125 kg: weight times size is 613 J.
Scene heavy_block() {
  Scene scene = test::free_block("neo_hookean");
  scene.gravity = {0, -9.81, 0};
  return scene;
}

std::vector<Warning> warnings_of(const std::vector<StepReport>& reports,
                                 const Energies& energies = {}) {
  RunWatch watch(heavy_block());
  for (std::size_t i = 0; i < reports.size(); ++i) {
    watch.add(static_cast<std::int64_t>(i) + 1, reports[i], energies);
  }
  return watch.warnings();
}

void expect_one(const std::vector<Warning>& warnings, const std::string& code, std::int64_t first,
                std::int64_t last) {
  ASSERT_EQ(warnings.size(), 1U) << code;
  EXPECT_EQ(warnings[0].code, code);
  EXPECT_EQ(warnings[0].first_frame, first);
  EXPECT_EQ(warnings[0].last_frame, last);
}

TEST(Warnings, AreNoneWhenAllIsWell) {
  EXPECT_TRUE(RunWatch(heavy_block()).warnings().empty());
  EXPECT_TRUE(
      warnings_of({{}, {.contacts = 7, .contact_energy = 1e-3, .unconverged = 1.05}}).empty());
}

TEST(Warnings, SayHowSoftABodyActed) {
  const std::vector<Warning> soft = warnings_of({{}, {.unconverged = 40}, {.unconverged = 42}});
  expect_one(soft, "unconverged", 2, 3);
  EXPECT_NE(soft[0].text.find("about 40 times softer"), std::string::npos) << soft[0].text;
  const std::vector<Warning> held = warnings_of({{.unconverged = 1e-3}});
  expect_one(held, "unconverged", 1, 1);
  EXPECT_NE(held[0].text.find("stiffer"), std::string::npos) << held[0].text;
}

TEST(Warnings, ComeOfThreeSoftFramesAmongManyAndNotOfOne) {
  std::vector<StepReport> reports(100);
  reports[10].unconverged = 30;
  EXPECT_TRUE(warnings_of(reports).empty());
  reports[60].unconverged = reports[61].unconverged = reports[62].unconverged = 30;
  expect_one(warnings_of(reports), "unconverged", 11, 63);
}

TEST(Warnings, ComeOfATenthThatStays) {
  std::vector<StepReport> reports(100);
  for (StepReport& report : reports) report.unconverged = 1.09;
  EXPECT_TRUE(warnings_of(reports).empty());
  for (StepReport& report : reports) report.unconverged = 1.11;
  expect_one(warnings_of(reports), "unconverged", 1, 100);
}

TEST(Warnings, NameAMatrixThatKnowsShearFromVolumeWhereNothingTouches) {
  Scene scene = heavy_block();
  for (const bool touches : {false, true}) {
    if (touches) scene.colliders.push_back({"ground", PlaneShape{}, {}});
    RunWatch watch(scene);
    watch.add(1, {.unconverged = 2});
    EXPECT_EQ(watch.warnings().at(0).text.find("warped_rest") == std::string::npos, touches);
  }
  // That matrix hardly brings cloth nearer to its minimum.
  RunWatch watch(test::hanging_cloth());
  watch.add(1, {.unconverged = 2});
  EXPECT_EQ(watch.warnings().at(0).text.find("warped_rest"), std::string::npos);
}

TEST(Warnings, NameTheMethodThatFollowsClothAndStrands) {
  Scene scene;
  scene.bodies = {test::rod_body(generate(StrandGenerator{.end = {0.2, 0, 0}, .segments = 4}))};
  const auto names_newton = [&scene] {
    RunWatch watch(scene);
    watch.add(1, {.unconverged = 40}, {});
    const std::string text = watch.warnings().at(0).text;
    return text.find("use newton, which follows cloth") != std::string::npos;
  };
  for (const SolverMethod method : {SolverMethod::l_bfgs, SolverMethod::xpbd}) {
    scene.solver.method = method;
    EXPECT_TRUE(names_newton()) << to_string(method);
  }
  scene.solver.method = SolverMethod::newton;
  EXPECT_FALSE(names_newton());
  // With a body of tets beside it, as many iterations of Newton's method cost much more.
  scene.solver.method = SolverMethod::l_bfgs;
  scene.bodies.push_back(heavy_block().bodies[0]);
  EXPECT_FALSE(names_newton());
}

TEST(Warnings, ComeOfMostFramesThatActAsSoft) {
  // The mean is less than 1.1: 1.12^0.8 and 1.12^0.6.
  for (const int soft : {3, 4}) {
    std::vector<StepReport> reports(100);
    for (std::size_t i = 0; i < reports.size(); ++i) {
      reports[i].unconverged = static_cast<int>(i % 10) < 2 * soft ? 1.12 : 1;
    }
    expect_one(warnings_of(reports), "unconverged", 1, 90 + 2 * soft);
  }
  std::vector<StepReport> some(100);
  for (std::size_t i = 0; i < some.size(); i += 3) some[i].unconverged = 1.2;
  EXPECT_TRUE(warnings_of(some).empty());
}

TEST(Warnings, ComeOfAMotionThatIsOffThoughItsStepsAreNearlyRight) {
  std::vector<StepReport> reports(30);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    reports[i].unconverged = 1.06;
    reports[i].drift = 0.0014 * static_cast<double>(i);
  }
  EXPECT_TRUE(warnings_of(reports).empty());
  reports.back().drift = 0.06;
  const std::vector<Warning> warnings = warnings_of(reports);
  expect_one(warnings, "unconverged", 1, 30);
  EXPECT_NE(warnings[0].text.find("by 6 % of its largest displacement"), std::string::npos);
  reports.back().drift = 0;
  for (StepReport& report : reports) report.friction_error = 0.09;
  EXPECT_TRUE(warnings_of(reports).empty());
  reports.back().friction_error = 0.25;
  EXPECT_NE(warnings_of(reports).at(0).text.find("by 25 % of its largest"), std::string::npos);
  // Soft steps are reported as such.
  for (StepReport& report : reports) report.unconverged = 1.2;
  EXPECT_NE(warnings_of(reports)[0].text.find("softer"), std::string::npos);
}

TEST(Warnings, SayThatEnergyWasGained) {
  // A share of 613 J, or of 1e4 J if the block had that much.
  expect_one(warnings_of({{}, {.energy_gain = 10}}), "energy_gain", 2, 2);
  EXPECT_TRUE(warnings_of({{.energy_gain = 5}}).empty());
  EXPECT_TRUE(warnings_of({{.energy_gain = 50}}, {.kinetic = 1e4}).empty());
}

TEST(Warnings, HoldEnergyThatIsGainedAgainstWhatBodiesHaveBeyondTheirRest) {
  // At rest the material holds mu^2/(2 lambda) = 625 Pa in 0.125 m^3.
  Scene scene = test::free_block("stable_neo_hookean");
  MaterialSettings& material = scene.bodies[0].material;
  material.mu = 5e4;
  material.lambda = 2e6;
  const auto is_said = [&scene](double gain) {
    RunWatch watch(scene);
    watch.add(1, {.energy_gain = gain}, {.kinetic = 15, .elastic = 625 * 0.125});
    return !watch.warnings().empty();
  };
  EXPECT_FALSE(is_said(0.1));
  EXPECT_TRUE(is_said(0.2));
  // The same material in a region of the body.
  scene.bodies[0].regions = {{{{-9, -9, -9}, {9, 9, 9}}, material}};
  material = test::soft_material("neo_hookean");
  EXPECT_TRUE(is_said(0.2));
}

TEST(Warnings, HoldTheEnergyThatAClothGainsAgainstItsWeight) {
  // 0.3 kg; its square of 1 m counts as large as a cube of 0.816 m: 2.4 J.
  for (const double gain : {0.023, 0.025}) {
    RunWatch watch(test::hanging_cloth());
    watch.add(1, {.energy_gain = gain}, {});
    EXPECT_EQ(watch.warnings().size(), gain > 0.024 ? 1U : 0U) << gain;
  }
}

TEST(Warnings, SayThatBackwardEulerTookSteps) {
  expect_one(warnings_of({{}, {.steady_substeps = 2}, {}}), "step_too_large", 2, 2);
}

TEST(Warnings, SayWhatContactDidWrong) {
  expect_one(warnings_of({{}, {.deepest_penetration = 0.006}, {}}), "deep_contact", 2, 2);
  EXPECT_TRUE(warnings_of({{.deepest_penetration = 0.004}}).empty());  // 1 % is 0.005 m
  expect_one(warnings_of({{.tunnelled = 1}}), "tunnelled", 1, 1);
}

TEST(Warnings, TakeABodyForAsLargeHoweverItIsTurned) {
  Scene turned = heavy_block();
  // By 45 degrees about z and then about x: its box is nearly twice as wide.
  const double c = std::sqrt(0.5);
  for (Vec3& x : turned.bodies[0].mesh.vertices) {
    x = {c * (x[0] - x[1]), c * (x[0] + x[1]), x[2]};
    x = {x[0], c * (x[1] - x[2]), c * (x[1] + x[2])};
  }
  for (const double depth : {0.0049, 0.0051}) {
    RunWatch watch(turned);
    watch.add(1, {.deepest_penetration = depth}, {});
    EXPECT_EQ(watch.warnings().size(), depth > 0.005 ? 1U : 0U) << depth;
  }
}

TEST(Warnings, TellTetsThatRecoveredFromThoseThatDidNot) {
  const auto passing = warnings_of({{.inverted_tets = 3}, {.inverted_tets = 2}, {}});
  expect_one(passing, "inverted", 1, 2);
  EXPECT_NE(passing[0].text.find("none at the end"), std::string::npos) << passing[0].text;
  const auto lasting = warnings_of({{}, {.inverted_tets = 2}});
  expect_one(lasting, "inverted", 2, 2);
  EXPECT_NE(lasting[0].text.find("2 tets are inside out"), std::string::npos) << lasting[0].text;
}

TEST(Warnings, SpeakOfOneThingInTheSingular) {
  const auto text = [](const StepReport& report) { return warnings_of({report})[0].text; };
  EXPECT_EQ(text({.inverted_tets = 1}), "1 tet is inside out at the end (at most 1)");
  EXPECT_EQ(text({.inverted_tets = 2}), "2 tets are inside out at the end (at most 2)");
  EXPECT_EQ(warnings_of({{.inverted_tets = 1}, {}})[0].text,
            "up to 1 tet was inside out, none at the end");
  EXPECT_NE(text({.tunnelled = 1}).find("1 point per frame"), std::string::npos);
  EXPECT_NE(text({.tunnelled = 2}).find("2 points per frame"), std::string::npos);
  EXPECT_NE(text({.steady_substeps = 2}).find("1 frame would"), std::string::npos);
}

TEST(Warnings, NameAMaterialThatStaysCrushed) {
  for (const double poisson : {0.2, 0.3}) {
    Scene scene = heavy_block();
    const auto [mu, lambda] = lame_parameters(1e5, poisson);
    scene.bodies[0].material = {.model = "stable_neo_hookean", .mu = mu, .lambda = lambda};
    RunWatch watch(scene);
    watch.add(1, {.inverted_tets = 3});
    const std::vector<Warning> warnings = watch.warnings();
    expect_one(warnings, "inverted", 1, 1);
    EXPECT_EQ(warnings[0].text.find("crushed") != std::string::npos, poisson < 0.25);
  }
}

TEST(Warnings, TheShareOfUnbalancedForceIsThatOfTheMedianFrame) {
  RunWatch watch(heavy_block());
  EXPECT_EQ(watch.unbalanced_share(), 0);
  watch.add(1, {.gradient_norm = 30, .force_scale = 10});
  watch.add(2, {.gradient_norm = 5, .force_scale = 10});
  watch.add(3, {.gradient_norm = 20, .force_scale = 1000});
  EXPECT_EQ(watch.unbalanced_share(), 0.5);  // shares 3, 0.5, 0.02: the least scale is 1000/100
  expect_one(watch.warnings(), "step_too_large", 1, 3);
}

TEST(Warnings, AreSilentAboutTetsThatTheSceneTurnedOverUntilTheyWereRight) {
  Scene scene = heavy_block();
  scene.bodies[0].initial = Randomize{{{-1, -1, -1}, {1, 1, 1}}, 1};
  RunWatch watch(scene);
  watch.add(1, {.inverted_tets = 50});
  watch.add(2, {.inverted_tets = 2});
  expect_one(watch.warnings(), "inverted", 1, 2);  // reported so far
  watch.add(3, {});
  EXPECT_TRUE(watch.warnings().empty());
  watch.add(4, {.inverted_tets = 1});
  expect_one(watch.warnings(), "inverted", 4, 4);
}

TEST(Warnings, NameTetsThatAreTooFlatForTheMethod) {
  Scene scene = heavy_block();
  TetMesh& mesh = scene.bodies[0].mesh;
  // A tet on the base of the first one, with a millionth of its height.
  const auto tet = mesh.tets[0];
  const auto corner = [&](std::size_t k) {
    return mesh.vertices[static_cast<std::size_t>(tet[k])];
  };
  Vec3 apex;
  for (std::size_t k = 0; k < 3; ++k) {
    const double base = (corner(0)[k] + corner(1)[k] + corner(2)[k]) / 3;
    apex[k] = base + 1e-6 * (corner(3)[k] - base);
  }
  mesh.vertices.push_back(apex);
  mesh.tets.push_back({tet[0], tet[1], tet[2], static_cast<int>(mesh.vertices.size()) - 1});
  for (const char* method : {"xpbd", "vertex_block_descent", "gauss_seidel"}) {
    scene.solver.method = from_string<SolverMethod>(method);
    RunWatch watch(scene);
    watch.add(1, {});
    const std::vector<Warning> warnings = watch.warnings();
    expect_one(warnings, "poor_elements", 1, 1);
    EXPECT_EQ(warnings[0].text.rfind("1 tet is nearly flat", 0), 0U) << warnings[0].text;
  }
  // Methods with a matrix of the whole body give the right result with it.
  for (const char* method : {"l_bfgs", "newton", "quasi_newton"}) {
    scene.solver.method = from_string<SolverMethod>(method);
    RunWatch watch(scene);
    watch.add(1, {});
    EXPECT_TRUE(watch.warnings().empty()) << method;
  }
}

}  // namespace
}  // namespace supple

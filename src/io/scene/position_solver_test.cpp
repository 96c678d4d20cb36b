#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "io/scene/test_scene.h"
#include "sim/stepper.h"

/// What scenes can set for position-based methods.
namespace supple::test {
namespace {

struct Key {
  const char* name;
  const char* value;
  std::vector<std::string> readers;
};

const std::vector<Key>& keys() {
  static const std::vector<Key> all = {
      {"projection", "block", {"xpbd"}}, {"multipliers", "kept", {"xpbd"}},
      {"order", "natural", {"xpbd"}},    {"precision", "float", {"xpbd"}},
      {"stiffness", "0.25", {"pbd"}},    {"volume_stiffness", "0.75", {"pbd"}}};
  return all;
}

TEST(PositionSolverKeys, AreReadByTheirMethodsAlone) {
  for (const Key& key : keys()) {
    for (const Description& solver : list_solvers()) {
      SCOPED_TRACE(solver.name + " " + key.name);
      const bool read =
          std::find(key.readers.begin(), key.readers.end(), solver.name) != key.readers.end();
      const std::vector<Override> overrides = {
          {"/solver/method", solver.name},
          {"/bodies/0/material", R"({"model": "arap", "mu": 1e5})"},
          {std::string("/solver/") + key.name, key.value}};
      if (read) {
        parse(smallest_scene, overrides);
        continue;
      }
      const Error error = error_of(smallest_scene, overrides);
      EXPECT_EQ(error.where(), std::string("bar.json: /solver/") + key.name);
      EXPECT_EQ(error.message(), solver.name + " does not use it; used by " + key.readers.front());
    }
  }
}

TEST(PositionSolverKeys, HaveTheirValues) {
  const std::vector<Override> material = {
      {"/bodies/0/material", R"({"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.4})"}};
  const auto solver = [&](std::vector<Override> overrides) {
    overrides.push_back(material[0]);
    return parse(smallest_scene, overrides).scene.solver;
  };
  const SolverSettings defaults = solver({{"/solver/method", "xpbd"}});
  EXPECT_EQ(defaults.projection, XpbdProjection::stress);
  EXPECT_EQ(defaults.multipliers, XpbdMultipliers::zero);
  EXPECT_EQ(defaults.order, XpbdOrder::parts);
  EXPECT_EQ(defaults.precision, XpbdPrecision::float64);
  const SolverSettings xpbd = solver({{"/solver/method", "xpbd"},
                                      {"/solver/projection", "sequential"},
                                      {"/solver/multipliers", "kept"},
                                      {"/solver/order", "cells"},
                                      {"/solver/precision", "float"}});
  EXPECT_EQ(xpbd.projection, XpbdProjection::sequential);
  EXPECT_EQ(xpbd.multipliers, XpbdMultipliers::kept);
  EXPECT_EQ(xpbd.order, XpbdOrder::cells);
  EXPECT_EQ(xpbd.precision, XpbdPrecision::float32);
  const SolverSettings pbd = solver(
      {{"/solver/method", "pbd"}, {"/solver/stiffness", "0"}, {"/solver/volume_stiffness", "1"}});
  EXPECT_EQ(pbd.stiffness, 0);
  EXPECT_EQ(pbd.volume_stiffness, 1);
}

TEST(PositionSolverKeys, OfOtherValuesAreRefused) {
  struct Case {
    const char *method, *key, *value, *message;
  };
  for (const Case& c :
       {Case{"xpbd", "projection", "sequentiel", "did you mean 'sequential'?"},
        Case{"xpbd", "multipliers", "warm", "zero, kept"},
        Case{"xpbd", "order", "colors", "did you mean 'colours'?"},
        Case{"xpbd", "precision", "half", "double, float"},
        Case{"pbd", "stiffness", "1.5", "1.5 is out of range"},
        Case{"pbd", "volume_stiffness", "-0.1", "-0.1 is out of range"},
        Case{"xpbd", "start", "inertia", "free flight"},
        Case{"pbd", "start", "extrapolated", "free flight"},
        Case{"step_and_project", "stiffness_range", "[0.5, 1.5]", "fits no constant stiffness"}}) {
    const std::string key = std::string("/solver/") + c.key;
    const Error error = error_of(smallest_scene, {{"/solver/method", c.method}, {key, c.value}});
    EXPECT_EQ(error.where(), "bar.json: " + key);
    EXPECT_NE(error.message().find(c.message), std::string::npos) << error.message();
  }
}

const char* const incompressible =
    R"({"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.5})";

TEST(IncompressibleMaterial, IsForMethodsThatKeepVolumeAsAConstraint) {
  for (const Description& solver : list_solvers()) {
    SCOPED_TRACE(solver.name);
    const std::vector<Override> overrides = {{"/solver/method", solver.name},
                                             {"/bodies/0/material", incompressible}};
    if (is_position_based(from_string<SolverMethod>(solver.name))) {
      const Parameter lambda = parse(smallest_scene, overrides).scene.bodies[0].material.lambda;
      EXPECT_EQ(lambda.value, std::numeric_limits<double>::infinity());
      continue;
    }
    const Error error = error_of(smallest_scene, overrides);
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_EQ(error.where(), "bar.json: /bodies/0/material/poisson");
    EXPECT_NE(error.message().find("the solver xpbd"), std::string::npos) << error.message();
  }
}

TEST(IncompressibleMaterial, OfALayerIsNamedThere) {
  const Error error =
      error_of(smallest_scene, {{"/bodies/0/layers", std::string("[") + incompressible + "]"}});
  EXPECT_EQ(error.where(), "bar.json: /bodies/0/layers/0/poisson");
}

TEST(IncompressibleMaterial, OfAnotherModelPointsToTheOneThatCan) {
  const Error error =
      error_of(smallest_scene, {{"/solver/method", "xpbd"}, {"/bodies/0/material/poisson", "0.5"}});
  EXPECT_EQ(error.where(), "bar.json: /bodies/0/material/poisson");
  EXPECT_NE(error.message().find("stable_neo_hookean with the solver xpbd"), std::string::npos);
}

TEST(ConstraintForms, AreNamedWhereAMaterialHasNone) {
  for (const char* method : {"xpbd", "step_and_project"}) {
    const Error error = error_of(smallest_scene, {{"/solver/method", method}});
    EXPECT_EQ(error.where(), "bar.json: /bodies/0/material/model");
    EXPECT_NE(error.message().find("arap, stable_neo_hookean, strain_limit, volume"),
              std::string::npos)
        << error.message();
    EXPECT_NE(error.message().find(method), std::string::npos) << error.message();
  }
  EXPECT_EQ(parse(smallest_scene, {{"/solver/method", "pbd"}}).scene.solver.method,
            SolverMethod::pbd);
}

}  // namespace
}  // namespace supple::test

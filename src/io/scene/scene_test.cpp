#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "io/scene/test_scene.h"
#include "math/motion.h"

namespace supple::test {
namespace {

/// The scene of the documentation with every key set to something other than its default.
const char* const full_scene = R"({
  "supple": 1,                              // version of this format
  "name": "twisting bar",
  "time": { "step": 0.02, "frames": 12, "substeps": 3, "integrator": "backward_euler",
            "sleep_after": 0.5 },
  "gravity": [0.5, -9.5, 0.25],
  "solver": { "method": "l_bfgs", "iterations": 11, "history": 7, "initial_hessian": "laplacian",
              "tolerance": 1e-3, "stiffness_range": [0.75, 1.25],
              "line_search": { "type": "backtracking", "sufficient_decrease": 0.04, "shrink": 0.6 } },
  "bodies": [ {
    "name": "bar",
    "mesh": { "box": { "size": [4, 1, 2], "cells": [4, 1, 2], "center": [0, 1, 0], "tets_per_cell": 6 } },
    "transform": { "scale": 2, "rotate": { "axis": [0, 1, 0], "degrees": 90 }, "translate": [0, 1, 0] },
    "density": 900,
    "material": { "model": "corotated", "young": 1e5, "poisson": 0.45 },
    "regions": [ { "box": [[-9, -9, 0], [9, 9, 9]],
                   "material": { "model": "stvk", "mu": 3e4, "lambda": 4e4 } } ],
    "fiber": { "direction": [1, 0, 2], "kappa": 5e4 },
    "velocity": [1, 2, 3],
    "initial": { "randomize": { "box": [[0, 0, 0], [1, 2, 3]], "seed": 4294967295 } },
    "pins": [ { "select": { "box": [[-9, -9, 3.9], [9, 9, 9]] }, "stiffness": 2e6,
                "motion": { "rotate": { "axis": [1, 0, 0], "center": [0, 1, 0], "degrees_per_second": 45 },
                            "translate": { "velocity": [0, 0.5, 0] } } },
              { "select": { "vertices": [0, 3] },
                "motion": { "keyframes": [ { "time": 0 },
                                           { "time": 2, "translate": [0, 1, 0],
                                             "rotate": { "axis": [0, 0, 1], "center": [1, 0, 0], "degrees": 30 } } ],
                            "repeat": true } } ] },
    { "mesh": { "file": "block.mesh" }, "mass": 3,
      "material": { "model": "neo_hookean", "young": { "field": "young" }, "poisson": { "field": "poisson" } },
      "initial": { "flatten": { "axis": "z" } } },
    { "mesh": { "sphere": { "radius": 2, "cells": 4, "center": [1, 1, 1] } },
      "material": { "model": "mooney_rivlin", "c1": 1, "c2": 2, "bulk": 3 },
      "initial": { "stretch": [1.5, 0.5, 1] }, "damping": { "stiffness": 0.5 } },
    { "mesh": { "cylinder": { "radius": 1, "height": 3, "cells": 4, "layers": 5, "axis": [1, 0, 0] } },
      "material": { "model": "arap", "mu": 5 } },
    { "mesh": { "torus": { "major": 2, "minor": 0.5, "segments": 8, "cells": 2, "axis": [0, 0, 1] } },
      "material": { "model": "spline", "a": [[0, -1], [1, 0], [2, 1]], "c": [[0, -2], [2, 2]] } },
    { "mesh": { "tetrahedron": { "edge": 2 } },
      "material": { "model": "valanis_landel",
                    "a": [ { "coefficient": 2, "power": 2, "about": 1 } ],
                    "c": [ { "coefficient": 3, "log_power": 2 } ] } } ],
  "colliders": [ { "plane": { "normal": [0, 2, 0], "offset": -1 } },
                 { "torus": { "center": [0, -2, 0], "axis": [1, 1, 0], "major": 2, "minor": 0.4 },
                   "motion": { "translate": { "velocity": [1, 0, 0] } } },
                 { "sphere": { "center": [1, 2, 3], "radius": 4 }, "name": "ball" },
                 { "box": { "center": [1, 2, 3], "size": [4, 5, 6], "axis": [1, 0, 0], "degrees": 7 } },
                 { "capsule": { "a": [1, 0, 0], "b": [0, 2, 0], "radius": 3 } },
                 { "cylinder": { "center": [1, 0, 0], "axis": [0, 0, 1], "radius": 2, "height": 3 } },
                 { "mesh": { "file": "block.obj" }, "transform": { "scale": [2, 3, 4] } } ],
  "contact": { "stiffness": 2e5, "friction": 0.3, "bodies": false, "self": true },
  "damping": { "drag": 0.1, "stiffness": 0.02 }
})";

TEST(Scene, TheSettingsLandInTheirFields) {
  const Scene scene = parse(full_scene).scene;
  EXPECT_EQ(scene.name, "twisting bar");
  EXPECT_EQ(scene.time.step, 0.02);
  EXPECT_EQ(scene.time.frames, 12);
  EXPECT_EQ(scene.time.substeps, 3);
  EXPECT_EQ(scene.time.integrator, TimeIntegrator::backward_euler);
  EXPECT_EQ(scene.time.sleep_after, 0.5);
  EXPECT_EQ(scene.gravity, (Vec3{0.5, -9.5, 0.25}));
  EXPECT_EQ(scene.solver.method, SolverMethod::l_bfgs);
  EXPECT_EQ(scene.solver.iterations, 11);
  EXPECT_EQ(scene.solver.history, 7);
  EXPECT_EQ(scene.solver.initial_hessian, InitialHessian::laplacian);
  EXPECT_EQ(scene.solver.tolerance, 1e-3);
  EXPECT_EQ(scene.solver.stiffness_range, std::pair(0.75, 1.25));
  EXPECT_EQ(scene.solver.line_search.type, LineSearchType::backtracking);
  EXPECT_EQ(scene.solver.line_search.sufficient_decrease, 0.04);
  EXPECT_EQ(scene.solver.line_search.shrink, 0.6);
  EXPECT_EQ(scene.contact.stiffness, 2e5);
  EXPECT_EQ(scene.contact.friction, 0.3);
  EXPECT_FALSE(scene.contact.bodies);
  EXPECT_TRUE(scene.contact.self);
  EXPECT_EQ(scene.damping.drag, 0.1);
  EXPECT_EQ(scene.damping.stiffness, 0.02);
}

/// tan(delta) = tau omega of what resists the rate of strain in proportion to its stiffness.
TEST(Scene, ALossFactorIsATimeOfDamping) {
  const Scene scene = parse(R"({ "supple": 1, "bodies": [ { "mesh": { "tetrahedron": {} },
    "material": { "model": "arap", "mu": 5 }, "damping": { "loss_factor": 0.3, "frequency": 4 } } ],
    "damping": { "loss_factor": 0.1, "frequency": 0.5 } })")
                          .scene;
  constexpr double pi = 3.14159265358979323846;
  EXPECT_DOUBLE_EQ(scene.bodies[0].damping->stiffness, 0.3 / (2 * pi * 4));
  EXPECT_DOUBLE_EQ(scene.damping.stiffness, 0.1 / (2 * pi * 0.5));
}

TEST(Scene, TheBodyLandsInItsFields) {
  const Scene scene = parse(full_scene).scene;
  ASSERT_EQ(scene.bodies.size(), 6U);
  const Body& bar = scene.bodies[0];
  EXPECT_EQ(bar.name, "bar");
  EXPECT_EQ(bar.mesh.tets.size(), 4U * 1 * 2 * 6);
  // 4 x 1 x 2 about (0, 1, 0), doubled, turned by 90 degrees about y (x becomes -z), moved up by 1.
  const Box box = bounding_box(bar.mesh.vertices);
  const Box expected{{-2, 2, -4}, {2, 4, 4}};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(box.min[k], expected.min[k], 1e-14);  // rounding of the rotation
    EXPECT_NEAR(box.max[k], expected.max[k], 1e-14);
  }
  EXPECT_EQ(bar.density, 900);
  EXPECT_FALSE(bar.mass);
  EXPECT_FALSE(bar.damping);
  EXPECT_EQ(bar.material.model, "corotated");
  EXPECT_EQ(bar.material.mu.value, lame_parameters(1e5, 0.45).first);
  EXPECT_EQ(bar.material.lambda.value, lame_parameters(1e5, 0.45).second);
  ASSERT_EQ(bar.regions.size(), 1U);
  EXPECT_EQ(bar.regions[0].box.min, (Vec3{-9, -9, 0}));
  EXPECT_EQ(bar.regions[0].box.max, (Vec3{9, 9, 9}));
  EXPECT_EQ(bar.regions[0].material.model, "stvk");
  EXPECT_EQ(bar.regions[0].material.mu.value, 3e4);
  EXPECT_EQ(bar.regions[0].material.lambda.value, 4e4);
  ASSERT_EQ(bar.fibers.size(), 1U);
  EXPECT_EQ(bar.fibers[0].direction, (Vec3{1, 0, 2}));
  EXPECT_EQ(bar.fibers[0].kappa, 5e4);
  EXPECT_EQ(bar.velocity, (Vec3{1, 2, 3}));
  const auto& randomize = std::get<Randomize>(bar.initial);
  EXPECT_EQ(randomize.box.max, (Vec3{1, 2, 3}));
  EXPECT_EQ(randomize.seed, 4294967295U);
  ASSERT_EQ(bar.pins.size(), 2U);
  EXPECT_EQ(bar.pins[0].box.min, (Vec3{-9, -9, 3.9}));
  EXPECT_EQ(bar.pins[0].stiffness, 2e6);
  ASSERT_TRUE(bar.pins[0].motion.rotate);
  EXPECT_EQ(bar.pins[0].motion.rotate->axis, (Vec3{1, 0, 0}));
  EXPECT_EQ(bar.pins[0].motion.rotate->center, (Vec3{0, 1, 0}));
  EXPECT_EQ(bar.pins[0].motion.rotate->degrees_per_second, 45);
  EXPECT_EQ(bar.pins[0].motion.velocity, (Vec3{0, 0.5, 0}));
  EXPECT_EQ(bar.pins[1].vertices, (std::vector<int>{0, 3}));
  EXPECT_EQ(bar.pins[1].stiffness, 1e6);
  EXPECT_TRUE(bar.pins[1].motion.repeat);
  ASSERT_EQ(bar.pins[1].motion.keyframes.size(), 2U);
  EXPECT_EQ(bar.pins[1].motion.keyframes[1].time, 2);
  EXPECT_EQ(bar.pins[1].motion.keyframes[1].translate, (Vec3{0, 1, 0}));
  EXPECT_EQ(bar.pins[1].motion.keyframes[1].degrees, 30);
}

TEST(Scene, LayersAreMaterialsOfTheSameTets) {
  const std::vector<Override> overrides = {{"/bodies/0/mesh", R"({"file": "block.mesh"})"},
                                           {"/bodies/0/layers",
                                            R"([{"model": "volume", "mu": 5},
           {"model": "strain_limit", "mu": {"field": "young"}, "min": 0.9, "max": 1.25}])"}};
  const Scene scene = parse(smallest_scene, overrides).scene;
  const Body& body = scene.bodies[0];
  EXPECT_EQ(body.material.model, "neo_hookean");
  ASSERT_EQ(body.layers.size(), 2U);
  EXPECT_EQ(body.layers[0].model, "volume");
  EXPECT_EQ(body.layers[0].mu.value, 5);
  EXPECT_EQ(body.layers[1].model, "strain_limit");
  EXPECT_EQ(body.layers[1].mu.per_tet.size(), body.mesh.tets.size());
  EXPECT_EQ(body.layers[1].min.value, 0.9);
  EXPECT_EQ(body.layers[1].max.value, 1.25);
}

TEST(Scene, AKeyframeWithoutRotationTakesTheAxisOfTheNext) {
  const Scene scene = parse(full_scene).scene;
  const Keyframe& first = scene.bodies[0].pins[1].motion.keyframes[0];
  EXPECT_EQ(first.axis, (Vec3{0, 0, 1}));
  EXPECT_EQ(first.center, (Vec3{1, 0, 0}));
  EXPECT_EQ(first.degrees, 0);
}

TEST(Scene, TheOtherBodiesLandInTheirFields) {
  const Scene scene = parse(full_scene).scene;
  const Body& block = scene.bodies[1];
  EXPECT_EQ(block.name, "body_1");
  EXPECT_EQ(block.mass, 3);
  ASSERT_EQ(block.material.mu.per_tet.size(), block.mesh.tets.size());
  EXPECT_EQ(block.material.mu.per_tet[5], lame_parameters(1e5 + 5, 0.3).first);
  EXPECT_EQ(block.material.lambda.per_tet[5], lame_parameters(1e5 + 5, 0.3).second);
  EXPECT_EQ(std::get<Flatten>(block.initial).axis, 2);
  EXPECT_EQ(scene.bodies[2].material.c1.value, 1);
  EXPECT_EQ(scene.bodies[2].material.c2.value, 2);
  EXPECT_EQ(scene.bodies[2].material.bulk.value, 3);
  EXPECT_EQ(std::get<Stretch>(scene.bodies[2].initial).factors, (Vec3{1.5, 0.5, 1}));
  ASSERT_TRUE(scene.bodies[2].damping);
  EXPECT_EQ(scene.bodies[2].damping->stiffness, 0.5);
  const Box ball = bounding_box(scene.bodies[2].mesh.vertices);
  EXPECT_NEAR(ball.max[1], 3, 1e-12);  // center 1 and radius 2, to rounding
  EXPECT_EQ(scene.bodies[3].material.mu.value, 5);
  EXPECT_EQ(scene.bodies[4].material.spline_a.points.size(), 3U);
  EXPECT_TRUE(scene.bodies[4].material.spline_b.points.empty());
  EXPECT_EQ(scene.bodies[4].material.spline_c.points[1], std::pair(2.0, 2.0));
}

TEST(Scene, CollidersLandInTheirFields) {
  const Scene scene = parse(full_scene).scene;
  ASSERT_EQ(scene.colliders.size(), 7U);
  EXPECT_EQ(scene.colliders[0].name, "plane_0");
  EXPECT_EQ(std::get<PlaneShape>(scene.colliders[0].shape).normal, (Vec3{0, 2, 0}));
  EXPECT_EQ(std::get<PlaneShape>(scene.colliders[0].shape).offset, -1);
  const auto& torus = std::get<TorusShape>(scene.colliders[1].shape);
  EXPECT_EQ(torus.center, (Vec3{0, -2, 0}));
  EXPECT_EQ(torus.axis, (Vec3{1, 1, 0}));
  EXPECT_EQ(torus.major, 2);
  EXPECT_EQ(torus.minor, 0.4);
  EXPECT_EQ(scene.colliders[1].motion.velocity, (Vec3{1, 0, 0}));
  EXPECT_EQ(scene.colliders[2].name, "ball");
  EXPECT_EQ(std::get<SphereShape>(scene.colliders[2].shape).radius, 4);
  const auto& box = std::get<BoxShape>(scene.colliders[3].shape);
  EXPECT_EQ(box.center, (Vec3{1, 2, 3}));
  EXPECT_EQ(box.size, (Vec3{4, 5, 6}));
  EXPECT_EQ(box.axis, (Vec3{1, 0, 0}));
  EXPECT_EQ(box.degrees, 7);
  const auto& capsule = std::get<CapsuleShape>(scene.colliders[4].shape);
  EXPECT_EQ(capsule.a, (Vec3{1, 0, 0}));
  EXPECT_EQ(capsule.b, (Vec3{0, 2, 0}));
  EXPECT_EQ(capsule.radius, 3);
  const auto& cylinder = std::get<CylinderShape>(scene.colliders[5].shape);
  EXPECT_EQ(cylinder.axis, (Vec3{0, 0, 1}));
  EXPECT_EQ(cylinder.height, 3);
  const auto& mesh = std::get<MeshShape>(scene.colliders[6].shape).mesh;
  EXPECT_EQ(mesh.vertices[3], (Vec3{0, 0, 4}));
}

TEST(Scene, HullsAndHeightFieldsLandInTheirFields) {
  const Scene scene = parse(smallest_scene, {{"/colliders", R"([
      {"convex_hull": {"points": [[0,0,0],[1,0,0],[0,2,0],[0,0,3],[0.1,0.1,0.1]]},
       "transform": {"translate": [0, 1, 0]}, "friction": 0.25, "touches": ["body_0"]},
      {"convex_hull": {"file": "block.obj"}, "transform": {"scale": 2}},
      {"height_field": {"heights": [[0, 1, 2], [3, 4, 5]], "cell": 0.5, "center": [1, 2, 3],
                        "axis": [0, 0, 1], "degrees": 10}, "touches": []},
      {"height_field": {"file": "hills.txt"}, "friction": 0}])"},
                                             {"/bodies/0/touches", R"(["convex_hull_1"])"}})
                          .scene;
  const auto& points = std::get<ConvexHullShape>(scene.colliders[0].shape).points;
  ASSERT_EQ(points.size(), 5U);
  EXPECT_EQ(points[2], (Vec3{0, 3, 0}));
  EXPECT_EQ(scene.colliders[0].friction, 0.25);
  EXPECT_EQ(scene.colliders[0].touches, std::vector<std::string>{"body_0"});
  EXPECT_EQ(std::get<ConvexHullShape>(scene.colliders[1].shape).points[3], (Vec3{0, 0, 2}));
  EXPECT_FALSE(scene.colliders[1].friction);
  EXPECT_FALSE(scene.colliders[1].touches);
  const auto& field = std::get<HeightFieldShape>(scene.colliders[2].shape);
  EXPECT_EQ(field.nx, 3);
  EXPECT_EQ(field.nz, 2);
  EXPECT_EQ(field.heights, (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(field.cell, 0.5);
  EXPECT_EQ(field.center, (Vec3{1, 2, 3}));
  EXPECT_EQ(field.axis, (Vec3{0, 0, 1}));
  EXPECT_EQ(field.degrees, 10);
  EXPECT_EQ(scene.colliders[2].touches, std::vector<std::string>{});
  EXPECT_EQ(std::get<HeightFieldShape>(scene.colliders[3].shape).heights.size(), 6U);
  EXPECT_EQ(scene.colliders[3].friction, 0.0);
  EXPECT_EQ(scene.bodies[0].touches, std::vector<std::string>{"convex_hull_1"});
}

TEST(Scene, FunctionsOfTermsHaveTheirDerivatives) {
  const Scene scene = parse(full_scene).scene;
  const MaterialSettings& material = scene.bodies[5].material;
  EXPECT_FALSE(material.b.value);
  // 2 (x - 1)^2
  EXPECT_EQ(material.a.value(3), 8);
  EXPECT_EQ(material.a.first(3), 8);
  EXPECT_EQ(material.a.second(3), 4);
  // 3 log^2 x, and its continuation below 0.1: only rounding is allowed for
  EXPECT_NEAR(material.c.value(2), 3 * std::log(2) * std::log(2), 1e-15);
  EXPECT_NEAR(material.c.first(2), 3 * std::log(2), 1e-15);
  EXPECT_NEAR(material.c.second(2), 1.5 * (1 - std::log(2)), 1e-15);
  for (const double x : {-0.5, 0.05, 0.3, 1.7}) {
    // Central differences of step 1e-5 err by about 1e-10 of the third derivative, below 4e3 here.
    const double h = 1e-5;
    const double first = (material.c.value(x + h) - material.c.value(x - h)) / (2 * h);
    const double second = (material.c.first(x + h) - material.c.first(x - h)) / (2 * h);
    EXPECT_NEAR(material.c.first(x), first, 1e-6 * std::abs(first));
    EXPECT_NEAR(material.c.second(x), second, 1e-6 * std::abs(second));
  }
}

TEST(Scene, SplinePresetsAreThoseOfTheMaterials) {
  const Scene scene =
      parse(smallest_scene,
            {{"/bodies/0/material",
              R"({"model": "spline", "preset": "A", "young": 1e5, "poisson": 0.4})"}})
          .scene;
  EXPECT_EQ(scene.bodies[0].material.model, "spline");
  EXPECT_GT(scene.bodies[0].material.spline_a.points.size(), 10U);
}

TEST(Scene, WhatIsLeftOutHasTheDefaultsOfTheInterface) {
  const Scene scene = parse(smallest_scene).scene;
  const Scene defaults;
  EXPECT_EQ(scene.name, "bar");  // from bar.json
  EXPECT_EQ(scene.time.step, defaults.time.step);
  EXPECT_EQ(scene.time.frames, defaults.time.frames);
  EXPECT_EQ(scene.gravity, defaults.gravity);
  EXPECT_EQ(scene.solver.iterations, defaults.solver.iterations);
  EXPECT_EQ(scene.solver.history, defaults.solver.history);
  EXPECT_EQ(scene.contact.stiffness, defaults.contact.stiffness);
  EXPECT_EQ(scene.damping.drag, 0);
  EXPECT_EQ(scene.bodies[0].density, 1000);
  EXPECT_TRUE(std::holds_alternative<AtRest>(scene.bodies[0].initial));
}

TEST(Scene, TheSettingsReadAgainAreTheSame) {
  for (const char* text : {full_scene, smallest_scene}) {
    const LoadedScene once = parse(text);
    const LoadedScene twice = parse(once.settings);
    EXPECT_EQ(once.settings, twice.settings);
    ASSERT_EQ(once.scene.bodies.size(), twice.scene.bodies.size());
    for (std::size_t b = 0; b < once.scene.bodies.size(); ++b) {
      const Body &one = once.scene.bodies[b], &two = twice.scene.bodies[b];
      EXPECT_EQ(one.mesh.vertices, two.mesh.vertices);
      EXPECT_EQ(one.mesh.tets, two.mesh.tets);
      EXPECT_EQ(one.material.mu.value, two.material.mu.value);
      EXPECT_EQ(one.material.lambda.per_tet, two.material.lambda.per_tet);
      EXPECT_EQ(one.material.spline_a.points, two.material.spline_a.points);
      EXPECT_EQ(one.initial.index(), two.initial.index());
      ASSERT_EQ(one.pins.size(), two.pins.size());
      for (std::size_t p = 0; p < one.pins.size(); ++p) {
        EXPECT_EQ(one.pins[p].vertices, two.pins[p].vertices);
        EXPECT_EQ(one.pins[p].box.min, two.pins[p].box.min);
        const Pose first = evaluate(one.pins[p].motion, 0.7);
        const Pose second = evaluate(two.pins[p].motion, 0.7);
        EXPECT_EQ(first.rotation, second.rotation);
        EXPECT_EQ(first.translation, second.translation);
      }
    }
    EXPECT_EQ(once.scene.time.step, twice.scene.time.step);
    EXPECT_EQ(once.scene.colliders.size(), twice.scene.colliders.size());
  }
}

TEST(Scene, TheSettingsHoldEveryDefault) {
  const std::string settings = parse(smallest_scene).settings;
  for (const char* key : {"name",
                          "step",
                          "frames",
                          "substeps",
                          "integrator",
                          "gravity",
                          "sleep_after",
                          "method",
                          "iterations",
                          "history",
                          "initial_hessian",
                          "tolerance",
                          "stiffness_range",
                          "line_search",
                          "sufficient_decrease",
                          "shrink",
                          "tets_per_cell",
                          "transform",
                          "scale",
                          "translate",
                          "density",
                          "regions",
                          "velocity",
                          "initial",
                          "pins",
                          "colliders",
                          "contact",
                          "stiffness",
                          "friction",
                          "self",
                          "damping",
                          "drag"}) {
    EXPECT_NE(settings.find("\"" + std::string(key) + "\""), std::string::npos) << key;
  }
}

TEST(Scene, AHistoryIsNotRecordedForAMethodWithoutOne) {
  const LoadedScene newton = parse(smallest_scene, {{"/solver/method", "newton"}});
  EXPECT_EQ(newton.scene.solver.method, SolverMethod::newton);
  EXPECT_EQ(newton.settings.find("history"), std::string::npos);
  EXPECT_EQ(parse(newton.settings).settings, newton.settings);
}

TEST(Scene, NoSolverIsRecordedForAnExplicitIntegrator) {
  // full_scene has a solver, which is removed.
  const LoadedScene loaded =
      parse(full_scene, {{"/time/integrator", "symplectic_euler"}, {"/solver", "null"}});
  EXPECT_EQ(loaded.scene.time.integrator, TimeIntegrator::symplectic_euler);
  EXPECT_EQ(loaded.settings.find("\"solver\""), std::string::npos);
  EXPECT_EQ(parse(loaded.settings).settings, loaded.settings);
}

TEST(Override, ReplacesAddsAppendsAndRemoves) {
  const auto with = [](const std::vector<Override>& o) { return parse(full_scene, o).scene; };
  EXPECT_EQ(with({{"/solver/iterations", "20"}}).solver.iterations, 20);
  EXPECT_EQ(with({{"/bodies/1/mass", "7"}}).bodies[1].mass, 7);
  EXPECT_EQ(with({{"/name", "two words"}}).name, "two words");
  EXPECT_EQ(with({{"/name", "\"quoted\""}}).name, "quoted");
  EXPECT_EQ(with({{"/bodies/3/velocity", "[1,2,3]"}}).bodies[3].velocity, (Vec3{1, 2, 3}));
  EXPECT_EQ(with({{"/bodies/0/velocity/1", "8"}}).bodies[0].velocity, (Vec3{1, 8, 3}));
  EXPECT_EQ(with({{"/colliders/-", R"({"plane": {}})"}}).colliders.size(), 8U);
  EXPECT_EQ(with({{"/colliders/7", R"({"plane": {}})"}}).colliders.size(), 8U);
  EXPECT_EQ(with({{"/colliders/0", "null"}}).colliders.size(), 6U);
  EXPECT_TRUE(with({{"/bodies/0/fiber", "null"}}).bodies[0].fibers.empty());
  EXPECT_EQ(with({{"/time", "null"}}).time.frames, 120);
  EXPECT_EQ(with({{"/solver/history", "null"},
                  {"/solver/initial_hessian", "null"},
                  {"/solver/method", "newton"}})
                .solver.method,
            SolverMethod::newton);
  // Objects and lists on the way to a new key are created.
  EXPECT_EQ(parse(smallest_scene, {{"/solver/line_search/shrink", "0.25"}})
                .scene.solver.line_search.shrink,
            0.25);
  for (const char* first : {"-", "0"}) {
    const std::string list = std::string("/colliders/") + first;
    EXPECT_EQ(parse(smallest_scene, {{list, R"({"plane": {}})"}}).scene.colliders.size(), 1U);
    const Scene scene =
        parse(smallest_scene, {{list + "/sphere/radius", "2"}, {"/colliders/-/plane", "{}"}}).scene;
    ASSERT_EQ(scene.colliders.size(), 2U);
    EXPECT_EQ(std::get<SphereShape>(scene.colliders[0].shape).radius, 2);
  }
  EXPECT_EQ(error_of(smallest_scene, {{"/colliders/1", "{}"}}).where(), "bar.json: /colliders/1");
}

TEST(Override, LaterOnesSeeEarlierOnes) {
  EXPECT_EQ(parse(smallest_scene, {{"/time/frames", "3"}, {"/time/frames", "4"}}).scene.time.frames,
            4);
}

TEST(ListScenes, NamesTheScenesOfAFolderInOrder) {
  const auto folder =
      std::filesystem::temp_directory_path() /
      ("supple_list_scenes_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()));
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(list_scenes(folder).empty());
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "b.json") << smallest_scene;
  std::ofstream(folder / "a.json") << R"({"supple": 1, "name": "first"})";
  std::ofstream(folder / "other.json") << R"({"x": 1})";
  std::ofstream(folder / "broken.json") << "{";
  std::ofstream(folder / "a.txt") << "{}";
  const std::vector<SceneFile> scenes = list_scenes(folder);
  ASSERT_EQ(scenes.size(), 2U);
  EXPECT_EQ(scenes[0].name, "first");
  EXPECT_EQ(scenes[1].name, "b");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace supple::test

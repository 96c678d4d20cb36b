#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "io/scene/test_scene.h"

namespace supple::test {
namespace {

const char* const membrane_scene = R"({
  "supple": 1,
  "bodies": [
    { "mesh": { "cloth": { "u": [2, 0, 0], "v": [0, -1, 0], "cells": [4, 2] } },
      "transform": { "rotate": { "axis": [0, 1, 0], "degrees": 90 } },
      "material": { "model": "orthotropic_stvk", "warp": 4e6, "weft": 1e6, "shear": 1e5,
                    "poisson": 0.2, "thickness": 4e-4, "bending": 1e-5 } },
    { "mesh": { "cloth": {} },
      "material": { "model": "neo_hookean", "young": 1e6, "poisson": 0.3, "thickness": 0.002 },
      "layers": [ { "model": "strain_limit", "mu": 1e5, "min": 0.9, "max": 1.1 } ] },
    { "mesh": { "file": "block.obj" }, "mass": 2,
      "material": { "model": "arap", "mu": 1e5, "thickness": 1e-3 } } ] })";

/// Checks how a scene is refused with one value changed.
struct Refusals {
  const char* scene;
  void operator()(const std::string& pointer, const std::string& value, const std::string& where,
                  const std::string& message) const {
    const Error error = error_of(scene, {{pointer, value}});
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_EQ(error.where(), "bar.json: " + where) << error.what();
    EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
  }
};

TEST(MembraneScene, ClothAndSurfacesBecomeMembranes) {
  const Scene scene = parse(membrane_scene).scene;
  const Body& woven = scene.bodies[0];
  ASSERT_TRUE(woven.membrane);
  EXPECT_EQ(woven.membrane->thickness, 4e-4);
  EXPECT_EQ(woven.membrane->bending, 1e-5);
  EXPECT_EQ(woven.material.warp, 4e6);
  EXPECT_EQ(woven.material.poisson, 0.2);
  EXPECT_EQ(woven.density, 0.2);
  EXPECT_TRUE(woven.springs.empty());
  EXPECT_EQ(woven.triangles.size(), 16U);
  // The warp lies along u as it was turned: 0.5 m per cell.
  EXPECT_NEAR(woven.material.direction[2], -0.5, 1e-12);
  EXPECT_NEAR(woven.material.direction[0], 0, 1e-12);

  const Body& sheet = scene.bodies[1];
  ASSERT_TRUE(sheet.membrane);
  // The stiffness of a plate: E t^3/(12 (1 - nu^2)).
  EXPECT_NEAR(sheet.membrane->bending.value(), 1e6 * 8e-9 / (12 * 0.91), 1e-12);
  ASSERT_EQ(sheet.layers.size(), 1U);
  EXPECT_EQ(sheet.layers[0].max.value, 1.1);

  const Body& surface = scene.bodies[2];
  ASSERT_TRUE(surface.membrane);
  EXPECT_EQ(surface.triangles.size(), 4U);
  EXPECT_EQ(surface.mass, 2);
}

TEST(MembraneScene, TheSceneWithItsDefaultsReadsTheSameAgain) {
  const LoadedScene first = parse(membrane_scene);
  const LoadedScene again = parse(first.settings);
  EXPECT_EQ(again.settings, first.settings);
  for (std::size_t b = 0; b < 3; ++b) {
    EXPECT_EQ(again.scene.bodies[b].membrane->bending, first.scene.bodies[b].membrane->bending);
    EXPECT_EQ(again.scene.bodies[b].material.direction, first.scene.bodies[b].material.direction);
  }
}

const char* const fabric_scene = R"({
  "supple": 1,
  "bodies": [
    { "mesh": { "cloth": { "u": [0, 0, 1], "v": [1, 0, 0], "cells": [2, 2] } },
      "material": { "model": "orthotropic_stvk", "fabric": "gray_interlock" } },
    { "mesh": { "cloth": {} }, "density": 0.3,
      "material": { "model": "orthotropic_stvk", "fabric": "black_denim_11oz",
                    "thickness": 0.001, "shear": 1e5, "bending": 1e-4 } },
    { "mesh": { "file": "block.obj" },
      "material": { "model": "orthotropic_stvk", "fabric": "royal_target",
                    "direction": [1, 0, 0] } } ] })";

TEST(MembraneScene, SheetsGetNewtonsMethodUnlessTheSceneNamesOneOrHasOptionsOfAnother) {
  const auto scene = [](const char* material, const char* mesh) {
    return std::string(R"({"supple": 1, "bodies": [{"mesh": {")") + mesh +
           R"(": {}}, "material": )" + material + "}]}";
  };
  const std::string sheet = scene(R"({"model": "arap", "mu": 1e5, "thickness": 1e-3})", "cloth");
  const auto method = [](const std::string& text, const std::vector<Override>& overrides = {}) {
    return parse(text, overrides).scene.solver.method;
  };
  EXPECT_EQ(method(sheet), SolverMethod::newton);
  EXPECT_EQ(method(scene(R"({"model": "spring", "stiffness": 10})", "strand")),
            SolverMethod::newton);
  EXPECT_EQ(method(sheet, {{"/solver/iterations", "5"}, {"/solver/line_search/shrink", "0.25"}}),
            SolverMethod::newton);
  EXPECT_EQ(method(sheet, {{"/solver/history", "3"}}), SolverMethod::l_bfgs);
  EXPECT_EQ(method(sheet, {{"/solver/method", "quasi_newton"}}), SolverMethod::quasi_newton);
  // A body of tets, alone or beside the sheet.
  const std::string tets = R"({"mesh": {"box": {}}, "material": {"model": "arap", "mu": 1e5}})";
  EXPECT_EQ(method(sheet, {{"/bodies/-", tets}}), SolverMethod::l_bfgs);
  EXPECT_EQ(method(sheet, {{"/bodies/0", tets}}), SolverMethod::l_bfgs);
  const LoadedScene filled = parse(sheet);
  EXPECT_EQ(parse(filled.settings).settings, filled.settings);
}

TEST(MembraneScene, FabricsGiveTheDefaultsOfAllNumbers) {
  const LoadedScene first = parse(fabric_scene);
  for (const LoadedScene& loaded : {first, parse(first.settings)}) {
    const FabricProperties interlock = fabric_properties(Fabric::gray_interlock);
    const Body& shirt = loaded.scene.bodies[0];
    ASSERT_TRUE(shirt.membrane);
    EXPECT_EQ(shirt.density, interlock.density);
    EXPECT_EQ(shirt.membrane->thickness, fabric_thickness);
    EXPECT_EQ(shirt.membrane->bending, interlock.bending);
    EXPECT_EQ(shirt.material.warp, interlock.warp / fabric_thickness);
    EXPECT_EQ(shirt.material.poisson, interlock.poisson);
    EXPECT_NEAR(shirt.material.direction[2], 0.5, 1e-12);  // along u, a cell
    // What is given counts, and the thickness leaves the stiffness of the sheet alone.
    const FabricProperties denim = fabric_properties(Fabric::black_denim_11oz);
    const Body& jeans = loaded.scene.bodies[1];
    EXPECT_EQ(jeans.density, 0.3);
    EXPECT_EQ(jeans.membrane->thickness, 0.001);
    EXPECT_EQ(jeans.membrane->bending, 1e-4);
    EXPECT_EQ(jeans.material.shear, 1e5);
    EXPECT_EQ(jeans.material.weft, denim.weft / 0.001);
    EXPECT_EQ(loaded.scene.bodies[2].density, fabric_properties(Fabric::royal_target).density);
    EXPECT_EQ(loaded.scene.bodies[2].triangles.size(), 4U);
  }
  const Refusals refused{fabric_scene};
  const std::string cloth = "/bodies/0/material";
  refused(cloth + "/fabric", "\"grey_interlock\"", cloth + "/fabric",
          "did you mean 'gray_interlock'");
  refused(cloth + "/fabric", "\"custom\"", cloth, "'thickness' is missing");
  refused(cloth + "/fabric", "3", cloth + "/fabric", "");
  refused(cloth + "/poisson", "9", cloth + "/poisson", "square below warp/weft");
  refused("/bodies/2/material/direction", "null", "/bodies/2/material", "'direction' is missing");
  refused(cloth, R"({"model": "arap", "mu": 1, "thickness": 1, "fabric": "gray_interlock"})",
          cloth + "/fabric", "unknown key");
  refused("/bodies/0/layers", R"([{"model": "orthotropic_stvk", "fabric": "gray_interlock"}])",
          "/bodies/0/layers/0/fabric", "unknown key");
  refused("/bodies/0/mesh", R"({"box": {}})", cloth + "/model", "for membranes");
}

TEST(MembraneScene, PanelsSeeEveryKeyOfItsMaterial) {
  const LoadedScene loaded = parse(membrane_scene);
  for (const char* key : {"model", "fabric", "warp", "weft", "shear", "poisson", "direction",
                          "thickness", "bending"}) {
    const std::string pointer = std::string("/bodies/0/material/") + key;
    const auto found = std::find_if(loaded.fields.begin(), loaded.fields.end(),
                                    [&](const ReadField& f) { return f.pointer == pointer; });
    ASSERT_NE(found, loaded.fields.end()) << pointer;
    if (std::string(key) != "model") continue;
    EXPECT_EQ(std::count(found->choices.begin(), found->choices.end(), "orthotropic_stvk"), 1);
    EXPECT_EQ(std::count(found->choices.begin(), found->choices.end(), "volume"), 0);
  }
}

const char* const folded_scene = R"({
  "supple": 1,
  "bodies": [
    { "mesh": { "cloth": { "cells": [4, 2] } },
      "material": { "model": "arap", "mu": 1e5, "thickness": 1e-3, "bending": 1e-5,
                    "bending_model": "dihedral" },
      "folds": [ { "select": { "box": [[0, -1, -1], [0, 1, 1]] }, "degrees": 120 },
                 { "select": { "vertices": [1, 6, 11] }, "degrees": -30 } ] } ] })";

const char* const limited_scene = R"({
  "supple": 1,
  "bodies": [
    { "mesh": { "cloth": { "u": [0, 2, 0], "v": [1, 0, 0], "cells": [4, 2] } },
      "material": { "model": "arap", "mu": 1e5, "thickness": 1e-3 },
      "layers": [ { "model": "woven_limit", "mu": 1e6, "warp_limits": [0.95, 1.05],
                    "weft_limits": [0.8, 1.2] } ] } ] })";

TEST(MembraneScene, LimitsOfThreadsAreReadAndReadTheSameAgain) {
  const LoadedScene first = parse(limited_scene);
  for (const LoadedScene& loaded : {first, parse(first.settings)}) {
    const MaterialSettings& limit = loaded.scene.bodies[0].layers.at(0);
    EXPECT_EQ(limit.model, "woven_limit");
    EXPECT_EQ(limit.mu.value, 1e6);
    EXPECT_EQ(limit.warp_limits, (std::array{0.95, 1.05}));
    EXPECT_EQ(limit.weft_limits, (std::array{0.8, 1.2}));
    EXPECT_NEAR(limit.direction[1], 0.5, 1e-12);  // along u, a cell
  }
  const Refusals refused{limited_scene};
  const std::string limit = "/bodies/0/layers/0";
  refused(limit + "/mu", "0", limit + "/mu", "above 0 Pa");
  refused(limit + "/warp_limits", "[1.1, 1.2]", limit + "/warp_limits", "from 0 to 1");
  refused(limit + "/weft_limits", "[0.9, 0.95]", limit + "/weft_limits", "at least 1");
  refused(limit + "/weft_limits", "0.9", limit + "/weft_limits", "");
  refused(limit + "/warp", "1", limit + "/warp", "unknown key");
  refused("/bodies/0/mesh", R"({"box": {}})", "/bodies/0/material/thickness", "");
}

TEST(MembraneScene, FoldsAreReadAndReadTheSameAgain) {
  const LoadedScene first = parse(folded_scene);
  for (const LoadedScene& loaded : {first, parse(first.settings)}) {
    const Body& body = loaded.scene.bodies[0];
    EXPECT_EQ(body.membrane->bending_model, BendingModel::dihedral);
    ASSERT_EQ(body.folds.size(), 2U);
    EXPECT_EQ(body.folds[0].select.box.min[1], -1);
    EXPECT_EQ(body.folds[0].degrees, 120);
    EXPECT_EQ(body.folds[1].select.vertices, (std::vector<int>{1, 6, 11}));
    EXPECT_EQ(body.folds[1].degrees, -30);
  }
  EXPECT_EQ(parse(membrane_scene).scene.bodies[0].membrane->bending_model, BendingModel::quadratic);
}

TEST(MembraneScene, WrongFoldsAreNamed) {
  const Refusals refused{folded_scene};
  const std::string body = "/bodies/0", fold = body + "/folds/0";
  refused(body + "/material/bending_model", "\"dihedrl\"", body + "/material/bending_model",
          "did you mean 'dihedral'");
  refused(body + "/material/bending_model", "\"quadratic\"", body + "/folds", "dihedral");
  refused(body + "/material", R"({"model": "spring", "stiffness": 1})", body + "/folds",
          "needs a membrane");
  refused(fold + "/degrees", "180", fold + "/degrees", "180");
  refused(fold + "/degrees", "null", fold, "'degrees' is missing");
  refused(fold + "/select", R"({"box": [[5, 5, 5], [6, 6, 6]]})", fold + "/select/box",
          "selects none");
  refused(fold + "/angle", "3", fold + "/angle", "unknown key");
}

TEST(MembraneScene, WhatIsWrongIsNamed) {
  const Refusals refused{membrane_scene};
  const std::string woven = "/bodies/0/material", sheet = "/bodies/1/material";
  refused(woven + "/thickness", "0", woven + "/thickness", "above 0 m");
  refused(woven + "/thickness", "-1", woven + "/thickness", "above 0 m");
  refused(woven + "/thickness", "null", woven, "'thickness' is missing");
  refused(woven + "/bending", "-1", woven + "/bending", "at least 0 N m");
  refused(woven + "/warp", "0", woven + "/warp", "above 0 Pa");
  refused(woven + "/poisson", "2.1", woven + "/poisson", "square below warp/weft, which is 4");
  refused(woven + "/direction", "[0, 0, 0]", woven + "/direction", "");
  refused(woven + "/stiffness", "1", woven + "/stiffness", "unknown key");
  refused(sheet + "/poisson", "0.6", sheet + "/poisson", "below 0.5");
  refused(sheet, R"({"model": "volume", "mu": 1, "thickness": 1})", sheet + "/model", "needs tets");
  refused(sheet, R"({"model": "rigid", "thickness": 1})", sheet + "/model", "needs tets");
  refused(sheet, R"({"model": "arap", "mu": 1})", sheet, "'thickness' is missing");
  refused(sheet, R"({"model": "spring", "stiffness": 1, "thickness": 1})", sheet + "/thickness",
          "unknown key");
  refused("/bodies/1/layers/0", R"({"model": "spring", "stiffness": 1})",
          "/bodies/1/layers/0/model", "no springs");
  refused("/bodies/1/layers/0/thickness", "1", "/bodies/1/layers/0/thickness", "unknown key");
  refused("/bodies/1/fiber", R"({"direction": [1, 0, 0], "kappa": 1})", "/bodies/1/fiber",
          "this body is a membrane");
  refused("/bodies/1/regions", "[]", "/bodies/1/regions", "this body is a membrane");
  refused("/bodies/2/material", R"({"model": "spring", "stiffness": 1, "thickness": 1})",
          "/bodies/2/material/thickness", "unknown key");
  refused("/bodies/2/material",
          R"({"model": "orthotropic_stvk", "warp": 1, "weft": 1, "shear": 1, "poisson": 0,
              "thickness": 1})",
          "/bodies/2/material", "'direction' is missing");
  refused("/bodies/0/mesh", R"({"box": {}})", woven + "/model", "for membranes");
  refused("/solver", R"({"method": "pbd"})", woven + "/model", "expected xpbd");
}

}  // namespace
}  // namespace supple::test

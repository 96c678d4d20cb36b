#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/scene/json_text.h"
#include "io/scene/test_scene.h"

namespace supple::test {
namespace {

/// A broken scene: the smallest one with overrides, or a separate text.
struct Broken {
  std::vector<Override> overrides;
  const char* where;    ///< after "bar.json: "
  const char* message;  ///< part of the message
};

const char* const block = R"({"file": "block.mesh"})";
const char* const pin = R"({"select": {"box": [[-1,-1,-1],[1,1,1]]}})";

const std::vector<Broken>& broken_scenes() {
  static const std::vector<Broken> scenes = {
      // Keys
      {{{"/solvr", "{}"}}, "/solvr", "did you mean 'solver'?"},
      {{{"/solver/iteratons", "3"}}, "/solver/iteratons", "did you mean 'iterations'?"},
      {{{"/bodies/0/fibre", "{}"}}, "/bodies/0/fibre", "did you mean 'fiber'?"},
      {{{"/bodies/0/material/youn", "1"}, {"/bodies/0/material/young", "null"}},
       "/bodies/0/material/youn",
       "did you mean 'young'"},
      {{{"/contact/zzzzzzzzzzzz", "1"}}, "/contact/zzzzzzzzzzzz", "Known: stiffness, friction"},
      {{{"/a~1b~0c", "1"}}, "/a~1b~0c", "unknown key"},
      {{{"/supple", "null"}}, "", "'supple' is missing"},
      {{{"/supple", "2"}}, "/supple", "expected 1"},
      {{{"/supple", "\"1\""}}, "/supple", "expected a whole number, found a string"},
      {{{"/bodies", "null"}}, "/bodies", "at least one body"},
      {{{"/bodies", "{}"}}, "/bodies", "expected a list"},
      {{{"/bodies/0", "7"}}, "/bodies/0", "expected an object"},
      {{{"/bodys", "[]"}, {"/bodies", "null"}}, "/bodys", "did you mean 'bodies'?"},
      {{{"/name", "3"}}, "/name", "expected a string, found a number"},
      {{{"/bodies/0/mesh", R"({"file": "a\u0000b.mesh"})"}}, "/bodies/0/mesh/file", "zero byte"},
      // Time and solver
      {{{"/time/step", "0"}}, "/time/step", "expected a number above 0 s"},
      {{{"/time/step", "-1"}}, "/time/step", "-1 is out of range"},
      {{{"/time/step", "[1]"}}, "/time/step", "expected a number, found an array"},
      {{{"/time/frames", "-1"}}, "/time/frames", "from 0 to 10000000"},
      {{{"/time/frames", "10000001"}}, "/time/frames", "from 0 to 10000000"},
      {{{"/time/frames", "2.5"}}, "/time/frames", "2.5 is out of range: expected a whole number"},
      {{{"/time/substeps", "0"}}, "/time/substeps", "from 1"},
      {{{"/time/integrator", "bdf9"}}, "/time/integrator", "no integrator 'bdf9'"},
      {{{"/time/integrator", "forward_euler"}, {"/solver", "{}"}},
       "/solver",
       "forward_euler solves nothing and reads no solver"},
      {{{"/gravity", "[0, 1]"}}, "/gravity", "three numbers, found 2 values"},
      {{{"/gravity", "-9.81"}}, "/gravity", "expected a list of three numbers"},
      {{{"/gravity", "[0, \"x\", 0]"}}, "/gravity/1", "expected a number, found a string"},
      {{{"/solver/method", "lbfgs"}}, "/solver/method", "did you mean 'l_bfgs'?"},
      {{{"/solver/iterations", "0"}}, "/solver/iterations", "from 1"},
      {{{"/solver/history", "-1"}}, "/solver/history", "from 0 to 1000"},
      {{{"/solver/method", "newton"}, {"/solver/history", "5"}},
       "/solver/history",
       "newton does not use it; used by l_bfgs"},
      {{{"/solver/method", "newton"}, {"/solver/initial_hessian", "laplacian"}},
       "/solver/initial_hessian",
       "used by l_bfgs"},
      {{{"/solver/weights", "fixed"}}, "/solver/weights", "following, constant"},
      {{{"/solver/method", "newton"}, {"/solver/weights", "constant"}},
       "/solver/weights",
       "newton does not use it; used by l_bfgs, quasi_newton"},
      {{{"/solver/initial_hessian", "rest"}, {"/solver/weights", "constant"}},
       "/solver/weights",
       "rest does not use it; used by laplacian"},
      {{{"/solver/linear_solver", "cg"}, {"/solver/weights", "constant"}},
       "/solver/weights",
       "cg does not use it; used by direct"},
      {{{"/solver/initial_hessian", "laplace"}},
       "/solver/initial_hessian",
       "did you mean 'laplacian'?"},
      {{{"/solver/initial_hessian", "identity"}, {"/solver/linear_solver", "direct"}},
       "/solver/linear_solver",
       "identity does not use it; used by laplacian, rest, frame"},
      {{{"/solver/initial_hessian", "warped_rest"}, {"/solver/linear_solver", "cg"}},
       "/solver/linear_solver",
       "warped_rest does not use it; used by laplacian, rest, frame"},
      {{{"/solver/initial_hessian", "identity"}, {"/solver/preconditioner", "jacobi"}},
       "/solver/preconditioner",
       "identity does not use it"},
      {{{"/solver/linear_solver", "truncated_cg"}}, "/solver/linear_solver", "direct, cg"},
      {{{"/solver/linear_iterations", "5"}}, "/solver/linear_iterations", "used by cg"},
      {{{"/solver/linear_solver", "cg"}, {"/solver/preconditioner", "laplacian"}},
       "/solver/preconditioner",
       "none, jacobi, incomplete_cholesky"},
      {{{"/solver/definiteness", "clamp"}}, "/solver/definiteness", "used by newton"},
      {{{"/solver/method", "newton"},
        {"/solver/definiteness", "tikhonov"},
        {"/solver/linear_solver", "cg"}},
       "/solver/linear_solver",
       "clamp, absolute, none"},
      {{{"/solver/tolerance", "1"}}, "/solver/tolerance", "of at least 0 and below 1"},
      {{{"/solver/stiffness_range", "[1.5, 0.5]"}}, "/solver/stiffness_range", "smaller one first"},
      {{{"/solver/stiffness_range", "[0, 0.5]"}}, "/solver/stiffness_range/0", "above 0"},
      {{{"/solver/line_search/type", "wolf"}}, "/solver/line_search/type", "no line search 'wolf'"},
      {{{"/solver/line_search/shrink", "1"}}, "/solver/line_search/shrink", "above 0 and below 1"},
      {{{"/solver/line_search/sufficient_decrease", "0.5"}},
       "/solver/line_search/sufficient_decrease",
       "below 0.5"},
      // Mesh
      {{{"/bodies/0/mesh", "{}"}}, "/bodies/0/mesh", "expected one of: file, box"},
      {{{"/bodies/0/mesh", "null"}}, "/bodies/0/mesh", "there is no mesh"},
      {{{"/bodies/0/mesh/file", "block.mesh"}}, "/bodies/0/mesh/box", "conflicts with 'file'"},
      {{{"/bodies/0/mesh", R"({"spere": {}})"}}, "/bodies/0/mesh/spere", "did you mean 'sphere'?"},
      {{{"/bodies/0/mesh/box/size", "[1, 0, 1]"}}, "/bodies/0/mesh/box/size/1", "above 0 m"},
      {{{"/bodies/0/mesh/box/cells", "[1, 1]"}}, "/bodies/0/mesh/box/cells", "found 2 values"},
      {{{"/bodies/0/mesh/box/cells", "[1000, 1000, 1000]"}},
       "/bodies/0/mesh/box",
       "more than 20000000 tets"},
      {{{"/bodies/0/mesh/box/tets_per_cell", "7"}},
       "/bodies/0/mesh/box/tets_per_cell",
       "from 5 to 6"},
      {{{"/bodies/0/mesh", R"({"torus": {"major": 1, "minor": 2}})"}},
       "/bodies/0/mesh/torus",
       "minor"},
      {{{"/bodies/0/transform/scale", "0"}}, "/bodies/0/transform/scale", "above 0"},
      {{{"/bodies/0/transform/scale", "1e308"}, {"/bodies/0/mesh/box/size", "[9, 9, 9]"}},
       "/bodies/0/transform",
       "not finite"},
      {{{"/bodies/0/transform/translate", "[1e30, 0, 0]"}}, "/bodies/0/transform", "broken mesh"},
      {{{"/bodies/0/transform/rotate", R"({"axis": [0,0,0], "degrees": 1})"}},
       "/bodies/0/transform/rotate/axis",
       "the direction is zero"},
      // Body
      {{{"/bodies/0/density", "0"}}, "/bodies/0/density", "above 0 kg/m^3"},
      {{{"/bodies/0/mass", "-2"}}, "/bodies/0/mass", "above 0 kg"},
      {{{"/bodies/0/mass", "2"}, {"/bodies/0/density", "2"}},
       "/bodies/0/density",
       "conflicts with mass"},
      {{{"/bodies/0/initial", "rset"}}, "/bodies/0/initial", "did you mean 'rest'?"},
      {{{"/bodies/0/initial", "flatten"}}, "/bodies/0/initial", "needs its parameters"},
      {{{"/bodies/0/initial", R"({"flatten": {"axis": "w"}})"}},
       "/bodies/0/initial/flatten/axis",
       "no axis 'w'"},
      {{{"/bodies/0/initial", R"({"randomize": {"box": [[1,0,0],[0,1,1]]}})"}},
       "/bodies/0/initial/randomize/box",
       "above the second along x"},
      {{{"/bodies/0/initial", R"({"randomize": {"box": [[0,0,0],[1,1,1]], "seed": -1}})"}},
       "/bodies/0/initial/randomize/seed",
       "from 0"},
      {{{"/bodies/0/fiber", R"({"direction": [0,0,0], "kappa": 1})"}},
       "/bodies/0/fiber/direction",
       "zero"},
      {{{"/bodies/0/fiber", R"({"direction": [1,0,0], "kappa": -1})"}},
       "/bodies/0/fiber/kappa",
       "of at least 0 Pa"},
      {{{"/bodies/0/fiber", R"({"kappa": 1})"}},
       "/bodies/0/fiber",
       "there is no direction; expected one of: direction, radial, laplace"},
      // Material
      {{{"/bodies/0/material", "null"}}, "/bodies/0/material", "'model' is missing"},
      {{{"/bodies/0/material/model", "neo_hookan"}},
       "/bodies/0/material/model",
       "did you mean 'neo_hookean'?"},
      {{{"/bodies/0/material/poisson", "0.5"}}, "/bodies/0/material/poisson", "for example 0.499"},
      {{{"/bodies/0/material/poisson", "-1"}}, "/bodies/0/material/poisson", "above -1"},
      {{{"/bodies/0/material/poisson", "-0.2"}},
       "/bodies/0/material/poisson",
       "gives a negative lambda"},
      {{{"/bodies/0/material/young", "0"}}, "/bodies/0/material/young", "above 0 Pa"},
      {{{"/bodies/0/material/mu", "1"}}, "/bodies/0/material/mu", "conflicts with young"},
      {{{"/bodies/0/material/poisson", "null"}}, "/bodies/0/material", "'poisson' is missing"},
      {{{"/bodies/0/material", R"({"model": "stvk"})"}},
       "/bodies/0/material",
       "expected one of: young, mu"},
      {{{"/bodies/0/material", R"({"model": "stvk", "mu": -1, "lambda": 1})"}},
       "/bodies/0/material/mu",
       "at least 0 Pa"},
      {{{"/bodies/0/material", R"({"model": "polynomial"})"}},
       "/bodies/0/material",
       "'mu' is missing"},
      // An unknown key is reported before a missing one.
      {{{"/bodies/0/material", R"({"model": "polynomial", "young": 1})"}},
       "/bodies/0/material/young",
       "unknown key. Known: model, plasticity, mu"},
      {{{"/bodies/0/material", R"({"model": "neo_hookean", "E": 1e5, "nu": 0.3})"}},
       "/bodies/0/material/E",
       "unknown key. Known: model, plasticity, young, poisson, mu, lambda"},
      {{{"/bodies/0/pins", R"([{"select": {"indices": [0]}}])"}},
       "/bodies/0/pins/0/select/indices",
       "unknown key. Known: box, vertices"},
      {{{"/bodies/0/pins", R"([{"box": [[-1,-1,-1],[1,1,1]]}])"}},
       "/bodies/0/pins/0/box",
       "unknown key. Known: select"},
      {{{"/bodies/0", R"({"shape": {"box": {}}})"}}, "/bodies/0/shape", "unknown key"},
      {{{"/bodies/0/mesh", R"({"cube": {}})"}}, "/bodies/0/mesh/cube", "unknown key"},
      {{{"/colliders", R"([{"name": "a", "ground": {}}])"}}, "/colliders/0/ground", "unknown key"},
      {{{"/suple", "1"}, {"/supple", "null"}}, "/suple", "did you mean 'supple'?"},
      // Names
      {{{"/bodies/0/name", "\"body_1\""}, {"/bodies/1", R"({"mesh": {"box": {}},
          "material": {"model": "arap", "mu": 1}})"}},
       "/bodies/1/name",
       "'body_1' is the name of /bodies/0;"},
      {{{"/colliders", R"([{"name": "a", "plane": {}}, {"name": "b", "plane": {}},
          {"name": "a", "sphere": {}}])"}},
       "/colliders/2/name",
       "'a' is the name of /colliders/0;"},
      {{{"/bodies/0/material", R"({"model": "polynomial", "mu": 1, "lambda": 1})"}},
       "/bodies/0/material/lambda",
       "unknown key. Known: model, plasticity, mu"},
      {{{"/bodies/0/material/young", R"({"field": "young"})"}},
       "/bodies/0/material/young/field",
       "the body's mesh has no fields"},
      {{{"/bodies/0/mesh", block}, {"/bodies/0/material/young", R"({"field": "yuong"})"}},
       "/bodies/0/material/young/field",
       "did you mean 'young'?"},
      {{{"/bodies/0/mesh", block}, {"/bodies/0/material/young", R"({"field": "broken"})"}},
       "/bodies/0/material/young",
       "-1 in tet 7"},
      {{{"/bodies/0/material", R"({"model": "spline"})"}}, "/bodies/0/material", "control points"},
      {{{"/bodies/0/material", R"({"model": "spline", "a": [[1, 0], [0.5, 1]]})"}},
       "/bodies/0/material/a/1",
       "increase strictly"},
      {{{"/bodies/0/material", R"({"model": "spline", "a": [[1, 0, 2]]})"}},
       "/bodies/0/material/a/0",
       "found 3 values"},
      {{{"/bodies/0/material",
         R"({"model": "spline", "preset": "C", "young": 1, "poisson": 0.3})"}},
       "/bodies/0/material/preset",
       "no preset 'C'"},
      {{{"/bodies/0/material", R"({"model": "valanis_landel"})"}},
       "/bodies/0/material",
       "at least one"},
      {{{"/bodies/0/material",
         R"({"model": "valanis_landel", "a": [{"coefficient": 1, "power": 2.5}]})"}},
       "/bodies/0/material/a/0/power",
       "whole number"},
      {{{"/bodies/0/material",
         R"({"model": "valanis_landel", "a": [{"coefficient": 1, "power": 2, "log_power": 1}]})"}},
       "/bodies/0/material/a/0/log_power",
       "conflicts with 'power'"},
      {{{"/bodies/0/material", R"({"model": "strain_limit", "mu": 1, "min": 0.9})"}},
       "/bodies/0/material",
       "'max' is missing"},
      {{{"/bodies/0/material", R"({"model": "strain_limit", "mu": 1, "min": 1.1, "max": 1.2})"}},
       "/bodies/0/material/min",
       "1.1 is above 1"},
      {{{"/bodies/0/material", R"({"model": "strain_limit", "mu": 0, "min": 1, "max": 1})"}},
       "/bodies/0/material",
       "needs a positive mu in Pa"},
      {{{"/bodies/0/material", R"({"model": "volume", "mu": 1, "max": 1})"}},
       "/bodies/0/material/max",
       "unknown"},
      {{{"/bodies/0/layers", R"({"model": "volume", "mu": 1})"}},
       "/bodies/0/layers",
       "expected a list"},
      {{{"/bodies/0/layers", R"([{"model": "arap", "mu": 1}, {"model": "volum", "mu": 1}])"}},
       "/bodies/0/layers/1/model",
       "did you mean 'volume'?"},
      {{{"/bodies/0/layers", R"([{"model": "volume", "mu": -1}])"}},
       "/bodies/0/layers/0/mu",
       "at least 0 Pa"},
      {{{"/bodies/0/regions",
         R"([{"box": [[5,5,5],[6,6,6]], "material": {"model": "polynomial", "mu": 1}}])"}},
       "/bodies/0/regions/0/box",
       "none of the 5 tets, which lie in [-0.5, -0.5, -0.5] to [0.5, 0.5, 0.5]"},
      // Pins and motion
      {{{"/bodies/0/pins", R"([{"select": {"box": [[5,5,5],[6,6,6]]}}])"}},
       "/bodies/0/pins/0/select/box",
       "none of the 8 vertices, which lie in"},
      {{{"/bodies/0/pins", R"([{"select": {"vertices": [8]}}])"}},
       "/bodies/0/pins/0/select/vertices/0",
       "from 0 to 7"},
      {{{"/bodies/0/pins", R"([{"select": {"vertices": []}}])"}},
       "/bodies/0/pins/0/select/vertices",
       "selects no vertex"},
      {{{"/bodies/0/pins", R"([{}])"}}, "/bodies/0/pins/0/select", "'box' is missing"},
      {{{"/bodies/0/pins/0", "null"}, {"/bodies/0/pins", "[1]"}},
       "/bodies/0/pins/0",
       "expected an object"},
      {{{"/bodies/0/pins", "[]"}, {"/bodies/0/pins/-", pin}, {"/bodies/0/pins/0/stiffness", "0"}},
       "/bodies/0/pins/0/stiffness",
       "above 0 N/m"},
      {{{"/bodies/0/pins", "[]"},
        {"/bodies/0/pins/-", pin},
        {"/bodies/0/pins/0/motion", R"({"keyframes": [{"time": 1}, {"time": 0}]})"}},
       "/bodies/0/pins/0/motion",
       "keyframe 1: the time is not after"},
      {{{"/bodies/0/pins", "[]"},
        {"/bodies/0/pins/-", pin},
        {"/bodies/0/pins/0/motion/rotate", R"({"axis": [1,0,0], "degrees": 3})"}},
       "/bodies/0/pins/0/motion/rotate/degrees",
       "unknown key. Known: axis, center, degrees_per_second"},
      // Colliders and contact
      {{{"/colliders", R"([{}])"}}, "/colliders/0", "there is no shape"},
      {{{"/colliders", R"([{"convex_hull": {}}])"}}, "/colliders/0/convex_hull", "no points"},
      {{{"/colliders", R"([{"convex_hull": {"points": [[0,0,0],[1,0,0],[0,1,0]]}}])"}},
       "/colliders/0/convex_hull/points",
       "there are 3 points"},
      {{{"/colliders", R"([{"convex_hull": {"points": [[0,0,0],[1,0]]}}])"}},
       "/colliders/0/convex_hull/points/1",
       "three numbers"},
      {{{"/colliders", R"([{"convex_hull": {"points": 3}}])"}},
       "/colliders/0/convex_hull/points",
       "a list of points"},
      {{{"/colliders", R"([{"height_field": {"heights": [[1, 2]]}}])"}},
       "/colliders/0/height_field/heights",
       "1 rows of 2"},
      {{{"/colliders", R"([{"height_field": {"heights": [[1], [2]]}}])"}},
       "/colliders/0/height_field/heights",
       "2 rows of 1"},
      {{{"/colliders", R"([{"height_field": {"heights": []}}])"}},
       "/colliders/0/height_field/heights",
       "0 rows"},
      {{{"/colliders", R"([{"height_field": {"heights": [[1, 2], [3]]}}])"}},
       "/colliders/0/height_field/heights/1",
       "a row of 2 numbers"},
      {{{"/colliders", R"([{"height_field": {"heights": [[1, 2], [3, null]]}}])"}},
       "/colliders/0/height_field/heights/1/1",
       "expected a number"},
      {{{"/colliders", R"([{"height_field": {"heights": [1, 2]}}])"}},
       "/colliders/0/height_field/heights/0",
       "a row of"},
      {{{"/colliders", R"([{"height_field": {"heights": [[1,2],[3,4]], "cell": 0}}])"}},
       "/colliders/0/height_field/cell",
       "above 0 m"},
      {{{"/colliders", R"([{"height_field": {"heights": [[1,2],[3,4]], "file": "a.txt"}}])"}},
       "/colliders/0/height_field/file",
       ""},
      {{{"/colliders", R"([{"height_field": {"file": "hills.txt"}, "transform": {}}])"}},
       "/colliders/0/transform",
       "only a mesh and a convex_hull"},
      {{{"/colliders", R"([{"plane": {}, "friction": -1}])"}},
       "/colliders/0/friction",
       "at least 0"},
      {{{"/colliders", R"([{"plane": {}, "touches": "bar"}])"}},
       "/colliders/0/touches",
       "a list of strings"},
      {{{"/colliders", R"([{"plane": {}, "touches": ["body_0", 3]}])"}},
       "/colliders/0/touches/1",
       "a string"},
      {{{"/colliders", R"([{"plane": {}, "touches": ["bodi_0"]}])"}},
       "/colliders/0/touches/0",
       "did you mean 'body_0'?"},
      {{{"/bodies/0/touches", R"(["body_0"])"}},
       "/bodies/0/touches/0",
       "no other body or collider 'body_0'"},
      {{{"/colliders", R"([{"plain": {}}])"}}, "/colliders/0/plain", "did you mean 'plane'?"},
      {{{"/colliders", R"([{"plane": {}, "box": {}}])"}},
       "/colliders/0/box",
       "conflicts with 'plane'"},
      {{{"/colliders", R"([{"plane": {"normal": [0,0,0]}}])"}},
       "/colliders/0/plane/normal",
       "zero"},
      {{{"/colliders", R"([{"sphere": {"radius": 0}}])"}}, "/colliders/0/sphere/radius", "above 0"},
      {{{"/colliders", R"([{"torus": {"major": 1, "minor": 1}}])"}},
       "/colliders/0/torus/minor",
       "there is no hole"},
      {{{"/colliders", R"([{"sphere": {}, "transform": {}}])"}},
       "/colliders/0/transform",
       "only a mesh"},
      {{{"/contact/self", "0"}}, "/contact/self", "expected true or false"},
      {{{"/contact/mode", R"("hard")"}}, "/contact/mode", "Known: soft, barrier"},
      {{{"/contact/bodies", "1"}}, "/contact/bodies", "expected true or false"},
      {{{"/contact/stiffness", "-1"}}, "/contact/stiffness", "of at least 0 N/m"},
      {{{"/contact/friction", "-0.1"}}, "/contact/friction", "of at least 0"},
      {{{"/damping/drag", "-0.1"}}, "/damping/drag", "of at least 0 1/s"},
      {{{"/damping/stiffness", "-0.1"}}, "/damping/stiffness", "of at least 0 s"},
      {{{"/bodies/0/damping", R"({"stiffness": -1})"}},
       "/bodies/0/damping/stiffness",
       "of at least 0 s"},
      {{{"/bodies/0/damping", "{}"}}, "/bodies/0/damping", "'stiffness' is missing"},
      {{{"/bodies/0/damping", R"({"loss_factor": 0.1})"}},
       "/bodies/0/damping",
       "'frequency' is missing"},
      {{{"/bodies/0/damping", R"({"loss_factor": -0.1, "frequency": 1})"}},
       "/bodies/0/damping/loss_factor",
       "of at least 0"},
      {{{"/damping", R"({"loss_factor": 0.1, "frequency": 0})"}},
       "/damping/frequency",
       "above 0 Hz"},
      {{{"/damping", R"({"loss_factor": 0.1, "frequency": 1, "stiffness": 0.1})"}},
       "/damping/stiffness",
       "follows from the loss_factor"},
      {{{"/damping", R"({"frequency": 1})"}}, "/damping/frequency", "at which a loss_factor holds"},
      {{{"/time/separate_after", "-1"}}, "/time/separate_after", "from 0 to 1000"},
      // Overrides
      {{{"time/frames", "1"}}, "'time/frames'", "not a JSON pointer"},
      {{{"", "1"}}, "''", "not a JSON pointer"},
      {{{"/time~2", "1"}}, "/time~2", "followed by 0 (for ~) or 1"},
      {{{"/bodies/1x/density", "1"}}, "/bodies/1x/density", "not an index into a list of 1"},
      {{{"/bodies/5/density", "1"}}, "/bodies/5/density", "not an index into a list of 1"},
      {{{"/bodies/00/density", "1"}}, "/bodies/00/density", "not an index into a list of 1"},
      {{{"/supple/x", "1"}}, "/supple/x", "leads through a single value"},
      {{{"/time", R"({"step": 1, "step": 2})"}}, "/time: /step", "occurs twice"},
  };
  return scenes;
}

TEST(BrokenScene, EachIsRefusedAtItsPlace) {
  ASSERT_GE(broken_scenes().size(), 40U);
  for (const Broken& broken : broken_scenes()) {
    std::string shown;
    for (const Override& o : broken.overrides) shown += o.pointer + "=" + o.value + " ";
    SCOPED_TRACE(shown);
    const Error error = error_of(smallest_scene, broken.overrides);
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    const std::string place(broken.where);
    EXPECT_EQ(error.where(), place.empty() ? "bar.json" : "bar.json: " + place) << error.what();
    EXPECT_NE(error.message().find(broken.message), std::string::npos) << error.what();
  }
}

TEST(BrokenScene, SyntaxErrorsNameLineAndColumn) {
  struct Case {
    std::string text;
    const char* where;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"", "bar.json:1:1", "unexpected end of input"},
      {"{\n  \"supple\": 1,\n}", "bar.json:3:1", "unexpected '}'"},
      {"{\n  \"supple\" 1 }", "bar.json:2:12", "expected ':'"},
      {"{\"supple\": 1} x", "bar.json:1:15", "invalid literal"},
      {"{\"a\": 1e999}", "bar.json:1:11", "number overflow"},
      {"{\"a\": NaN}", "bar.json:1:7", "invalid literal"},
      {"{\"a\": \"\xff\"}", "bar.json:1:8", "UTF-8"},
      {"\x01\x02", "bar.json:1:1", "invalid literal"},
  };
  for (const Case& broken : cases) {
    SCOPED_TRACE(broken.text);
    const Error error = error_of(broken.text);
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_EQ(error.where(), broken.where) << error.what();
    EXPECT_NE(error.message().find(broken.message), std::string::npos) << error.what();
    for (const char c : std::string(error.what())) EXPECT_TRUE(c >= ' ' && c <= '~');
  }
}

TEST(BrokenScene, ATopLevelOtherThanAnObjectIsRefused) {
  EXPECT_EQ(error_of("[1]").where(), "bar.json");
  EXPECT_NE(error_of("[1]").message().find("expected an object"), std::string::npos);
  EXPECT_NE(error_of("null").message().find("expected an object"), std::string::npos);
}

TEST(BrokenScene, AKeyGivenTwiceIsRefused) {
  const Error error = error_of(R"({"supple": 1, "time": {"step": 1, "step": 2}})");
  EXPECT_EQ(error.where(), "bar.json: /time/step");
  EXPECT_NE(error.message().find("twice"), std::string::npos);
  EXPECT_EQ(error_of(R"({"a": [{}, {"b": 1, "b": 1}]})").where(), "bar.json: /a/1/b");
}

TEST(BrokenScene, DepthAndWidthAreLimited) {
  const std::string deep(1'000'000, '[');
  EXPECT_NE(error_of(deep).message().find("deeper than 64"), std::string::npos);
  std::string wide = "{";
  for (std::size_t i = 0; i <= most_keys; ++i) wide += "\"" + std::to_string(i) + "\": 0,";
  EXPECT_NE(error_of(wide).message().find("keys in one object"), std::string::npos);
}

TEST(BrokenScene, GeneratedBodiesShareOneLimit) {
  SceneSources few = sources();
  few.max_tets = 100;
  const std::string body =
      R"({"mesh": {"box": {"cells": [2, 2, 2]}}, "material": {"model": "polynomial", "mu": 1e5}})";
  const auto scene = [&](const std::string& bodies) {
    return R"({"supple": 1, "bodies": [)" + bodies + "]}";
  };
  EXPECT_EQ(parse_scene(scene(body + "," + body), "s", few).scene.bodies.size(), 2U);
  try {
    parse_scene(scene(body + "," + body + "," + body), "s", few);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "s: /bodies/2/mesh/box");
  }
}

TEST(BrokenScene, AMissingMeshFileIsABadFile) {
  const Error error = error_of(smallest_scene, {{"/bodies/0/mesh", R"({"file": "none.mesh"})"}});
  EXPECT_EQ(error.kind(), ErrorKind::bad_file);
}

TEST(BrokenScene, AFileThatCannotBeReadIsABadFile) {
  for (const char* file : {"/no/such/scene.json", "/", ""}) {
    try {
      load_scene(file);
      FAIL() << file;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_file) << file;
    }
  }
}

}  // namespace
}  // namespace supple::test

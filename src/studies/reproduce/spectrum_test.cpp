#include "studies/reproduce/spectrum.h"

#include <gtest/gtest.h>

#include "studies/reproduce/motion_record.h"
#include "studies/reproduce/scenes.h"
#include "supple/error.h"

namespace supple::reproduce {
namespace {

Scene small_cube(const char* model) {
  Context context({.quick = true});
  Scene scene = cube(context);
  scene.bodies.front().material.model = model;
  return scene;
}

// The Hessian of the inertia is M/h^2, and in a body this soft the elastic one is negligible: A =
// M/h^2 = H. The solve's single precision and the differences allow 1e-4.
TEST(Spectrum, IsOneWhereTheMatrixIsTheHessian) {
  Scene scene = small_cube("corotated");
  scene.bodies.front().material.mu = 1e-9;
  scene.bodies.front().material.lambda = 0;
  const Spectrum s = spectrum(scene, rest_positions(scene), "quasi_newton");
  EXPECT_NEAR(s.smallest, 1, 1e-4);
  EXPECT_NEAR(s.largest, 1, 1e-4);
}

// arap's L is an upper bound of its Hessian at rest; the difference comes from rotations. So all
// eigenvalues are above 0 and at most 1, and a translation, which both treat as M/h^2, has 1.
TEST(Spectrum, ProjectiveDynamicsNeverUnderestimatesTheHessian) {
  const Scene scene = small_cube("arap");
  const Spectrum s = spectrum(scene, rest_positions(scene), "quasi_newton");
  EXPECT_GT(s.smallest, 0);
  EXPECT_LT(s.smallest, 1);
  EXPECT_NEAR(s.largest, 1, 1e-4);
}

TEST(Spectrum, PositionsOfAnotherBodyAreRefused) {
  const Scene scene = small_cube("arap");
  EXPECT_THROW(spectrum(scene, std::vector<double>(9), "quasi_newton"), Error);
}

}  // namespace
}  // namespace supple::reproduce

#include "integrate/backward_euler.h"

#include <gtest/gtest.h>

#include <cmath>

namespace supple {
namespace {

/// Two vertices, the second without mass.
Model two_vertices() {
  Model model;
  model.num_vertices = 2;
  model.mass = {2, 0};
  return model;
}

TEST(BackwardEuler, TheTargetIsFreeFlightUnderGravity) {
  State state;
  state.x = {{{1, 2, 3, 0}}, {{4, 5, 6, 0}}};
  state.v = {{{1, 0, -1, 0}}, {{9, 9, 9, 0}}};
  VectorField y(2);
  backward_euler::inertial_target(two_vertices(), state, 0.5, {0, -8, 0}, 0, y);
  EXPECT_DOUBLE_EQ(y[0][0], 1.5);
  EXPECT_DOUBLE_EQ(y[0][1], 2 - 8 * 0.25);
  EXPECT_DOUBLE_EQ(y[0][2], 2.5);
  // Without mass there is neither flight nor fall.
  for (int k = 0; k < 3; ++k) EXPECT_DOUBLE_EQ(y[1][k], state.x[1][k]);
}

TEST(BackwardEuler, DragScalesTheVelocityBeforeTheStep) {
  State state;
  state.x.resize(2);
  state.v = {{{2, 0, 0, 0}}, {}};
  VectorField y(2);
  backward_euler::inertial_target(two_vertices(), state, 0.1, {0, 0, 0}, 3.0, y);
  EXPECT_DOUBLE_EQ(y[0][0], 0.1 * (std::exp(-0.3) * 2));
}

TEST(BackwardEuler, TheVelocityIsTheWayOverTheTime) {
  State state;
  state.x = {{{1, 1, 1, 0}}, {}};
  state.v.resize(2);
  const VectorField z = {{{2, 0, 1, 0}}, {}};
  backward_euler::advance(z, 0.25, state);
  EXPECT_DOUBLE_EQ(state.v[0][0], 4);
  EXPECT_DOUBLE_EQ(state.v[0][1], -4);
  EXPECT_DOUBLE_EQ(state.x[0][0], 2);
  EXPECT_DOUBLE_EQ(state.time, 0.25);
}

}  // namespace
}  // namespace supple

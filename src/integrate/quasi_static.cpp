#include "integrate/integrator.h"

namespace supple {

namespace {

double inverse_a2(double /*h*/, bool /*first*/) { return 0; }

/// Where the descent begins; without inertia y has no other part.
void target(const StepParameters&, const State& state, VectorField& y) { y = state.x; }

void advance(const StepParameters&, const VectorField& z, State& state) {
  state.x = z;
  for (PaddedVector& v : state.v) v = PaddedVector{};
}

}  // namespace

/// Equilibrium at every time: a is infinite,
///   x' = argmin E(x) - sum_i m_i g . x_i,  v' = 0,
/// with pins and colliders where they are at the end of the step; each step begins at the last
/// equilibrium.
Integrator quasi_static() {
  return {.name = "quasi_static",
          .text =
              "x' = argmin E(x) - sum m g . x: equilibrium at every time, without inertia; needs "
              "pins",
          .has_inertia = false,
          .inverse_a2 = inverse_a2,
          .target = target,
          .advance = advance};
}

}  // namespace supple

#include <algorithm>

#include "integrate/integrator.h"

namespace supple {

namespace {

double inverse_a2(double /*h*/, bool /*first*/) { return 0; }

/// y is only the start of the descent: there is no inertia.
void target(const StepParameters&, const State& state, int first, int last, VectorField& y) {
  std::copy(state.x.begin() + first, state.x.begin() + last, y.begin() + first);
}

void advance(const StepParameters&, const VectorField& z, int first, int last, State& state) {
  std::copy(z.begin() + first, z.begin() + last, state.x.begin() + first);
  std::fill(state.v.begin() + first, state.v.begin() + last, PaddedVector{});
}

}  // namespace

/// Equilibrium at every time: a is infinite,
///   x' = argmin E(x) - sum_i m_i g . x_i,  v' = 0,
/// with pins and colliders at their places at the end of the step. Each step starts from the last
/// equilibrium.
Integrator quasi_static() {
  return {.kind = TimeIntegrator::quasi_static,
          .has_inertia = false,
          .inverse_a2 = inverse_a2,
          .target = target,
          .advance = advance};
}

}  // namespace supple

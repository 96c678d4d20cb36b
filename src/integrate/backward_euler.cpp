#include "base/index.h"
#include "integrate/integrator.h"

namespace supple {

namespace {

double inverse_a2(double h, bool /*first*/) { return 1 / (h * h); }

void target(const StepParameters& step, const State& state, int first, int last, VectorField& y) {
  const double h = step.h;
  for (auto i = at(first); i < at(last); ++i) {
    const bool moves = step.model.mass[i] > 0;
    for (int k = 0; k < 3; ++k) {
      const double way =
          h * (step.kept * state.v[i][k]) + h * h * step.gravity[static_cast<std::size_t>(k)];
      y[i][k] = moves ? state.x[i][k] + way : state.x[i][k];
    }
  }
}

void advance(const StepParameters& step, const VectorField& z, int first, int last, State& state) {
  for (auto i = at(first); i < at(last); ++i) {
    for (int k = 0; k < 3; ++k) state.v[i][k] = (z[i][k] - state.x[i][k]) / step.h;
    state.x[i] = z[i];
  }
}

}  // namespace

/// Backward Euler [thesis eqs. 3.25, 3.26 and 3.30]: M (v' - v)/h = f - dE/dx(x'), x' = x + h v',
/// which means
///   a = h,  y = x + h v + h^2 M^-1 f,  x' = z,  v' = (z - x)/h.
Integrator backward_euler() {
  return {.kind = TimeIntegrator::backward_euler,
          .keeps_energy_down = true,
          .has_velocity_at_z = true,
          .inverse_a2 = inverse_a2,
          .target = target,
          .advance = advance};
}

}  // namespace supple

#include "base/index.h"
#include "integrate/integrator.h"

namespace supple {

namespace {

double inverse_a2(double h, bool /*first*/) { return 4 / (h * h); }

void target(const StepParameters& step, const State& state, int first, int last, VectorField& y) {
  const double a = 0.5 * step.h;
  for (auto i = at(first); i < at(last); ++i) {
    const bool moves = step.model.mass[i] > 0;
    for (int k = 0; k < 3; ++k) {
      const double way =
          a * (step.kept * state.v[i][k]) + a * a * step.gravity[static_cast<std::size_t>(k)];
      y[i][k] = moves ? state.x[i][k] + way : state.x[i][k];
    }
  }
}

void advance(const StepParameters& step, const VectorField& z, int first, int last, State& state) {
  const double a = 0.5 * step.h;
  for (auto i = at(first); i < at(last); ++i) {
    if (!(step.model.mass[i] > 0)) continue;
    for (int k = 0; k < 3; ++k) {
      const double half = z[i][k] - state.x[i][k];
      state.v[i][k] = 2 * half / a - step.kept * state.v[i][k];
      state.x[i][k] = z[i][k] + half;
    }
  }
}

}  // namespace

/// The implicit midpoint rule [thesis eqs. 3.27 and 3.28]: with the middle z = (x + x')/2,
/// M (v' - v)/h = f - dE/dx(z) and (x' - x)/h = (v + v')/2, which means
///   a = h/2,  y = x + a v + a^2 M^-1 f,  x' = 2 z - x,  v' = 2 (z - x)/a - v.
/// This is the minimum of [thesis eq. 3.31] with z for its (x + x')/2. Pins and colliders are at
/// their places in the middle of the step.
Integrator implicit_midpoint() {
  return {.kind = TimeIntegrator::implicit_midpoint,
          .stage = 0.5,
          .has_velocity_at_z = true,
          .inverse_a2 = inverse_a2,
          .target = target,
          .advance = advance};
}

}  // namespace supple

#include "base/index.h"
#include "integrate/integrator.h"

namespace supple {

namespace {

/// beta h^2 = a^2 with beta = 1/4.
double inverse_a2(double h, bool /*first*/) { return 4 / (h * h); }

/// x + h v + (1/2 - beta) h^2 acceleration: where the step leads without the forces at its end.
double predicted(const StepParameters& step, const State& state, std::size_t i, int k) {
  return state.x[i][k] + step.h * (step.kept * state.v[i][k]) +
         0.25 * step.h * step.h * state.acceleration[i][k];
}

void target(const StepParameters& step, const State& state, int first, int last, VectorField& y) {
  const double a2 = 0.25 * step.h * step.h;
  for (auto i = at(first); i < at(last); ++i) {
    const bool moves = step.model.mass[i] > 0;
    for (int k = 0; k < 3; ++k) {
      y[i][k] = moves
                    ? predicted(step, state, i, k) + a2 * step.gravity[static_cast<std::size_t>(k)]
                    : state.x[i][k];
    }
  }
}

void advance(const StepParameters& step, const VectorField& z, int first, int last, State& state) {
  const double a2 = 0.25 * step.h * step.h;
  for (auto i = at(first); i < at(last); ++i) {
    if (!(step.model.mass[i] > 0)) continue;
    for (int k = 0; k < 3; ++k) {
      const double acceleration = (z[i][k] - predicted(step, state, i, k)) / a2;
      state.v[i][k] =
          step.kept * state.v[i][k] + 0.5 * step.h * (state.acceleration[i][k] + acceleration);
      state.x[i][k] = z[i][k];
      state.acceleration[i][k] = acceleration;
    }
  }
}

}  // namespace

/// Newmark's method of average acceleration, beta = 1/4, gamma = 1/2 [Newmark 1959]:
///   x' = x + h v + h^2 ((1/2 - beta) w + beta w'),  v' = v + h ((1 - gamma) w + gamma w'),
/// where w and w' are the accelerations M^-1 (f - dE/dx) at both ends. This means
///   a^2 = beta h^2,  y = x + h v + h^2 (1/2 - beta) w + a^2 M^-1 f,  x' = z,
///   w' = (z - x - h v - h^2 (1/2 - beta) w)/a^2.
Integrator newmark() {
  return {.kind = TimeIntegrator::newmark,
          .needs_acceleration = true,
          .pushed = 2,  // the force acts at both ends
          .inverse_a2 = inverse_a2,
          .target = target,
          .advance = advance};
}

}  // namespace supple

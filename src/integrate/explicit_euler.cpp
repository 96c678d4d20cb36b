#include "base/index.h"
#include "integrate/integrator.h"

namespace supple {

namespace {

/// h M^-1 (f - dE/dx) of a coordinate; 0 if the vertex has no mass.
double kick(const StepParameters& step, const VectorField& gradient, std::size_t i, int k) {
  if (!(step.model.mass[i] > 0)) return 0;
  return step.h * (step.gravity[static_cast<std::size_t>(k)] - gradient[i][k] / step.model.mass[i]);
}

void advance_symplectic(const StepParameters& step, const VectorField& gradient, int first,
                        int last, State& state) {
  for (auto i = at(first); i < at(last); ++i) {
    if (!(step.model.mass[i] > 0)) continue;
    for (int k = 0; k < 3; ++k) {
      state.v[i][k] = step.kept * state.v[i][k] + kick(step, gradient, i, k);
      state.x[i][k] += step.h * state.v[i][k];
    }
  }
}

void advance_forward(const StepParameters& step, const VectorField& gradient, int first, int last,
                     State& state) {
  for (auto i = at(first); i < at(last); ++i) {
    if (!(step.model.mass[i] > 0)) continue;
    for (int k = 0; k < 3; ++k) {
      const double v = step.kept * state.v[i][k];
      state.x[i][k] += step.h * v;
      state.v[i][k] = v + kick(step, gradient, i, k);
    }
  }
}

}  // namespace

/// Symplectic Euler [thesis eqs. 3.23 and 3.24]:
///   v' = v + h M^-1 (f - dE/dx(x)),  x' = x + h v'.
Integrator symplectic_euler() {
  return {.kind = TimeIntegrator::symplectic_euler,
          .is_explicit = true,
          .stage = 0,
          .advance = advance_symplectic};
}

/// Forward Euler [thesis eqs. 3.21 and 3.22]:
///   x' = x + h v,  v' = v + h M^-1 (f - dE/dx(x)).
Integrator forward_euler() {
  return {.kind = TimeIntegrator::forward_euler,
          .is_explicit = true,
          .stage = 0,
          .advance = advance_forward};
}

}  // namespace supple

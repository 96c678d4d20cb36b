#include "base/index.h"
#include "integrate/integrator.h"

namespace supple {

namespace {

double length(double h, bool is_first) { return is_first ? h : 2 * h / 3; }

double inverse_a2(double h, bool is_first) {
  const double a = length(h, is_first);
  return 1 / (a * a);
}

/// x^ and v^: (4 x - x_previous)/3, or x alone in the first step.
double carried(double now, double previous, bool is_first) {
  return is_first ? now : (4 * now - previous) / 3;
}

/// This step damps the previous velocity too: it was kept as its own step had damped it.
void target(const StepParameters& step, const State& state, int first, int last, VectorField& y) {
  const bool is_first = step.is_first;
  const double a = length(step.h, is_first);
  for (auto i = at(first); i < at(last); ++i) {
    const bool moves = step.model.mass[i] > 0;
    for (int k = 0; k < 3; ++k) {
      const double x = carried(state.x[i][k], is_first ? 0 : state.x_previous[i][k], is_first);
      const double v = carried(step.kept * state.v[i][k],
                               is_first ? 0 : step.kept * state.v_previous[i][k], is_first);
      const double way = a * v + a * a * step.gravity[static_cast<std::size_t>(k)];
      y[i][k] = moves ? x + way : state.x[i][k];
    }
  }
}

void advance(const StepParameters& step, const VectorField& z, int first, int last, State& state) {
  const double a = length(step.h, step.is_first);
  for (auto i = at(first); i < at(last); ++i) {
    for (int k = 0; k < 3; ++k) {
      const double x = state.x[i][k];
      const double v = step.kept * state.v[i][k];
      state.v[i][k] = (z[i][k] - carried(x, state.x_previous[i][k], step.is_first)) / a;
      state.x[i][k] = z[i][k];
      state.x_previous[i][k] = x;
      state.v_previous[i][k] = v;
    }
  }
}

}  // namespace

/// The backward differentiation formula of second order [Hairer & Wanner 1996, sec. V.1]: with
/// x^ = (4 x - x_previous)/3, and v^ likewise,
///   a = 2 h/3,  y = x^ + a v^ + a^2 M^-1 f,  x' = z,  v' = (z - x^)/a.
/// The first step is one of backward Euler. Its error, of second order in h, is made only once, so
/// the whole stays of second order. Its 1/a^2 is 4/9 of the others'.
Integrator bdf2() {
  return {.kind = TimeIntegrator::bdf2,
          .needs_previous = true,
          .pushed = 1.5,  // h/a; 1 in the first step
          .inverse_a2 = inverse_a2,
          .target = target,
          .advance = advance};
}

}  // namespace supple

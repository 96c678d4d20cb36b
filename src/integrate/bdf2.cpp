#include "integrate/integrator.h"

namespace supple {

namespace {

bool is_first(const State& state) { return state.x_previous.empty(); }

double length(double h, bool first) { return first ? h : 2 * h / 3; }

double inverse_a2(double h, bool first) {
  const double a = length(h, first);
  return 1 / (a * a);
}

/// x^ and v^: (4 x - x_previous)/3, or x alone in the first step.
double carried(double now, double previous, bool first) {
  return first ? now : (4 * now - previous) / 3;
}

/// The previous velocity is damped by this step too: it was kept as damped by its own.
void target(const StepParameters& step, const State& state, VectorField& y) {
  const bool first = is_first(state);
  const double a = length(step.h, first);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool moves = step.model.mass[i] > 0;
    for (int k = 0; k < 3; ++k) {
      const double x = carried(state.x[i][k], first ? 0 : state.x_previous[i][k], first);
      const double v =
          carried(step.kept * state.v[i][k], first ? 0 : step.kept * state.v_previous[i][k], first);
      const double way = a * v + a * a * step.gravity[static_cast<std::size_t>(k)];
      y[i][k] = moves ? x + way : state.x[i][k];
    }
  }
}

void advance(const StepParameters& step, const VectorField& z, State& state) {
  const bool first = is_first(state);
  const double a = length(step.h, first);
  if (first) keep_as_previous(step, state);
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const double x = state.x[i][k];
      const double v = step.kept * state.v[i][k];
      state.v[i][k] = (z[i][k] - carried(x, state.x_previous[i][k], first)) / a;
      state.x[i][k] = z[i][k];
      state.x_previous[i][k] = x;
      state.v_previous[i][k] = v;
    }
  }
}

}  // namespace

/// The backward differentiation formula of second order [Hairer & Wanner 1996, sec. V.1]: with
/// x^ = (4 x - x_previous)/3 and v^ alike,
///   a = 2 h/3,  y = x^ + a v^ + a^2 M^-1 f,  x' = z,  v' = (z - x^)/a.
/// The first step is one of backward Euler: its error, of second order in h, is made once, so that
/// the whole stays of second order. Its 1/a^2 is 4/9 of the others'.
Integrator bdf2() {
  return {.name = "bdf2",
          .text =
              "from the last two states: stable, damps far less than backward Euler (second "
              "order)",
          .needs_previous = true,
          .inverse_a2 = inverse_a2,
          .target = target,
          .advance = advance};
}

}  // namespace supple

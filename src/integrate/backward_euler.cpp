#include "integrate/backward_euler.h"

#include <cmath>

namespace supple::backward_euler {

void inertial_target(const Model& model, const State& state, double h, const Vec3& gravity,
                     double drag, VectorField& y) {
  const double kept = std::exp(-drag * h);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool moves = model.mass[i] > 0;
    for (int k = 0; k < 3; ++k) {
      const double step = h * (kept * state.v[i][k]) + h * h * gravity[static_cast<std::size_t>(k)];
      y[i][k] = moves ? state.x[i][k] + step : state.x[i][k];
    }
  }
}

void advance(const VectorField& z, double h, State& state) {
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (int k = 0; k < 3; ++k) state.v[i][k] = (z[i][k] - state.x[i][k]) / h;
    state.x[i] = z[i];
  }
  state.time += h;
}

}  // namespace supple::backward_euler

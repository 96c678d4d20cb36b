#include "integrate/integrator.h"

namespace supple {

const std::vector<Integrator>& integrators() {
  static const std::vector<Integrator> all = {
      backward_euler(), implicit_midpoint(), bdf2(),         newmark(),
      quasi_static(),   symplectic_euler(),  forward_euler()};
  return all;
}

const Integrator* find_integrator(TimeIntegrator kind) {
  for (const Integrator& integrator : integrators()) {
    if (integrator.kind == kind) return &integrator;
  }
  return nullptr;
}

void forget_push(const Integrator& integrator, const StepParameters& step, std::size_t vertex,
                 const PaddedVector& force, State& state) {
  const double mass = step.model.mass[vertex];
  for (int k = 0; k < 3; ++k) {
    const double acceleration = force[k] / mass;
    if (integrator.needs_previous) state.v_previous[vertex][k] += step.h * acceleration;
    if (integrator.needs_acceleration) {
      state.acceleration[vertex][k] -= integrator.pushed * acceleration;
    }
  }
}

void forget_kick(std::size_t vertex, const Vec3& change, State& state) {
  if (state.v_previous.empty()) return;
  for (int k = 0; k < 3; ++k) {
    state.v_previous[vertex][k] += change[static_cast<std::size_t>(k)];
  }
}

void keep_as_previous(const StepParameters& step, State& state) {
  state.x_previous = state.x;
  state.v_previous.resize(state.v.size());
  for (std::size_t i = 0; i < state.v.size(); ++i) {
    for (int k = 0; k < 3; ++k) state.v_previous[i][k] = step.kept * state.v[i][k];
  }
}

}  // namespace supple

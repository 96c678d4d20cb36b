#include "integrate/integrator.h"

namespace supple {

const std::vector<Integrator>& integrators() {
  static const std::vector<Integrator> all = {
      backward_euler(), implicit_midpoint(), bdf2(),         newmark(),
      quasi_static(),   symplectic_euler(),  forward_euler()};
  return all;
}

const Integrator* find_integrator(const std::string& name) {
  for (const Integrator& integrator : integrators()) {
    if (integrator.name == name) return &integrator;
  }
  return nullptr;
}

void keep_as_previous(const StepParameters& step, State& state) {
  state.x_previous = state.x;
  state.v_previous.resize(state.v.size());
  for (std::size_t i = 0; i < state.v.size(); ++i) {
    for (int k = 0; k < 3; ++k) state.v_previous[i][k] = step.kept * state.v[i][k];
  }
}

}  // namespace supple

#include "sim/stepper.h"
#include "supple/simulation.h"

namespace supple {

const char* to_string(StepStatus status) {
  switch (status) {
    case StepStatus::converged:
      return "converged";
    case StepStatus::iteration_limit:
      return "iteration_limit";
    case StepStatus::out_of_time:
      return "out_of_time";
    case StepStatus::stalled:
      return "stalled";
    case StepStatus::non_finite:
      return "non_finite";
  }
  return "unknown";
}

std::vector<Description> list_solvers() {
  std::vector<Description> list;
  for (const SolverEntry& entry : solver_entries()) list.push_back(entry.description);
  return list;
}

std::vector<Description> list_integrators() {
  return {{"backward_euler",
           "x' = argmin |x - y|_M^2/(2 h^2) + E(x), y = x + h v + h^2 M^-1 f: stable, damps "
           "(first order)"}};
}

}  // namespace supple

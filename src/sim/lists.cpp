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
    case StepStatus::failed:
      return "failed";
  }
  return "unknown";
}

std::vector<Description> list_integrators() { return choices(TimeIntegrator{}).entries; }

}  // namespace supple

#include <cmath>
#include <limits>
#include <utility>

#include "supple/error.h"
#include "supple/scene.h"

namespace supple {

std::pair<double, double> lame_parameters(double young, double poisson) {
  if (!(std::isfinite(young) && young > 0)) {
    throw Error(ErrorKind::invalid_input, "young", "expected a positive modulus in Pa");
  }
  if (!(poisson > -1 && poisson <= 0.5)) {
    throw Error(ErrorKind::invalid_input, "poisson", "expected a value above -1, at most 0.5");
  }
  if (poisson == 0.5) return {young / 3, std::numeric_limits<double>::infinity()};
  return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

}  // namespace supple

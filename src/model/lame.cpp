#include <cmath>
#include <limits>
#include <numbers>
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

RodStiffness rod_stiffness(double young, double poisson, double radius) {
  const double shear = lame_parameters(young, poisson).first;
  if (!(std::isfinite(radius) && radius > 0)) {
    throw Error(ErrorKind::invalid_input, "radius", "expected a positive radius in m");
  }
  const double area = std::numbers::pi * radius * radius;
  const RodStiffness rod{.stretch = young * area,
                         .bending = young * area * radius * radius / 4,
                         .twist = shear * area * radius * radius / 2};
  for (const double stiffness : {rod.stretch, rod.bending, rod.twist}) {
    if (std::isnormal(stiffness)) continue;
    throw Error(ErrorKind::invalid_input, "radius",
                "makes a rod whose stiffness a double cannot hold");
  }
  return rod;
}

}  // namespace supple

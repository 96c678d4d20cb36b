#pragma once

#include "math/mat3.h"

namespace supple {

/// How far a tet has flowed (materials/plastic_flow.h).
struct PlasticStrain {
  Mat3<double> F = Mat3<double>::identity();  ///< F_p, det F_p = 1
  double accumulated = 0;                     ///< a
};

}  // namespace supple

#include "potentials/spring_kernels.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

double evaluate(const SpringSet::Spring* springs, const Vec3* rest_direction, const PaddedVector* x,
                int count, PaddedVector* forces) {
  double energy = 0;
  for (int s = 0; s < count; ++s) {
    const SpringSet::Spring& spring = springs[s];
    const double* const x_a = x[spring.a].v;
    const double* const x_b = x[spring.b].v;
    double* const gradient = forces[s].v;
    double d[4];
    for (int k = 0; k < 4; ++k) d[k] = x_a[k] - x_b[k];
    const double length = __builtin_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double stretch = length - spring.rest_length;
    const double force = spring.stiffness * stretch;
    if (length > 0) {
      const double scale = force / length;
      for (int k = 0; k < 4; ++k) gradient[k] = scale * d[k];
    } else {
      const double* const direction = rest_direction[s].data();
      for (int k = 0; k < 3; ++k) gradient[k] = force * direction[k];
      gradient[3] = 0;
    }
    energy += 0.5 * force * stretch;
  }
  return energy;
}

}  // namespace

const SpringKernels spring_table{evaluate};

}  // namespace SUPPLE_SIMD

}  // namespace supple

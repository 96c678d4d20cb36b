#pragma once

#include "math/mat3.h"
#include "math/svd.h"

/// Materials that measure the squared distance of F to a set of allowed deformations,
///   Psi = k/2 |F - p(F)|^2,  p(F) the nearest member of the set,  dPsi/dF = k (F - p(F)).
/// Projective Dynamics can run these [Bouaziz et al. 2014, sec. 3; thesis eq. 6.1].
/// Their sets do not change under rotations from either side. So p(F) = U diag(t) V^T has the
/// frames of F = U diag(s) V^T, and the material gives
///   project_stretches(s)   t, the nearest allowed stretches to s1 >= s2 >= |s3|
///   projection_weight()    k, Pa
namespace supple {

template <class Material>
concept Projective = requires(const Material& material) {
  material.projection_weight();
};

/// p(F).
template <Projective Material, class S>
SUPPLE_INLINE Mat3<S> project(const Material& material, const Mat3<S>& F) {
  const Svd<S> d = svd(F);
  return compose(d.U, material.project_stretches(d.s), d.V);
}

}  // namespace supple

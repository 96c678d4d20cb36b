#include "linear/front.h"

// Eigen's templates have the same names for every level they are compiled for, so each level gets
// its own namespace Eigen here (base/simd_level.h).
#define SUPPLE_JOIN_NAMES(a, b) a##_##b
#define SUPPLE_EIGEN_OF(level) SUPPLE_JOIN_NAMES(eigen, level)
#define Eigen SUPPLE_EIGEN_OF(SUPPLE_SIMD)
#include <Eigen/Cholesky>

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

template <class Real>
using Dense = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

/// Writes L^-1 over `inverse`, which is zero, by halves,
///   [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1 C^-1],
/// so most of the work is products of matrices.
template <class Real>
void invert(const Eigen::Ref<const Dense<Real>>& L, Eigen::Ref<Dense<Real>> inverse) {
  const Eigen::Index n = L.rows();
  if (n <= 12) {
    for (Eigen::Index j = 0; j < n; ++j) {
      inverse(j, j) = 1 / L(j, j);
      for (Eigen::Index i = j + 1; i < n; ++i) {
        Real sum = 0;
        for (Eigen::Index k = j; k < i; ++k) sum += L(i, k) * inverse(k, j);
        inverse(i, j) = -sum / L(i, i);
      }
    }
    return;
  }
  const Eigen::Index half = n / 2, rest = n - half;
  invert<Real>(L.topLeftCorner(half, half), inverse.topLeftCorner(half, half));
  invert<Real>(L.bottomRightCorner(rest, rest), inverse.bottomRightCorner(rest, rest));
  auto product = inverse.topRightCorner(half, rest);  // (B A^-1)^T, only needed temporarily
  product.noalias() =
      inverse.topLeftCorner(half, half).transpose() * L.bottomLeftCorner(rest, half).transpose();
  inverse.bottomLeftCorner(rest, half).noalias() =
      -inverse.bottomRightCorner(rest, rest) * product.transpose();
  product.setZero();
}

/// Writes L into the lower triangle of a square block.
template <class Real>
bool factorise(Eigen::Ref<Dense<Real>> block) {
  const Eigen::LLT<Eigen::Ref<Dense<Real>>> llt(block);
  if (llt.info() != Eigen::Success) return false;
  for (Eigen::Index i = 0; i < block.rows(); ++i) {
    if (!(block(i, i) > 0) || !__builtin_isfinite(block(i, i))) return false;
  }
  return true;
}

template <class Real>
bool eliminate(Real* values, int width, int num_rows, bool with_product, Real* inverse_values,
               Real* below_values) {
  Eigen::Map<Dense<Real>> front(values, width + num_rows, width + num_rows);
  Eigen::Map<Dense<Real>> inverse(inverse_values, width, width);
  Eigen::Map<Dense<Real>> below(below_values, num_rows, width);
  auto block = front.topLeftCorner(width, width);
  if (!factorise<Real>(block)) return false;
  inverse.setZero();
  invert<Real>(block, inverse);
  if (num_rows == 0) return true;
  auto panel = front.bottomLeftCorner(num_rows, width);
  auto rest = front.bottomRightCorner(num_rows, num_rows);
  below.noalias() = panel * inverse.transpose();
  rest.template selfadjointView<Eigen::Lower>().rankUpdate(below, Real(-1));
  if (with_product) {
    panel = below;
    below.noalias() = panel * inverse;
  }
  return true;
}

bool factorise_floats(float* values, int n) {
  return factorise<float>(Eigen::Map<Dense<float>>(values, n, n));
}

}  // namespace

const FrontKernels front_table{eliminate<double>, eliminate<float>, factorise_floats};

}  // namespace SUPPLE_SIMD

}  // namespace supple

#include "linear/front.h"

// Eigen's templates have the same names whatever they are compiled for, so each level has a
// namespace Eigen of its own here (base/simd_level.h).
#define SUPPLE_JOIN_NAMES(a, b) a##_##b
#define SUPPLE_EIGEN_OF(level) SUPPLE_JOIN_NAMES(eigen, level)
#define Eigen SUPPLE_EIGEN_OF(SUPPLE_SIMD)
#include <Eigen/Cholesky>

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

using Dense = Eigen::MatrixXd;

bool eliminate(double* values, int width, int num_rows, bool with_product, double* inverse_values,
               double* below_values) {
  Eigen::Map<Dense> front(values, width + num_rows, width + num_rows);
  Eigen::Map<Dense> inverse(inverse_values, width, width), below(below_values, num_rows, width);
  auto block = front.topLeftCorner(width, width);
  const Eigen::LLT<Eigen::Ref<Dense>> llt(block);
  if (llt.info() != Eigen::Success) return false;
  for (int i = 0; i < width; ++i) {
    if (!(block(i, i) > 0) || !__builtin_isfinite(block(i, i))) return false;
  }
  const auto L = block.triangularView<Eigen::Lower>();
  inverse.setIdentity();
  L.solveInPlace(inverse);
  if (num_rows == 0) return true;
  auto panel = front.bottomLeftCorner(num_rows, width);
  L.transpose().solveInPlace<Eigen::OnTheRight>(panel);
  auto rest = front.bottomRightCorner(num_rows, num_rows);
  rest.selfadjointView<Eigen::Lower>().rankUpdate(panel, -1.0);
  if (with_product) {
    below.noalias() = panel * inverse.triangularView<Eigen::Lower>();
  } else {
    below = panel;
  }
  return true;
}

}  // namespace

const FrontKernels front_table{eliminate};

}  // namespace SUPPLE_SIMD

}  // namespace supple

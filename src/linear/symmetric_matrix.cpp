#include "linear/symmetric_matrix.h"

#include <algorithm>

namespace supple {

SUPPLE_DEFINE_KERNELS(SparseKernels, sparse_kernels, sparse_table)

void SymmetricMatrix::analyse(const SpdSolver::Matrix& lower) {
  const auto n = static_cast<std::size_t>(lower.rows());
  const int* start = lower.outerIndexPtr();
  const int* row = lower.innerIndexPtr();
  start_.assign(n + 1, 0);
  for (std::size_t j = 0; j < n; ++j) {
    for (int k = start[j]; k < start[j + 1]; ++k) {
      const auto i = static_cast<std::size_t>(row[k]);
      ++start_[i + 1];
      if (i != j) ++start_[j + 1];
    }
  }
  for (std::size_t i = 0; i < n; ++i) start_[i + 1] += start_[i];
  column_.resize(static_cast<std::size_t>(start_[n]));
  source_.resize(column_.size());
  value_.resize(column_.size());
  // Column after column, so a row gets the entries left of its diagonal before those to the right.
  std::vector<std::int64_t> next(start_.begin(), start_.end() - 1);
  const auto put = [&](std::size_t i, std::size_t j, int k) {
    const auto place = static_cast<std::size_t>(next[i]++);
    column_[place] = static_cast<int>(j);
    source_[place] = k;
  };
  for (std::size_t j = 0; j < n; ++j) {
    for (int k = start[j]; k < start[j + 1]; ++k) {
      const auto i = static_cast<std::size_t>(row[k]);
      put(i, j, k);
      if (i != j) put(j, i, k);
    }
  }
  in_threes_ = n % 3 == 0;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (i % 3 == 2 || !in_threes_) continue;
    const auto begin = column_.begin();
    in_threes_ = std::equal(begin + start_[i], begin + start_[i + 1], begin + start_[i + 1],
                            begin + start_[i + 2]);
  }
  update(lower);
}

void SymmetricMatrix::update(const SpdSolver::Matrix& lower) {
  const double* values = lower.valuePtr();
  for (std::size_t e = 0; e < value_.size(); ++e) value_[e] = values[source_[e]];
}

template <int sides>
void SymmetricMatrix::multiply(int first, int last, const double* x, double* y) const {
  kernels_->multiply({start_.data(), column_.data(), value_.data(), in_threes_}, sides, first, last,
                     x, y);
}

template void SymmetricMatrix::multiply<1>(int, int, const double*, double*) const;
template void SymmetricMatrix::multiply<4>(int, int, const double*, double*) const;

}  // namespace supple

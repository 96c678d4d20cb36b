#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/parallel_for.h"
#include "linear/panel_solve.h"

namespace supple {

/// Interrupts a solve with a factor L L^T half way, between the two substitutions.
class HalfWay {
 public:
  virtual ~HalfWay() = default;
  /// y = L^-1 b times `scale` for four sides: [4 n], like b. What is written there replaces y.
  /// False: the rest of the solve is skipped and gives no result.
  virtual bool turn(float* y, double scale) = 0;
};

/// Work before and after a solve for four right-hand sides, done while the rows are at hand anyway.
/// Threads call it concurrently for different rows.
class SolveEnds {
 public:
  /// Rows come in runs of this many, starting at multiples of it; the last run is shorter.
  static constexpr int rows = 512;

  virtual ~SolveEnds() = default;
  /// About the largest absolute value of an entry of b; 0: all are zero.
  virtual double size() const = 0;
  /// Rows first .. last - 1 of b, [4 (last - first)], in `room` or elsewhere.
  virtual const double* bring(int first, int last, double* room) const = 0;
  /// Called when these rows of x are ready.
  virtual void take(int first, int last) = 0;
  /// Null: the solve does not stop. Called only if SpdSolver::has_half_way().
  virtual HalfWay* half_way() { return nullptr; }
};

/// Plain right-hand sides, `sides` of them interleaved.
template <int sides>
class PlainEnds {
 public:
  /// room: where threads write the largest entry of each chunk of rows; sized once.
  PlainEnds(const double* b, int n, const SolveKernels& kernels, std::vector<double>& room,
            Threads& threads)
      : b_(b), n_(n), kernels_(&kernels), room_(&room), threads_(&threads) {
    room.resize(static_cast<std::size_t>((n + rows_per_chunk - 1) / rows_per_chunk));
  }

  double size() const {
    threads_->parallel_for(static_cast<int>(room_->size()), [&](int chunk) {
      const int first = chunk * rows_per_chunk, last = std::min(n_, first + rows_per_chunk);
      (*room_)[static_cast<std::size_t>(chunk)] =
          kernels_->largest(bring(first, last, nullptr), std::ptrdiff_t{sides} * (last - first));
    });
    return room_->empty() ? 0 : *std::max_element(room_->begin(), room_->end());
  }
  const double* bring(int first, int /*last*/, double* /*room*/) const {
    return b_ + std::ptrdiff_t{sides} * first;
  }
  void take(int /*first*/, int /*last*/) {}
  HalfWay* half_way() { return nullptr; }

 private:
  static constexpr int rows_per_chunk = 1024;
  const double* b_;
  int n_;
  const SolveKernels* kernels_;
  std::vector<double>* room_;
  Threads* threads_;
};

/// A power of two that scales numbers of this size to about one. Floats only reach from 1e-38 to
/// 1e38, and forces go further. Returns 1 if size is 0 or not finite.
inline double scale_to_floats(double size) {
  if (size == 0 || !std::isfinite(size)) return 1;
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
}

}  // namespace supple

#pragma once

#include "materials/fiber.h"
#include "model/model.h"

namespace supple {

/// The families of fibers of consecutive batches, as kernels read them.
struct FiberBatches {
  const double* values = nullptr;              ///< as ElementRange::fibers, from one batch on
  const CubicSpline* const* curves = nullptr;  ///< as ElementRange::curves
  int count = 0;                               ///< families; 0: none

  /// How many numbers a batch has.
  std::ptrdiff_t stride() const { return std::ptrdiff_t{count} * 4 * lanes; }
  /// The same from a later batch or lane on.
  FiberBatches from(std::ptrdiff_t batch, int lane = 0) const {
    return {count == 0 ? nullptr : values + batch * stride() + lane, curves, count};
  }
};

/// The fibers of a range from its batch `batch` on.
inline FiberBatches fibers_from(const ElementRange& range, std::size_t batch) {
  return FiberBatches{range.fibers.data(), range.curves.data(), range.num_fibers}.from(
      static_cast<std::ptrdiff_t>(batch));
}

/// Some lanes of a family. load(p) loads the numbers of these lanes, the first of which is at p.
/// factor: multiplies the energy.
template <class S, class Load>
SUPPLE_INLINE Fiber<S> load_fiber(const FiberBatches& fibers, int family, const Load& load,
                                  const S& factor) {
  const double* const f = fibers.values + std::ptrdiff_t{family} * 4 * lanes;
  return {{{load(f), load(f + lanes), load(f + 2 * lanes)}},
          factor * load(f + 3 * lanes),
          fibers.curves[family]};
}

namespace detail {

/// As many lanes as a number type S has, from lane `first` of a batch on.
template <class S>
SUPPLE_INLINE Fiber<S> fiber_at(const FiberBatches& fibers, std::ptrdiff_t batch, int first,
                                int family) {
  return load_fiber(
      fibers.from(batch, first), family, [](const double* p) { return S::load(p); }, S(1.0));
}

}  // namespace detail

/// A family of fibers in one tet of a range; lane: in the batch.
inline Fiber<double> fiber_of(const ElementRange& range, std::size_t batch, std::size_t lane,
                              int family) {
  return load_fiber<double>(
      fibers_from(range, batch).from(0, static_cast<int>(lane)), family,
      [](const double* p) { return *p; }, 1.0);
}

}  // namespace supple

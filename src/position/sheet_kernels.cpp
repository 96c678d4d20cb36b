#include "position/sheet_kernels.h"

#include <cmath>
#include <limits>

#include "position/sheet_projection.h"
#include "potentials/membrane_kernels.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

using One = RegisterBatch;
constexpr int width = One::width;

/// Some lanes of a batch, from `first` on.
template <class T>
struct SheetPiece {
  Vector3<One> edge[2];
  One square = One(0.0);  ///< squared distance of its corners from the origin, m^2

  SUPPLE_INLINE SheetPiece(const SheetBatch& batch, int first, const PaddedPosition<T>* x) {
    for (int lane = 0; lane < width; ++lane) {
      const PaddedPosition<T>* corner[3];
      for (int c = 0; c < 3; ++c) corner[c] = x + batch.vertex[c][first + lane];
      double sum = 0;
      for (int k = 0; k < 3; ++k) {
        const double own = static_cast<double>(corner[0]->v[k]);
        sum += own * own;
        for (int c = 0; c < 2; ++c) {
          const double other = static_cast<double>(corner[c + 1]->v[k]);
          edge[c][k].set(lane, other - own);
          sum += other * other;
        }
      }
      square.set(lane, sum);
    }
  }
};

/// |F^T F - I|^2.
SUPPLE_INLINE One squared_strain(const Vector3<One> (&f)[2]) {
  const One xx = dot(f[0], f[0]) - One(1.0), yy = dot(f[1], f[1]) - One(1.0), xy = dot(f[0], f[1]);
  return xx * xx + yy * yy + One(2.0) * (xy * xy);
}

template <class Sheet, class T>
SUPPLE_INLINE void project_piece(SheetBatch& batch, int first, const Sheet& sheet, double a2,
                                 PaddedPosition<T>* x) {
  const SheetPiece<T> piece(batch, first, x);
  One m[4];
  for (int i = 0; i < 4; ++i) m[i] = One::load(batch.inverse_rest[i] + first);
  SheetStep<One, Sheet> step{sheet, One(a2) * One::load(batch.volume + first), {}};
  for (int i = 0; i < 3; ++i) step.root[i] = One::load(batch.root[i] + first);
  SheetPlace<One> now;
  now.f[0] = m[0] * piece.edge[0] + m[2] * piece.edge[1];
  now.f[1] = m[1] * piece.edge[0] + m[3] * piece.edge[1];
  for (int i = 0; i < 6; ++i) now.q[i / 3][i % 3] = One::load(batch.impulse[i] + first);
  const Vector3<One> q[2] = {now.q[0], now.q[1]};
  const One strain = squared_strain(now.f);
  step.descend(now);
  Vector3<One> e[2] = {now.q[0] - q[0], now.q[1] - q[1]};
  // If F is a rotation up to rounding, a step that is mere rounding is dropped, so that a sheet at
  // rest keeps its bits. A step that is not finite is dropped, too.
  constexpr double rounding = 32 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const One way = step.way(e);
  const One limit = One(rounding * rounding) * piece.square *
                    ((m[0] * m[0] + m[1] * m[1]) + (m[2] * m[2] + m[3] * m[3]));
  const auto moves = ((limit < strain) | (limit < way)) & (way <= One(1e100));
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 3; ++i) {
      e[k][i] = select(moves, e[k][i], One(0.0));
      (q[k][i] + e[k][i]).store(batch.impulse[3 * k + i] + first);
    }
  }
  Vector3<One> push[3];
  for (int c = 0; c < 2; ++c) {
    push[c + 1] = One::load(batch.scaled[2 * c] + first) * e[0] +
                  One::load(batch.scaled[2 * c + 1] + first) * e[1];
  }
  push[0] = One(-1.0) * (push[1] + push[2]);
  for (int c = 0; c < 3; ++c) {
    const Vector3<One> d = One::load(batch.weight[c] + first) * push[c];
    for (int lane = 0; lane < width; ++lane) {
      T* const to = x[batch.vertex[c][first + lane]].v;
      for (int k = 0; k < 3; ++k) to[k] += static_cast<T>(d[k][lane]);
    }
  }
}

template <class Sheet>
SUPPLE_INLINE DampedSheet<One, Sheet> damped(const Sheet& sheet, const SheetDamper& damper,
                                             int first, double a2) {
  const One inverse_a(1 / std::sqrt(a2));
  One roots[2];
  Vector3<One> before[2];
  for (int k = 0; k < 2; ++k) {
    roots[k] = sqrt(inverse_a * One::load(damper.viscosity[k] + first));
    for (int i = 0; i < 3; ++i) before[k][i] = One::load(damper.before[3 * k + i] + first);
  }
  return {sheet, roots, before};
}

template <class T>
void project_sheets(const SheetWork<T>& work) {
  visit_sheet(*work.model, [&](const auto& model) {
    using Model = std::decay_t<decltype(model)>;
    for (int b = 0; b < work.num_batches; ++b) {
      const double* const parameters =
          work.parameters + std::ptrdiff_t{b} * Model::num_parameters * sheet_lanes;
      for (int first = 0; first < sheet_lanes; first += width) {
        const auto sheet = sheet_at<One>(model, parameters + first);
        if (work.dampers == nullptr) {
          project_piece(work.batches[b], first, sheet, work.a2, work.x);
        } else {
          project_piece(work.batches[b], first, damped(sheet, work.dampers[b], first, work.a2),
                        work.a2, work.x);
        }
      }
    }
    return true;
  });
}

}  // namespace

const SheetKernels sheet_table{project_sheets<double>, project_sheets<float>};

}  // namespace SUPPLE_SIMD

}  // namespace supple

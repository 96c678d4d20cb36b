#include "potentials/membrane_kernels.h"

#include "math/batch.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

using One = RegisterBatch;
constexpr int width = One::width;

/// The numbers of some lanes, from `first` on.
struct SheetPiece {
  Vector3<One> f[2];  ///< F
  One m[4];           ///< Dm^-1
  One volume;

  SUPPLE_INLINE SheetPiece(const MembraneBatch& batch, int first, const PaddedVector* x) {
    for (int i = 0; i < 4; ++i) m[i] = One::load(batch.inverse_rest[i] + first);
    volume = One::load(batch.volume + first);
    Vector3<One> edge[2];
    for (int lane = 0; lane < width; ++lane) {
      const double* const origin = x[batch.vertex[0][first + lane]].v;
      for (int c = 0; c < 2; ++c) {
        const double* const end = x[batch.vertex[c + 1][first + lane]].v;
        for (int k = 0; k < 3; ++k) edge[c][k].set(lane, end[k] - origin[k]);
      }
    }
    f[0] = m[0] * edge[0] + m[2] * edge[1];
    f[1] = m[1] * edge[0] + m[3] * edge[1];
  }
};

template <class Model>
double evaluate_sheet(const MembraneWork& work, const Model& model, PaddedVector* slots) {
  One energy[sheet_lanes / width];
  for (One& part : energy) part = One(0.0);
  for (std::ptrdiff_t b = 0; b < work.num_batches; ++b) {
    const double* const parameters = work.parameters + b * Model::num_parameters * sheet_lanes;
    for (int first = 0; first < sheet_lanes; first += width) {
      const SheetPiece piece(work.batches[b], first, work.x);
      Vector3<One> P[2];
      energy[first / width] +=
          piece.volume * sheet_at<One>(model, parameters + first).energy_and_stress(piece.f, P);
      // Forces on corners 1 and 2: V P Dm^-T.
      for (int c = 0; c < 2; ++c) {
        const Vector3<One> force =
            piece.volume * (piece.m[2 * c] * P[0] + piece.m[2 * c + 1] * P[1]);
        for (int lane = 0; lane < width; ++lane) {
          double* const to = slots[2 * (b * sheet_lanes + first + lane) + c].v;
          for (int k = 0; k < 3; ++k) to[k] = force[k][lane];
          to[3] = 0;
        }
      }
    }
  }
  double total = 0;
  for (const One& part : energy) {
    for (int lane = 0; lane < width; ++lane) total += part[lane];
  }
  return total;
}

double evaluate(const MembraneWork& work, PaddedVector* slots) {
  return visit_sheet(*work.model,
                     [&](const auto& model) { return evaluate_sheet(work, model, slots); });
}

template <class Model>
bool write_hessians(const MembraneWork& work, const Model& model, NegativeEigenvalues mode,
                    double* blocks) {
  for (std::ptrdiff_t b = 0; b < work.num_batches; ++b) {
    const double* const parameters = work.parameters + b * Model::num_parameters * sheet_lanes;
    for (int first = 0; first < sheet_lanes; first += width) {
      const SheetPiece piece(work.batches[b], first, work.x);
      const auto H = sheet_at<One>(model, parameters + first).hessian(piece.f, mode);
      const One* const m = piece.m;
      const One gradient[3][2] = {{-(m[0] + m[2]), -(m[1] + m[3])}, {m[0], m[1]}, {m[2], m[3]}};
      for (int k = 0; k < blocks_of_triangle; ++k) {
        One K[9];
        H.block(gradient[block_row[k]], gradient[block_column[k]], K);
        for (int i = 0; i < 9; ++i) {
          K[i] *= piece.volume;
          for (int lane = 0; lane < width; ++lane) {
            blocks[((b * sheet_lanes + first + lane) * blocks_of_triangle + k) * 9 + i] =
                K[i][lane];
          }
        }
      }
    }
  }
  return true;
}

void hessians(const MembraneWork& work, NegativeEigenvalues mode, double* blocks) {
  visit_sheet(*work.model,
              [&](const auto& model) { return write_hessians(work, model, mode, blocks); });
}

}  // namespace

const MembraneKernels membrane_table{evaluate, hessians};

}  // namespace SUPPLE_SIMD

}  // namespace supple

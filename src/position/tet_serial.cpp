#include <type_traits>

#include "position/tet_kernels.h"
#include "position/tet_projection.h"

namespace supple {

SUPPLE_DEFINE_KERNELS(TetTables, tet_tables, tet_table)

namespace {

template <class T>
constexpr TetKernels<T> serial_kernels{project_tets<T>, apply_impulses<T>};

}  // namespace

template <>
const TetKernels<double>& tet_kernels<double>(SimdLevel level) {
  return tet_tables(level).of_double;
}
template <>
const TetKernels<float>& tet_kernels<float>(SimdLevel level) {
  return tet_tables(level).of_float;
}

template <>
const TetKernels<double>& serial_tet_kernels<double>() {
  return serial_kernels<double>;
}
template <>
const TetKernels<float>& serial_tet_kernels<float>() {
  return serial_kernels<float>;
}

template <class T>
void read_impulses(const TetWork<T>& work, const PaddedPosition<T>* x,
                   const PaddedPosition<T>* x_rest, Mat3<T>* Q) {
  const bool whole = keeps_matrix(work.projection);
  const int num_rows = num_tet_rows(work.form, work.projection);
  const int first = first_multiplier(work.form);
  if (work.form.material == nullptr) {
    using Tet = FiberTet<T>;
    tet_detail::each<T>(work, num_rows, [&](const TetLanes<T>& tet) {
      const Vector3<T> e = Tet::gradients(tet);
      const Vector3<T> q =
          whole ? Vector3<T>{{tet.row(Tet::multipliers), tet.row(Tet::multipliers + 1),
                              tet.row(Tet::multipliers + 2)}}
                : Tet::impulse(tet, Tet::direction(tet, x, Tet::gradients(tet)));
      const Vector3<T> d = Tet::direction(tet, x_rest, e);
      for (int i = 0; i < 9; ++i) (*Q)(i / 3, i % 3) = q[i / 3] * d[i % 3];
      ++Q;
    });
    return;
  }
  visit_model(*work.form.material, [&](const auto& family) {
    using Family = std::decay_t<decltype(family)>;
    const auto read = [&]<class Tet>(const Tet&) {
      tet_detail::each<T>(work, num_rows, [&](const TetLanes<T>& tet) {
        const Mat3<T> B = tet.matrix(tet_rows::gradients);
        const Mat3<T> turned =
            whole ? tet.matrix(first) : Tet::impulse(tet, tet.deformation_gradient(x, B));
        // At rest F = I, so the turned b_i give R.
        *Q++ = times_transpose(turned, tet.deformation_gradient(x_rest, B));
      });
    };
    if constexpr (std::is_same_v<Family, StableNeoHookeanModel>) {
      read(NeoHookeanTet<T>{});
    } else if constexpr (tet_detail::is_projected<Family>) {
      read(ProjectedTet<Family, T>{});
    }
  });
}
template void read_impulses(const TetWork<double>&, const PaddedPosition<double>*,
                            const PaddedPosition<double>*, Mat3<double>*);
template void read_impulses(const TetWork<float>&, const PaddedPosition<float>*,
                            const PaddedPosition<float>*, Mat3<float>*);

int first_multiplier(const TetForm& form) {
  if (form.material == nullptr) return tet_rows::fiber_multipliers;
  return std::visit(
      [&](const auto& family) {
        using Family = std::decay_t<decltype(family)>;
        const bool volume = !std::is_same_v<Family, StableNeoHookeanModel>;
        return tet_rows::material + (volume ? 1 : 0) + Family::num_parameters +
               (form.damped ? 1 : 0);
      },
      *form.material);
}

int num_tet_rows(const TetForm& form, TetProjection projection) {
  const bool whole = keeps_matrix(projection);
  const int first = first_multiplier(form);
  if (form.material == nullptr) return first + (whole ? 3 : 1);
  if (std::holds_alternative<StableNeoHookeanModel>(*form.material)) {
    return first + (whole ? 10 : 2);
  }
  return first + (whole ? 9 : 1);
}

}  // namespace supple

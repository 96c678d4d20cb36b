#pragma once

#include <cstddef>
#include <type_traits>

#include "base/simd_level.h"
#include "math/vector_field.h"
#include "potentials/membrane.h"

/// Passes over vector fields, a chunk of vertices at a time, compiled once for each SIMD level
/// (base/simd_level.h). Every level gives the same bits. Fields are read as plain numbers: `count`
/// numbers, a multiple of four.
namespace supple {

/// The parts of the gradient of the objective.
struct GradientWork {
  const double* mass;  ///< [num_vertices], kg
  double inverse_a2;   ///< 1/s^2
  double weight[3];    ///< m/s^2
  const PaddedVector* z;
  const PaddedVector* y;  ///< inertial target
  // Corner forces of the elements, N: the vertex's slots in their order.
  const int* slot_start;
  const int* slot_list;
  const PaddedVector* slots;
  // Forces of the springs, N, and which ends are at each vertex; null without springs.
  const int* spring_start;
  const int* spring_incident;
  const PaddedVector* spring_forces;
  // Terms of the membranes and what they multiply, N; null without membranes.
  const int* membrane_start;
  const MembraneSet::Term* membrane_terms;
  const PaddedVector* membrane_slots;
};

/// Fields in one array, from the first number of a chunk on.
template <class T>
struct KeptFields {
  const T* numbers;
  std::size_t stride;  ///< from field to field
  const int* field;    ///< [count], the selected fields
  int count;

  const T* operator[](int i) const { return numbers + static_cast<std::size_t>(field[i]) * stride; }
};

/// Where a new field goes.
struct CombinedField {
  double* p;
  double* copy;     ///< null: none
  const double* x;  ///< null: no `ahead` either
  double* ahead;    ///< x + p
};

/// What L-BFGS does with its kept fields.
template <class T>
struct KeptKernels {
  /// sums[i] = field i . g
  void (*multiply)(const KeptFields<T>& fields, const double* g, int count, double* sums);
  /// sums[i] = field i . (g - before)
  void (*multiply_change)(const KeptFields<T>& fields, const double* g, const double* before,
                          int count, double* sums);
  /// p = own_factor p + shift + sum_i factor_i field_i; shift: [4], the same for each vertex.
  void (*combine)(const KeptFields<T>& fields, const double* factor, double own_factor,
                  const double* shift, int count, const CombinedField& to);
};

struct VectorKernels {
  /// a . b, in eight partial sums.
  double (*dot)(const double* a, const double* b, int count);
  /// y += s x
  void (*add)(double s, const double* x, int count, double* y);
  /// z = x + s p
  void (*step)(const double* x, double s, const double* p, int count, double* z);
  /// z = x - y
  void (*difference)(const double* x, const double* y, int count, double* z);

  /// |z - y|_M^2 / (2 a^2) - sum m weight . z over the vertices first .. last - 1, J. If
  /// `gradient` is not null, also writes the gradient of everything in `work`, N.
  double (*inertia)(const GradientWork& work, int first, int last, PaddedVector* gradient);

  /// s = to_x - from_x and t = to_g - from_g; sums: t . s, s . s, t . t.
  void (*new_pair)(const double* to_x, const double* from_x, const double* to_g,
                   const double* from_g, int count, double* s, double* t, double* sums);
  KeptKernels<double> of_doubles;
  KeptKernels<float> of_floats;
  template <class T>
  const KeptKernels<T>& of() const {
    if constexpr (std::is_same_v<T, double>) {
      return of_doubles;
    } else {
      return of_floats;
    }
  }

  // The following take `count` vertices and one weight for each vertex.
  /// sums: [4], of x, or of weight x if there are weights.
  void (*sum)(const PaddedVector* x, const double* weight, int count, double* sums);
  /// The largest absolute value of a number of x.
  double (*largest)(const PaddedVector* x, int count);
  /// to = x - weight mean, mean: [4]; to: [count * 4]
  void (*subtract_weighted)(const PaddedVector* x, const double* weight, const double* mean,
                            int count, double* to);
  /// x = -(x + shift), shift: [4]
  void (*negate_shifted)(const double* shift, int count, PaddedVector* x);
  /// to = x in floats; sums: [4], of weight (x - to).
  void (*round)(const PaddedVector* x, const double* weight, int count, float* to, double* sums);
};

const VectorKernels& vector_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const VectorKernels vector_table;
}

}  // namespace supple

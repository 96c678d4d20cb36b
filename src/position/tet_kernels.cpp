#include "position/tet_kernels.h"

#include "position/tet_projection.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {
template <class T>
using Register = Batch<T, lanes_of_register<T>>;
template <class T>
constexpr TetKernels<T> kernels_of{project_tets<Register<T>>, apply_impulses<Register<T>>};
}  // namespace

const TetTables tet_table{kernels_of<double>, kernels_of<float>};

}  // namespace SUPPLE_SIMD

}  // namespace supple

#include "vectors/vector_algebra.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace supple {

SUPPLE_DEFINE_KERNELS(VectorKernels, vector_kernels, vector_table)

namespace {

const double* flat(const VectorField& a, int first) { return a[static_cast<std::size_t>(first)].v; }
double* flat(VectorField& a, int first) { return a[static_cast<std::size_t>(first)].v; }

/// Vertices per chunk of a body. A pass over 1,024 vertices takes a microsecond, about as long as
/// sharing it: such a field stays on the calling thread. A larger field should divide evenly: an
/// even number of chunks of at most 256 vertices, each made of whole cache lines.
int chunk_size(int num_vertices) {
  if (num_vertices <= 1024) return 1024;
  const int pairs = (num_vertices + 511) / 512;
  return (num_vertices + 16 * pairs - 1) / (16 * pairs) * 8;
}

}  // namespace

VectorAlgebra::VectorAlgebra(std::span<const int> body_vertices, Threads& threads)
    : pieces_(cut_into_pieces(body_vertices, chunk_size, chunks_)),
      threads_(&threads),
      kernels_(&vector_kernels(simd_level_in_use())),
      partial_(chunks_.size()) {}

double VectorAlgebra::dot(const VectorField& a, const VectorField& b) {
  return sum([&](int first, int last) {
    return kernels_->dot(flat(a, first), flat(b, first), 4 * (last - first));
  });
}

double VectorAlgebra::norm(const VectorField& a) { return std::sqrt(dot(a, a)); }

void VectorAlgebra::add(double s, const VectorField& x, VectorField& y) {
  for_chunks([&](int, int first, int last) {
    kernels_->add(s, flat(x, first), 4 * (last - first), flat(y, first));
  });
}

void VectorAlgebra::step(const VectorField& x, double s, const VectorField& p, VectorField& z) {
  for_chunks([&](int, int first, int last) {
    kernels_->step(flat(x, first), s, flat(p, first), 4 * (last - first), flat(z, first));
  });
}

void VectorAlgebra::difference(const VectorField& x, const VectorField& y, VectorField& z) {
  for_chunks([&](int, int first, int last) {
    kernels_->difference(flat(x, first), flat(y, first), 4 * (last - first), flat(z, first));
  });
}

void VectorAlgebra::swap(VectorField& x, VectorField& y) {
  if (pieces_.selected().size() == chunks_.size()) return std::swap(x, y);
  for_chunks([&](int, int first, int last) {
    std::swap_ranges(x.begin() + first, x.begin() + last, y.begin() + first);
  });
}

void VectorAlgebra::copy(const VectorField& x, VectorField& y) {
  for_chunks([&](int, int first, int last) {
    std::copy(x.begin() + first, x.begin() + last, y.begin() + first);
  });
}

}  // namespace supple

#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/body_pieces.h"
#include "base/parallel_for.h"
#include "math/vector_field.h"
#include "vectors/vector_kernels.h"

namespace supple {

/// Sums and products of vector fields. The order of summation does not depend on the number of
/// threads: the sums of chunks, which are vertices of one body, are added in order. All operations
/// work on the selected bodies and leave the others alone.
class VectorAlgebra {
 public:
  /// body_vertices: [num_bodies + 1], the first vertex of each body. Initially all are selected.
  VectorAlgebra(std::span<const int> body_vertices, Threads& threads);

  /// From now on works only on these bodies, in ascending order. Allocates nothing.
  void select(std::span<const int> bodies) { pieces_.select(bodies); }

  /// sum_i a_i . b_i
  double dot(const VectorField& a, const VectorField& b);
  double norm(const VectorField& a);
  /// y += s x
  void add(double s, const VectorField& x, VectorField& y);
  /// z = x + s p
  void step(const VectorField& x, double s, const VectorField& p, VectorField& z);
  /// z = x - y
  void difference(const VectorField& x, const VectorField& y, VectorField& z);
  /// Exchanges x and y.
  void swap(VectorField& x, VectorField& y);
  /// y = x; both have the same size.
  void copy(const VectorField& x, VectorField& y);

  int num_chunks() const { return static_cast<int>(chunks_.size()); }
  /// The chunk's first vertex and the one past its last.
  std::pair<int, int> chunk(int i) const { return {chunks_[at(i)].first, chunks_[at(i)].last}; }
  /// Chunks of the selected bodies, ascending.
  std::span<const int> selected() const { return pieces_.selected(); }
  const VectorKernels& kernels() const { return *kernels_; }

  /// Calls work(chunk, first, last) over chunks of vertices, in parallel.
  template <class Work>
  void for_chunks(const Work& work) {
    pieces_.parallel_for(*threads_, [&](int chunk) {
      const auto [first, last] = this->chunk(chunk);
      work(chunk, first, last);
    });
  }
  /// A sum over vertices: work(first, last) gives a chunk's part.
  template <class Work>
  double sum(const Work& work) {
    for_chunks([&](int chunk, int first, int last) {
      partial_[static_cast<std::size_t>(chunk)] = work(first, last);
    });
    return pieces_.sum(partial_);
  }

 private:
  std::vector<PieceRange> chunks_;
  BodyPieces pieces_;
  Threads* threads_;
  const VectorKernels* kernels_;
  std::vector<double> partial_;
};

}  // namespace supple

#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/parallel_for.h"
#include "descent/field_kernels.h"
#include "math/vector_field.h"

namespace supple {

/// Sums and products of vector fields with an order of summation that does not depend on the number
/// of threads: chunks of a fixed number of vertices, added in order.
class FieldAlgebra {
 public:
  FieldAlgebra(int num_vertices, Threads& threads);

  /// sum_i a_i . b_i
  double dot(const VectorField& a, const VectorField& b);
  double norm(const VectorField& a);
  /// y += s x
  void add(double s, const VectorField& x, VectorField& y);
  /// z = x + s p
  void step(const VectorField& x, double s, const VectorField& p, VectorField& z);
  /// z = x - y
  void difference(const VectorField& x, const VectorField& y, VectorField& z);
  /// y = x, both of the same size.
  void copy(const VectorField& x, VectorField& y);

  int num_chunks() const { return num_chunks_; }
  /// Its first vertex and the first behind it.
  std::pair<int, int> chunk(int i) const {
    return {i * chunk_size_, std::min((i + 1) * chunk_size_, num_vertices_)};
  }
  const FieldKernels& kernels() const { return *kernels_; }

  /// Calls work(chunk, first, last) over chunks of vertices, in parallel.
  template <class Work>
  void for_chunks(const Work& work) {
    threads_->parallel_for(num_chunks_, [&](int chunk) {
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
    double total = 0;
    for (double p : partial_) total += p;
    return total;
  }

 private:
  int num_vertices_;
  int chunk_size_;  ///< vertices
  int num_chunks_;
  Threads* threads_;
  const FieldKernels* kernels_;
  std::vector<double> partial_;
};

}  // namespace supple

#include "descent/field_algebra.h"

#include <cmath>

namespace supple {

namespace {

/// Eight partial sums hide the latency of the additions; they are added in order at the end.
double dot_range(const double* a, const double* b, int count) {
  double partial[8] = {};
  int i = 0;
  for (; i + 8 <= count; i += 8) {
    for (int l = 0; l < 8; ++l) partial[l] += a[i + l] * b[i + l];
  }
  for (int l = 0; i < count; ++i, ++l) partial[l] += a[i] * b[i];
  double total = 0;
  for (double p : partial) total += p;
  return total;
}

const double* flat(const VectorField& a, int first) { return a[static_cast<std::size_t>(first)].v; }
double* flat(VectorField& a, int first) { return a[static_cast<std::size_t>(first)].v; }

}  // namespace

FieldAlgebra::FieldAlgebra(int num_vertices, Threads& threads)
    : num_vertices_(num_vertices),
      num_chunks_((num_vertices + chunk_size - 1) / chunk_size),
      threads_(&threads),
      partial_(static_cast<std::size_t>(num_chunks_)) {}

double FieldAlgebra::dot(const VectorField& a, const VectorField& b) {
  return sum([&](int first, int last) {
    return dot_range(flat(a, first), flat(b, first), 4 * (last - first));
  });
}

double FieldAlgebra::norm(const VectorField& a) { return std::sqrt(dot(a, a)); }

void FieldAlgebra::add(double s, const VectorField& x, VectorField& y) {
  for_chunks([&](int, int first, int last) {
    const double* from = flat(x, first);
    double* to = flat(y, first);
    for (int i = 0; i < 4 * (last - first); ++i) to[i] += s * from[i];
  });
}

void FieldAlgebra::step(const VectorField& x, double s, const VectorField& p, VectorField& z) {
  for_chunks([&](int, int first, int last) {
    const double* start = flat(x, first);
    const double* along = flat(p, first);
    double* to = flat(z, first);
    for (int i = 0; i < 4 * (last - first); ++i) to[i] = start[i] + s * along[i];
  });
}

void FieldAlgebra::difference(const VectorField& x, const VectorField& y, VectorField& z) {
  for_chunks([&](int, int first, int last) {
    const double* a = flat(x, first);
    const double* b = flat(y, first);
    double* to = flat(z, first);
    for (int i = 0; i < 4 * (last - first); ++i) to[i] = a[i] - b[i];
  });
}

}  // namespace supple

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/earlier.h"
#include "descent/pinned_matrix.h"

namespace supple {

/// A constant n x n matrix that couples no two bodies, M/a^2 + L + pins: one matrix for each body,
/// with a factor of its own. What is made of one does not depend on those beside it.
class BodyMatrices {
 public:
  /// order: of all vertices, body after body. lower: without pins, in that order; columns of bodies
  /// that are taken over from `earlier` are not read. Throws as PinnedMatrix.
  BodyMatrices(const Model& model, double inverse_a2, const std::vector<int>& order,
               const SpdSolver::Matrix& lower, Precision precision, const std::string& name,
               const Earlier<BodyMatrices>& earlier = {});

  std::size_t count() const { return matrices_.size(); }
  PinnedMatrix& operator[](std::size_t body) { return *matrices_[body]; }
  const PinnedMatrix& operator[](std::size_t body) const { return *matrices_[body]; }
  int first_vertex(std::size_t body) const { return first_[body]; }
  std::size_t body_of(int vertex) const;

  /// PinnedMatrix::pins_changed, of all or, where it throws, of none.
  void pins_changed(const Model& model, double h);

  /// PinnedMatrix::set_addition, of all or, where it is false, of none.
  bool set_addition(const Model& model, std::span<const PinnedMatrix::Entry> entries,
                    Threads& threads);

  /// A step of these bodies begins.
  void begin_step(std::span<const int> bodies) noexcept {
    for (const int body : bodies) matrices_[static_cast<std::size_t>(body)]->begin_step();
  }

  /// p = -A^-1 b of the vertices of these bodies; the others' are left as they are.
  void solve(std::span<const int> bodies, const VectorField& b, VectorField& p, Threads& threads) {
    for (const int body : bodies) matrices_[static_cast<std::size_t>(body)]->solve(b, p, threads);
  }
  /// The same but for what `finish` does, which must follow for all of their vertices.
  void begin_solve(std::span<const int> bodies, const VectorField& b, VectorField& p,
                   Threads& threads) {
    for (const int body : bodies) {
      matrices_[static_cast<std::size_t>(body)]->begin_solve(b, p, threads);
    }
  }
  /// Vertices first .. last - 1 of p. Threads call it for different vertices at once.
  void finish(int first, int last, VectorField& p) const;

  /// What factorising all of them takes, s, by the number of operations alone.
  double factor_seconds() const;
  /// Entries of all factors.
  long long factor_entries() const;

 private:
  std::vector<std::unique_ptr<PinnedMatrix>> matrices_;
  std::vector<int> first_;                     ///< [num_bodies + 1], vertex
  std::vector<PinSet::Some> pins_;             ///< [num_bodies]
  std::vector<PinnedMatrix::Entry> addition_;  ///< body after body
};

}  // namespace supple

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "descent/contact_system.h"
#include "descent/linear_pairs.h"

namespace supple {

/// Constant forces in place of contacts: what contacts push beyond them is then small.
class HeldForces {
 public:
  /// Makes room for so many rows, at vertices below this number.
  void make_room(std::size_t rows, std::size_t num_vertices);

  bool empty() const { return vertices_.empty(); }
  std::span<const int> vertices() const { return vertices_; }
  const PaddedVector& at_vertex(int vertex) const { return forces_[at(vertex)]; }
  /// Adds the held forces, times a factor, to `forces`, N.
  void add(double factor, VectorField& forces) const;

  void let_go();
  /// Holds the forces of these rows instead.
  void hold(std::span<const ContactRow> rows);

 private:
  std::vector<int> vertices_;  ///< ascending
  VectorField forces_;         ///< N
};

/// What the pairs of L-BFGS, which know nothing of contacts, have learnt of the compliance between
/// contacts: with H = A^-1 + E, the matrix N^T E N (contact_matrix.h). E is made of at most 2 m + 1
/// fields.
class LearntCompliance {
 public:
  void make_room(const LinearPairs& pairs, std::size_t rows);

  /// N^T E N of these rows, for `add` with these held forces. Valid until the next call.
  LowRank find(const HeldForces& held, LinearPairs& pairs, std::span<const ContactRow> rows);
  /// Adds E (N l - held) to p, for the same rows and held forces.
  void add(LinearPairs& pairs, std::span<const ContactRow> rows, VectorAlgebra& algebra,
           VectorField& p);

 private:
  std::size_t count_ = 0;         ///< fields
  std::vector<double> moved_;     ///< the fields along the rows: [rows][count], m
  std::vector<double> factors_;   ///< of the fields, for the rows' unit forces: [rows][count]
  std::vector<double> of_field_;  ///< the same for unit products with the fields: [count][count]
  std::vector<double> of_held_;   ///< the same for the held forces
  std::vector<double> products_, sum_;
};

}  // namespace supple

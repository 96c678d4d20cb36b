#pragma once

#include "descent/direction.h"

namespace supple {

class ContactMatrix;

/// A direction p = -H grad g with one symmetric H from one begin_step to the next, apart from what
/// `respect_contacts` does. L-BFGS then needs no loops over vectors (linear_pairs.h), and asks for
/// p in two halves, so that one pass over it suffices.
class ConstantDirection : public Direction {
 public:
  ConstantDirection* constant_direction() override { return this; }

  /// The matrix if it holds the contacts, or null.
  virtual ContactMatrix* contact_matrix() { return nullptr; }

  /// Like `compute`, but leaves out the last operation on each vertex. The caller must call
  /// `finish` for all vertices.
  virtual bool compute_unfinished(Objective& objective, const Iterate& at, VectorField& p) = 0;
  /// Finishes vertices first .. last - 1 of p. Threads call it for different vertices at once.
  virtual void finish(int first, int last, VectorField& p) const = 0;

  /// What `respect_contacts` did.
  enum class Respect {
    as_it_was,  ///< p is unchanged
    corrected,  ///< p is another direction
    new_matrix  ///< so is H, from now on
  };
  /// Bends p, which was made from compute_unfinished, until contacts push and do not pull.
  virtual Respect respect_contacts(Objective&, const Iterate& /*at*/, VectorField& /*p*/) {
    return Respect::as_it_was;
  }
  /// Whether the contacts that `respect_contacts` found last are those at x + p.
  virtual bool found_contacts() const { return false; }
};

}  // namespace supple

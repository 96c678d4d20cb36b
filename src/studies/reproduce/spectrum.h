#pragma once

#include <string>
#include <vector>

#include "supple/scene.h"

namespace supple::reproduce {

/// Extreme eigenvalues of A^-1 H, where A is a method's matrix and H the Hessian of g. They are
/// real because A is symmetric and positive definite.
struct Spectrum {
  double smallest = 0, largest = 0;  ///< by magnitude

  double condition_number() const;
};

/// H is the exact Hessian, not projected, at `positions` ([num_vertices * 3], m), from central
/// differences of the gradient; A^-1 is what the method does to each column of the identity.
/// `solver` is a method without a history, as parse_solver reads it; the scene must have no
/// colliders.
/// Cost: cubic in the number of coordinates; throws Error{invalid_input} for more than 3000.
Spectrum spectrum(const Scene& scene, const std::vector<double>& positions,
                  const std::string& solver);

}  // namespace supple::reproduce

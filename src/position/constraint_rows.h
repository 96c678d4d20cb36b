#pragma once

#include <array>
#include <span>
#include <vector>

#include "position/position_solver.h"

namespace supple {

/// One scalar constraint of a body, C(x) with compliance alpha: energy C^2/(2 alpha), or C = 0 if
/// alpha is 0.
struct ConstraintRow {
  enum class Kind {
    spring,    ///< |x_a - x_b| - r
    volume,    ///< det F - gamma
    shape,     ///< sqrt(|F|^2 - 3 - 2 (J - 1) + c (J - 1)^2), J = det F
    norm,      ///< |F|
    distance,  ///< |F - p(F)| (materials/projection.h)
    fiber,     ///< |F d| - 1
    pin        ///< a component of sum_i w_i x_i - target
  };
  Kind kind;
  int source;                                ///< spring, tet or pin of the model
  double compliance;                         ///< alpha, unit of C^2 per J
  double scale = 1;                          ///< unit of C when checking how well it holds
  double offset = 0;                         ///< r, gamma, c
  Vec3 direction{1, 0, 0};                   ///< of a spring at rest, of a fiber
  int component = 0;                         ///< of a pin
  std::array<double, 4> weight{1, 0, 0, 0};  ///< of the vertices of a pin
  const MaterialModel* material = nullptr;   ///< of a distance, with its parameters
  std::array<double, 3> parameter{};
  std::array<int, 4> vertex{-1, -1, -1, -1};  ///< that it depends on; -1: none

  /// Whether it must hold exactly.
  bool is_hard() const { return compliance == 0; }
};

/// Value and gradient of a row.
struct ConstraintValue {
  double value = 0;       ///< C
  double gradient[4][3];  ///< dC/dx of its vertices
  bool is_flat = false;   ///< the gradient is zero, so C cannot be changed
};

/// Everything in which a model stores energy, as constraints of one system:
///   springs   in each body the stiffest kind keeps its length exactly; others have alpha = 1/k
///   tets      stable_neo_hookean (see below); volume: det F = 1, hard; others with a projection:
///             |F - p(F)| with 1/(k V). Fibers: |F d| - 1 with 1/(kappa V)
///   pins      three per pin, with 1/k
/// The paper has two constraints for stable_neo_hookean: |F| and det F - gamma, gamma = 1 +
/// mu/lambda [Macklin & Mueller 2021, eqs. 8 and 13]. At rest they have opposite stresses of size
/// mu, whose directions turn with F. If all constraints are solved at once, such a pair collapses
/// in steps that are large for the stiffness. Up to a constant, the same energy is
///   V mu/2 (|F|^2 - 3 - 2 (J - 1) + c (J - 1)^2) + V (lambda - c mu)/2 (J - 1)^2,  J = det F.
/// Both of its terms are free of stress at rest. With c = 1 the first is |F|^2 + J^2 - 4 J, which
/// is never negative because 3 J^(2/3) + J^2 >= 4 J. So both are constraints: shape with 1/(mu V),
/// and volume, gamma = 1, with 1/((lambda - mu) V), hard if lambda is infinite. If lambda < mu
/// (Poisson's ratio below 0.25), c = lambda/mu and shape is alone; energies below that of rest
/// (such a material prefers to collapse) then cause no force. If 3 lambda < mu, the rest shape is
/// no longer a minimum of shape (for a change of volume), and the paper's pair is used.
/// Rows in which no vertex has mass are left out. `model` must outlive the rows. Throws
/// Error{invalid_input} for a material that has no constraint form.
std::vector<ConstraintRow> constraint_rows(const Model& model);

/// C and dC/dx at x. pin_target: [num_pins], m. If a constraint has no gradient (a distance of
/// zero), the gradient is zero and the row flat. A spring of length zero uses its direction at
/// rest.
ConstraintValue evaluate(const ConstraintRow& row, const Model& model, const VectorField& x,
                         std::span<const Vec3> pin_target);

}  // namespace supple

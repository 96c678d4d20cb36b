#pragma once

#include <optional>

#include "descent/objective.h"

namespace supple {

/// A point of the descent, with g and its gradient there.
struct Iterate {
  const VectorField& x;         ///< m
  const VectorField& gradient;  ///< N
  double value = 0;             ///< g, J
  /// The gradient where the last accepted step began, N; null if something came in between.
  const VectorField* gradient_before = nullptr;
  /// Where a direction may store x + p, m, if it computes that anyway.
  VectorField* ahead = nullptr;
};

/// How far the descent goes along a direction.
enum class StepRule {
  line_search,  ///< as the settings say
  decrease,     ///< the whole step, shortened until g decreases; p need not be a descent direction
  whole,        ///< the whole step; the method guarantees that it does not increase g
};

/// What a direction found out while it computed p.
struct Byproducts {
  std::optional<double> slope{};  ///< grad g . p, J
  bool is_ahead = false;          ///< Iterate::ahead holds x + p
  bool found_contacts = false;    ///< the contacts found last are those at x + p
};

class ConstantDirection;
class Laplacian;

/// Other pins in a model that is otherwise the same.
struct PinChange {
  const Model& model;
  double inverse_a2;  ///< 1/a^2 that the direction was made for, 1/s^2
  double h;           ///< length of a step, s
};

/// Other materials in a model that is otherwise the same.
struct MaterialChange {
  const Model& model;
  double inverse_a2;  ///< 1/a^2 that the direction was made for, 1/s^2
  bool same_places;   ///< the elements keep their places (model.h); only their materials change
};

/// A descent method. Methods differ in the matrix A before the gradient [GAMES103, "A unified
/// descent framework"]: p = -A^-1 grad g.
class Direction {
 public:
  virtual ~Direction() = default;

  /// Writes p, m. False: there is no descent from here.
  virtual bool compute(Objective& objective, const Iterate& at, VectorField& p) = 0;
  /// What the last `compute` found out beside p.
  virtual Byproducts byproducts() const { return {}; }
  /// The step to = from + alpha p was taken; `from` is where p was computed.
  virtual void accept(Objective&, const Iterate& /*from*/, const Iterate& /*to*/,
                      double /*alpha*/) {}

  virtual StepRule step_rule() const { return StepRule::line_search; }
  /// A new step begins: what was learnt in the last one is forgotten.
  virtual void begin_step(Objective&) {}
  /// No step along the last direction decreased g. True: the method has forgotten what led to that
  /// direction, and `compute` gives another one.
  virtual bool restart() { return false; }

  /// Steps from x were rejected. True: until the end of the step the method solves for some
  /// vertices separately (`settle`), and it has forgotten what it learnt about the others.
  virtual bool set_apart(const Objective&, const VectorField& /*x*/) { return false; }
  /// Moves those vertices to the minimum of g while the others stand still. To be called at x after
  /// `set_apart`, and from then on wherever g is evaluated.
  virtual void settle(const Objective&, VectorField& /*z*/) {}

  /// Whether some bodies can be minimised alone (Objective::select), with the same result whatever
  /// the others do.
  virtual bool can_select(const Objective&) const { return false; }

  /// This method if its matrix is constant over a step, or null.
  virtual ConstantDirection* constant_direction() { return nullptr; }
  /// The method of the constant matrix M/a^2 + L that this one factorised for itself, or null. The
  /// caller may compute with it between two iterations.
  virtual Laplacian* constant_matrix() { return nullptr; }

  /// The pins have changed; called between two steps. Throws Error{invalid_input} if the method's
  /// matrix cannot hold them; nothing has changed then.
  virtual void pins_changed(const PinChange&) {}
  /// The materials have changed; called between two steps, and nothing refers to the old ones any
  /// more. A factorised matrix stays: it shapes the descent only, and another one would take as
  /// long as the first. Throws Error{invalid_input} for materials that the method cannot run;
  /// nothing has changed then.
  virtual void materials_changed(const MaterialChange&) {}
  /// Muscles have contracted or relaxed, or rest shapes have changed; called between two steps.
  /// Allocates nothing.
  virtual void shapes_changed(const Model&) {}
};

}  // namespace supple

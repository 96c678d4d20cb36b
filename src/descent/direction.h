#pragma once

#include <optional>

#include "descent/objective.h"

namespace supple {

/// A point of the descent with g and its gradient there.
struct Iterate {
  const VectorField& x;         ///< m
  const VectorField& gradient;  ///< N
  double value = 0;             ///< J
  /// The gradient where the last accepted step began, as long as nothing came after it, N.
  const VectorField* gradient_before = nullptr;
  /// Where a direction may leave x + p while p is at hand, m.
  VectorField* ahead = nullptr;
};

/// How far along a direction the descent goes.
enum class StepRule {
  line_search,  ///< what the settings say
  decrease,     ///< the whole step, shortened while g does not decrease: p need not be a descent
  whole,        ///< the whole step, which the method promises not to increase g
};

class ContactMatrix;
class Laplacian;

/// Other pins in a model that is otherwise the same.
struct PinChange {
  const Model& model;
  double inverse_a2;  ///< 1/a^2 as the direction was made for, 1/s^2
  double h;           ///< length of a step, s
};

/// Other materials in a model that is otherwise the same.
struct MaterialChange {
  const Model& model;
  double inverse_a2;  ///< 1/a^2 as the direction was made for, 1/s^2
  bool same_places;   ///< of the elements (model.h): only parameters and materials are others
};

/// What tells the descent methods apart: the matrix they put before the gradient
/// [GAMES103, "A unified descent framework"]: p = -A^-1 grad g.
class Direction {
 public:
  virtual ~Direction() = default;

  virtual StepRule step_rule() const { return StepRule::line_search; }

  /// Whether p = -H grad g with one symmetric H from begin_step to begin_step, but for what
  /// `respect_contacts` does.
  virtual bool is_linear() const { return false; }

  /// Whether a minimisation may be that of some bodies alone (Objective::select), the same whatever
  /// the others do.
  virtual bool can_select(const Objective&) const { return false; }

  /// The direction of the constant matrix M/a^2 + L where it has been factorised for this one; else
  /// null. It is this direction's own: who borrows it may compute with it between two iterations.
  virtual Laplacian* constant_matrix() { return nullptr; }
  /// Where it holds what touches (contact_matrix.h), or null.
  virtual ContactMatrix* contact_matrix() { return nullptr; }

  /// Between two steps: what was made from the pins follows. Throws Error{invalid_input} for pins
  /// that the method's matrix cannot hold; nothing has changed then.
  virtual void pins_changed(const PinChange&) {}

  /// Between two steps: nothing refers to the materials before any more. A matrix that was
  /// factorised stays: it shapes the descent, and another one would take as long as the first.
  /// Throws Error{invalid_input} for materials that the method cannot run; nothing has changed
  /// then.
  virtual void materials_changed(const MaterialChange&) {}

  /// Between two steps: fibers of muscles have contracted or stretched, or rest shapes are others.
  /// Allocates nothing.
  virtual void shapes_changed(const Model&) {}

  /// A new step begins: what was learnt in the last one is forgotten.
  virtual void begin_step(Objective&) {}

  /// The step from x was rejected, and shorter ones. True: some vertices are from now on, to the
  /// end of the step, solved for apart (`settle`), and what was learnt of the others is forgotten.
  virtual bool set_apart(const Objective&, const VectorField& /*x*/) { return false; }
  /// Moves these vertices to the minimum of g, the others standing still: at x where some have been
  /// set apart, and wherever g is asked for on a line from then on.
  virtual void settle(const Objective&, VectorField& /*z*/) {}

  /// No step along the last direction decreased g. True: what led to it is forgotten, and `compute`
  /// gives another one.
  virtual bool restart() { return false; }

  /// Writes p, m. False: there is no descent from here.
  virtual bool compute(Objective& objective, const Iterate& at, VectorField& p) = 0;
  /// Whether the last `compute` has left x + p where it might.
  virtual bool went_ahead() const { return false; }
  /// Whether these were the last contacts that it had found.
  virtual bool found_contacts() const { return false; }

  /// As `compute`, for who goes over p anyway: what is left to do with each vertex by itself does
  /// `finish`, which must be called for all of them.
  virtual bool compute_unfinished(Objective& objective, const Iterate& at, VectorField& p) {
    return compute(objective, at, p);
  }
  /// Vertices first .. last - 1 of p. Threads call it for different vertices at once.
  virtual void finish(int /*first*/, int /*last*/, VectorField& /*p*/) const {}

  /// What a direction that was made with p = compute_unfinished has to know of contacts.
  enum class Respect {
    as_it_was,  ///< p stays
    corrected,  ///< p is another one
    new_matrix  ///< and H too, from now on
  };
  /// Bends p to where its contacts are unilateral.
  virtual Respect respect_contacts(Objective&, const Iterate& /*at*/, VectorField& /*p*/) {
    return Respect::as_it_was;
  }

  /// grad g . p of the last `compute`, J, where that has come up with it.
  virtual std::optional<double> slope() const { return {}; }

  /// The step from one iterate to the next was taken, to = from + alpha p; `from` is where the last
  /// direction was computed.
  virtual void accept(Objective&, const Iterate& /*from*/, const Iterate& /*to*/,
                      double /*alpha*/) {}
};

}  // namespace supple

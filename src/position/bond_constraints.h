#pragma once

#include <array>
#include <vector>

#include "position/constraint_colours.h"
#include "position/position_solver.h"
#include "position/positions.h"

namespace supple {

/// The bonds of a model as constraints, k/2 (|d| - r)^2 with d = sum w_i x_i: each keeps the
/// impulse q, of which vertex i got w_i q, and replaces it as SpringProjection::stress does, with
/// sum w_i^2/m_i as its mobility. M (z - y) is the sum of all impulses, so that a fixed point is a
/// stationary point of g; every visit keeps linear momentum. Bonds are in colours: those of a
/// colour touch no vertex twice. After construction nothing allocates; the same bits for any number
/// of threads. T: of positions, float or double; all else is computed in doubles.
template <class T>
class BondConstraints {
 public:
  /// keep: impulses of the last substep are those that the next one starts with. `model` must
  /// outlive this.
  explicit BondConstraints(const Model& model, bool keep = false);

  /// A new substep: impulses are zero, or kept; lengths are those of its end.
  void begin(const PositionStep& step);

  /// Adds M^-1 times the impulses that are kept to positions; nothing where none are.
  void apply_kept(Positions<T>& x) const;

  /// Projects every bond once, colour after colour.
  void project(Positions<T>& x, Threads& threads);

  bool empty() const { return states_.empty(); }

  /// A group for each colour.
  std::vector<ConstraintGroup> groups() const;

  /// Impulse q of a bond of the model, kg m.
  Vec3 impulse(std::size_t bond) const { return states_[bond].impulse; }

 private:
  /// Bonds a task.
  static constexpr int chunk_size = 512;

  struct BondState {
    std::array<double, 5> mobility{};  ///< w_i/m_i, 1/kg
    double sum = 0;                    ///< of w_i^2/m_i, 1/kg
    double length = 0;                 ///< r, m
    Vec3 impulse{};
  };

  void project_bond(std::size_t bond, Positions<T>& x);
  void push(std::size_t bond, const Vec3& impulse, Positions<T>& x) const;

  const Model* model_;
  bool keep_;
  double inverse_a2_ = 0;
  ConstraintColours colours_;
  std::vector<BondState> states_;  ///< of the model's bonds
};

extern template class BondConstraints<double>;
extern template class BondConstraints<float>;

}  // namespace supple

#pragma once

#include <array>
#include <vector>

#include "position/constraint_colours.h"
#include "position/position_solver.h"
#include "position/positions.h"

namespace supple {

/// The bonds of a model as constraints, k/2 (|d| - r)^2 with d = sum w_i x_i. Each keeps the
/// impulse q, of which vertex i got w_i q, and replaces it as SpringProjection::stress does, with
/// sum w_i^2/m_i as its mobility. M (z - y) is the sum of all impulses, so a fixed point is a
/// stationary point of g. Every visit keeps linear momentum. Bonds are in colours: no two of a
/// colour touch the same vertex. Allocates nothing after construction; gives the same bits for any
/// number of threads. T: number type of the positions, float or double; everything else is computed
/// in doubles.
template <class T>
class BondConstraints {
 public:
  /// keep: the next substep starts with the impulses of the last one. `model` must outlive this.
  explicit BondConstraints(const Model& model, bool keep = false);

  /// Begins a substep: impulses are zero, or kept; lengths are those at its end.
  void begin(const PositionStep& step);

  /// Adds M^-1 times the kept impulses to positions. Does nothing if none are kept.
  void apply_kept(Positions<T>& x) const;

  /// Projects every bond once, colour after colour.
  void project(Positions<T>& x, Threads& threads);

  bool empty() const { return states_.empty(); }

  /// One group for each colour.
  std::vector<ConstraintGroup> groups() const;

  /// Impulse q of a bond of the model, kg m.
  Vec3 impulse(std::size_t bond) const { return states_[bond].impulse; }

 private:
  /// Bonds per task.
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

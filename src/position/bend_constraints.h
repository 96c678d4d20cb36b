#pragma once

#include <vector>

#include "position/constraint_colours.h"
#include "position/position_solver.h"
#include "position/positions.h"

namespace supple {

/// The bending of a model's membranes as constraints.
///
/// Isometric bending c/2 |sum K_w x_w|^2 around a vertex (Bend) keeps the impulse q, of which each
/// vertex w got K_w q. It replaces q by the minimiser of its own part of g, which is quadratic:
///   q_new = -a^2 c (b - G q)/(1 + a^2 c G),  b = sum K_w x_w,  G = sum K_w^2/m_w.
/// A hinge k/2 theta^2 (theta: its angle minus that at rest) keeps the impulse p_c of each corner.
/// It replaces it by a Newton step on its part of g with the Hessian k J J^T, J = dtheta/dx. With
/// the inner product of M^-1 and G = |J|^2,
///   p_new = -a^2 k (theta - J.p)/(1 + a^2 k G) J + d/(1 + d) (p - (J.p/G) J),
/// where d = a^2 k |theta| G stands for what the second derivative of the angle adds to k J J^T. A
/// step that would turn a hinge by more than a radian is shortened.
///
/// M (z - y) is the sum of all impulses, so a fixed point is a stationary point of g. Every visit
/// keeps linear momentum. Bends come first, then hinges, each in colours: no two of a colour touch
/// the same vertex. Allocates nothing after construction; gives the same bits for any number of
/// threads. T: number type of the positions, float or double; everything else is computed in
/// doubles.
template <class T>
class BendConstraints {
 public:
  /// keep: the next substep starts with half the impulses of the last one. `model` must outlive
  /// this.
  explicit BendConstraints(const Model& model, bool keep = false);

  /// Begins a substep: impulses are zero, or kept.
  void begin(const PositionStep& step);

  /// Adds M^-1 times the kept impulses to positions. Does nothing if none are kept.
  void apply_kept(Positions<T>& x) const;

  /// Projects every bend and every hinge once, colour after colour.
  void project(Positions<T>& x, Threads& threads);

  bool empty() const { return bends_.empty() && hinges_.empty(); }

  /// One group for each colour.
  const std::vector<ConstraintGroup>& groups() const { return groups_; }

  /// Adds the impulses that bends and hinges have given to each vertex, kg m.
  void add_impulses(VectorField& sum) const;

 private:
  /// Bends or hinges per task.
  static constexpr int chunk_size = 256;

  struct BendState {
    double mobility;  ///< G, 1/kg
    Vector3<double> impulse;
  };
  struct HingeState {
    double weight[4];  ///< 1/m_c, 1/kg
    double length;     ///< of its edge at rest, m
    Vector3<double> impulse[4];
  };

  void project_bend(std::size_t bend, Positions<T>& x);
  void project_hinge(std::size_t hinge, Positions<T>& x);
  template <class Visit>
  void for_colours(const ConstraintColours& colours, Threads& threads, const Visit& visit) const;

  const Model* model_;
  bool keep_;
  double a2_ = 0;
  ConstraintColours bend_colours_, hinge_colours_;
  std::vector<double> bend_mobility_;  ///< K_w/m_w of the entries of the model's bend_vertex
  std::vector<BendState> bends_;
  std::vector<HingeState> hinges_;
  std::vector<ConstraintGroup> groups_;
};

extern template class BendConstraints<double>;
extern template class BendConstraints<float>;

}  // namespace supple

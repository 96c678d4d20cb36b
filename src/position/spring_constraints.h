#pragma once

#include <cstdint>
#include <vector>

#include "materials/step_damping.h"
#include "position/constraint_colours.h"
#include "position/position_solver.h"
#include "position/positions.h"

namespace supple {

/// How a spring is projected.
enum class SpringProjection {
  /// C = |x_a - x_b| - r with compliance alpha = 1/k and one scalar multiplier, which is summed
  /// over the iterations of a substep [Macklin et al. 2016, eq. 18]. The impulse is along the
  /// spring, so every visit keeps linear and angular momentum.
  sequential,
  /// The spring keeps the impulse q that it has given to x_a (and -q to x_b) and replaces it by
  ///   q_new = -a^2 (dE/dd + H (d_new - d)),  d = x_a - x_b,  d_new = d + (w_a + w_b) (q_new - q).
  /// H is k along the spring and k max(0, 1 - r/l) across it, so this is a Newton step on the
  /// spring's part of g. A fixed point is a stationary point of g. Every visit keeps linear
  /// momentum. q is along the spring only at a fixed point, so angular momentum is kept only there.
  stress
};

/// An inextensible spring has alpha = 0 and H is the tension over l across it, unless more than k r
/// of tension or compression would be needed: then it is a spring of the stiffness k again, of rest
/// length 0 or 2 r (model/multipliers.h).
///
/// The springs of a model as constraints, in colours: those of a colour touch no vertex twice and
/// are projected at the same time. Multipliers are scaled so that M (z - y) is the sum of impulses.
/// A spring of length zero acts along its direction at rest. Allocates nothing after construction;
/// gives the same bits for any number of threads. T: float or double.
template <class T>
class SpringConstraints {
 public:
  /// keep: the next substep starts with the multipliers of the last one. `model` must outlive this.
  /// left_out: springs that something else projects, [num_springs], 0 or 1; empty: none.
  SpringConstraints(const Model& model, SpringProjection projection, bool keep = false,
                    const std::vector<char>& left_out = {});

  /// Begins a substep: multipliers are zero, or kept.
  void begin(const PositionStep& step);

  /// Adds M^-1 times the kept impulses to positions. Does nothing if none are kept. `sequential`:
  /// along the springs as they are at x.
  void apply_kept(Positions<T>& x) const;

  /// Projects every spring once, colour after colour.
  void project(Positions<T>& x, Threads& threads);

  /// One group for each colour.
  std::vector<ConstraintGroup> groups() const;

  bool empty() const { return a_.empty(); }

  /// Impulse, kg m, that a spring of the model has given to its x_a; the spring must not be left
  /// out. `sequential`: its multiplier first, then zeros.
  Vec3 impulse(std::size_t spring) const;

  /// Tension of a spring of the model that was not left out, with its ends at z, N.
  double tension(std::size_t spring, const VectorField& z) const;

 private:
  /// The spring as a visit finds it: soft, or at the bound of an inextensible one.
  struct Spring {
    T rest, alpha;  ///< m, and 1/(a^2 k), 1/kg
  };
  Spring spring_at(std::size_t s, T length, T weight, T given) const;

  /// Springs per task: about 10 us of work.
  static constexpr int chunk_size = 1024;

  void add_dampers(const StepStart& start);
  void project_sequential(int first, int last, Positions<T>& x);
  void project_stress(int first, int last, Positions<T>& x);

  const Model* model_;
  SpringProjection projection_;
  bool keep_;
  T inverse_a2_ = 0;
  ConstraintColours colours_;
  // [num_springs], colour after colour.
  std::vector<std::int32_t> a_, b_;
  std::vector<T> rest_length_;     ///< m, with the damper of the substep
  std::vector<T> compliance_;      ///< 1/k, m/N, likewise
  std::vector<char> is_exact_;     ///< 1: inextensible
  std::vector<T> weight_a_;        ///< 1/m_a, 1/kg; 0: no mass, stays
  std::vector<T> weight_b_;        ///< 1/m_b
  std::vector<T> rest_direction_;  ///< [3 num_springs], unit, from b to a
  std::vector<T> multiplier_;      ///< sequential: [num_springs]; stress: [3 num_springs], kg m
  std::vector<int> place_;         ///< [num_springs], where a spring of the model is in these
                                   ///< arrays
};

extern template class SpringConstraints<double>;
extern template class SpringConstraints<float>;

}  // namespace supple

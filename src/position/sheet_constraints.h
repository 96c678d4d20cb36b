#pragma once

#include <vector>

#include "position/position_solver.h"
#include "position/positions.h"
#include "position/sheet_kernels.h"

namespace supple {

/// The triangles of a model's membranes as constraints. Each replaces the impulse matrix Q that it
/// has applied by the minimiser of its own part of g (sheet_kernels.h), for any material of a
/// sheet. M (z - y) is the sum of all impulses, so a fixed point is a stationary point of g. Every
/// visit keeps linear momentum; angular momentum is kept only at a fixed point. Triangles are in
/// colours: those of a colour touch no vertex twice and are projected at the same time. Allocates
/// nothing after construction; gives the same bits for any number of threads and every level of
/// vectors. T: number type of the positions, float or double; everything else is computed in
/// doubles.
template <class T>
class SheetConstraints {
 public:
  /// keep: the next substep starts with the impulses of the last one, in poor triangles with half
  /// of them. `model` must outlive this.
  explicit SheetConstraints(const Model& model, bool keep = false);

  /// Begins a substep: impulses are zero, or kept; damping measures from x_start.
  void begin(const PositionStep& step);

  /// Adds M^-1 times the kept impulses to positions. Does nothing if none are kept.
  void apply_kept(Positions<T>& x) const;

  /// Projects every triangle once, colour after colour.
  void project(Positions<T>& x, Threads& threads);

  bool empty() const { return batches_.empty(); }

  /// One group for each colour.
  const std::vector<ConstraintGroup>& groups() const { return groups_; }

  /// Impulse that the triangle in a lane of the model's set has given to a corner, kg m.
  Vec3 impulse(int lane, int corner) const;

 private:
  /// Batches per task: about 10 us of work.
  static constexpr int chunk_size = 16;

  struct Run {
    int range;  ///< of the model's set
    int first, count;
    std::size_t first_parameter;
  };
  void measure_start(const VectorField& x_start);
  void add_batch(const MembraneSet& set, int range, const int* triangles, int count);
  Vec3 push_of(const SheetBatch& batch, int lane, int corner) const;

  const Model* model_;
  bool keep_;
  double a2_ = 0;
  std::vector<Run> runs_;
  std::vector<int> colour_start_{0};  ///< [num_colours + 1], into runs
  std::vector<SheetBatch> batches_;
  std::vector<SheetDamper> dampers_;  ///< as batches_; empty: nothing is damped
  std::vector<double> parameters_;
  std::vector<ConstraintGroup> groups_;
  std::vector<int> place_;  ///< [lanes of the set], of the triangle in these batches; -1: none
};

extern template class SheetConstraints<double>;
extern template class SheetConstraints<float>;

}  // namespace supple

#pragma once

#include <cstdint>
#include <vector>

#include "position/position_solver.h"
#include "position/positions.h"
#include "position/schedule.h"
#include "position/tet_kernels.h"

namespace supple {

/// The materials, fibers and damping of a model's tets as constraints, in the order of a schedule.
/// The constraints of one tet follow each other, the body's own material first.
/// Multipliers are scaled so that M (z - y) is the sum of impulses. Allocates nothing after
/// construction; gives the same bits for any number of threads and every level of vectors. T: float
/// or double.
template <class T>
class TetConstraints {
 public:
  /// `model` must outlive this. The schedule's width must be row_lanes<T> unless it is serial.
  /// Throws Error{invalid_input} for a material without a constraint form.
  TetConstraints(const Model& model, const Schedule& schedule, TetProjection projection);

  /// Takes the current parameters of the model's elements, which must be in the same places. The
  /// next substep must not begin with kept multipliers. False: a material is of another kind than
  /// before; nothing has changed, and this must be made anew.
  bool take_materials();

  /// The model's changing rest shapes have new values. The next substep must not begin with kept
  /// multipliers.
  void shapes_changed();

  /// The model's fibers have another length at rest.
  void fibers_changed();

  /// Begins a substep with multipliers of zero. a2: a^2, s^2. x_start: where it begins, until it
  /// ends; may be null if nothing is damped.
  void begin(double a2, const PaddedPosition<T>* x_start = nullptr);

  /// The same with the multipliers of the last one (half of them for `careful_stress`): adds M^-1
  /// times their impulses to x. Scalar multipliers act along the gradients at x_start.
  void begin_kept(double a2, const Positions<T>& x_start, Positions<T>& x, Threads& threads);

  /// Projects every tet once.
  void project(Positions<T>& x, Threads& threads);

  bool empty() const { return runs_.empty(); }

  /// One group for each phase of the schedule: the tets of a colour, or of the parts between two
  /// barriers.
  std::vector<ConstraintGroup> groups() const { return groups_; }

  /// The largest |det F - gamma + l/(a^2 V lambda)| of the tets of stable_neo_hookean when they
  /// were last visited; 0 before the first visit.
  double worst_violation() const;

  /// Writes the first Piola-Kirchhoff stress of each tet according to its multipliers, -Q/(a^2 V),
  /// Pa, summed over layers and fibers, with damping: [num_tets]. It is zero before the first
  /// visit. Scalar multipliers act along the gradients at x.
  void stresses(const Positions<T>& x, std::vector<Mat3<double>>& P) const;

  /// Whether any tets have an infinite lambda.
  bool any_incompressible() const { return any_incompressible_; }

  /// Adds the pressures p of stable_neo_hookean according to the multipliers of its volumes, Pa
  /// (the stress is p cof F + mu F), and if lambda is infinite also the excess p + mu over the
  /// pressure at rest. Sums over all layers; adds nothing before the first visit. [num_tets] each.
  void add_pressures(std::vector<double>& pressure, std::vector<double>& excess) const;

 private:
  static constexpr std::size_t width = row_lanes<T>;
  struct alignas(64) Row {
    T v[width];
  };
  struct alignas(4 * width) Places {
    std::uint32_t v[4][width];  ///< of vertices, in bytes
  };

  /// Consecutive batches of one form in a task.
  struct Run {
    TetForm form;
    int range;  ///< of the model, which has that material
    int first_batch;
    int num_batches;
    std::size_t first_row;
  };
  /// Where the model has the parameters of a lane.
  struct Origin {
    std::int32_t range;
    std::int32_t place;  ///< batch of the range * lanes + lane
    std::int32_t fiber;  ///< family; -1: none
  };
  struct Builder;

  void set_shape(int tet, bool filled, const Origin& origin, std::size_t lane, Row* rows) const;
  void set_parameters(const TetForm& form, int tet, const Origin& origin, std::size_t lane,
                      Row* rows) const;
  /// Calls set(tet, whether the lane is full, origin, lane, rows) for all lanes of a run.
  template <class Set>
  void for_lanes(const Run& run, const Set& set);

  TetWork<T> work_of(const Run& run, PaddedPosition<T>* x) const;
  template <class Visit>
  void for_all(Threads& threads, const Visit& visit);

  const Model* model_;
  TetProjection projection_;
  bool serial_;
  const TetKernels<T>* kernels_;
  std::vector<Run> runs_;
  std::vector<std::size_t> kind_of_range_;  ///< of the model's ranges: index of the material
  std::vector<int> task_start_;             ///< [num_tasks + 1], into runs
  std::vector<int> phase_start_;            ///< [num_phases + 1], into tasks
  std::vector<Places> places_;              ///< [num_batches]
  std::vector<Row> rows_;
  std::vector<int> tet_of_lane_;  ///< [num_batches * width], -1 in an empty lane
  std::vector<Origin> origin_;    ///< [num_batches * width], an empty lane has that of a full one
  std::vector<ConstraintGroup> groups_;
  std::vector<T> worst_;  ///< [num_tasks]
  double a2_ = 0;
  const PaddedPosition<T>* x_start_ = nullptr;
  bool first_ = true;
  bool any_incompressible_ = false;
};

extern template class TetConstraints<double>;
extern template class TetConstraints<float>;

}  // namespace supple

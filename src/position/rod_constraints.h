#pragma once

#include <vector>

#include "position/position_solver.h"
#include "position/positions.h"
#include "potentials/rod_energy.h"

namespace supple {

/// The rods of a model, with the springs along their segments and the pins of their vertices, as
/// one constraint per strand. Twist couples a whole strand, and stretch is so much stiffer than
/// bending that visiting one segment after the other would not get far. A strand keeps the impulse
/// p of each vertex and replaces it by p + M dx, where dx is a step of Newton's method on the
/// strand's own part of g:
///   (M + a^2 H) dx = -(p + a^2 dE/dx).
/// H consists of J^T J of the rods (RodEnergy::visit_hessian), of the springs (k along them and k
/// max(0, 1 - r/l) across), and of the pins. It is a band matrix, which is factorised. While a
/// body's part of g would rise, the step is taken a quarter as far. The tension of an inextensible
/// spring is a multiplier, which a visit corrects at its end (model/multipliers.h). M (z - y)
/// is the sum of all impulses, so a fixed point is a stationary point of g. Without pins, linear
/// momentum is kept up to the rounding of the solve. Allocates nothing after construction; gives
/// the same bits for any number of threads. T: number type of the positions, float or double;
/// everything else is computed in doubles.
template <class T>
class RodConstraints {
 public:
  /// keep: the next substep starts with the impulses of the last one. `model` must outlive this.
  explicit RodConstraints(const Model& model, bool keep = false);

  /// Begins a substep: impulses are zero, or kept; clamps are where pins have moved them.
  void begin(const PositionStep& step);

  /// Adds M^-1 times the kept impulses to positions. Does nothing if none are kept.
  void apply_kept(Positions<T>& x) const;

  /// Projects every strand once.
  void project(Positions<T>& x, Threads& threads);

  bool empty() const { return strands_.empty(); }

  /// The model's pins have changed.
  void pins_changed();

  /// One group of all strands.
  std::vector<ConstraintGroup> groups() const;

  /// Springs of the model that strands project, so that nothing else must: [num_springs], 0 or 1;
  /// empty if there are no rods.
  const std::vector<char>& own_springs() const { return own_springs_; }
  /// The same for vertices whose pins strands project: [num_vertices].
  const std::vector<char>& own_vertices() const { return own_vertices_; }

  /// The multiplier of an inextensible spring that is one of own_springs, N. number: into
  /// SpringSet::inextensible.
  double tension(std::size_t number) const;

 private:
  struct Strand {
    int body;
    int first, count;  ///< rows: its vertices, in an order of small bandwidth
    int width;         ///< entries of a row of the band, 3 (bandwidth in vertices) + 3
    std::size_t band;  ///< where its band begins
    std::vector<int> springs;
  };

  int row_of(int vertex) const { return row_[static_cast<std::size_t>(vertex)]; }
  void add_strand(const RodSet::Chain& chain, int body);
  void add_block(int vertex, int other, const double (&block)[9]);
  void add_springs(const Strand& strand);
  void add_pins();
  void correct_tensions();
  double energy_of_springs(const Strand& strand) const;
  void find_values(std::vector<double>& values) const;
  void find_step(const Strand& strand);
  void move(double sign);

  const Model* model_;
  bool keep_;
  double a2_ = 0;
  RodEnergy energy_;
  std::vector<Strand> strands_;
  std::vector<char> own_springs_, own_vertices_;
  std::vector<SpringSet::Spring> springs_;       ///< [num_springs] of the model, at its multipliers
                                                 ///< and with dampers
  std::vector<int> pins_;                        ///< of the model, at vertices of rods
  std::vector<Vec3> pin_target_;                 ///< [num_pins] of the model, m
  std::vector<int> row_;                         ///< [num_vertices]; -1: not in a rod
  std::vector<int> strand_of_;                   ///< [num_rows]
  std::vector<int> vertex_;                      ///< [num_rows]
  std::vector<double> mass_;                     ///< [num_rows], kg
  std::vector<Vector3<double>> impulse_, step_;  ///< [num_rows]
  std::vector<double> band_;  ///< a^2 H + M, then its factor, rows of the lower triangle
  std::vector<double> value_, next_value_, share_;  ///< [num_bodies]
  VectorField z_, gradient_;                        ///< [num_vertices]
};

extern template class RodConstraints<double>;
extern template class RodConstraints<float>;

}  // namespace supple

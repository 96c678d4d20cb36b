#pragma once

#include <vector>

#include "position/position_solver.h"
#include "position/positions.h"
#include "potentials/pressure_energy.h"

namespace supple {

/// The volumes of a model that enclose a pressure or stay as they are, as constraints of the step
/// [Macklin & Mueller 2021, eqs. 19 and 20], one after the other. A visit moves all vertices of a
/// volume's surface: it gives them the impulses (kg m)
///   q_i = a^2 p A_i,  A_i = dV/dx_i,
/// in place of those of the visit before, with the pressure p, inside minus outside, Pa, that the
/// volume then has to first order:
///   p = -phi'(V_free + a^2 p S),  S = sum |A_i|^2/m_i.
/// V_free is the volume at x without the impulses, and phi its energy (potentials/pressure.h). For
/// a volume that stays, this p makes it V0, unless |p| exceeds the bound k V0
/// (model/multipliers.h). M (z - y) is the sum
/// of all impulses, so a fixed point is a stationary point of g. Every visit keeps linear momentum.
/// Impulses turn with the surface from visit to visit; where the pressure is so large that this
/// would not converge, they turn by a part of the way. Allocates nothing after construction; gives
/// the same bits for any number of threads. T: number type of the positions, float or double;
/// everything else is computed in doubles.
template <class T>
class VolumeConstraints {
 public:
  /// keep: the next substep starts with the impulses of the last one. `model` must outlive this.
  explicit VolumeConstraints(const Model& model, bool keep = false);

  /// Begins a substep: impulses are zero, or kept; pressures are those at its end.
  void begin(const PositionStep& step, Threads& threads);

  /// Adds M^-1 times the kept impulses to positions. Does nothing if none are kept.
  void apply_kept(Positions<T>& x) const;

  /// Projects every volume once.
  void project(Positions<T>& x, Threads& threads);

  bool empty() const { return volumes_.empty(); }

  /// One group for each volume.
  std::vector<ConstraintGroup> groups() const;

  /// The pressure of the last visit, Pa. chamber: PressureSet::chambers.
  double pressure(std::size_t chamber) const { return volumes_[chamber].pressure; }

  /// Adds the forces of the volumes that stay to a gradient at z, N, beyond those that their energy
  /// has.
  void add_exact_forces(const VectorField& z, Threads& threads, VectorField& gradient);

 private:
  struct Volume {
    int first = 0, count = 0;  ///< of its vertices, into places_
    double pressure = 0;       ///< p of the last visit, Pa
    double largest = 0;        ///< m^3, which no pressure brings it beyond in this substep
  };
  struct Sums {
    double squares = 0;  ///< S, m^4/kg
    double along = 0;    ///< sum A_i . q_i/m_i, m^3
    /// Largest (sum of the edges across from a vertex)/(3 m), m/kg: times a^2 p, how much further
    /// impulses that turn move a vertex.
    double turning = 0;
  };

  double edges_across(std::size_t chamber, std::size_t place) const;
  double pressure_for(std::size_t chamber, double empty_volume, double mobility) const;
  void project_volume(std::size_t chamber, Positions<T>& x, Threads& threads);
  template <class Work>
  void for_chunks(const Volume& volume, Threads& threads, const Work& work) const;
  int vertex_of(std::size_t i) const {
    return model_->pressures.vertices[static_cast<std::size_t>(places_[i])];
  }

  const Model* model_;
  bool keep_;
  double a2_ = 0;
  PressureEnergy energy_;
  std::vector<Volume> volumes_;
  std::vector<int> places_;           ///< into PressureSet::vertices, volume after volume
  std::vector<double> inverse_mass_;  ///< [places], 1/kg
  std::vector<Vec3> impulse_, area_;  ///< [places], kg m and m^2
  std::vector<Sums> sums_;            ///< of chunks
  VectorField z_;                     ///< [num_vertices]
};

extern template class VolumeConstraints<double>;
extern template class VolumeConstraints<float>;

}  // namespace supple

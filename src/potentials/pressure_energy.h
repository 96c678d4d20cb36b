#pragma once

#include <cmath>
#include <vector>

#include "base/index.h"
#include "base/parallel_for.h"
#include "materials/principal.h"
#include "math/vector_field.h"
#include "potentials/pressure.h"

namespace supple {

/// The energies of a PressureSet and their derivatives. Sums run over the triangles in chunks of
/// fixed size, one after the other; nothing is allocated after the constructor.
class PressureEnergy {
 public:
  explicit PressureEnergy(const PressureSet& set);

  /// From now on the pressures are those of this time, s.
  void set_time(double time);

  /// Energy at x, J; adds `factor` times its gradient, N.
  double add(const VectorField& x, Threads& threads, VectorField& gradient, double factor = 1);

  /// Energy alone, J.
  double evaluate(const VectorField& x, Threads& threads);

  /// Times the rounding of a number this is what the energies err by, J.
  double energy_scale() const { return energy_scale_; }

  /// Volume of each chamber where the energy was evaluated last, m^3.
  const std::vector<double>& volumes() const { return volumes_; }

  /// dE/dV of a chamber: what the pressure inside lacks to that outside, Pa.
  double slope(std::size_t chamber, double volume) const;

  /// Calls visit(vertex, other, block) with the parts of phi'(V) d2V/dx2 at x, N/m: [9], row-major,
  /// rows of `vertex` and columns of `other`. Each pair of vertices comes once for every edge.
  /// mode: the blocks [0 W; W^T 0] of the edges have the eigenvalues 0 and +-|W|, whose negative
  /// ones are kept, cut off or taken as positive. What is left of the Hessian is add_stiffening.
  template <class Visit>
  void visit_hessian(const VectorField& x, NegativeEigenvalues mode, Threads& threads,
                     const Visit& visit) {
    evaluate(x, threads);
    for (std::size_t i = 0; i < set_->chambers.size(); ++i) {
      const PressureSet::Chamber& chamber = set_->chambers[i];
      const double own = slope(i, volumes_[i]);
      for (int e = 0; e < chamber.num_edges; ++e) {
        visit_edge(set_->edges[at(chamber.first_edge + e)], own, x, mode, visit);
      }
    }
  }

  /// Adds phi''(V) dV/dx (dV/dx . d) at x to `out`, N: the rank that each gas adds to the Hessian,
  /// between all vertices of its surface. phi'' >= 0.
  void add_stiffening(const VectorField& x, const VectorField& d, Threads& threads,
                      VectorField& out);

  /// dE/dx of one vertex at x, N, with the volumes of the last evaluation. Where there is no gas it
  /// is the same wherever that vertex stands.
  Vec3 gradient_of(int vertex, const VectorField& x) const;

 private:
  struct Chunk {
    int chamber, first, last;  ///< faces
  };

  double energy_of(std::size_t chamber, double volume) const;
  /// d2E/dV2, Pa/m^3, >= 0.
  double curvature(std::size_t chamber, double volume) const;
  /// Calls work(place) for all places in `vertices`, on all threads.
  template <class Work>
  void for_vertices(Threads& threads, const Work& work) const;

  /// Sum of weight[chamber] dV/dx over the chambers at one vertex.
  Vec3 weighted_area(std::size_t place, const VectorField& x,
                     const std::vector<double>& weight) const;

  /// W = -slope [c - d]_x/6, and |W| = w (I - e e^T) with its length w and axis e.
  template <class Visit>
  static void visit_edge(const PressureSet::Edge& edge, double slope, const VectorField& x,
                         NegativeEigenvalues mode, const Visit& visit) {
    double w[3], block[9];
    for (int k = 0; k < 3; ++k) w[k] = -slope / 6 * (x[at(edge.c)][k] - x[at(edge.d)][k]);
    const double length = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    if (!(length > 0)) return;
    const bool keeps = mode == NegativeEigenvalues::keep;
    if (mode != NegativeEigenvalues::absolute) {
      const double share = keeps ? 1 : 0.5;
      const double skew[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
      for (int i = 0; i < 9; ++i) block[i] = share * skew[i];
      visit(edge.a, edge.b, block);
    }
    if (keeps) return;
    const double share = mode == NegativeEigenvalues::clamp ? 0.5 : 1;
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 3; ++k) {
        block[3 * r + k] = share * ((r == k ? length : 0) - w[r] * w[k] / length);
      }
    }
    visit(edge.a, edge.a, block);
    visit(edge.b, edge.b, block);
  }

  const PressureSet* set_;
  std::vector<Chunk> chunks_;
  std::vector<double> chunk_volume_;  ///< [num_chunks], m^3
  std::vector<double> pressure_;      ///< [num_chambers], Pa: now
  std::vector<double> volumes_;       ///< [num_chambers], m^3
  std::vector<double> slopes_;        ///< [num_chambers], Pa: dE/dV at `volumes_`
  std::vector<double> weights_;       ///< [num_chambers]
  double energy_scale_ = 0;
};

}  // namespace supple

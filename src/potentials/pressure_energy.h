#pragma once

#include <vector>

#include "base/index.h"
#include "base/parallel_for.h"
#include "math/vector_field.h"
#include "potentials/pressure.h"

namespace supple {

/// The energies of a PressureSet and their derivatives. Sums run over chunks of triangles of fixed
/// size, one after the other. Allocates nothing after the constructor.
class PressureEnergy {
 public:
  explicit PressureEnergy(const PressureSet& set);

  /// From now on the pressures are those of this time, s.
  void set_time(double time);

  /// Energy at x, J; adds `factor` times its gradient, N.
  double add(const VectorField& x, Threads& threads, VectorField& gradient, double factor = 1);

  /// Energy alone, J.
  double evaluate(const VectorField& x, Threads& threads);

  /// Times the rounding of a number, this is the error of the energies, J.
  double energy_scale() const { return energy_scale_; }

  /// Volume of each chamber at the last evaluation of the energy, m^3.
  const std::vector<double>& volumes() const { return volumes_; }

  /// dE/dV of a chamber: the pressure outside minus that inside, Pa.
  double slope(std::size_t chamber, double volume) const;
  /// d2E/dV2, Pa/m^3, >= 0.
  double curvature(std::size_t chamber, double volume) const;

  /// Volume of one chamber at x, m^3.
  double volume_at(std::size_t chamber, const VectorField& x, Threads& threads);
  /// dV/dx of one chamber at one of PressureSet::vertices, m^2.
  Vec3 area_at(std::size_t chamber, std::size_t place, const VectorField& x) const;

  /// Calls visit(vertex, other, W) with phi'(V) d2V/dx2 at x, N/m: once for each edge, with its
  /// block of two vertices, W = -phi' [c - d]_x/6, [9], row-major, rows of `vertex` and columns of
  /// `other`. The matrix is indefinite. The rest of the Hessian is in add_stiffening.
  template <class Visit>
  void visit_hessian(const VectorField& x, Threads& threads, const Visit& visit) {
    evaluate(x, threads);
    for (std::size_t i = 0; i < set_->chambers.size(); ++i) {
      const PressureSet::Chamber& chamber = set_->chambers[i];
      for (int e = chamber.first_edge; e < chamber.first_edge + chamber.num_edges; ++e) {
        const PressureSet::Edge& edge = set_->edges[at(e)];
        double w[3];
        for (int k = 0; k < 3; ++k) {
          w[k] = -slopes_[i] / 6 * (x[at(edge.c)][k] - x[at(edge.d)][k]);
        }
        const double block[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
        visit(edge.a, edge.b, block);
      }
    }
  }

  /// Adds phi''(V) dV/dx (dV/dx . d) at x to `out`, N: the rank-one term that each gas and each
  /// volume that stays add to the Hessian, between all vertices of its surface. phi'' >= 0.
  void add_stiffening(const VectorField& x, const VectorField& d, Threads& threads,
                      VectorField& out);

  /// dE/dx of one vertex at x, N, with the volumes of the last evaluation. If no pressure depends
  /// on its volume, it does not depend on the place of that vertex.
  Vec3 gradient_of(int vertex, const VectorField& x) const;

 private:
  struct Chunk {
    int chamber, first, last;  ///< faces
  };

  double energy_of(std::size_t chamber, double volume) const;
  void find_chunk_volume(std::size_t chunk, const VectorField& x);
  /// Calls work(place) for each index into `vertices`, on all threads.
  template <class Work>
  void for_vertices(Threads& threads, const Work& work) const;

  /// Sum of weight(chamber) dV/dx over the chambers at one vertex.
  template <class Weight>
  Vec3 weighted_area(std::size_t place, const VectorField& x, const Weight& weight) const;

  const PressureSet* set_;
  std::vector<Chunk> chunks_;
  std::vector<int> first_chunk_;      ///< [num_chambers + 1]
  std::vector<double> chunk_volume_;  ///< [num_chunks], m^3
  std::vector<double> pressure_;      ///< [num_chambers], at the current time, Pa
  std::vector<double> volumes_;       ///< [num_chambers], m^3
  std::vector<double> slopes_;        ///< [num_chambers], Pa: dE/dV at `volumes_`
  std::vector<double> weights_;       ///< [num_chambers]
  double energy_scale_ = 0;
};

}  // namespace supple

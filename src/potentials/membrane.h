#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/parallel_for.h"
#include "materials/principal.h"
#include "math/mat3.h"
#include "math/vector_field.h"
#include "potentials/hinge.h"
#include "potentials/sheet_model.h"
#include "supple/mesh.h"
#include "supple/scene.h"

namespace supple {

inline constexpr int sheet_lanes = 8;

/// Eight triangles. Empty lanes at the end of a range repeat its last triangle with volume zero.
struct MembraneBatch {
  std::int32_t vertex[3][sheet_lanes];  ///< of the model
  /// Dm^-1 in the triangle's own axes, row-major, 1/m: row a is the gradient of the shape function
  /// of corner a + 1, and F = [x_1 - x_0, x_2 - x_0] Dm^-1.
  double inverse_rest[4][sheet_lanes];
  double volume[sheet_lanes];        ///< area times thickness, m^3; 0 in an empty lane
  double stiffness[2][sheet_lanes];  ///< constant k of the matrix L along both axes, Pa
};

/// Consecutive batches whose triangles share one model.
struct MembraneRange {
  SheetModel model;
  int first_batch = 0;
  int num_batches = 0;
  int num_parameters = 0;
  std::vector<double> parameters{};  ///< [num_batches][num_parameters][lanes], Pa
};

/// Isometric bending around a vertex v [Bergou et al. 2006, sec. 2; Wardetzky et al. 2007]:
///   E = c/2 |sum_w K_w x_w|^2,  K_w = (cot alpha_vw + cot beta_vw)/2,  K_v = -sum_w K_w,  c = D/A.
/// Here alpha and beta are the rest angles opposite to the edge, and A is the area that belongs to
/// v [Meyer et al. 2003]. As sum K x = A Delta x, this is D/2 times the squared curvature on A
/// while the sheet keeps its lengths. It is zero for a flat sheet, wherever that lies, and its
/// Hessian is constant. On a straight border Delta x is only the derivative along the border, from
/// both neighbours there; where a border turns there is no such energy.
struct Bend {
  double stiffness;  ///< c, N/m
  int first, count;  ///< entries of bend_vertex and bend_weight, v first
};

/// A sheet with a material for each triangle, which resists bending around its vertices.
struct MembraneSet {
  /// Two vertices that the constant matrix couples: k (e_a - e_b)(e_a - e_b)^T. A matrix whose rows
  /// add up to zero is a sum of such terms; k may be negative.
  struct Edge {
    std::int32_t a, b;  ///< a < b
    double stiffness;   ///< N/m
  };
  /// A part of a vertex's gradient: `factor` times what the energy wrote at `slot`.
  struct Term {
    std::int32_t slot;
    double factor;
  };

  std::vector<MembraneBatch> batches{};
  std::vector<MembraneRange> ranges{};
  std::vector<Bend> bends{};
  std::vector<std::int32_t> bend_vertex{};
  std::vector<double> bend_weight{};  ///< K
  std::vector<Hinge> hinges{};
  /// [num_batches * lanes]: the axes of each triangle at rest, unit and perpendicular.
  std::vector<std::array<Vec3, 2>> axes{};

  // What `index_vertices` computes from these.
  std::vector<Edge> edges{};          ///< of the constant matrix L, ascending
  std::vector<Edge> bending_edges{};  ///< of the bends alone, exactly their Hessian
  std::vector<Edge> hinge_edges{};    ///< of the hinges alone
  std::vector<int> term_start{};      ///< [num_vertices + 1]; empty if there is no membrane
  std::vector<Term> terms{};          ///< for each vertex: of triangles, then bends, then hinges
  std::vector<int> corner_start{};    ///< [num_vertices + 1]
  std::vector<int> corners{};         ///< 3 t + c for corner c of the triangle in lane t
  std::vector<int> bend_start{};      ///< [num_vertices + 1]
  std::vector<std::pair<int, double>> bends_of_vertex{};  ///< bend and the vertex's weight in it
  std::vector<int> hinge_start{};                         ///< [num_vertices + 1]
  std::vector<int> hinges_of_vertex{};                    ///< 4 h + c for corner c of hinge h

  bool empty() const { return batches.empty(); }
  int num_lanes() const { return static_cast<int>(batches.size()) * sheet_lanes; }
  /// Two for each triangle (the forces on corners 1 and 2), one for each bend, and three for each
  /// hinge (the forces on corners 1 to 3).
  std::size_t num_slots() const { return first_hinge_slot() + 3 * hinges.size(); }
  std::size_t first_hinge_slot() const { return 2 * batches.size() * sheet_lanes + bends.size(); }
  bool is_triangle(int lane) const { return batch(lane).volume[lane % sheet_lanes] > 0; }
  int vertex(int lane, int corner) const { return batch(lane).vertex[corner][lane % sheet_lanes]; }
  /// k V of the triangle in a lane, the larger one of the two axes, J.
  double energy_scale(int lane) const;

  /// Fills the lists once all triangles and bends are there, or after their vertices have changed.
  void index_vertices(int num_vertices);

  /// Energy of the triangle in a lane whose corners are at x, J.
  double energy(int lane, const double* const (&x)[3]) const;
  /// The same; also writes dE/dx of a corner, N, and its 3x3 block d2E/dx2, row-major, N/m.
  double energy_at_corner(int lane, const double* const (&x)[3], int corner,
                          NegativeEigenvalues mode, double* gradient, double* block) const;
  /// F of the triangle in a lane, in its own axes.
  std::array<Vec3, 2> deformation_gradient(int lane, const VectorField& x) const;

 private:
  const MembraneBatch& batch(int lane) const {
    return batches[static_cast<std::size_t>(lane / sheet_lanes)];
  }
  const MembraneRange& range_of(int lane) const;
  void index_edges();
  void index_terms(int num_vertices);
};

/// sum_w K_w x_w of a bend, m. position(vertex) returns a double[3].
template <class Position>
Vector3<double> curvature_vector(const MembraneSet& set, const Bend& bend,
                                 const Position& position) {
  Vector3<double> sum{{0, 0, 0}};
  const auto first = static_cast<std::size_t>(bend.first);
  // Differences first: the weights add up to zero.
  const double* const own = position(set.bend_vertex[first]);
  for (std::size_t i = first + 1; i < first + static_cast<std::size_t>(bend.count); ++i) {
    const double* const x = position(set.bend_vertex[i]);
    for (int k = 0; k < 3; ++k) sum[k] += set.bend_weight[i] * (x[k] - own[k]);
  }
  return sum;
}

/// A hinge with its vertices at position(vertex), a double[3].
template <class Position>
BentHinge bent_hinge(const Hinge& hinge, const Position& position) {
  return {hinge, HingeCorners{position(hinge.vertex[0]), position(hinge.vertex[1]),
                              position(hinge.vertex[2]), position(hinge.vertex[3])}};
}

/// Adds the bends of a sheet with the bending rigidity D in N m to the set. triangles: vertices of
/// the model, whose rest positions are `rest`.
void add_bends(const std::vector<std::array<int, 3>>& triangles, const std::vector<Vec3>& rest,
               double rigidity, MembraneSet& set);

/// Turns the settings of a material into those of a sheet. Replaces the parameter that resists a
/// change of volume such that the sheet at s_3 = 1 responds to small strains like a thin layer of
/// the 3D material with free faces, with E and nu in plane stress:
///   lambda -> 2 mu lambda/(lambda + 2 mu)       (+ mu for stable_neo_hookean, whose term of J
///                                                is stress-free only at J = 1 + mu/lambda),
///   bulk -> that of lambda = bulk + 4 c2 with mu = 2 (c1 + c2), less 4 c2.
/// lambda may be infinite. The curves of spline and valanis_landel are taken as those of the sheet.
/// Throws Error{invalid_input} below `where` for a material without principal terms (volume), and
/// for a mooney_rivlin of bulk < 4 c2^2/c1, which leaves no bulk.
MaterialSettings sheet_settings(const MaterialSettings& settings, const std::string& where);

/// The same for lambda itself: 2 mu lambda/(lambda + 2 mu), or 2 mu if lambda is infinite.
double plane_stress_lambda(double mu, double lambda);

/// A sheet of a material, ready for the loops.
struct Sheet {
  SheetModel model;
  /// [num_parameters], in the order of the model's `at`; each is one number per triangle or one for
  /// all.
  std::vector<Parameter> parameters;
};

/// The checked sheet that the settings name. Throws as make_material and sheet_settings do, and for
/// orthotropic_stvk unless warp, weft, shear > 0 and poisson^2 < warp/weft, and for woven_limit
/// unless mu > 0 and 0 <= min <= 1 <= max in both directions.
Sheet make_sheet(const MaterialSettings& settings, const std::string& where);

/// Constant k of L along both axes [Pa] for parameters of a sheet: fit_stiffness of materials/; for
/// an orthotropic sheet that of each modulus, but at least 2 G; for a woven limit 2 mu.
std::array<double, 2> fit_sheet_stiffness(const SheetModel& model, const double* parameters,
                                          std::pair<double, double> range);

/// d2Psi/ds^2 of the sheet at rest [Pa]; for an orthotropic sheet the geometric mean of both axes,
/// for limits 0. Times thickness^3/12 it is the bending rigidity of a plate.
double rest_stiffness(const SheetModel& model, const double* parameters);

struct MembraneKernels;

/// Energy of all triangles, bends and hinges and its gradient. Chunks of a fixed size write to
/// places of their own; each vertex then adds its terms in their order. So no sum depends on the
/// number of threads.
class MembraneEnergy {
 public:
  explicit MembraneEnergy(const MembraneSet& set);

  /// Energy at x, J. The slots keep their values until the gradient is read.
  double evaluate(const VectorField& x, Threads& threads);

  /// Adds dE/dx of a vertex from the last `evaluate`, N.
  void add_gradient_of_vertex(int vertex, PaddedVector& sum) const {
    if (set_->empty()) return;
    const auto v = static_cast<std::size_t>(vertex);
    for (int i = set_->term_start[v]; i < set_->term_start[v + 1]; ++i) {
      const MembraneSet::Term& term = set_->terms[static_cast<std::size_t>(i)];
      for (int k = 0; k < 4; ++k) {
        sum[k] += term.factor * slots_[static_cast<std::size_t>(term.slot)][k];
      }
    }
  }

  const VectorField& slots() const { return slots_; }
  VectorField& slots() { return slots_; }

 private:
  struct Chunk {
    int range;  ///< or of_bends, or of_hinges
    int first, count;
  };
  const MembraneSet* set_;
  const MembraneKernels* kernels_;
  std::vector<Chunk> chunks_;
  std::vector<double> chunk_energy_;  ///< [num_chunks], J
  VectorField slots_;
};

/// Writes the blocks of all triangles at x: for lane t the blocks (0,0), (1,1), (2,2), (1,0),
/// (2,0), (2,1) of d2E/dx2 one after another, N/m, from blocks[54 t] on. Runs on all threads.
void membrane_hessians(const MembraneSet& set, const VectorField& x, NegativeEigenvalues mode,
                       Threads& threads, double* blocks);

/// The same for all hinges, with blocks in the order of hinge_row and hinge_column:
/// [num_hinges][10][9]. `keep` is exact; the other modes use the positive semi-definite part,
/// k dtheta dtheta^T.
void hinge_hessians(const MembraneSet& set, const VectorField& x, NegativeEigenvalues mode,
                    Threads& threads, double* blocks);

inline constexpr int blocks_of_triangle = 6;
/// Corners of those blocks as (row, column).
inline constexpr int block_row[blocks_of_triangle] = {0, 1, 2, 1, 2, 2};
inline constexpr int block_column[blocks_of_triangle] = {0, 1, 2, 0, 0, 1};

}  // namespace supple

#pragma once

#include <vector>

#include "descent/direction.h"
#include "elements/corner_kernels.h"
#include "elements/vertex_stencils.h"

namespace supple {

/// Vertex block descent [Chen et al. 2024, secs. 3.1 and 3.2]: one sweep of nonlinear block
/// Gauss-Seidel. Colour after colour, every vertex takes a Newton step of g as a function of its
/// own position, with the others at their latest positions:
///   x_i <- x_i - H_ii^-1 grad_i g,  H_ii = d2g/dx_i^2, 3x3.
/// Negative eigenvalues of H_ii are replaced by their absolute value, so that the step descends,
/// and small ones by `floor_`. A vertex stays if all of its eigenvalues are below that. The paper
/// skips vertices with a tiny det H_ii instead, but in a sheet that nothing holds in the normal
/// direction that is every vertex.
///
/// Contact and friction are part of H_ii [secs. 3.5 and 3.6]: k n n^T of every collider that the
/// vertex is in when its turn comes, and the Hessian of friction. If the step ends inside another
/// collider and g does not decrease, it is taken again with that collider's plane in H_ii.
///
/// A step that still does not decrease g is halved up to ten times and then skipped, so a sweep
/// increases g by rounding at most. p = x after the sweep - x. Vertices of one colour are not
/// coupled and run in parallel, eight at once; only those that share a contact with others are, and
/// they follow eight by eight.
class VertexBlockDescent final : public Direction {
 public:
  VertexBlockDescent(const Model& model, double inverse_a2);

  StepRule step_rule() const override { return StepRule::decrease; }
  void pins_changed(const PinChange& change) override;
  void materials_changed(const MaterialChange& change) override;
  void shapes_changed(const Model& model) override {
    groups_.copy_materials(model);
    groups_.copy_rest_shapes(model);
  }
  void begin_step(Objective& objective) override;
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;

  int num_colours() const { return static_cast<int>(groups_.colour_start.size()) - 1; }
  /// Colour after colour.
  const std::vector<int>& sweep_order() const { return colouring_.vertices; }

 private:
  struct Local;
  struct Planes;
  /// A contact as seen by one of its vertices.
  struct Corner {
    int contact, corner;
    int next;  ///< the next Corner of the vertex; -1: none
  };

  /// A bond as seen by one of its vertices.
  struct BondEnd {
    int bond, corner;
  };

  void list_pins();
  void list_bonds();
  void find_points(const Objective& objective);
  void sum_scales();
  void list_contacts(const Objective& objective);
  bool shares_points(const VertexGroup& group) const;
  void keep_means(const Objective& objective);
  bool find_planes(const Objective& objective, int vertex, int lane, const double (&x)[3][lanes],
                   const double (&d)[3][lanes], Planes& planes) const;
  void solve(const double (&floor)[lanes], const Local& local, const Planes& planes,
             double (&d)[3][lanes]) const;
  void solve_group(const Objective& objective, const VertexGroup& group);
  void add_smooth(const Objective& objective, int vertex, int lane, Local& local) const;
  void add_kinked(const Objective& objective, int vertex, int lane, Local& local) const;
  double add_contact(const Objective& objective, const Corner& own, const double* x,
                     double* gradient, double* hessian) const;
  double add_membranes(const Objective& objective, int vertex, const double* x, double* gradient,
                       double* hessian) const;
  double add_bonds(const Objective& objective, int vertex, const double* x, double* gradient,
                   double* hessian) const;
  double kinked_energy(const Objective& objective, int vertex, const double* x) const;
  template <class Work>
  void for_segments(const Objective& objective, const VertexGroup& group,
                    const double (&own)[3][lanes], const Work& work) const;
  void energy_at(const Objective& objective, const VertexGroup& group, const double (&x)[3][lanes],
                 double (&energy)[lanes]) const;

  const Model* model_;
  Colouring colouring_;
  VertexStencils groups_;
  const CornerKernels* kernels_;
  std::vector<double> floor_;              ///< [num_vertices], least pivot, N/m
  std::vector<double> scale_;              ///< [num_vertices], sum of k V and k r^2 around it, J
  std::vector<int> first_pin_, next_pin_;  ///< [num_vertices], [num_pins]; -1: none
  std::vector<Vec3> stretch_;              ///< [num_points], before the current colour, m
  std::vector<int> bond_start_;  ///< [num_vertices + 1], into `bond_ends_`; empty: no bonds
  std::vector<BondEnd> bond_ends_;
  // In this step.
  std::vector<int> place_;          ///< [num_vertices], among those that can touch; -1: it cannot
  std::vector<int> first_corner_;   ///< [num_vertices]; -1: none
  std::vector<char> shares_point_;  ///< [num_vertices], it shares a contact with other vertices
  std::vector<Corner> corners_;
  std::vector<char> is_held_;  ///< [num_bodies], by a pin or a contact
  VectorField x_;              ///< during the sweep, m
};

}  // namespace supple

#pragma once

#include <vector>

#include "descent/direction.h"
#include "descent/hessian.h"
#include "mesh/colouring.h"

namespace supple {

/// Block Gauss-Seidel over coloured vertices [Fratarcangeli et al. 2016; GAMES103]:
///   p = -(D + L)^-1 grad g,
/// where D and L are the 3x3 diagonal blocks and the strictly lower blocks of the projected Hessian
/// of g, with the vertices in the order of their colours. One sweep, colour after colour:
///   p_i = -D_i^-1 (grad_i g + sum_{j before i} H_ij p_j).
/// Vertices of one colour are not coupled and run in parallel. If H = L + D + L^T is positive
/// definite, 2 p.(D + L) p = p.(H + D) p > 0, so p is a descent direction. The Hessian is
/// recomputed every `refresh` iterations and whenever a vertex enters or leaves a collider.
class GaussSeidel final : public Direction {
 public:
  GaussSeidel(const Model& model, int refresh, double inverse_a2);
  void pins_changed(const PinChange& change) override;
  void materials_changed(const MaterialChange& change) override;
  void begin_step(Objective& objective) override;
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;

  int num_colours() const { return static_cast<int>(colour_start_.size()) - 1; }
  /// Colour after colour.
  const std::vector<int>& sweep_order() const { return colouring_.vertices; }

 private:
  GaussSeidel(const Model& model, int refresh, double inverse_a2, const Adjacency& adjacency);
  bool contacts_changed(const Objective& objective);
  void solve_vertex(std::size_t place, const VectorField& gradient);

  Colouring colouring_;
  /// [num_vertices]: colours from the last to the first, so that the blocks that a vertex needs are
  /// its column of the stored lower triangle.
  std::vector<int> order_;
  std::vector<int> colour_start_;  ///< [num_colours + 1], in `order_`, ascending
  HessianAssembly hessian_;
  std::vector<double> floor_;           ///< [num_vertices], least pivot, N/m
  VectorField step_;                    ///< [num_vertices], in `order_`, m
  std::vector<ContactPoint> touching_;  ///< points of the contacts in the Hessian
  int refresh_;
  int age_ = 0;  ///< iterations since the Hessian was computed; 0: it is to be computed
};

}  // namespace supple

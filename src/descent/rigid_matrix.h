#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "descent/body_matrices.h"
#include "descent/objective.h"
#include "model/rigid_bodies.h"

namespace supple {

/// What is left of the constant matrix A = M/a^2 + L for bodies that do not deform.
///
/// A rigid body moves by t + omega x R X. R is its rotation at the inertial target, held for the
/// whole step so that the matrix is constant. In each part of A (BodyMatrices), let f be the
/// vertices that deform and T the motions of the rigid bodies. Eliminating f leaves
///   S = T^T (A_rr - A_rf A_ff^-1 A_fr) T,   [6 rigid bodies of the part]^2,
/// and with Phi = T on rigid vertices and -A_ff^-1 A_fr T on the others
///   T' (T'^T A T')^-1 T'^T = A_ff^-1 + Phi S^-1 Phi^T,   T' = (I on f, T).
/// A is the same for x, y and z, and T is affine in the rest shape, so what is kept does not turn.
/// For each vertex and each rigid body, these are four numbers (w, m): the vertex follows the body
/// by w t + omega x R m. They are (1, X) for the body's own vertices. For vertices that bonds tie
/// to it, they are four columns -A_ff^-1 A_fr (1, X), found once.
class RigidMatrix {
 public:
  static constexpr std::size_t unknowns = 6;  ///< of a body: its shift, then its turn

  /// matrix: M/a^2 + L, where rows of rigid vertices are coupled to no others. Model and matrix
  /// outlive it.
  RigidMatrix(const Model& model, double inverse_a2, BodyMatrices& matrix);

  bool empty() const { return rigid_.empty(); }
  bool is_rigid(int vertex) const { return is_rigid_[static_cast<std::size_t>(vertex)] != 0; }

  /// The model's pins have changed.
  void pins_changed();

  /// A step of the selected bodies begins.
  void begin_step(const Objective& objective);

  /// Turns p = -A_ff^-1 b into -(A_ff^-1 + Phi S^-1 Phi^T) b, for these bodies.
  void add(std::span<const int> bodies, const VectorField& b, VectorField& p);

  /// The functions below compute L^-1 Phi^T e of forces e, with S = L L^T. The product of two such
  /// vectors is Phi S^-1 Phi^T between their forces. Each part that moves with the forces has its
  /// own `out`, of this size.
  std::size_t part_size(std::size_t part) const { return unknowns * groups_[part].rigid.size(); }
  std::size_t part_of(int vertex) const { return matrix_.part_of(vertex); }
  /// Adds Phi^T of a force at a vertex to `out`.
  void add_force(int vertex, const Vec3& force, double* out) const;
  void solve_lower(std::size_t part, double* out) const;
  std::size_t largest_part() const { return largest_part_; }

 private:
  using Vector = RigidBodies::Vector;
  struct Group {
    std::vector<int> rigid;          ///< of rigid_.bodies(), ascending
    int first = 0, last = 0;         ///< vertices of the part
    std::vector<VectorField> reach;  ///< (w, m) of its vertices, for each rigid body; or none
    std::vector<double> sigma;       ///< A_rr - A_rf A_ff^-1 A_fr by (1, X): [4 rigid]^2
    std::vector<double> own;         ///< A_rr by (1, X): [4 rigid]^2
    std::vector<double> lower;       ///< L of S: [6 rigid]^2, row by row
    std::vector<double> work;        ///< [6 rigid]
    bool is_tied = false;            ///< S is made from sigma, and not from own
  };
  void find_own(Group& group);
  void find_reach(Group& group);
  bool factorise(Group& group, const std::vector<double>& sigma);
  std::size_t place_in(const Group& group, int vertex) const;
  std::array<double, 4> follows(const Group& group, std::size_t r, int vertex) const;

  const Model* model_;
  double inverse_a2_;
  BodyMatrices& matrix_;
  RigidBodies rigid_;
  std::vector<char> is_rigid_;          ///< [num_vertices]
  std::vector<Mat3<double>> rotation_;  ///< of rigid_.bodies()
  std::vector<Group> groups_;           ///< [num_parts]
  std::size_t largest_part_ = 0;
};

}  // namespace supple

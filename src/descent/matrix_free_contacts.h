#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "descent/body_matrices.h"
#include "descent/contact_system.h"

namespace supple {

/// The system (C + K^-1) l = r of contacts and its complementarity problem (contact_matrix.h) for
/// bodies that touch with much of themselves, such as a sheet that lies on something.
///
/// C = N^T A^-1 N is never formed: a product with it is a solve with the factor of A, which a sheet
/// has with few entries. Conjugate gradients need few of them, as A^-1 falls off quickly from each
/// vertex, in heavy cloth most of all. With the diagonal of A in place of A, the identity of
/// contact_matrix.h from the other side is their preconditioner:
///   P = K - K N^T B^-1 N K,  B = diag(A) + the 3 x 3 blocks of N K N^T.
/// If the parts of a contact are at several vertices, with weights w, its blocks are raised by
/// sum|w|/|w_v|, so that they are no less than the whole of it and P is positive definite.
///
/// A primal-dual active set [Hintermueller, Ito & Kunisch 2003] goes from set to set of rows that
/// are within their bounds. Of all forces that it comes to, those with the least
///   (l - f) . (C + K^-1) (l - f)/2 + (gap + K^-1 f) . (l - f)
/// are the result, where f are the forces that rows are assumed to have. What it starts from, the
/// nearest to f within the bounds, is one of them.
class MatrixFreeContacts {
 public:
  /// Sets up the system of rows whose parts have known matrices (PrefactoredSystem::is_known).
  /// Vertices must be below `num_vertices`. `learnt` is added to C; it and the matrices outlive the
  /// system. Allocates only to hold more than ever before.
  void fill(std::span<const ContactRow> rows, BodyMatrices& matrices, std::size_t num_vertices,
            const LowRank& learnt = {});

  /// Solves the complementarity problem, starting from the forces that the rows are assumed to
  /// have. `part`: as in `solve`, for each set.
  void relax(std::span<ContactRow> rows, double part, Threads& threads);
  /// The rows that have forces after `relax` and could have other ones, ascending.
  std::span<const int> members() const { return members_; }

  /// right becomes (C + K^-1)^-1 right, up to a residual of `part` times the right-hand side, in
  /// the norm of the preconditioner. With r the right-hand side,
  ///   r . result <= r . (C + K^-1)^-1 r
  /// but for rounding, so that directions made with it lead down.
  void solve(std::span<double> right, double part, Threads& threads);

 private:
  struct Row {
    ContactPoint point;
    Vec3 direction;
    double stiffness;  ///< N/m
    int places[4];     ///< of its vertices, into vertices_
  };
  /// A vertex that touches.
  struct Vertex {
    double diagonal;          ///< a_vv, N/m
    Eigen::Matrix3d inverse;  ///< of its block of B, m/N
    Eigen::Vector3d moved;    ///< by B^-1, m
  };
  void multiply(const std::vector<double>& forces, std::vector<double>& result, Threads& threads);
  void make_preconditioner();
  double precondition();
  void descend(double part, Threads& threads);
  void keep(std::span<const ContactRow> rows);

  BodyMatrices* matrices_ = nullptr;
  std::vector<std::size_t> parts_;  ///< that touch, ascending
  std::vector<Row> rows_;
  std::vector<Vertex> vertices_;
  std::vector<int> place_of_vertex_;  ///< [num_vertices], -1: it does not touch
  LowRank learnt_;
  std::vector<double> learnt_sums_;  ///< [count]
  VectorField forces_, moved_;       ///< N and m
  // By rows:
  std::vector<char> in_set_;  ///< within its bounds
  std::vector<double> change_, gradient_, residual_, search_, product_, preconditioned_, best_;
  std::vector<int> members_;
};

}  // namespace supple

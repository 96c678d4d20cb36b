#pragma once

#include <memory>
#include <span>
#include <vector>

#include "descent/body_matrices.h"
#include "descent/contact_system.h"

namespace supple {

/// The system (C + K^-1) l = r of contacts and its complementarity problem (contact_matrix.h) for
/// any number of vertices that touch along the axes of one frame: bodies on a floor or between
/// upright walls.
///
/// A is the same for x, y and z. So along an axis a the problem is one of a sparse n x n matrix:
/// the displacements q along a minimise
///   q . A q/2 + q . N f + sum_i k_i/2 min(0, u_i + s_i q_v(i))^2
/// with the assumed forces f (N), the gaps u under them (m), and the sign s_i = +-1 of a row's
/// direction; rows of friction also pull, and lack the minimum. A primal-dual active set
/// [Hintermueller, Ito & Kunisch 2003] finds it: the rows that push add their k_i to the diagonal
/// of A, which is factorised anew for each set. If the entries of A beside the diagonal are not
/// positive, as those of springs, it ends after finitely many sets.
///
/// The identity of contact_matrix.h from the other side gives
///   (C + K^-1)^-1 = K - K N^T (A + N K N^T)^-1 N K.
class AlignedContacts {
 public:
  /// Whether it can take these rows: each one has one vertex and is along an axis of the system's
  /// frame, and the matrices of their parts are known exactly.
  static bool can_hold(std::span<const ContactRow> rows, const ContactSystem& frame,
                       const BodyMatrices& matrices);

  /// Sets up the system of rows that it can hold. Allocates only to hold more than ever before.
  void fill(std::span<const ContactRow> rows, const ContactSystem& frame,
            const BodyMatrices& matrices);

  /// Solves the complementarity problem, starting from the rows that are assumed to have forces.
  /// Ends after `most_sets` active sets at the latest.
  void relax(std::span<ContactRow> rows, int most_sets, Threads& threads);
  /// The rows that have forces after `relax`, ascending.
  std::span<const int> members() const { return members_; }

  /// right becomes (C + K^-1)^-1 right. False: the matrix could not be factorised.
  bool solve(std::span<double> right, Threads& threads);

 private:
  struct Row {
    int row;     ///< in what it was filled with
    int vertex;  ///< row of the part's matrix
    double sign, stiffness;
  };
  /// Rows of one part along one axis.
  struct Group {
    std::size_t part = 0;
    int axis = 0;
    std::vector<Row> rows;
    long version = -1;                  ///< of the part's matrix
    SpdSolver::Matrix lower;            ///< A
    std::vector<double> diagonal;       ///< of A
    std::vector<double> factored;       ///< what the factor has beside it on the diagonal
    std::unique_ptr<SpdSolver> solver;  ///< null: nothing is factorised
  };
  Group& group_of(std::size_t part, int axis);
  static void take_matrix(Group& group, const PrefactoredSystem& matrix);
  bool factor(Group& group, Threads& threads);

  std::vector<Group> groups_;
  std::vector<double> added_, sides_;  ///< [rows of a part]
  std::vector<char> pushes_;           ///< of a group's rows
  std::vector<int> members_;
};

}  // namespace supple

#pragma once

#include <memory>
#include <vector>

#include "linear/float_cholesky.h"
#include "linear/preconditioner.h"

namespace supple {

/// Two grids for Hessians of elastic bodies, 3n x 3n with blocks of 3 x 3. The preconditioner is
/// one symmetric cycle: a damped block Jacobi step, a correction by rigid motions of groups of
/// vertices (unsmoothed aggregation with six columns per group [Vanek, Mandel & Brezina 1996, sec.
/// 4; Notay 2010]), and the step once more. The coarse matrix P^T A P is factorised in floats.
///
/// A group is a vertex with its neighbours, about twenty vertices; the factor then has a fiftieth
/// of the entries or fewer. The number of iterations depends little on the number of vertices, but
/// grows if volume is nearly preserved (Poisson's ratio above 0.45): rigid motions of neighbouring
/// groups change the volume between them.
class RigidGrid final : public Preconditioner {
 public:
  explicit RigidGrid(SimdLevel level) : coarse_factor_(level) {}

  /// A: lower triangle of full 3 x 3 blocks. Throws Error{invalid_input} for any other pattern.
  void analyse(const SpdSolver::Matrix& lower) override;

  /// Positions whose rotations the groups can represent: [3n], m. Used from the next `update` on.
  void set_positions(const double* positions) { positions_ = positions; }
  void set_threads(Threads& threads) { threads_ = &threads; }

  bool update(const SpdSolver::Matrix& lower) override;
  void apply(const double* r, double* z) override;
  void apply4(const double* r, double* z) override;

  int num_groups() const { return static_cast<int>(first_member_.size()) - 1; }

 private:
  struct alignas(16) Row {
    float v[4];
  };
  /// Columns of a 3 x 3 block.
  struct Block {
    Row column[3];
  };

  void find_blocks(const SpdSolver::Matrix& lower);
  void find_groups();
  void place_coarse();
  bool invert_diagonal();
  void find_arms();
  void assemble_coarse(int group);
  void restrict_to(int group);
  template <class Work>
  void for_rows(const Work& work);
  Row row_product(int i, const std::vector<Row>& x) const;

  Threads* threads_ = nullptr;
  const double* positions_ = nullptr;
  int n_ = 0;  ///< vertices
  // The matrix row by row, in floats, times scale_.
  std::vector<int> start_, neighbour_;  ///< [n + 1], [num blocks], diagonal blocks included
  std::vector<int> source_;     ///< [3 num blocks], first entry of a column in the lower triangle
  std::vector<char> is_upper_;  ///< [num blocks], whether to transpose
  std::vector<int> diagonal_;   ///< [n], block
  std::vector<Block> blocks_, inverse_;  ///< inverse_: [n], of diagonal blocks
  double scale_ = 1;
  // The groups, in the coarse matrix's order.
  std::vector<int> group_;                  ///< [n]
  std::vector<int> first_member_, member_;  ///< [groups + 1], [n]
  std::vector<Row> arm_;                    ///< [n], from the group's centre, in the group's own
                                            ///< unit of length
  SpdSolver::Matrix coarse_;
  std::vector<int> coarse_block_;  ///< [num blocks], offset in a column; -1 above the diagonal
  FloatCholesky coarse_factor_;
  std::vector<Row> x_, rest_;        ///< [n]
  std::vector<double> coarse_side_;  ///< [6 groups]
};

}  // namespace supple

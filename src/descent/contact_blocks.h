#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel_for.h"
#include "descent/compliance.h"
#include "descent/contact_kernels.h"
#include "descent/contact_system.h"

namespace supple {

/// The system (C + K^-1) l = r of contacts and its complementarity problem (contact_matrix.h) where
/// there are more of them than a dense factor is worth (ContactSystem::most_rows): in heaps.
///
/// C = N^T A^-1 N is not formed. N has at most four entries a column, and A^-1 none between two
/// parts of the matrix, two bodies, so that a product with C costs, for each part, the square of
/// its vertices that touch. Rows of one kind between the same two parts are a block, whose dense
/// factor is kept. The system is solved by conjugate gradients with the blocks as preconditioner,
/// the complementarity problem by projected Gauss-Seidel sweeps over blocks: forces pass from body
/// to body as in solvers for rigid bodies.
class ContactBlocks {
 public:
  /// For vertices below this number. `fill` allocates only to hold more than ever before.
  void make_room(std::size_t num_vertices) { touched_of_vertex_.resize(num_vertices, -1); }

  /// Sets up the system of these rows. `compliance` has all their vertices, and outlives it.
  void fill(std::span<const ContactRow> rows, const Compliance& compliance, Threads& threads);

  /// Solves the complementarity problem from the forces that the rows are assumed to have.
  void relax(std::span<ContactRow> rows, int most_sweeps);
  /// The rows that have forces after `relax`, ascending.
  std::span<const int> members() const { return members_; }

  /// right becomes (C + K^-1)^-1 right: until what is left of the right-hand side, in the norm of
  /// the preconditioner, is this part of it. The result is never too long: with r the right-hand
  /// side, r . result <= r . (C + K^-1)^-1 r but for rounding, so that directions made with it lead
  /// down.
  void solve(std::span<double> right, double part, Threads& threads);
  /// Products with the system in the last `solve`.
  int num_products() const { return num_products_; }

 private:
  struct Row {
    int first_corner, num_corners;  ///< into corners_
    float direction[3];
    float softness;  ///< 1/k, m/N
  };
  struct Corner {
    int touched;   ///< vertex that touches
    int of_block;  ///< the same in its block's list
    float weight;
  };
  /// Of one part: its touching vertices, and A^-1 between them.
  struct Part {
    std::size_t first, count;  ///< into touched_
    std::size_t matrix;        ///< into matrices_, [count * count]
  };
  /// Rows of one kind between two parts, or a part and what does not move.
  struct Block {
    std::size_t first, count;     ///< into order_
    std::size_t system;           ///< into systems_, [count * count]; the same in inverses_
    std::size_t columns;          ///< into columns_: its vertices that touch, ascending
    std::size_t num_columns;      ///< of both parts
    std::size_t first_of_second;  ///< into its columns: the second part's
    bool is_factored, only_pushes;
  };
  void number_vertices(std::span<const ContactRow> rows, const Compliance& compliance,
                       Threads& threads);
  void make_blocks(std::span<const ContactRow> rows);
  void fill_block(Block& block);
  void list_columns(Block& block);
  float between(const Row& a, const Row& b) const;
  float moved(const Row& own) const;
  void push(const Block& block, const float* change);
  float relax_block(const Block& block, std::span<ContactRow> rows);
  void solve_block(const Block& block, const float* right, float* result) const;
  void multiply(const std::vector<float>& forces, std::vector<float>& result, Threads& threads);
  void precondition(const std::vector<float>& right, std::vector<float>& result, Threads& threads);

  const FrontKernels* front_kernels_ = &front_kernels(simd_level_in_use());
  const ContactKernels* kernels_ = &contact_kernels(simd_level_in_use());
  std::vector<int> touched_of_vertex_;        ///< [num_vertices], -1: it does not touch
  std::vector<std::pair<int, int>> touched_;  ///< (part, vertex), ascending
  std::vector<int> part_of_touched_;          ///< into parts_
  std::vector<Part> parts_;
  std::vector<float> matrices_;
  std::vector<Row> rows_;
  std::vector<Corner> corners_;
  std::vector<int> order_;  ///< of the rows: block after block
  std::vector<Block> blocks_;
  std::vector<int> columns_;  ///< into touched_
  std::vector<float> systems_, inverses_, fronts_;
  std::vector<float> forces_, moved_;  ///< of touched vertices: [3][count], N and m
  std::vector<float> block_forces_;    ///< [3][columns of a block]
  std::vector<float> residual_, change_;
  std::vector<float> solution_, search_, product_, preconditioned_, rest_;  ///< of `solve`, by rows
  std::vector<int> members_;
  int num_products_ = 0;
};

}  // namespace supple

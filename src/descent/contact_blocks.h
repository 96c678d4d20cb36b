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

/// The system (C + K^-1) l = r of contacts and its complementarity problem (contact_matrix.h) for
/// heaps of bodies, where there are more contacts than a dense factor is worth
/// (ContactSystem::most_rows).
///
/// C = N^T A^-1 N is not formed. N has at most four entries a column, and A^-1 has none between two
/// parts of the matrix (two bodies). A product with C therefore costs, for each part, the square of
/// the number of its vertices that touch. Rows of one kind between the same two parts are a block,
/// whose dense factor is kept. Conjugate gradients solve the system, with the blocks as
/// preconditioner. Projected Gauss-Seidel sweeps over the blocks solve the complementarity problem:
/// forces pass from body to body as in solvers for rigid bodies. The other blocks between the same
/// parts see at once what a block's forces move; the rest of both parts sees it when all of these
/// blocks are done. Pairs of parts that share no part are worked on at the same time, round by
/// round.
class ContactBlocks {
 public:
  /// Vertices must be below this number. `fill` allocates only to hold more than ever before.
  void make_room(std::size_t num_vertices) { touched_of_vertex_.resize(num_vertices, -1); }

  /// Sets up the system of these rows. `compliance` has all their vertices. `learnt` is added to C;
  /// both outlive the system. With `learnt`, `relax` works on one pair of parts after the other.
  void fill(std::span<const ContactRow> rows, const Compliance& compliance, Threads& threads,
            const LowRank& learnt = {});

  /// Solves the complementarity problem, starting from the forces that the rows are assumed to
  /// have.
  void relax(std::span<ContactRow> rows, int most_sweeps, Threads& threads);
  /// The rows that have forces after `relax`, ascending.
  std::span<const int> members() const { return members_; }

  /// right becomes (C + K^-1)^-1 right, without what was learnt, up to a residual of `part` times
  /// the right-hand side, in the norm of the preconditioner. The result is never too long: with r
  /// the right-hand side,
  ///   r . result <= r . (C + K^-1)^-1 r
  /// but for rounding, so that directions made with it lead down.
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
    int touched;  ///< place of a vertex that touches
    int of_pair;  ///< the same among those of its pair
    float weight;
  };
  /// The touching vertices of one part, and A^-1 between them.
  struct Part {
    std::size_t of_touched;      ///< into touched_
    std::size_t first, count;    ///< places
    std::size_t stride, matrix;  ///< into matrices_, [count * stride]
  };
  /// Rows of one kind between two parts, or between a part and what does not move.
  struct Block {
    std::size_t first, count;  ///< into order_
    std::size_t system;        ///< into systems_, [count * count]; the same in inverses_
    bool is_factored;
  };
  /// The vertices of one part that touch in a pair, and A^-1 between them.
  struct Side {
    std::size_t columns, count;  ///< into columns_
    std::size_t stride;          ///< of its matrix
    std::size_t place;           ///< of the first one in its pair
    bool is_whole;               ///< all that touch of that part
    std::size_t near;            ///< [count * stride], into matrices_ if is_whole, else into near_
  };
  /// All blocks between the same two parts.
  struct Pair {
    std::size_t first, count;  ///< into blocks_
    std::size_t first_place;   ///< into the lists of three numbers for each place
    int parts[2];              ///< twice the same if there is one
    Side sides[2];             ///< the second without columns if there is one part
    std::size_t num_places() const { return sides[1].place + sides[1].stride; }
  };
  /// The key by which rows are sorted.
  struct Key {
    int parts[2];
    RowKind kind;
    int touched, row;
  };
  void number_vertices(std::span<const ContactRow> rows, const Compliance& compliance,
                       Threads& threads);
  void sort_rows(std::span<const ContactRow> rows);
  void make_blocks();
  void list_columns(Pair& pair);
  void order_pairs();
  void fill_pair(const Pair& pair);
  void fill_block(const Pair& pair, Block& block);
  float between(const Pair& pair, const Row& a, const Row& b) const;
  template <class Place>
  float moved(const Row& own, const float* x, std::size_t stride, const Place& place) const;
  float relax_pair(const Pair& pair, std::span<ContactRow> rows);
  float learnt_between(std::size_t a, std::size_t b) const;
  float learnt_moves(std::size_t row) const;
  void learn(std::size_t row, float change);
  const float* near(const Side& side) const {
    return (side.is_whole ? matrices_ : near_).data() + side.near;
  }
  void move_by_block(const Side& side, const float* f, std::size_t stride, float* x) const;
  float relax_block(const Block& block, std::span<ContactRow> rows, float* residual,
                    float* change) const;
  void solve_block(const Block& block, const float* right, float* result) const;
  void multiply(const std::vector<float>& forces, std::vector<float>& result, Threads& threads);
  void precondition(const std::vector<float>& right, std::vector<float>& result, Threads& threads);

  const FrontKernels* front_kernels_ = &front_kernels(simd_level_in_use());
  const ContactKernels* kernels_ = &contact_kernels(simd_level_in_use());
  std::vector<int> touched_of_vertex_;        ///< [num_vertices], -1: it does not touch
  std::vector<std::pair<int, int>> touched_;  ///< (part, vertex), ascending
  /// The part of each place. A part has as many places as its matrix has rows, with the padding.
  std::vector<int> part_of_touched_;
  std::vector<Part> parts_;
  std::vector<float> matrices_;
  std::vector<Row> rows_;
  std::vector<Corner> corners_;
  std::vector<Key> keys_;   ///< of the rows
  std::vector<int> order_;  ///< of the rows: block after block
  std::vector<Block> blocks_;
  std::vector<Pair> pairs_;
  std::vector<int> next_round_of_;           ///< of each part, in order_pairs
  std::vector<int> round_of_, by_round_;     ///< of each pair; pairs, round after round
  std::vector<std::size_t> first_of_round_;  ///< [rounds + 1], into by_round_
  std::vector<int> columns_;                 ///< places
  std::vector<float> near_;
  std::vector<float> systems_, inverses_, fronts_;
  std::vector<float> forces_, moved_;  ///< [3][places], N and m
  LowRank learnt_;
  std::vector<double> learnt_factors_;  ///< its `right` times the changes of forces, m
  /// For each pair [3][its places]: forces of one block and of all, N, and displacements, m.
  std::vector<float> block_forces_, pair_forces_, pair_moved_;
  std::vector<float> largest_;  ///< of each pair: the largest change of a gap, m
  std::vector<float> solution_, search_, product_, preconditioned_, rest_;  ///< of `solve`, by rows
  std::vector<int> members_;
  int num_products_ = 0;
};

}  // namespace supple

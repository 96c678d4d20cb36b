#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/index.h"
#include "contact/contact_energy.h"
#include "descent/contact_kernels.h"
#include "linear/front.h"
#include "math/vec3.h"
#include "math/vector_field.h"

namespace supple {

/// What a row of the contacts' system stands for.
enum class RowKind {
  push,            ///< a contact along its normal: it pushes and does not pull
  push_beyond,     ///< what it pushes on top of that beyond its soft depth
  friction_first,  ///< friction along the first tangent: a spring both ways
  friction_second  ///< along the second one
};

/// A contact, or one direction of its friction, as the model of g sees it.
struct ContactRow {
  ContactPoint point;
  int place, collider;  ///< as in Contact
  RowKind kind;
  Vec3 direction;     ///< normal or tangent, unit
  double stiffness;   ///< of the unknown, N/m
  double added;       ///< beyond soft_depth, N/m; 0 of what is that
  double soft_depth;  ///< m
  double in_matrix;   ///< its stiffness there, N/m; 0: it is not
  bool is_barrier;    ///< its spring changes with the iterate
  bool is_at_z;       ///< a barrier that touches there, and not only at z + p
  double plane;       ///< direction . z where the gap is zero, m
  double gap;         ///< at z + p, m
  double assumed;     ///< f, N
  double force;       ///< l, N

  bool only_pushes() const { return kind == RowKind::push || kind == RowKind::push_beyond; }
  /// Of a gap, m: N.
  double force_at(double at_gap) const {
    return -stiffness * (only_pushes() ? std::min(0.0, at_gap) : at_gap);
  }
  /// A barrier that is not found touching pushes nothing, whatever its last spring would.
  void leave_barrier() {
    if (is_barrier) gap = std::max(0.0, gap);
  }
  /// The force that it may have, N.
  double allowed(double wanted) const { return only_pushes() ? std::max(0.0, wanted) : wanted; }
};

/// n . x of a point.
inline double along(const Vec3& normal, const ContactPoint& point, const VectorField& x) {
  return vec3::dot(normal, point.position(x[0].v));
}

/// Adds a force along n at a point to its vertices.
inline void add_force(double force, const Vec3& normal, const ContactPoint& point,
                      VectorField& sum) {
  for (int i = 0; i < point.count; ++i) {
    PaddedVector& own = sum[at(point.vertices[i])];
    for (int k = 0; k < 3; ++k) own[k] += point.weights[i] * (force * normal[at(k)]);
  }
}

/// The dense system (C + K^-1) l = r of contacts and its complementarity problem
/// (contact_matrix.h).
///
/// C_ij is the compliance between two points times d_i . d_j, the same compliance for x, y and z.
/// Rows whose directions are at right angles therefore do not see each other. Where all directions
/// are, to rounding, those of one frame, the system falls into three blocks, each with a factor and
/// sweeps of its own: on a plane, in a box and in an upright stack the normals are one block and
/// both tangents of friction another two, which costs three times a system of the normals alone
/// instead of 27 times.
class ContactSystem {
 public:
  /// Of a block at most: its cost grows with their cube.
  static constexpr std::size_t most_rows = 512;

  /// For systems of no more than so many rows; most_coupled: of one block of all directions.
  /// Afterwards only `fill` allocates, where directions are coupled: to hold more than ever before.
  void make_room(std::size_t rows, std::size_t most_coupled = most_rows);
  std::size_t capacity() const { return is_coupled_ ? coupled_capacity_ : capacity_; }
  std::size_t largest_capacity() const { return coupled_capacity_; }

  /// Whether compliances couple all directions, as those of bodies that do not deform do: then one
  /// block holds all rows.
  void couple_directions(bool is_coupled) { is_coupled_ = is_coupled; }

  /// Takes a frame of these rows' directions.
  void choose_frame(std::span<const ContactRow> rows);
  /// Whether a direction is one of the frame.
  bool is_in_frame(const Vec3& direction) const { return axis_of(direction) >= 0; }
  /// Which rows there is room for, the first ones before later ones: 1, else 0, of each. The first
  /// `kept`, which had room by this frame already, all have.
  void find_fitting(std::span<const ContactRow> rows, std::size_t kept, std::vector<char>& fits);

  /// Sets up the system of rows that fit: row i is about point point_of[i], and `between` is the
  /// compliance of points, m/N: [num_points * num_points], row by row.
  void fill(std::span<const ContactRow> rows, std::span<const int> point_of,
            std::span<const double> between, std::size_t num_points);

  /// Adds product(i, j), m/N, to C_ij of the rows that the system was filled with; where directions
  /// are coupled alone.
  template <class Product>
  void add_to_compliance(const Product& product) {
    Block& block = blocks_[0];
    const std::size_t n = block.rows.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const auto own = static_cast<float>(product(static_cast<std::size_t>(block.rows[i]),
                                                    static_cast<std::size_t>(block.rows[j])));
        block.system[i * n + j] += own;
        if (j < i) block.system[j * n + i] += own;
      }
    }
  }

  /// Adds sum_k left_ik right_jk, m/N, to C_ij: [rows][count] of all rows; where directions are
  /// coupled alone.
  void make_room_for_products(std::size_t count) { products_.reserve(count * coupled_capacity_); }
  void add_products(std::span<const double> left, std::span<const double> right, std::size_t count);
  /// The rows' gaps are those without any force, and become those with the assumed ones; where
  /// directions are coupled alone.
  void start_from_assumed(std::span<ContactRow> rows);

  /// Solves the complementarity problem from the forces that the rows are assumed to have by
  /// projected Gauss-Seidel sweeps.
  void relax(std::span<ContactRow> rows);
  /// From the rows that push to those that do in the solution, by a primal-dual active set. The
  /// factor is that of `members` afterwards, to be kept for `solve`, or made for this alone in a
  /// third of the time. False: a block could not be factorised.
  bool find_set(std::span<ContactRow> rows, bool is_kept = true);
  /// The rows with forces, ascending. Valid until the next `relax` or `find_set`.
  std::span<const int> members() const { return members_; }

  /// Factorises the system of all rows. False: it is not positive definite.
  bool factor_all();
  /// right becomes (C + K^-1)^-1 right, of the rows that were factorised last.
  void solve(std::span<double> right);

 private:
  /// Rows that see each other.
  struct Block {
    std::vector<int> rows;      ///< ascending
    std::vector<int> members;   ///< into rows, ascending
    std::size_t size = 0;       ///< of the factor
    std::vector<float> system;  ///< C + K^-1 of rows, m/N
    bool is_inverse = false;    ///< the factor is L^-1
    std::vector<float> factor;  ///< L or L^-1, column-major
    std::vector<float> right;
  };
  static void make_room(Block& block, std::size_t rows);
  int axis_of(const Vec3& direction) const;
  void relax(Block& block, std::span<ContactRow> rows);
  bool find_set(Block& block, std::span<ContactRow> rows, bool is_kept);
  bool factor(Block& block, bool is_kept);
  void solve(Block& block);
  void gather_members();

  const FrontKernels* front_kernels_ = &front_kernels(simd_level_in_use());
  const ContactKernels* kernels_ = &contact_kernels(simd_level_in_use());
  std::size_t capacity_ = 0, coupled_capacity_ = 0;
  bool is_coupled_ = false;
  Vec3 frame_[3] = {};
  std::array<Block, 3> blocks_;
  std::vector<signed char> block_of_row_;     ///< of rows
  std::vector<signed char> block_of_factor_;  ///< of the rows that are factorised
  std::vector<int> members_;                  ///< into rows
  std::vector<int> next_;                     ///< into a block's rows
  std::vector<float> gap_;                    ///< of the complementarity problem, m
  std::vector<float> free_gap_;               ///< u, m
  std::vector<float> front_, work_;
  std::vector<float> products_;     ///< [count][rows]
  std::vector<double> directions_;  ///< of a block's rows: [3][rows]
  std::vector<int> points_;         ///< of a block's rows
};

}  // namespace supple

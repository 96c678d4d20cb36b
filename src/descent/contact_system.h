#pragma once

#include <algorithm>
#include <array>
#include <cmath>
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
  push_beyond,     ///< its additional push beyond its soft depth
  friction_first,  ///< friction along the first tangent: a spring that pushes and pulls
  friction_second  ///< friction along the second tangent
};

/// A contact, or one direction of its friction, as the model of g sees it.
struct ContactRow {
  ContactPoint point;
  int place, collider;  ///< as in Contact
  RowKind kind;
  Vec3 direction;     ///< normal or tangent, unit
  double stiffness;   ///< with respect to the unknown, N/m
  double added;       ///< stiffness beyond soft_depth, N/m; 0 for push_beyond and friction
  double soft_depth;  ///< m
  double in_matrix;   ///< its stiffness in the matrix, N/m; 0: it is not in it
  bool is_barrier;    ///< its spring changes with the iterate
  bool is_at_z;       ///< a barrier that was found at z, and not only at z + p
  double plane;       ///< direction . z where the gap is zero, m
  /// Largest force of friction, N; 0 for a spring that has none.
  double most;
  double gap;      ///< at z + p, m
  double assumed;  ///< f, N
  double force;    ///< l, N

  bool only_pushes() const { return kind == RowKind::push || kind == RowKind::push_beyond; }
  /// The force at a gap (m), N.
  double force_at(double at_gap) const { return allowed(-stiffness * at_gap); }
  /// A barrier that is not found touching does not push, whatever its last spring would do.
  void leave_barrier() {
    if (is_barrier) gap = std::max(0.0, gap);
  }
  /// Whether its force is within its bounds.
  bool is_free() const { return only_pushes() ? force > 0 : !(most > 0) || std::abs(force) < most; }
  /// The force nearest to `wanted` that the row can have, N.
  double allowed(double wanted) const {
    if (only_pushes()) return std::max(0.0, wanted);
    return most > 0 ? std::clamp(wanted, -most, most) : wanted;
  }
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

/// A symmetric matrix of low rank between rows, left right^T, m/N.
struct LowRank {
  std::span<const double> left{}, right{};  ///< [rows][count]
  std::size_t count = 0;
};

/// The dense system (C + K^-1) l = r of contacts and its complementarity problem
/// (contact_matrix.h).
///
/// C_ij is the compliance between two points times d_i . d_j, where d are the directions of the
/// rows. The compliance is the same for x, y and z, so rows whose directions are at right angles do
/// not see each other. If all directions are, to rounding, those of one frame, the system falls
/// into three blocks, each with its own factor and sweeps. On a plane, in a box and in an upright
/// stack, the normals are one block and the two tangents of friction are two others. That costs
/// three times a system of the normals alone, instead of 27 times.
class ContactSystem {
 public:
  /// Most rows of a block: its cost grows with their cube.
  static constexpr std::size_t most_rows = 512;

  /// Makes room for systems of up to so many rows. Nothing else allocates afterwards.
  void make_room(std::size_t rows);
  /// Rows for which each of three blocks has room.
  std::size_t capacity() const { return capacity_; }
  /// Rows for which a block has room if the other two have none: the three share their memory.
  std::size_t capacity_of_one() const { return capacity_of_one_; }

  /// Whether compliances couple all directions, as they do in bodies that do not deform. If so, one
  /// block holds all rows.
  void couple_directions(bool is_coupled) { is_coupled_ = is_coupled; }

  /// Chooses a frame from these rows' directions.
  void choose_frame(std::span<const ContactRow> rows);
  /// The axis of the frame along which a direction is: 0, 1, 2, or -1: none.
  int axis_of(const Vec3& direction) const;
  bool is_in_frame(const Vec3& direction) const { return axis_of(direction) >= 0; }
  const Vec3& axis(int number) const { return frame_[number]; }
  /// Leaves fits[i] at 1 if there is room for row i, otherwise sets it to 0; earlier rows go first.
  /// The first `kept` rows all have room: they had it in this frame before. most_of_axis: rows that
  /// a block may have where there are three.
  void find_fitting(std::span<const ContactRow> rows, std::size_t kept, std::size_t most_of_axis,
                    std::vector<char>& fits);

  /// Sets up the system of rows that fit. Row i is at point point_of[i]. between: the compliance
  /// between points, m/N: [num_points * num_points], row by row.
  void fill(std::span<const ContactRow> rows, std::span<const int> point_of,
            std::span<const double> between, std::size_t num_points);

  /// Adds product(i, j), m/N, to C_ij of the rows that the system was filled with. Only if
  /// directions are coupled.
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

  void make_room_for_products(std::size_t count) { products_.reserve(count * capacity_); }
  /// Adds a matrix between all rows to C. Only if directions are coupled.
  void add(const LowRank& matrix);

  /// Solves the complementarity problem by projected Gauss-Seidel sweeps, starting from the forces
  /// that the rows are assumed to have.
  void relax(std::span<ContactRow> rows);
  /// Finds the rows that push in the solution by a primal-dual active set, starting from those that
  /// push now. The factor is then that of `members`. is_kept: `solve` will use it; otherwise it is
  /// made in a third of the time. False: a block could not be factorised.
  bool find_set(std::span<ContactRow> rows, bool is_kept = true);
  /// The rows with forces, ascending. Valid until the next `relax` or `find_set`.
  std::span<const int> members() const { return members_; }

  /// Factorises the system of all rows. False: it is not positive definite.
  bool factor_all();
  /// right becomes (C + K^-1)^-1 right, for the rows that were factorised last.
  void solve(std::span<double> right);

 private:
  /// Rows that see each other.
  struct Block {
    std::vector<int> rows;     ///< ascending
    std::vector<int> members;  ///< into rows, ascending
    std::size_t size = 0;      ///< of the factor
    float* system = nullptr;   ///< C + K^-1 of rows, m/N; in systems_
    bool is_inverse = false;   ///< the factor is L^-1
    float* factor = nullptr;   ///< L or L^-1, column-major; in factors_
    std::vector<float> right;
  };
  void relax(Block& block, std::span<ContactRow> rows);
  bool find_set(Block& block, std::span<ContactRow> rows, bool is_kept);
  bool factor(Block& block, bool is_kept);
  bool is_as_factored(const Block& block);
  void solve(Block& block);
  void gather_members();

  const FrontKernels* front_kernels_ = &front_kernels(simd_level_in_use());
  const ContactKernels* kernels_ = &contact_kernels(simd_level_in_use());
  std::size_t capacity_ = 0, capacity_of_one_ = 0;
  bool is_coupled_ = false;
  Vec3 frame_[3] = {};
  std::array<Block, 3> blocks_;
  std::vector<float> systems_, factors_;  ///< of the blocks, one behind the other
  /// The lower half of the system whose L^-1 is the factor of the first block, column after column,
  /// and its size; 0: there is none.
  std::vector<float> factored_;
  std::size_t factored_size_ = 0;
  std::vector<signed char> block_of_row_;     ///< of rows
  std::vector<signed char> block_of_factor_;  ///< of the rows that are factorised
  std::vector<int> members_;                  ///< into rows
  std::vector<int> next_;                     ///< into a block's rows
  std::vector<float> gap_;                    ///< of the complementarity problem, m
  std::vector<float> free_gap_;               ///< u, m
  std::vector<float> set_forces_;             ///< of a block's rows, as an active set has them, N
  std::vector<float> front_, work_;
  std::vector<float> products_;     ///< [count][rows]
  std::vector<double> directions_;  ///< of a block's rows: [3][rows]
  std::vector<int> points_;         ///< of a block's rows
};

}  // namespace supple

#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "descent/aligned_contacts.h"
#include "descent/contact_blocks.h"
#include "descent/contact_system.h"
#include "descent/laplacian.h"
#include "descent/learnt_compliance.h"
#include "descent/matrix_free_contacts.h"

namespace supple {

/// The constant matrix A = M/a^2 + L with the contacts in it:
///   p = -(A + N K N^T)^-1 grad g.
/// N has a column for each contact of a step: its normal at its vertex or, with their weights, at
/// the vertices of its edge or face. K holds the stiffnesses of the contacts.
///
/// A is constant, so its compliance is too: the entries of A^-1 between vertices that touch are
/// found once and kept (descent/compliance.h), some of them in earlier steps. C_ij is the entry for
/// contacts i and j (their weighted sum, if a contact has several vertices), times n_i . n_j. With
/// H = A^-1, the identity of Sherman, Morrison and Woodbury
///   (A + N K N^T)^-1 = H - H N (C + K^-1)^-1 N^T H            [Golub & Van Loan 2013, sec. 2.1.4]
/// costs a dense system of the size of the contacts, solved half way through the solve (without a
/// factor in which to stop half way, it costs a second solve). The result is stiff along the
/// normals and free along the surface. If H is another symmetric positive definite matrix than
/// A^-1 (linear/multigrid.h), the same holds with H^-1 for A.
///
/// A direction p, of any descent method, treats each contact in the matrix as a spring that pulls
/// as well as pushes, and knows nothing of vertices that it moves inside. If that matters,
/// `respect_contacts` takes the contacts' parts out of p and replaces it by the minimum of
///   (p' - p) . A (p' - p)/2 + sum_i k_i/2 min(0, d_i + n_i . p')^2.
/// This is p' = p + H N (l - f), with p the direction before. f are the forces that p assumes at
/// the contacts, and l >= 0 solves
///   (C + K^-1) l + u >= 0 with equality where l > 0,  u = d + N^T p - C f,
/// a linear complementarity problem of the size of the contacts. Projected Gauss-Seidel sweeps
/// solve it, starting from f. In the first direction of a step, which assumes no forces, a
/// primal-dual active set [Hintermueller, Ito & Kunisch 2003] goes on from what the sweeps found.
/// The contacts that push in that direction are in the matrix from then on. When many others come
/// to push, the contacts in the matrix are chosen again.
///
/// Friction is in the matrix too, as springs along both tangents. They have the force of friction
/// at the iterate and no less energy than friction elsewhere. They pull as well as push, so the
/// complementarity holds with their l of any sign.
///
/// When contacts keep changing, L-BFGS leaves them out of the matrix (`leave_out`). Its pairs are
/// then made from the gradient of the rest of g. H, which is A^-1 plus what the pairs have learnt
/// (LinearPairs), takes the place of A^-1 in the complementarity problem: p = -H grad + H N l
/// (`push`). The first forces are kept as constant ones, `held_`, so that later forces are small
/// differences from them. Each direction goes on from the forces of the last one. A direction can
/// bring together what touches neither at z nor at z + p before: `push` looks at its end, adds what
/// it finds there, and solves again.
class ContactMatrix final : public ConstantDirection {
 public:
  ContactMatrix(const Model& model, double inverse_a2, Weights weights = Weights::constant,
                const Earlier<Laplacian>& earlier = {});
  /// Around a matrix that it does not own: the owner tells that matrix of steps, pins and
  /// materials.
  ContactMatrix(const Model& model, Laplacian& shared);
  Laplacian* constant_matrix() override { return &inner_; }
  ContactMatrix* contact_matrix() override { return this; }
  bool can_select(const Objective& objective) const override {
    return inner_.can_select(objective);
  }
  void pins_changed(const PinChange& change) override {
    if (own_) own_->pins_changed(change);
  }
  void materials_changed(const MaterialChange& change) override {
    if (own_) own_->materials_changed(change);
  }
  void begin_step(Objective& objective) override;
  bool set_apart(const Objective& objective, const VectorField& x) override {
    return inner_.set_apart(objective, x);
  }
  void settle(const Objective& objective, VectorField& z) override { inner_.settle(objective, z); }
  bool restart() override;
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;
  bool compute_unfinished(Objective& objective, const Iterate& at, VectorField& p) override;
  Respect respect_contacts(Objective& objective, const Iterate& at, VectorField& p) override;
  void finish(int first, int last, VectorField& p) const override {
    if (!is_whole_) inner_.finish(first, last, p);
  }

  bool found_contacts() const override { return found_ahead_; }

  /// Whether contacts are left out of the matrix, for pairs that know nothing of them.
  bool is_left_out() const { return is_left_out_; }
  /// Makes room for leaving contacts out, with these pairs.
  void make_room_for(const LinearPairs& pairs);
  /// Leaves contacts of bodies that deform out of the matrix from now on. False if a surface gives
  /// way, or if this step has tried it often.
  bool leave_out(const Objective& objective);
  /// As compute_unfinished, for g with constant forces in place of its contacts. `gradient` becomes
  /// the gradient of that.
  bool compute_without(Objective& objective, const Iterate& at, VectorField& gradient,
                       VectorField& p);
  /// Adds what contacts do to p, which the pairs have made from that gradient. False if the
  /// compliance has no room for their vertices or a surface gives way; then they are in the matrix
  /// again.
  bool push(Objective& objective, const Iterate& at, LinearPairs& pairs, VectorField& p);
  /// Makes the forces of the last `push` the constant ones, also in `gradient`, for empty pairs.
  void hold_forces(VectorField& gradient);

  /// Contacts in the matrix.
  int num_active() const { return static_cast<int>(active_.size()); }

 private:
  /// How wrong a direction may be in its contacts, as a part of the decrease that it promises.
  static constexpr double harmless = 0.05;

  /// A point that touches, shared by the rows of all its directions.
  struct Point {
    int place, count;  ///< as in Contact; number of vertices
    int row;           ///< one of its rows, into touching_
    int first;         ///< into corners_
    int next;          ///< another point with the same first vertex; -1: none
  };
  struct Corner {
    const float* entries;  ///< Compliance::row
    std::size_t slot, part;
    double weight;
  };
  /// What RigidMatrix makes of the forces of a row, in one part that they move.
  struct RigidPart {
    std::size_t part, first;  ///< into rigid_values_
  };
  class Forces;
  void make_room(const Objective& objective);
  static bool reaches_beyond(const Contact& own);
  static ContactRow row_of(const Contact& own, RowKind kind, const VectorField& z, double stage,
                           bool will_move);
  template <class Touching>
  ContactRow* find(const Touching& other, RowKind kind, std::size_t count);
  void find_places();
  void forget_places();
  void gather_friction(const ContactEnergy& contact, const VectorField& z, std::size_t num_active);
  void add(const ContactRow& own);
  double gather(Objective& objective, const Iterate& at, const VectorField& p);
  double see_end(Objective& objective, const Iterate& at, const VectorField& p);
  void respond(Objective& objective, LinearPairs& pairs, VectorField& p);
  void look_ahead(const Objective& objective, int last_directions);
  void keep_room();
  void take_in();
  static bool gives_way(const Objective& objective);
  bool add_beyond();
  bool all_fit(std::size_t kept);
  void keep_fitting(std::size_t kept);
  void find_corners();
  double between(const Point& a, const Point& b) const;
  bool vertices_fit();
  std::size_t most_of_axis() const;
  bool choose_many();
  /// How the system of rows is held for which there is no room in system_.
  enum class ManyKind { aligned, matrix_free, blocks };
  struct Many {
    ManyKind kind = ManyKind::blocks;
    AlignedContacts aligned;
    MatrixFreeContacts matrix_free;
    ContactBlocks blocks;
    std::span<const int> members() const {
      return kind == ManyKind::aligned       ? aligned.members()
             : kind == ManyKind::matrix_free ? matrix_free.members()
                                             : blocks.members();
    }
  };
  void fill_system(Many& many, Threads& threads, const LowRank& learnt = {});
  void add_rigid();
  void find_forces(Threads& threads);
  std::span<const int> members() const { return are_many_ ? many_.members() : system_.members(); }
  bool solve_active(Threads& threads);
  void add_response(Objective& objective, std::span<const ContactRow> contacts, VectorField& p);

  std::unique_ptr<Laplacian> own_;
  Laplacian& inner_;
  int choices_ = 0;           ///< times that contacts were chosen in this step
  bool is_barrier_ = false;   ///< contacts are barriers
  bool is_alone_ = false;     ///< contacts do nothing to directions any more
  bool is_thorough_ = false;  ///< forces of many contacts are found with more sweeps
  int num_directions_ = 0;    ///< since the last look ahead
  bool found_ahead_ = false;  ///< the contacts found last are those at x + p, which is in `ahead`
  bool is_left_out_ = false;  ///< contacts are left out of the matrix
  int times_left_out_ = 0;    ///< in this step
  bool left_out_ = false;     ///< the last direction was made without the forces of contacts
  std::vector<ContactRow> touching_;
  std::vector<ContactRow> active_;  ///< in the matrix
  std::vector<ContactRow> pushed_;  ///< of the last `push`
  /// [num_vertices], the last row of touching_ with this first vertex, or -1
  std::vector<int> place_;
  std::vector<int> before_;  ///< of touching_, the row before with the same first vertex, or -1
  Compliance* compliance_ = nullptr;  ///< of the matrix
  std::size_t most_vertices_ = 0;     ///< of the contacts in a system
  VectorField right_, column_;
  VectorField bare_, end_;   ///< of `push`: p without forces, m, and z + p, m
  ContactSystem system_;     ///< of touching_
  Many many_, many_active_;  ///< of touching_ and active_, if there are too many for system_
  bool are_many_ = false, are_many_active_ = false;
  ManyKind many_kind_ = ManyKind::blocks;  ///< of touching_
  std::vector<std::size_t> vertices_of_part_;
  std::vector<double> values_;
  std::vector<int> ahead_;  ///< vertices
  std::vector<Point> points_;
  std::vector<Corner> corners_;
  std::vector<int> point_of_;           ///< of touching_, into points_
  std::vector<char> fits_;              ///< of touching_
  std::vector<RigidPart> rigid_parts_;  ///< row after row of touching_
  std::vector<int> first_rigid_;        ///< [rows + 1], into rigid_parts_
  std::vector<double> rigid_values_;
  std::vector<double> between_;  ///< A^-1 between points_, m/N
  HeldForces held_;
  LearntCompliance learnt_;
  bool is_factored_ = false;  ///< the system that was factorised last is that of active_
  bool is_whole_ = false;     ///< the last direction needs no `finish`
};

}  // namespace supple

#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "descent/contact_blocks.h"
#include "descent/contact_system.h"
#include "descent/laplacian.h"
#include "descent/learnt_compliance.h"

namespace supple {

/// The constant matrix A = M/a^2 + L with what touches in it: p = -(A + N K N^T)^-1 grad g, a
/// column of N for each contact of a step, its normal at its vertex or, with their weights, at
/// those of its edge or face, and K their stiffnesses.
///
/// A is constant, so its compliance is too: the entries of A^-1 between vertices that touch are
/// found once and kept (descent/compliance.h), some of them in the steps before. With C_ij those of
/// contacts i and j, times n_i . n_j (of several vertices their weighted sum), and H = A^-1 the
/// identity of Sherman, Morrison and Woodbury
///   (A + N K N^T)^-1 = H - H N (C + K^-1)^-1 N^T H            [Golub & Van Loan 2013, sec. 2.1.4]
/// costs a dense system of the size of the contacts, solved half way through the solve (or, without
/// a factor to stop in, a second solve): stiff in the direction of the normals, free along the
/// surface. Where H is another symmetric positive definite matrix than
/// A^-1 (linear/multigrid.h) this is the same for its inverse.
///
/// A direction p, of whatever descent, takes each contact of the matrix for a spring that pulls as
/// well as it pushes and knows nothing of vertices that it takes inside. Where that matters
/// (`respect_contacts`) p becomes the minimum of
///   (p' - p) . A (p' - p)/2 + sum_i k_i/2 min(0, d_i + n_i . p')^2
/// with the contacts' parts in p taken out: p' = p + H N (l - f), f being the forces that p takes
/// them to have and l >= 0 those that solve
///   (C + K^-1) l + u >= 0 with equality where l > 0,  u = d + N^T p - C f,
/// a linear complementarity problem of the size of the contacts: by projected Gauss-Seidel sweeps
/// from the forces that p takes them to have, and where p knows of none, in the first direction of
/// a step, by a primal-dual active set [Hintermueller, Ito & Kunisch 2003] from what the sweeps
/// found. The contacts that push in that direction are in the matrix from then on; where many
/// others come to push they are chosen again.
///
/// Friction is in it too, as the springs of both tangents that have its force at the
/// iterate and no less energy elsewhere. They pull as well as they push: the complementarity holds
/// with l of any sign.
///
/// Where contacts change all the time, L-BFGS leaves them out (`leave_out`): its pairs are made of
/// the gradient of the rest, and H, which is A^-1 and what they have learnt (LinearPairs), takes
/// the place of A^-1 in the complementarity problem: p = -H grad + H N l (`push`). The first forces
/// stay on as constant ones, `held_`, so that later ones are small differences from them.
class ContactMatrix final : public ConstantDirection {
 public:
  ContactMatrix(const Model& model, double inverse_a2, Weights weights = Weights::constant,
                const Earlier<Laplacian>& earlier = {});
  /// Around the matrix of somebody else, who tells it of steps, pins and materials.
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

  /// In this step nothing that touches is in the matrix: it is that of pairs that know nothing of
  /// contacts.
  bool is_left_out() const { return is_left_out_; }
  /// Makes room for that, with these pairs.
  void make_room_for(const LinearPairs& pairs);
  /// Leaves out what touches from now on: soft contacts of bodies that deform. False: they are too
  /// many, a surface gives way, or this step has tried it often.
  bool leave_out(const Objective& objective);
  /// As compute_unfinished, of g without what touches, under constant forces in its place:
  /// `gradient` becomes that.
  bool compute_without(Objective& objective, const Iterate& at, VectorField& gradient,
                       VectorField& p);
  /// Adds to p, which the pairs have made of that, what contacts do. False: they are too many, or
  /// a surface gives way, and they are in the matrix again from now on.
  bool push(Objective& objective, const Iterate& at, LinearPairs& pairs, VectorField& p);
  /// The forces of the last `push` are the constant ones from now on, for pairs that are empty.
  void hold_forces(Objective& objective, VectorField& gradient);

  /// Contacts in the matrix.
  int num_active() const { return static_cast<int>(active_.size()); }

 private:
  /// What touches, once for all its directions.
  struct Point {
    int place, count;  ///< as in Contact, and its vertices
    int row;           ///< one of it, into touching_
    int first;         ///< into corners_
    int next;          ///< of the same first vertex; -1: none
  };
  struct Corner {
    const float* entries;  ///< Compliance::row
    std::size_t slot, part;
    double weight;
  };
  /// Of a row, what RigidMatrix gives of its forces, for each part that moves with them.
  struct RigidPart {
    std::size_t part, first;  ///< into rigid_values_
  };
  class Forces;
  void make_room(const Objective& objective);
  ContactRow* find(const Contact& contact, RowKind kind, std::size_t count);
  void gather_friction(const ContactEnergy& contact, const VectorField& z, std::size_t num_active);
  void add(const ContactRow& own);
  double gather(Objective& objective, const Iterate& at, const VectorField& p);
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
  void fill_system(ContactBlocks& blocks, Threads& threads);
  void add_rigid();
  void find_forces(Threads& threads);
  std::span<const int> members() const { return are_many_ ? blocks_.members() : system_.members(); }
  void solve_active(Threads& threads);
  void add_response(Objective& objective, std::span<const ContactRow> contacts, VectorField& p);

  std::unique_ptr<Laplacian> own_;
  Laplacian& inner_;
  int choices_ = 0;           ///< in this step
  bool is_barrier_ = false;   ///< contacts are
  bool is_alone_ = false;     ///< they do nothing to directions any more
  bool is_thorough_ = false;  ///< forces of many contacts are found with more sweeps
  int num_directions_ = 0;    ///< since the last look ahead
  bool found_ahead_ = false;  ///< the contacts at x + p, which is where a direction may leave it
  bool is_left_out_ = false;  ///< what touches is
  int times_left_out_ = 0;    ///< in this step
  bool left_out_ = false;     ///< the last direction was made without the forces of what touches
  std::vector<ContactRow> touching_;
  std::vector<ContactRow> active_;  ///< in the matrix
  /// [num_vertices], last in touching_ of those whose first vertex it is, or -1
  std::vector<int> place_;
  std::vector<int> before_;  ///< of touching_, the one before it of the same first vertex, or -1
  Compliance* compliance_ = nullptr;  ///< of the matrix
  std::size_t most_vertices_ = 0;     ///< of the contacts in a system
  VectorField right_, column_;
  ContactSystem system_;         ///< of touching_
  ContactBlocks blocks_;         ///< the same where they are too many for it
  ContactBlocks active_blocks_;  ///< of active_, where they are
  bool are_many_ = false, are_many_active_ = false;
  std::vector<std::size_t> vertices_of_part_;
  std::vector<double> values_;
  std::vector<int> ahead_;  ///< vertices
  std::vector<Point> points_;
  std::vector<Corner> corners_;
  std::vector<int> point_of_;           ///< of touching_, into points_
  std::vector<char> fits_;              ///< of touching_
  std::vector<RigidPart> rigid_parts_;  ///< of the rows of touching_, one after the other
  std::vector<int> first_rigid_;        ///< [rows + 1], into rigid_parts_
  std::vector<double> rigid_values_;
  std::vector<double> between_;  ///< A^-1 between points_, m/N
  HeldForces held_;
  LearntCompliance learnt_;
  bool is_factored_ = false;  ///< the dense system is that of active_
  bool is_whole_ = false;     ///< the last direction wants no `finish`
};

}  // namespace supple

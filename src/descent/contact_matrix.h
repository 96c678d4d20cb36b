#pragma once

#include <memory>
#include <vector>

#include "descent/laplacian.h"
#include "linear/front.h"

namespace supple {

/// The constant matrix A = M/a^2 + L with what touches in it: p = -(A + N K N^T)^-1 grad g, a
/// column of N for each contact of a step, its normal at its vertex, and K their stiffnesses.
///
/// A is constant, so its compliance is too: the entries of A^-1 between vertices that touch are
/// found once, by a solve for three vertices, and kept while they touch. With C_ij those of
/// contacts i and j, times n_i . n_j, and H = A^-1 the identity of Sherman, Morrison and Woodbury
///   (A + N K N^T)^-1 = H - H N (C + K^-1)^-1 N^T H            [Golub & Van Loan 2013, sec. 2.1.4]
/// costs a second solve and a dense system of the size of the contacts: stiff in the direction of
/// the normals, free along the surface. Where H is another symmetric positive definite matrix than
/// A^-1 (linear/multigrid.h) this is the same for its inverse.
///
/// A direction p, of whatever descent, takes each contact of the matrix for a spring that pulls as
/// well as it pushes and knows nothing of vertices that it takes inside. Where that matters
/// (`respect_contacts`) p becomes the minimum of
///   (p' - p) . A (p' - p)/2 + sum_i k_i/2 min(0, d_i + n_i . p')^2
/// with the contacts' parts in p taken out: p' = p + H N (l - f), f being the forces that p takes
/// them to have and l >= 0 those that solve
///   (C + K^-1) l + u >= 0 with equality where l > 0,  u = d + N^T p - C f,
/// a linear complementarity problem of the size of the contacts, by a primal-dual active set
/// [Hintermueller, Ito & Kunisch 2003]. The contacts that push in the first direction of a step are
/// in the matrix from then on; where many others come to push they are chosen again.
class ContactMatrix final : public Direction {
 public:
  ContactMatrix(const Model& model, double inverse_a2);
  /// Around the matrix of somebody else, who tells it of steps, pins and materials.
  ContactMatrix(const Model& model, Laplacian& shared);
  Laplacian* constant_matrix() override { return &inner_; }
  bool is_linear() const override { return true; }
  void pins_changed(const PinChange& change) override {
    if (own_) own_->pins_changed(change);
  }
  void materials_changed(const MaterialChange& change) override {
    if (own_) own_->materials_changed(change);
  }
  void begin_step(Objective& objective) override;
  bool restart() override;
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;
  bool compute_unfinished(Objective& objective, const Iterate& at, VectorField& p) override;
  Respect respect_contacts(Objective& objective, const Iterate& at, VectorField& p) override;
  void finish(int first, int last, VectorField& p) const override { inner_.finish(first, last, p); }

  /// Contacts in the matrix.
  int num_active() const { return static_cast<int>(active_.size()); }

 private:
  /// A contact as the model of g sees it.
  struct Touching {
    int vertex, collider;
    int slot;  ///< of the vertex in the compliances
    Vec3 normal;
    double stiffness;  ///< of the unknown, N/m
    double plane;      ///< n . z where the gap is zero, m
    double gap;        ///< at z + p, m
    double assumed;    ///< f, N
    double force;      ///< l, N
  };
  void make_room(const Objective& objective);
  Touching* find(const Contact& contact, std::size_t count);
  double gather(Objective& objective, const Iterate& at, const VectorField& p);
  void find_compliances(Objective& objective, const Iterate& at);
  void find_columns(Objective& objective, const Iterate& at, const int* vertices, int count);
  bool factor(const std::vector<int>& members);
  void solve(std::vector<double>& right) const;
  void find_forces();
  double compliance(const Touching& a, const Touching& b) const {
    const double along =
        a.normal[0] * b.normal[0] + a.normal[1] * b.normal[1] + a.normal[2] * b.normal[2];
    return along * compliance_[static_cast<std::size_t>(a.slot) * num_slots_ +
                               static_cast<std::size_t>(b.slot)];
  }

  std::unique_ptr<Laplacian> own_;
  Laplacian& inner_;
  const FrontKernels* kernels_;
  int choices_ = 0;        ///< in this step
  bool left_out_ = false;  ///< the last direction was made without the forces of what touches
  std::vector<Touching> touching_;
  std::vector<Touching> active_;  ///< in the matrix
  std::vector<int> place_;        ///< [num_vertices], first of a vertex in touching_, or -1
  // The compliances between vertices in slots.
  long version_ = -1;                ///< of the matrix that they are of
  std::vector<int> slot_of_vertex_;  ///< [num_vertices], -1: none
  std::vector<int> vertex_of_slot_;
  /// A^-1 of the vertices in slots: [slots][num_vertices], m/N. That between two vertices is the
  /// entry of the one with the smaller number, so that it is the same whichever touched first.
  std::unique_ptr<float[]> columns_;
  std::size_t num_slots_ = 0;
  std::vector<double> compliance_;  ///< between slots: [slots][slots], m/N
  VectorField right_, column_;
  // The dense system.
  std::vector<double> front_, inverse_;  ///< L^-1, column-major
  std::size_t size_ = 0;
  mutable std::vector<double> work_;
  std::vector<double> values_;
  std::vector<int> members_, next_;
  std::vector<double> free_gap_;  ///< u, m
  bool is_factored_ = false;      ///< the dense system is that of active_
};

}  // namespace supple

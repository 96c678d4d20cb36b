#pragma once

#include <array>
#include <span>
#include <vector>

#include "position/position_solver.h"
#include "position/positions.h"

namespace supple {

/// Pins and contacts of each vertex, projected together. The vertex keeps the impulse p, kg m, that
/// it has received from them. It replaces it by p_new = m (z - b), b = x - p/m, where z is the
/// minimum of
///   m/(2 a^2) |z - b|^2 + E_pins(z) + E_contacts(z),
/// a convex function of three numbers. The minimum is exact for pins alone; with contacts it is
/// found by Newton's method with backtracking (contact/contact_energy.h). A contact at a point
/// sum_i w_i x_i of an edge or a face is projected by itself, after the vertices, in the same way
/// with 1/m = sum_i w_i^2/m_i; its impulse p moves each vertex by w_i p/m_i. So M (z - y) is the
/// sum of all impulses, and a fixed point is a stationary point of g. Vertices without mass stay.
/// Positions can be floats; this computes in doubles, for the vertices concerned. Pins and contacts
/// hold a body to the world, so they keep no momentum. Allocates nothing after construction, except
/// when pins or colliders change.
template <class T>
class VertexConstraints {
 public:
  /// contact: null without colliders; it must outlive this, and so must `model`. keep: the next
  /// substep starts with the impulses of the last one. with_pins: false if something else holds the
  /// pins; left_out: vertices whose pins something else holds, [num_vertices], 0 or 1; empty: none.
  VertexConstraints(const Model& model, ContactEnergy* contact, bool keep = false,
                    bool with_pins = true, std::vector<char> left_out = {});

  /// Begins a substep: poses pins and colliders (it calls contact->begin_step); impulses are zero,
  /// or kept. `step.x_start` must outlive the substep.
  void begin(const PositionStep& step, Threads& threads);

  /// Adds M^-1 times the kept impulses to positions. Does nothing if none are kept.
  void apply_kept(Positions<T>& x) const;

  /// Chooses the contacts at x; called at the start of every iteration.
  void detect(const Positions<T>& x, Threads& threads);

  /// Projects every vertex that has a pin, a contact or an impulse.
  void project(Positions<T>& x, Threads& threads);

  /// The model's pins have changed. Their impulses begin at zero.
  void pins_changed();

  /// The colliders have changed; null: there are none. The next `begin` must be the first of a
  /// frame: impulses of contacts begin at zero.
  void contact_changed(ContactEnergy* contact);

  /// Number of vertices, and of points of edges and faces, in contact since the last `detect`.
  int num_contacts() const { return static_cast<int>(touching_.size()) + num_points_touching_; }

  /// Impulse of pins and of contacts at the vertex alone, kg m.
  Vec3 impulse(int vertex) const {
    const PaddedVector& p = impulse_[static_cast<std::size_t>(vertex)];
    return {p[0], p[1], p[2]};
  }

 private:
  /// Vertices per task.
  static constexpr int chunk_size = 256;

  /// A point of an edge or face.
  struct PointImpulse {
    int first_contact;   ///< -1: none at present
    ContactPoint point;  ///< where its last contact was
    Vec3 impulse;        ///< of contacts, kg m
  };

  /// A pinned point of the body.
  struct HeldPoint {
    PinnedPoint point;
    std::array<int, 4> vertices{};
    Vec3 impulse{0, 0, 0};  ///< kg m
  };

  void link_pins();
  void project_held(HeldPoint& own, Positions<T>& x);
  void list_visited();
  void link_points();
  const double* in_double(const Positions<T>& x);
  void lift(const Positions<T>& x);
  std::span<const Vec3> ways_of_points();
  double inverse_mass(const ContactPoint& point) const;
  void project_vertex(std::size_t vertex, Positions<T>& x);
  void project_points(Positions<T>& x, Threads& threads);
  void project_point(PointImpulse& own, Positions<T>& x);

  const Model* model_;
  ContactEnergy* contact_ = nullptr;  ///< null: no colliders
  bool keep_;
  bool with_pins_;
  std::vector<char> left_out_;
  double inverse_a2_ = 0;
  VectorField positions_;  ///< [num_vertices] if there are contacts and T is float
  VectorField impulse_;    ///< [num_vertices], kg m
  // The pins and contacts of a vertex are linked in their order; -1 ends the list.
  std::vector<int> first_pin_;      ///< [num_vertices]
  std::vector<int> next_pin_;       ///< [num_pins]
  std::vector<Vec3> pin_target_;    ///< [num_pins], m
  std::vector<int> first_contact_;  ///< [num_vertices]; empty without colliders
  std::vector<int> last_contact_;   ///< [num_vertices], for those that have one
  std::vector<int> next_contact_;   ///< [num_contacts]
  std::vector<int> pinned_;         ///< vertices with pins, ascending
  std::vector<HeldPoint> held_;     ///< [num_points]
  std::vector<int> touching_;       ///< vertices with contacts, each once
  std::vector<int> pushed_;         ///< those that can have an impulse from contacts
  std::vector<ContactEnergy::Pushed::Vertex> ways_;  ///< how far contacts moved these
  VectorField lifted_;        ///< [num_vertices] if there are contacts: where they were before
  std::vector<int> visited_;  ///< by `project`, each vertex once
  std::vector<PointImpulse> points_;  ///< [contact->num_points()], of the substep
  std::vector<Vec3> way_of_point_;    ///< how far contacts have pushed them, m
  int num_points_touching_ = 0;
};

extern template class VertexConstraints<double>;
extern template class VertexConstraints<float>;

}  // namespace supple

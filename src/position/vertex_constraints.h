#pragma once

#include <array>
#include <span>
#include <vector>

#include "position/position_solver.h"
#include "position/positions.h"

namespace supple {

/// Pins and contacts of each vertex, projected together: the vertex keeps the impulse p, kg m, that
/// it has got of them, and replaces it by p_new = m (z - b), b = x - p/m, where z is the minimum of
///   m/(2 a^2) |z - b|^2 + E_pins(z) + E_contacts(z),
/// a convex function of three numbers: exact for pins alone, by Newton's method with backtracking
/// where there are contacts (contact/contact_energy.h). A contact at a point sum_i w_i x_i of an
/// edge or a face is projected by itself, after the vertices, in the same way with
/// 1/m = sum_i w_i^2/m_i; of its impulse p each vertex moves by w_i p/m_i. So M (z - y) is the sum
/// of all impulses and a fixed point is a stationary point of g. Vertices without mass stay.
/// Positions may be in float; this computes in double, for the vertices concerned. Pins and
/// contacts hold a body to the world: they keep no momentum. After construction nothing allocates
/// but where pins or colliders change.
template <class T>
class VertexConstraints {
 public:
  /// contact: none without colliders; it must outlive this, as `model` must.
  /// keep: impulses of the last substep are those that the next one starts with.
  /// with_pins: false where pins are held by something else; left_out: vertices whose pins are,
  /// [num_vertices], 0 or 1; empty: none.
  VertexConstraints(const Model& model, ContactEnergy* contact, bool keep = false,
                    bool with_pins = true, std::vector<char> left_out = {});

  /// A new substep: poses pins and colliders (it calls contact->begin_step); impulses are zero, or
  /// kept. `step.x_start` must outlive the substep.
  void begin(const PositionStep& step, Threads& threads);

  /// Adds M^-1 times the impulses that are kept to positions; nothing where none are.
  void apply_kept(Positions<T>& x) const;

  /// Chooses the contacts at x: at the start of every iteration.
  void detect(const Positions<T>& x, Threads& threads);

  /// Projects every vertex that has a pin, a contact or an impulse.
  void project(Positions<T>& x, Threads& threads);

  /// The model's pins are others than before. Their impulses begin at zero.
  void pins_changed();

  /// Other colliders than before, or none, as in the constructor. The next `begin` must be the
  /// first of a frame: impulses of contacts begin at zero.
  void contact_changed(ContactEnergy* contact);

  /// Vertices, and points of edges and faces, in contact since the last `detect`.
  int num_contacts() const { return static_cast<int>(touching_.size()) + num_points_touching_; }

  /// Of pins and of contacts at the vertex alone, kg m.
  Vec3 impulse(int vertex) const {
    const PaddedVector& p = impulse_[static_cast<std::size_t>(vertex)];
    return {p[0], p[1], p[2]};
  }

 private:
  /// Vertices a task.
  static constexpr int chunk_size = 256;

  /// A point of an edge or face.
  struct PointImpulse {
    int first_contact;   ///< -1: none now
    ContactPoint point;  ///< where it has had one
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
  ContactEnergy* contact_ = nullptr;  ///< none: no colliders
  bool keep_;
  bool with_pins_;
  std::vector<char> left_out_;
  double inverse_a2_ = 0;
  VectorField positions_;  ///< [num_vertices] where there are contacts, in double
  VectorField impulse_;    ///< [num_vertices], kg m
  // Pins and contacts of a vertex are linked in their order; -1 ends.
  std::vector<int> first_pin_;      ///< [num_vertices]
  std::vector<int> next_pin_;       ///< [num_pins]
  std::vector<Vec3> pin_target_;    ///< [num_pins], m
  std::vector<int> first_contact_;  ///< [num_vertices]; empty without colliders
  std::vector<int> last_contact_;   ///< [num_vertices], of those that have one
  std::vector<int> next_contact_;   ///< [num_contacts]
  std::vector<int> pinned_;         ///< vertices with pins, ascending
  std::vector<HeldPoint> held_;     ///< [num_points]
  std::vector<int> touching_;       ///< vertices with contacts, each once
  std::vector<int> pushed_;         ///< those that contacts may have given an impulse to
  std::vector<ContactEnergy::Pushed::Vertex> lifted_;  ///< the same, with how far it moved them
  std::vector<int> visited_;                           ///< by `project`, each vertex once
  std::vector<PointImpulse> points_;  ///< [contact->num_points()]: those of the substep
  std::vector<Vec3> way_of_point_;    ///< what they have been pushed by, m
  int num_points_touching_ = 0;
};

extern template class VertexConstraints<double>;
extern template class VertexConstraints<float>;

}  // namespace supple

#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "model/model.h"
#include "sim/numbering.h"
#include "supple/attachment.h"
#include "supple/pose.h"
#include "supple/surface_hit.h"

namespace supple {

/// What an attachment holds, and where.
struct Grip {
  std::vector<int> vertices;    ///< in the scene's numbering
  std::vector<double> weights;  ///< weights of a point; empty: each vertex on its own
  std::vector<Vec3> targets;    ///< one per vertex, or one for a point, m
  double stiffness = 0;         ///< N/m
  /// If the vertices are tied to another body instead: one bond per vertex, between vertices of the
  /// scene.
  std::vector<PointBond> bonds{};

  bool is_point() const { return !weights.empty(); }
};

/// The attachments of a simulation: Simulation::attach and its like. In a model's pins they stand
/// after those of the scene; they own their targets. Vertices are those of the scene, so that a
/// copy holds another model with the same vertices in the same way.
class Attachments {
 public:
  // What can be held. All throw Error{invalid_input} naming the argument.

  static Grip of_vertices(const Model& model, int body, std::span<const int> vertices,
                          std::span<const Vec3> targets, double stiffness);
  static Grip of_hit(const Model& model, const Numbering& numbering, const SurfaceHit& hit,
                     const Vec3& target, double stiffness);
  static Grip of_tet(const Scene& scene, const Model& model, const Numbering& numbering, int tet,
                     const std::array<double, 4>& weights, const Vec3& target, double stiffness);

  Attachment add(Grip grip);
  void remove(Attachment attachment);
  bool contains(Attachment attachment) const;
  /// Whether any of them holds vertices at targets.
  bool has_targets() const { return !targets_.from.empty(); }

  /// Renumbers the vertices: vertex[i] is the new number of i, or -1 if its body is gone; what held
  /// that body goes too. moves(corners): replaces the corners of a point by others itself.
  void renumber(std::span<const int> vertex,
                const std::function<bool(std::vector<int>&)>& moves = {});

  /// Calls visit(vertex), in the scene's numbering, for at least one vertex in each body that it
  /// holds.
  template <class Visit>
  void visit_held(Attachment attachment, const Visit& visit) const {
    const Grip& grip = slot_of(attachment).grip;
    visit(grip.vertices.front());
    if (!grip.bonds.empty()) visit(grip.bonds.front().vertices[1]);
  }

  void set_targets(Attachment attachment, std::span<const Vec3> targets);
  void set_targets(Attachment attachment, const Pose& pose);

  /// Adds the attachments to pins, with the model's vertices. From then on the pins refer to this
  /// object.
  void add_to(PinSet& pins, const Numbering& numbering) const;

  /// Adds the attachments that tie bodies, with the model's vertices.
  void add_to(BondSet& bonds, const Numbering& numbering) const;
  bool ties_bodies(Attachment attachment) const { return !slot_of(attachment).grip.bonds.empty(); }

  /// Force on all vertices together, or on each of them, at the end of the last frame, at the
  /// positions x of the model, N.
  Vec3 force(Attachment attachment, const VectorField& x, const Numbering& numbering) const;
  std::vector<Vec3> forces(Attachment attachment, const VectorField& x,
                           const Numbering& numbering) const;

  /// Begins a frame from one time to another, s, during which the targets move.
  void begin_frame(double begin, double end);
  /// Ends the frame: the targets are where they were to go or, if it is undone, where they were
  /// before.
  void end_frame(bool is_undone);

 private:
  struct Slot {
    std::uint32_t generation = 1;
    bool is_used = false;
    int first_target = 0;
    Grip grip;
  };
  const Slot& slot_of(Attachment attachment) const;
  Vec3 force_on(const Slot& slot, std::size_t i, const VectorField& x,
                const Numbering& numbering) const;

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> order_;  ///< of those in use, in the order in which they were added
  HeldTargets targets_;               ///< targets of all, in that order
};

}  // namespace supple

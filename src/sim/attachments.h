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
  std::vector<int> vertices;    ///< of the scene
  std::vector<double> weights;  ///< of a point; empty: each vertex by itself
  std::vector<Vec3> targets;    ///< one for each vertex, or one for a point, m
  double stiffness = 0;         ///< N/m
  /// Of vertices that are tied to another body instead, one for each; between vertices of the
  /// scene.
  std::vector<PointBond> bonds{};

  bool is_point() const { return !weights.empty(); }
};

/// The attachments of a simulation: Simulation::attach and its like. They stand in a model's pins
/// after those of the scene; their targets are theirs. Vertices are those of the scene, so that a
/// copy holds another model of the same vertices alike.
class Attachments {
 public:
  // What may be held. All throw Error{invalid_input} naming the argument.

  static Grip of_vertices(const Model& model, int body, std::span<const int> vertices,
                          std::span<const Vec3> targets, double stiffness);
  static Grip of_hit(const Model& model, const Numbering& numbering, const SurfaceHit& hit,
                     const Vec3& target, double stiffness);
  static Grip of_tet(const Scene& scene, const Model& model, const Numbering& numbering, int tet,
                     const std::array<double, 4>& weights, const Vec3& target, double stiffness);

  Attachment add(Grip grip);
  void remove(Attachment attachment);
  bool contains(Attachment attachment) const;
  bool empty() const { return targets_.from.empty(); }

  /// Vertices are others now: vertex[i] is that of i, or -1 where its body is gone, and what held
  /// it with it.
  /// moves(corners): gives the corners of a point others by itself.
  void renumber(std::span<const int> vertex,
                const std::function<bool(std::vector<int>&)>& moves = {});

  /// Calls visit(vertex), of the scene, for one or more in each body that it holds.
  template <class Visit>
  void visit_held(Attachment attachment, const Visit& visit) const {
    const Grip& grip = slot_of(attachment).grip;
    visit(grip.vertices.front());
    if (!grip.bonds.empty()) visit(grip.bonds.front().vertices[1]);
  }

  void set_targets(Attachment attachment, std::span<const Vec3> targets);
  void set_targets(Attachment attachment, const Pose& pose);

  /// Adds them to pins, with the model's vertices. The pins refer to this object from then on.
  void add_to(PinSet& pins, const Numbering& numbering) const;

  /// Adds those that tie bodies, with the model's vertices.
  void add_to(BondSet& bonds, const Numbering& numbering) const;
  bool ties_bodies(Attachment attachment) const { return !slot_of(attachment).grip.bonds.empty(); }

  /// Force on all vertices together and on each, with the positions x of the model, at the end of
  /// the last frame, N.
  Vec3 force(Attachment attachment, const VectorField& x, const Numbering& numbering) const;
  std::vector<Vec3> forces(Attachment attachment, const VectorField& x,
                           const Numbering& numbering) const;

  /// A frame from one time to another, s, in which the targets move.
  void begin_frame(double begin, double end);
  /// It has ended: where they were to be, or, undone, where they were before.
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
  std::vector<std::uint32_t> order_;  ///< of those that are used, as they were added
  HeldTargets targets_;               ///< of all in that order
};

}  // namespace supple

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "supple/simulation.h"

#pragma GCC visibility push(default)

namespace supple {

/// A reason not to trust the result of a run.
struct Warning {
  /// unconverged, energy_gain, inverted, deep_contact, tunnelled, self_intersection, poor_elements,
  /// step_too_large, constraint
  std::string code;
  std::string text;                              ///< one sentence: what happened and what helps
  std::int64_t first_frame = 0, last_frame = 0;  ///< frames in between may be unaffected
};

/// Share of unbalanced force above which a step is too large for its iterations. The sag of a
/// hanging block of 324 tets (0.4 x 1 x 0.4 m, 1.5e5 Pa, Poisson's ratio 0.4) is wrong by 1 % at
/// 0.03 (stress, 1 iteration x 20 substeps), 8 % at 0.33 (6 substeps), 10 % at 0.46 (5) and 25 % at
/// 1.2 (3); at 4.8 (sequential, 60 x 2) the block has shrunk.
inline constexpr double too_large_share = 0.4;

/// Watches the steps of a run and warns of untrustworthy results. These are the rules:
///
/// unconverged: with f = StepReport::unconverged, the mean of |log f| over about 32 frames exceeds
///   log 1.1, each frame counting log 3 at most, or more than half of as many frames had |log f|
///   beyond log 1.1. Three completely wrong frames suffice, or a lasting f = 1.1. Also if
///   StepReport::drift exceeds 0.043: small errors in every frame add up over a swing. Or if
///   StepReport::friction_error exceeds 0.1: normal forces, and with them friction, are wrong.
/// energy_gain: a frame gained more than 1 % of the available energy: the largest kinetic and
///   elastic energy of the bodies so far, or their weight times the size of the smallest.
/// inverted: a tet is inside out at the end of a frame. For a scene that starts with inverted tets
///   this counts once all have recovered before, or if some are left at the end. Also if there were
///   StepReport::unfolding_bodies.
/// deep_contact: a vertex is deeper in a collider than 1 % of the size of the smallest body. The
///   size is the side of a cube whose corners are as far from its centre as the farthest vertex is
///   from the mean of all.
/// tunnelled: a vertex passed through a collider; in the contact mode barrier: a moving collider
///   entered the surface of a body to which it left no way out.
/// self_intersection: surfaces of bodies that should touch each other intersect, or the motion of
///   bodies was shortened in more than a twentieth of the frames to prevent that.
/// poor_elements: a tet at rest is too flat for methods that go from tet to tet or from vertex to
///   vertex, and the scene uses such a method.
/// step_too_large: see unbalanced_share; or there were StepReport::steady_substeps.
/// constraint: the mean of StepReport::constraint_error over about 32 frames exceeds 1e-3, each
///   frame counting 1e-2 at most.
class RunWatch {
 public:
  explicit RunWatch(const Scene& scene);

  /// The simulation continues with another scene.
  void scene_changed(const Scene& scene);

  /// Whether `add` reads the energies of the report's frame.
  static bool reads_energies(const StepReport& report) { return report.energy_gain > 0; }

  /// Adds a finished frame. energies: after the frame; ignored unless reads_energies(report).
  void add(std::int64_t frame, const StepReport& report, const Energies& energies = {});

  /// Share of the force that a position-based method left unbalanced: the median of
  /// |grad g| / force_scale over the frames; 0 without frames or if the method has no such scale.
  /// The scale is at least a hundredth of the run's largest; otherwise a weightless body that has
  /// come to rest would be compared with zero. too_large_share relates it to an error.
  double unbalanced_share() const;

  /// Warnings about the frames so far, in the order of the codes above; empty if there are none.
  std::vector<Warning> warnings() const;

 private:
  /// Frames of one kind.
  struct Seen {
    std::int64_t first = 0, last = 0, count = 0;
    double worst = 0;
    void add(std::int64_t frame, double amount);
  };
  void warn_unconverged(std::vector<Warning>& list) const;
  void warn_inverted(std::vector<Warning>& list) const;

  SolverSettings solver_;
  bool may_warp_ = false;  ///< the initial_hessian warped_rest would suit the scene
  bool is_barrier_ = false;
  bool is_thin_ = false;       ///< all bodies are cloth or strands
  bool has_rigid_ = false;     ///< some body does not deform
  double size_ = 0;            ///< of the smallest body, m
  double weight_size_ = 0;     ///< weight of all bodies times size_, J
  double energy_at_rest_ = 0;  ///< elastic, of the materials, J
  int num_flat_tets_ = 0;
  bool is_crushable_ = false;  ///< some body has less energy crushed than at rest
  std::int64_t frames_ = 0, first_frame_ = 0, last_frame_ = 0;
  Seen soft_, stiff_, gain_, inverted_, deep_, tunnelled_, steady_, overlaps_, held_back_;
  Seen arap_;       ///< bodies that were unfolded
  Seen unfolding_;  ///< inverted tets of a scene that starts with some, until there are none
  bool unfolds_;    ///< every frame so far had some
  std::vector<double> factors_;         ///< of the unconverged frames
  double mean_ = 0, worst_mean_ = 0;    ///< of |log f| over the last frames, and its maximum
  double share_ = 0, worst_share_ = 0;  ///< of the last frames that had |log f| > log 1.1
  Seen inexact_;                        ///< of inextensible springs and exact volumes
  double inexact_mean_ = 0, worst_inexact_ = 0;  ///< of the last frames' errors, and its maximum
  double drift_ = 0, friction_error_ = 0;        ///< after the last frame
  double not_known_ = 1;  ///< share of these means due to frames before the run
  int inverted_now_ = 0;
  double most_energy_ = 0;
  std::vector<double> unbalanced_;    ///< |grad g| at the end of each frame, N
  std::vector<double> force_scales_;  ///< see StepReport, N
};

}  // namespace supple

#pragma GCC visibility pop

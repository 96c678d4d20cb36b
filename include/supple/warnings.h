#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "supple/simulation.h"

namespace supple {

/// Something about a run that makes its result not to be trusted.
struct Warning {
  /// unconverged, energy_gain, inverted, deep_contact, tunnelled, poor_elements, step_too_large
  std::string code;
  std::string text;                              ///< one sentence: what was seen, and what helps
  std::int64_t first_frame = 0, last_frame = 0;  ///< where it was seen; others may lie between
};

/// Above this share of unbalanced force a step is too large for its iterations. A hanging block of
/// 324 tets (0.4 x 1 x 0.4 m, 1.5e5 Pa, Poisson's ratio 0.4) sags wrongly by 1 % at 0.03 (stress,
/// 1 iteration x 20 substeps), 8 % at 0.33 (6 substeps), 10 % at 0.46 (5), 25 % at 1.2 (3), and has
/// shrunk at 4.8 (sequential, 60 x 2).
inline constexpr double too_large_share = 0.4;

/// Watches the steps of a run and says what is not to be trusted: the one place where these rules
/// stand.
///
/// unconverged: StepReport::unconverged, f, is so far from 1 for so long that the mean of |log f|,
///   at most log 3 a frame, over about 32 frames exceeds log 1.1: three frames that are wholly
///   wrong, or f = 1.1 that stays.
/// energy_gain: a frame gained more than 1 % of the energy at hand: the most that the bodies had in
///   kinetic and elastic energy so far, or their weight times the size of the smallest.
/// inverted: a tet is inside out at the end of a frame; where the scene begins so, after all have
///   been right, or at the end.
/// deep_contact: a vertex is deeper in a collider than 1 % of the size of the smallest body.
/// tunnelled: a vertex passed through a collider.
/// poor_elements: a tet at rest is so flat that methods that go from tet to tet or from vertex to
///   vertex do not bear it, and the scene takes one of them.
/// step_too_large: see unbalanced_share; or there are StepReport::steady_substeps.
class RunWatch {
 public:
  explicit RunWatch(const Scene& scene);

  /// Another scene goes on.
  void scene_changed(const Scene& scene);

  /// Whether `add` reads the energies of a report's frame.
  static bool reads_energies(const StepReport& report) { return report.energy_gain > 0; }

  /// A frame was done. Energies: after it, where reads_energies; else of no effect.
  void add(std::int64_t frame, const StepReport& report, const Energies& energies = {});

  /// How much force a position-based method left unbalanced: of the frames' |grad g| over their
  /// force_scale the median, 0 where there are none or the method has no such scale. The scale is
  /// at least a hundredth of the run's largest, or a body that has come to rest without weight
  /// would be measured against nothing. The error of the sag of the block of `too_large_share` goes
  /// with it.
  double unbalanced_share() const;

  /// What is to be said of the frames so far, in the order of the codes above; empty when all is
  /// well.
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
  double size_ = 0;         ///< of the smallest body, m
  double weight_size_ = 0;  ///< weight of all bodies times that, J
  int num_flat_tets_ = 0;
  bool is_crushable_ = false;  ///< a body has less energy crushed than at rest
  std::int64_t frames_ = 0, first_frame_ = 0, last_frame_ = 0;
  Seen soft_, stiff_, gain_, inverted_, deep_, tunnelled_, steady_;
  Seen unfolding_;               ///< inverted tets of a scene that begins so, until there are none
  bool unfolds_;                 ///< there were some in every frame so far
  std::vector<double> factors_;  ///< of the unconverged frames
  double mean_ = 0, worst_mean_ = 0;  ///< of |log f| over the last frames, and its largest
  double not_known_ = 1;              ///< share of that mean that stands for frames before the run
  int inverted_now_ = 0;
  double most_energy_ = 0;
  std::vector<double> unbalanced_;    ///< |grad g| at the end of each frame, N
  std::vector<double> force_scales_;  ///< see StepReport, N
};

}  // namespace supple

#pragma once

#include <string>
#include <vector>

#include "supple/compare.h"
#include "supple/simulation.h"

namespace supple {

/// How the body behaved in one frame, compared with its material.
struct HonestySample {
  int frame = 0;
  ApparentStiffness stiffness;
  double relative_error = 0;  ///< (g - g*)/(g(x_0) - g*) when the solver's budget ended
  std::string fault;          ///< why there is no answer; empty if there is one
};

/// Keeps the states before some frames of a run, so that the effect of the solver's budget on the
/// material can be measured after the run (supple/compare.h).
class HonestyProbe {
 public:
  /// `count` of the frames first to last, evenly spread, including the last.
  HonestyProbe(int first, int last, int count);

  /// Call before each step.
  void before_frame(const Simulation& simulation, int frame);

  const std::vector<int>& frames() const { return frames_; }

  /// Measures the i-th of the frames that were reached.
  HonestySample measure(const Scene& scene, std::size_t i, int threads) const;
  std::size_t size() const { return states_.size(); }

 private:
  std::vector<int> frames_;
  std::vector<SimulationState> states_;  ///< before the first size() of frames_
};

/// The text of honesty.csv.
std::string honesty_csv(const std::vector<HonestySample>& samples);

}  // namespace supple

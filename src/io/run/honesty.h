#pragma once

#include <string>
#include <vector>

#include "supple/compare.h"
#include "supple/simulation.h"

namespace supple {

/// How the body acted in one frame, against its material.
struct HonestySample {
  int frame = 0;
  ApparentStiffness stiffness;
  double relative_error = 0;  ///< (g - g*)/(g(x_0) - g*) where the solver's budget ended
  std::string fault;          ///< why there is no answer; empty where there is one
};

/// Takes some frames of a run aside, so that what the solver's budget did to the material can be
/// measured when the run is over (supple/compare.h).
class HonestyProbe {
 public:
  /// Of frames first to last, `count` spread evenly, the last among them.
  HonestyProbe(int first, int last, int count);

  /// To be called before each step.
  void before_frame(const Simulation& simulation, int frame);

  const std::vector<int>& frames() const { return frames_; }

  /// The i-th of the frames that were reached.
  HonestySample measure(const Scene& scene, std::size_t i, int threads) const;
  std::size_t size() const { return states_.size(); }

 private:
  std::vector<int> frames_;
  std::vector<SimulationState> states_;  ///< before each of the first frames_
};

/// honesty.csv.
std::string honesty_csv(const std::vector<HonestySample>& samples);

}  // namespace supple

#include "io/run/honesty.h"

#include <fmt/format.h>

#include "supple/error.h"

namespace supple {

HonestyProbe::HonestyProbe(int first, int last, int count) {
  const int total = last - first + 1;
  for (int i = 1; i <= count; ++i) {
    const auto share = static_cast<long long>(total) * i / count;
    const int frame = first - 1 + static_cast<int>(share);
    if (frame >= first && (frames_.empty() || frame > frames_.back())) frames_.push_back(frame);
  }
  states_.reserve(frames_.size());
}

void HonestyProbe::before_frame(const Simulation& simulation, int frame) {
  if (states_.size() < frames_.size() && frames_[states_.size()] == frame) {
    states_.push_back(simulation.state());
  }
}

HonestySample HonestyProbe::measure(const Scene& scene, std::size_t i, int threads) const {
  HonestySample sample{.frame = frames_[i], .stiffness = {}, .relative_error = 0, .fault = ""};
  try {
    const ConvergedStep converged = solve_converged(scene, states_[i], threads);
    const ConvergenceCurve curve = record_descent(scene, states_[i], converged, threads);
    sample.relative_error = curve.points.back().relative_error;
    sample.stiffness = apparent_stiffness(scene, states_[i], curve.positions, threads);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::non_finite) throw;
    sample.fault = error.message();
  }
  return sample;
}

std::string honesty_csv(const std::vector<HonestySample>& samples) {
  std::string text = "frame,apparent_stiffness,defined,unexplained,position_error,relative_error\n";
  for (const HonestySample& sample : samples) {
    const ApparentStiffness& stiffness = sample.stiffness;
    text += fmt::format("{},{},{},{},{},{}\n", sample.frame, stiffness.ratio,
                        sample.fault.empty() && stiffness.defined ? 1 : 0, stiffness.unexplained,
                        stiffness.position_error, sample.relative_error);
  }
  return text;
}

}  // namespace supple

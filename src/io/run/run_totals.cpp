#include <algorithm>
#include <cmath>

#include "io/run/run_scene.h"

namespace supple {

namespace {

/// The smallest value that a share of the values does not exceed; 0 where there are none.
double at_rank(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto count = static_cast<double>(values.size());
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(share * count)));
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(std::min(rank, values.size())) - 1;
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace

void RunTotals::add(int frame, const StepReport& report) {
  milliseconds.push_back(report.total_milliseconds);
  local += report.local_milliseconds;
  solve += report.solve_milliseconds;
  contact += report.contact_milliseconds;
  total += report.total_milliseconds;
  iterations += report.iterations;
  evaluations += report.evaluations;
  // Not the largest ratio: a body in free flight starts and ends at rounding.
  if (report.gradient_norm > worst_residual) {
    worst_residual = report.gradient_norm;
    worst_relative =
        report.start_gradient_norm > 0 ? report.gradient_norm / report.start_gradient_norm : 0;
    worst_frame = frame;
  }
  max_inverted_tets = std::max(max_inverted_tets, report.inverted_tets);
  max_contacts = std::max(max_contacts, report.contacts);
  unbalanced.push_back(report.gradient_norm);
  force_scales.push_back(report.force_scale);
}

double RunTotals::percentile(double share) const { return at_rank(milliseconds, share); }

double RunTotals::unbalanced_share() const {
  if (force_scales.empty()) return 0;
  constexpr double of_largest = 0.01;
  const double least = of_largest * *std::max_element(force_scales.begin(), force_scales.end());
  if (!(least > 0)) return 0;
  std::vector<double> shares;
  for (std::size_t i = 0; i < force_scales.size(); ++i) {
    shares.push_back(unbalanced[i] / std::max(force_scales[i], least));
  }
  return at_rank(shares, 0.5);
}

}  // namespace supple

#include <algorithm>
#include <cmath>

#include "io/run/run_scene.h"

namespace supple {

namespace {

/// The smallest value that a share of the values does not exceed; 0 if there are none.
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
}

double RunTotals::percentile(double share) const { return at_rank(milliseconds, share); }

}  // namespace supple

#include "studies/reproduce/convergence.h"

#include <fmt/format.h>

#include <cmath>

#include "studies/reproduce/plots.h"
#include "supple/error.h"

namespace supple::reproduce {

namespace {

std::string with_unit(double value, const std::string& unit) {
  return unit.empty() || !std::isfinite(value) ? number(value) : number(value) + " " + unit;
}

}  // namespace

Measured ratio(const std::string& name_a, double a, const std::string& name_b, double b,
               const std::string& unit) {
  const double value = a / b;
  if (std::isnan(a) || std::isnan(b)) {
    return {value, fmt::format("{} was not run", std::isnan(a) ? name_a : name_b)};
  }
  const std::string text =
      fmt::format("{}: {}, {}: {}", name_a, with_unit(a, unit), name_b, with_unit(b, unit));
  if (std::isnan(value)) return {value, text};
  return {value, fmt::format("{}; ratio {}", text, number(value))};
}

const Descent& Curves::operator[](const std::string& label) const {
  for (const Descent& descent : *descents_) {
    if (descent.label == label) return descent;
  }
  throw Error(ErrorKind::invalid_input, label, "is none of the trials");
}

Measured error_ratio(const std::string& name_a, double a, const std::string& name_b, double b) {
  if (a <= smallest_error && b <= smallest_error) {
    return {std::nan(""), fmt::format("{} and {} are both at rounding", name_a, name_b)};
  }
  return ratio(name_a, a, name_b, b);
}

Measured Curves::error_ratio(const std::string& a, const std::string& b, int iterations) const {
  return reproduce::error_ratio(a, error_after((*this)[a], iterations), b,
                                error_after((*this)[b], iterations));
}

Measured Curves::iterations_ratio(const std::string& a, const std::string& b, double error) const {
  return ratio(a, iterations_to((*this)[a], error), b, iterations_to((*this)[b], error));
}

Measured Curves::time_ratio(const std::string& a, const std::string& b, double error) const {
  return ratio(a, milliseconds_to((*this)[a], error), b, milliseconds_to((*this)[b], error), "ms");
}

namespace {

template <class Quantity>
std::string smallest_but(const std::vector<Descent>& descents, const std::string& label,
                         const Quantity& quantity) {
  std::string best = label;
  double smallest = 0;
  for (const Descent& descent : descents) {
    if (descent.label == label || !descent.ran()) continue;
    const double value = quantity(descent);
    if (best == label || value < smallest) {
      best = descent.label;
      smallest = value;
    }
  }
  return best;
}

}  // namespace

std::string Curves::fewest_iterations_but(const std::string& label, double error) const {
  return smallest_but(*descents_, label, [&](const Descent& d) { return iterations_to(d, error); });
}

std::string Curves::soonest_but(const std::string& label, double error) const {
  return smallest_but(*descents_, label,
                      [&](const Descent& d) { return milliseconds_to(d, error); });
}

std::vector<Claim> claims_of(const std::vector<Test>& tests) {
  std::vector<Claim> claims;
  for (const Test& test : tests) claims.push_back({test.claim, test.criterion, {}});
  return claims;
}

void study(Context& context, const ConvergenceStudy& study, const Problem& problem,
           Finding& finding) {
  const std::vector<Descent> descents = context.descend(problem, study.trials);
  const Curves curves(descents);
  for (std::size_t i = 0; i < study.tests.size(); ++i) {
    const Measured measured = study.tests[i].measure(curves);
    finding.claims[i].measure(problem.subject, measured.value, measured.text);
  }
  finding.figures.push_back(error_plot(problem.subject, descents, study.shown_iterations));
  if (finding.data.empty()) finding.data.push_back({"convergence.csv", ""});
  append_csv(finding.data.front().content, problem.subject, descents);
  for (const std::string& line : failures(problem.subject, descents)) finding.notes.push_back(line);
  if (!problem.reference.converged) {
    finding.notes.push_back(problem.subject +
                            ": no method converged to rounding, so errors are against the best "
                            "value that was reached");
  }
}

}  // namespace supple::reproduce

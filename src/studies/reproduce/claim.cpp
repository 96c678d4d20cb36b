#include "studies/reproduce/claim.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace supple::reproduce {

namespace {

const char* symbol(Relation relation) {
  switch (relation) {
    case Relation::below:
      return "<";
    case Relation::at_most:
      return "<=";
    case Relation::above:
      return ">";
    case Relation::at_least:
      return ">=";
  }
  return "";
}

bool satisfies(double value, Relation relation, double bound) {
  switch (relation) {
    case Relation::below:
      return value < bound;
    case Relation::at_most:
      return value <= bound;
    case Relation::above:
      return value > bound;
    case Relation::at_least:
      return value >= bound;
  }
  return false;
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::does_not_hold:
      return "does not hold";
    case Verdict::not_measured:
      return "not measured";
  }
  return "";
}

std::string to_string(const Criterion& criterion) {
  return fmt::format("{} {} {}", criterion.quantity, symbol(criterion.relation),
                     number(criterion.bound));
}

Verdict judge(const Criterion& criterion, double value) {
  if (std::isnan(value)) return Verdict::not_measured;
  return satisfies(value, criterion.relation, criterion.bound) ? Verdict::holds
                                                               : Verdict::does_not_hold;
}

void Claim::measure(const std::string& subject, double value, const std::string& measured) {
  outcomes.push_back({subject, value, measured, judge(criterion, value)});
}

void Claim::not_measured(const std::string& subject, const std::string& why) {
  measure(subject, std::numeric_limits<double>::quiet_NaN(), why);
}

Verdict Claim::verdict() const {
  Verdict verdict = Verdict::not_measured;
  for (const Outcome& outcome : outcomes) {
    if (outcome.verdict == Verdict::does_not_hold) return outcome.verdict;
    if (outcome.verdict == Verdict::holds) verdict = outcome.verdict;
  }
  return verdict;
}

std::string number(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "infinite" : "-infinite";
  const double size = std::abs(value);
  if (value == 0) return "0";
  if (size < 1e-2 || size >= 1e5) return fmt::format("{:.1e}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace supple::reproduce

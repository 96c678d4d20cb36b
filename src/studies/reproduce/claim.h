#pragma once

#include <string>
#include <vector>

namespace supple::reproduce {

/// Whether a statement of a paper was confirmed here.
enum class Verdict { holds, does_not_hold, not_measured };

/// "holds", "does not hold", "not measured".
const char* to_string(Verdict verdict);

enum class Relation { below, at_most, above, at_least };

/// A measured number compared with a bound. Nothing else decides a verdict.
struct Criterion {
  std::string quantity;  ///< what the number is, in words
  Relation relation = Relation::below;
  double bound = 0;
};

/// "QUANTITY < BOUND".
std::string to_string(const Criterion& criterion);

/// NaN is not measured; infinity is a number like any other.
Verdict judge(const Criterion& criterion, double value);

/// The outcome of a claim for one body.
struct Outcome {
  std::string subject;   ///< which body, for example "generated mesh"
  double value = 0;      ///< of the criterion's quantity; NaN if it could not be measured
  std::string measured;  ///< the numbers behind it, or why there are none
  Verdict verdict = Verdict::not_measured;
};

/// A statement of a paper and the criterion that decides it.
struct Claim {
  std::string text;  ///< in our words
  Criterion criterion;
  std::vector<Outcome> outcomes;

  void measure(const std::string& subject, double value, const std::string& measured);
  void not_measured(const std::string& subject, const std::string& why);

  /// Holds if it holds for every body for which it was measured.
  Verdict verdict() const;
};

/// Three significant digits, or two and an exponent below 0.01 and from 1e5 on: "0.123", "12.3",
/// "1.2e-07"; "infinite", "-infinite" and "not a number".
std::string number(double value);

}  // namespace supple::reproduce

#pragma once

#include <string>
#include <vector>

namespace supple::reproduce {

/// Whether what a paper says was seen here.
enum class Verdict { holds, does_not_hold, not_measured };

/// "holds", "does not hold", "not measured".
const char* to_string(Verdict verdict);

enum class Relation { below, at_most, above, at_least };

/// A measured number held against a bound. Nothing else decides a verdict.
struct Criterion {
  std::string quantity;  ///< what the number is, in words
  Relation relation = Relation::below;
  double bound = 0;
};

/// "QUANTITY < BOUND".
std::string to_string(const Criterion& criterion);

/// NaN is not measured; infinity is a number like others.
Verdict judge(const Criterion& criterion, double value);

/// What a claim came to on one body.
struct Outcome {
  std::string subject;   ///< which body, for example "generated mesh"
  double value = 0;      ///< of the criterion's quantity; NaN: could not be measured
  std::string measured;  ///< the numbers behind it, or why there are none
  Verdict verdict = Verdict::not_measured;
};

/// A sentence of a paper and what decides about it.
struct Claim {
  std::string text;  ///< in our words
  Criterion criterion;
  std::vector<Outcome> outcomes;

  void measure(const std::string& subject, double value, const std::string& measured);
  void not_measured(const std::string& subject, const std::string& why);

  /// Holds where it holds on every body on which it was measured.
  Verdict verdict() const;
};

/// Four significant digits: "0.1234", "1.234e-07", "12.3"; "inf" and "not a number" as they are.
std::string number(double value);

}  // namespace supple::reproduce

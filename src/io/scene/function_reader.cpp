#include <memory>
#include <vector>

#include "io/scene/readers.h"
#include "materials/extended_log.h"

namespace supple {

namespace {

/// One term of a user's function of one stretch, area or volume ratio:
///   coefficient (x - about)^power      or      coefficient L(x)^power,
/// where L is the logarithm with its extension below 0.1 (extended_log.h).
struct Term {
  double coefficient = 0;  ///< J/m^3
  int power = 0;
  double about = 0;
  bool logarithm = false;
};

using Terms = std::vector<Term>;

double power_of(double base, int exponent) {
  double product = 1;
  for (int i = 0; i < exponent; ++i) product *= base;
  return product;
}

/// u^p with its first two derivatives in x; u comes with its own derivatives first and second.
ExtendedLog<double> power_of(const ExtendedLog<double>& u, int p) {
  if (p == 0) return {1, 0, 0};
  const double slope = p * power_of(u.value, p - 1);
  const double curvature = p > 1 ? p * (p - 1) * power_of(u.value, p - 2) : 0;
  return {power_of(u.value, p), slope * u.first, curvature * u.first * u.first + slope * u.second};
}

ExtendedLog<double> evaluate(const Terms& terms, double x) {
  ExtendedLog<double> sum{0, 0, 0};
  for (const Term& term : terms) {
    const ExtendedLog<double> base =
        term.logarithm ? extended_log(x) : ExtendedLog<double>{x - term.about, 1, 0};
    const ExtendedLog<double> value = power_of(base, term.power);
    sum.value += term.coefficient * value.value;
    sum.first += term.coefficient * value.first;
    sum.second += term.coefficient * value.second;
  }
  return sum;
}

Term read_term(ObjectReader& reader) {
  constexpr int highest_power = 32;
  Term term;
  reader.expect({"coefficient", "power", "log_power", "about"});
  term.coefficient = reader.number("coefficient", any_number("Pa"));
  term.logarithm = reader.one_of("power", {"power", "log_power"}) == "log_power";
  if (term.logarithm) {
    term.power = static_cast<int>(reader.whole("log_power", 1, highest_power));
  } else {
    term.power = static_cast<int>(reader.whole("power", 0, highest_power));
    term.about = reader.number("about", any_number(""), 0);
  }
  return term;
}

}  // namespace

ScalarFunction read_function(ObjectReader& material, const char* key) {
  Terms read;
  material.each(key, [&](ObjectReader& term) { read.push_back(read_term(term)); });
  if (read.empty()) return {};
  // The three functions share the terms.
  const auto terms = std::make_shared<const Terms>(std::move(read));
  return {[terms](double x) { return evaluate(*terms, x).value; },
          [terms](double x) { return evaluate(*terms, x).first; },
          [terms](double x) { return evaluate(*terms, x).second; }};
}

}  // namespace supple

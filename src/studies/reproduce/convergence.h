#pragma once

#include <functional>
#include <string>
#include <vector>

#include "studies/reproduce/context.h"
#include "studies/reproduce/finding.h"

/// Experiments that follow several solvers through one step.
namespace supple::reproduce {

/// A number and a text with the numbers it is made of.
struct Measured {
  double value = 0;
  std::string text;
};

/// a/b with a text: "NAME A: 1.2e-05, NAME B: 3.4e-03; ratio 0.0035".
Measured ratio(const std::string& name_a, double a, const std::string& name_b, double b,
               const std::string& unit = "");

/// As `ratio`, for relative errors: not measured if both are at rounding.
Measured error_ratio(const std::string& name_a, double a, const std::string& name_b, double b);

/// Descents, accessed by their label.
class Curves {
 public:
  explicit Curves(const std::vector<Descent>& descents) : descents_(&descents) {}

  /// Throws Error{invalid_input} if no trial has the label.
  const Descent& operator[](const std::string& label) const;
  const std::vector<Descent>& all() const { return *descents_; }

  // A quantity of descent a over that of descent b.
  Measured error_ratio(const std::string& a, const std::string& b, int iterations) const;
  Measured iterations_ratio(const std::string& a, const std::string& b, double error) const;
  Measured time_ratio(const std::string& a, const std::string& b, double error) const;

  // The label of the descent with the smallest quantity among all but `label`; `label` if there is
  // none.
  std::string fewest_iterations_but(const std::string& label, double error) const;
  std::string soonest_but(const std::string& label, double error) const;

 private:
  const std::vector<Descent>* descents_;
};

/// A claim and how it is measured.
struct Test {
  std::string claim;
  Criterion criterion;
  std::function<Measured(const Curves&)> measure;
};

/// Trials that are compared, and the claims about them.
struct ConvergenceStudy {
  std::vector<Trial> trials;
  std::vector<Test> tests;
  int shown_iterations = 50;  ///< where the plot against iterations ends
};

/// Runs the study on a problem and adds plots, data and outcomes to the finding, whose claims must
/// be those of the tests, in their order.
void study(Context& context, const ConvergenceStudy& study, const Problem& problem,
           Finding& finding);

/// The claims of the tests, without outcomes.
std::vector<Claim> claims_of(const std::vector<Test>& tests);

}  // namespace supple::reproduce

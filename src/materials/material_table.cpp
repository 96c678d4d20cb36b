#include "materials/material_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/refuse.h"

namespace supple {

namespace {

template <class Model>
MaterialModel make_plain(const MaterialSettings&, const std::string&) {
  return Model{};
}

MaterialModel make_stable_neo_hookean(const MaterialSettings& settings, const std::string& where) {
  const Parameter& lambda = settings.lambda;
  const std::size_t count = std::max<std::size_t>(lambda.per_tet.size(), 1);
  for (std::size_t t = 0; t < count; ++t) {
    if (!(lambda[t] > 0)) {
      refuse(where + "/lambda",
             "stable_neo_hookean divides by lambda: expected lambda > 0 "
             "(a Poisson's ratio above 0)");
    }
  }
  return StableNeoHookeanModel{};
}

/// Checks that a limit is on its side of 1.
void check_limit(const Parameter& limit, bool upper, const std::string& where) {
  const std::size_t count = std::max<std::size_t>(limit.per_tet.size(), 1);
  for (std::size_t t = 0; t < count; ++t) {
    if (upper ? limit[t] >= 1 : limit[t] <= 1) continue;
    const std::string at = limit.per_tet.empty() ? "" : fmt::format(" in tet {}", t);
    refuse(where, fmt::format("{}{} is {} 1: the rest shape, whose stretches are 1, must lie "
                              "between the limits",
                              limit[t], at, upper ? "below" : "above"));
  }
}

MaterialModel make_strain_limit(const MaterialSettings& settings, const std::string& where) {
  check_limit(settings.min, false, where + "/min");
  check_limit(settings.max, true, where + "/max");
  return StrainLimitModel{};
}

CubicSpline make_curve(const SplineCurve& curve, const std::string& where) {
  check_control_points(curve, where);
  return CubicSpline(curve.points, 1.0);
}

MaterialModel make_spline(const MaterialSettings& settings, const std::string& where) {
  auto curves = std::make_shared<SplineCurves>();
  curves->a = make_curve(settings.spline_a, where + "/a");
  curves->b = make_curve(settings.spline_b, where + "/b");
  curves->c = make_curve(settings.spline_c, where + "/c");
  if (settings.spline_a.points.empty() && settings.spline_b.points.empty() &&
      settings.spline_c.points.empty()) {
    refuse(where, "spline needs control points of a', b' or c'");
  }
  for (const CubicSpline* curve : {&curves->a, &curves->b, &curves->c}) {
    const auto rest = curve->evaluate(1.0);
    if (!(std::isfinite(rest.integral) && std::isfinite(rest.value) && std::isfinite(rest.slope))) {
      refuse(where, "the control points are too large or too close: the curve is not finite at 1");
    }
  }
  return SplineModel{std::move(curves)};
}

void check_function(const ScalarFunction& f, const std::string& where) {
  if (!f.value && !f.first && !f.second) return;
  if (!f.value || !f.first || !f.second) {
    refuse(where, "a function needs its value, first and second derivative");
  }
  for (double y : {f.value(1), f.first(1), f.second(1)}) {
    if (!std::isfinite(y)) refuse(where, "the function or a derivative is not finite at 1");
  }
}

MaterialModel make_valanis_landel(const MaterialSettings& settings, const std::string& where) {
  check_function(settings.a, where + "/a");
  check_function(settings.b, where + "/b");
  check_function(settings.c, where + "/c");
  if (!settings.a.value && !settings.b.value && !settings.c.value) {
    refuse(where, "valanis_landel needs at least one of the functions a, b, c");
  }
  return ValanisLandelModel{std::make_shared<const ValanisLandelFunctions>(
      ValanisLandelFunctions{settings.a, settings.b, settings.c})};
}

/// c2 is small, and leaves the bulk modulus its part of lambda: mu = 2 (c1 + c2), lambda = bulk + 4
/// c2.
void set_mooney_rivlin(double mu, double lambda, MaterialSettings& settings) {
  const double c2 = std::min(0.1 * mu, lambda / 4);
  settings.c1 = mu / 2 - c2;
  settings.c2 = c2;
  settings.bulk = lambda - 4 * c2;
}

/// lambda stands for what linear elasticity calls lambda + mu (docs/materials.md).
void set_stable_neo_hookean(double mu, double lambda, MaterialSettings& settings) {
  settings.mu = mu;
  settings.lambda = lambda + mu;
}

void set_mu(double mu, double /*lambda*/, MaterialSettings& settings) { settings.mu = mu; }

void set_strain_limit(double mu, double /*lambda*/, MaterialSettings& settings) {
  settings.mu = mu;
  settings.min = 0.9;
  settings.max = 1.1;
}

}  // namespace

const std::vector<MaterialRow>& material_table() {
  using M = MaterialSettings;
  const Range in_pa = from_zero("Pa"), above_zero_pa = above_zero("Pa");
  const Range or_infinite{.low = 0,
                          .high = std::numeric_limits<double>::infinity(),
                          .low_included = true,
                          .high_included = true,
                          .unit = "Pa"};
  const MaterialParameter mu{"mu", &M::mu, in_pa, "shear modulus, the second Lame parameter"},
      lambda{"lambda", &M::lambda, in_pa, "first Lame parameter"},
      lambda_or_infinite{"lambda", &M::lambda, or_infinite, lambda.text},
      thread_mu{"mu", &M::mu, above_zero_pa,
                "a thread stretched by s beyond a limit pulls with 2 mu s"},
      direction{"direction", &M::direction, any_number(""),
                "of the warp at rest; its part in the plane of each triangle counts"};
  static const std::vector<MaterialRow> table = {
      {.name = CorotatedModel::name,
       .text = "mu |F - R|^2 + lambda/2 (s1+s2+s3-3)^2",
       .parameters = {mu, lambda},
       .make = make_plain<CorotatedModel>,
       .by_young = true},
      {.name = ArapModel::name,
       .text = "mu |F - R|^2, corotated with lambda 0",
       .parameters = {mu},
       .make = make_plain<ArapModel>,
       .by_young = true},
      {.name = StvkModel::name,
       .text = "mu |E|^2 + lambda/2 tr(E)^2, E = (F^T F - I)/2: has false minima when inverted",
       .parameters = {mu, lambda},
       .make = make_plain<StvkModel>,
       .by_young = true},
      {.name = NeoHookeanModel::name,
       .text = "mu/2 (tr F^T F - 3) - mu log J + lambda/2 log^2 J, log continued below J = 0.1",
       .parameters = {mu, lambda},
       .make = make_plain<NeoHookeanModel>,
       .by_young = true},
      {.name = StableNeoHookeanModel::name,
       .text = "mu/2 (tr F^T F - 3) + lambda/2 (J - 1 - mu/lambda)^2, lambda > 0; with xpbd and "
               "step_and_project also poisson 0.5",
       .parameters = {mu, lambda_or_infinite},
       .make = make_stable_neo_hookean,
       .by_young = true,
       .set_moduli = set_stable_neo_hookean},
      {.name = MooneyRivlinModel::name,
       .text = "c1 (I1 - 3) + c2 (I2 - 3) - (2 c1 + 4 c2) log J + bulk/2 log^2 J, log continued "
               "below J = 0.1",
       .parameters = {{"c1", &M::c1, in_pa, "of the first invariant"},
                      {"c2", &M::c2, in_pa, "of the second invariant"},
                      {"bulk", &M::bulk, in_pa, "bulk modulus, of the logarithm of the volume"}},
       .make = make_plain<MooneyRivlinModel>,
       .set_moduli = set_mooney_rivlin},
      {.name = PolynomialModel::name,
       .text = "mu sum (s_i - 1)^4",
       .parameters = {mu},
       .make = make_plain<PolynomialModel>,
       .is_linear_at_rest = false,
       .set_moduli = set_mu},
      {.name = SplineModel::name,
       .text = "sum a(s_i) + sum b(s_i s_j) + c(J), a', b', c' cubic splines",
       .parameters = {{"a", &M::spline_a, any_number("Pa"), "control points of a'(stretch)"},
                      {"b", &M::spline_b, any_number("Pa"), "control points of b'(two stretches)"},
                      {"c", &M::spline_c, any_number("Pa"), "control points of c'(volume ratio)"}},
       .make = make_spline},
      {.name = ValanisLandelModel::name,
       .text = "sum a(s_i) + sum b(s_i s_j) + c(J), any functions",
       .parameters = {{"a", &M::a, any_number("J/m^3"), "terms of a(stretch)"},
                      {"b", &M::b, any_number("J/m^3"), "terms of b(two stretches)"},
                      {"c", &M::c, any_number("J/m^3"), "terms of c(volume ratio)"}},
       .make = make_valanis_landel},
      {.name = StrainLimitModel::name,
       .text = "mu sum (s_i - s_i clamped to [min, max])^2, nothing between the limits",
       .parameters = {mu,
                      {"min", &M::min, from_zero(""), "least free stretch, at most 1"},
                      {"max", &M::max, from_zero(""), "largest free stretch, at least 1"}},
       .make = make_strain_limit,
       .is_linear_at_rest = false,
       .set_moduli = set_strain_limit},
      {.name = VolumeModel::name,
       .text = "mu |F - p(F)|^2, p(F) the nearest matrix of determinant 1: resists changes of "
               "volume alone",
       .parameters = {mu},
       .make = make_plain<VolumeModel>,
       .is_linear_at_rest = false,
       .set_moduli = set_mu},
      {.name = "orthotropic_stvk",
       .text = "membranes, woven: StVK in plane stress with a warp and a weft. Membranes take the "
               "materials of tets, too, all but volume; each has a thickness and bending",
       .parameters = {{"warp", &M::warp, above_zero_pa, "Young's modulus along the warp"},
                      {"weft", &M::weft, above_zero_pa, "Young's modulus along the weft"},
                      {"shear", &M::shear, above_zero_pa, "modulus of shear between them"},
                      {"poisson", &M::poisson, any_number(""),
                       "what the weft shortens by where the warp is stretched"},
                      direction},
       .make = nullptr},
      {.name = "woven_limit",
       .text = "membranes, woven: free stretch of warp and weft within limits, mu (l - clamped "
               "l)^2 each, for layers",
       .parameters = {thread_mu,
                      {"warp_limits", &M::warp_limits, from_zero(""),
                       "least and largest free stretch of the warp"},
                      {"weft_limits", &M::weft_limits, from_zero(""),
                       "least and largest free stretch of the weft"},
                      direction},
       .make = nullptr,
       .is_linear_at_rest = false}};
  return table;
}

const MaterialRow* find_material_row(std::string_view name) {
  for (const MaterialRow& row : material_table()) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

}  // namespace supple

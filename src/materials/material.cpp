#include "materials/material.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/names.h"
#include "base/refuse.h"
#include "supple/error.h"
#include "supple/simulation.h"

namespace supple {

namespace {

/// A parameter as it is called in settings and scenes.
struct Field {
  const char* name;
  Parameter MaterialSettings::*member;
  bool is_modulus = true;  ///< in Pa; otherwise a stretch
  bool may_be_infinite = false;
};

void check_values(const Parameter& parameter, const char* unit, bool may_be_infinite,
                  const std::string& where) {
  const std::size_t count = std::max<std::size_t>(parameter.per_tet.size(), 1);
  for (std::size_t t = 0; t < count; ++t) {
    const double value = parameter[t];
    if (!(value >= 0 && (std::isfinite(value) || may_be_infinite))) {
      const std::string at = parameter.per_tet.empty() ? "" : fmt::format(" in tet {}", t);
      refuse(where, fmt::format("{}{} is not a finite number of at least 0{}", value, at, unit));
    }
  }
}

/// Tets that the parameters tell apart: 1 where each is a single value.
std::size_t common_length(const MaterialSettings& settings, const std::vector<Field>& fields,
                          const std::string& where) {
  std::size_t length = 0;
  for (const Field& field : fields) {
    const std::size_t size = (settings.*field.member).per_tet.size();
    if (size == 0) continue;
    if (length != 0 && size != length) {
      refuse(where + "/" + field.name,
             fmt::format("has {} values, another parameter {}", size, length));
    }
    length = size;
  }
  return std::max<std::size_t>(length, 1);
}

/// Every parameter finite and not negative, the moduli not all of them zero in any tet.
void check_parameters(const MaterialSettings& settings, const std::vector<Field>& fields,
                      const std::string& where) {
  std::string names;
  for (const Field& field : fields) {
    check_values(settings.*field.member, field.is_modulus ? " Pa" : "", field.may_be_infinite,
                 where + "/" + field.name);
    if (!field.is_modulus) continue;
    names += (names.empty() ? "" : " or ") + std::string(field.name);
  }
  const std::size_t length = common_length(settings, fields, where);
  for (std::size_t t = 0; t < length; ++t) {
    const bool all_zero = std::all_of(fields.begin(), fields.end(), [&](const Field& field) {
      return !field.is_modulus || (settings.*field.member)[t] == 0;
    });
    if (all_zero) {
      const std::string at = length == 1 ? "" : fmt::format(" in tet {}", t);
      refuse(where, fmt::format("{} needs a positive {} in Pa{}", settings.model, names, at));
    }
  }
}

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

/// Either limit on its side of 1.
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
  const auto& points = curve.points;
  if (points.size() == 1) refuse(where, "expected at least two control points, or none");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string at = fmt::format("{}/{}", where, i);
    if (!(std::isfinite(points[i].first) && std::isfinite(points[i].second))) {
      refuse(at, "a control point must be finite");
    }
    if (i > 0 && !(points[i].first > points[i - 1].first)) {
      refuse(at, fmt::format("control points must increase strictly: {} follows {}",
                             points[i].first, points[i - 1].first));
    }
  }
  return CubicSpline(points, 1.0);
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

struct Entry {
  const char* name;
  const char* text;
  std::vector<Field> fields;  ///< in the order of the model's `at`
  MaterialModel (*make)(const MaterialSettings&, const std::string& where);
};

const std::vector<Entry>& entries() {
  const Field mu{"mu", &MaterialSettings::mu}, lambda{"lambda", &MaterialSettings::lambda};
  const Field limit_lambda{"lambda", &MaterialSettings::lambda, true, true};
  const Field c1{"c1", &MaterialSettings::c1}, c2{"c2", &MaterialSettings::c2};
  const Field bulk{"bulk", &MaterialSettings::bulk};
  const Field min{"min", &MaterialSettings::min, false}, max{"max", &MaterialSettings::max, false};
  static const std::vector<Entry> list = {
      {CorotatedModel::name,
       "mu |F - R|^2 + lambda/2 (s1+s2+s3-3)^2; mu and lambda, or young and poisson",
       {mu, lambda},
       make_plain<CorotatedModel>},
      {ArapModel::name, "mu |F - R|^2, corotated with lambda 0; mu", {mu}, make_plain<ArapModel>},
      {StvkModel::name,
       "mu |E|^2 + lambda/2 tr(E)^2, E = (F^T F - I)/2: has false minima when inverted; mu and "
       "lambda, or young and poisson",
       {mu, lambda},
       make_plain<StvkModel>},
      {NeoHookeanModel::name,
       "mu/2 (tr F^T F - 3) - mu log J + lambda/2 log^2 J, log continued below J = 0.1; mu and "
       "lambda, or young and poisson",
       {mu, lambda},
       make_plain<NeoHookeanModel>},
      {StableNeoHookeanModel::name,
       "mu/2 (tr F^T F - 3) + lambda/2 (J - 1 - mu/lambda)^2; mu and lambda > 0, or young and "
       "poisson; with xpbd and step_and_project also poisson 0.5",
       {mu, limit_lambda},
       make_stable_neo_hookean},
      {MooneyRivlinModel::name,
       "c1 (I1 - 3) + c2 (I2 - 3) - (2 c1 + 4 c2) log J + bulk/2 log^2 J, log continued below J = "
       "0.1; c1, c2, bulk",
       {c1, c2, bulk},
       make_plain<MooneyRivlinModel>},
      {PolynomialModel::name, "mu sum (s_i - 1)^4; mu", {mu}, make_plain<PolynomialModel>},
      {SplineModel::name,
       "sum a(s_i) + sum b(s_i s_j) + c(J), a', b', c' cubic splines; control points of a, b, c",
       {},
       make_spline},
      {ValanisLandelModel::name,
       "sum a(s_i) + sum b(s_i s_j) + c(J), any functions; terms of a, b, c, or functions in code",
       {},
       make_valanis_landel},
      {StrainLimitModel::name,
       "mu sum (s_i - s_i clamped to [min, max])^2, nothing between the limits; mu, min, max",
       {mu, min, max},
       make_strain_limit},
      {VolumeModel::name,
       "mu |F - p(F)|^2, p(F) the nearest matrix of determinant 1: resists changes of volume "
       "alone; mu",
       {mu},
       make_plain<VolumeModel>}};
  return list;
}

const Entry* find(const std::string& name) {
  for (const Entry& entry : entries()) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

}  // namespace

MaterialModel make_material(const MaterialSettings& settings, const std::string& where) {
  if (settings.model == OwnModel::name) return make_own(settings, where);
  const Entry* entry = find(settings.model);
  if (entry == nullptr) {
    std::vector<std::string> known;
    for (const Entry& e : entries()) known.emplace_back(e.name);
    refuse(where + "/model", unknown_name("material", settings.model, known));
  }
  if (!entry->fields.empty()) check_parameters(settings, entry->fields, where);
  return entry->make(settings, where);
}

std::vector<const Parameter*> material_parameters(const MaterialSettings& settings) {
  std::vector<const Parameter*> parameters;
  if (const Entry* entry = find(settings.model)) {
    for (const Field& field : entry->fields) parameters.push_back(&(settings.*field.member));
  }
  return parameters;
}

std::vector<Description> list_materials() {
  std::vector<Description> list;
  for (const Entry& entry : entries()) list.push_back({entry.name, entry.text});
  return list;
}

std::vector<Description> list_membrane_materials() {
  return {{"orthotropic_stvk",
           "membranes, woven: StVK in plane stress with a warp and a weft; warp, weft, shear, "
           "poisson, direction. Membranes take the materials of tets, too, all but volume; each "
           "has a thickness and bending"},
          {"woven_limit",
           "membranes, woven: free stretch of warp and weft within limits, mu (l - clamped l)^2 "
           "each, for layers; mu, warp_limits, weft_limits, direction"}};
}

std::vector<Description> list_bending_models() { return choices(BendingModel{}).entries; }

std::vector<Description> list_spring_materials() {
  return {{"spring",
           "cloth and strands: k/2 (l - r)^2 for each spring [Liu et al. 2013]; stiffness "
           "(structural), shear, bending"},
          {"rod",
           "strands that resist stretch, bending and twist, with a rest shape that may be curved "
           "[Bergou et al. 2008]; young, poisson or shear, radius, rest_shape, rest_twist"}};
}

}  // namespace supple

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/refuse.h"
#include "potentials/membrane.h"
#include "supple/error.h"

namespace supple {

namespace {

/// f(first, second) for each pair of values of two parameters, as a parameter.
template <class F>
Parameter combined(const Parameter& first, const Parameter& second, const F& f) {
  Parameter result;
  const std::size_t length = std::max(first.per_tet.size(), second.per_tet.size());
  for (std::size_t t = 0; t < std::max<std::size_t>(length, 1); ++t) {
    const double value = f(first[t], second[t]);
    if (length == 0) return value;
    result.per_tet.push_back(value);
  }
  return result;
}

/// For the linearised material, bulk + 4 c2 is lambda and 2 (c1 + c2) is mu.
Parameter plane_stress_bulk(const MaterialSettings& settings, const std::string& where) {
  const Parameter mu =
      combined(settings.c1, settings.c2, [](double c1, double c2) { return 2 * (c1 + c2); });
  const Parameter lambda =
      combined(settings.bulk, settings.c2, [](double bulk, double c2) { return bulk + 4 * c2; });
  const Parameter plane = combined(mu, lambda, plane_stress_lambda);
  return combined(plane, settings.c2, [&](double of_plane, double c2) {
    const double bulk = of_plane - 4 * c2;
    if (!(bulk >= 0)) {
      refuse(where + "/bulk",
             "is too small for a membrane, whose thickness follows freely; expected at least "
             "4 c2^2/c1");
    }
    return bulk;
  });
}

void check_modulus(double value, const std::string& where) {
  require(std::isfinite(value) && value > 0, where,
          fmt::format("{:g} is out of range: expected a number above 0 Pa", value));
}

void check_direction(const Vec3& d, const std::string& where) {
  const double length = std::hypot(d[0], d[1], d[2]);
  require(std::isfinite(length) && length > 0, where + "/direction",
          "expected a direction that is not zero");
}

Sheet make_woven_limit(const MaterialSettings& s, const std::string& where) {
  for (std::size_t t = 0; t < std::max<std::size_t>(s.mu.per_tet.size(), 1); ++t) {
    check_modulus(s.mu[t], where + "/mu");
  }
  const auto check = [&](const std::array<double, 2>& limits, const char* key) {
    require(std::isfinite(limits[1]) && limits[0] >= 0 && limits[0] <= 1 && limits[1] >= 1,
            where + key,
            fmt::format("{:g} to {:g} is out of range: expected a least stretch from 0 to 1 and a "
                        "largest one of at least 1",
                        limits[0], limits[1]));
  };
  check(s.warp_limits, "/warp_limits");
  check(s.weft_limits, "/weft_limits");
  check_direction(s.direction, where);
  return {
      .model = {.kind = SheetModel::Kind::woven_limit},
      .parameters = {s.mu, s.warp_limits[0], s.warp_limits[1], s.weft_limits[0], s.weft_limits[1]}};
}

Sheet make_orthotropic(const MaterialSettings& s, const std::string& where) {
  check_modulus(s.warp, where + "/warp");
  check_modulus(s.weft, where + "/weft");
  check_modulus(s.shear, where + "/shear");
  const double other = s.poisson * s.weft / s.warp;
  const double rest = 1 - s.poisson * other;
  require(std::isfinite(s.poisson) && rest > 1e-9, where + "/poisson",
          fmt::format("{:g} is out of range: expected its square below warp/weft, which is {:g}",
                      s.poisson, s.warp / s.weft));
  check_direction(s.direction, where);
  return {.model = {.kind = SheetModel::Kind::orthotropic},
          .parameters = {s.warp / rest, s.weft / rest, other * s.warp / rest, s.shear}};
}

}  // namespace

double plane_stress_lambda(double mu, double lambda) {
  return std::isinf(lambda) ? 2 * mu : 2 * mu * lambda / (lambda + 2 * mu);
}

MaterialSettings sheet_settings(const MaterialSettings& settings, const std::string& where) {
  MaterialSettings sheet = settings;
  const std::string& model = settings.model;
  if (model == VolumeModel::name) {
    refuse(where + "/model", "volume needs tets: a membrane has no volume to keep");
  }
  if (model == OwnModel::name) {
    refuse(
        where + "/model",
        "energies of one's own need tets; expected one of the library's materials for a membrane");
  }
  const bool has_lambda =
      model == CorotatedModel::name || model == StvkModel::name || model == NeoHookeanModel::name;
  if (has_lambda) sheet.lambda = combined(settings.mu, settings.lambda, plane_stress_lambda);
  if (model == StableNeoHookeanModel::name) {
    sheet.lambda = combined(settings.mu, settings.lambda, [](double mu, double lambda) {
      return plane_stress_lambda(mu, lambda) + mu;
    });
  }
  if (model == MooneyRivlinModel::name) sheet.bulk = plane_stress_bulk(settings, where);
  return sheet;
}

Sheet make_sheet(const MaterialSettings& settings, const std::string& where) {
  if (settings.model == OrthotropicSheetModel::name) return make_orthotropic(settings, where);
  if (settings.model == WovenLimitModel::name) return make_woven_limit(settings, where);
  Sheet sheet;
  sheet.model.isotropic = make_material(settings, where);
  const MaterialSettings of_sheet = sheet_settings(settings, where);
  for (const Parameter* parameter : material_parameters(of_sheet)) {
    sheet.parameters.push_back(*parameter);
  }
  return sheet;
}

std::array<double, 2> fit_sheet_stiffness(const SheetModel& model, const double* parameters,
                                          std::pair<double, double> range) {
  // The smallest constant that bounds its Hessian everywhere.
  if (model.kind == SheetModel::Kind::woven_limit) return {2 * parameters[0], 2 * parameters[0]};
  if (model.kind == SheetModel::Kind::isotropic) {
    const double k = fit_stiffness(model.isotropic, parameters, range);
    return {k, k};
  }
  std::array<double, 2> k{};
  for (std::size_t i = 0; i < 2; ++i) {
    const double of_axis[2] = {parameters[i] / 2, 0};
    k[i] = std::max(fit_stiffness(StvkModel{}, of_axis, range), 2 * parameters[3]);
  }
  return k;
}

double rest_stiffness(const SheetModel& model, const double* parameters) {
  if (model.kind == SheetModel::Kind::woven_limit) return 0;
  if (model.kind == SheetModel::Kind::orthotropic) return std::sqrt(parameters[0] * parameters[1]);
  return std::visit(
      [&](const auto& family) -> double {
        if constexpr (has_sheet<std::decay_t<decltype(family)>>) {
          const auto material = family.template at<double>(parameters);
          return std::max(0.0, principal_modes(material, Vector3<double>{{1, 1, 1}}).A[0][0]);
        } else {
          return 0;
        }
      },
      model.isotropic);
}

}  // namespace supple

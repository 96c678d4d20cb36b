#include <cmath>
#include <type_traits>

#include "materials/material_table.h"
#include "materials/spline.h"
#include "session/command_list.h"
#include "session/material_conversion.h"
#include "session/material_sample.h"
#include "session/session_state.h"
#include "supple/error.h"

namespace supple {

namespace {

/// Stretches 0.2, 0.22, ..., 3.
constexpr int num_samples = 141;
double sample(int i) { return 0.2 + 0.02 * i; }

template <class Function>
ordered_json sampled(const Function& f) {
  ordered_json values = ordered_json::array();
  for (int i = 0; i < num_samples; ++i) values.push_back(number_or_null(f(sample(i))));
  return values;
}

void describe_curves(const MaterialSettings& material, ordered_json& to) {
  const MaterialRow* const row = find_material_row(material.model);
  if (row == nullptr) return;
  for (const MaterialParameter& parameter : row->parameters) {
    const auto describe = [&]<class T>(T MaterialSettings::*member) {
      const T& value = material.*member;
      if constexpr (std::is_same_v<T, SplineCurve>) {
        const CubicSpline spline(value.points, 1);
        to[parameter.key] = sampled([&](double x) { return spline.value(x); });
      } else if constexpr (std::is_same_v<T, ScalarFunction>) {
        if (value.first) to[parameter.key] = sampled(value.first);
      }
    };
    std::visit(describe, parameter.member);
  }
  if (material.model == "spline") to["points"] = curve_points(material);
}

}  // namespace

ordered_json number_or_null(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

Answer do_describe_material(SessionState& s, Command&, ObjectReader& keys) {
  const Scene& scene = s.asked->scene();
  const auto body = keys.whole("body", 0, static_cast<long long>(scene.bodies.size()) - 1);
  const std::string pointer = keys.text("pointer", "/bodies/" + std::to_string(body) + "/material");
  keys.finish();
  const MaterialSettings* const material = find_material(scene, pointer);
  if (material == nullptr) {
    keys.fail("pointer",
              "there is no material of tets; expected /bodies/k/material, "
              "/bodies/k/layers/l or /bodies/k/regions/r/material");
  }
  MaterialSettings settings = *material;
  // An incompressible material has no energy of volume. The rest of its energy is shown.
  if (std::isinf(settings.lambda.value)) settings.lambda = 1e3 * settings.mu.value;
  Answer answer;
  answer.content["model"] = settings.model;
  answer.content["stretch"] = sampled([](double x) { return x; });
  answer.content["uniaxial"] = sampled([&](double x) {
    return principal_stress(settings, {x, 1, 1})[0];
  });
  describe_curves(settings, answer.content);
  if (const auto moduli = small_strain_moduli(settings)) {
    const auto [young, poisson] = young_and_poisson(moduli->first, moduli->second);
    answer.content["small_strain"] = {{"mu", moduli->first},
                                      {"lambda", number_or_null(moduli->second)},
                                      {"young", young},
                                      {"poisson", poisson}};
  }
  return answer;
}

}  // namespace supple

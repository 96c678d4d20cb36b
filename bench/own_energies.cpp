#include "own_energies.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "materials/test_own_energies.h"
#include "supple/own_material.h"

namespace {

using namespace supple::testing;
using supple::MaterialSettings;

constexpr double mu = 3.5e4, lambda = 1.4e5;

MaterialSettings valanis_landel() {
  MaterialSettings material;
  material.model = "valanis_landel";
  material.a = {[](double s) { return 0.5 * mu * (s * s - 1); }, [](double s) { return mu * s; },
                [](double) { return mu; }};
  material.c = {
      [](double J) {
        const double L = std::log(std::max(J, 0.1));
        return L * (0.5 * lambda * L - mu);
      },
      [](double J) { return (lambda * std::log(std::max(J, 0.1)) - mu) / J; },
      [](double J) { return (lambda - lambda * std::log(std::max(J, 0.1)) + mu) / (J * J); }};
  return material;
}

MaterialSettings functions() {
  using supple::Mat3;
  supple::OwnFunctions own;
  own.energy_density = [](const Mat3<double>& F) {
    const double L = std::log(determinant(F));
    return 0.5 * mu * (squared_norm(F) - 3) + L * (0.5 * lambda * L - mu);
  };
  own.stress = [](const Mat3<double>& F) {
    const double J = determinant(F);
    return mu * F + ((lambda * std::log(J) - mu) / J) * cofactor(F);
  };
  return supple::own_material(std::move(own));
}

}  // namespace

int num_lanes_of_own_energies() { return supple::own::num_lanes / supple::own::num_parts; }

std::vector<OwnEnergyCase> own_energies() {
  const MaterialSettings built_in{.model = "neo_hookean", .mu = mu, .lambda = lambda};
  return {{"neo_hookean", built_in},
          {"energy_and_stress", supple::own_material(OwnNeoHookeanWithBoth{{{mu, lambda}}})},
          {"energy_density, stress", supple::own_material(OwnNeoHookeanWithStress{{mu, lambda}})},
          {"energy_density", supple::own_material(OwnNeoHookean{mu, lambda})},
          {"energy_density of Artery", supple::own_material(Artery{mu, lambda, mu, 1.5})},
          {"functions", functions()},
          {"valanis_landel", valanis_landel()}};
}

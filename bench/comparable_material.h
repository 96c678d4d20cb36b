#pragma once

#include <string>

#include "materials/spline.h"
#include "supple/scene.h"

namespace supple {

/// A material of any model of list_materials() that can carry a body alone, with the given Lame
/// parameters, Pa, at small strains. polynomial has no stiffness at rest: here it is about as stiff
/// as the others at a strain of a fifth.
inline MaterialSettings comparable_material(const std::string& model, double mu, double lambda) {
  MaterialSettings material{.model = model, .mu = mu, .lambda = lambda};
  if (model == "mooney_rivlin") {
    material.c1 = 0.4 * mu;
    material.c2 = 0.1 * mu;
    material.bulk = lambda + mu * 2 / 3;
  } else if (model == "polynomial") {
    material.mu = 20 * mu;
  } else if (model == "spline") {
    material = spline_preset('A', mu, lambda);
  } else if (model == "valanis_landel") {
    material.a = {[mu](double s) { return mu * (s - 1) * (s - 1); },
                  [mu](double s) { return 2 * mu * (s - 1); }, [mu](double) { return 2 * mu; }};
    material.c = {[lambda](double J) { return 0.5 * lambda * (J - 1) * (J - 1); },
                  [lambda](double J) { return lambda * (J - 1); },
                  [lambda](double) { return lambda; }};
  }
  return material;
}

/// The same from Young's modulus, Pa, and Poisson's ratio.
inline MaterialSettings comparable_material_of(const std::string& model, double young,
                                               double poisson) {
  const auto [mu, lambda] = lame_parameters(young, poisson);
  return comparable_material(model, mu, lambda);
}

}  // namespace supple

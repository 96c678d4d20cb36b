#include "descent/scaled_identity.h"

#include <algorithm>
#include <cmath>

#include "descent/laplacian.h"

namespace supple {

ScaledIdentity::ScaledIdentity(const Model& model, double inverse_a2) {
  pins_changed({model, inverse_a2, 0});
}

void ScaledIdentity::pins_changed(const PinChange& change) {
  const std::vector<double> diagonal = laplacian_diagonal(change.model, change.inverse_a2);
  first_scale_ = 1 / *std::max_element(diagonal.begin(), diagonal.end());
}

bool ScaledIdentity::compute(Objective& objective, const Iterate& at, VectorField& p) {
  objective.algebra().for_chunks([&](int, int first, int last) {
    for (int i = first; i < last; ++i) {
      const auto vertex = static_cast<std::size_t>(i);
      for (int k = 0; k < 4; ++k) p[vertex][k] = -scale_ * at.gradient[vertex][k];
    }
  });
  return true;
}

void ScaledIdentity::accept(Objective& objective, const Iterate& from, const Iterate& to, double) {
  double products[2];  // s . t, t . t
  for (const bool square : {false, true}) {
    products[square ? 1 : 0] = objective.algebra().sum([&](int first, int last) {
      double sum = 0;
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        for (int k = 0; k < 3; ++k) {
          const double t = to.gradient[i][k] - from.gradient[i][k];
          sum += t * (square ? t : to.x[i][k] - from.x[i][k]);
        }
      }
      return sum;
    });
  }
  const double scale = products[0] / products[1];
  if (scale > 0 && std::isfinite(scale)) scale_ = scale;
}

}  // namespace supple

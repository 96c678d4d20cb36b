#include "descent/gradient_descent.h"

#include <algorithm>

#include "descent/laplacian.h"

namespace supple {

GradientDescent::GradientDescent(const Model& model, double inverse_a2) {
  pins_changed({model, inverse_a2, 0});
}

void GradientDescent::pins_changed(const PinChange& change) {
  const std::vector<double> diagonal = laplacian_diagonal(change.model, change.inverse_a2);
  first_scale_ = 1 / *std::max_element(diagonal.begin(), diagonal.end());
}

bool GradientDescent::compute(Objective& objective, const Iterate& at, VectorField& p) {
  objective.algebra().for_chunks([&](int, int first, int last) {
    for (int i = first; i < last; ++i) {
      const auto vertex = static_cast<std::size_t>(i);
      for (int k = 0; k < 4; ++k) p[vertex][k] = -scale_ * at.gradient[vertex][k];
    }
  });
  return true;
}

void GradientDescent::accept(Objective&, const Iterate&, const Iterate&, double alpha) {
  scale_ *= alpha < 1 ? alpha : 2;
}

}  // namespace supple

#include "descent/jacobi.h"

#include <algorithm>

#include "descent/coordinates.h"

namespace supple {

Jacobi::Jacobi(const Model& model, int refresh, double inverse_a2)
    : hessian_(model),
      refresh_(refresh),
      floor_(pivot_floor(model, inverse_a2)),
      diagonal_(floor_.size()),
      with_contacts_(floor_.size()) {}

void Jacobi::pins_changed(const PinChange& change) {
  floor_ = pivot_floor(change.model, change.inverse_a2);
}

void Jacobi::materials_changed(const MaterialChange& change) {
  hessian_.places_changed();
  floor_ = pivot_floor(change.model, change.inverse_a2);
}

void Jacobi::begin_step(Objective&) {
  age_ = 0;
  scale_ = 1;
}

bool Jacobi::compute(Objective& objective, const Iterate& at, VectorField& p) {
  if (age_ == 0) hessian_.evaluate(objective, at.x, diagonal_);
  age_ = (age_ + 1) % refresh_;
  with_contacts_ = diagonal_;
  if (objective.contact() != nullptr) {
    objective.contact()->visit_hessian(at.x[0].v, [&](int vertex, int other, const double* block) {
      if (other != vertex) return;
      for (int k = 0; k < 3; ++k) {
        with_contacts_[static_cast<std::size_t>(vertex)][k] += block[4 * k];
      }
    });
  }
  objective.algebra().for_chunks([&](int, int first, int last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      for (int k = 0; k < 3; ++k) {
        p[i][k] = -scale_ * at.gradient[i][k] / std::max(with_contacts_[i][k], floor_[i]);
      }
      p[i][3] = 0;
    }
  });
  return true;
}

void Jacobi::accept(Objective&, const Iterate&, const Iterate&, double alpha) {
  scale_ = std::min(1.0, alpha * scale_);
}

}  // namespace supple

#include "sim/drift.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/measures.h"
#include "sim/stepper.h"

namespace supple {

namespace {

constexpr double visible_share = 1e-4;  ///< of the size of a body

/// Whether vertices first .. last - 1 touch something or are tied to something.
bool touches(const Objective& objective, int first, int last) {
  const auto is_own = [&](int vertex) { return vertex >= first && vertex < last; };
  const auto& bonds = objective.model().bonds.bonds;
  const auto ties = [&](const PointBond& bond) {
    return std::any_of(bond.vertices.begin(), bond.vertices.begin() + bond.count, is_own);
  };
  if (std::any_of(bonds.begin(), bonds.end(), ties)) return true;
  if (objective.contact() == nullptr) return false;
  const auto contacts = objective.contact()->contacts();
  return std::any_of(contacts.begin(), contacts.end(), [&](const Contact& contact) {
    return std::any_of(contact.point.vertices, contact.point.vertices + contact.point.count,
                       is_own);
  });
}

}  // namespace

Drift::Drift(const Model& model, const Scene& scene) : model_(&model) {
  if (find_material_fault(scene, SolverMethod::newton)) return;
  for (std::size_t b = 0; b + 1 < model.body_vertices.size(); ++b) {
    Held body{.first = model.body_vertices[b], .last = model.body_vertices[b + 1]};
    const bool is_solid = std::any_of(
        model.tets.begin(), model.tets.end(),
        [&](const std::array<int, 4>& tet) { return tet[0] >= body.first && tet[0] < body.last; });
    if (!is_solid) continue;
    double mass = 0;
    for (int i = body.first; i < body.last; ++i) mass += model.mass[static_cast<std::size_t>(i)];
    body.visible = visible_share * box_diagonal(model, b) * std::sqrt(mass);
    bodies_.push_back(body);
  }
}

void Drift::begin() {
  for (Held& body : bodies_) {
    body = {.first = body.first, .last = body.last, .visible = body.visible};
  }
}

void Drift::add(const Objective& objective, const VectorField& z, const VectorField& gradient,
                double kept, int steps) {
  const double inverse_a2 = objective.inverse_a2();
  if (!(inverse_a2 > 0)) return;
  const VectorField& y = objective.inertial_target();
  const VectorField& x = objective.x_start();
  const auto& pins = model_->pins.pins;
  for (Held& body : bodies_) {
    const auto holds = [&](const PinnedVertex& pin) {
      return pin.vertex >= body.first && pin.vertex < body.last;
    };
    if (std::none_of(pins.begin(), pins.end(), holds)) continue;
    if (touches(objective, body.first, body.last)) {
      body.d = body.d_before = 0;
      continue;
    }
    double uu = 0, u_before = 0, left = 0, pull = 0;  // u_before: <u, u of the step's beginning>
    for (auto i = static_cast<std::size_t>(body.first); i < static_cast<std::size_t>(body.last);
         ++i) {
      const double m = model_->mass[i];
      for (int k = 0; k < 3; ++k) {
        const double rest = model_->rest[i][static_cast<std::size_t>(k)], u = z[i][k] - rest;
        uu += m * u * u;
        u_before += m * u * (x[i][k] - rest);
        left += gradient[i][k] * u;
        pull += (m * (z[i][k] - y[i][k]) * inverse_a2 - gradient[i][k]) * u;
      }
    }
    const double u = std::sqrt(uu);
    if (!(u > 0) || !std::isfinite(left + pull)) continue;
    const double turned = body.u > 0 ? std::clamp(u_before / (u * body.u), -1.0, 1.0) : 0;
    body.d *= turned;
    body.d_before *= turned;
    const double kappa = std::max(0.0, -pull / (uu * inverse_a2));
    for (int step = 0; step < steps; ++step) {
      const double flight = body.d + kept * (body.d - body.d_before);
      body.d_before = body.d;
      body.d = (flight + left / (u * inverse_a2)) / (1 + kappa);
    }
    body.u = u;
    body.worst = std::max(body.worst, std::abs(body.d));
    body.most = std::max(body.most, u);
  }
}

double Drift::share() const {
  double worst = 0;
  for (const Held& body : bodies_) {
    if (body.worst > body.visible) worst = std::max(worst, body.worst / body.most);
  }
  return worst;
}

}  // namespace supple

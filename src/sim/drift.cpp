#include "sim/drift.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/measures.h"
#include "sim/stepper.h"

namespace supple {

namespace {

constexpr double visible_share = 1e-4;  ///< share of a body's size

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

State at_rest() {
  State state;
  state.x.resize(1);
  state.v.resize(1);
  return state;
}

void scale(State& state, double factor) {
  for (VectorField* field :
       {&state.x, &state.v, &state.x_previous, &state.v_previous, &state.acceleration}) {
    for (PaddedVector& vector : *field) vector[0] *= factor;
  }
}

}  // namespace

Drift::Drift(const Model& model, const Scene& scene) : model_(&model), z_(1) {
  one_.mass = {1};
  one_.num_vertices = 1;
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
    body.now = body.next = at_rest();
    bodies_.push_back(body);
  }
}

void Drift::begin() {
  for (Held& body : bodies_) {
    body.now = body.next = at_rest();
    body.u_next = body.worst = body.most = 0;
  }
  is_added_ = false;
}

/// Does one step of d. way: a^2 <grad g, u>/|u|_M.
void Drift::move(Held& body, const Step& step, double kappa, double way) {
  State& state = body.next;
  const bool is_first = step.integrator.needs_previous && state.x_previous.empty();
  if (!step.integrator.needs_previous) {
    state.x_previous.clear();
    state.v_previous.clear();
  }
  if (!step.integrator.needs_acceleration) {
    state.acceleration.clear();
  } else if (state.acceleration.empty()) {
    const double inverse_a2 = step.integrator.inverse_a2(step.h, is_first);
    state.acceleration.resize(1);
    state.acceleration[0][0] = -kappa * inverse_a2 * state.x[0][0];
  }
  const StepParameters parameters{
      .model = one_, .h = step.h, .kept = step.kept, .is_first = is_first};
  step.integrator.target(parameters, state, 0, 1, z_);
  z_[0][0] = (z_[0][0] + way) / (1 + kappa);
  if (is_first) keep_as_previous(parameters, state);
  step.integrator.advance(parameters, z_, 0, 1, state);
}

void Drift::add(const Objective& objective, const VectorField& z, const VectorField& gradient,
                const Step& step) {
  const double inverse_a2 = objective.inverse_a2();
  if (!(inverse_a2 > 0)) return;
  is_added_ = true;
  const VectorField& y = objective.inertial_target();
  const VectorField& x = objective.x_start();
  const auto& pins = model_->pins.pins;
  for (Held& body : bodies_) {
    body.next = body.now;
    body.u_next = 0;
    const auto holds = [&](const PinnedVertex& pin) {
      return pin.vertex >= body.first && pin.vertex < body.last;
    };
    if (std::none_of(pins.begin(), pins.end(), holds)) continue;
    if (touches(objective, body.first, body.last)) {
      scale(body.next, 0);
      continue;
    }
    // u_before: <u, u at the step's beginning>; before: the latter with itself.
    double uu = 0, u_before = 0, before = 0, left = 0, pull = 0;
    for (auto i = static_cast<std::size_t>(body.first); i < static_cast<std::size_t>(body.last);
         ++i) {
      const double m = model_->mass[i];
      for (int k = 0; k < 3; ++k) {
        const double rest = model_->rest[i][static_cast<std::size_t>(k)], u = z[i][k] - rest;
        const double u_start = x[i][k] - rest;
        uu += m * u * u;
        u_before += m * u * u_start;
        before += m * u_start * u_start;
        left += gradient[i][k] * u;
        pull += (m * (z[i][k] - y[i][k]) * inverse_a2 - gradient[i][k]) * u;
      }
    }
    const double u = std::sqrt(uu);
    if (!(u > 0) || !std::isfinite(left + pull)) continue;
    const double kappa = std::max(0.0, -pull / (uu * inverse_a2));
    scale(body.next, before > 0 ? std::clamp(u_before / (u * std::sqrt(before)), -1.0, 1.0) : 0);
    for (int k = 0; k < step.steps; ++k) move(body, step, kappa, left / (u * inverse_a2));
    body.u_next = u;
  }
}

void Drift::accept() {
  if (!is_added_) return;
  is_added_ = false;
  for (Held& body : bodies_) {
    body.now = body.next;
    if (!(body.u_next > 0)) continue;
    body.worst = std::max(body.worst, std::abs(body.now.x[0][0]));
    body.most = std::max(body.most, body.u_next);
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

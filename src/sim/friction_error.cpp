#include "sim/friction_error.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

/// A step may find all normal forces too small, but not by more than this multiple of them.
constexpr double most_missing = 4;

}  // namespace

FrictionError::FrictionError(const Model& model) : model_(&model) {
  for (std::size_t b = 0; b + 1 < model.body_vertices.size(); ++b) {
    Body body{.first = model.body_vertices[b], .last = model.body_vertices[b + 1]};
    for (int i = body.first; i < body.last; ++i) body.mass += model.mass[at(i)];
    bodies_.push_back(body);
  }
}

void FrictionError::begin() {
  for (Body& body : bodies_) {
    body.wrong = {0, 0, 0};
    body.missing = body.fastest = body.worst = 0;
  }
  is_added_ = false;
}

/// Finds which bodies pins or bonds hold now.
void FrictionError::find_held() {
  for (Body& body : bodies_) body.is_held = !(body.mass > 0);
  const auto hold = [&](int vertex) { bodies_[at(model_->body_of(vertex))].is_held = true; };
  for (const PinnedVertex& pin : model_->pins.pins) hold(pin.vertex);
  for (const PointBond& bond : model_->bonds.bonds) {
    for (int i = 0; i < bond.count; ++i) hold(bond.vertices[at(i)]);
  }
}

void FrictionError::find_forces(const ContactEnergy& contact, const VectorField& z) {
  for (Body& body : bodies_) {
    body.normal = 0;
    body.friction = {0, 0, 0};
  }
  const auto for_sides = [&](const Contact& own, const auto& visit) {
    for (int i = 0; i < own.point.count; ++i) {
      visit(bodies_[at(model_->body_of(own.point.vertices[i]))], own.point.weights[i]);
    }
  };
  for (const Contact& own : contact.touching()) {
    double force[3] = {};
    contact.add(own, own.point.position(z[0].v).data(), force);
    const double size = norm({force[0], force[1], force[2]});
    for_sides(own, [&](Body& body, double weight) { body.normal += std::abs(weight) * size; });
  }
  for (const Contact& own : contact.contacts()) {
    if (!(own.friction > 0)) continue;
    const ContactEnergy::Spring spring = contact.friction_spring(own, z[0].v);
    if (norm(spring.slip) <= own.slip * contact.stage()) continue;
    for_sides(own, [&](Body& body, double weight) {
      body.friction = body.friction - weight * spring.stiffness * spring.slip;
    });
  }
}

void FrictionError::add(const Objective& objective, const VectorField& z,
                        const VectorField& gradient, double h) {
  const ContactEnergy* const contact = objective.contact();
  if (contact == nullptr || !contact->has_friction() || !(objective.inverse_a2() > 0)) return;
  const VectorField& y = objective.inertial_target();
  const VectorField& x = objective.x_start();
  is_added_ = true;
  h_ = h;
  find_held();
  find_forces(*contact, z);
  for (Body& body : bodies_) {
    if (body.is_held) continue;
    Vec3 stray{0, 0, 0}, all{0, 0, 0};
    double squares = 0;
    for (std::size_t i = at(body.first); i < at(body.last); ++i) {
      const double mass = model_->mass[i];
      for (int k = 0; k < 3; ++k) {
        stray[at(k)] += gradient[i][k];
        all[at(k)] += mass * (z[i][k] - y[i][k]) * objective.inverse_a2();
        squares += mass * (z[i][k] - x[i][k]) * (z[i][k] - x[i][k]);
      }
    }
    body.next_speed = std::sqrt(squares / body.mass) / (contact->stage() * h);
    const Vec3 touch = all - stray;
    const double scale = norm(touch) * body.normal;
    body.next_missing = scale > 0 ? std::clamp(dot(stray, touch) / scale, -1.0, most_missing) : 0;
  }
}

void FrictionError::accept() {
  if (!is_added_) return;
  is_added_ = false;
  for (Body& body : bodies_) {
    if (body.is_held) continue;
    body.fastest = std::max(body.fastest, body.next_speed);
    body.wrong = body.wrong + h_ * body.missing * body.friction;
    body.missing = body.next_missing;
    if (!(body.fastest > 0)) continue;
    body.worst = std::max(body.worst, norm(body.wrong) / (body.mass * body.fastest));
  }
}

double FrictionError::share() const {
  double worst = 0;
  for (const Body& body : bodies_) worst = std::max(worst, body.worst);
  return worst;
}

}  // namespace supple

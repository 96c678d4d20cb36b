#include "descent/objective.h"

#include "base/stopwatch.h"

namespace supple {

Objective::Objective(const Model& model, ContactEnergy* contact, Threads& threads)
    : model_(&model),
      contact_(contact),
      threads_(&threads),
      elements_(model),
      algebra_(model.num_vertices, threads),
      y_(static_cast<std::size_t>(model.num_vertices)),
      pin_targets_(model.pins.pins.size()) {
  if (contact_ != nullptr) gradient_without_contact_.reserve(contact_->max_contacts());
}

void Objective::begin_step(const VectorField& y, double a, const VectorField& x_start,
                           double time_end, double h) {
  y_ = y;
  inverse_a2_ = 1 / (a * a);
  model_->pins.targets(time_end, pin_targets_);
  if (contact_ != nullptr) contact_->begin_step(time_end, h, x_start[0].v);
}

double Objective::value_and_gradient(const VectorField& z, VectorField& gradient) {
  const Stopwatch watch;
  ++evaluations_;
  double value = elements_.evaluate(z, *threads_);
  value += algebra_.sum([&](int first, int last) {
    double inertia = 0;
    for (int i = first; i < last; ++i) {
      const auto vertex = static_cast<std::size_t>(i);
      const double scale = model_->mass[vertex] * inverse_a2_;
      PaddedVector sum = elements_.gradient_of_vertex(i);
      for (int k = 0; k < 3; ++k) {
        const double d = z[vertex][k] - y_[vertex][k];
        sum[k] += scale * d;
        inertia += 0.5 * scale * d * d;
      }
      gradient[vertex] = sum;
    }
    return inertia;
  });
  value += model_->pins.add(z, pin_targets_, gradient);
  local_milliseconds_ += watch.milliseconds();
  if (contact_ == nullptr) return value;
  value_without_contact_ = value;
  return value + add_contacts(z, gradient);
}

double Objective::add_contacts(const VectorField& z, VectorField& gradient) {
  gradient_without_contact_.clear();
  for (const auto& contact : contact_->contacts()) {
    gradient_without_contact_.push_back(gradient[static_cast<std::size_t>(contact.vertex)]);
  }
  return contact_->add(z[0].v, gradient[0].v);
}

void Objective::choose_contacts(const VectorField& z, double& value, VectorField& gradient) {
  if (contact_ == nullptr) return;
  const Stopwatch watch;
  const auto& old = contact_->contacts();
  for (std::size_t i = 0; i < old.size(); ++i) {
    gradient[static_cast<std::size_t>(old[i].vertex)] = gradient_without_contact_[i];
  }
  contact_->detect(z[0].v, *threads_);
  value = value_without_contact_ + add_contacts(z, gradient);
  contact_milliseconds_ += watch.milliseconds();
}

void Objective::reset_counters() {
  evaluations_ = 0;
  local_milliseconds_ = 0;
  contact_milliseconds_ = 0;
}

}  // namespace supple

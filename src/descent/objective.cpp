#include "descent/objective.h"

#include <cmath>
#include <numeric>

#include "base/stopwatch.h"

namespace supple {

/// The energy of a spring strained by e errs by k r^2 e times the rounding of its length. Beyond
/// this strain, that is little compared with its energy k r^2 e^2/2; below, the error at this
/// strain is a bound.
constexpr double spring_strain = 0.1;

double Objective::inertia(const VectorField& z, PaddedVector* gradient) {
  const bool has_springs = !model_->springs.empty();
  const MembraneSet& membranes = model_->membranes;
  const GradientWork work{
      .mass = model_->mass.data(),
      .inverse_a2 = inverse_a2_,
      .weight = {weight_[0], weight_[1], weight_[2]},
      .z = z.data(),
      .y = y_->data(),
      .slot_start = model_->slot_start.data(),
      .slot_list = model_->slot_list.data(),
      .slots = elements_.slots().data(),
      .spring_start = has_springs ? springs_.start() : nullptr,
      .spring_incident = springs_.incident(),
      .spring_forces = springs_.forces(),
      .membrane_start = membranes.empty() ? nullptr : membranes.term_start.data(),
      .membrane_terms = membranes.terms.data(),
      .membrane_slots = membranes_.slots().data()};
  return algebra_.sum(
      [&](int first, int last) { return algebra_.kernels().inertia(work, first, last, gradient); });
}

Objective::Objective(const Model& model, ContactEnergy* contact, Threads& threads)
    : model_(&model),
      contact_(contact),
      threads_(&threads),
      elements_(model),
      springs_(model.springs, model.body_vertices),
      membranes_(model.membranes),
      damping_(model),
      rigid_(model),
      algebra_(model.body_vertices, threads),
      all_bodies_(static_cast<std::size_t>(model.num_bodies())),
      selected_(all_bodies_) {
  std::iota(all_bodies_.begin(), all_bodies_.end(), 0);
  if (!model.rods.empty()) rods_ = std::make_unique<RodEnergy>(model.rods, model.damping);
  pins_changed();
  bonds_changed();
  if (!model.pressures.empty()) pressure_ = std::make_unique<PressureEnergy>(model.pressures);
  find_energy_scale();
  make_room_for_contact();
}

void Objective::make_room_for_contact() {
  if (contact_ != nullptr) unused_gradient_.resize(static_cast<std::size_t>(model_->num_vertices));
}

void Objective::pins_changed() {
  pin_targets_.resize(model_->pins.pins.size());
  pins_of_bodies_ = model_->pins.by_body(model_->body_vertices);
  selected_pins_ = model_->pins.all().pins;
}

void Objective::bonds_changed() {
  bond_lengths_.resize(model_->bonds.size());
  bonds_of_bodies_ = model_->bonds.by_body(model_->body_vertices);
  selected_bonds_.resize(model_->bonds.size());
  std::iota(selected_bonds_.begin(), selected_bonds_.end(), 0);
}

/// Energy of pins and bonds, J. Adds its gradient, N.
double Objective::add_held(const VectorField& z, VectorField& gradient) const {
  const double energy = model_->pins.add(z, pin_targets_, gradient, selected_pins_);
  if (model_->bonds.empty()) return energy;
  return energy + model_->bonds.add(z, bond_lengths_, gradient, selected_bonds_);
}

/// The same energy alone.
double Objective::held_energy(const VectorField& z) const {
  const double energy = model_->pins.energy(z, pin_targets_, selected_pins_);
  if (model_->bonds.empty()) return energy;
  return energy + model_->bonds.energy(z, bond_lengths_, selected_bonds_);
}

void Objective::select(std::span<const int> bodies) {
  selected_ = bodies;
  algebra_.select(bodies);
  elements_.select(bodies);
  springs_.select(bodies);
  if (rods_) rods_->select(bodies);
  damping_.select(bodies);
  selected_pins_.clear();
  selected_bonds_.clear();
  for (const int body : bodies) {
    const auto b = static_cast<std::size_t>(body);
    const std::vector<int>& own = pins_of_bodies_[b].pins;
    selected_pins_.insert(selected_pins_.end(), own.begin(), own.end());
    const std::vector<int>& bonds = bonds_of_bodies_[b];
    selected_bonds_.insert(selected_bonds_.end(), bonds.begin(), bonds.end());
  }
  if (contact_ != nullptr) contact_->select(bodies);
}

void Objective::materials_changed() {
  elements_.elements_changed();
  damping_.elements_changed();
  find_energy_scale();
}

void Objective::find_energy_scale() {
  const Model& model = *model_;
  energy_scale_.assign(static_cast<std::size_t>(model.num_bodies()), 0.0);
  const auto add = [&](int vertex, double energy) {
    double& own = energy_scale_[static_cast<std::size_t>(model.body_of(vertex))];
    own = std::hypot(own, energy);
  };
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    add(model.tets[t][0], model.stiffness[t] * model.volume[t]);
  }
  for (const SpringSet::Spring& spring : model.springs.springs) {
    add(spring.a, spring_strain * spring.stiffness * spring.rest_length * spring.rest_length);
  }
  for (const RodSet::Joint& joint : model.rods.joints) {
    add(model.rods.segments[static_cast<std::size_t>(joint.before)].a, joint.bending);
  }
  for (int lane = 0; lane < model.membranes.num_lanes(); ++lane) {
    if (!model.membranes.is_triangle(lane)) continue;
    add(model.membranes.vertex(lane, 0), model.membranes.energy_scale(lane));
  }
}

double Objective::energy_scale() const {
  double scale = 0;
  for (const int body : selected_) {
    scale = std::hypot(scale, energy_scale_[static_cast<std::size_t>(body)]);
  }
  return pressure_ ? std::hypot(scale, pressure_->energy_scale()) : scale;
}

void Objective::contact_changed(ContactEnergy* contact) {
  contact_ = contact;
  make_room_for_contact();
}

void Objective::begin_step(const StepTarget& target) {
  x_start_ = &target.x_start;
  y_ = &target.y;
  inverse_a2_ = target.inverse_a2;
  weight_ = target.weight;
  fall_ = target.fall;
  model_->pins.targets(target.time, pin_targets_);
  if (rods_) {
    rods_->set_time(model_->pins, target.time);
    rods_->begin_step(target.x_start, std::sqrt(inverse_a2_), target.stage / target.h);
  }
  model_->bonds.lengths(target.time, bond_lengths_);
  if (pressure_) pressure_->set_time(target.time);
  for (const RigidBodies::Body& body : rigid_.bodies()) {
    energy_scale_[static_cast<std::size_t>(body.number)] =
        inverse_a2_ * rigid_.rounded(body, target.x_start, *y_);
  }
  if (contact_ == nullptr) return;
  const Stopwatch watch;
  contact_->begin_step(ContactStep::to_stage(target.time, target.h, target.stage,
                                             target.x_start[0].v, target.y[0].v),
                       *threads_);
  contact_milliseconds_ += watch.milliseconds();
}

double Objective::value_and_gradient(const VectorField& z, VectorField& gradient,
                                     Contacts contacts) {
  const Stopwatch watch;
  ++evaluations_;
  elastic_energy_ = elastic_energy_at(z);
  double value = elastic_energy_;
  if (model_->is_damped()) {
    value += damping_.add(z, start(), *threads_, elements_.slots(), springs_, membranes_.slots());
    if (rods_) value += rods_->damping_energy();
  }
  value += inertia(z, gradient.data());
  if (rods_) rods_->add_gradient(gradient);
  value += add_held(z, gradient);
  if (pressure_) value += pressure_->add(z, *threads_, gradient);
  local_milliseconds_ += watch.milliseconds();
  if (contact_ != nullptr) {
    const Stopwatch contact_watch;
    if (contacts == Contacts::to_be_found) contact_->detect(z[0].v, *threads_);
    value += contact_->add(z[0].v, gradient[0].v);
    contact_milliseconds_ += contact_watch.milliseconds();
  }
  rigid_.keep_tangent(selected_, z, gradient);
  return value;
}

double Objective::inertia_energy(const VectorField& z) { return inertia(z, nullptr); }

double Objective::value_with(const VectorField& z, double energy) {
  double value = energy;
  value += held_energy(z);
  if (pressure_) value += pressure_->evaluate(z, *threads_);
  if (contact_ == nullptr) return value;
  contact_->detect(z[0].v, *threads_);
  return value + contact_->add(z[0].v, unused_gradient_[0].v);
}

double Objective::potential(double elastic, const VectorField& x, const VectorField& z) {
  double sum = elastic + held_energy(x);
  if (pressure_) sum += pressure_->evaluate(x, *threads_);
  sum -= multiplier_energy(x);
  if (contact_ == nullptr) return sum;
  contact_->detect(z[0].v, *threads_);
  return sum + contact_->touch().energy;
}

void Objective::find_held_bodies(std::vector<char>& is_held) const {
  is_held.assign(static_cast<std::size_t>(model_->num_bodies()), 0);
  const auto hold = [&](int vertex) {
    is_held[static_cast<std::size_t>(model_->body_of(vertex))] = 1;
  };
  for (const int pin : selected_pins_) {
    hold(model_->pins.pins[static_cast<std::size_t>(pin)].vertex);
  }
  if (contact_ != nullptr) {
    for (const Contact& contact : contact_->contacts()) {
      for (int i = 0; i < contact.point.count; ++i) hold(contact.point.vertices[i]);
    }
  }
  for (bool is_new = !selected_bonds_.empty(); is_new;) {
    is_new = false;
    for (const int i : selected_bonds_) {
      const PointBond& bond = model_->bonds.bonds[static_cast<std::size_t>(i)];
      const auto a = static_cast<std::size_t>(model_->body_of(bond.vertices[0]));
      for (std::size_t c = 1; c < static_cast<std::size_t>(bond.count); ++c) {
        const auto b = static_cast<std::size_t>(model_->body_of(bond.vertices[c]));
        if (is_held[a] == is_held[b]) continue;
        is_held[a] = is_held[b] = 1;
        is_new = true;
      }
    }
  }
}

void Objective::find_contacts(const VectorField& z) {
  if (contact_ != nullptr) contact_->detect(z[0].v, *threads_);
}

Encounters Objective::hold_crossings(const VectorField& z, bool at_end) {
  return contact_ == nullptr ? Encounters{} : contact_->sweep(z[0].v, at_end, *threads_);
}

Encounters Objective::hold_meetings(const VectorField& z) {
  return contact_ == nullptr ? Encounters{} : contact_->sweep_pairs(z[0].v, *threads_);
}

void Objective::reset_counters() {
  evaluations_ = 0;
  local_milliseconds_ = 0;
  contact_milliseconds_ = 0;
}

}  // namespace supple

#include <algorithm>
#include <iterator>

#include "descent/contact_matrix.h"

/// Contacts that are left out of the matrix.
namespace supple {

namespace {

/// Contacts are left out at most so often in a step: a surface can give way, and hold again.
constexpr int most_times = 3;

}  // namespace

void ContactMatrix::make_room_for(const LinearPairs& pairs) {
  const std::size_t rows = system_.largest_capacity();
  held_.make_room(rows, right_.size());
  learnt_.make_room(pairs, rows);
  system_.make_room_for_products(at(pairs.most_learnt()));
}

bool ContactMatrix::leave_out(const Objective& objective) {
  // A quarter is left for others that will come to touch.
  const bool has_room = touching_.size() < system_.largest_capacity() / 4 * 3;
  if (!has_room || is_alone_ || times_left_out_ == most_times || gives_way(objective)) return false;
  active_.clear();
  ++times_left_out_;
  return is_left_out_ = true;
}

/// Whether an inner vertex of a body touches: no row pushes it back.
bool ContactMatrix::gives_way(const Objective& objective) {
  const auto& touching = objective.contact()->touching();
  return std::any_of(touching.begin(), touching.end(),
                     [](const Contact& own) { return own.is_inner; });
}

/// Lets contacts be in the matrix again.
void ContactMatrix::take_in() {
  is_left_out_ = false;
  system_.couple_directions(false);
  held_.let_go();
  active_.clear();
}

bool ContactMatrix::compute_without(Objective& objective, const Iterate& at_z,
                                    VectorField& gradient, VectorField& p) {
  left_out_ = true;
  is_whole_ = found_ahead_ = false;
  ++num_directions_;
  objective.algebra().copy(at_z.gradient, gradient);
  const ContactEnergy& contact = *objective.contact();
  for (const Contact& own : contact.touching()) {
    add_force(own.force(), own.normal, own.point, gradient);
  }
  for (const Contact& own : contact.contacts()) {
    if (!(own.friction > 0)) continue;
    const ContactEnergy::Spring spring = contact.friction_spring(own, at_z.x[0].v);
    add_force(-spring.stiffness, spring.slip, own.point, gradient);
  }
  held_.add(-1, gradient);
  return inner_.compute_unfinished(objective, {at_z.x, gradient, at_z.value}, p);
}

bool ContactMatrix::push(Objective& objective, const Iterate& at_z, LinearPairs& pairs,
                         VectorField& p) {
  if (gives_way(objective)) {
    take_in();
    return false;
  }
  gather(objective, at_z, p);
  if (touching_.empty() && held_.empty()) return true;
  system_.couple_directions(true);
  if (!all_fit(0) || are_many_) {
    take_in();
    // The known contacts are those at z + p, but another direction begins with those at z.
    objective.find_contacts(at_z.x);
    return false;
  }
  fill_system(many_, objective.threads());
  learnt_.fill(pairs, touching_, system_);
  learnt_.take_off(held_, pairs, touching_);
  system_.start_from_assumed(touching_);
  find_forces(objective.threads());
  for (const ContactRow& own : touching_) {
    add_force(-own.force, own.direction, own.point, right_);
  }
  held_.add(1, right_);
  add_response(objective, touching_, p);
  for (const int vertex : held_.vertices()) right_[at(vertex)] = {};
  learnt_.add(pairs, touching_, objective.algebra(), p);
  return true;
}

void ContactMatrix::hold_forces(Objective& objective, VectorField& gradient) {
  held_.add(1, gradient);
  // column_ is the last response.
  held_.hold(touching_, column_, objective.algebra());
  held_.add(-1, gradient);
  active_.clear();
  std::copy_if(touching_.begin(), touching_.end(), std::back_inserter(active_),
               [](const ContactRow& own) { return own.force != 0 && own.only_pushes(); });
}

}  // namespace supple

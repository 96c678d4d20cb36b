#include <algorithm>
#include <cmath>

#include "descent/contact_matrix.h"

/// Contacts that are left out of the matrix.
namespace supple {

namespace {

/// Contacts are left out at most so often in a step: a surface can give way, and hold again.
constexpr int most_times = 3;
/// Forces are found at most so often for one direction, until what is wrong with it is harmless.
/// The next direction goes on from them.
constexpr int most_looks = 2;

}  // namespace

void ContactMatrix::make_room_for(const LinearPairs& pairs) {
  const std::size_t rows = system_.capacity();
  held_.make_room(rows, right_.size());
  for (VectorField* field : {&bare_, &end_}) field->resize(right_.size());
  pushed_.reserve(touching_.capacity());
  learnt_.make_room(pairs, rows);
  system_.make_room_for_products(at(pairs.most_learnt()));
}

bool ContactMatrix::leave_out(const Objective& objective) {
  if (is_alone_ || times_left_out_ == most_times || gives_way(objective)) return false;
  active_.clear();
  pushed_.clear();
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
  objective.algebra().copy(p, bare_);
  // The last forces are nearer than those at z: a small part of a step changes stiff contacts a
  // lot.
  for (ContactRow& own : touching_) own.force = own.assumed;
  find_places();
  using namespace vec3;
  for (const ContactRow& last : pushed_) {
    if (last.only_pushes()) {
      ContactRow* const own = find(last, last.kind, touching_.size());
      if (own != nullptr) own->force = last.force;
      continue;
    }
    // Its tangents may have turned. The second one's row follows that of the first.
    if (last.kind == RowKind::friction_second) continue;
    const ContactRow& second = *(&last + 1);
    const Vec3 force = last.force * last.direction + second.force * second.direction;
    for (const RowKind kind : {RowKind::friction_first, RowKind::friction_second}) {
      ContactRow* const own = find(last, kind, touching_.size());
      if (own != nullptr) own->force = own->allowed(dot(force, own->direction));
    }
  }
  forget_places();
  learnt_.find(held_, pairs, touching_);
  respond(objective, pairs, p);
  for (int look = 0;; ++look) {
    const std::size_t known = touching_.size();
    const double wrong = see_end(objective, at_z, p);
    const bool is_good = wrong <= harmless * std::abs(objective.algebra().dot(at_z.gradient, p));
    if (look > 0 && (is_good || look == most_looks)) break;
    if (look == 0 || touching_.size() > known) {
      if (!all_fit(0)) {
        take_in();
        // The known contacts are those at z + p, but another direction begins with those at z.
        objective.find_contacts(at_z.x);
        return false;
      }
      fill_system(many_, objective.threads(), learnt_.find(held_, pairs, touching_));
    }
    for (ContactRow& own : touching_) own.assumed = own.force;
    find_forces(objective.threads());
    respond(objective, pairs, p);
  }
  pushed_ = touching_;
  return true;
}

/// p becomes the direction with the forces of touching_.
void ContactMatrix::respond(Objective& objective, LinearPairs& pairs, VectorField& p) {
  for (const ContactRow& own : touching_) {
    add_force(-own.force, own.direction, own.point, right_);
  }
  held_.add(1, right_);
  objective.algebra().copy(bare_, p);
  add_response(objective, touching_, p);
  for (const int vertex : held_.vertices()) right_[at(vertex)] = {};
  learnt_.add(pairs, touching_, objective.algebra(), p);
}

/// The gaps of touching_ become those at z + p, and what touches only there is added to it. Returns
/// the energy by which p is wrong, J.
double ContactMatrix::see_end(Objective& objective, const Iterate& at_z, const VectorField& p) {
  const ContactEnergy& contact = *objective.contact();
  objective.algebra().step(at_z.x, 1, p, end_);
  objective.find_contacts(end_);
  const std::size_t known = touching_.size();
  find_places();
  for (ContactRow& own : touching_) {
    own.gap = along(own.direction, own.point, end_) - own.plane;
    if (!own.is_at_z) own.leave_barrier();
  }
  for (const Contact& own : contact.touching()) {
    if (own.is_inner) continue;
    for (const RowKind kind : {RowKind::push, RowKind::push_beyond}) {
      if (kind == RowKind::push_beyond && !reaches_beyond(own)) continue;
      const ContactRow row = row_of(own, kind, end_, contact.stage(), true);
      ContactRow* const seen = find(own, kind, known);
      if (seen == nullptr) {
        add(row);
        continue;
      }
      if (row.is_barrier) {
        if (seen->is_at_z) continue;
        seen->stiffness = row.stiffness;
        seen->soft_depth = row.soft_depth;
      }
      // Its surface may be curved.
      seen->gap = row.gap;
      seen->plane = along(seen->direction, seen->point, end_) - row.gap;
    }
  }
  double wrong = 0;
  for (const ContactRow& own : touching_) {
    const double missing = own.force_at(own.gap) - own.force;
    wrong += missing * missing / (2 * own.stiffness);
  }
  forget_places();
  return wrong;
}

void ContactMatrix::hold_forces(VectorField& gradient) {
  held_.add(1, gradient);
  held_.hold(touching_);
  held_.add(-1, gradient);
}

}  // namespace supple

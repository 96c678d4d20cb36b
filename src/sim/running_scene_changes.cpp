#include <algorithm>
#include <numeric>
#include <utility>

#include "base/index.h"
#include "base/refuse.h"
#include "model/exact_stiffness.h"
#include "model/pin_selection.h"
#include "sim/bond_checks.h"
#include "sim/bond_setup.h"
#include "sim/contact_setup.h"
#include "sim/running_scene.h"
#include "sim/stepper.h"
#include "sim/swallowed_colliders.h"
#include "sim/touches.h"
#include "supple/error.h"

namespace supple {

namespace {

/// Whether some of the pins follow a collider.
bool follow_collider(const std::vector<Pin>& pins) {
  return std::any_of(pins.begin(), pins.end(),
                     [](const Pin& pin) { return !pin.collider.empty(); });
}

}  // namespace

/// Exchanges the model's pins for these, and updates everything that was made from them. On an
/// error the old pins are put back.
void RunningScene::use_pins(PinSet pins) {
  std::swap(model_.pins, pins);
  try {
    setup_.check_pins(scene_);
    model_.rods.find_clamps(model_.pins);
    objective_.pins_changed();
    if (direction_) {
      direction_->pins_changed({model_, setup_.inverse_a2(), setup_.length()});
    }
    if (position_solver_) position_solver_->pins_changed();
    convergence_.pins_changed({model_, setup_.inverse_a2(), setup_.length()});
  } catch (...) {
    std::swap(model_.pins, pins);
    model_.rods.find_clamps(model_.pins);
    objective_.pins_changed();
    throw;
  }
  use_rods();
  state_.acceleration.clear();  // it belonged to the other pins
}

/// The pins of the scene and of the attachments.
PinSet RunningScene::all_pins() const {
  PinSet set = pins_of(scene_);
  for (PinnedVertex& pin : set.pins) pin.vertex = numbering_.to_model(pin.vertex);
  attachments_.add_to(set, numbering_);
  return set;
}

/// Energies do not include what keeps an incompressible body's volume, and pbd does not know
/// energies.
void RunningScene::find_energy() {
  has_energy_ = scene_.solver.method != SolverMethod::pbd &&
                !find_material_fault(scene_, SolverMethod::newton);
}

/// Makes the contacts of bodies that have changed.
void RunningScene::renew_contact() {
  std::unique_ptr<ContactEnergy> contact = new_contact();
  use_contact(contact.get());
  contact_ = std::move(contact);
}

void RunningScene::set_pins(int body, std::vector<Pin> pins) {
  std::vector<Pin>& own = scene_.bodies[static_cast<std::size_t>(body)].pins;
  std::swap(own, pins);
  try {
    use_pins(all_pins());
  } catch (...) {
    std::swap(own, pins);
    throw;
  }
  // A collider does not touch what it holds.
  if (follow_collider(own) || follow_collider(pins)) renew_contact();
  sleep_.body_changed(scene_, body);
}

void RunningScene::use_attachments(Attachments attachments) {
  std::swap(attachments_, attachments);
  try {
    use_pins(all_pins());
  } catch (...) {
    std::swap(attachments_, attachments);
    throw;
  }
}

void RunningScene::use_all_attachments(Attachments attachments) {
  BondSet ties;
  attachments.add_to(ties, numbering_);
  const auto first = model_.bonds.bonds.begin() + static_cast<std::ptrdiff_t>(num_scene_bonds_);
  if (!std::equal(first, model_.bonds.bonds.end(), ties.bonds.begin(), ties.bonds.end())) {
    use_bonds(attachments);
  }
  if (attachments_.has_targets() || attachments.has_targets()) {
    use_attachments(std::move(attachments));
  } else {
    attachments_ = std::move(attachments);
  }
}

/// Uses the bonds of the scene and those of the attachments, and updates what is made from them:
/// the constant matrices of the bodies that they tie, which bodies are solved together, and what
/// does not touch. On an error everything stays as it was.
void RunningScene::use_bonds(Attachments attachments) {
  BondSet bonds;
  bonds.bonds.assign(model_.bonds.bonds.begin(),
                     model_.bonds.bonds.begin() + static_cast<std::ptrdiff_t>(num_scene_bonds_));
  attachments.add_to(bonds, numbering_);
  if (bonds.size() > num_scene_bonds_) {
    require_bonds(scene_, 1, "/solver/method", "/solver/method");
  }
  std::vector<int> same(scene_.bodies.size());
  std::iota(same.begin(), same.end(), 0);
  std::swap(model_.bonds, bonds);
  std::unique_ptr<Direction> direction;
  std::unique_ptr<ContactEnergy> contact;
  try {
    setup_.check_pins(scene_);
    if (direction_) {
      direction = make_direction(model_, scene_.solver, setup_.inverse_a2(),
                                 {direction_->constant_matrix(), same});
      if (FollowingWeights* const before = following_weights()) {
        direction->constant_matrix()->set_memory(before->memory(), model_, threads_);
      }
    }
    contact = new_contact();
    objective_.bonds_changed();
  } catch (...) {
    std::swap(model_.bonds, bonds);
    objective_.bonds_changed();
    throw;
  }
  std::swap(attachments_, attachments);
  convergence_.materials_changed(scene_);  // it looks with the earlier matrix
  if (direction_) {
    direction_ = std::move(direction);
    limit_factors();
  }
  if (position_solver_) position_solver_->bonds_changed();
  islands_.set_groups(model_.bonds.groups(model_.body_vertices));
  use_contact(contact.get());
  contact_ = std::move(contact);
  state_.acceleration.clear();  // it belonged to the other bonds
}

Attachment RunningScene::attach(Grip grip) {
  Attachments next = attachments_;
  const Attachment added = next.add(std::move(grip));
  use_attachments(std::move(next));
  wake_held(added);
  return added;
}

Attachment RunningScene::attach(int body, std::span<const int> vertices, int to, double stiffness) {
  Grip grip;
  grip.bonds = bonds_between(scene_, model_, numbering_, state_.x, body, vertices, to, stiffness);
  for (const PointBond& bond : grip.bonds) grip.vertices.push_back(bond.vertices[0]);
  Attachments next = attachments_;
  const Attachment added = next.add(std::move(grip));
  use_bonds(std::move(next));
  wake_held(added);
  return added;
}

void RunningScene::wake_held(Attachment attachment) {
  attachments_.visit_held(
      attachment, [this](int vertex) { wake(model_.body_of(numbering_.to_model(vertex))); });
}

void RunningScene::detach(Attachment attachment) {
  wake_held(attachment);
  Attachments next = attachments_;
  next.remove(attachment);
  if (attachments_.ties_bodies(attachment)) {
    use_bonds(std::move(next));
  } else {
    use_attachments(std::move(next));
  }
}

/// For barrier mode. fresh: see ContactEnergy.
void RunningScene::require_apart(ContactEnergy* contact, const VectorField& x, double time,
                                 const std::vector<char>& fresh) const {
  if (contact == nullptr || !contact->is_barrier()) return;
  contact->require_apart(x[0].v, time, fresh);
  require_none_swallowed(scene_, model_, numbering_, *contact, x, Swallowed::that_rest);
}

void RunningScene::use_contact(ContactEnergy* contact) {
  if (contact != nullptr && contact->pairs() != nullptr) {
    contact->pairs()->find_overlaps(state_.x[0].v);
  }
  objective_.contact_changed(contact);
  contact_energy_before_.reset();
  has_contacts_ = false;
  convergence_.contact_changed();
  if (position_solver_) position_solver_->contact_changed(contact);
}

namespace {

/// 1 for each collider that has no equal at its place among the others.
std::vector<char> changed_among(const std::vector<Collider>& colliders,
                                const std::vector<Collider>& others) {
  std::vector<char> changed(colliders.size(), 1);
  for (std::size_t c = 0; c < std::min(colliders.size(), others.size()); ++c) {
    changed[c] = colliders[c] == others[c] ? 0 : 1;
  }
  return changed;
}

}  // namespace

/// Matrices hold no contacts, so nothing is factorised. No contact outlives its step.
void RunningScene::set_colliders(std::vector<Collider> colliders) {
  std::unique_ptr<ContactEnergy> contact;
  const bool has_followers =
      std::any_of(scene_.bodies.begin(), scene_.bodies.end(),
                  [](const Body& body) { return follow_collider(body.pins); });
  std::swap(scene_.colliders, colliders);
  try {
    check_touches(scene_);
    check_contact(scene_);
    if (has_followers) use_pins(all_pins());
    contact = new_contact();
    setup_.check_motions(scene_);
    require_apart(contact.get(), state_.x, state_.time);
    use_contact(contact.get());
    std::swap(contact_, contact);
  } catch (...) {
    std::swap(scene_.colliders, colliders);
    if (has_followers) use_pins(all_pins());
    use_contact(contact_.get());
    throw;
  }
  for (std::size_t b = 0; has_followers && b < scene_.bodies.size(); ++b) {
    if (follow_collider(scene_.bodies[b].pins)) sleep_.body_changed(scene_, static_cast<int>(b));
  }
  // `contact` and `colliders` are the old ones.
  wake_beside(contact.get(), changed_among(colliders, scene_.colliders));
  wake_beside(contact_.get(), changed_among(scene_.colliders, colliders));
  touching_.keep(scene_.bodies.size(), scene_.colliders.size());
  state_.acceleration.clear();  // it may belong to the other colliders
}

/// Exchanges the model's elements for these, and updates everything that refers to them. On an
/// error the old elements are put back.
void RunningScene::use_elements(ElementLayout& elements) {
  ElementLayout& own = model_;
  const bool same = same_places(own, elements);
  const auto tell = [&] {
    if (!model_.inverse_change.empty()) write_rest_shapes(model_, state_.plastic);
    stiffen_exact(scene_.time, model_);
    use_multipliers();
    flow_.make_room(model_);
    if (direction_) direction_->materials_changed({model_, setup_.inverse_a2(), same});
    if (position_solver_) position_solver_->materials_changed(same);
    objective_.materials_changed();
    convergence_.materials_changed(scene_);
  };
  std::swap(own, elements);
  try {
    tell();
  } catch (...) {
    std::swap(own, elements);
    tell();
    throw;
  }
}

/// Users who switch the line search off want to see what it prevents.
bool RunningScene::unfolds() const {
  return direction_ && reads(scene_.solver.method, "recovery") &&
         scene_.solver.recovery == Recovery::arap &&
         scene_.solver.line_search.type != LineSearchType::none;
}

/// Turns bodies that are inside out right side out first: see Unfolding.
void RunningScene::unfold_bodies() {
  if (!unfolds()) return;
  const bool is_right = !may_be_inverted_ && unfolding_.is_idle();
  if (!is_right && unfolding_.begin_frame(scene_, model_, state_.x)) use_unfolded();
  unfolding_.frame_began();
}

/// The stiffnesses in matrices and of contacts stay as they are.
void RunningScene::use_unfolded() {
  ElementLayout elements = lay_out_materials(scene_, model_, unfolding_.bodies());
  use_elements(elements);
  state_.acceleration.clear();  // it belonged to the other material
  elastic_is_known_ = false;
}

void RunningScene::set_material(int body, MaterialSettings material) {
  MaterialSettings& own = scene_.bodies[static_cast<std::size_t>(body)].material;
  // Otherwise the plastic flow would be lost, or there would be no place for it.
  require(own.plasticity.has_value() == material.plasticity.has_value(),
          "/bodies/" + std::to_string(body) + "/material/plasticity",
          "is added or removed only with the scene (Simulation::change); its values may change");
  require((own.model == rigid_name) == (material.model == rigid_name),
          "/bodies/" + std::to_string(body) + "/material/model",
          "changes to or from rigid only with the scene (Simulation::change)");
  std::swap(own, material);
  try {
    check_settings(scene_);
    ElementLayout elements = lay_out_materials(scene_, model_, unfolding_.bodies());
    use_elements(elements);
  } catch (...) {
    std::swap(own, material);
    throw;
  }
  is_changed_[at(body)] = 1;
  state_.acceleration.clear();  // it belonged to the other material
  renew_contact();
  find_energy();
  elastic_is_known_ = false;
  has_multipliers_ = false;
  sleep_.body_changed(scene_, body);
}

void RunningScene::adjust(const std::function<void(Scene&)>& edit) {
  const Vec3 gravity = scene_.gravity;
  const SolverSettings solver = scene_.solver;
  const DampingSettings damping = scene_.damping;
  const ContactSettings settings = scene_.contact;
  std::unique_ptr<ContactEnergy> contact;
  edit(scene_);
  try {
    check_settings(scene_);
    // The weight determines how much contacts bear.
    const bool same = gravity == scene_.gravity && settings.friction == scene_.contact.friction;
    if (contact_ && !same) contact = new_contact();
    setup_.settings_changed(scene_);
  } catch (...) {
    scene_.gravity = gravity;
    scene_.solver = solver;
    scene_.damping = damping;
    scene_.contact = settings;
    throw;
  }
  if (contact) {
    use_contact(contact.get());
    contact_ = std::move(contact);
  }
  convergence_.settings_changed(scene_);
  limit_factors();
  state_.acceleration.clear();  // it may belong to another gravity or friction
  sleep_.wake_all();
}

void RunningScene::require_inertia(const char* what) const {
  const Integrator& integrator = setup_.integrator();
  if (integrator.has_inertia) return;
  refuse("/time/integrator", std::string(integrator.name()) + " takes no " + what +
                                 "; expected an integrator with inertia, for example "
                                 "backward_euler with drag");
}

void RunningScene::add_forces(const std::vector<Push>& forces) {
  for (const Push& force : forces) {
    setup_.given_loads().add(force.vertex, force.amount, model_.num_vertices);
    wake(model_.body_of(force.vertex));
  }
}

/// Changes the velocity of a vertex from outside: what the integrator remembers must not take the
/// change for a motion of the body that goes on.
void RunningScene::kick(int vertex, const Vec3& change) {
  const auto i = static_cast<std::size_t>(vertex);
  for (int k = 0; k < 3; ++k) state_.v[i][k] += change[static_cast<std::size_t>(k)];
  forget_kick(i, change, state_);
  wake(model_.body_of(vertex));
}

void RunningScene::add_impulses(const std::vector<Push>& impulses) {
  for (const auto& [vertex, impulse] : impulses) {
    const double mass = model_.mass[static_cast<std::size_t>(vertex)];
    kick(vertex, {impulse[0] / mass, impulse[1] / mass, impulse[2] / mass});
  }
}

void RunningScene::set_velocity(int body, const Vec3& velocity) {
  const auto b = static_cast<std::size_t>(body);
  for (int i = model_.body_vertices[b]; i < model_.body_vertices[b + 1]; ++i) {
    PaddedVector& v = state_.v[static_cast<std::size_t>(i)];
    if (!(model_.mass[static_cast<std::size_t>(i)] > 0)) continue;
    kick(i, {velocity[0] - v[0], velocity[1] - v[1], velocity[2] - v[2]});
    for (int k = 0; k < 3; ++k) v[k] = velocity[static_cast<std::size_t>(k)];
  }
}

}  // namespace supple

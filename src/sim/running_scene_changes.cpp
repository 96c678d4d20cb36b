#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/index.h"
#include "base/refuse.h"
#include "materials/material.h"
#include "model/exact_volumes.h"
#include "model/pin_selection.h"
#include "sim/body_reads.h"
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

/// Whether the boxes of two bodies, each a twentieth larger, meet; that is beyond the layers of
/// contact.
bool are_near(const Box& a, const Box& b) {
  constexpr double margin = 0.025;
  for (std::size_t k = 0; k < 3; ++k) {
    const double gap = std::max(a.min[k] - b.max[k], b.min[k] - a.max[k]);
    const auto size = [](const Box& box) {
      return std::hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]);
    };
    if (gap > margin * (size(a) + size(b))) return false;
  }
  return true;
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
    stiffen_volumes(scene_.time, model_);
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

SimulationState RunningScene::state() const {
  SimulationState state = save_state(numbering_.to_scene(state_));
  const ConvergenceProbe::Schedule& schedule = convergence_.schedule();
  state.unconverged = schedule.softness;
  state.next_look = schedule.next;
  state.look_interval = schedule.interval;
  if (const FollowingWeights* const weights = following_weights()) {
    FollowingWeights::Memory memory = weights->memory();
    state.weights = std::move(memory.weights);
    state.weights_spent = memory.spent;
    state.weights_worked = memory.worked;
  }
  // Useless if the next frame has nothing to look at.
  if (may_be_inverted_ || unfolding_.has_unfolded()) state.unfolding = unfolding_.memory();
  state.rested = sleep_.memory();
  return state;
}

void RunningScene::set_state(const SimulationState& state) {
  State loaded = numbering_.to_model(load_state(model_, state));
  require_apart(contact_.get(), loaded.x, loaded.time, std::vector<char>(scene_.bodies.size(), 0));
  Unfolding unfolding(scene_.bodies.size());
  unfolding.set_memory(state.unfolding);
  if (!unfolds()) unfolding = Unfolding(scene_.bodies.size());
  const auto before = unfolding_.bodies(), after = unfolding.bodies();
  const bool is_other = !std::equal(before.begin(), before.end(), after.begin(), after.end());
  sleep_.check_memory(state.rested);
  std::swap(unfolding_, unfolding);
  try {
    if (is_other) use_unfolded();
    if (Laplacian* const matrix = direction_ ? direction_->constant_matrix() : nullptr) {
      matrix->set_memory({state.weights, state.weights_spent, state.weights_worked}, model_,
                         threads_);
    }
  } catch (...) {
    std::swap(unfolding_, unfolding);
    if (is_other) use_unfolded();
    throw;
  }
  may_be_inverted_ = true;
  state_ = std::move(loaded);
  sleep_.set_memory(state.rested);
  find_layers();
  if (pairs()) pairs()->find_overlaps(state_.x[0].v);
  queries_.moved();
  elastic_is_known_ = false;
  has_multipliers_ = has_contacts_ = false;
  touching_.reset(scene_.bodies.size(), scene_.colliders.size());
  convergence_.set_schedule({state.unconverged, state.next_look, state.look_interval});
  drift_.begin();
  clock_ = clock_of(state.time, state.frame, scene_.time);
  follow(state_.time);
  use_plastic();
  use_rods();
  use_multipliers();
  clear_forces();
}

/// The plastic flow of another scene with the same vertices, for the tets that both scenes have.
std::vector<double> RunningScene::plastic_of(const RunningScene& other) const {
  if (state_.plastic.empty() || other.state_.plastic.empty()) return {};
  const auto corners = [](const RunningScene& scene, std::size_t tet) {
    std::array<int, 4> vertices = scene.model_.tets[tet];
    for (int& v : vertices) v = scene.numbering_.to_scene(v);
    std::sort(vertices.begin(), vertices.end());
    return vertices;
  };
  std::map<std::array<int, 4>, std::size_t> known;
  for (std::size_t t = 0; t < other.model_.tets.size(); ++t) known[corners(other, t)] = t;
  State next;
  next.plastic.resize(model_.tets.size());
  for (std::size_t t = 0; t < model_.tets.size(); ++t) {
    const auto found = known.find(corners(*this, t));
    if (model_.plasticity_of_tet[t] < 0 || found == known.end()) continue;
    next.plastic[t] = other.state_.plastic[found->second];
  }
  return save_state(next).plastic;
}

/// The rod frames of another scene with the same vertices, if it has the same rods.
std::vector<double> RunningScene::rods_of(const RunningScene& other) const {
  const std::vector<RodSet::Segment>&own = model_.rods.segments,
        &others = other.model_.rods.segments;
  const auto is_same = [&](const RodSet::Segment& a, const RodSet::Segment& b) {
    return numbering_.to_scene(a.a) == other.numbering_.to_scene(b.a) &&
           numbering_.to_scene(a.b) == other.numbering_.to_scene(b.b);
  };
  if (!std::equal(own.begin(), own.end(), others.begin(), others.end(), is_same)) return {};
  return save_state(other.state_).rods;
}

/// Copies the frames of rods that have come apart from the state before.
void RunningScene::follow_rods(const RunningScene& before, const Survivors& survivors,
                               const std::vector<double>& from, std::vector<double>& to) const {
  if (model_.rods.empty()) return;
  const std::size_t width = to.size() / model_.rods.segments.size();
  const auto for_segments = [](const RodSet& set, int body, const auto& visit) {
    for (int c = set.first_chain[at(body)]; c < set.first_chain[at(body) + 1]; ++c) {
      const RodSet::Chain& chain = set.chains[at(c)];
      for (int s = 0; s < chain.num_segments; ++s) {
        visit(at(chain.first_segment + s), s == 0 && !chain.is_closed());
      }
    }
  };
  for (int body = 0; body < model_.num_bodies(); ++body) {
    if (survivors.is_added(at(body)) || survivors.is_as_it_was(at(body))) continue;
    std::map<std::pair<int, int>, std::size_t> known;
    for_segments(before.model_.rods, survivors.origin()[at(body)], [&](std::size_t s, bool) {
      const RodSet::Segment& segment = before.model_.rods.segments[s];
      known[{before.numbering_.to_scene(segment.a), before.numbering_.to_scene(segment.b)}] = s;
    });
    const auto source = [&](std::int32_t vertex) {
      return survivors.sources()[at(numbering_.to_scene(vertex))];
    };
    for_segments(model_.rods, body, [&](std::size_t s, bool is_first) {
      const RodSet::Segment& segment = model_.rods.segments[s];
      const std::size_t there = known.at({source(segment.a), source(segment.b)});
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(width * there), width,
                  to.begin() + static_cast<std::ptrdiff_t>(width * s));
      // The last number, the angle from the segment before, if there is no such segment any more.
      if (is_first) to[width * (s + 1) - 1] = 0;
    });
  }
}

/// The multipliers of another scene with the same vertices, if the same springs and volumes are
/// exact.
std::vector<double> RunningScene::multipliers_of(const RunningScene& other) const {
  const SpringSet &own = model_.springs, &others = other.model_.springs;
  const auto is_same = [&](std::int32_t a, std::int32_t b) {
    const SpringSet::Spring &one = own.springs[at(a)], &two = others.springs[at(b)];
    return numbering_.to_scene(one.a) == other.numbering_.to_scene(two.a) &&
           numbering_.to_scene(one.b) == other.numbering_.to_scene(two.b);
  };
  const bool has_same_springs =
      std::equal(own.inextensible.begin(), own.inextensible.end(), others.inextensible.begin(),
                 others.inextensible.end(), is_same);
  const auto keep_volumes = [](const Body& a, const Body& b) { return a.volume == b.volume; };
  const bool has_same_volumes =
      std::equal(scene_.bodies.begin(), scene_.bodies.end(), other.scene_.bodies.begin(),
                 other.scene_.bodies.end(), keep_volumes) &&
      state_.multipliers.size() == other.state_.multipliers.size();
  return has_same_springs && has_same_volumes ? other.state_.multipliers : std::vector<double>{};
}

/// The multipliers of another scene for the bodies that stay in this one; 0 for others. If a spring
/// has been divided, each part has a share of its tension in proportion to the part's stiffness.
std::vector<double> RunningScene::multipliers_of(const RunningScene& before,
                                                 const Survivors& survivors) const {
  const auto first_of = [](const RunningScene& scene, int body) {
    const std::vector<int>& first = scene.model_.springs.first_inextensible;
    return first.empty() ? std::size_t{0} : at(first[at(body)]);
  };
  std::vector<double> multipliers(state_.multipliers.size(), 0.0);
  const auto copy = [&](std::size_t from, std::size_t to, std::size_t end) {
    std::copy_n(before.state_.multipliers.begin() + static_cast<std::ptrdiff_t>(from), end - to,
                multipliers.begin() + static_cast<std::ptrdiff_t>(to));
  };
  for (int body = 0; body < model_.num_bodies(); ++body) {
    const int origin = survivors.origin()[at(body)];
    if (origin < 0) continue;
    if (const std::vector<int>& parents = survivors.spring_parents(body); parents.empty()) {
      copy(first_of(before, origin), first_of(*this, body), first_of(*this, body + 1));
    } else {
      share_tensions(before, origin, body, parents, multipliers);
    }
    copy(first_volume_multiplier(before.model_, origin), first_volume_multiplier(model_, body),
         first_volume_multiplier(model_, body + 1));
  }
  return multipliers;
}

/// parents: for each spring of a body, its spring in `origin` before.
void RunningScene::share_tensions(const RunningScene& before, int origin, int body,
                                  const std::vector<int>& parents,
                                  std::vector<double>& multipliers) const {
  const SpringSet &own = model_.springs, &others = before.model_.springs;
  if (own.inextensible.empty()) return;
  const auto count_before = [](const Scene& scene, int end) {
    std::size_t count = 0;
    for (int b = 0; b < end; ++b) count += scene.bodies[at(b)].springs.size();
    return count;
  };
  const std::size_t first = count_before(scene_, body), old = count_before(before.scene_, origin);
  for (int i = own.first_inextensible[at(body)]; i < own.first_inextensible[at(body) + 1]; ++i) {
    const std::size_t spring = at(own.inextensible[at(i)]);
    const std::size_t parent = old + at(parents[spring - first]);
    const auto there = std::lower_bound(others.inextensible.begin(), others.inextensible.end(),
                                        static_cast<std::int32_t>(parent));
    const double tension =
        before.state_.multipliers[static_cast<std::size_t>(there - others.inextensible.begin())];
    multipliers[at(i)] =
        tension * (own.springs[spring].stiffness / others.springs[parent].stiffness);
  }
}

void RunningScene::take_over(const RunningScene& other) {
  SimulationState state = other.state();
  state.accelerations.clear();
  state.look_interval = 0;
  state.plastic = plastic_of(other);
  state.rods = rods_of(other);
  state.multipliers = multipliers_of(other);
  state.rested.clear();
  // Another scene has other weights.
  state.weights.clear();
  state.weights_spent = state.weights_worked = 0;
  // This scene may not keep these up to date; they must not wait for a scene that reads them.
  if (setup_.length() != other.setup_.length() || !setup_.looks_back()) {
    state.previous_positions.clear();
    state.previous_velocities.clear();
  }
  set_state(state);
  if (!other.attachments_.empty()) use_attachments(other.attachments_);
  if (other.model_.bonds.size() > other.num_scene_bonds_) use_bonds(other.attachments_);
  std::vector<int> same(state_.x.size());
  std::iota(same.begin(), same.end(), 0);
  carry_forces(other, same);
}

/// sources: for each vertex of this scene the vertex of the other, -1: none. Copies share a force
/// in proportion to their masses.
void RunningScene::carry_forces(const RunningScene& other, const std::vector<int>& sources) {
  if (!setup_.integrator().has_inertia || other.setup_.given_loads().empty()) return;
  std::vector<std::vector<int>> next(other.state_.x.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] >= 0) next[at(sources[i])].push_back(numbering_.to_model(static_cast<int>(i)));
  }
  other.setup_.given_loads().for_each([&](std::size_t i, const PaddedVector& force) {
    const std::vector<int>& own = next[at(other.numbering_.to_scene(static_cast<int>(i)))];
    double sum = 0;
    for (const int vertex : own) sum += model_.mass[at(vertex)];
    for (const int vertex : own) {
      if (!(model_.mass[at(vertex)] > 0)) continue;
      const double share = model_.mass[at(vertex)] / sum;
      setup_.given_loads().add(vertex, {share * force[0], share * force[1], share * force[2]},
                               model_.num_vertices);
    }
  });
}

/// Finds the positions at time 0 while layers grow from what they were then.
void RunningScene::find_layers() {
  if (start_.empty() || !BodyPairs::are_growing(state_.time)) return;
  start_apart(start_);
  start_.clear();
}

/// The state in which this scene starts, with everything that a state like `before` remembers.
SimulationState RunningScene::start_of_added(const SimulationState& before) const {
  State start = state_;
  if (!before.previous_positions.empty()) {
    start.x_previous = start.x;
    start.v_previous = start.v;
    setup_.free_flight(start.x, start.v, start.x_previous, start.v_previous);
  }
  // They are found at the present state.
  if (!before.accelerations.empty()) start.acceleration.resize(start.x.size());
  SimulationState saved = save_state(numbering_.to_scene(start));
  if (!before.weights.empty()) saved.weights = model_.stiffness.all();
  return saved;
}

std::vector<char> RunningScene::which_are_added(const Survivors& survivors) const {
  std::vector<char> is_added(scene_.bodies.size());
  for (std::size_t b = 0; b < is_added.size(); ++b) is_added[b] = survivors.is_added(b) ? 1 : 0;
  return is_added;
}

void RunningScene::move_added_apart(const Survivors& survivors) {
  const std::vector<char> is_added = which_are_added(survivors);
  const VectorField before = state_.x;
  pairs()->add_apart(state_.x[0].v, is_added, state_.time);
  if (state_.x_previous.empty()) return;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (int k = 0; k < 3; ++k) state_.x_previous[i][k] += state_.x[i][k] - before[i][k];
  }
}

/// Wakes bodies whose neighbour has been removed.
void RunningScene::wake_left_alone(const RunningScene& before, const Survivors& survivors) {
  std::vector<char> is_gone(before.scene_.bodies.size(), 1);
  for (const int origin : survivors.origin()) {
    if (origin >= 0) is_gone[at(origin)] = 0;
  }
  for (std::size_t gone = 0; sleep_.count() > 0 && gone < is_gone.size(); ++gone) {
    if (is_gone[gone] == 0) continue;
    const Box box = bounds_of(before.state_.x, before.model_, static_cast<int>(gone));
    for (int body = 0; body < model_.num_bodies(); ++body) {
      if (is_asleep(body) && are_near(box, bounds_of(state_.x, model_, body))) wake(body);
    }
  }
}

void RunningScene::go_on_from(const RunningScene& before, const Survivors& survivors) {
  const SimulationState state = before.state();
  SimulationState next = survivors.join(state, start_of_added(state));
  next.multipliers = multipliers_of(before, survivors);
  follow_rods(before, survivors, state.rods, next.rods);
  set_state(next);
  if (pairs() && survivors.adds()) move_added_apart(survivors);
  if (scene_.contact.self) open_tears(before, survivors);
  require_apart(contact_.get(), state_.x, state_.time, which_are_added(survivors));
  if (!state.accelerations.empty() && survivors.adds()) {
    const VectorField found = setup_.find_accelerations(state_, clock_, objective_);
    for (int i = 0; i < model_.num_vertices; ++i) {
      if (survivors.is_added(at(model_.body_of(i)))) state_.acceleration[at(i)] = found[at(i)];
    }
  }
  carry_forces(before, survivors.sources());
  touching_.go_on_from(before.touching_, survivors.origin());
  wake_left_alone(before, survivors);
}

}  // namespace supple

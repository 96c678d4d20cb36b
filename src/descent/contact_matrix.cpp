#include "descent/contact_matrix.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/index.h"
#include "math/vec3.h"

namespace supple {

namespace {

/// Steps of free motion within which a vertex is expected to touch. The vertices that are prepared
/// for that in a step: so many always (two solves), and so many for each direction that the step
/// before took less than the usual number.
constexpr double steps_ahead = 30;
constexpr int ahead_always = 8, ahead_for_direction = 6, usual_directions = 10;
/// Contacts are chosen at most so often in a step: what was learnt of the energy is lost each time.
constexpr int most_choices = 6;
/// Contacts are chosen again when the new ones that push are more than 1/part_new of those in the
/// matrix. A barrier that is missing in the matrix cuts more from the steps.
constexpr int part_new = 8, part_new_of_barriers = 32;

/// How deep resting bodies are in a barrier's layer, as parts of it.
constexpr double rest_from = 0.5, rest_to = 0.65;

/// A spring in place of a barrier: its stiffness, N/m, and how far it is pressed, m.
struct BarrierSpring {
  double stiffness, pressed;
};

/// The tangent of a barrier's force at the depth where it was found or, if that depth will change,
/// in the part of the layer in which bodies rest. It is not softer than in the middle of the layer,
/// which is where points go that have just come in.
BarrierSpring spring_of(const Contact& own, bool will_move) {
  const double at_depth =
      will_move ? std::clamp(own.depth, rest_from * own.layer, rest_to * own.layer) : own.depth;
  const double stiffness = std::max(own.stiffness, own.soft_stiffness_at(at_depth));
  return {stiffness, own.soft_force_at(at_depth) / stiffness + own.depth - at_depth};
}

/// Whether a contact pushes so hard that a direction whose matrix does not hold it would throw its
/// vertices. The spring of a barrier in which points are farther out than they rest says nothing
/// there.
bool any_throws(const ContactEnergy& contact) {
  const auto touching = contact.touching();
  return std::any_of(touching.begin(), touching.end(), [](const Contact& own) {
    return !(own.layer > 0 && own.depth < rest_from * own.layer);
  });
}

}  // namespace

bool ContactMatrix::reaches_beyond(const Contact& own) {
  return own.depth > own.soft_depth && own.added > 0;
}

/// A contact that was found at z. will_move: its depth will be another one.
ContactRow ContactMatrix::row_of(const Contact& own, RowKind kind, const VectorField& z,
                                 double stage, bool will_move) {
  const bool is_beyond = kind == RowKind::push_beyond;
  ContactRow row{.point = own.point,
                 .place = own.place,
                 .collider = own.collider,
                 .kind = kind,
                 .direction = own.normal,
                 .stiffness = (is_beyond ? own.added : own.stiffness) / stage,
                 .added = is_beyond ? 0 : own.added / stage,
                 .soft_depth = own.soft_depth * stage,
                 .in_matrix = 0,
                 .is_barrier = own.layer > 0 && !is_beyond,
                 .is_at_z = false,
                 .plane = 0,
                 .most = 0,
                 .gap = -stage * (is_beyond ? own.beyond(own.depth) : own.depth),
                 .assumed = 0,
                 .force = 0};
  if (row.is_barrier) {
    const BarrierSpring spring = spring_of(own, will_move);
    row.stiffness = spring.stiffness / stage;
    row.gap = -spring.pressed * stage;
    row.soft_depth += (own.depth - spring.pressed) * -stage;
  }
  row.plane = along(own.normal, own.point, z) - row.gap;
  return row;
}

ContactMatrix::ContactMatrix(const Model& model, double inverse_a2, Weights weights,
                             const Earlier<Laplacian>& earlier)
    : own_(std::make_unique<Laplacian>(model, inverse_a2, Precision::mixed, weights, earlier)),
      inner_(*own_) {}

ContactMatrix::ContactMatrix(const Model& /*model*/, Laplacian& shared) : inner_(shared) {}

void ContactMatrix::make_room(const Objective& objective) {
  if (compliance_ != nullptr) return;
  const std::size_t n = at(objective.model().num_vertices);
  right_.resize(n);
  column_.resize(n);
  place_.assign(n, -1);
  compliance_ = &inner_.compliance();
  system_.make_room(3 * objective.contact()->max_contacts());
  for (Many* many : {&many_, &many_active_}) many->blocks.make_room(n);
  const std::size_t most_points = system_.capacity_of_one();
  values_.reserve(3 * most_points);
  active_.reserve(3 * most_points);
  points_.reserve(most_points);
  between_.reserve(most_points * most_points);
  corners_.reserve(std::size(ContactPoint{}.vertices) * most_points);
  if (const RigidMatrix& rigid = inner_.rigid(); !rigid.empty()) {
    system_.couple_directions(true);
    constexpr std::size_t corners = std::size(ContactPoint{}.vertices);
    first_rigid_.reserve(3 * most_points + 1);
    rigid_parts_.reserve(corners * 3 * most_points);
    rigid_values_.reserve(corners * 3 * most_points * rigid.largest_part());
  }
  ahead_.reserve(std::max(objective.contact()->vertices().size(), 4 * most_points));
}

void ContactMatrix::begin_step(Objective& objective) {
  if (own_) own_->begin_step(objective);
  choices_ = 0;
  is_alone_ = is_thorough_ = is_left_out_ = false;
  times_left_out_ = 0;
  are_many_ = are_many_active_ = false;
  system_.couple_directions(!inner_.rigid().empty());
  active_.clear();
  if (objective.contact() == nullptr) return;
  is_barrier_ = objective.contact()->is_barrier();
  make_room(objective);
  held_.let_go();
  most_vertices_ = compliance_->max_vertices(objective.selected());
  vertices_of_part_.resize(compliance_->num_parts());
  // Contacts at z and at z + p, and those in the matrix.
  const std::size_t most_rows =
      3 * (objective.contact()->max_contacts() + system_.capacity_of_one());
  touching_.reserve(most_rows);
  before_.reserve(most_rows);
  fits_.reserve(most_rows);
  point_of_.reserve(most_rows);
  compliance_->begin_step(objective.selected());
  if (own_) look_ahead(objective, std::exchange(num_directions_, 0));
}

/// Finds the compliance of some vertices that will touch soon: an impact brings hundreds at once.
void ContactMatrix::look_ahead(const Objective& objective, int last_directions) {
  objective.contact()->find_ahead(objective.inertial_target()[0].v, objective.fall(), steps_ahead,
                                  ahead_);
  const int idle = std::max(0, usual_directions - last_directions);
  const std::size_t most = at(ahead_always + ahead_for_direction * idle);
  // A vertex that will be in two colliders is named twice.
  std::erase_if(ahead_, [&](int vertex) {
    if (!inner_.rigid().empty() && inner_.rigid().is_rigid(vertex)) return true;
    return compliance_->has(vertex) || !compliance_->has_room(vertex, most) ||
           std::exchange(place_[at(vertex)], 0) == 0;
  });
  for (const int vertex : ahead_) place_[at(vertex)] = -1;
  ahead_.resize(std::min(ahead_.size(), most));
  compliance_->find(ahead_, objective.threads());
}

/// Takes the contacts out of the matrix, and goes on from the constant one. Contacts can be stiffer
/// than the system can hold, because of rounding. If nothing else helps, directions go on without
/// them: those of a positive definite matrix alone lead down. Soft contacts of rigid bodies would
/// throw them.
bool ContactMatrix::restart() {
  if (is_left_out_) {
    take_in();
    return true;
  }
  if (active_.empty()) {
    if (are_many_ && !std::exchange(is_thorough_, true)) return true;
    return (is_barrier_ || inner_.rigid().empty()) && !std::exchange(is_alone_, true);
  }
  active_.clear();
  choices_ = most_choices;
  return true;
}

/// The row of a contact, or of another row, among the first `count` of touching_; null: none.
template <class Touching>
ContactRow* ContactMatrix::find(const Touching& other, RowKind kind, std::size_t count) {
  for (int i = place_[at(other.point.vertices[0])]; i >= 0; i = before_[at(i)]) {
    ContactRow& own = touching_[at(i)];
    if (at(i) < count && own.place == other.place && own.point.count == other.point.count &&
        own.collider == other.collider && own.kind == kind) {
      return &own;
    }
  }
  return nullptr;
}
template ContactRow* ContactMatrix::find(const ContactRow&, RowKind, std::size_t);

/// Lets `find` find all rows of touching_, until `forget_places`.
void ContactMatrix::find_places() {
  before_.clear();
  for (const ContactRow& own : touching_) {
    int& last = place_[at(own.point.vertices[0])];
    before_.push_back(std::exchange(last, static_cast<int>(before_.size())));
  }
}

void ContactMatrix::forget_places() {
  for (const ContactRow& own : touching_) place_[at(own.point.vertices[0])] = -1;
}

/// Makes touching_ the contacts in the matrix, at z and at z + p, as the direction p sees them.
/// Returns the energy by which p is wrong, J: because a contact pulls it back, or because it goes
/// into one that it does not know.
double ContactMatrix::gather(Objective& objective, const Iterate& at_z, const VectorField& p) {
  const ContactEnergy& contact = *objective.contact();
  const double stage = contact.stage();
  touching_.clear();
  before_.clear();
  for (const ContactRow& own : is_left_out_ ? pushed_ : active_) {
    // What is left out knows friction only where it is now.
    if (is_left_out_ && !own.only_pushes()) continue;
    add(own);
    touching_.back().gap = along(own.direction, own.point, at_z.x) - own.plane;
    touching_.back().in_matrix = is_left_out_ ? 0 : own.stiffness;
    touching_.back().is_at_z = false;
    touching_.back().leave_barrier();
  }
  const std::size_t num_active = touching_.size();
  const bool can_turn = is_left_out_ || are_many_active_ || num_active <= system_.capacity();
  // One row for a contact within its soft depth, and one for what is added beyond. A direction that
  // was made without the forces says nothing about depths; then `add_beyond` adds the second row.
  const bool is_blind = left_out_ && !is_left_out_;
  const auto see = [&](const Contact& own, std::size_t known_up_to, const VectorField& z) {
    if (own.is_inner) return;
    const bool is_at_z = &z == &at_z.x;
    for (const RowKind kind : {RowKind::push, RowKind::push_beyond}) {
      if (kind == RowKind::push_beyond && (is_blind || !reaches_beyond(own))) continue;
      ContactRow* const known = find(own, kind, known_up_to);
      ContactRow row = row_of(own, kind, z, stage, is_blind || !is_at_z);
      row.is_at_z = is_at_z;
      if (known == nullptr) {
        add(row);
        continue;
      }
      if (row.is_barrier) {
        // If it pushes at z, its spring is known from there.
        if (!is_at_z && known->is_at_z) continue;
        known->stiffness = row.stiffness;
        known->soft_depth = row.soft_depth;
        known->is_at_z = is_at_z;
      }
      // Its surface may be curved. If there is no room for another direction, it keeps the plane
      // with which it was found.
      if (is_at_z && !can_turn && !system_.is_in_frame(own.normal)) continue;
      known->gap = row.gap;
      if (is_at_z) {
        known->direction = row.direction;
        known->plane = row.plane;
      }
    }
  };
  for (const Contact& own : contact.touching()) see(own, num_active, at_z.x);
  gather_friction(contact, at_z.x, num_active);
  const std::size_t num_at_z = touching_.size();
  for (std::size_t i = 0; i < num_at_z; ++i) {
    ContactRow& own = touching_[i];
    const double closing = along(own.direction, own.point, p);
    if (!is_blind || !own.only_pushes()) own.assumed = own.force_at(own.gap);
    if (i < num_active) own.assumed -= own.in_matrix * closing;
    own.gap += closing;
    if (!own.is_at_z) own.leave_barrier();
  }
  VectorField& end = at_z.ahead != nullptr ? *at_z.ahead : column_;
  objective.algebra().step(at_z.x, 1, p, end);
  objective.find_contacts(end);
  double wrong = 0;
  for (const Contact& own : contact.touching()) see(own, num_at_z, end);
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    ContactRow& own = touching_[i];
    const double force = own.force_at(own.gap);
    wrong += (force - own.assumed) * (force - own.assumed) / (2 * own.stiffness);
  }
  forget_places();
  return wrong;
}

/// Leaves out the smallest of touching_ if there is no room for all, but none that is in the
/// matrix.
void ContactMatrix::keep_room() {
  const std::size_t num_active = active_.size();
  if (num_active == 0) system_.choose_frame(touching_);
  if (!all_fit(num_active)) {
    std::sort(touching_.begin() + static_cast<std::ptrdiff_t>(num_active), touching_.end(),
              [](const ContactRow& a, const ContactRow& b) {
                const auto key = [](const ContactRow& own) {
                  return own.only_pushes() ? RowKind::push : own.kind;
                };
                const RowKind ka = key(a), kb = key(b);
                const double pa = -a.force_at(a.gap), pb = -b.force_at(b.gap);
                return std::tie(ka, pa, a.point.count, a.place, a.collider, a.kind) <
                       std::tie(kb, pb, b.point.count, b.place, b.collider, b.kind);
              });
    keep_fitting(num_active);
  }
}

void ContactMatrix::add(const ContactRow& own) {
  int& last = place_[at(own.point.vertices[0])];
  before_.push_back(std::exchange(last, static_cast<int>(touching_.size())));
  touching_.push_back(own);
}

/// Adds friction at z to touching_. What is in the matrix already stays as it is there. If contacts
/// are left out of the matrix, friction is what it is and no spring below it: it sticks up to its
/// largest force. Across its slip it only turns, as a spring.
void ContactMatrix::gather_friction(const ContactEnergy& contact, const VectorField& z,
                                    std::size_t num_active) {
  for (const Contact& own : contact.contacts()) {
    if (!(own.friction > 0)) continue;
    if (find(own, RowKind::friction_first, num_active) != nullptr) continue;
    const ContactEnergy::Spring spring = contact.friction_spring(own, z[0].v);
    const Vec3& n = own.normal;
    const Vec3 across = std::abs(n[0]) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    Vec3 first = vec3::direction(vec3::cross(n, across), {0, 0, 0});
    double stiffness[2] = {spring.stiffness, spring.stiffness};
    double most[2] = {0, 0};
    if (is_left_out_) {
      // Spring and force at z agree: the largest force is sticking * slip.
      const double sticking = own.friction / own.slip / contact.stage();
      const bool slips = spring.stiffness < sticking;
      if (slips) first = vec3::direction(spring.slip, first);
      stiffness[0] = sticking;
      most[0] = own.friction;
      if (!slips) most[1] = own.friction;
    }
    const Vec3 tangents[2] = {first, vec3::cross(n, first)};
    for (const RowKind kind : {RowKind::friction_first, RowKind::friction_second}) {
      const std::size_t t = kind == RowKind::friction_first ? 0 : 1;
      const Vec3& tangent = tangents[t];
      const double gap = vec3::dot(tangent, spring.slip);
      add({.point = own.point,
           .place = own.place,
           .collider = own.collider,
           .kind = kind,
           .direction = tangent,
           .stiffness = stiffness[t],
           .added = 0,
           .soft_depth = 0,
           .in_matrix = 0,
           .is_barrier = false,
           .is_at_z = true,
           .plane = along(tangent, own.point, z) - gap,
           .most = most[t],
           .gap = gap,
           .assumed = 0,
           .force = 0});
    }
  }
}

/// Adds rows for what pushes beyond the soft depth, to contacts that would get that deep without
/// it. Returns whether there are any.
bool ContactMatrix::add_beyond() {
  const std::size_t n = touching_.size();
  for (std::size_t i = 0; i < n; ++i) {
    ContactRow deep = touching_[i];
    if (!(deep.added > 0 && deep.force > deep.stiffness * deep.soft_depth)) continue;
    deep.kind = RowKind::push_beyond;
    deep.stiffness = std::exchange(deep.added, 0.0);
    deep.plane -= deep.soft_depth;
    deep.gap += deep.soft_depth;
    deep.is_barrier = false;
    deep.assumed = deep.force = 0;
    touching_.push_back(deep);
  }
  keep_fitting(n);
  return touching_.size() > n;
}

ConstantDirection::Respect ContactMatrix::respect_contacts(Objective& objective,
                                                           const Iterate& at_z, VectorField& p) {
  if (objective.contact() == nullptr || is_alone_) return Respect::as_it_was;
  const double wrong = gather(objective, at_z, p);
  keep_room();
  // The slope leaves out the forces that the matrix does not hold: the direction is wrong about
  // them.
  double slope = objective.algebra().dot(at_z.gradient, p);
  for (std::size_t i = active_.size(); i < touching_.size(); ++i) {
    const ContactRow& own = touching_[i];
    slope += own.assumed * along(own.direction, own.point, p);
  }
  if (!left_out_ && wrong <= harmless * std::abs(slope)) {
    found_ahead_ = at_z.ahead != nullptr;
    return Respect::as_it_was;
  }
  fill_system(many_, objective.threads());
  find_forces(objective.threads());
  if (left_out_ && add_beyond()) {
    fill_system(many_, objective.threads());
    find_forces(objective.threads());
  }
  for (const ContactRow& own : touching_) {
    add_force(own.assumed - own.force, own.direction, own.point, right_);
  }
  add_response(objective, touching_, p);
  const auto num_active = static_cast<int>(active_.size());
  const std::span<const int> members = this->members();
  const auto num_new =
      std::count_if(members.begin(), members.end(), [&](int i) { return i >= num_active; });
  const int part = is_barrier_ ? part_new_of_barriers : part_new;
  const bool is_settled = choices_ == most_choices || num_new <= num_active / part;
  if (!left_out_ && is_settled) return Respect::corrected;
  ++choices_;
  is_factored_ = is_factored_ && active_.empty();
  active_.clear();
  for (const int i : members) active_.push_back(touching_[at(i)]);
  return Respect::new_matrix;
}

bool ContactMatrix::compute(Objective& objective, const Iterate& at_z, VectorField& p) {
  if (!compute_unfinished(objective, at_z, p)) return false;
  objective.algebra().for_chunks([&](int, int first, int last) { finish(first, last, p); });
  respect_contacts(objective, at_z, p);
  return true;
}

/// Takes the forces of contacts off the right-hand side, half way through a solve.
class ContactMatrix::Forces final : public HalfWay {
 public:
  explicit Forces(ContactMatrix& owner) : owner_(owner) {}

  bool turn(float* y, double scale) override {
    Compliance& compliance = *owner_.compliance_;
    const std::vector<ContactRow>& active = owner_.active_;
    const int any_vertex = active.front().point.vertices[0];
    compliance.enter_half_way(any_vertex, y);
    owner_.values_.clear();
    for (const ContactRow& own : active) {
      double value = 0;
      for (int i = 0; i < own.point.count; ++i) {
        for (int k = 0; k < 3; ++k) {
          const double share = own.point.weights[i] * own.direction[at(k)];
          if (share == 0) continue;
          value += share * static_cast<double>(compliance.half_product(own.point.vertices[i], k));
        }
      }
      owner_.values_.push_back(value / scale);
    }
    owner_.system_.solve(owner_.values_);
    for (std::size_t i = 0; i < active.size(); ++i) {
      add_force(owner_.values_[i], active[i].direction, active[i].point, owner_.right_);
    }
    for (const ContactRow& own : active) {
      for (int i = 0; i < own.point.count; ++i) {
        const int vertex = own.point.vertices[i];
        PaddedVector& force = owner_.right_[at(vertex)];
        for (int k = 0; k < 3; ++k) {
          if (force[k] == 0) continue;
          compliance.take_off(vertex, k, static_cast<float>(scale * force[k]));
          taken[k] += force[k];
        }
        force = {};
      }
    }
    compliance.leave_half_way(any_vertex, y);
    return true;
  }

  PaddedVector taken = {};  ///< N

 private:
  ContactMatrix& owner_;
};

bool ContactMatrix::compute_unfinished(Objective& objective, const Iterate& at_z, VectorField& p) {
  left_out_ = false;
  is_whole_ = found_ahead_ = false;
  ++num_directions_;
  if (objective.contact() == nullptr) return inner_.compute_unfinished(objective, at_z, p);
  if (active_.empty()) {
    left_out_ = !is_alone_ && choices_ < most_choices && any_throws(*objective.contact());
    if (!left_out_) return inner_.compute_unfinished(objective, at_z, p);
    // Forces that the matrix does not hold would throw their vertices: respect_contacts finds them.
    objective.algebra().copy(at_z.gradient, column_);
    for (const Contact& own : objective.contact()->touching()) {
      add_force(own.force(), own.normal, own.point, column_);
    }
    return inner_.compute_unfinished(objective, {at_z.x, column_, at_z.value}, p);
  }
  if (!is_factored_) {
    touching_ = active_;
    fill_system(many_active_, objective.threads());
    are_many_active_ = are_many_;
    is_factored_ = are_many_ || system_.factor_all();
    if (!is_factored_) {
      // Rounding has made it indefinite: the line search handles the contacts of this step.
      restart();
      return inner_.compute_unfinished(objective, at_z, p);
    }
  }
  if (!are_many_active_ && compliance_->has_half_way(objective.selected())) {
    Forces forces(*this);
    return inner_.compute_half_way(objective, at_z, forces, forces.taken, p);
  }
  if (!inner_.compute(objective, at_z, p)) return false;
  values_.clear();
  for (const ContactRow& own : active_) values_.push_back(along(own.direction, own.point, p));
  if (!solve_active(objective.threads())) return false;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    add_force(values_[i], active_[i].direction, active_[i].point, right_);
  }
  add_response(objective, active_, p);
  is_whole_ = true;
  return true;
}

/// Adds to p what the forces in right_ do, which are at these contacts, and clears them. Few rows
/// of the right-hand side are not zero, which saves half of a solve.
void ContactMatrix::add_response(Objective& objective, std::span<const ContactRow> contacts,
                                 VectorField& p) {
  inner_.compute(objective, {p, right_, 0}, column_);
  for (const ContactRow& own : contacts) {
    for (int i = 0; i < own.point.count; ++i) right_[at(own.point.vertices[i])] = {};
  }
  objective.algebra().add(1, column_, p);
}

}  // namespace supple

#include "descent/contact_matrix.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/index.h"

namespace supple {

namespace {

/// Contacts in the matrix at most: the dense system's cost grows with their cube. Of more the
/// deepest are taken, and the line search sees to the others.
constexpr std::size_t most_contacts = 320;
/// Vertices whose columns are kept, and numbers of all of them: 64 MB, of which only what is used
/// is taken from the system.
constexpr std::size_t most_slots_kept = 512, most_column_entries = std::size_t{1} << 24;
/// Of an active set: what has not settled by then is left to the line search.
constexpr int most_set_rounds = 12;
/// Times that contacts are chosen in a step: what was learnt of the energy is lost each time.
constexpr int most_choices = 6;
/// Of the decrease that a direction promises: what it may be wrong by in its contacts.
constexpr double harmless = 0.05;
/// Of the contacts in the matrix: so many more that push, and they are chosen again.
constexpr int part_new = 8;

double dot3(const Vec3& a, const PaddedVector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

}  // namespace

ContactMatrix::ContactMatrix(const Model& model, double inverse_a2)
    : own_(std::make_unique<Laplacian>(model, inverse_a2)),
      inner_(*own_),
      kernels_(&front_kernels(simd_level_in_use())),
      slot_of_vertex_(at(model.num_vertices), -1) {}

ContactMatrix::ContactMatrix(const Model& model, Laplacian& shared)
    : inner_(shared),
      kernels_(&front_kernels(simd_level_in_use())),
      slot_of_vertex_(at(model.num_vertices), -1) {}

void ContactMatrix::make_room(const Objective& objective) {
  if (!compliance_.empty()) return;
  const std::size_t n = at(objective.model().num_vertices);
  right_.resize(n);
  column_.resize(n);
  place_.assign(n, -1);
  num_slots_ = std::clamp<std::size_t>(most_column_entries / n, 32, most_slots_kept);
  columns_ = std::make_unique_for_overwrite<float[]>(num_slots_ * n);
  compliance_.resize(num_slots_ * num_slots_);
  vertex_of_slot_.reserve(num_slots_);
  front_.resize(most_contacts * most_contacts);
  inverse_.resize(most_contacts * most_contacts);
  work_.reserve(most_contacts);
  values_.reserve(most_contacts);
  members_.reserve(most_contacts);
  next_.reserve(most_contacts);
  free_gap_.reserve(most_contacts);
  active_.reserve(most_contacts);
}

void ContactMatrix::begin_step(Objective& objective) {
  if (own_) own_->begin_step(objective);
  choices_ = 0;
  active_.clear();
  if (objective.contact() == nullptr) return;
  make_room(objective);
  touching_.reserve(2 * objective.contact()->max_contacts() + most_contacts);
  const long version = inner_.matrix().matrix().num_changes();
  if (version == version_) return;
  version_ = version;
  for (const int vertex : vertex_of_slot_) slot_of_vertex_[at(vertex)] = -1;
  vertex_of_slot_.clear();
}

/// Without contacts in the matrix it goes on from the constant one.
bool ContactMatrix::restart() {
  if (active_.empty()) return false;
  active_.clear();
  choices_ = most_choices;
  return true;
}

/// Among the first of touching_.
ContactMatrix::Touching* ContactMatrix::find(const Contact& contact, std::size_t count) {
  const int first = place_[at(contact.vertex)];
  if (first < 0) return nullptr;
  for (std::size_t i = at(first); i < count; ++i) {
    Touching& own = touching_[i];
    if (own.vertex == contact.vertex && own.collider == contact.collider) return &own;
  }
  return nullptr;
}

/// What touches at z, in the matrix or at z + p, as the direction p takes it. The energy that p is
/// wrong by, J: where it is pulled back by a contact or goes into one that it does not know.
double ContactMatrix::gather(Objective& objective, const Iterate& at_z, const VectorField& p) {
  const ContactEnergy& contact = *objective.contact();
  const double stage = contact.stage();
  touching_.clear();
  for (const Touching& own : active_) {
    touching_.push_back(own);
    Touching& next = touching_.back();
    next.gap = dot3(own.normal, at_z.x[at(own.vertex)]) - own.plane;
    if (place_[at(own.vertex)] < 0) place_[at(own.vertex)] = static_cast<int>(touching_.size()) - 1;
  }
  const std::size_t num_active = touching_.size();
  const auto add = [&](const Contact& own) {
    const double gap = -own.depth * stage;
    touching_.push_back({.vertex = own.vertex,
                         .collider = own.collider,
                         .slot = -1,
                         .normal = own.normal,
                         .stiffness = own.stiffness / stage,
                         .plane = dot3(own.normal, at_z.x[at(own.vertex)]) - gap,
                         .gap = gap,
                         .assumed = 0,
                         .force = 0});
    if (place_[at(own.vertex)] < 0) place_[at(own.vertex)] = static_cast<int>(touching_.size()) - 1;
  };
  for (const Contact& own : contact.touching()) {
    if (own.is_inner) continue;
    if (Touching* known = find(own, num_active)) {
      // Its surface may be curved.
      known->normal = own.normal;
      known->gap = -own.depth * stage;
      known->plane = dot3(own.normal, at_z.x[at(own.vertex)]) - known->gap;
    } else {
      add(own);
    }
  }
  const std::size_t num_at_z = touching_.size();
  for (std::size_t i = 0; i < num_at_z; ++i) {
    Touching& own = touching_[i];
    const double along = dot3(own.normal, p[at(own.vertex)]);
    if (!left_out_) own.assumed = -own.stiffness * std::min(0.0, own.gap);
    if (i < num_active) own.assumed -= own.stiffness * along;
    own.gap += along;
  }
  objective.algebra().step(at_z.x, 1, p, column_);
  objective.find_contacts(column_);
  double wrong = 0;
  for (const Contact& own : contact.touching()) {
    if (own.is_inner) continue;
    if (Touching* known = find(own, num_at_z)) {
      known->gap = -own.depth * stage;
      continue;
    }
    add(own);
    Touching& next = touching_.back();
    next.plane += dot3(own.normal, p[at(own.vertex)]);
  }
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    Touching& own = touching_[i];
    const double force = -own.stiffness * std::min(0.0, own.gap);
    wrong += (force - own.assumed) * (force - own.assumed) / (2 * own.stiffness);
    place_[at(own.vertex)] = -1;
  }
  const std::size_t most = std::min(most_contacts, num_slots_);
  if (touching_.size() > most) {
    std::sort(touching_.begin() + static_cast<std::ptrdiff_t>(num_active), touching_.end(),
              [](const Touching& a, const Touching& b) {
                const double pa = a.stiffness * a.gap, pb = b.stiffness * b.gap;
                return std::tie(pa, a.vertex, a.collider) < std::tie(pb, b.vertex, b.collider);
              });
    touching_.resize(most);
  }
  return wrong;
}

/// Solves for up to three vertices at once: the matrix is the same for x, y and z.
void ContactMatrix::find_columns(Objective& objective, const Iterate& at_z, const int* vertices,
                                 int count) {
  for (int k = 0; k < count; ++k) right_[at(vertices[k])][k] = 1;
  inner_.compute(objective, {at_z.x, right_, 0}, column_);
  for (int k = 0; k < count; ++k) right_[at(vertices[k])][k] = 0;
  const std::size_t n = column_.size();
  for (int k = 0; k < count; ++k) {
    float* const kept = &columns_[at(slot_of_vertex_[at(vertices[k])]) * n];
    for (std::size_t i = 0; i < n; ++i) kept[i] = static_cast<float>(-column_[i][k]);
  }
}

void ContactMatrix::find_compliances(Objective& objective, const Iterate& at_z) {
  std::size_t count = 0;
  for (const Touching& own : touching_) {
    if (slot_of_vertex_[at(own.vertex)] < 0) ++count;
  }
  const std::size_t n = column_.size();
  std::size_t first_new = vertex_of_slot_.size();
  if (first_new + count > num_slots_) {
    first_new = 0;
    for (const int vertex : vertex_of_slot_) slot_of_vertex_[at(vertex)] = -1;
    vertex_of_slot_.clear();
  }
  int vertices[3];
  int waiting = 0;
  for (const Touching& own : touching_) {
    if (slot_of_vertex_[at(own.vertex)] >= 0) continue;
    slot_of_vertex_[at(own.vertex)] = static_cast<int>(vertex_of_slot_.size());
    vertex_of_slot_.push_back(own.vertex);
    vertices[waiting++] = own.vertex;
    if (waiting < 3) continue;
    find_columns(objective, at_z, vertices, waiting);
    waiting = 0;
  }
  if (waiting > 0) find_columns(objective, at_z, vertices, waiting);
  for (std::size_t own = first_new; own < vertex_of_slot_.size(); ++own) {
    for (std::size_t other = 0; other <= own; ++other) {
      const bool is_first = vertex_of_slot_[own] < vertex_of_slot_[other];
      const std::size_t column = is_first ? own : other, row = is_first ? other : own;
      const double entry = static_cast<double>(columns_[column * n + at(vertex_of_slot_[row])]);
      compliance_[own * num_slots_ + other] = compliance_[other * num_slots_ + own] = entry;
    }
  }
  for (Touching& own : touching_) own.slot = slot_of_vertex_[at(own.vertex)];
}

/// Factorises C + K^-1 of some of what touches.
bool ContactMatrix::factor(const std::vector<int>& members) {
  size_ = members.size();
  for (std::size_t j = 0; j < size_; ++j) {
    const Touching& b = touching_[at(members[j])];
    for (std::size_t i = j; i < size_; ++i) {
      front_[j * size_ + i] = compliance(touching_[at(members[i])], b);
    }
    front_[j * size_ + j] += 1 / b.stiffness;
  }
  return kernels_->eliminate(front_.data(), static_cast<int>(size_), 0, false, inverse_.data(),
                             nullptr);
}

/// right becomes (C + K^-1)^-1 right = L^-T L^-1 right.
void ContactMatrix::solve(std::vector<double>& right) const {
  work_.assign(size_, 0.0);
  for (std::size_t j = 0; j < size_; ++j) {
    const double* const column = inverse_.data() + j * size_;
    for (std::size_t i = j; i < size_; ++i) work_[i] += column[i] * right[j];
  }
  for (std::size_t j = 0; j < size_; ++j) {
    const double* const column = inverse_.data() + j * size_;
    double sum = 0;
    for (std::size_t i = j; i < size_; ++i) sum += column[i] * work_[i];
    right[j] = sum;
  }
}

/// From free_gap_ to the forces of the complementarity problem; members_ are those that push. A
/// direction that holds contacts says by itself which of them do, or nearly.
void ContactMatrix::find_forces() {
  members_.clear();
  next_.clear();
  for (std::size_t i = 0; i < touching_.size() && !left_out_; ++i) {
    if (touching_[i].gap < 0) members_.push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < touching_.size() && members_.empty(); ++i) {
    if (free_gap_[i] < 0) next_.push_back(static_cast<int>(i));
  }
  if (members_.empty()) std::swap(members_, next_);
  for (int round = 0; round < most_set_rounds; ++round) {
    for (Touching& own : touching_) own.force = 0;
    if (members_.empty()) return;
    if (!factor(members_)) {
      members_.clear();
      return;
    }
    values_.clear();
    for (const int i : members_) values_.push_back(-free_gap_[at(i)]);
    solve(values_);
    for (std::size_t k = 0; k < members_.size(); ++k) {
      touching_[at(members_[k])].force = values_[k];
    }
    next_.clear();
    for (std::size_t i = 0, k = 0; i < touching_.size(); ++i) {
      const Touching& own = touching_[i];
      bool pushes = own.force > 0;
      if (k < members_.size() && members_[k] == static_cast<int>(i)) {
        ++k;
      } else {
        double gap = free_gap_[i];
        for (const int j : members_) {
          gap += compliance(own, touching_[at(j)]) * touching_[at(j)].force;
        }
        pushes = gap < 0;
      }
      if (pushes) next_.push_back(static_cast<int>(i));
    }
    if (next_ == members_) return;
    if (round + 1 < most_set_rounds) std::swap(members_, next_);
  }
}

Direction::Respect ContactMatrix::respect_contacts(Objective& objective, const Iterate& at_z,
                                                   VectorField& p) {
  if (objective.contact() == nullptr) return Respect::as_it_was;
  const double wrong = gather(objective, at_z, p);
  // Of what the matrix does not hold the slope is as wrong as the direction.
  double slope = objective.algebra().dot(at_z.gradient, p);
  for (std::size_t i = active_.size(); i < touching_.size(); ++i) {
    const Touching& own = touching_[i];
    slope += own.assumed * dot3(own.normal, p[at(own.vertex)]);
  }
  if (!left_out_ && wrong <= harmless * std::abs(slope)) return Respect::as_it_was;
  find_compliances(objective, at_z);
  free_gap_.clear();
  for (const Touching& own : touching_) {
    double gap = own.gap;
    for (const Touching& other : touching_) gap -= compliance(own, other) * other.assumed;
    free_gap_.push_back(gap);
  }
  find_forces();
  for (const Touching& own : touching_) {
    const double push = own.force - own.assumed;
    for (int k = 0; k < 3; ++k) right_[at(own.vertex)][k] -= push * own.normal[at(k)];
  }
  inner_.compute(objective, {at_z.x, right_, 0}, column_);
  for (const Touching& own : touching_) right_[at(own.vertex)] = {};
  objective.algebra().add(1, column_, p);
  const auto num_active = static_cast<int>(active_.size());
  const auto num_new =
      std::count_if(members_.begin(), members_.end(), [&](int i) { return i >= num_active; });
  is_factored_ = false;
  const bool is_settled = choices_ == most_choices || num_new <= num_active / part_new;
  if (!left_out_ && is_settled) return Respect::corrected;
  ++choices_;
  active_.clear();
  for (const int i : members_) active_.push_back(touching_[at(i)]);
  return Respect::new_matrix;
}

bool ContactMatrix::compute(Objective& objective, const Iterate& at_z, VectorField& p) {
  if (!compute_unfinished(objective, at_z, p)) return false;
  finish(0, static_cast<int>(p.size()), p);
  respect_contacts(objective, at_z, p);
  return true;
}

bool ContactMatrix::compute_unfinished(Objective& objective, const Iterate& at_z, VectorField& p) {
  left_out_ = false;
  if (objective.contact() == nullptr) return inner_.compute_unfinished(objective, at_z, p);
  if (active_.empty()) {
    left_out_ = choices_ < most_choices && !objective.contact()->touching().empty();
    if (!left_out_) return inner_.compute_unfinished(objective, at_z, p);
    // Forces that the matrix does not hold would throw their vertices: respect_contacts finds them.
    column_ = at_z.gradient;
    for (const Contact& own : objective.contact()->touching()) {
      const double force = own.stiffness * own.depth;
      for (int k = 0; k < 3; ++k) column_[at(own.vertex)][k] += force * own.normal[at(k)];
    }
    return inner_.compute_unfinished(objective, {at_z.x, column_, at_z.value}, p);
  }
  if (!inner_.compute(objective, at_z, p)) return false;
  if (!is_factored_) {
    touching_ = active_;
    find_compliances(objective, at_z);  // they may have made room for others since
    members_.resize(active_.size());
    std::iota(members_.begin(), members_.end(), 0);
    is_factored_ = factor(members_);
  }
  values_.clear();
  for (const Touching& own : active_) values_.push_back(dot3(own.normal, p[at(own.vertex)]));
  solve(values_);
  column_ = at_z.gradient;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      column_[at(active_[i].vertex)][k] += values_[i] * active_[i].normal[at(k)];
    }
  }
  return inner_.compute_unfinished(objective, {at_z.x, column_, at_z.value}, p);
}

}  // namespace supple

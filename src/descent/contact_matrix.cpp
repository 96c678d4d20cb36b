#include "descent/contact_matrix.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/index.h"
#include "contact/vec3.h"

namespace supple {

namespace {

/// Contacts in the matrix at most: the dense system's cost grows with their cube. Of more the
/// deepest are taken, and the line search sees to the others.
constexpr std::size_t most_contacts = 320;
/// Sweeps of Gauss-Seidel, and the part of what the first of them changes below which they end.
constexpr int most_sweeps = 30;
constexpr float settled = 1e-3F;
/// Steps of free motion within which a vertex is expected to touch, and vertices that are prepared
/// for it in each step: two solves, and one for each direction that the step before has not taken
/// of a usual number.
constexpr double steps_ahead = 30;
constexpr int ahead_always = 8, ahead_for_direction = 4, usual_directions = 10;
/// Of an active set: what has not settled by then is left to the line search.
constexpr int most_set_rounds = 6;
/// Times that contacts are chosen in a step: what was learnt of the energy is lost each time.
constexpr int most_choices = 6;
/// Of the decrease that a direction promises: what it may be wrong by in its contacts.
constexpr double harmless = 0.05;
/// Of the contacts in the matrix: so many more that push, and they are chosen again.
constexpr int part_new = 8;

/// Of a barrier's layer: how deep what rests is in it.
constexpr double rest_from = 0.5, rest_to = 0.65;

/// Of what pushes beyond the soft depth of a contact.
constexpr int beyond = 3;

/// n . x of a point.
double along(const Vec3& normal, const ContactPoint& point, const VectorField& x) {
  return vec3::dot(normal, point.position(x[0].v));
}

/// Adds a force along n at a point to its vertices.
void add_force(double force, const Vec3& normal, const ContactPoint& point, VectorField& sum) {
  for (int i = 0; i < point.count; ++i) {
    PaddedVector& own = sum[at(point.vertices[i])];
    for (int k = 0; k < 3; ++k) own[k] += point.weights[i] * (force * normal[at(k)]);
  }
}

/// A spring in place of a barrier: its stiffness, N/m, and how far it is pressed, m.
struct BarrierSpring {
  double stiffness, pressed;
};

/// The tangent of a barrier's force where it was found, or, where that is not where it will be, in
/// the part of the layer in which bodies rest. It is not softer than in the middle of the layer,
/// which is where what has just come in goes.
BarrierSpring spring_of(const Contact& own, bool will_move) {
  const double at_depth =
      will_move ? std::clamp(own.depth, rest_from * own.layer, rest_to * own.layer) : own.depth;
  const double stiffness = std::max(own.stiffness, own.stiffness_at(at_depth));
  return {stiffness, own.force_at(at_depth) / stiffness + own.depth - at_depth};
}

}  // namespace

ContactMatrix::ContactMatrix(const Model& model, double inverse_a2, Weights weights,
                             const Earlier<Laplacian>& earlier)
    : own_(std::make_unique<Laplacian>(model, inverse_a2, Precision::mixed, weights, earlier)),
      inner_(*own_),
      kernels_(&front_kernels(simd_level_in_use())) {}

ContactMatrix::ContactMatrix(const Model& /*model*/, Laplacian& shared)
    : inner_(shared), kernels_(&front_kernels(simd_level_in_use())) {}

void ContactMatrix::make_room(const Objective& objective) {
  if (compliance_ != nullptr) return;
  const std::size_t n = at(objective.model().num_vertices);
  right_.resize(n);
  column_.resize(n);
  place_.assign(n, -1);
  compliance_ = &inner_.compliance();
  system_.resize(most_contacts * most_contacts);
  gap_.resize(most_contacts);
  for (auto* list : {&front_, &inverse_}) list->resize(most_contacts * most_contacts);
  for (auto* list : {&members_, &next_, &point_of_}) list->reserve(most_contacts);
  for (auto* list : {&work_, &values_, &free_gap_}) list->reserve(most_contacts);
  points_.reserve(most_contacts);
  corners_.reserve(std::size(ContactPoint{}.vertices) * most_contacts);
  active_.reserve(most_contacts);
  normals_.reserve(most_contacts);
  ahead_.reserve(std::max(objective.contact()->vertices().size(), 4 * most_contacts));
}

void ContactMatrix::begin_step(Objective& objective) {
  if (own_) own_->begin_step(objective);
  choices_ = 0;
  active_.clear();
  if (objective.contact() == nullptr) return;
  make_room(objective);
  most_vertices_ = compliance_->max_vertices(objective.selected());
  touching_.reserve(2 * objective.contact()->max_contacts() + most_contacts);
  compliance_->begin_step(objective.selected());
  if (own_) look_ahead(objective, std::exchange(num_directions_, 0));
}

/// The compliance of some vertices that will touch soon: an impact brings hundreds of them at once.
void ContactMatrix::look_ahead(const Objective& objective, int last_directions) {
  objective.contact()->find_ahead(objective.inertial_target()[0].v, objective.fall(), steps_ahead,
                                  ahead_);
  const int idle = std::max(0, usual_directions - last_directions);
  const std::size_t most = at(ahead_always + ahead_for_direction * idle);
  std::erase_if(ahead_, [&](int vertex) {
    return compliance_->has(vertex) || !compliance_->has_room(vertex, most);
  });
  ahead_.resize(std::min(ahead_.size(), most));
  compliance_->find(ahead_, objective.threads());
}

/// Without contacts in the matrix it goes on from the constant one.
bool ContactMatrix::restart() {
  if (active_.empty()) return false;
  active_.clear();
  choices_ = most_choices;
  return true;
}

/// Among the first of touching_.
ContactMatrix::Touching* ContactMatrix::find(const Contact& contact, int axis, std::size_t count) {
  const int first = place_[at(contact.point.vertices[0])];
  if (first < 0) return nullptr;
  for (std::size_t i = at(first); i < count; ++i) {
    Touching& own = touching_[i];
    if (own.place == contact.place && own.point.count == contact.point.count &&
        own.collider == contact.collider && own.axis == axis) {
      return &own;
    }
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
    add(own);
    touching_.back().gap = along(own.normal, own.point, at_z.x) - own.plane;
    touching_.back().in_matrix = own.stiffness;
    touching_.back().is_at_z = false;
    touching_.back().leave_barrier();
  }
  const std::size_t num_active = touching_.size();
  // What a contact is within its soft depth, and what comes on top of it beyond. Where the
  // direction left the forces out it tells nothing of depths: `add_beyond` sees to it.
  const auto see = [&](const Contact& own, std::size_t known_up_to, const VectorField& z) {
    if (own.is_inner) return;
    const double soft = own.soft_depth * stage, added = own.added / stage;
    for (const int axis : {0, beyond}) {
      if (axis == beyond && (left_out_ || !(own.depth > own.soft_depth && added > 0))) continue;
      Touching* const known = find(own, axis, known_up_to);
      double gap = -own.depth * stage + (axis == beyond ? soft : 0);
      double stiffness = axis == beyond ? added : own.stiffness / stage;
      if (own.layer > 0) {
        const bool is_at_z = &z == &at_z.x;
        // Where it pushes at z it is known how.
        if (!is_at_z && known != nullptr && known->is_at_z) continue;
        const BarrierSpring spring = spring_of(own, left_out_ || !is_at_z);
        stiffness = spring.stiffness / stage;
        gap = -spring.pressed * stage;
        if (known != nullptr) {
          known->stiffness = stiffness;
          known->is_at_z = is_at_z;
        }
      }
      const double plane = along(own.normal, own.point, z) - gap;
      if (known != nullptr) {
        known->gap = gap;
        if (&z == &at_z.x) {
          // Its surface may be curved.
          known->normal = own.normal;
          known->plane = plane;
        }
      } else {
        add({.point = own.point,
             .place = own.place,
             .collider = own.collider,
             .axis = axis,
             .normal = own.normal,
             .stiffness = stiffness,
             .added = axis == beyond ? 0 : added,
             .soft_depth = soft,
             .in_matrix = 0,
             .is_barrier = own.layer > 0,
             .is_at_z = &z == &at_z.x,
             .plane = plane,
             .gap = gap,
             .assumed = 0,
             .force = 0});
      }
    }
  };
  for (const Contact& own : contact.touching()) see(own, num_active, at_z.x);
  gather_friction(contact, at_z.x, num_active);
  const std::size_t num_at_z = touching_.size();
  for (std::size_t i = 0; i < num_at_z; ++i) {
    Touching& own = touching_[i];
    const double closing = along(own.normal, own.point, p);
    // Friction is never left out.
    if (!left_out_ || !own.only_pushes()) own.assumed = own.force_at(own.gap);
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
    Touching& own = touching_[i];
    const double force = own.force_at(own.gap);
    wrong += (force - own.assumed) * (force - own.assumed) / (2 * own.stiffness);
    place_[at(own.point.vertices[0])] = -1;
  }
  if (count_fitting() < touching_.size()) {
    std::sort(touching_.begin() + static_cast<std::ptrdiff_t>(num_active), touching_.end(),
              [](const Touching& a, const Touching& b) {
                const int ka = a.axis % beyond, kb = b.axis % beyond;
                const double pa = -a.force_at(a.gap), pb = -b.force_at(b.gap);
                return std::tie(ka, pa, a.point.count, a.place, a.collider, a.axis) <
                       std::tie(kb, pb, b.point.count, b.place, b.collider, b.axis);
              });
    touching_.resize(count_fitting());
  }
  return wrong;
}

void ContactMatrix::add(const Touching& own) {
  touching_.push_back(own);
  int& first = place_[at(own.point.vertices[0])];
  if (first < 0) first = static_cast<int>(touching_.size()) - 1;
}

/// Friction at z between bodies; what is in the matrix already stays as it is there.
void ContactMatrix::gather_friction(const ContactEnergy& contact, const VectorField& z,
                                    std::size_t num_active) {
  for (const Contact& own : contact.contacts()) {
    if (!own.is_of_bodies() || !(own.friction > 0)) continue;
    if (find(own, 1, num_active) != nullptr) continue;
    const ContactEnergy::Spring spring = contact.friction_spring(own, z[0].v);
    const Vec3& n = own.normal;
    const Vec3 across = std::abs(n[0]) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 first = vec3::direction(vec3::cross(n, across), {0, 0, 0});
    const Vec3 tangents[2] = {first, vec3::cross(n, first)};
    for (int axis = 1; axis <= 2; ++axis) {
      const Vec3& tangent = tangents[axis - 1];
      const double gap = vec3::dot(tangent, spring.slip);
      add({.point = own.point,
           .place = own.place,
           .collider = own.collider,
           .axis = axis,
           .normal = tangent,
           .stiffness = spring.stiffness,
           .added = 0,
           .soft_depth = 0,
           .in_matrix = 0,
           .is_barrier = false,
           .is_at_z = true,
           .plane = along(tangent, own.point, z) - gap,
           .gap = gap,
           .assumed = 0,
           .force = 0});
    }
  }
}

/// What pushes beyond the soft depths of contacts that would come to be so deep without it.
bool ContactMatrix::add_beyond() {
  const std::size_t n = touching_.size();
  for (std::size_t i = 0; i < n; ++i) {
    Touching deep = touching_[i];
    if (!(deep.added > 0 && deep.force > deep.stiffness * deep.soft_depth)) continue;
    deep.axis = beyond;
    deep.stiffness = std::exchange(deep.added, 0.0);
    deep.plane -= deep.soft_depth;
    deep.gap += deep.soft_depth;
    deep.assumed = deep.force = 0;
    touching_.push_back(deep);
  }
  touching_.resize(count_fitting());
  return touching_.size() > n;
}

/// How many of the first ones of touching_ there is room for.
std::size_t ContactMatrix::count_fitting() const {
  std::size_t count = 0, num_vertices = 0;
  for (const Touching& own : touching_) {
    num_vertices += at(own.point.count);
    if (count == most_contacts || num_vertices > most_vertices_) break;
    ++count;
  }
  return count;
}

/// The points of touching_, each once however many rows it has, and where their corners are in the
/// compliance.
void ContactMatrix::find_points() {
  points_.clear();
  corners_.clear();
  point_of_.clear();
  for (const Touching& own : touching_) {
    int& head = place_[at(own.point.vertices[0])];
    const auto is_same = [&](const Point& known) {
      return known.place == own.place && known.count == own.point.count;
    };
    int point = head;
    while (point >= 0 && !is_same(points_[at(point)])) point = points_[at(point)].next;
    if (point < 0) {
      point = static_cast<int>(points_.size());
      points_.push_back({.place = own.place,
                         .count = own.point.count,
                         .first = static_cast<int>(corners_.size()),
                         .next = std::exchange(head, point)});
      for (int k = 0; k < own.point.count; ++k) {
        const int vertex = own.point.vertices[k];
        corners_.push_back({.entries = compliance_->row(vertex),
                            .slot = compliance_->slot(vertex),
                            .part = compliance_->part_of(vertex),
                            .weight = own.point.weights[k]});
      }
    }
    point_of_.push_back(point);
  }
  for (const Touching& own : touching_) place_[at(own.point.vertices[0])] = -1;
}

/// Of A^-1 between two points, m/N.
double ContactMatrix::between(const Point& a, const Point& b) const {
  double sum = 0;
  for (int i = 0; i < a.count; ++i) {
    const Corner& from = corners_[at(a.first + i)];
    for (int j = 0; j < b.count; ++j) {
      const Corner& to = corners_[at(b.first + j)];
      if (from.part != to.part) continue;
      sum += from.weight * to.weight * static_cast<double>(from.entries[to.slot]);
    }
  }
  return sum;
}

/// The system of touching_.
void ContactMatrix::fill_system(Threads& threads) {
  ahead_.clear();
  for (const Touching& own : touching_) {
    for (int i = 0; i < own.point.count; ++i) {
      int& place = place_[at(own.point.vertices[i])];
      if (place < 0) ahead_.push_back(own.point.vertices[i]);
      place = 0;
    }
  }
  for (const int vertex : ahead_) place_[at(vertex)] = -1;
  compliance_->find(ahead_, threads);
  find_points();
  normals_.clear();
  for (const Touching& own : touching_) normals_.push_back(own.normal);
  const std::size_t n = touching_.size(), m = points_.size();
  // Not in use until the system is factorised.
  double* const moved = front_.data();
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      moved[a * m + b] = moved[b * m + a] = between(points_[a], points_[b]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double* const row = moved + at(point_of_[i]) * m;
    for (std::size_t j = 0; j <= i; ++j) {
      system_[i * n + j] =
          static_cast<float>(vec3::dot(normals_[i], normals_[j]) * row[point_of_[j]]);
    }
    system_[i * n + i] += static_cast<float>(1 / touching_[i].stiffness);
  }
  mirror(n);
}

/// The upper triangle of the system from its lower one, block by block.
void ContactMatrix::mirror(std::size_t n) {
  constexpr std::size_t block = 32;
  for (std::size_t rows = 0; rows < n; rows += block) {
    for (std::size_t columns = 0; columns <= rows; columns += block) {
      for (std::size_t i = rows; i < std::min(n, rows + block); ++i) {
        for (std::size_t j = columns; j < std::min(i, columns + block); ++j) {
          system_[j * n + i] = system_[i * n + j];
        }
      }
    }
  }
}

/// Factorises the system of members_.
bool ContactMatrix::factor() {
  size_ = members_.size();
  for (std::size_t j = 0; j < size_; ++j) {
    const float* const column = &system_[at(members_[j]) * touching_.size()];
    for (std::size_t i = j; i < size_; ++i) {
      front_[j * size_ + i] = static_cast<double>(column[members_[i]]);
    }
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

/// Solves the complementarity problem of touching_; members_ are those that push.
void ContactMatrix::find_forces() {
  relax();
  members_.clear();
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const Touching& own = touching_[i];
    if (own.force > 0 || !own.only_pushes()) members_.push_back(static_cast<int>(i));
  }
  if (active_.empty()) find_set();
}

/// From the forces that the direction takes the contacts to have, of which their gaps come.
void ContactMatrix::relax() {
  const std::size_t n = touching_.size();
  for (std::size_t i = 0; i < n; ++i) {
    Touching& own = touching_[i];
    own.force = own.assumed;
    gap_[i] = static_cast<float>(own.gap + own.assumed / own.stiffness);
  }
  float first = 0;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    float largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const float* const column = &system_[i * n];
      double& force = touching_[i].force;
      const double pushes = touching_[i].allowed(force - static_cast<double>(gap_[i] / column[i]));
      const auto change = static_cast<float>(pushes - force);
      force = pushes;
      if (change == 0) continue;
      largest = std::max(largest, std::abs(change) * column[i]);
      for (std::size_t j = 0; j < n; ++j) gap_[j] += change * column[j];
    }
    if (sweep == 0) first = largest;
    if (largest <= settled * first) return;
  }
}

/// From the contacts that push to those that do in the solution.
void ContactMatrix::find_set() {
  const std::size_t n = touching_.size();
  free_gap_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    double gap = touching_[i].gap + touching_[i].assumed / touching_[i].stiffness;
    for (std::size_t j = 0; j < n; ++j) {
      gap -= static_cast<double>(system_[i * n + j]) * touching_[j].assumed;
    }
    free_gap_.push_back(gap);
  }
  is_factored_ = false;
  for (int round = 0; round < most_set_rounds && !members_.empty(); ++round) {
    is_factored_ = factor();
    if (!is_factored_) return members_.clear();
    values_.clear();
    for (const int i : members_) values_.push_back(-free_gap_[at(i)]);
    solve(values_);
    next_.clear();
    std::size_t k = 0;
    for (std::size_t i = 0; i < n; ++i) {
      Touching& own = touching_[i];
      double wanted = 0;
      if (k < members_.size() && members_[k] == static_cast<int>(i)) {
        wanted = values_[k++];
        own.force = own.allowed(wanted);
      } else {
        own.force = 0;
        wanted = -free_gap_[i];
        for (std::size_t j = 0; j < members_.size(); ++j) {
          wanted -= static_cast<double>(system_[i * n + at(members_[j])]) * values_[j];
        }
      }
      if (wanted > 0 || !own.only_pushes()) next_.push_back(static_cast<int>(i));
    }
    if (next_ == members_ || round + 1 == most_set_rounds) return;
    std::swap(members_, next_);
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
    slope += own.assumed * along(own.normal, own.point, p);
  }
  if (!left_out_ && wrong <= harmless * std::abs(slope)) {
    found_ahead_ = at_z.ahead != nullptr;
    return Respect::as_it_was;
  }
  fill_system(objective.threads());
  find_forces();
  if (left_out_ && add_beyond()) {
    fill_system(objective.threads());
    find_forces();
  }
  for (const Touching& own : touching_) {
    add_force(own.assumed - own.force, own.normal, own.point, right_);
  }
  add_response(objective, touching_, p);
  const auto num_active = static_cast<int>(active_.size());
  const auto num_new =
      std::count_if(members_.begin(), members_.end(), [&](int i) { return i >= num_active; });
  const bool is_settled = choices_ == most_choices || num_new <= num_active / part_new;
  if (!left_out_ && is_settled) return Respect::corrected;
  ++choices_;
  is_factored_ = is_factored_ && active_.empty();
  active_.clear();
  for (const int i : members_) active_.push_back(touching_[at(i)]);
  return Respect::new_matrix;
}

bool ContactMatrix::compute(Objective& objective, const Iterate& at_z, VectorField& p) {
  if (!compute_unfinished(objective, at_z, p)) return false;
  objective.algebra().for_chunks([&](int, int first, int last) { finish(first, last, p); });
  respect_contacts(objective, at_z, p);
  return true;
}

bool ContactMatrix::compute_unfinished(Objective& objective, const Iterate& at_z, VectorField& p) {
  left_out_ = false;
  is_whole_ = found_ahead_ = false;
  ++num_directions_;
  if (objective.contact() == nullptr) return inner_.compute_unfinished(objective, at_z, p);
  if (active_.empty()) {
    left_out_ = choices_ < most_choices && !objective.contact()->touching().empty();
    if (!left_out_) return inner_.compute_unfinished(objective, at_z, p);
    // Forces that the matrix does not hold would throw their vertices: respect_contacts finds them.
    objective.algebra().copy(at_z.gradient, column_);
    for (const Contact& own : objective.contact()->touching()) {
      add_force(own.force(), own.normal, own.point, column_);
    }
    return inner_.compute_unfinished(objective, {at_z.x, column_, at_z.value}, p);
  }
  if (!inner_.compute(objective, at_z, p)) return false;
  if (!is_factored_) {
    touching_ = active_;
    fill_system(objective.threads());
    members_.resize(active_.size());
    std::iota(members_.begin(), members_.end(), 0);
    is_factored_ = factor();
  }
  values_.clear();
  for (const Touching& own : active_) values_.push_back(along(own.normal, own.point, p));
  solve(values_);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    add_force(values_[i], active_[i].normal, active_[i].point, right_);
  }
  add_response(objective, active_, p);
  is_whole_ = true;
  return true;
}

/// Adds to p what forces at these contacts, which are in right_, do, and clears them. Few rows of
/// the right-hand side are not zero, which spares half of a solve.
void ContactMatrix::add_response(Objective& objective, std::span<const Touching> contacts,
                                 VectorField& p) {
  inner_.compute(objective, {p, right_, 0}, column_);
  for (const Touching& own : contacts) {
    for (int i = 0; i < own.point.count; ++i) right_[at(own.point.vertices[i])] = {};
  }
  objective.algebra().add(1, column_, p);
}

}  // namespace supple

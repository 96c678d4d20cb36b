#include "contact/contact_energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "base/index.h"
#include "contact/entry.h"
#include "contact/extent.h"
#include "math/vec3.h"
#include "supple/error.h"

namespace supple {

using namespace vec3;

namespace {

static_assert(std::is_trivially_default_constructible_v<Contact>, "contacts_ must stay untouched");

// Consecutive vertices are close together, so balls around groups of them rule out most vertices at
// once. A block of 128 is cut in four twice: the quarters of group g are groups 4 g + 1 to 4 g + 4,
// and groups 5 to 20 are leaves of 8. A query costs 10 to 40 ns for an analytic shape, but
// microseconds for a mesh.
constexpr std::size_t block_size = 128;
constexpr std::size_t group_size = 8;
constexpr std::size_t first_leaf = 5;
constexpr std::size_t num_groups = 21;

/// Soft depth between two bodies as a share of that of the vertices: a thirtieth of the layer
/// between the bodies. If it were larger, bodies would go through the layer. Without it, the errors
/// that ten iterations leave in stiff bodies would drive one body down another although friction
/// should hold it.
constexpr double soft_between = 0.05;

/// Balls around the vertices of a block and around groups of them; each vertex has one or two
/// points.
class BlockOfVertices {
 public:
  explicit BlockOfVertices(std::size_t size) : size_(size) {}

  void add(std::size_t i, const Vec3& point) { extents_[first_leaf + i / group_size].add(point); }
  void finish() {
    for (std::size_t g = num_groups; g-- > 0;) {
      if (g > 0) extents_[(g - 1) / 4].add(extents_[g]);
      balls_[g] = extents_[g].ball();
    }
  }

  /// Calls visit(i) for the vertices that may be inside the collider.
  template <class Visit>
  void find(const ColliderObject& collider, ColliderObject::Moment moment,
            const Visit& visit) const {
    find_in(
        0,
        [&](std::size_t g) {
          return collider.clear_of(balls_[g].center, balls_[g].radius, moment);
        },
        visit);
  }
  /// The same at the end of the step, with what is known of the groups, [num_groups], or null.
  template <class Visit>
  void find(const ColliderObject& collider, Clearance* known, const Visit& visit) const {
    if (known == nullptr) return find(collider, ColliderObject::Moment::end, visit);
    find_in(
        0,
        [&](std::size_t g) {
          return collider.clear_of(balls_[g].center, balls_[g].radius, known[g]);
        },
        visit);
  }

 private:
  template <class IsClear, class Visit>
  void find_in(std::size_t g, const IsClear& is_clear, const Visit& visit) const {
    if (first_of(g) >= size_ || is_clear(g)) return;
    if (g < first_leaf) {
      for (std::size_t child = 4 * g + 1; child <= 4 * g + 4; ++child) {
        find_in(child, is_clear, visit);
      }
      return;
    }
    const std::size_t first = first_of(g);
    const std::size_t last = std::min(first + group_size, size_);
    for (std::size_t i = first; i < last; ++i) visit(i);
  }

  /// The first vertex that a group would have.
  static std::size_t first_of(std::size_t g) {
    if (g >= first_leaf) return (g - first_leaf) * group_size;
    return g > 0 ? (g - 1) * 4 * group_size : 0;
  }

  std::size_t size_;
  Extent extents_[num_groups];
  Ball balls_[num_groups];
};

std::size_t count_bodies(const std::vector<ContactVertex>& vertices,
                         const std::vector<ContactSurface>& surfaces) {
  int last = 0;
  for (const ContactVertex& own : vertices) last = std::max(last, own.body);
  for (const ContactSurface& own : surfaces) last = std::max(last, own.body);
  return at(last) + 1;
}

/// The index of the first vertex of each body in a list that is in the order of the bodies:
/// [num_bodies + 1].
std::vector<int> first_of_bodies(const std::vector<ContactVertex>& vertices,
                                 std::size_t num_bodies) {
  std::vector<int> first(num_bodies + 1, 0);
  for (const ContactVertex& own : vertices) ++first[at(own.body) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

/// Where each vertex is in a list; -1: nowhere.
std::vector<int> places_of(const std::vector<ContactVertex>& vertices) {
  std::vector<int> places;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (vertices[i].vertex < 0) continue;
    const std::size_t vertex = at(vertices[i].vertex);
    if (places.size() <= vertex) places.resize(vertex + 1, -1);
    places[vertex] = static_cast<int>(i);
  }
  return places;
}

}  // namespace

ContactEnergy::ContactEnergy(std::vector<ColliderObject> colliders, double friction,
                             std::vector<ContactVertex> vertices,
                             const std::vector<ContactSurface>& surfaces,
                             std::unique_ptr<BodyPairs> pairs, std::unique_ptr<ColliderGuard> guard,
                             std::unique_ptr<MeshPairs> meshes)
    : colliders_(std::move(colliders)),
      friction_(friction),
      vertices_(std::move(vertices)),
      place_of_vertex_(places_of(vertices_)),
      pressing_(place_of_vertex_.size()),
      pairs_(std::move(pairs)),
      guard_(std::move(guard)),
      meshes_(std::move(meshes)),
      surface_(surfaces, place_of_vertex_, colliders_,
               (pairs_ ? pairs_->max_planes() : 0) + (meshes_ ? meshes_->max_planes() : 0)),
      contacts_(std::make_unique_for_overwrite<Contact[]>(max_contacts())),
      from_start_(std::make_unique_for_overwrite<Contact[]>(max_pairs())),
      presses_(std::make_unique_for_overwrite<Press[]>(max_pairs())),
      held_(std::make_unique_for_overwrite<Held[]>(max_pairs())),
      found_(std::make_unique_for_overwrite<Held[]>(max_pairs())),
      ahead_(std::make_unique_for_overwrite<std::pair<double, int>[]>(max_pairs())),
      shift_of_point_(std::make_unique_for_overwrite<double[]>(max_points())),
      is_special_(vertices_.size(), 0),
      num_bodies_(count_bodies(vertices_, surfaces)),
      pieces_(cut_into_pieces(
          first_of_bodies(vertices_, num_bodies_), [](int) { return static_cast<int>(block_size); },
          blocks_)),
      points_(num_bodies_, max_points()),
      held_of_bodies_(num_bodies_, max_pairs()),
      start_of_bodies_(num_bodies_, max_pairs()),
      has_news_(num_bodies_, 0),
      count_in_block_(blocks_.size()) {
  std::size_t num_keepers = 0;
  for (const ColliderObject& collider : colliders_) {
    keeper_.push_back(collider.keeps_clearances() ? static_cast<int>(num_keepers++) : -1);
  }
  clearances_.resize(num_keepers * vertices_.size());
  clearances_of_groups_.resize(num_keepers * blocks_.size() * num_groups);
  if (!(friction_ >= 0 && std::isfinite(friction_))) {
    throw Error(ErrorKind::invalid_input, "/contact/friction",
                fmt::format("{} is not a coefficient of friction; expected 0 or more", friction_));
  }
  if (std::any_of(vertices_.begin(), vertices_.end(),
                  [](const ContactVertex& own) { return own.held_by >= 0; })) {
    std::vector<int> holder(place_of_vertex_.size(), -1);
    for (const ContactVertex& own : vertices_) {
      if (own.vertex >= 0) holder[at(own.vertex)] = own.held_by;
    }
    surface_.set_holders(std::move(holder));
  }
  for (const ContactVertex& vertex : vertices_) {
    if (vertex.vertex < 0) {
      throw Error(ErrorKind::invalid_input, "/contact",
                  fmt::format("there is no vertex {}; expected 0 or more", vertex.vertex));
    }
    if (!(vertex.stiffness > 0 && std::isfinite(vertex.stiffness))) {
      throw Error(ErrorKind::invalid_input, "/contact/stiffness",
                  fmt::format("{} is not a positive stiffness in N/m", vertex.stiffness));
    }
  }
}

void ContactEnergy::pose(double time_end, double h) {
  for (ColliderObject& collider : colliders_) collider.move(time_end, h);
  posed_time_ = time_end;
  posed_h_ = h;
}

bool ContactEnergy::has_moving_colliders() const {
  return std::any_of(colliders_.begin(), colliders_.end(),
                     [](const ColliderObject& own) { return own.moves(); });
}

double ContactEnergy::energy_of(OfColliders colliders) const {
  double sum = 0;
  for (const Contact& own : touching()) {
    const bool can_move =
        !own.is_of_bodies() && colliders_[static_cast<std::size_t>(own.collider)].can_move();
    if (can_move == (colliders == OfColliders::with_motion)) sum += own.energy_at(own.depth);
  }
  return sum;
}

const std::vector<char>& ContactEnergy::move_colliders(double time_end, double h) {
  moves_.resize(colliders_.size());
  pose(time_end, h);
  for (std::size_t c = 0; c < colliders_.size(); ++c) {
    moves_[c] = colliders_[c].moves() ? 1 : 0;
  }
  return moves_;
}

bool ContactEnergy::comes_near(int body, const Box& box, const std::vector<char>& asked) const {
  // The margin covers the layers in which contacts are looked for; an arc is longer than its chord.
  constexpr double margin = 1.05, arc = 1.6;
  const Vec3 center = 0.5 * (box.min + box.max);
  const double radius = margin * 0.5 * norm(box.max - box.min);
  for (std::size_t c = 0; c < colliders_.size(); ++c) {
    const ColliderObject& own = colliders_[c];
    if (asked[c] == 0 || !own.touches(body)) continue;
    const double way = arc * norm(own.displacement(center));
    if (!own.clear_of(center, radius + way)) return true;
  }
  return false;
}

void ContactEnergy::select(std::span<const int> bodies) {
  pieces_.select(bodies);
  surface_.select(bodies);
  if (pairs_) pairs_->select(bodies);
  if (meshes_) meshes_->select(bodies);
  for (auto* list : {&points_, &held_of_bodies_, &start_of_bodies_}) list->select(bodies);
}

bool ContactEnergy::take_news(int body) {
  return at(body) < num_bodies_ && std::exchange(has_news_[at(body)], char{0}) != 0;
}

void ContactEnergy::file(BodyLists& list, int body) {
  list.add(at(body));
  has_news_[at(body)] = 1;
}

void ContactEnergy::file_point(std::size_t place) {
  const ContactPoint& point = surface_.points()[place].point;
  file(points_, body_of(point));
  has_news_[at(body_of_vertex(point.vertices[point.count - 1]))] = 1;
}

/// Lets find(block, out) write what it finds in each block of vertices to the block's own place,
/// then closes the gaps in order. Returns how many there are.
template <class T, class Find>
std::size_t ContactEnergy::find_in_blocks(T* out, Threads& threads, const Find& find) {
  const auto room_of = [&](int block) {
    return out + at(blocks_[at(block)].first) * colliders_.size();
  };
  pieces_.parallel_for(
      threads, [&](int block) { count_in_block_[at(block)] = find(at(block), room_of(block)); });
  std::size_t count = 0;
  for (const int block : pieces_.selected()) {
    const T* from = room_of(block);
    if (from != out + count) std::copy(from, from + count_in_block_[at(block)], out + count);
    count += count_in_block_[at(block)];
  }
  return count;
}

ContactEnergy::Toucher ContactEnergy::vertex_at(std::size_t place) const {
  const ContactVertex& own = vertices_[place];
  return {.point = ContactPoint::of_vertex(own.vertex),
          .place = static_cast<int>(place),
          .stiffness = own.stiffness,
          .added = own.added,
          .soft_depth = own.soft_depth,
          .size = own.size,
          .slip_speed = own.slip_speed,
          .is_inner = own.is_inner};
}

ContactEnergy::Toucher ContactEnergy::point_at(std::size_t place) const {
  const SurfaceContact& plane = surface_.points()[place];
  Toucher own{.point = plane.point,
              .place = static_cast<int>(place),
              .stiffness = 0,
              .added = 0,
              .soft_depth = std::numeric_limits<double>::infinity(),
              .size = 0,
              .slip_speed = friction_slip_speed,
              .is_inner = false};
  // For each side: the stiffness within the soft depth, and beyond it.
  double soft[2] = {}, hard[2] = {}, bearing = 0;
  for (int i = 0; i < own.point.count; ++i) {
    const ContactVertex& vertex = vertices_[at(place_of_vertex_[at(own.point.vertices[i])])];
    const double weight = own.point.weights[i];
    const int side = weight > 0 ? 0 : 1;
    soft[side] += std::abs(weight) * vertex.stiffness;
    hard[side] += std::abs(weight) * (vertex.stiffness + vertex.added);
    own.soft_depth = std::min(own.soft_depth, vertex.soft_depth);
    bearing = std::max(bearing, vertex.bearing);
    own.size = vertex.size;
    own.slip_speed = std::min(own.slip_speed, vertex.slip_speed);
  }
  own.stiffness = soft[0];
  own.added = hard[0] - soft[0];
  if (plane.collider != SurfaceContact::no_collider) {
    own.stiffness *= plane.harder;
  } else {
    // Each side yields as it would by itself.
    const auto both = [&](const double* k) {
      return std::max(2 * k[0] * k[1] / (k[0] + k[1]), bearing) * plane.harder;
    };
    own.stiffness = both(soft);
    own.added = both(hard) - own.stiffness;
    own.soft_depth *= soft_between;
    own.size = 0;
  }
  return own;
}

void ContactEnergy::begin_step(const ContactStep& step, Threads& threads) {
  pose(step.time_end, step.h);
  if (guard_) {
    guard_->inflate(colliders_, step.time_end);
    grown_before_ =
        guard_->part_of_layers(step.time_end - step.h) / guard_->part_of_layers(step.time_end);
  }
  x_n_ = step.x_n;
  h_ = step.h;
  stage_ = step.stage;
  num_contacts_ = num_touching_ = num_held_ = 0;
  surface_.clear();
  for (auto* list : {&points_, &held_of_bodies_, &start_of_bodies_}) list->clear();
  std::fill(has_news_.begin(), has_news_.end(), char{0});
  if (pairs_) pairs_->begin_step(step.time_end, step.h);
  if (meshes_) {
    guard_->find_inside(colliders_, x_n_, threads);
    meshes_->begin_step(guard_->part_of_layers(step.time_end),
                        guard_->part_of_layers(step.time_end - step.h), guard_->vertices_inside());
  }
  std::fill(is_special_.begin(), is_special_.end(), std::uint8_t{0});
  num_from_start_ =
      find_in_blocks(from_start_.get(), threads,
                     [&](std::size_t block, Contact* out) { return start_block(block, out); });
  for (std::size_t i = 0; i < num_from_start_; ++i) {
    start_of_bodies_.add(at(body_of(from_start_[i].point)));
  }
  if (step.reach != nullptr) {
    follow_paths(step.reach, threads);
    find_points(step.reach, step.reach, false, threads);
  } else {
    find_points(x_n_, x_n_, false, threads);
  }
}

/// Looks for points of edges and faces on the way to z, and for what they begin the step with.
Encounters ContactEnergy::find_points(const double* lifted, const double* z, bool held,
                                      Threads& threads) {
  const std::size_t before = num_points();
  int count = surface_.find(colliders_, way_to(lifted), threads);
  if (meshes_) count += meshes_->find(colliders_, way_to(lifted), held, surface_, threads);
  if (pairs_) count += pairs_->find(way_to(z), held, surface_, threads);
  return start_points(before, lifted, count);
}

Encounters ContactEnergy::sweep_pairs(const double* z, Threads& threads) {
  if (!pairs_ && !meshes_) return {};
  const std::size_t before = num_points();
  surface_.forget_hardened();
  int count = 0;
  if (meshes_) count += meshes_->find(colliders_, way_to(z), true, surface_, threads);
  if (pairs_) count += pairs_->find(way_to(z), true, surface_, threads);
  return start_points(before, z, count);
}

/// Sets up what new points do from the start of the step on. `count` is the number of new and
/// harder points.
Encounters ContactEnergy::start_points(std::size_t before, const double* z, int count) {
  Encounters met{.crossings = 0, .points = count};
  for (const int place : surface_.hardened()) {
    const ContactPoint& point = surface_.points()[at(place)].point;
    has_news_[at(body_of(point))] = 1;
    has_news_[at(body_of_vertex(point.vertices[point.count - 1]))] = 1;
  }
  for (std::size_t i = before; i < num_points(); ++i) {
    file_point(i);
    if (surface_.points()[i].collider == SurfaceContact::no_collider) {
      start_pair(i);
      continue;
    }
    start_point(i);
    const SurfaceContact& plane = surface_.points()[i];
    const Toucher own = point_at(i);
    const double depth = dot(plane.held() - way_to(z).end(own.point), plane.normal);
    if (!(own.size > 0 && depth > deep_start * own.size)) continue;
    ++met.crossings;
    --met.points;
  }
  if (num_points() > before) share_normal_forces();
  return met;
}

void ContactEnergy::start_point(std::size_t place) {
  const SurfaceContact& plane = surface_.points()[place];
  const ColliderObject& collider = colliders_[at(plane.collider)];
  const Toucher own = point_at(place);
  shift_of_point_[place] = 0;
  const Vec3 x = collider.carried(own.point.position(x_n_));
  const double depth = std::min(dot(plane.held() - x, plane.normal), plane.start_depth);
  if (!(depth > 0)) return;
  Contact& contact = from_start_[num_from_start_];
  contact = behind({plane.collider, plane.held(), plane.normal}, own, depth, 0);
  recall(contact);
  if (start(own, contact)) keep_from_start();
  shift_of_point_[place] = contact.shift;
}

/// Keeps the contact that was written behind the last one.
void ContactEnergy::keep_from_start() {
  start_of_bodies_.add(at(body_of(from_start_[num_from_start_].point)));
  ++num_from_start_;
}

/// Takes a contact back to when its layer, m, had a share of the thickness that it has now.
void ContactEnergy::before_growth(Contact& contact, double layer, double share) {
  contact.depth -= (1 - share) * layer;
  if (!(contact.layer > 0)) return;
  contact.layer *= share;
  contact.soft_depth *= share;
}

void ContactEnergy::start_pair(std::size_t place) {
  shift_of_point_[place] = 0;
  const SurfaceContact& plane = surface_.points()[place];
  if (!(friction_on(plane.collider) > 0)) return;
  const Toucher own = point_at(place);
  const double grown_before = pairs_->grown_before();
  const double depth = dot(plane.held() - own.point.position(x_n_), plane.normal);
  Contact& contact = from_start_[num_from_start_];
  contact = behind({plane.collider, plane.held(), plane.normal}, own, depth, 0);
  before_growth(contact, plane.layer, grown_before);
  const Press press{.force = contact.depth > 0 ? contact.force() : 0,
                    .depth = std::max(0.0, plane.start_depth - (1 - grown_before) * plane.layer)};
  if (!(press.force > 0 || press.depth > 0)) return;
  recall(contact);
  contact.friction = friction_on(contact.collider) * press.force;
  contact.stiffness = contact.added = 0;
  presses_[num_from_start_] = press;
  keep_from_start();
}

std::span<const double> ContactEnergy::hold_back(const double* start, double* z, Threads& threads) {
  if (!pairs_ || !pairs_->find_shares({start, z, stage_}, shares_, threads)) return {};
  for (const ContactVertex& own : vertices_) {
    const double share = shares_[at(pairs_->body_of(own.vertex))];
    if (share == 1) continue;
    double* const end = z + 4 * at(own.vertex);
    const double* const first = start + 4 * at(own.vertex);
    for (std::size_t k = 0; k < 3; ++k) end[k] = first[k] + share * (end[k] - first[k]);
  }
  return shares_;
}

std::span<const char> ContactEnergy::keep_outside(const double* start, double* z,
                                                  Threads& threads) {
  if (!guard_) return {};
  return guard_->hold(colliders_, start, z, stage_, threads);
}

void ContactEnergy::start_outside(double* x) {
  guard_->start_outside(colliders_, x);
  require_apart(x, posed_time_);
}

int ContactEnergy::num_inside(const double* start, const double* z, Threads& threads) {
  return guard_ ? guard_->num_inside(colliders_, start, z, stage_, threads) : 0;
}

void ContactEnergy::require_apart(const double* x, double time, const std::vector<char>& fresh) {
  const double before = posed_time_, h = posed_h_;
  pose(time, 0);
  try {
    guard_->require_outside(colliders_, x, fresh);
  } catch (...) {
    pose(before, h);
    throw;
  }
  pose(before, h);
  const BodyPairs::Overlap* const found = pairs_ ? pairs_->first_overlap(x) : nullptr;
  if (found == nullptr) return;
  const auto [a, b] = *found;
  throw Error(ErrorKind::invalid_input, fmt::format("/bodies/{}", b),
              fmt::format("its surface intersects {}, but the contact mode barrier can only keep "
                          "separate surfaces apart; move it, or use the mode soft",
                          a == b ? "itself" : fmt::format("that of /bodies/{}", a)));
}

std::size_t ContactEnergy::start_block(std::size_t block, Contact* out) {
  const std::size_t first = at(blocks_[block].first), size = at(blocks_[block].last) - first;
  BlockOfVertices balls(size);
  for (std::size_t i = 0; i < size; ++i) {
    balls.add(i, way_to(x_n_).start(vertices_[first + i].vertex));
  }
  balls.finish();
  std::size_t count = 0;
  for (std::size_t c = 0; c < colliders_.size(); ++c) {
    const ColliderObject& collider = colliders_[c];
    balls.find(collider, ColliderObject::Moment::start, [&](std::size_t i) {
      if (!collider.touches(vertices_[first + i].body)) return;
      const Toucher own = vertex_at(first + i);
      const Vec3 x = own.point.position(x_n_);
      SurfacePoint found;
      if (!collider.penetration(x, found, ColliderObject::Moment::start)) return;
      Contact& contact = out[count];
      contact = behind({static_cast<int>(c), found.point, found.normal}, own, -found.distance, 0);
      contact.anchor = x + (collider.carried(found.point) - found.point);
      recall(contact);
      if (!start(own, contact)) return;
      if (contact.shift > 0) is_special_[first + i] = 1;
      ++count;
    });
  }
  return count;
}

/// Turns a contact at the start of the step into what it decides; false if that is nothing.
/// Friction depends on how deep it was in its layer as thick as that was then: what the layer grows
/// by in this step has not pressed yet.
bool ContactEnergy::start(const Toucher& own, Contact& contact) const {
  if (own.size > 0) {
    const double deep = contact.depth / (deep_start * own.size);
    const double slow = std::max(0.0, contact.depth - exit_speed * own.size * h_);
    contact.shift = slow * std::clamp(deep - 1, 0.0, 1.0);
  }
  before_growth(contact, contact.layer, grown_before_);
  contact.friction = friction_on(contact.collider) *
                     contact.force_at(std::max(0.0, contact.depth - contact.shift));
  contact.stiffness = contact.added = 0;
  return contact.shift > 0 || contact.friction > 0;
}

/// The thickness of a contact's layer in barrier mode, m.
double ContactEnergy::layer_of(const Plane& plane, const Toucher& own) const {
  const double layer = own.point.count > 1 ? surface_.points()[at(own.place)].layer : 0;
  return layer > 0 ? layer : colliders_[at(plane.collider)].offset();
}

/// The contact of something behind a plane; `shift` is s.
Contact ContactEnergy::behind(const Plane& plane, const Toucher& own, double depth,
                              double shift) const {
  const double layer = guard_ ? layer_of(plane, own) : 0;
  return {.point = own.point,
          .place = own.place,
          .collider = plane.collider,
          .surface = plane.point - shift * plane.normal,
          .normal = plane.normal,
          .depth = depth,
          .stiffness = own.stiffness,
          .added = own.added,
          .soft_depth = layer > 0 ? (1 - barrier::hard_share) * layer : own.soft_depth,
          .shift = shift,
          .friction = 0,
          .slip = own.slip_speed * h_,
          .is_inner = own.is_inner,
          .layer = layer,
          .anchor = anchor_of(own, plane.collider, plane.point)};
}

void ContactEnergy::find_ahead(const double* z, const Vec3& fall, double steps,
                               std::vector<int>& vertices) const {
  vertices.clear();
  const auto ahead = [&](std::size_t place) {
    const ContactWay way = way_to(z);
    const Vec3 start = way.start(vertices_[place].vertex);
    return start + steps * (way.end(vertices_[place].vertex) - (1 / stage_) * fall - start);
  };
  std::size_t count = 0;
  for (const int block : pieces_.selected()) {
    const std::size_t first = at(blocks_[at(block)].first),
                      size = at(blocks_[at(block)].last) - first;
    BlockOfVertices balls(size);
    for (std::size_t i = 0; i < size; ++i) balls.add(i, ahead(first + i));
    balls.finish();
    for (std::size_t c = 0; c < colliders_.size(); ++c) {
      balls.find(colliders_[c], ColliderObject::Moment::end, [&](std::size_t i) {
        SurfacePoint found;
        const ContactVertex& own = vertices_[first + i];
        if (own.is_inner || !may_touch(first + i, static_cast<int>(c))) return;
        if (!colliders_[c].penetration(ahead(first + i), found)) return;
        ahead_[count++] = {found.distance, vertices_[first + i].vertex};
      });
    }
  }
  std::sort(ahead_.get(), ahead_.get() + count);
  for (std::size_t i = 0; i < count; ++i) vertices.push_back(ahead_[i].second);
}

void ContactEnergy::detect(const double* z, const Pushed& pushed, Threads& threads) {
  Contact* const out = contacts_.get();
  num_touching_ = find_in_blocks(
      out, threads, [&](std::size_t block, Contact* own) { return detect_block(block, z, own); });
  for (const int place : points_.selected()) {
    const std::size_t i = at(place);
    const SurfaceContact& plane = surface_.points()[i];
    const Toucher own = point_at(i);
    const double shift = shift_of_point_[i];
    double gap = dot(way_to(z).end(own.point) - plane.held(), plane.normal) + shift;
    if (i < pushed.points.size()) {
      gap -= std::max(0.0, dot(pushed.points[i], plane.normal)) / stage_;
    }
    if (!(gap < 0)) continue;
    out[num_touching_++] = behind({plane.collider, plane.held(), plane.normal}, own, -gap, shift);
  }
  for (const int i : held_of_bodies_.selected()) {
    const Held& held = held_[at(i)];
    const Vec3 end = way_to(z).end(vertices_[held.place].vertex);
    if (touches(held, end, out[num_touching_])) ++num_touching_;
  }
  for (const Pushed::Vertex& own : pushed.vertices) add_pushed(own, z);
  num_contacts_ = num_touching_;
  for (const int i : start_of_bodies_.selected()) {
    if (from_start_[at(i)].friction > 0) out[num_contacts_++] = from_start_[at(i)];
  }
}

void ContactEnergy::add_pushed(const Pushed::Vertex& pushed, const double* z) {
  const int place = place_of_vertex_[at(pushed.vertex)];
  if (place < 0) return;
  const Vec3 end = way_to(z).end(pushed.vertex), from = end - (1 / stage_) * pushed.way;
  Contact contact;
  if (is_special_[at(place)] != 0) {
    for (const Held& held : std::span(held_.get(), num_held_)) {
      if (held.place != at(place) || touches(held, end, contact)) continue;
      if (touches(held, from, contact)) contacts_[num_touching_++] = contact;
    }
  }
  for (std::size_t c = 0; c < colliders_.size(); ++c) {
    const int own = static_cast<int>(c);
    const bool is_found = touches(at(place), own, end, contact);
    if (is_found || !touches(at(place), own, from, contact)) continue;
    const SurfacePoint nearest = colliders_[c].surface(end);
    contact.normal = nearest.normal;
    contact.surface = nearest.point - contact.shift * contact.normal;
    contacts_[num_touching_++] = contact;
  }
}

std::size_t ContactEnergy::detect_block(std::size_t block, const double* z, Contact* out) const {
  const std::size_t first = at(blocks_[block].first), size = at(blocks_[block].last) - first;
  const ContactWay way = way_to(z);
  BlockOfVertices balls(size);
  for (std::size_t i = 0; i < size; ++i) balls.add(i, way.end(vertices_[first + i].vertex));
  balls.finish();
  std::size_t count = 0;
  for (std::size_t c = 0; c < colliders_.size(); ++c) {
    balls.find(colliders_[c], clearance_of_groups(block, c), [&](std::size_t i) {
      const Vec3 end = way.end(vertices_[first + i].vertex);
      if (touches(first + i, static_cast<int>(c), end, out[count])) ++count;
    });
  }
  return count;
}

/// Whether a vertex whose step ends at `end` is inside a collider and nothing else holds it. If so,
/// `contact` is that contact.
bool ContactEnergy::touches(std::size_t place, int c, const Vec3& end, Contact& contact) const {
  const ColliderObject& collider = colliders_[at(c)];
  SurfacePoint found;
  if (!may_touch(place, c)) return false;
  Clearance* const known = clearance_of(place, at(c));
  const bool is_inside = known != nullptr ? collider.penetration(end, found, *known)
                                          : collider.penetration(end, found);
  if (!is_inside) return false;
  double shift = 0;
  if (is_special_[place] != 0) {
    if (is_held(place, c)) return false;
    shift = shift_of(place, c);
  }
  const double depth = -(found.distance + shift);
  if (!(depth > 0)) return false;
  contact = behind({c, found.point, found.normal}, vertex_at(place), depth, shift);
  return true;
}

/// The same for a plane that holds a vertex.
bool ContactEnergy::touches(const Held& held, const Vec3& end, Contact& contact) const {
  const double gap = dot(end - held.point, held.normal);
  if (!(gap < 0)) return false;
  contact = behind({held.collider, held.point, held.normal}, vertex_at(held.place), -gap, 0);
  return true;
}

/// Where the step ends if it has a vertex of vertices_ at `middle` at its stage.
Vec3 ContactEnergy::moved_on(const Vec3& middle, std::size_t place) const {
  if (stage_ == 1) return middle;
  const Vec3 start = way_to(x_n_).start(vertices_[place].vertex);
  return start + (1 / stage_) * (middle - start);
}

/// x_n + c of something that touches the surface at this point at the end of the step; any place if
/// there is no friction.
Vec3 ContactEnergy::anchor_of(const Toucher& own, int collider, const Vec3& surface) const {
  if (!(friction_on(collider) > 0)) return surface;
  if (collider == SurfaceContact::no_collider) return own.point.position(x_n_);
  return own.point.position(x_n_) + colliders_[at(collider)].displacement(surface);
}

/// What is known of a vertex and a collider; null: nothing is kept.
Clearance* ContactEnergy::clearance_of(std::size_t place, std::size_t collider) const {
  const int keeper = keeper_[collider];
  return keeper < 0 ? nullptr : &clearances_[at(keeper) * vertices_.size() + place];
}

/// The same for the groups of a block of vertices.
Clearance* ContactEnergy::clearance_of_groups(std::size_t block, std::size_t collider) const {
  const int keeper = keeper_[collider];
  if (keeper < 0) return nullptr;
  return &clearances_of_groups_[(at(keeper) * blocks_.size() + block) * num_groups];
}

bool ContactEnergy::is_held(std::size_t place, int collider) const {
  return std::any_of(held_.get(), held_.get() + num_held_, [&](const Held& held) {
    return held.place == place && held.collider == collider;
  });
}

double ContactEnergy::shift_of(std::size_t place, int collider) const {
  for (std::size_t i = 0; i < num_from_start_; ++i) {
    const Contact& start = from_start_[i];
    if (start.is_of_vertex() && at(start.place) == place && start.collider == collider) {
      return start.shift;
    }
  }
  return 0;
}

Encounters ContactEnergy::sweep(const double* lifted, const double* z, bool held,
                                Threads& threads) {
  const int crossings = follow_paths(lifted, threads);
  Encounters met = find_points(lifted, z, held, threads);
  met.crossings += crossings;
  return met;
}

int ContactEnergy::follow_paths(const double* z, Threads& threads) {
  const std::size_t count =
      find_in_blocks(found_.get(), threads,
                     [&](std::size_t block, Held* out) { return sweep_block(block, z, out); });
  for (std::size_t i = 0; i < count; ++i) {
    is_special_[found_[i].place] = 1;
    held_[num_held_++] = found_[i];
    file(held_of_bodies_, vertices_[found_[i].place].body);
  }
  return static_cast<int>(count);
}

std::size_t ContactEnergy::sweep_block(std::size_t block, const double* z, Held* out) const {
  const std::size_t first = at(blocks_[block].first), size = at(blocks_[block].last) - first;
  const ContactWay way = way_to(z);
  std::size_t count = 0;
  for (std::size_t c = 0; c < colliders_.size(); ++c) {
    const ColliderObject& collider = colliders_[c];
    if (!collider.can_be_crossed()) continue;
    BlockOfVertices balls(size);
    for (std::size_t i = 0; i < size; ++i) {
      const int vertex = vertices_[first + i].vertex;
      balls.add(i, collider.carried(way.start(vertex)));
      balls.add(i, way.end(vertex));
    }
    balls.finish();
    const int own = static_cast<int>(c);
    balls.find(collider, ColliderObject::Moment::end, [&](std::size_t i) {
      if (!may_touch(first + i, own)) return;
      if (is_special_[first + i] != 0 && is_held(first + i, own)) return;
      if (follow(first + i, own, way.end(vertices_[first + i].vertex), out[count])) ++count;
    });
  }
  return count;
}

/// Follows the path of a vertex, which is straight as the collider sees it. True: the vertex enters
/// and, by the normals at both ends of its way inside, does not come out on the side where it went
/// in.
bool ContactEnergy::follow(std::size_t place, int c, const Vec3& end, Held& held) const {
  const ColliderObject& collider = colliders_[at(c)];
  const ContactVertex& own = vertices_[place];
  const Vec3 start = collider.carried(way_to(x_n_).start(own.vertex));
  const double length = norm(end - start);
  if (!(length > 0)) return false;
  if (const Clearance* const known = clearance_of(place, at(c)); known != nullptr) {
    const double at_end = collider.at_least(end, *known);
    if (at_end >= 0 && length < collider.at_least(start, *known) + at_end) return false;
  }
  SurfacePoint entry = collider.surface(start), exit = collider.surface(end);
  if (exit.distance >= 0 && length < entry.distance + exit.distance) return false;
  if (entry.distance < 0) {
    // A vertex that starts deep inside comes out at the nearest place.
    if (own.size > 0 && -entry.distance > deep_start * own.size) return false;
  } else if (!find_entry(collider, start, end, entry)) {
    return false;
  }
  if (exit.distance >= 0 && !find_entry(collider, end, start, exit)) return false;
  if (!(dot(entry.normal, exit.normal) < 0)) return false;
  held = {.place = place, .collider = c, .point = entry.point, .normal = entry.normal};
  return true;
}

}  // namespace supple

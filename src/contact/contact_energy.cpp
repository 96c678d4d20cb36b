#include "contact/contact_energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/index.h"
#include "contact/vec3.h"
#include "supple/error.h"

namespace supple {

using namespace vec3;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

static_assert(std::is_trivially_default_constructible_v<Contact>, "contacts_ must stay untouched");

Vec3 position(const double* x, int vertex) {
  const double* v = x + 4 * at(vertex);
  return {v[0], v[1], v[2]};
}

struct Ball {
  Vec3 center;
  double radius;
};

/// Smallest box that holds points, and their sum, which tells whether all are finite.
struct Extent {
  Vec3 low{infinity, infinity, infinity};
  Vec3 high{-infinity, -infinity, -infinity};
  Vec3 sum{0, 0, 0};

  void add(const Vec3& p) { add({p, p, p}); }
  void add(const Extent& other) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], other.low[k]);
      high[k] = std::max(high[k], other.high[k]);
      sum[k] += other.sum[k];
    }
  }
  /// Where a point is not finite the ball is all of space: it is clear of nothing.
  Ball ball() const {
    const bool finite = std::isfinite(sum[0]) && std::isfinite(sum[1]) && std::isfinite(sum[2]);
    return {0.5 * (low + high), finite ? 0.5 * norm(high - low) : infinity};
  }
};

// Vertices that follow each other stand near each other, so balls around groups of them rule most
// of them out at once. A block of 128 is cut in four twice: at group g, its quarters are groups 4 g
// + 1 to 4 g + 4, and groups 5 to 20 are leaves of 8. A query costs 10 to 40 ns for an analytic
// shape, but microseconds for a mesh.
constexpr std::size_t block_size = 128;
constexpr std::size_t group_size = 8;
constexpr std::size_t first_leaf = 5;
constexpr std::size_t num_groups = 21;

class BlockOfVertices {
 public:
  BlockOfVertices(std::span<const int> vertices, const double* x) : vertices_(vertices), x_(x) {
    Extent extents[num_groups];
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      extents[first_leaf + i / group_size].add(position(x, vertices[i]));
    }
    for (std::size_t g = num_groups; g-- > 0;) {
      if (g > 0) extents[(g - 1) / 4].add(extents[g]);
      balls_[g] = extents[g].ball();
    }
  }

  /// Calls visit(vertex, surface point) for the vertices of group g inside the collider.
  template <class Visit>
  void find(const ColliderObject& collider, std::size_t g, const Visit& visit) const {
    if (collider.clear_of(balls_[g].center, balls_[g].radius)) return;
    if (g < first_leaf) {
      for (std::size_t child = 4 * g + 1; child <= 4 * g + 4; ++child) {
        find(collider, child, visit);
      }
      return;
    }
    const std::size_t first = (g - first_leaf) * group_size;
    const std::size_t last = std::min(first + group_size, vertices_.size());
    for (std::size_t i = first; i < last; ++i) {
      SurfacePoint found;
      if (collider.penetration(position(x_, vertices_[i]), found)) visit(vertices_[i], found);
    }
  }

 private:
  std::span<const int> vertices_;
  const double* x_;
  Ball balls_[num_groups];
};

/// What a contact does at x.
struct Local {
  double gap;    ///< (x - x_s) . n, m
  Vec3 slip;     ///< u, m
  double speed;  ///< |u|, m (over the step)
};

Local at_position(const Contact& contact, const Vec3& x) {
  Local local;
  local.gap = dot(x - contact.surface, contact.normal);
  const Vec3 moved = x - contact.anchor;
  local.slip = moved - dot(moved, contact.normal) * contact.normal;
  local.speed = norm(local.slip);
  return local;
}

}  // namespace

ContactEnergy::ContactEnergy(std::vector<ColliderObject> colliders, const ContactSettings& settings,
                             std::vector<int> vertices)
    : colliders_(std::move(colliders)),
      stiffness_(settings.stiffness),
      friction_(settings.friction),
      vertices_(std::move(vertices)),
      contacts_(std::make_unique_for_overwrite<Contact[]>(max_contacts())),
      found_in_block_((vertices_.size() + block_size - 1) / block_size) {
  if (!(stiffness_ > 0 && std::isfinite(stiffness_))) {
    throw Error(ErrorKind::invalid_input, "/contact/stiffness",
                fmt::format("{} is not a positive stiffness in N/m", stiffness_));
  }
  if (!(friction_ >= 0 && std::isfinite(friction_))) {
    throw Error(ErrorKind::invalid_input, "/contact/friction",
                fmt::format("{} is not a coefficient of friction; expected 0 or more", friction_));
  }
  for (int vertex : vertices_) {
    if (vertex < 0) {
      throw Error(ErrorKind::invalid_input, "/contact",
                  fmt::format("there is no vertex {}; expected 0 or more", vertex));
    }
  }
}

void ContactEnergy::begin_step(double time_end, double h, const double* x_n) {
  for (ColliderObject& collider : colliders_) collider.move(time_end, h);
  x_n_ = x_n;
  slip_ = friction_slip_speed * h;
  num_contacts_ = 0;
}

void ContactEnergy::detect(const double* x, Threads& threads) {
  threads.parallel_for(static_cast<int>(found_in_block_.size()),
                       [&](int block) { found_in_block_[at(block)] = detect_block(at(block), x); });
  // Every block wrote from its own place on; closing the gaps in order keeps the order of blocks.
  num_contacts_ = 0;
  const std::size_t room = block_size * colliders_.size();
  for (std::size_t block = 0; block < found_in_block_.size(); ++block) {
    const Contact* from = contacts_.get() + block * room;
    Contact* to = contacts_.get() + num_contacts_;
    if (from != to) std::copy(from, from + found_in_block_[block], to);
    num_contacts_ += found_in_block_[block];
  }
}

std::size_t ContactEnergy::detect_block(std::size_t block, const double* x) {
  const std::size_t first = block * block_size;
  const std::span<const int> vertices(vertices_.data() + first,
                                      std::min(block_size, vertices_.size() - first));
  Contact* const out = contacts_.get() + first * colliders_.size();
  std::size_t count = 0;
  const BlockOfVertices balls(vertices, x);
  for (std::size_t c = 0; c < colliders_.size(); ++c) {
    const ColliderObject& collider = colliders_[c];
    balls.find(collider, 0, [&](int vertex, const SurfacePoint& found) {
      const double depth = -found.distance;
      Contact contact{vertex, static_cast<int>(c), found.point,  found.normal,
                      depth,  stiffness_ * depth,  Vec3{0, 0, 0}};
      if (friction_ > 0) {
        contact.anchor = position(x_n_, vertex) + collider.displacement(found.point);
      }
      out[count++] = contact;
    });
  }
  return count;
}

double ContactEnergy::add(const double* x, double* gradient) const {
  double energy = 0;
  for (const Contact& contact : contacts()) {
    const std::size_t place = 4 * at(contact.vertex);
    energy += add(contact, x + place, gradient + place);
  }
  return energy;
}

double ContactEnergy::add(const Contact& contact, const double* x, double* gradient) const {
  const Local local = at_position(contact, {x[0], x[1], x[2]});
  double energy = 0;
  Vec3 force{0, 0, 0};  // the gradient
  if (local.gap < 0) {
    energy += 0.5 * stiffness_ * local.gap * local.gap;
    force = (stiffness_ * local.gap) * contact.normal;
  }
  if (friction_ > 0) {
    const double most = friction_ * contact.normal_force;
    if (local.speed <= slip_) {
      energy += most * local.speed * local.speed / (2 * slip_);
      force = force + (most / slip_) * local.slip;
    } else {
      energy += most * (local.speed - 0.5 * slip_);
      force = force + (most / local.speed) * local.slip;
    }
  }
  for (std::size_t k = 0; k < 3; ++k) gradient[k] += force[k];
  return energy;
}

/// k n n^T inside the plane, plus mu N times
///   (I - n n^T) / eps               where the vertex sticks,
///   (I - n n^T - u u^T/|u|^2) / |u| where it slips.
void ContactEnergy::hessian(const Contact& contact, const double* x, double* block) const {
  const Local local = at_position(contact, {x[0], x[1], x[2]});
  const Vec3& n = contact.normal;
  double across = 0;  // factor of I - n n^T
  double along = 0;   // factor of -u u^T
  if (friction_ > 0) {
    const double most = friction_ * contact.normal_force;
    across = most / std::max(local.speed, slip_);
    if (local.speed > slip_) along = across / (local.speed * local.speed);
  }
  const double normal = (local.gap < 0 ? stiffness_ : 0) - across;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      block[3 * i + j] =
          (i == j ? across : 0) + normal * (n[i] * n[j]) - along * (local.slip[i] * local.slip[j]);
    }
  }
}

}  // namespace supple

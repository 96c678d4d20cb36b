#include "potentials/springs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.h"
#include "potentials/spring_kernels.h"

namespace supple {

SUPPLE_DEFINE_KERNELS(SpringKernels, spring_kernels, spring_table)

namespace {

/// Springs per chunk: about 5 us of work.
constexpr int chunk_size = 1024;

/// Fills `start` and `incident` of SpringSet.
void index_ends(std::span<const SpringSet::Spring> springs, int num_vertices,
                std::vector<int>& start, std::vector<int>& incident) {
  start.assign(at(num_vertices) + 1, 0);
  for (const SpringSet::Spring& spring : springs) {
    ++start[at(spring.a) + 1];
    ++start[at(spring.b) + 1];
  }
  for (std::size_t v = 1; v < start.size(); ++v) start[v] += start[v - 1];
  incident.resize(2 * springs.size());
  std::vector<int> next(start.begin(), start.end() - 1);
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const int entry = 2 * static_cast<int>(s);
    const std::int32_t ends[2] = {springs[s].a, springs[s].b};
    for (int e = 0; e < 2; ++e) incident[at(next[at(ends[e])]++)] = entry + e;
  }
}

/// The springs of each body, from `first[body]` on, in the order of their vertices.
std::vector<int> order_by_vertices(std::span<const SpringSet::Spring> springs,
                                   std::span<const int> first) {
  std::vector<std::pair<std::uint64_t, int>> keys(springs.size());
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const auto [low, high] = std::minmax(springs[s].a, springs[s].b);
    keys[s] = {static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint32_t>(high),
               static_cast<int>(s)};
  }
  for (std::size_t body = 0; body + 1 < first.size(); ++body) {
    std::sort(keys.begin() + first[body], keys.begin() + first[body + 1]);
  }
  std::vector<int> order(keys.size());
  std::transform(keys.begin(), keys.end(), order.begin(),
                 [](const auto& key) { return key.second; });
  return order;
}

double length(const double* d) { return std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]); }

}  // namespace

void SpringSet::add(const Spring& spring, const std::vector<Vec3>& rest) {
  const Vec3& a = rest[static_cast<std::size_t>(spring.a)];
  const Vec3& b = rest[static_cast<std::size_t>(spring.b)];
  const Vec3 d{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  const double l = std::hypot(d[0], d[1], d[2]);
  springs.push_back(spring);
  rest_direction.push_back(l > 0 ? Vec3{d[0] / l, d[1] / l, d[2] / l} : Vec3{1, 0, 0});
}

std::optional<std::size_t> SpringSet::find_inextensible(int spring) const {
  const auto found = std::lower_bound(inextensible.begin(), inextensible.end(), spring);
  if (found == inextensible.end() || *found != spring) return {};
  return static_cast<std::size_t>(found - inextensible.begin());
}

void SpringSet::index_vertices(int num_vertices) {
  if (!springs.empty()) index_ends(springs, num_vertices, start, incident);
}

void SpringSet::project(std::size_t s, const double* x_a, const double* x_b, double* d) const {
  for (int k = 0; k < 3; ++k) d[k] = x_a[k] - x_b[k];
  const double l = length(d);
  const double r = springs[s].rest_length;
  for (std::size_t k = 0; k < 3; ++k) d[k] = r * (l > 0 ? d[k] / l : rest_direction[s][k]);
}

double SpringSet::energy_and_force(std::size_t s, const double* x_a, const double* x_b,
                                   double* gradient) const {
  return supple::energy_and_force(springs[s], rest_direction[s], x_a, x_b, gradient);
}

double energy_and_force(const SpringSet::Spring& spring, const Vec3& rest_direction,
                        const double* x_a, const double* x_b, double* gradient) {
  const PaddedVector ends[2] = {{{x_a[0], x_a[1], x_a[2], 0}}, {{x_b[0], x_b[1], x_b[2], 0}}};
  const SpringSet::Spring alone{0, 1, spring.stiffness, spring.rest_length};
  PaddedVector out;
  const int first = 0;
  const double energy = spring_table.evaluate(&alone, &first, &rest_direction, ends, 1, &out);
  for (int k = 0; k < 3; ++k) gradient[k] = out[k];
  return energy;
}

void spring_hessian(const SpringSet::Spring& spring, const double* x_a, const double* x_b,
                    SpringHessian mode, double* block) {
  const double d[3] = {x_a[0] - x_b[0], x_a[1] - x_b[1], x_a[2] - x_b[2]};
  const double l = length(d);
  const double k = spring.stiffness;
  // A spring without rest length is linear: both eigenvalues are k, also at length zero.
  const double across = l > 0 && spring.rest_length > 0 ? k * (1 - spring.rest_length / l) : k;
  const double fixed = mode == SpringHessian::clamp      ? std::max(across, 0.0)
                       : mode == SpringHessian::absolute ? std::abs(across)
                                                         : across;
  double n[3] = {0, 0, 0};
  for (int i = 0; i < 3 && l > 0; ++i) n[i] = d[i] / l;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      block[3 * i + j] = (k - fixed) * n[i] * n[j] + (i == j ? fixed : 0.0);
    }
  }
}

std::vector<int> SpringSet::first_of_bodies(std::span<const int> body_vertices) const {
  std::vector<int> first;
  for (const int vertex : body_vertices) {
    const auto found = std::partition_point(
        springs.begin(), springs.end(), [&](const Spring& spring) { return spring.a < vertex; });
    first.push_back(static_cast<int>(found - springs.begin()));
  }
  return first;
}

void SpringSet::index_bodies(std::span<const int> body_vertices) {
  if (inextensible.empty()) return;
  first_inextensible.clear();
  for (const int first : first_of_bodies(body_vertices)) {
    const auto found = std::lower_bound(inextensible.begin(), inextensible.end(), first);
    first_inextensible.push_back(static_cast<int>(found - inextensible.begin()));
  }
}

SpringEnergy::SpringEnergy(const SpringSet& set, std::span<const int> body_vertices)
    : set_(&set),
      kernels_(&spring_kernels(simd_level_in_use())),
      pieces_(cut_into_pieces(
          set.first_of_bodies(body_vertices), [](int) { return chunk_size; }, chunks_)),
      place_(set.size()),
      forces_(set.size()),
      chunk_energy_(chunks_.size()) {
  if (set.empty()) return;
  order_ = order_by_vertices(set.springs, set.first_of_bodies(body_vertices));
  springs_.reserve(set.size());
  for (std::size_t s = 0; s < order_.size(); ++s) {
    place_[at(order_[s])] = static_cast<int>(s);
    springs_.push_back(set.springs[at(order_[s])]);
  }
  index_ends(springs_, body_vertices.back(), start_, incident_);
}

double SpringEnergy::evaluate(const VectorField& x, Threads& threads) {
  if (set_->empty()) return 0;
  for (const std::int32_t s : set_->inextensible) {
    springs_[at(place_[at(s)])].rest_length = set_->springs[at(s)].rest_length;
  }
  pieces_.parallel_for(threads, [&](int chunk) {
    const std::size_t first = at(chunks_[at(chunk)].first);
    const int count = chunks_[at(chunk)].last - chunks_[at(chunk)].first;
    chunk_energy_[at(chunk)] =
        kernels_->evaluate(&springs_[first], &order_[first], set_->rest_direction.data(), x.data(),
                           count, &forces_[first]);
  });
  return pieces_.sum(chunk_energy_);
}

double SpringEnergy::energy_of(int body) const {
  double energy = 0;
  for (int c = pieces_.first(body); c < pieces_.first(body + 1); ++c) {
    energy += chunk_energy_[at(c)];
  }
  return energy;
}

}  // namespace supple

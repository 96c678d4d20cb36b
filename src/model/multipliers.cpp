#include "model/multipliers.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"

namespace supple {

namespace {

/// Of a length: what its difference of positions may round to.
constexpr double rounding = 1e-14;

double length_of(const SpringSet::Spring& spring, const VectorField& x) {
  const PaddedVector &a = x[at(spring.a)], &b = x[at(spring.b)];
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/// Calls visit(i, spring) for the inextensible springs of a body.
template <class Set, class Visit>
void for_springs(Set& set, int body, const Visit& visit) {
  if (set.inextensible.empty()) return;
  for (int i = set.first_inextensible[at(body)]; i < set.first_inextensible[at(body) + 1]; ++i) {
    visit(at(i), set.springs[at(set.inextensible[at(i)])]);
  }
}

/// t of a spring of length r, within its bounds, which is what the model then holds.
double hold(SpringSet::Spring& spring, double r, double t) {
  const double most = spring.stiffness * r, held = std::clamp(t, -most, most);
  spring.rest_length = r - held / spring.stiffness;
  return held;
}

}  // namespace

std::size_t count_multipliers(const Model& model) { return model.springs.inextensible.size(); }

void use_multipliers(Model& model, std::span<const double> multipliers) {
  SpringSet& set = model.springs;
  for (std::size_t i = 0; i < set.inextensible.size(); ++i) {
    hold(set.springs[at(set.inextensible[i])], set.exact_length[i], multipliers[i]);
  }
}

void reset_multipliers(Model& model, std::span<const int> bodies, std::span<const double> from,
                       std::vector<double>& multipliers) {
  SpringSet& set = model.springs;
  for (const int body : bodies) {
    for_springs(set, body, [&](std::size_t i, SpringSet::Spring& spring) {
      multipliers[i] = hold(spring, set.exact_length[i], from[i]);
    });
  }
}

bool update_multipliers(Model& model, std::span<const int> bodies, const VectorField& x,
                        std::vector<double>& multipliers) {
  SpringSet& set = model.springs;
  bool is_off = false;
  for (const int body : bodies) {
    for_springs(set, body, [&](std::size_t i, SpringSet::Spring& spring) {
      const double r = set.exact_length[i], c = length_of(spring, x) - r;
      if (std::abs(c) > rounding * r) is_off = true;
      multipliers[i] = hold(spring, r, multipliers[i] + spring.stiffness * c);
    });
  }
  return is_off;
}

double multiplier_energy(const Model& model, std::span<const int> bodies, const VectorField& x) {
  const SpringSet& set = model.springs;
  double energy = 0;
  for (const int body : bodies) {
    for_springs(set, body, [&](std::size_t i, const SpringSet::Spring& spring) {
      // k/2 (c + d)^2 - k/2 c^2, d being by how much its rest length is shortened.
      const double d = set.exact_length[i] - spring.rest_length;
      energy += spring.stiffness * d * (length_of(spring, x) - set.exact_length[i] + d / 2);
    });
  }
  return energy;
}

double constraint_error(const Model& model, const VectorField& x) {
  const SpringSet& set = model.springs;
  double worst = 0;
  for (std::size_t i = 0; i < set.inextensible.size(); ++i) {
    const double length = length_of(set.springs[at(set.inextensible[i])], x);
    worst = std::max(worst, std::abs(length / set.exact_length[i] - 1));
  }
  return worst;
}

}  // namespace supple

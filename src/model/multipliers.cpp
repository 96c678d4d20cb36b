#include "model/multipliers.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"

namespace supple {

namespace {

/// Rounding error of a length or a volume, relative to it, from the differences of positions.
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

int body_of(const Model& model, const PressureSet::Chamber& chamber) {
  return model.body_of(model.pressures.faces[at(chamber.first_face)][0]);
}

/// Calls visit(i, c, chamber) for the exact volumes of the bodies (ascending). i counts
/// multipliers, c all chambers.
template <class Model, class Visit>
void for_volumes(Model& model, std::span<const int> bodies, const Visit& visit) {
  std::size_t i = model.springs.inextensible.size();
  for (std::size_t c = 0; c < model.pressures.chambers.size(); ++c) {
    auto& chamber = model.pressures.chambers[c];
    if (!chamber.is_exact()) continue;
    if (std::binary_search(bodies.begin(), bodies.end(), body_of(model, chamber))) {
      visit(i, c, chamber);
    }
    ++i;
  }
}

/// Clamps p of a volume to its bounds and puts it into the model. Returns it.
double hold(PressureSet::Chamber& chamber, double p) {
  const double most = chamber.stiffness * chamber.rest_volume;
  return chamber.multiplier = std::clamp(p, -most, most);
}

}  // namespace

double hold_tension(SpringSet::Spring& spring, double r, double t) {
  const double most = spring.stiffness * r, held = std::clamp(t, -most, most);
  spring.rest_length = r - held / spring.stiffness;
  return held;
}

std::size_t first_volume_multiplier(const Model& model, int body) {
  std::size_t first = model.springs.inextensible.size();
  for (const PressureSet::Chamber& chamber : model.pressures.chambers) {
    if (chamber.is_exact() && body_of(model, chamber) < body) ++first;
  }
  return first;
}

std::size_t count_multipliers(const Model& model) {
  return first_volume_multiplier(model, model.num_bodies());
}

void use_multipliers(Model& model, std::span<const double> multipliers) {
  SpringSet& set = model.springs;
  for (std::size_t i = 0; i < set.inextensible.size(); ++i) {
    hold_tension(set.springs[at(set.inextensible[i])], set.exact_length[i], multipliers[i]);
  }
  std::size_t i = set.inextensible.size();
  for (PressureSet::Chamber& chamber : model.pressures.chambers) {
    if (chamber.is_exact()) hold(chamber, multipliers[i++]);
  }
}

void reset_multipliers(Model& model, std::span<const int> bodies, std::span<const double> from,
                       std::vector<double>& multipliers) {
  SpringSet& set = model.springs;
  for (const int body : bodies) {
    for_springs(set, body, [&](std::size_t i, SpringSet::Spring& spring) {
      multipliers[i] = hold_tension(spring, set.exact_length[i], from[i]);
    });
  }
  for_volumes(model, bodies, [&](std::size_t i, std::size_t, PressureSet::Chamber& chamber) {
    multipliers[i] = hold(chamber, from[i]);
  });
}

bool update_multipliers(Model& model, std::span<const int> bodies, const VectorField& x,
                        std::span<const double> volumes, std::vector<double>& multipliers) {
  SpringSet& set = model.springs;
  bool is_off = false;
  for (const int body : bodies) {
    for_springs(set, body, [&](std::size_t i, SpringSet::Spring& spring) {
      const double r = set.exact_length[i], c = length_of(spring, x) - r;
      if (std::abs(c) > rounding * r) is_off = true;
      multipliers[i] = hold_tension(spring, r, multipliers[i] + spring.stiffness * c);
    });
  }
  for_volumes(model, bodies, [&](std::size_t i, std::size_t c, PressureSet::Chamber& chamber) {
    const double more = volumes[c] - chamber.rest_volume;
    if (std::abs(more) > rounding * chamber.rest_volume) is_off = true;
    multipliers[i] = hold(chamber, multipliers[i] - chamber.stiffness * more);
  });
  return is_off;
}

double spring_multiplier_energy(const Model& model, std::span<const int> bodies,
                                const VectorField& x) {
  const SpringSet& set = model.springs;
  double energy = 0;
  for (const int body : bodies) {
    for_springs(set, body, [&](std::size_t i, const SpringSet::Spring& spring) {
      // k/2 (c + d)^2 - k/2 c^2, where d is by how much its rest length is shortened.
      const double d = set.exact_length[i] - spring.rest_length;
      energy += spring.stiffness * d * (length_of(spring, x) - set.exact_length[i] + d / 2);
    });
  }
  return energy;
}

double volume_multiplier_energy(const Model& model, std::span<const int> bodies,
                                std::span<const double> volumes) {
  double energy = 0;
  for_volumes(model, bodies, [&](std::size_t, std::size_t c, const auto& chamber) {
    energy -= chamber.multiplier * (volumes[c] - chamber.rest_volume);
  });
  return energy;
}

double constraint_energy(const Model& model, std::span<const int> bodies, const VectorField& x,
                         std::span<const double> volumes) {
  const SpringSet& set = model.springs;
  double energy = 0;
  for (const int body : bodies) {
    for_springs(set, body, [&](std::size_t i, const SpringSet::Spring& spring) {
      const double c = length_of(spring, x) - set.exact_length[i];
      energy += spring.stiffness / 2 * c * c;
    });
  }
  for_volumes(model, bodies, [&](std::size_t, std::size_t c, const auto& chamber) {
    const double more = volumes[c] - chamber.rest_volume;
    energy += chamber.stiffness / 2 * more * more;
  });
  return energy;
}

double constraint_error(const Model& model, const VectorField& x, std::span<const double> volumes) {
  const SpringSet& set = model.springs;
  double worst = 0;
  for (std::size_t i = 0; i < set.inextensible.size(); ++i) {
    const double length = length_of(set.springs[at(set.inextensible[i])], x);
    worst = std::max(worst, std::abs(length / set.exact_length[i] - 1));
  }
  for (std::size_t c = 0; c < model.pressures.chambers.size(); ++c) {
    const PressureSet::Chamber& chamber = model.pressures.chambers[c];
    if (chamber.is_exact()) worst = std::max(worst, std::abs(volumes[c] / chamber.rest_volume - 1));
  }
  return worst;
}

}  // namespace supple

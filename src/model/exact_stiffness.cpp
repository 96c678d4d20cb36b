#include "model/exact_stiffness.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/index.h"
#include "base/refuse.h"

namespace supple {

namespace {

constexpr double times_resistance = 10, times_inertia = 2;

/// Mean constant stiffness of a body's tets, Pa; 0 if it has none.
double mean_stiffness(const Model& model, int body) {
  double sum = 0, volume = 0;
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    if (model.body_of(model.tets[t][0]) != body) continue;
    sum += model.stiffness[t] * model.volume[t];
    volume += model.volume[t];
  }
  return volume > 0 ? sum / volume : 0;
}

/// E'' of the springs and membranes around one chamber, J. is_around: for each vertex.
double stretch_energy(const Model& model, const std::vector<char>& is_around) {
  double sum = 0;
  for (const SpringSet::Spring& spring : model.springs.springs) {
    if (!is_around[at(spring.a)]) continue;
    sum += spring.stiffness * spring.rest_length * spring.rest_length;
  }
  const MembraneSet& membranes = model.membranes;
  for (int lane = 0; lane < membranes.num_lanes(); ++lane) {
    if (!membranes.is_triangle(lane) || !is_around[at(membranes.vertex(lane, 0))]) continue;
    sum += 2 * membranes.energy_scale(lane);
  }
  return sum;
}

/// 1/sum_i |dV/dx_i|^2/m_i at rest, kg/m^4, over the vertices of a chamber.
double surface_inertia(const Model& model, const PressureSet::Chamber& chamber,
                       const std::vector<char>& is_around) {
  std::vector<Vec3> area(is_around.size());
  for (int f = chamber.first_face; f < chamber.first_face + chamber.num_faces; ++f) {
    const auto& face = model.pressures.faces[at(f)];
    const Vec3 &a = model.rest[at(face[0])], &b = model.rest[at(face[1])],
               &c = model.rest[at(face[2])];
    const Vec3 u{b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v{c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    const Vec3 share{(u[1] * v[2] - u[2] * v[1]) / 6, (u[2] * v[0] - u[0] * v[2]) / 6,
                     (u[0] * v[1] - u[1] * v[0]) / 6};
    for (const int vertex : face) {
      for (std::size_t k = 0; k < 3; ++k) area[at(vertex)][k] += share[k];
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < area.size(); ++i) {
    const Vec3& own = area[i];
    if (!is_around[i]) continue;
    sum += (own[0] * own[0] + own[1] * own[1] + own[2] * own[2]) / model.mass[i];
  }
  return 1 / sum;
}

/// Vertices that inextensible springs tie to each other.
class Web {
 public:
  explicit Web(const Model& model)
      : set_(&model.springs), is_exact_(model.springs.size(), 0), distance_(model.rest.size(), -1) {
    for (const int s : set_->inextensible) is_exact_[at(s)] = 1;
  }

  /// All vertices tied to this one, the farthest one, counted in springs, last.
  const std::vector<int>& around(int vertex) {
    for (const int seen : found_) distance_[at(seen)] = -1;
    found_.assign(1, vertex);
    distance_[at(vertex)] = 0;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const int from = found_[i];
      for (int e = set_->start[at(from)]; e < set_->start[at(from) + 1]; ++e) {
        const int entry = set_->incident[at(e)], to = set_->other_end(entry);
        if (is_exact_[at(entry / 2)] == 0 || distance_[at(to)] >= 0) continue;
        distance_[at(to)] = distance_[at(from)] + 1;
        found_.push_back(to);
      }
    }
    return found_;
  }
  int greatest_distance() const { return distance_[at(found_.back())]; }

 private:
  const SpringSet* set_;
  std::vector<char> is_exact_;
  std::vector<int> distance_;  ///< from the last vertex asked for; -1: not tied to it
  std::vector<int> found_;
};

/// inverse_h2: as below.
void stiffen_springs(double inverse_h2, Model& model) {
  if (model.springs.inextensible.empty() || inverse_h2 == 0) return;
  Web web(model);
  std::vector<double> least(model.rest.size(), 0);  // for the springs at each vertex, N/m
  for (const int s : model.springs.inextensible) {
    SpringSet::Spring& spring = model.springs.springs[at(s)];
    if (least[at(spring.a)] == 0) {
      double mass = 0;
      // From the farthest vertex the other end is as far as it gets, or nearly.
      for (const int vertex : web.around(web.around(spring.a).back())) {
        mass = std::max(mass, model.mass[at(vertex)]);
      }
      const double links = 2 / std::numbers::pi * web.greatest_distance();
      const double found = times_inertia * mass * inverse_h2 * (1 + links * links);
      for (const int vertex : web.around(spring.a)) least[at(vertex)] = found;
    }
    spring.stiffness = std::max(spring.stiffness, least[at(spring.a)]);
  }
}

/// inverse_h2: 1/h^2, 1/s^2; 0 without inertia.
void stiffen_volumes(double inverse_h2, Model& model) {
  for (PressureSet::Chamber& chamber : model.pressures.chambers) {
    if (!chamber.is_exact()) continue;
    const int body = model.body_of(model.pressures.faces[at(chamber.first_face)][0]);
    std::vector<char> is_around(model.rest.size(), 0);
    for (int f = chamber.first_face; f < chamber.first_face + chamber.num_faces; ++f) {
      for (const int vertex : model.pressures.faces[at(f)]) is_around[at(vertex)] = 1;
    }
    const double volume = chamber.rest_volume;
    const double of_tets = mean_stiffness(model, body) / (3 * volume);
    const double of_sheets = stretch_energy(model, is_around) / (9 * volume * volume);
    const double inertia =
        inverse_h2 > 0 ? surface_inertia(model, chamber, is_around) * inverse_h2 : 0;
    chamber.stiffness = times_resistance * (of_tets + of_sheets + inertia);
    require(std::isfinite(chamber.stiffness) && chamber.stiffness > 0,
            "/bodies/" + std::to_string(body) + "/volume",
            "nothing resists a change of this volume, so it cannot be kept exactly");
  }
}

}  // namespace

void stiffen_exact(const TimeSettings& time, Model& model) {
  const double h = time.step / time.substeps;
  const double inverse_h2 = time.integrator == TimeIntegrator::quasi_static ? 0 : 1 / (h * h);
  stiffen_springs(inverse_h2, model);
  stiffen_volumes(inverse_h2, model);
}

}  // namespace supple

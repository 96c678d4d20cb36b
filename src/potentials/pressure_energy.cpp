#include "potentials/pressure_energy.h"

#include <algorithm>
#include <cmath>

#include "materials/extended_log.h"
#include "math/motion.h"

namespace supple {

namespace {

/// Triangles or vertices in one chunk of a thread's work: some 5 us.
constexpr int faces_per_chunk = 512;
constexpr int vertices_per_chunk = 128;

/// For a volume that stays: the relative change of volume at which the error of its energy is
/// taken, as for springs (objective.h).
constexpr double volume_strain = 0.1;

int num_chunks_of(std::size_t count, int size) {
  return (static_cast<int>(count) + size - 1) / size;
}

}  // namespace

PressureEnergy::PressureEnergy(const PressureSet& set)
    : set_(&set),
      pressure_(set.chambers.size()),
      volumes_(set.chambers.size()),
      slopes_(set.chambers.size()),
      weights_(set.chambers.size()) {
  for (std::size_t i = 0; i < set.chambers.size(); ++i) {
    const PressureSet::Chamber& chamber = set.chambers[i];
    const int end = chamber.first_face + chamber.num_faces;
    first_chunk_.push_back(static_cast<int>(chunks_.size()));
    for (int f = chamber.first_face; f < end; f += faces_per_chunk) {
      chunks_.push_back({static_cast<int>(i), f, std::min(f + faces_per_chunk, end)});
    }
    volumes_[i] = chamber.rest_volume;
  }
  first_chunk_.push_back(static_cast<int>(chunks_.size()));
  chunk_volume_.resize(chunks_.size());
  set_time(0);
}

void PressureEnergy::set_time(double time) {
  energy_scale_ = 0;
  for (std::size_t i = 0; i < pressure_.size(); ++i) {
    const PressureSet::Chamber& chamber = set_->chambers[i];
    const PressureSet::Filling& filling = set_->fillings[at(chamber.filling)];
    pressure_[i] = supple::evaluate(filling.pressure, time);
    slopes_[i] = slope(i, volumes_[i]);
    const double most = chamber.is_exact() ? volume_strain * chamber.stiffness * chamber.rest_volume
                                           : std::max(std::abs(pressure_[i]), filling.ambient);
    energy_scale_ = std::hypot(energy_scale_, most * chamber.rest_volume);
  }
}

double PressureEnergy::energy_of(std::size_t chamber, double volume) const {
  const PressureSet::Chamber& own = set_->chambers[chamber];
  const double rest = own.rest_volume, more = volume - rest;
  if (own.is_exact()) return (own.stiffness / 2 * more - own.multiplier) * more;
  const PressureSet::Filling& filling = set_->fillings[at(own.filling)];
  if (!filling.is_gas) return -pressure_[chamber] * more;
  const double part = volume / rest;
  const double log =
      part < log_extension_start ? extended_log(part).value : std::log1p(more / rest);
  return -pressure_[chamber] * rest * log + filling.ambient * more;
}

double PressureEnergy::slope(std::size_t chamber, double volume) const {
  const PressureSet::Chamber& own = set_->chambers[chamber];
  if (own.is_exact()) return own.stiffness * (volume - own.rest_volume) - own.multiplier;
  const PressureSet::Filling& filling = set_->fillings[at(own.filling)];
  if (!filling.is_gas) return -pressure_[chamber];
  const double part = volume / own.rest_volume;
  return filling.ambient - pressure_[chamber] * extended_log(part).first;
}

double PressureEnergy::curvature(std::size_t chamber, double volume) const {
  if (set_->chambers[chamber].is_exact()) return set_->chambers[chamber].stiffness;
  if (!set_->fillings[at(set_->chambers[chamber].filling)].is_gas) return 0;
  const double rest = set_->chambers[chamber].rest_volume;
  return -pressure_[chamber] / rest * extended_log(volume / rest).second;
}

void PressureEnergy::find_chunk_volume(std::size_t chunk, const VectorField& x) {
  const Chunk& own = chunks_[chunk];
  // Relative to one of its own corners, so that nothing cancels far from the origin.
  const PressureSet::Chamber& chamber = set_->chambers[at(own.chamber)];
  const PaddedVector& o = x[at(set_->faces[at(chamber.first_face)][0])];
  double sum = 0;
  for (int f = own.first; f < own.last; ++f) {
    double m[3][3];
    for (std::size_t c = 0; c < 3; ++c) {
      for (int k = 0; k < 3; ++k) m[c][k] = x[at(set_->faces[at(f)][c])][k] - o[k];
    }
    sum += m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
           m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  }
  chunk_volume_[chunk] = sum / 6;
}

double PressureEnergy::volume_at(std::size_t chamber, const VectorField& x, Threads& threads) {
  const int first = first_chunk_[chamber], last = first_chunk_[chamber + 1];
  threads.parallel_for(last - first, [&](int i) { find_chunk_volume(at(first + i), x); });
  double volume = 0;
  for (int i = first; i < last; ++i) volume += chunk_volume_[at(i)];
  return volume;
}

double PressureEnergy::evaluate(const VectorField& x, Threads& threads) {
  threads.parallel_for(static_cast<int>(chunks_.size()),
                       [&](int i) { find_chunk_volume(at(i), x); });
  std::fill(volumes_.begin(), volumes_.end(), 0.0);
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    volumes_[at(chunks_[i].chamber)] += chunk_volume_[i];
  }
  double energy = 0;
  for (std::size_t i = 0; i < volumes_.size(); ++i) {
    slopes_[i] = slope(i, volumes_[i]);
    energy += energy_of(i, volumes_[i]);
  }
  return energy;
}

template <class Weight>
Vec3 PressureEnergy::weighted_area(std::size_t place, const VectorField& x,
                                   const Weight& weight) const {
  Vec3 sum{0, 0, 0};
  for (int i = set_->start[place]; i < set_->start[place + 1]; ++i) {
    const int face = set_->corners[at(i)] / 3;
    const auto& [a, b, c] = set_->faces[at(face)];
    double u[3], v[3];
    for (int k = 0; k < 3; ++k) {
      u[k] = x[at(b)][k] - x[at(a)][k];
      v[k] = x[at(c)][k] - x[at(a)][k];
    }
    const double share = weight(at(set_->chamber_of_face[at(face)])) / 6;
    sum[0] += share * (u[1] * v[2] - u[2] * v[1]);
    sum[1] += share * (u[2] * v[0] - u[0] * v[2]);
    sum[2] += share * (u[0] * v[1] - u[1] * v[0]);
  }
  return sum;
}

Vec3 PressureEnergy::area_at(std::size_t chamber, std::size_t place, const VectorField& x) const {
  return weighted_area(place, x, [&](std::size_t own) { return own == chamber ? 1.0 : 0.0; });
}

Vec3 PressureEnergy::gradient_of(int vertex, const VectorField& x) const {
  const auto found = std::lower_bound(set_->vertices.begin(), set_->vertices.end(), vertex);
  if (found == set_->vertices.end() || *found != vertex) return {0, 0, 0};
  return weighted_area(at(found - set_->vertices.begin()), x,
                       [&](std::size_t chamber) { return slopes_[chamber]; });
}

template <class Work>
void PressureEnergy::for_vertices(Threads& threads, const Work& work) const {
  const std::size_t count = set_->vertices.size();
  threads.parallel_for(num_chunks_of(count, vertices_per_chunk), [&](int chunk) {
    const auto first = at(chunk * vertices_per_chunk);
    const std::size_t last = std::min(count, first + vertices_per_chunk);
    for (std::size_t place = first; place < last; ++place) work(place);
  });
}

double PressureEnergy::add(const VectorField& x, Threads& threads, VectorField& gradient,
                           double factor) {
  const double energy = evaluate(x, threads);
  for_vertices(threads, [&](std::size_t place) {
    const Vec3 own = weighted_area(place, x, [&](std::size_t chamber) { return slopes_[chamber]; });
    PaddedVector& to = gradient[at(set_->vertices[place])];
    for (int k = 0; k < 3; ++k) to[k] += factor * own[at(k)];
  });
  return energy;
}

void PressureEnergy::add_stiffening(const VectorField& x, const VectorField& d, Threads& threads,
                                    VectorField& out) {
  evaluate(x, threads);
  // dV/dx . d of each chamber: a face contributes by the sum over its corners.
  threads.parallel_for(static_cast<int>(chunks_.size()), [&](int i) {
    double sum = 0;
    for (int f = chunks_[at(i)].first; f < chunks_[at(i)].last; ++f) {
      const auto& [a, b, c] = set_->faces[at(f)];
      double u[3], v[3], way[3];
      for (int k = 0; k < 3; ++k) {
        u[k] = x[at(b)][k] - x[at(a)][k];
        v[k] = x[at(c)][k] - x[at(a)][k];
        way[k] = d[at(a)][k] + d[at(b)][k] + d[at(c)][k];
      }
      sum += way[0] * (u[1] * v[2] - u[2] * v[1]) + way[1] * (u[2] * v[0] - u[0] * v[2]) +
             way[2] * (u[0] * v[1] - u[1] * v[0]);
    }
    chunk_volume_[at(i)] = sum / 6;
  });
  std::fill(weights_.begin(), weights_.end(), 0.0);
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    weights_[at(chunks_[i].chamber)] += chunk_volume_[i];
  }
  for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] *= curvature(i, volumes_[i]);
  for_vertices(threads, [&](std::size_t place) {
    const Vec3 own =
        weighted_area(place, x, [&](std::size_t chamber) { return weights_[chamber]; });
    PaddedVector& to = out[at(set_->vertices[place])];
    for (int k = 0; k < 3; ++k) to[k] += own[at(k)];
  });
}

}  // namespace supple

#include "position/volume_constraints.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.h"
#include "math/vec3.h"

namespace supple {

namespace {

/// Vertices per task: some 5 us of work.
constexpr int vertices_per_chunk = 128;
/// How much larger a substep may make a volume, or its V0 if that is larger. A light skin that is
/// visited too rarely would let it grow without end.
constexpr double most_growth = 1.5;
/// Newton steps for the pressure of a gas: it converges from below, and quadratically.
constexpr int most_steps = 60;
constexpr double step_done = 1e-15;

}  // namespace

template <class T>
VolumeConstraints<T>::VolumeConstraints(const Model& model, bool keep)
    : model_(&model), keep_(keep), energy_(model.pressures) {
  const PressureSet& set = model.pressures;
  volumes_.resize(set.chambers.size());
  if (empty()) return;
  z_.resize(at(model.num_vertices));
  std::vector<std::vector<int>> of_chamber(volumes_.size());
  for (std::size_t place = 0; place < set.vertices.size(); ++place) {
    for (int i = set.start[place]; i < set.start[place + 1]; ++i) {
      std::vector<int>& own = of_chamber[at(set.chamber_of_face[at(set.corners[at(i)] / 3)])];
      if (own.empty() || own.back() != static_cast<int>(place)) {
        own.push_back(static_cast<int>(place));
      }
    }
  }
  std::size_t most_chunks = 0;
  for (std::size_t c = 0; c < volumes_.size(); ++c) {
    Volume& volume = volumes_[c];
    volume.first = static_cast<int>(places_.size());
    volume.count = static_cast<int>(of_chamber[c].size());
    most_chunks = std::max(most_chunks, at(volume.count / vertices_per_chunk + 1));
    for (const int place : of_chamber[c]) {
      places_.push_back(place);
      inverse_mass_.push_back(inverse_mass_of(model, set.vertices[at(place)]));
    }
  }
  impulse_.resize(places_.size());
  area_.resize(places_.size());
  sums_.resize(most_chunks);
}

template <class T>
void VolumeConstraints<T>::begin(const PositionStep& step, Threads& threads) {
  a2_ = 1 / step.inverse_a2;
  energy_.set_time(step.time);
  for (std::size_t c = 0; c < volumes_.size(); ++c) {
    const double rest = model_->pressures.chambers[c].rest_volume;
    const double before = energy_.volume_at(c, step.x_start, threads);
    volumes_[c].largest = most_growth * std::max(before, rest);
  }
  if (keep_ && !step.first_of_frame) return;
  std::fill(impulse_.begin(), impulse_.end(), Vec3{0, 0, 0});
  for (Volume& volume : volumes_) volume.pressure = 0;
}

template <class T>
void VolumeConstraints<T>::apply_kept(Positions<T>& x) const {
  if (!keep_) return;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    PaddedPosition<T>& own = x[at(vertex_of(i))];
    for (int k = 0; k < 3; ++k) own[k] += static_cast<T>(inverse_mass_[i] * impulse_[i][at(k)]);
  }
}

template <class T>
void VolumeConstraints<T>::project(Positions<T>& x, Threads& threads) {
  for (std::size_t c = 0; c < volumes_.size(); ++c) project_volume(c, x, threads);
}

/// Calls work(chunk, first, last) with ranges of a volume's places.
template <class T>
template <class Work>
void VolumeConstraints<T>::for_chunks(const Volume& volume, Threads& threads,
                                      const Work& work) const {
  const int end = volume.first + volume.count;
  threads.parallel_for((volume.count + vertices_per_chunk - 1) / vertices_per_chunk, [&](int i) {
    const int first = volume.first + i * vertices_per_chunk;
    work(at(i), at(first), at(std::min(first + vertices_per_chunk, end)));
  });
}

/// The p of a volume that is empty_volume + p mobility, Pa.
template <class T>
double VolumeConstraints<T>::pressure_for(std::size_t chamber, double empty_volume,
                                          double mobility) const {
  const PressureSet::Chamber& own = model_->pressures.chambers[chamber];
  const double rest = own.rest_volume;
  if (own.is_exact()) {
    const double exact = (rest - empty_volume) / mobility, most = own.stiffness * rest;
    if (std::abs(exact) <= most) return exact;
    return (std::copysign(most, exact) + own.stiffness * (rest - empty_volume)) /
           (1 + own.stiffness * mobility);
  }
  // The root of V - empty_volume + mobility phi'(V), which increases and is concave.
  double volume = std::max(rest, empty_volume);
  for (int i = 0; i < most_steps; ++i) {
    const double value = volume - empty_volume + mobility * energy_.slope(chamber, volume);
    const double step = value / (1 + mobility * energy_.curvature(chamber, volume));
    volume -= step;
    if (std::abs(step) <= step_done * rest) break;
  }
  return -energy_.slope(chamber, volume);
}

/// The sum over a volume's triangles around a vertex of the edge across from it, at z_, m.
template <class T>
double VolumeConstraints<T>::edges_across(std::size_t chamber, std::size_t place) const {
  const PressureSet& set = model_->pressures;
  double sum = 0;
  for (int i = set.start[place]; i < set.start[place + 1]; ++i) {
    const std::size_t number = at(set.corners[at(i)] / 3);
    if (at(set.chamber_of_face[number]) != chamber) continue;
    const auto& face = set.faces[number];
    const std::size_t corner = at(set.corners[at(i)] % 3);
    const PaddedVector &b = z_[at(face[(corner + 1) % 3])], &c = z_[at(face[(corner + 2) % 3])];
    sum += std::hypot(b[0] - c[0], b[1] - c[1], b[2] - c[2]);
  }
  return sum;
}

template <class T>
void VolumeConstraints<T>::project_volume(std::size_t chamber, Positions<T>& x, Threads& threads) {
  Volume& volume = volumes_[chamber];
  for_chunks(volume, threads, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t vertex = at(vertex_of(i));
      for (int k = 0; k < 3; ++k) z_[vertex][k] = static_cast<double>(x[vertex][k]);
    }
  });
  for_chunks(volume, threads, [&](std::size_t chunk, std::size_t first, std::size_t last) {
    Sums& own = sums_[chunk] = {};
    for (std::size_t i = first; i < last; ++i) {
      area_[i] = energy_.area_at(chamber, at(places_[i]), z_);
      own.squares += inverse_mass_[i] * vec3::dot(area_[i], area_[i]);
      own.along += inverse_mass_[i] * vec3::dot(area_[i], impulse_[i]);
      own.turning =
          std::max(own.turning, inverse_mass_[i] * edges_across(chamber, at(places_[i])) / 3);
    }
  });
  Sums sum;
  for (int i = 0; i * vertices_per_chunk < volume.count; ++i) {
    sum.squares += sums_[at(i)].squares;
    sum.along += sums_[at(i)].along;
    sum.turning = std::max(sum.turning, sums_[at(i)].turning);
  }
  const double mobility = a2_ * sum.squares, before = volume.pressure;
  if (!(mobility > 0) || !std::isfinite(mobility)) return;
  const double turns = a2_ * std::abs(before) * sum.turning;
  const double part = turns > 0.5 ? 0.5 / turns : 1;
  // A volume at rest stays so to the last bit.
  const double rest = model_->pressures.chambers[chamber].rest_volume;
  const double rounding = 32 * static_cast<double>(std::numeric_limits<T>::epsilon());
  double now = energy_.volume_at(chamber, z_, threads);
  if (std::abs(now - rest) <= rounding * rest) now = rest;
  const double turned = part * (mobility * before - sum.along);
  const double empty_volume = now + turned - mobility * before;
  const double bound = std::max(0.0, (volume.largest - empty_volume) / mobility);
  const double pressure = std::min(pressure_for(chamber, empty_volume, mobility), bound);
  if (!std::isfinite(pressure)) return;
  volume.pressure = pressure;
  for_chunks(volume, threads, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      PaddedPosition<T>& own = x[at(vertex_of(i))];
      for (std::size_t k = 0; k < 3; ++k) {
        const double change = a2_ * (pressure - before) * area_[i][k] +
                              part * (a2_ * before * area_[i][k] - impulse_[i][k]);
        impulse_[i][k] += change;
        own[static_cast<int>(k)] += static_cast<T>(inverse_mass_[i] * change);
      }
    }
  });
}

template <class T>
void VolumeConstraints<T>::add_exact_forces(const VectorField& z, Threads& threads,
                                            VectorField& gradient) {
  for (std::size_t c = 0; c < volumes_.size(); ++c) {
    if (!model_->pressures.chambers[c].is_exact()) continue;
    const double more = -volumes_[c].pressure - energy_.slope(c, energy_.volume_at(c, z, threads));
    for (int i = volumes_[c].first; i < volumes_[c].first + volumes_[c].count; ++i) {
      const Vec3 area = energy_.area_at(c, at(places_[at(i)]), z);
      PaddedVector& own = gradient[at(vertex_of(at(i)))];
      for (int k = 0; k < 3; ++k) own[k] += more * area[at(k)];
    }
  }
}

template <class T>
std::vector<ConstraintGroup> VolumeConstraints<T>::groups() const {
  return std::vector<ConstraintGroup>(volumes_.size(), {"volumes", 1});
}

template class VolumeConstraints<double>;
template class VolumeConstraints<float>;

}  // namespace supple

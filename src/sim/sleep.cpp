#include "sim/sleep.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "base/refuse.h"
#include "math/motion.h"
#include "sim/measures.h"

namespace supple {

namespace {

constexpr double asleep = -1;

/// Whether something that acts on the body changes with time although nothing moves.
bool changes_with_time(const Scene& scene, const Body& body) {
  const auto moves = [&](const Pin& pin) {
    const auto holds = [&](const Collider& collider) { return collider.name == pin.collider; };
    const auto holder = std::find_if(scene.colliders.begin(), scene.colliders.end(), holds);
    const bool follows = !pin.collider.empty() && holder != scene.colliders.end();
    return !((follows ? holder->motion : pin.motion) == Motion{});
  };
  const auto is_sewn = [&](const Seam& seam) {
    return seam.close > 0 && (seam.a.body == body.name || seam.b.body == body.name);
  };
  const auto creeps = [](const MaterialSettings& material) {
    return material.plasticity && material.plasticity->creep;
  };
  return std::any_of(scene.seams.begin(), scene.seams.end(), is_sewn) ||
         std::any_of(body.pins.begin(), body.pins.end(), moves) || creeps(body.material) ||
         std::any_of(body.layers.begin(), body.layers.end(), creeps) ||
         std::any_of(body.regions.begin(), body.regions.end(),
                     [&](const MaterialRegion& region) { return creeps(region.material); }) ||
         std::any_of(body.fibers.begin(), body.fibers.end(),
                     [](const FiberSettings& fiber) { return changes(fiber.activation); }) ||
         (body.pressure && changes(body.pressure->pressure)) ||
         std::any_of(body.growth.begin(), body.growth.end(),
                     [](const GrowthSettings& growth) { return changes(growth.stretch); });
}

}  // namespace

Sleep::Sleep(const Scene& scene, const Model& model)
    : after_(scene.time.sleep_after), rested_(scene.bodies.size(), 0.0) {
  if (!is_on()) return;
  for (std::size_t b = 0; b < rested_.size(); ++b) {
    double mass = 0;
    for (int i = model.body_vertices[b]; i < model.body_vertices[b + 1]; ++i) {
      mass += model.mass[at(i)];
    }
    const double speed = rest_speed * box_diagonal(model, b);
    most_.push_back(0.5 * mass * speed * speed);
    may_sleep_.push_back(1);
    body_changed(scene, static_cast<int>(b));
  }
}

void Sleep::body_changed(const Scene& scene, int body) {
  if (!is_on()) return;
  wake(body);
  may_sleep_[at(body)] = scene.wind || changes_with_time(scene, scene.bodies[at(body)]) ? 0 : 1;
}

void Sleep::wake(int body) {
  if (is_asleep(body)) --count_;
  rested_[at(body)] = 0;
}

void Sleep::wake_all() {
  std::fill(rested_.begin(), rested_.end(), 0.0);
  count_ = 0;
}

bool Sleep::stays_asleep(std::span<const int> island) {
  if (count_ == 0) return false;
  const auto sleeps = [&](int body) { return is_asleep(body); };
  if (std::all_of(island.begin(), island.end(), sleeps)) return true;
  for (const int body : island) {
    if (is_asleep(body)) wake(body);
  }
  return false;
}

void Sleep::measure(const EnergyGuard& guard, const VectorField& x_before, const VectorField& x,
                    const VectorField& v, double h) {
  for (std::size_t b = 0; b < rested_.size(); ++b) {
    const int body = static_cast<int>(b);
    if (is_asleep(body)) continue;
    const std::span<const int> alone(&body, 1);
    const bool rests = may_sleep_[b] != 0 && guard.kinetic(alone, v) < most_[b] &&
                       guard.kinetic_of_way(alone, x_before, x, h) < most_[b];
    rested_[b] = rests ? rested_[b] + h : 0;
  }
}

bool Sleep::falls_asleep(std::span<const int> island) {
  // Sums of h, which need not be exact.
  const auto is_ready = [&](int body) { return rested_[at(body)] >= after_ * (1 - 1e-9); };
  if (!std::all_of(island.begin(), island.end(), is_ready)) return false;
  for (const int body : island) rested_[at(body)] = asleep;
  count_ += static_cast<int>(island.size());
  return true;
}

std::vector<double> Sleep::memory() const {
  const bool none = std::all_of(rested_.begin(), rested_.end(), [](double t) { return t == 0; });
  return none ? std::vector<double>() : rested_;
}

void Sleep::check_memory(const std::vector<double>& rested) const {
  if (rested.empty()) return;
  require(rested.size() == rested_.size(), "rested",
          "expected " + std::to_string(rested_.size()) + " numbers or none, there are " +
              std::to_string(rested.size()));
  for (const double time : rested) {
    require(time == asleep || (time >= 0 && std::isfinite(time)), "rested",
            "expected times of at least 0 in s, or -1 of bodies that sleep");
  }
}

void Sleep::set_memory(const std::vector<double>& rested) {
  wake_all();
  if (rested.empty() || !is_on()) return;
  rested_ = rested;
  count_ = static_cast<int>(std::count(rested_.begin(), rested_.end(), asleep));
}

}  // namespace supple

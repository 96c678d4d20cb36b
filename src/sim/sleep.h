#pragma once

#include <span>
#include <vector>

#include "model/model.h"
#include "sim/energy_guard.h"
#include "sim/islands.h"
#include "supple/scene.h"

namespace supple {

/// Which bodies rest, for how long, and which of them sleep: TimeSettings::sleep_after.
///
/// A body rests in a frame if its mass-weighted root mean square velocity, both at the end of the
/// frame and on average over it, is below `rest_speed` times its size per second. An island whose
/// bodies have all rested for long enough falls asleep. Anything that acts on one of them, or comes
/// near enough to do so, wakes the whole island.
class Sleep {
 public:
  /// Body sizes per second: a body takes 100 s to move by its own length. Blocks in a pile that ten
  /// iterations hold with friction jitter at up to half of this speed.
  static constexpr double rest_speed = 0.01;

  Sleep(const Scene& scene, const Model& model);

  bool is_on() const { return after_ > 0; }
  bool is_asleep(int body) const { return rested_[static_cast<std::size_t>(body)] < 0; }
  int count() const { return count_; }
  bool are_all_asleep() const { return count_ > 0 && count_ == static_cast<int>(rested_.size()); }

  void wake(int body);
  void wake_all();
  /// Its pins or its material have changed; wakes it.
  void body_changed(const Scene& scene, int body);

  /// Whether bodies that are solved together sleep. If one is awake, all wake.
  bool stays_asleep(std::span<const int> island);

  /// Ends a frame of h, s, that led from x_before to x and v, with the islands of its last substep.
  /// Calls lay_down(int body) for each body that falls asleep.
  template <class LayDown>
  void end_frame(const Islands& islands, const EnergyGuard& guard, const VectorField& x_before,
                 const VectorField& x, const VectorField& v, double h, const LayDown& lay_down) {
    measure(guard, x_before, x, v, h);
    for (int i = 0; i < islands.count(); ++i) {
      if (!falls_asleep(islands[i])) continue;
      for (const int body : islands[i]) lay_down(body);
    }
  }

  /// SimulationState::rested.
  std::vector<double> memory() const;
  /// Throws Error{invalid_input} for another number of bodies, and for numbers that memory() never
  /// gives.
  void check_memory(const std::vector<double>& rested) const;
  void set_memory(const std::vector<double>& rested);

 private:
  void measure(const EnergyGuard& guard, const VectorField& x_before, const VectorField& x,
               const VectorField& v, double h);
  bool falls_asleep(std::span<const int> island);

  double after_;                 ///< s; 0: never
  std::vector<double> rested_;   ///< [num_bodies], s; -1: asleep
  std::vector<double> most_;     ///< [num_bodies], J: most kinetic energy of a body that rests
  std::vector<char> may_sleep_;  ///< [num_bodies]: nothing changes with time alone
  int count_ = 0;                ///< number of bodies that sleep
};

}  // namespace supple

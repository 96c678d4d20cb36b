#include <algorithm>

#include "sim/running_scene.h"

namespace supple {

/// Muscle activation and growth do their work where energies before a step are taken, as pins do.
void RunningScene::follow(double time) {
  const bool contracts = contract_fibers(model_, time);
  if (contracts && position_solver_) position_solver_->fibers_changed();
  if (grow(model_, state_.plastic, time) || contracts) tell_shapes();
}

void RunningScene::tell_shapes() {
  objective_.shapes_changed();
  if (direction_) direction_->shapes_changed(model_);
  if (position_solver_) position_solver_->shapes_changed();
  std::fill(model_.has_new_rest.begin(), model_.has_new_rest.end(), 0);
  elastic_is_known_ = false;
}

/// To be called when the state has another plastic flow.
void RunningScene::use_plastic() {
  if (state_.plastic.empty()) return;
  write_rest_shapes(model_, state_.plastic);
  tell_shapes();
}

/// To be called when the state has other rods, or the same rods at another time.
void RunningScene::use_rods() {
  if (model_.rods.empty()) return;
  model_.rods.frames = state_.rods;
  model_.rods.time = state_.time;
  objective_.rods()->set_time(model_.pins, state_.time);
  objective_.rods()->end_step();
  elastic_is_known_ = false;
}

/// To be called after a substep: the material of rods has turned with them.
void RunningScene::advance_rods() {
  if (model_.rods.empty()) return;
  objective_.rods()->set_time(model_.pins, clock_.at(1));
  objective_.rods()->advance(state_.x, threads_, state_.rods);
  model_.rods.frames = state_.rods;
  model_.rods.time = clock_.at(1);
  objective_.rods()->set_time(model_.pins, model_.rods.time);
  objective_.rods()->end_step();
}

/// To be called when the state has other multipliers.
void RunningScene::use_multipliers() {
  if (!has_multipliers()) return;
  supple::use_multipliers(model_, state_.multipliers);
  elastic_is_known_ = false;
}

/// Sets the multipliers of the selected bodies to the forces that hold at z. Returns whether this
/// changes g.
bool RunningScene::next_multipliers(const VectorField& z) {
  return update_multipliers(model_, objective_.selected(), z, objective_.volumes_at(z),
                            state_.multipliers);
}

/// The same for a position-based method, whose constraints have forces of their own.
void RunningScene::take_multipliers(const PlaceInFrame& place) {
  if (!position_solver_->copy_multipliers(z_, state_.multipliers)) return;
  const bool was_known = elastic_is_known_;
  use_multipliers();
  if (!was_known || !place.is_last) return;
  elastic_ = objective_.elastic_energy_at(state_.x);
  elastic_is_known_ = true;
}

/// To be called after a substep.
void RunningScene::flow(StepReport& report) {
  const std::optional<double> taken =
      flow_.advance(model_, state_.x, setup_.length(), state_.plastic, threads_);
  if (!taken) return;
  report.plastic_work += *taken;
  multipliers_fit_ = false;  // they belong to the earlier shapes
  const bool was_known = elastic_is_known_;
  tell_shapes();
  if (!was_known) return;
  find_elastic(state_.x);
  elastic_is_known_ = true;
}

/// Does the same at the start of a substep. Position-based methods take energies only at the start
/// of a frame, so they need to know what this work has been since.
void RunningScene::follow_in_substep(double time) {
  const bool may_work = !model_.growth.empty() || !model_.activation.empty();
  const bool is_asked = position_solver_ && has_energy_ && may_work;
  const double before = is_asked ? objective_.elastic_energy_at(state_.x) : 0;
  follow(time);
  if (is_asked) work_of_shapes_ += objective_.elastic_energy_at(state_.x) - before;
}

}  // namespace supple

#pragma once

#include <type_traits>

#include "supple/simulation.h"
#include "supple/supple_c.h"

namespace supple {

/// Calls visit(in C, in C++) for each field of a step's report.
template <class InC, class Own, class Visit>
void for_fields(InC& c, Own& own, const Visit& visit) {
  // The enumerators of both are in the same order.
  static_assert(static_cast<int>(StepStatus::failed) == supple_step_failed);
  static_assert(static_cast<int>(SceneChange::failed) == supple_change_failed);
  visit(c.status, own.status);
  visit(c.change, own.change);
  visit(c.iterations, own.iterations);
  visit(c.evaluations, own.evaluations);
  visit(c.inverted_tets, own.inverted_tets);
  visit(c.contacts, own.contacts);
  visit(c.objective, own.objective);
  visit(c.gradient_norm, own.gradient_norm);
  visit(c.start_gradient_norm, own.start_gradient_norm);
  visit(c.force_scale, own.force_scale);
  visit(c.expected_decrease, own.expected_decrease);
  visit(c.contact_energy, own.contact_energy);
  visit(c.deepest_penetration, own.deepest_penetration);
  visit(c.energy_gain, own.energy_gain);
  visit(c.energy_removed, own.energy_removed);
  visit(c.unconverged, own.unconverged);
  visit(c.tunnelled, own.tunnelled);
  visit(c.repeated_substeps, own.repeated_substeps);
  visit(c.steady_substeps, own.steady_substeps);
  visit(c.total_milliseconds, own.total_milliseconds);
  visit(c.local_milliseconds, own.local_milliseconds);
  visit(c.solve_milliseconds, own.solve_milliseconds);
  visit(c.contact_milliseconds, own.contact_milliseconds);
  visit(c.held_back, own.held_back);
  visit(c.overlaps, own.overlaps);
  visit(c.friction_work, own.friction_work);
  visit(c.unfolding_bodies, own.unfolding_bodies);
  visit(c.plastic_work, own.plastic_work);
  visit(c.drift, own.drift);
  visit(c.sleeping_bodies, own.sleeping_bodies);
  visit(c.separated, own.separated);
  visit(c.constraint_error, own.constraint_error);
  visit(c.friction_error, own.friction_error);
}

inline SuppleStepReport in_c(const StepReport& report) {
  SuppleStepReport out{};
  for_fields(out, report, [](auto& to, const auto& from) {
    to = static_cast<std::remove_reference_t<decltype(to)>>(from);
  });
  return out;
}

inline StepReport from_c(const SuppleStepReport& report) {
  StepReport out;
  for_fields(report, out, [](const auto& from, auto& to) {
    to = static_cast<std::remove_reference_t<decltype(to)>>(from);
  });
  return out;
}

}  // namespace supple

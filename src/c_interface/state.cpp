#include <algorithm>
#include <cstring>
#include <vector>

#include "c_interface/handles.h"
#include "supple/state_bytes.h"

namespace {

using supple::check_array;
using supple::given;
using supple::guarded;
using supple::Simulation;
using supple::simulation_of;
using supple::size_of_field;

}  // namespace

namespace supple {

SimulationState state_at(const void* bytes, std::size_t size) {
  if (size > 0) given(static_cast<const std::byte*>(bytes), "state");
  return state_from_bytes({static_cast<const std::byte*>(bytes), size});
}

}  // namespace supple

SuppleError supple_simulation_state(const SuppleSimulation* simulation, void* bytes, size_t room,
                                    size_t* size) {
  return guarded([&] {
    const std::vector<std::byte> state = supple::state_to_bytes(simulation_of(simulation).state());
    given(size, "size") = state.size();
    if (room < state.size()) return;
    given(static_cast<std::byte*>(bytes), "bytes");
    std::memcpy(bytes, state.data(), state.size());
  });
}

SuppleError supple_simulation_set_state(SuppleSimulation* simulation, const void* bytes,
                                        size_t size) {
  return guarded([&] { simulation_of(simulation).set_state(supple::state_at(bytes, size)); });
}

SuppleError supple_simulation_set_positions(SuppleSimulation* simulation, const double* positions,
                                            const double* velocities, size_t size) {
  return guarded([&] {
    Simulation& self = simulation_of(simulation);
    check_array(positions, size, size_of_field(self), "positions");
    check_array(velocities, size, size_of_field(self), "velocities");
    supple::SimulationState state = self.state();
    state.positions.assign(positions, positions + size);
    state.velocities.assign(velocities, velocities + size);
    for (auto* memory : {&state.previous_positions, &state.previous_velocities,
                         &state.accelerations, &state.rods, &state.rested}) {
      memory->clear();
    }
    state.unfolding.clear();
    self.set_state(state);
  });
}

SuppleError supple_simulation_measure(const SuppleSimulation* simulation, const double* positions,
                                      size_t size, double* determinant, double* von_mises,
                                      double* stretches, double* plastic_strain, size_t num_tets) {
  return guarded([&] {
    const Simulation& self = simulation_of(simulation);
    supple::require(
        num_tets == static_cast<std::size_t>(self.num_tets()), "num_tets",
        "is " + std::to_string(num_tets) + ": expected " + std::to_string(self.num_tets()));
    std::vector<double> x(size_of_field(self));
    if (positions == nullptr && size == 0) {
      self.copy_positions(x);
    } else {
      check_array(positions, size, x.size(), "positions");
      std::copy_n(positions, size, x.begin());
    }
    const supple::ElementMeasures measures = self.measure(x);
    const auto copy = [&](const std::vector<double>& from, double* to) {
      if (to != nullptr) std::copy(from.begin(), from.end(), to);
    };
    copy(measures.determinant, determinant);
    copy(measures.von_mises, von_mises);
    if (plastic_strain != nullptr) std::fill_n(plastic_strain, num_tets, 0.0);
    copy(measures.plastic_strain, plastic_strain);
    if (stretches == nullptr) return;
    for (const supple::Vec3& of : measures.stretches) {
      stretches = std::copy(of.begin(), of.end(), stretches);
    }
  });
}

SuppleError supple_simulation_multiplier_stresses(const SuppleSimulation* simulation,
                                                  SuppleMultiplierStress* stresses, size_t room,
                                                  size_t* count) {
  return guarded([&] {
    std::vector<SuppleMultiplierStress> found;
    for (const supple::MultiplierStress& own : simulation_of(simulation).multiplier_stresses()) {
      SuppleMultiplierStress& stress = found.emplace_back();
      stress.hydrostatic = own.hydrostatic;
      std::copy(own.deviatoric.begin(), own.deviatoric.end(), stress.deviatoric);
    }
    supple::copy_found(found, stresses, room, "stresses", count);
  });
}

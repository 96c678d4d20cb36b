#include <algorithm>
#include <span>

#include "c_interface/fault.h"
#include "c_interface/handles.h"

namespace {

using supple::given;
using supple::guarded;
using supple::Simulation;
using supple::simulation_of;

template <class Number>
using Read = void (Simulation::*)(int, std::span<Number>, int) const;

template <class Number>
SuppleError read(const SuppleSimulation* simulation, int32_t body, Number* out, size_t size,
                 int32_t stride, Read<Number> member) {
  return guarded([&] {
    const Simulation& self = simulation_of(simulation);
    if (size > 0) given(out, "out");
    (self.*member)(body, {out, size}, stride);
  });
}

}  // namespace

SuppleError supple_simulation_body_positions(const SuppleSimulation* simulation, int32_t body,
                                             double* out, size_t size, int32_t stride) {
  return read<double>(simulation, body, out, size, stride, &Simulation::body_positions);
}
SuppleError supple_simulation_body_positions_float(const SuppleSimulation* simulation, int32_t body,
                                                   float* out, size_t size, int32_t stride) {
  return read<float>(simulation, body, out, size, stride, &Simulation::body_positions);
}
SuppleError supple_simulation_body_velocities(const SuppleSimulation* simulation, int32_t body,
                                              double* out, size_t size, int32_t stride) {
  return read<double>(simulation, body, out, size, stride, &Simulation::body_velocities);
}
SuppleError supple_simulation_body_velocities_float(const SuppleSimulation* simulation,
                                                    int32_t body, float* out, size_t size,
                                                    int32_t stride) {
  return read<float>(simulation, body, out, size, stride, &Simulation::body_velocities);
}
SuppleError supple_simulation_body_normals(const SuppleSimulation* simulation, int32_t body,
                                           double* out, size_t size, int32_t stride) {
  return read<double>(simulation, body, out, size, stride, &Simulation::body_normals);
}
SuppleError supple_simulation_body_normals_float(const SuppleSimulation* simulation, int32_t body,
                                                 float* out, size_t size, int32_t stride) {
  return read<float>(simulation, body, out, size, stride, &Simulation::body_normals);
}

SuppleError supple_simulation_body_bounds(const SuppleSimulation* simulation, int32_t body,
                                          double min[3], double max[3]) {
  return guarded([&] {
    const supple::Box box = simulation_of(simulation).body_bounds(body);
    given(min, "min");
    given(max, "max");
    std::copy(box.min.begin(), box.min.end(), min);
    std::copy(box.max.begin(), box.max.end(), max);
  });
}

SuppleError supple_simulation_body_triangles(const SuppleSimulation* simulation, int32_t body,
                                             int32_t* first, int32_t* count) {
  return guarded([&] {
    const Simulation::TriangleRange range = simulation_of(simulation).body_triangles(body);
    if (first != nullptr) *first = range.first;
    if (count != nullptr) *count = range.count;
  });
}

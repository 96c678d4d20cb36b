// What a program's own energy costs beside the library's material: neo_hookean as built in, as an
// energy alone, with its stress, with both at once, as functions of plain numbers, and by
// valanis_landel's functions of the stretches. Frames of the twisting bar (8,330 tets) with ten
// iterations of l_bfgs, and of Newton's method.
//
//   supple_own_energy_bench [FRAMES]
//
// This file is compiled for the baseline, as a program's own code would be; own_energy_bench_avx2
// is compiled for AVX2.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "elements/element_energy.h"
#include "math/vector_field.h"
#include "model/model.h"
#include "own_energies.h"
#include "supple/simulation.h"

namespace {

supple::Scene bar(const supple::MaterialSettings& material, const std::string& method) {
  supple::Scene scene;
  scene.solver.method = supple::from_string<supple::SolverMethod>(method);
  scene.solver.iterations = method == "newton" ? 1 : 10;
  supple::Body body{.mesh = supple::generate(
                        supple::BoxGenerator{.size = {2.38, 0.49, 0.49}, .cells = {34, 7, 7}})};
  body.material = material;
  for (const double side : {-1.0, 1.0}) {
    supple::Pin pin{.stiffness = 1e6};
    pin.box = side < 0 ? supple::Box{{-9, -9, -9}, {-1.18, 9, 9}}
                       : supple::Box{{1.18, -9, -9}, {9, 9, 9}};
    pin.motion.rotate = supple::Rotation{.axis = {1, 0, 0}, .degrees_per_second = side * 90};
    body.pins.push_back(pin);
  }
  scene.bodies = {body};
  return scene;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

template <class Work>
double milliseconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

int main(int argc, char** argv) {
  const int frames = argc > 1 ? std::max(1, std::atoi(argv[1])) : 40;
  const std::vector<OwnEnergyCase> materials = own_energies();
  const std::size_t count = materials.size();
  // All of them in turn, so that other work of the machine affects each alike.
  std::vector<std::vector<double>> local(count), lbfgs(count), newton(count);
  std::vector<supple::Model> models;
  for (const OwnEnergyCase& own : materials) {
    models.push_back(supple::build_model(bar(own.material, "l_bfgs")));
  }
  supple::Threads one(1);
  std::vector<supple::ElementEnergy> elements(models.begin(), models.end());
  std::vector<supple::Simulation> few, whole;
  for (const OwnEnergyCase& own : materials) {
    few.emplace_back(bar(own.material, "l_bfgs"), supple::SimulationOptions{.threads = 1});
    whole.emplace_back(bar(own.material, "newton"), supple::SimulationOptions{.threads = 1});
  }
  for (int frame = 0; frame < frames; ++frame) {
    for (std::size_t i = 0; i < count; ++i) {
      lbfgs[i].push_back(milliseconds([&] { few[i].step(); }));
      if (frame < frames / 4 + 1) {
        newton[i].push_back(milliseconds([&] { whole[i].step(); }));
      }
    }
    supple::VectorField x(static_cast<std::size_t>(models[0].num_vertices));
    supple::pad(few[0].state().positions, x);
    for (int repeat = 0; repeat < 5; ++repeat) {
      for (std::size_t i = 0; i < count; ++i) {
        local[i].push_back(milliseconds([&] { elements[i].evaluate(x, one); }));
      }
    }
  }
  fmt::print(
      "twisting bar of {} tets, one thread, medians; the energies with vectors of {} doubles\n",
      models[0].num_tets, num_lanes_of_own_energies());
  fmt::print("{:<26}{:>20}{:>8}{:>20}{:>8}{:>20}{:>8}\n", "material", "local step, ns/tet", "ratio",
             "l_bfgs frame, ms", "ratio", "newton frame, ms", "ratio");
  for (std::size_t i = 0; i < count; ++i) {
    const double to_ns = 1e6 / models[0].num_tets;
    fmt::print("{:<26}{:>20.1f}{:>8.2f}{:>20.2f}{:>8.2f}{:>20.1f}{:>8.2f}\n", materials[i].name,
               median(local[i]) * to_ns, median(local[i]) / median(local[0]), median(lbfgs[i]),
               median(lbfgs[i]) / median(lbfgs[0]), median(newton[i]),
               median(newton[i]) / median(newton[0]));
  }
  return 0;
}

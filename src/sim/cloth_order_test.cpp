#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sim/test_scenes.h"
#include "supple/simulation.h"

/// How errors of membranes shrink with their cells, against solutions of the continuum
/// (docs/materials.md).
namespace supple {
namespace {

using test::positions_of;

constexpr double weight = 0.2 * 9.81;  // N/m^2

/// The order of an error in h, from the errors at h and h/2.
double order(double coarse, double fine) { return std::log2(coarse / fine); }

/// Prints the errors of three meshes, each twice as fine as the one before, and expects orders near
/// two.
template <class Error>
void expect_second_order(const std::string& what, int coarsest, const Error& error) {
  const double e[3] = {error(coarsest), error(2 * coarsest), error(4 * coarsest)};
  std::printf("%s: errors %.3e %.3e %.3e, orders %.2f %.2f\n", what.c_str(), e[0], e[1], e[2],
              order(e[0], e[1]), order(e[1], e[2]));
  // The next term of the error is h^2 times this one, up to a fifth of it at the coarsest mesh.
  EXPECT_NEAR(order(e[0], e[1]), 2, 0.3) << what;
  EXPECT_NEAR(order(e[1], e[2]), 2, 0.1) << what;
}

/// A square sheet, stretched by s and held along its border, sinks like a drum,
///   -T Laplace w = weight,  T = t g(s)/s,  g = 2 mu (s - 1) without Poisson's ratio:
/// in the middle by 0.0736713532 weight a^2/T, where a is its side at rest [the torsion function of
/// the square]. It sinks so little that it does not stretch further.
double error_of_drum(int cells) {
  Body body = test::sheet({.u = {1, 0, 0}, .v = {0, 0, -1}, .cells = {cells, cells}});
  std::tie(body.material.mu, body.material.lambda) = lame_parameters(1e7, 0);
  body.membrane->bending = 0;
  constexpr double s = 1.2;
  Pin pin;  // quasi_static needs it until the border is held; a billionth of the border's stiffness
  pin.vertices = {0};
  pin.stiffness = 1;
  body.pins = {pin};
  Simulation simulation(test::statics(body), {.threads = 1});
  std::vector<int> border;
  std::vector<Vec3> targets;
  SimulationState state = simulation.state();
  for (int j = 0; j <= cells; ++j) {
    for (int i = 0; i <= cells; ++i) {
      const int v = j * (cells + 1) + i;
      const Vec3& rest = body.mesh.vertices[static_cast<std::size_t>(v)];
      for (std::size_t k = 0; k < 3; ++k) {
        state.positions[3 * static_cast<std::size_t>(v) + k] = s * rest[k];
      }
      if (i > 0 && i < cells && j > 0 && j < cells) continue;
      border.push_back(v);
      targets.push_back({s * rest[0], 0, s * rest[2]});
    }
  }
  simulation.set_state(state);
  simulation.attach(0, border, targets, 1e9);
  simulation.step();
  const double tension = 0.001 * 2 * body.material.mu.value * (s - 1) / s;
  const Vec3 middle =
      positions_of(simulation)[static_cast<std::size_t>(cells / 2 * (cells + 1) + cells / 2)];
  return std::abs(-middle[1] / (0.0736713532 * weight / tension) - 1);
}

TEST(ClothOrder, ADrumSinksToSecondOrder) { expect_second_order("drum", 8, error_of_drum); }

/// A band of one row, held by ends that can turn freely, sinks in the middle by 5 weight L^4/(384
/// D) while this is small. It sinks by 0.3 mm, so its triangles do not hold it like a rope.
double error_of_held_band(const std::string& model, int cells) {
  constexpr double width = 0.01;
  Body body = test::sheet({.u = {1, 0, 0}, .v = {0, 0, -width}, .cells = {cells, 1}});
  std::tie(body.material.mu, body.material.lambda) = lame_parameters(1e7, 0);
  constexpr double rigidity = 100;
  const double h = 1.0 / cells, share = width * width / (width * width + h * h);
  // Also for a band of hinges along its diagonals (folds_test.cpp).
  const double bends = model == "dihedral" ? 1 / (1 + share * share) : 1;
  body.membrane->bending = rigidity / bends;
  body.membrane->bending_model = from_string<BendingModel>(model);
  Pin pin;
  for (const int v : {0, cells, cells + 1, 2 * cells + 1}) pin.vertices.push_back(v);
  pin.stiffness = 1e9;
  body.pins = {pin};
  Simulation simulation(test::statics(body), {.threads = 1});
  simulation.step();
  // Mean of both rows, whose vertices have alternating masses.
  const auto x = positions_of(simulation);
  const auto middle = static_cast<std::size_t>(cells / 2);
  const double sinks = -0.5 * (x[middle][1] + x[middle + static_cast<std::size_t>(cells) + 1][1]);
  return std::abs(sinks / (5 * weight / (384 * rigidity)) - 1);
}

TEST(ClothOrder, AHeldBandSinksToSecondOrder) {
  for (const char* const model : {"quadratic", "dihedral"}) {
    expect_second_order(model, 8, [&](int cells) { return error_of_held_band(model, cells); });
  }
}

}  // namespace
}  // namespace supple

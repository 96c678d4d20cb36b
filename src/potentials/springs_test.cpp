#include "potentials/springs.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "potentials/spring_kernels.h"

namespace supple {
namespace {

/// A random net of springs, some stretched, some compressed.
struct Net {
  SpringSet set;
  VectorField x;

  explicit Net(int num_vertices, int num_springs) : x(static_cast<std::size_t>(num_vertices)) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> place(-1, 1), length(0.1, 2);
    std::uniform_int_distribution<int> vertex(0, num_vertices - 1);
    std::vector<Vec3> rest(x.size());
    for (std::size_t v = 0; v < x.size(); ++v) {
      for (std::size_t k = 0; k < 3; ++k) {
        x[v][static_cast<int>(k)] = place(random);
        rest[v][k] = place(random);
      }
    }
    while (static_cast<int>(set.size()) < num_springs) {
      const int a = vertex(random), b = vertex(random);
      if (a != b) set.add({a, b, 10 + 90 * length(random), length(random)}, rest);
    }
    set.index_vertices(num_vertices);
  }

  double energy_and_gradient(VectorField& gradient, int num_threads = 1) const {
    Threads threads(num_threads);
    const std::vector<int> body{0, static_cast<int>(x.size())};
    SpringEnergy energy(set, body);
    const double value = energy.evaluate(x, threads);
    gradient.assign(x.size(), {});
    for (std::size_t v = 0; v < x.size(); ++v) {
      energy.add_gradient_of_vertex(static_cast<int>(v), gradient[v]);
    }
    return value;
  }
};

constexpr SpringSet::Spring unit_spring{0, 1, 50, 2};

TEST(Springs, TheEnergyIsHalfStiffnessTimesSquaredStretch) {
  SpringSet set;
  set.add(unit_spring, {{0, 0, 0}, {0, 0, 2}});
  set.index_vertices(2);
  VectorField x(2);
  x[0] = {{0, 3, 0, 0}};
  x[1] = {{4, 0, 0, 0}};
  const std::vector<int> body{0, 2};
  SpringEnergy energy(set, body);
  Threads threads(1);
  EXPECT_DOUBLE_EQ(energy.evaluate(x, threads), 0.5 * 50 * 9);  // 3-4-5: stretched by 3
  PaddedVector at_a, at_b;
  energy.add_gradient_of_vertex(0, at_a);
  energy.add_gradient_of_vertex(1, at_b);
  EXPECT_DOUBLE_EQ(at_a[0], 150 * -0.8);
  EXPECT_DOUBLE_EQ(at_a[1], 150 * 0.6);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(at_b[k], -at_a[k]);
}

TEST(Springs, TheGradientIsThatOfTheEnergy) {
  Net net(12, 40);
  VectorField gradient, unused;
  net.energy_and_gradient(gradient);
  const double d = 1e-6;  // energies of about 1e3: rounding 1e-7, truncation k r/l^3 d^2 below that
  for (std::size_t v = 0; v < net.x.size(); ++v) {
    for (int k = 0; k < 3; ++k) {
      Net plus = net, minus = net;
      plus.x[v][k] += d;
      minus.x[v][k] -= d;
      const double slope =
          (plus.energy_and_gradient(unused) - minus.energy_and_gradient(unused)) / (2 * d);
      EXPECT_NEAR(gradient[v][k], slope, 1e-5);
    }
  }
}

TEST(Springs, ForcesAddUpToNothing) {
  const Net net(30, 200);
  VectorField gradient;
  net.energy_and_gradient(gradient);
  for (int k = 0; k < 3; ++k) {
    double force = 0, torque = 0, size = 0;
    for (std::size_t v = 0; v < net.x.size(); ++v) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      force += gradient[v][k];
      torque += net.x[v][i] * gradient[v][j] - net.x[v][j] * gradient[v][i];
      size += std::abs(gradient[v][k]);
    }
    EXPECT_GT(size, 100);
    EXPECT_NEAR(force, 0, 1e-14 * size);  // rounding of some hundred terms
    EXPECT_NEAR(torque, 0, 1e-13 * size);
  }
}

// Springs are kept in another order, and several share a register; one of them has no length.
TEST(Springs, EachHasTheForceThatItHasAlone) {
  Net net(20, 70);
  net.x[3] = net.x[4];
  net.set.add({3, 4, 50, 0.5}, std::vector<Vec3>(20, Vec3{0, 0, 0}));
  net.set.add({9, 2, 30, 0.25}, std::vector<Vec3>(20, Vec3{0, 0, 0}));
  net.set.index_vertices(20);
  const std::vector<int> bodies{0, 20};
  SpringEnergy energy(net.set, bodies);
  Threads threads(1);
  const double total = energy.evaluate(net.x, threads);
  double sum = 0;
  for (std::size_t s = 0; s < net.set.size(); ++s) {
    const SpringSet::Spring& spring = net.set.springs[s];
    double force[3];
    sum += net.set.energy_and_force(s, net.x[static_cast<std::size_t>(spring.a)].v,
                                    net.x[static_cast<std::size_t>(spring.b)].v, force);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(energy.force(s)[k], force[k]) << s;
  }
  EXPECT_NEAR(total, sum, 1e-14 * sum);
  EXPECT_EQ(energy.force(70)[0], -25);  // along x, the direction of a spring without one
}

TEST(Springs, ThreadsDoNotChangeTheBits) {
  const Net net(500, 5000);  // several chunks
  VectorField one, four;
  EXPECT_EQ(net.energy_and_gradient(one, 1), net.energy_and_gradient(four, 4));
  for (std::size_t v = 0; v < one.size(); ++v) {
    for (int k = 0; k < 3; ++k) EXPECT_EQ(one[v][k], four[v][k]);
  }
}

TEST(Springs, EveryEndIsListedAtItsVertex) {
  const Net net(20, 60);
  ASSERT_EQ(net.set.incident.size(), 120U);
  std::size_t seen = 0;
  for (int v = 0; v < 20; ++v) {
    int last = -1;
    for (int i = net.set.start[static_cast<std::size_t>(v)];
         i < net.set.start[static_cast<std::size_t>(v) + 1]; ++i, ++seen) {
      const int entry = net.set.incident[static_cast<std::size_t>(i)];
      const auto& spring = net.set.springs[static_cast<std::size_t>(entry / 2)];
      EXPECT_EQ(entry % 2 == 0 ? spring.a : spring.b, v);
      EXPECT_EQ(net.set.other_end(entry), entry % 2 == 0 ? spring.b : spring.a);
      EXPECT_GT(entry, last);
      last = entry;
    }
  }
  EXPECT_EQ(seen, 120U);
}

TEST(Springs, TheProjectionIsTheNearestPointOfTheSphere) {
  const Net net(10, 30);
  for (std::size_t s = 0; s < net.set.size(); ++s) {
    const auto& spring = net.set.springs[s];
    const double* a = net.x[static_cast<std::size_t>(spring.a)].v;
    const double* b = net.x[static_cast<std::size_t>(spring.b)].v;
    double d[3], gradient[3], energy = 0;
    net.set.project(s, a, b, d);
    EXPECT_NEAR(std::hypot(d[0], d[1], d[2]), spring.rest_length, 1e-14);
    const double expected = net.set.energy_and_force(s, a, b, gradient);
    for (int k = 0; k < 3; ++k) {
      const double error = a[k] - b[k] - d[k];
      energy += 0.5 * spring.stiffness * error * error;
      // The gradient of Projective Dynamics is that of the energy itself [thesis eq. 5.1].
      EXPECT_NEAR(spring.stiffness * error, gradient[k], 1e-11);
    }
    EXPECT_NEAR(energy, expected, 1e-11);
  }
}

TEST(Springs, ASpringSqueezedToAPointPushesAlongItsRestDirection) {
  SpringSet set;
  set.add(unit_spring, {{0, 5, 0}, {0, 2, 0}});
  const double at[3] = {0.3, 0.4, 0.5};
  double gradient[3], d[3], block[9];
  EXPECT_DOUBLE_EQ(set.energy_and_force(0, at, at, gradient), 0.5 * 50 * 4);
  set.project(0, at, at, d);
  const double expected[3] = {0, -100, 0};  // vertex a is pushed up
  for (int k = 0; k < 3; ++k) {
    EXPECT_DOUBLE_EQ(gradient[k], expected[k]);
    EXPECT_DOUBLE_EQ(d[k], k == 1 ? 2 : 0);
  }
  for (const auto mode : {SpringHessian::exact, SpringHessian::clamp, SpringHessian::absolute}) {
    spring_hessian(unit_spring, at, at, mode, block);
    for (int i = 0; i < 9; ++i) EXPECT_DOUBLE_EQ(block[i], i % 4 == 0 ? 50 : 0);
  }
}

TEST(Springs, TheHessianIsTheDerivativeOfTheGradient) {
  const Net net(10, 30);
  const double h = 1e-6;  // gradients of about 1e2: rounding 1e-8
  for (std::size_t s = 0; s < net.set.size(); ++s) {
    const auto& spring = net.set.springs[s];
    const double* a = net.x[static_cast<std::size_t>(spring.a)].v;
    const double* b = net.x[static_cast<std::size_t>(spring.b)].v;
    double block[9];
    spring_hessian(spring, a, b, SpringHessian::exact, block);
    for (int k = 0; k < 3; ++k) {
      double plus[3] = {a[0], a[1], a[2]}, minus[3] = {a[0], a[1], a[2]}, up[3], down[3];
      plus[k] += h;
      minus[k] -= h;
      net.set.energy_and_force(s, plus, b, up);
      net.set.energy_and_force(s, minus, b, down);
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(block[3 * i + k], (up[i] - down[i]) / (2 * h), 1e-5 * spring.stiffness);
      }
    }
  }
}

TEST(Springs, TheEigenvalueAcrossASqueezedSpringIsClampedOrTurned) {
  // l = 0.5, r = 2: 1 - r/l = -3; the direction is (0.6, 0, 0.8).
  const double a[3] = {0.3, 0, 0.4}, b[3] = {0, 0, 0};
  const double n[3] = {0.6, 0, 0.8}, across[3] = {0.8, 0, -0.6}, y[3] = {0, 1, 0};
  const auto times = [](const double* block, const double* v) {
    std::array<double, 3> out{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) out[i] += block[3 * i + j] * v[j];
    }
    return out;
  };
  const std::pair<SpringHessian, double> cases[] = {
      {SpringHessian::exact, -150}, {SpringHessian::clamp, 0}, {SpringHessian::absolute, 150}};
  for (const auto& [mode, eigenvalue] : cases) {
    double block[9];
    spring_hessian(unit_spring, a, b, mode, block);
    const auto on = times(block, n), off = times(block, across), up = times(block, y);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(on[k], 50 * n[k], 1e-13);  // rounding of numbers of about 100
      EXPECT_NEAR(off[k], eigenvalue * across[k], 1e-13);
      EXPECT_NEAR(up[k], eigenvalue * y[k], 1e-13);
    }
  }
}

TEST(Springs, ASpringWithoutRestLengthIsLinear) {
  SpringSet set;
  const SpringSet::Spring spring{0, 1, 30, 0};
  set.add(spring, {{0, 0, 0}, {0, 0, 0}});
  const double a[3] = {1, 2, 3}, b[3] = {0, 0, 0};
  double gradient[3], block[9];
  EXPECT_NEAR(set.energy_and_force(0, a, b, gradient), 0.5 * 30 * 14, 1e-13);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(gradient[k], 30 * a[k], 1e-13);
  spring_hessian(spring, a, b, SpringHessian::exact, block);
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(block[i], i % 4 == 0 ? 30 : 0, 1e-13);
  EXPECT_EQ(set.energy_and_force(0, b, b, gradient), 0);
  for (double g : gradient) EXPECT_EQ(g, 0);
}

TEST(SpringKernels, LevelsOfVectorsGiveTheSameBits) {
  std::vector<SimdLevel> levels = usable_simd_levels();
  if (levels.size() == 1) GTEST_SKIP() << "this processor or build has one level";
  constexpr int count = 101;
  std::vector<SpringSet::Spring> springs;
  std::vector<Vec3> direction(count, Vec3{0, 0.6, 0.8});
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  VectorField x(count);
  for (int i = 0; i < count; ++i) {
    // Both ends of spring 7 are in one place.
    x[static_cast<std::size_t>(i)] = {{std::sin(0.3 * (i == 8 ? 7 : i)), 1.0 / 7, 0.01 * i * i, 0}};
    springs.push_back({i, (i + 1) % count, 10.0 + i, 0.1 + 0.003 * i});
  }
  x[8] = x[7];
  VectorField forces(count), others(count);
  const double energy = spring_kernels(SimdLevel::baseline)
                            .evaluate(springs.data(), numbers.data(), direction.data(), x.data(),
                                      count, forces.data());
  EXPECT_GT(energy, 0);
  EXPECT_NE(forces[7][2], 0);
  for (const SimdLevel level : levels) {
    EXPECT_EQ(spring_kernels(level).evaluate(springs.data(), numbers.data(), direction.data(),
                                             x.data(), count, others.data()),
              energy);
    EXPECT_EQ(std::memcmp(others.data(), forces.data(), count * sizeof(PaddedVector)), 0)
        << simd_level_name(level);
  }
}

}  // namespace
}  // namespace supple

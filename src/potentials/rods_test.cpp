#include "potentials/rods.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>
#include <random>

#include "math/motion.h"
#include "potentials/rod_energy.h"
#include "supple/error.h"

namespace supple {
namespace {

constexpr double pi = std::numbers::pi;

Body rod_body(const SpringMesh& mesh, const RodSettings& settings) {
  Body body;
  body.mesh.vertices = mesh.vertices;
  body.segments = mesh.segments;
  body.springs = make_springs(mesh, 100.0);
  body.rod = settings;
  return body;
}

SpringMesh ring(int count, double radius) {
  PolylineGenerator line{.closed = true};
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * pi * i / count;
    line.points.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
  }
  return generate(line);
}

SpringMesh curl() { return generate(HelixGenerator{.turns = 2, .segments = 25}); }

/// One rod with its energy.
struct Rod {
  RodSet set;
  PinSet pins;
  VectorField x;
  double tau = 0;
  VectorField start{};  ///< of a damped step

  explicit Rod(const Body& body) : x(body.mesh.vertices.size()) {
    for (std::size_t v = 0; v < x.size(); ++v) {
      for (std::size_t k = 0; k < 3; ++k) x[v][static_cast<int>(k)] = body.mesh.vertices[v][k];
    }
    set.add(body, "/bodies/0", 0, body.mesh.vertices);
    set.index_vertices(static_cast<int>(x.size()));
  }

  /// Holds the first or the last two vertices.
  void clamp(bool is_first, const Motion& motion) {
    const int n = static_cast<int>(x.size()), pin = static_cast<int>(pins.motions.size());
    for (const int v : is_first ? std::array{0, 1} : std::array{n - 2, n - 1}) {
      pins.pins.push_back({v, pin, 1e6, {x[static_cast<std::size_t>(v)][0], 0, 0}});
    }
    pins.clamps.push_back(static_cast<int>(pins.motions.size()));
    pins.motions.push_back(motion);
    set.find_clamps(pins);
  }

  /// E alone, or E + D in a damped step.
  double energy(VectorField* gradient = nullptr, double time = 0, int threads = 1) const {
    Threads pool(threads);
    const std::vector<double> damping{tau};
    RodEnergy energy(set, damping);
    energy.set_time(pins, time);
    if (tau > 0) energy.begin_step(start, 1, 1);
    const double elastic = energy.evaluate(x, pool);
    const double value = tau > 0 ? elastic + energy.damping_energy() : elastic;
    if (gradient != nullptr) {
      gradient->assign(x.size(), {});
      energy.add_gradient(*gradient);
    }
    return value;
  }

  void advance(double time) {
    Threads pool(1);
    RodEnergy energy(set);
    energy.set_time(pins, time);
    std::vector<RodFrame> frames = set.frames;
    energy.advance(x, pool, frames);
    set.frames = frames;
    set.time = time;
  }

  void shake(double amount, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> part(-amount, amount);
    for (PaddedVector& place : x) {
      for (int k = 0; k < 3; ++k) place[k] += part(random);
    }
  }
};

double largest(const VectorField& field) {
  double most = 0;
  for (const PaddedVector& v : field) {
    for (int k = 0; k < 3; ++k) most = std::max(most, std::abs(v[k]));
  }
  return most;
}

/// Compares with central differences at every coordinate.
void expect_gradient(Rod rod, double time, double tolerance) {
  VectorField gradient;
  rod.energy(&gradient, time);
  const double scale = largest(gradient);
  ASSERT_GT(scale, 0);
  constexpr double d = 1e-6;
  for (std::size_t v = 0; v < rod.x.size(); ++v) {
    for (int k = 0; k < 3; ++k) {
      const double before = rod.x[v][k];
      rod.x[v][k] = before + d;
      const double up = rod.energy(nullptr, time);
      rod.x[v][k] = before - d;
      const double down = rod.energy(nullptr, time);
      rod.x[v][k] = before;
      EXPECT_NEAR((up - down) / (2 * d), gradient[v][k], tolerance * scale) << v << ", " << k;
    }
  }
}

/// The rest shape is that of the mesh, and for an open rod also its twist.
TEST(Rods, RestHasNoEnergyAndNoForce) {
  for (const double twist : {0.0, 700.0}) {
    const Rod rod(rod_body(curl(), {.bending = 2, .twist = 3, .rest_twist = twist}));
    VectorField gradient;
    EXPECT_LT(rod.energy(&gradient), 1e-25);
    EXPECT_LT(largest(gradient), 1e-11);
  }
  const Rod closed(rod_body(ring(24, 0.5), {.bending = 2, .twist = 3}));
  EXPECT_LT(closed.energy(), 1e-25);
}

TEST(Rods, TheGradientIsThatOfTheEnergy) {
  Rod free(rod_body(curl(), {.bending = 2, .twist = 1.5}));
  free.shake(0.004, 1);
  expect_gradient(free, 0, 1e-7);

  Rod straight(
      rod_body(curl(), {.bending = 2, .twist = 1.5, .rest_shape = RodRestShape::straight}));
  straight.shake(0.004, 2);
  expect_gradient(straight, 0, 1e-7);

  Rod closed(rod_body(ring(20, 0.3), {.bending = 2, .twist = 1.5, .rest_twist = 200}));
  closed.shake(0.01, 3);
  expect_gradient(closed, 0, 1e-7);
}

/// Clamps have moments: the gradient contains the cost of turning away from them.
TEST(Rods, TheGradientHoldsBetweenClampsThatTurn) {
  for (const char* shape : {"mesh", "straight"}) {
    Rod rod(rod_body(curl(),
                     {.bending = 2, .twist = 1.5, .rest_shape = from_string<RodRestShape>(shape)}));
    rod.clamp(true, {});
    Motion motion;
    motion.rotate = Rotation{{1, 2, 0.5}, {0, 0, 0}, 60};
    rod.clamp(false, motion);
    rod.shake(0.004, 4);
    expect_gradient(rod, 1, 1e-7);
  }
}

/// Damping starts from a twisted curl other than that at rest, and a clamp turns during the step.
TEST(Rods, TheGradientOfADampedStepIsThatOfItsEnergy) {
  Rod rod(rod_body(curl(), {.bending = 2, .twist = 1.5}));
  rod.clamp(true, {});
  Motion motion;
  motion.rotate = Rotation{{1, 2, 0.5}, {0, 0, 0}, 60};
  rod.clamp(false, motion);
  rod.shake(0.004, 4);
  rod.advance(0.5);
  const double before = rod.energy(nullptr, 0.5);
  rod.tau = 3;
  rod.start = rod.x;
  EXPECT_NEAR(rod.energy(nullptr, 0.5), before, 1e-12 * before);
  rod.shake(0.004, 9);
  expect_gradient(rod, 1, 1e-7);
  VectorField damped, plain;
  const double with = rod.energy(&damped, 1);
  rod.tau = 0;
  EXPECT_GT(with, 1.5 * rod.energy(&plain, 1));
}

TEST(Rods, TurningCostsADampedStepNothing) {
  Rod rod(rod_body(curl(), {.bending = 2, .twist = 3}));
  rod.shake(0.005, 5);
  rod.advance(0);
  const double before = rod.energy();
  rod.tau = 5;
  rod.start = rod.x;
  const Pose pose = turned({1, -2, 0.5}, {0.1, 0.2, 0}, 130);
  for (PaddedVector& place : rod.x) {
    const Vec3 moved = pose.apply({place[0], place[1], place[2]});
    place = {{moved[0] + 3, moved[1], moved[2] - 1, 0}};
  }
  EXPECT_NEAR(rod.energy(), before, 1e-10 * before);
}

/// A motion of the whole rod costs nothing, wherever its material was before.
TEST(Rods, ARigidMotionChangesNothing) {
  Rod rod(rod_body(curl(), {.bending = 2, .twist = 3}));
  rod.shake(0.005, 5);
  rod.advance(0);
  VectorField before;
  const double energy = rod.energy(&before);
  const Pose pose = turned({1, -2, 0.5}, {0.1, 0.2, 0}, 130);
  for (PaddedVector& place : rod.x) {
    const Vec3 moved = pose.apply({place[0], place[1], place[2]});
    place = {{moved[0] + 3, moved[1], moved[2] - 1, 0}};
  }
  VectorField after;
  EXPECT_NEAR(rod.energy(&after), energy, 1e-10 * energy);
  for (std::size_t v = 0; v < rod.x.size(); ++v) {
    const Vec3 turned = pose.rotate({before[v][0], before[v][1], before[v][2]});
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(after[v][static_cast<int>(k)], turned[k], 1e-8 * largest(before));
    }
  }
}

/// The rod as a whole has neither force nor moment.
TEST(Rods, ForcesAndMomentsAddUpToNothing) {
  Rod rod(rod_body(curl(), {.bending = 2, .twist = 3}));
  rod.shake(0.005, 6);
  VectorField gradient;
  rod.energy(&gradient);
  Vector3<double> force{{0, 0, 0}}, moment{{0, 0, 0}};
  for (std::size_t v = 0; v < rod.x.size(); ++v) {
    const Vector3<double> f{{gradient[v][0], gradient[v][1], gradient[v][2]}};
    force = force + f;
    moment = moment + cross(Vector3<double>{{rod.x[v][0], rod.x[v][1], rod.x[v][2]}}, f);
  }
  EXPECT_LT(std::sqrt(dot(force, force)), 1e-12 * largest(gradient));
  EXPECT_LT(std::sqrt(dot(moment, moment)), 1e-9 * largest(gradient));
}

/// E = C m^2/(2 L), with L from the middle of the first segment to that of the last. Turns are
/// counted: there are ten, and each step makes a third of a turn, or 1.7 turns.
TEST(Rods, ATwistedStraightRodHasItsEnergyAndMoment) {
  for (const double step : {1.0 / 3, 1.7}) {
    Rod rod(rod_body(generate(StrandGenerator{.end = {2, 0, 0}, .segments = 20}),
                     {.bending = 2, .twist = 3}));
    rod.clamp(true, {});
    Motion motion;
    motion.rotate = Rotation{{1, 0, 0}, {0, 0, 0}, 360};
    rod.clamp(false, motion);
    double time = 0;
    while (time < 10) {
      time = std::min(10.0, time + step);
      rod.advance(time);
    }
    const double m = 2 * pi * 10, length = 1.9;
    EXPECT_NEAR(rod.energy(nullptr, 10), 3 * m * m / (2 * length), 1e-9);
    const double turned = rod.energy(nullptr, 10.01) - rod.energy(nullptr, 9.99);
    EXPECT_NEAR(turned, 3 * m / length * 2 * pi * 0.02, 1e-8);
  }
}

/// A closed rod that is twisted at rest is twisted evenly, as its ends meet.
TEST(Rods, ARingThatWantsToBeTwistedIsTwistedBack) {
  const Rod rod(rod_body(ring(40, 0.5), {.bending = 2, .twist = 3, .rest_twist = 180}));
  double length = 0;
  for (const RodSet::Segment& segment : rod.set.segments) length += segment.length;
  EXPECT_NEAR(rod.energy(), 3 * pi * pi / (2 * length), 1e-9);
}

/// B kappa^2 L/2 for a straight rod that is bent to an arc of chords as long as its segments.
TEST(Rods, AnArcOfAStraightRodHasItsBendingEnergy) {
  for (const int count : {5, 20}) {
    Rod rod(rod_body(generate(StrandGenerator{.end = {1, 0, 0}, .segments = count}),
                     {.bending = 2, .twist = 3}));
    const double radius = 0.4, angle = 2 * std::asin(1 / (2.0 * count * radius));
    for (std::size_t v = 0; v < rod.x.size(); ++v) {
      const double a = angle * static_cast<double>(v);
      rod.x[v] = {{radius * std::sin(a), radius * (1 - std::cos(a)), 0, 0}};
    }
    const double length = 1 - 1.0 / count;  // from the middle of the first to that of the last
    EXPECT_NEAR(rod.energy(), 2 * length / (2 * radius * radius), 1e-12);
  }
}

/// Away from rest the matrix leaves out terms of the order of the strain, and the effect of the
/// angles that give way; for a straight rod without twist it leaves out nothing.
TEST(Rods, TheHessianIsThatOfAStraightRodAndPositiveOtherwise) {
  Rod rod(rod_body(generate(StrandGenerator{.end = {1, 0, 0}, .segments = 6}),
                   {.bending = 2, .twist = 3}));
  rod.shake(0.02, 7);
  const auto dense = [](const Rod& own) {
    const std::size_t n = 3 * own.x.size();
    std::vector<double> matrix(n * n);
    Threads pool(1);
    RodEnergy energy(own.set);
    energy.set_time(own.pins, 0);
    energy.visit_hessian(own.x, pool, [&](int a, int b, const double* block) {
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c) {
          const std::size_t i = 3 * static_cast<std::size_t>(a) + r;
          const std::size_t j = 3 * static_cast<std::size_t>(b) + c;
          matrix[i * n + j] += block[3 * r + c];
          if (a != b) matrix[j * n + i] += block[3 * r + c];
        }
      }
    });
    return matrix;
  };
  const std::vector<double> straight = dense(rod);
  const std::size_t n = 3 * rod.x.size();
  double most = 0;
  for (const double entry : straight) most = std::max(most, std::abs(entry));
  // Except for its twist, which is zero: only C (grad m)^2 remains.
  Rod untwisted = rod;
  for (RodSet::Joint& joint : untwisted.set.joints) joint.twist = 1e-12;
  const std::vector<double> bending = dense(untwisted);
  constexpr double d = 1e-6;
  for (std::size_t j = 0; j < n; ++j) {
    VectorField up, down;
    double& entry = untwisted.x[j / 3][static_cast<int>(j % 3)];
    const double before = entry;
    entry = before + d;
    untwisted.energy(&up);
    entry = before - d;
    untwisted.energy(&down);
    entry = before;
    for (std::size_t i = 0; i < n; ++i) {
      const int k = static_cast<int>(i % 3);
      EXPECT_NEAR((up[i / 3][k] - down[i / 3][k]) / (2 * d), bending[i * n + j], 1e-6 * most);
    }
  }
  Rod bent(rod_body(curl(), {.bending = 2, .twist = 3}));
  bent.shake(0.01, 8);
  const std::vector<double> matrix = dense(bent);
  std::mt19937 random(9);
  std::normal_distribution<double> part;
  const std::size_t m = 3 * bent.x.size();
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> v(m);
    for (double& c : v) c = part(random);
    double form = 0;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) form += v[i] * matrix[i * m + j] * v[j];
    }
    EXPECT_GT(form, 0);
  }
}

TEST(Rods, TheBitsDoNotDependOnThreads) {
  RodSet set;
  std::vector<Vec3> rest;
  VectorField x;
  for (int b = 0; b < 7; ++b) {
    Body body = rod_body(curl(), {.bending = 2, .twist = 3});
    for (Vec3& v : body.mesh.vertices) v[0] += b;
    const int first = static_cast<int>(rest.size());
    rest.insert(rest.end(), body.mesh.vertices.begin(), body.mesh.vertices.end());
    set.add(body, "", first, rest);
  }
  set.index_vertices(static_cast<int>(rest.size()));
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(-0.01, 0.01);
  for (const Vec3& r : rest) {
    x.push_back({{r[0] + part(random), r[1] + part(random), r[2] + part(random), 0}});
  }
  const auto result = [&](int threads) {
    Threads pool(threads);
    RodEnergy energy(set);
    energy.set_time({}, 0);
    std::vector<double> values{energy.evaluate(x, pool)};
    VectorField gradient(x.size());
    energy.add_gradient(gradient);
    for (const PaddedVector& g : gradient) values.insert(values.end(), {g[0], g[1], g[2]});
    return values;
  };
  const std::vector<double> one = result(1);
  for (const int threads : {2, 3}) {
    const std::vector<double> other = result(threads);
    EXPECT_EQ(std::memcmp(one.data(), other.data(), one.size() * sizeof(double)), 0);
  }
}

/// Edges without length, folds and knots have finite values.
TEST(Rods, NothingIsTooCrumpled) {
  for (const int kind : {0, 1, 2}) {
    Rod rod(rod_body(curl(), {.bending = 2, .twist = 3}));
    for (std::size_t v = 0; v < rod.x.size(); ++v) {
      if (kind == 0) rod.x[v] = {};
      if (kind == 1) rod.x[v] = {{v % 2 == 0 ? 0.0 : 0.1, 0, 0, 0}};
    }
    if (kind == 2) rod.shake(1, 10);
    VectorField gradient;
    EXPECT_TRUE(std::isfinite(rod.energy(&gradient))) << kind;
    for (const PaddedVector& g : gradient) {
      EXPECT_TRUE(std::isfinite(g[0]) && std::isfinite(g[1]) && std::isfinite(g[2])) << kind;
    }
    rod.advance(0);
    EXPECT_TRUE(std::isfinite(rod.energy())) << kind;
  }
}

TEST(Rods, WhatIsNoRodIsRefused) {
  const auto place = [](const std::function<void(Body&)>& edit) -> std::string {
    Body body = rod_body(curl(), {.bending = 2, .twist = 3});
    edit(body);
    RodSet set;
    try {
      set.add(body, "/bodies/0", 0, body.mesh.vertices);
    } catch (const Error& error) {
      return error.where();
    }
    return "nothing";
  };
  EXPECT_EQ(place([](Body&) {}), "nothing");
  EXPECT_EQ(place([](Body& b) { b.rod->bending = 0; }), "/bodies/0/rod/bending");
  EXPECT_EQ(place([](Body& b) { b.rod->twist = -1; }), "/bodies/0/rod/twist");
  EXPECT_EQ(place([](Body& b) { b.rod->rest_shape = static_cast<RodRestShape>(2); }),
            "/bodies/0/rod/rest_shape");
  EXPECT_EQ(place([](Body& b) { b.rod->rest_twist = std::nan(""); }), "/bodies/0/rod/rest_twist");
  EXPECT_EQ(place([](Body& b) { b.triangles.push_back({0, 1, 2}); }), "/bodies/0/mesh");
  EXPECT_EQ(place([](Body& b) { b.segments.clear(); }), "/bodies/0/segments");
  EXPECT_EQ(place([](Body& b) { b.springs.erase(b.springs.begin() + 3); }), "/bodies/0/segments/3");
  EXPECT_EQ(place([](Body& b) { b.segments.push_back({4, 9}); }), "/bodies/0/segments/25");
  EXPECT_EQ(place([](Body& b) { b.segments.push_back({1, 0}); }), "/bodies/0/segments/25");
}

/// Segments can be in any order and direction, and a body can have several strands.
TEST(Rods, StrandsFollowTheirSegments) {
  Body body = rod_body(generate(StrandGenerator{.end = {3, 0, 0}, .segments = 6}),
                       {.bending = 2, .twist = 3});
  body.segments = {{5, 6}, {3, 4}, {4, 5}, {1, 0}, {1, 2}};
  RodSet set;
  set.add(body, "", 0, body.mesh.vertices);
  ASSERT_EQ(set.chains.size(), 2U);
  EXPECT_EQ(set.chains[0].num_segments, 3);
  EXPECT_EQ(set.segments[0].a, 6);
  EXPECT_EQ(set.chains[1].num_segments, 2);
  EXPECT_EQ(set.segments[3].a, 0);
  EXPECT_EQ(set.joints.size(), 3U);
}

}  // namespace
}  // namespace supple

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstring>

#include "sim/test_scenes.h"
#include "supple/simulation.h"

namespace supple {
namespace {

using test::cloth_body;
using test::hanging_cloth;

/// Dense gradient of g of one backward Euler step of a cloth with resting pins, from the springs of
/// the body alone. It shares no code with the library.
class Oracle {
 public:
  explicit Oracle(const Scene& scene) : scene_(scene), body_(scene.bodies[0]) {
    const auto n = static_cast<Eigen::Index>(body_.mesh.vertices.size());
    rest_.resize(3, n);
    mass_ = Eigen::VectorXd::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Vec3& x = body_.mesh.vertices[static_cast<std::size_t>(i)];
      rest_.col(i) = Eigen::Vector3d(x[0], x[1], x[2]);
    }
    for (const auto& t : body_.triangles) {
      const Eigen::Vector3d u = rest_.col(t[1]) - rest_.col(t[0]);
      const Eigen::Vector3d v = rest_.col(t[2]) - rest_.col(t[0]);
      for (int k : t) mass_(k) += body_.density * u.cross(v).norm() / 6;
    }
  }

  const Eigen::Matrix3Xd& rest() const { return rest_; }
  double mass(Eigen::Index i) const { return mass_(i); }

  /// Position after the step from x at velocity v.
  Eigen::Matrix3Xd step(const Eigen::Matrix3Xd& x, const Eigen::Matrix3Xd& v) {
    const double h = scene_.time.step;
    const Eigen::Vector3d gravity(scene_.gravity[0], scene_.gravity[1], scene_.gravity[2]);
    const Eigen::Matrix3Xd y = x + h * v + (h * h * gravity).replicate(1, x.cols());
    Eigen::Matrix3Xd z = x;
    Eigen::VectorXd r = gradient(z, y);
    for (int k = 0; k < 60 && r.norm() > 1e-10; ++k) {
      Eigen::MatrixXd H(r.size(), r.size());
      const double d = 1e-6;
      for (Eigen::Index j = 0; j < r.size(); ++j) {
        Eigen::Matrix3Xd plus = z, minus = z;
        plus.data()[j] += d;
        minus.data()[j] -= d;
        H.col(j) = (gradient(plus, y) - gradient(minus, y)) / (2 * d);
      }
      const Eigen::VectorXd p = H.fullPivLu().solve(-r);
      double alpha = 1;
      Eigen::Matrix3Xd trial;
      Eigen::VectorXd next;
      do {
        trial = z + alpha * Eigen::Map<const Eigen::Matrix3Xd>(p.data(), 3, z.cols());
        next = gradient(trial, y);
        alpha /= 2;
      } while (!(next.norm() < r.norm()) && alpha > 1e-6);
      z = trial;
      r = next;
    }
    // Compared with m/h^2 of 5 N/m and more: 2e-9 m.
    EXPECT_LT(r.norm(), 1e-8) << "the oracle did not converge";
    return z;
  }

 private:
  Eigen::VectorXd gradient(const Eigen::Matrix3Xd& x, const Eigen::Matrix3Xd& y) const {
    const double h = scene_.time.step;
    Eigen::Matrix3Xd g = (x - y) * mass_.asDiagonal() / (h * h);
    for (const Spring& spring : body_.springs) {
      const Eigen::Vector3d d = x.col(spring.a) - x.col(spring.b);
      const Eigen::Vector3d force = spring.stiffness * (1 - spring.rest_length / d.norm()) * d;
      g.col(spring.a) += force;
      g.col(spring.b) -= force;
    }
    for (const Pin& pin : body_.pins) {
      for (int v : pin.vertices) g.col(v) += pin.stiffness * (x.col(v) - rest_.col(v));
    }
    return Eigen::Map<Eigen::VectorXd>(g.data(), g.size());
  }

  const Scene& scene_;
  const Body& body_;
  Eigen::Matrix3Xd rest_;
  Eigen::VectorXd mass_;
};

TEST(SpringBodies, AClothAgreesWithADenseNewton) {
  for (const std::string method : {"l_bfgs", "quasi_newton", "newton"}) {
    Scene scene = hanging_cloth();
    scene.solver.method = from_string<SolverMethod>(method);
    scene.solver.iterations = 5000;
    scene.solver.tolerance = 1e-10;
    Simulation simulation(scene);
    Oracle oracle(scene);
    Eigen::Matrix3Xd x = oracle.rest();
    Eigen::Matrix3Xd v = Eigen::Matrix3Xd::Zero(3, x.cols());
    for (int frame = 0; frame < 4; ++frame) {
      simulation.step();
      const Eigen::Matrix3Xd next = oracle.step(x, v);
      v = (next - x) / scene.time.step;
      x = next;
    }
    EXPECT_LT(x.row(1).minCoeff(), -0.05) << "it should have fallen";
    const std::vector<Vec3> found = test::positions_of(simulation);
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(found[i][static_cast<std::size_t>(k)], x(k, static_cast<Eigen::Index>(i)), 1e-6)
            << method;
      }
    }
  }
}

TEST(SpringBodies, EverySolverFindsTheSameMinimiser) {
  for (const Description& solver : list_solvers()) {
    if (!test::minimises(solver.name)) continue;
    Scene scene = hanging_cloth();
    scene.solver.method = from_string<SolverMethod>(solver.name);
    scene.solver.iterations = 20000;
    scene.solver.tolerance = 1e-9;
    Simulation simulation(scene);
    Oracle oracle(scene);
    simulation.step();
    const Eigen::Matrix3Xd x =
        oracle.step(oracle.rest(), Eigen::Matrix3Xd::Zero(3, oracle.rest().cols()));
    const std::vector<Vec3> found = test::positions_of(simulation);
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        largest = std::max(largest, std::abs(found[i][static_cast<std::size_t>(k)] -
                                             x(k, static_cast<Eigen::Index>(i))));
      }
    }
    EXPECT_LT(largest, 1e-6) << solver.name;
  }
}

TEST(SpringBodies, EveryThreadCountGivesTheSameBits) {
  for (const std::string method : {"l_bfgs", "quasi_newton", "newton"}) {
    std::vector<double> first;
    for (const int threads : {1, 2, 3}) {
      Scene scene = hanging_cloth();
      const SpringMesh mesh = generate(ClothGenerator{.cells = {30, 30}});  // several chunks
      scene.bodies[0].mesh.vertices = mesh.vertices;
      scene.bodies[0].triangles = mesh.triangles;
      scene.bodies[0].springs = make_springs(mesh, {200, 100, 5});
      scene.solver.method = from_string<SolverMethod>(method);
      scene.solver.iterations = 4;
      Simulation simulation(scene, {.threads = threads});
      for (int i = 0; i < 4; ++i) simulation.step();
      const std::vector<double> x = simulation.state().positions;
      if (first.empty()) first = x;
      EXPECT_EQ(std::memcmp(x.data(), first.data(), x.size() * sizeof(double)), 0)
          << method << " with " << threads << " threads";
    }
  }
}

TEST(SpringBodies, ASpringOscillatesAsTheDiscreteSolution) {
  // Two masses m on a line, e = x_a - x_b - r: backward Euler is linear in e,
  //   e' = (e + h w)/(1 + 2 h^2 k/m),  w' = (e' - e)/h.
  for (const std::string method : {"newton", "quasi_newton", "l_bfgs"}) {
    Scene scene;
    scene.gravity = {0, 0, 0};
    scene.solver.method = from_string<SolverMethod>(method);
    scene.solver.iterations = 50;
    Body body;
    body.mesh.vertices = {{1, 0, 0}, {0, 0, 0}};
    body.segments = {{0, 1}};
    body.springs = {{0, 1, 40, 1}};
    body.mass = 0.5;
    body.initial = Stretch{{1.3, 1, 1}};
    scene.bodies.push_back(body);
    Simulation simulation(scene);
    const double h = scene.time.step, m = 0.25, k = 40;
    double e = 0.3, w = 0, smallest = e;
    for (int i = 0; i < 60; ++i) {
      simulation.step();
      const double next = (e + h * w) / (1 + 2 * h * h * k / m);
      w = (next - e) / h;
      e = next;
      smallest = std::min(smallest, e);
      const std::vector<Vec3> x = test::positions_of(simulation);
      EXPECT_NEAR(x[0][0] - x[1][0] - 1, e, 1e-12) << method;
      EXPECT_NEAR(x[0][1], 0, 1e-12);
    }
    EXPECT_LT(smallest, -0.01) << "it should have been compressed";
  }
}

TEST(SpringBodies, AFreeClothKeepsItsMomentumAfterAnyNumberOfIterations) {
  for (const std::string method : {"l_bfgs", "quasi_newton", "newton"}) {
    Scene scene;
    scene.gravity = {0, 0, 0};
    scene.solver.method = from_string<SolverMethod>(method);
    scene.solver.iterations = 3;
    scene.bodies.push_back(cloth_body());
    scene.bodies[0].initial = Stretch{{1.3, 1, 0.8}};
    scene.bodies[0].velocity = {1, -2, 0.5};
    const Oracle oracle(scene);
    Simulation simulation(scene);
    for (int i = 0; i < 30; ++i) simulation.step();
    const std::vector<double> v = simulation.state().velocities;
    Vec3 momentum{};
    for (std::size_t i = 0; i < v.size(); ++i) {
      momentum[i % 3] += oracle.mass(static_cast<Eigen::Index>(i / 3)) * v[i];
    }
    // Rounding of positions (1e-16 m) over h in 30 steps.
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(momentum[k], 0.3 * scene.bodies[0].velocity[k], 1e-12) << method;
    }
  }
}

TEST(SpringBodies, AClothSqueezedFlatAlongASideSpreadsAgain) {
  // At first every second spring has length zero.
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.bodies.push_back(cloth_body());
  scene.bodies[0].initial = Flatten{2};
  scene.solver.iterations = 20;
  Simulation simulation(scene);
  for (int i = 0; i < 120; ++i) ASSERT_NE(simulation.step().status, StepStatus::non_finite);
  const Box box = bounding_box(test::positions_of(simulation));
  EXPECT_GT(box.max[2] - box.min[2], 0.8);
}

TEST(SpringBodies, TetsAndSpringsAddTheirEnergies) {
  Scene scene = test::free_block("corotated");
  scene.bodies[0].springs = {{0, 63, 300, 0.5}};  // across the block, shorter than its diagonal
  Simulation simulation(scene);
  const double length = std::sqrt(3) * 0.5;
  EXPECT_NEAR(simulation.energies().elastic, 0.5 * 300 * std::pow(length - 0.5, 2), 1e-12);
  scene.bodies[0].springs.clear();
  EXPECT_NEAR(Simulation(scene).energies().elastic, 0, 1e-12);
}

TEST(SpringBodies, HaveNoMeasures) {
  const Scene scene = hanging_cloth();
  Simulation simulation(scene);
  EXPECT_EQ(simulation.num_tets(), 0);
  EXPECT_EQ(simulation.surface().size(), 2U * 20);
  const ElementMeasures measures = simulation.measure(simulation.state().positions);
  EXPECT_TRUE(measures.determinant.empty());
  EXPECT_EQ(simulation.step().inverted_tets, 0);
}

}  // namespace
}  // namespace supple

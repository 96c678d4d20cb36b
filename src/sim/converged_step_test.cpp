#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>

#include "sim/test_scenes.h"

/// Compares the converged step of every material with a dense Newton's method written here from the
/// contract's densities. It shares no code with the library: Eigen's JacobiSVD, the derivatives of
/// the energy in principal stretches, a finite-difference Hessian, dense factorisation.
namespace supple {
namespace {

using Function = std::function<double(double)>;

/// Derivatives of the three terms of Psi = sum a(s_i) + sum b(s_i s_j) + c(J) [thesis eq. 7.12].
struct Terms {
  Function da, db, dc;
};

Function zero() {
  return [](double) { return 0.0; };
}

/// Natural cubic spline by a dense solve for the second derivatives; linear beyond the ends.
Function natural_spline(const SplineCurve& curve) {
  const auto& p = curve.points;
  if (p.empty()) return zero();
  const int n = static_cast<int>(p.size());
  const auto X = [&](int i) { return p[static_cast<std::size_t>(i)].first; };
  const auto Y = [&](int i) { return p[static_cast<std::size_t>(i)].second; };
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd r = Eigen::VectorXd::Zero(n);
  for (int i = 1; i + 1 < n; ++i) {
    A(i, i - 1) = X(i) - X(i - 1);
    A(i, i) = 2 * (X(i + 1) - X(i - 1));
    A(i, i + 1) = X(i + 1) - X(i);
    r(i) = 6 * ((Y(i + 1) - Y(i)) / (X(i + 1) - X(i)) - (Y(i) - Y(i - 1)) / (X(i) - X(i - 1)));
  }
  const Eigen::VectorXd M = A.fullPivLu().solve(r);
  return [p, M, n](double x) {
    const auto at = [&](int i) { return p[static_cast<std::size_t>(i)]; };
    const auto slope = [&](int i) {  // of the chord i, i+1
      return (at(i + 1).second - at(i).second) / (at(i + 1).first - at(i).first);
    };
    if (x <= at(0).first) {
      const double h = at(1).first - at(0).first;
      return at(0).second + (x - at(0).first) * (slope(0) - h * M(1) / 6);
    }
    if (x >= at(n - 1).first) {
      const double h = at(n - 1).first - at(n - 2).first;
      return at(n - 1).second + (x - at(n - 1).first) * (slope(n - 2) + h * M(n - 2) / 6);
    }
    int i = 0;
    while (x > at(i + 1).first) ++i;
    const double h = at(i + 1).first - at(i).first;
    const double u = (at(i + 1).first - x) / h, w = (x - at(i).first) / h;
    return u * at(i).second + w * at(i + 1).second +
           ((u * u * u - u) * M(i) + (w * w * w - w) * M(i + 1)) * h * h / 6;
  };
}

Terms terms_of(const MaterialSettings& m) {
  const double mu = m.mu.value, lambda = m.lambda.value;
  const double c1 = m.c1.value, c2 = m.c2.value, bulk = m.bulk.value;
  if (m.model == "corotated" || m.model == "arap") {
    // (s1 + s2 + s3 - 3)^2 = sum s^2 + 2 sum s_i s_j - 6 sum s + 9
    const double l = m.model == "arap" ? 0 : lambda;
    return {[=](double s) { return 2 * mu * (s - 1) + l * (s - 3); }, [=](double) { return l; },
            zero()};
  }
  if (m.model == "stvk") {
    return {[=](double s) { return mu * (s * s - 1) * s + lambda / 8 * (4 * s * s * s - 12 * s); },
            [=](double p) { return lambda / 2 * p; }, zero()};
  }
  if (m.model == "neo_hookean") {
    return {[=](double s) { return mu * s; }, zero(),
            [=](double J) { return (lambda * std::log(J) - mu) / J; }};
  }
  if (m.model == "stable_neo_hookean") {
    return {[=](double s) { return mu * s; }, zero(),
            [=](double J) { return lambda * (J - 1) - mu; }};
  }
  if (m.model == "mooney_rivlin") {
    return {[=](double s) { return 2 * c1 * s; }, [=](double p) { return 2 * c2 * p; },
            [=](double J) { return (bulk * std::log(J) - (2 * c1 + 4 * c2)) / J; }};
  }
  if (m.model == "polynomial") {
    return {[=](double s) { return 4 * mu * (s - 1) * (s - 1) * (s - 1); }, zero(), zero()};
  }
  if (m.model == "strain_limit") {
    const double low = m.min.value, high = m.max.value;
    return {[=](double s) { return 2 * mu * (s - std::min(std::max(s, low), high)); }, zero(),
            zero()};
  }
  if (m.model == "spline") {
    return {natural_spline(m.spline_a), natural_spline(m.spline_b), natural_spline(m.spline_c)};
  }
  if (m.model == "valanis_landel") {
    return {m.a.first ? m.a.first : zero(), m.b.first ? m.b.first : zero(),
            m.c.first ? m.c.first : zero()};
  }
  ADD_FAILURE() << "no oracle for the material " << m.model;
  return {zero(), zero(), zero()};
}

/// The nearest t to s with t1 t2 t3 = 1, if the stretches are not far from it: t_i = s_i + l/t_i by
/// bisection on the product, which grows with l.
Eigen::Vector3d unit_volume(const Eigen::Vector3d& s) {
  const auto t = [&](double l) {
    return Eigen::Vector3d(0.5 * (s.array() + (s.array().square() + 4 * l).sqrt()));
  };
  double low = s(2) > 0 ? -s(2) * s(2) / 4 : 0, high = 10;
  for (int step = 0; step < 200; ++step) {
    const double l = 0.5 * (low + high);
    (t(l).prod() < 1 ? low : high) = l;
  }
  return t(low);
}

/// dPsi/ds_i.
using PrincipalStress = std::function<Eigen::Vector3d(const Eigen::Vector3d&)>;

PrincipalStress principal_stress_of(const MaterialSettings& m) {
  if (m.model == "volume") {
    const double mu = m.mu.value;
    return [=](const Eigen::Vector3d& s) { return Eigen::Vector3d(2 * mu * (s - unit_volume(s))); };
  }
  const Terms terms = terms_of(m);
  return [=](const Eigen::Vector3d& s) {
    Eigen::Vector3d d;
    for (int i = 0; i < 3; ++i) {
      const double p = s((i + 1) % 3), q = s((i + 2) % 3);
      d(i) = terms.da(s(i)) + p * terms.db(s(i) * p) + q * terms.db(s(i) * q) +
             p * q * terms.dc(s.prod());
    }
    return d;
  };
}

/// Dense gradient of g of one backward Euler step of a scene with one body and its pins.
class Oracle {
 public:
  explicit Oracle(const Scene& scene) : scene_(scene) {
    stresses_.push_back(principal_stress_of(scene.bodies[0].material));
    for (const MaterialSettings& layer : scene.bodies[0].layers) {
      stresses_.push_back(principal_stress_of(layer));
    }
    const TetMesh& mesh = scene.bodies[0].mesh;
    const auto n = static_cast<Eigen::Index>(mesh.vertices.size());
    rest_.resize(3, n);
    mass_ = Eigen::VectorXd::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (int k = 0; k < 3; ++k) {
        rest_(k, i) = mesh.vertices[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
      }
    }
    for (const auto& tet : mesh.tets) {
      const double volume = edges(rest_, tet).determinant() / 6;
      for (int v : tet) mass_(v) += scene.bodies[0].density * volume / 4;
    }
  }

  /// Position after the step from x at velocity v; the iteration starts at x.
  Eigen::MatrixXd step(const Eigen::MatrixXd& x, const Eigen::MatrixXd& v, double time_end) {
    const double h = scene_.time.step;
    Eigen::Vector3d g(scene_.gravity[0], scene_.gravity[1], scene_.gravity[2]);
    const Eigen::MatrixXd y = x + h * v + (h * h * g).replicate(1, x.cols());
    Eigen::MatrixXd z = x;
    Eigen::VectorXd r = gradient(z, y, time_end);
    for (int k = 0; k < 60 && r.norm() > 1e-9; ++k) {
      const auto n = static_cast<Eigen::Index>(r.size());
      Eigen::MatrixXd H(n, n);
      const double d = 1e-6;
      for (Eigen::Index j = 0; j < n; ++j) {
        Eigen::MatrixXd plus = z, minus = z;
        plus.data()[j] += d;
        minus.data()[j] -= d;
        H.col(j) = (gradient(plus, y, time_end) - gradient(minus, y, time_end)) / (2 * d);
      }
      const Eigen::VectorXd p = H.fullPivLu().solve(-r);
      double alpha = 1;
      Eigen::MatrixXd trial = z + Eigen::Map<const Eigen::MatrixXd>(p.data(), 3, z.cols());
      Eigen::VectorXd next = gradient(trial, y, time_end);
      while (!(next.norm() < r.norm()) && alpha > 1e-6) {
        alpha /= 2;
        trial = z + alpha * Eigen::Map<const Eigen::MatrixXd>(p.data(), 3, z.cols());
        next = gradient(trial, y, time_end);
      }
      z = trial;
      r = next;
    }
    // Forces of 1e-4 N against stiffnesses of 1e4 N/m and more: errors below 1e-8 m.
    EXPECT_LT(r.norm(), 1e-4) << "the oracle did not converge";
    return z;
  }

  const Eigen::MatrixXd& rest() const { return rest_; }

 private:
  static Eigen::Matrix3d edges(const Eigen::MatrixXd& x, const std::array<int, 4>& tet) {
    Eigen::Matrix3d D;
    for (int c = 0; c < 3; ++c)
      D.col(c) = x.col(tet[static_cast<std::size_t>(c) + 1]) - x.col(tet[0]);
    return D;
  }

  Eigen::VectorXd gradient(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y, double time) const {
    const double h = scene_.time.step;
    Eigen::MatrixXd g = (x - y) * mass_.asDiagonal() / (h * h);
    for (const auto& tet : scene_.bodies[0].mesh.tets) {
      const Eigen::Matrix3d Dm = edges(rest_, tet);
      const Eigen::Matrix3d F = edges(x, tet) * Dm.inverse();
      Eigen::JacobiSVD<Eigen::Matrix3d> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
      Eigen::Matrix3d U = svd.matrixU(), V = svd.matrixV();
      Eigen::Vector3d s = svd.singularValues();
      if (U.determinant() * V.determinant() < 0) {
        U.col(2) *= -1;
        s(2) *= -1;
      }
      Eigen::Vector3d d = Eigen::Vector3d::Zero();
      for (const PrincipalStress& stress : stresses_) d += stress(s);
      Eigen::Matrix3d P = U * d.asDiagonal() * V.transpose();
      if (!scene_.bodies[0].fibers.empty()) {
        const FiberSettings& fiber = scene_.bodies[0].fibers[0];
        const Eigen::Vector3d direction(fiber.direction[0], fiber.direction[1], fiber.direction[2]);
        const double length = (F * direction).norm();
        P += fiber.kappa * (1 - 1 / length) * F * direction * direction.transpose();
      }
      const Eigen::Matrix3d force = Dm.determinant() / 6 * P * Dm.inverse().transpose();
      for (int c = 0; c < 3; ++c) {
        g.col(tet[static_cast<std::size_t>(c) + 1]) += force.col(c);
        g.col(tet[0]) -= force.col(c);
      }
    }
    for (const Pin& pin : scene_.bodies[0].pins) {
      const double angle = pin.motion.rotate->degrees_per_second * time * M_PI / 180;
      const Eigen::Matrix3d R =
          Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitX()).toRotationMatrix();
      for (Eigen::Index i = 0; i < x.cols(); ++i) {
        if (rest_(0, i) < pin.box.min[0] || rest_(0, i) > pin.box.max[0]) continue;
        g.col(i) += pin.stiffness * (x.col(i) - R * rest_.col(i));
      }
    }
    return Eigen::Map<Eigen::VectorXd>(g.data(), g.size());
  }

  const Scene& scene_;
  std::vector<PrincipalStress> stresses_;  ///< of the material and the layers
  Eigen::MatrixXd rest_;
  Eigen::VectorXd mass_;
};

/// Three steps of a twisting, sagging bar by the library and by the oracle.
void compare_with_oracle(Scene scene, const std::string& method) {
  scene.gravity = {0, -9.81, 0};
  scene.solver.method = from_string<SolverMethod>(method);
  scene.solver.iterations = 3000;
  scene.solver.tolerance = 1e-9;
  Simulation simulation(scene);
  Oracle oracle(scene);
  Eigen::MatrixXd x = oracle.rest();
  Eigen::MatrixXd v = Eigen::MatrixXd::Zero(3, x.cols());
  for (int frame = 1; frame <= 3; ++frame) {
    simulation.step();
    const Eigen::MatrixXd next = oracle.step(x, v, frame * scene.time.step);
    v = (next - x) / scene.time.step;
    x = next;
  }
  const std::vector<Vec3> found = test::positions_of(simulation);
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      largest = std::max(largest, std::abs(found[i][static_cast<std::size_t>(k)] -
                                           x(k, static_cast<Eigen::Index>(i))));
    }
  }
  EXPECT_LT(largest, 1e-6) << scene.bodies[0].material.model << " by " << method;
}

TEST(ConvergedStep, EveryMaterialAgreesWithADenseNewton) {
  for (const Description& material : list_materials()) {
    const Scene scene = test::twisting_bar({3, 1, 1}, material.name);
    compare_with_oracle(scene, "l_bfgs");
    compare_with_oracle(scene, "newton");
  }
}

TEST(ConvergedStep, FibersAgreeWithADenseNewton) {
  Scene scene = test::twisting_bar({3, 1, 1}, "corotated");
  scene.bodies[0].fibers = {FiberSettings{{0.6, 0.8, 0}, 2e5}};
  compare_with_oracle(scene, "l_bfgs");
  compare_with_oracle(scene, "newton");
}

TEST(ConvergedStep, EveryDirectionFindsTheSameMinimiser) {
  for (const Description& solver : list_solvers()) {
    if (!test::minimises(solver.name)) continue;
    compare_with_oracle(test::twisting_bar({3, 1, 1}, test::material_of(solver.name)), solver.name);
  }
}

TEST(ConvergedStep, LayersAgreeWithADenseNewton) {
  Scene scene = test::twisting_bar({3, 1, 1}, "neo_hookean");
  scene.bodies[0].layers = {test::soft_material("volume"), test::soft_material("strain_limit")};
  compare_with_oracle(scene, "l_bfgs");
  compare_with_oracle(scene, "newton");
}

TEST(ConvergedStep, ProjectiveDynamicsAgreesWithADenseNewton) {
  for (const char* material : {"arap", "strain_limit", "volume"}) {
    compare_with_oracle(test::twisting_bar({3, 1, 1}, material), "projective_dynamics");
  }
  Scene scene = test::twisting_bar({3, 1, 1}, "arap");
  scene.bodies[0].layers = {test::soft_material("volume"), test::soft_material("strain_limit")};
  scene.bodies[0].fibers = {FiberSettings{{0.6, 0.8, 0}, 1e5}};
  compare_with_oracle(scene, "projective_dynamics");
}

}  // namespace
}  // namespace supple

#include "descent/contact_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "descent/objective.h"
#include "supple/mesh.h"

namespace supple {
namespace {

constexpr double h = 1.0 / 30;

/// A block whose lower part is inside the ground, from where it stood above.
struct Problem {
  Problem()
      : threads(1),
        model(build_model(scene())),
        contact(ground(), 0, touching()),
        objective(model, &contact, threads),
        start(model.rest.size()),
        y(start),
        gradient(start),
        p(start) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      for (int k = 0; k < 3; ++k) start[i][k] = model.rest[i][static_cast<std::size_t>(k)];
      y[i] = start[i];
      y[i][0] += 0.01 * y[i][1];
      y[i][1] -= 0.6 + 0.05 * y[i][0];
    }
    objective.begin_step({.y = y, .inverse_a2 = 1 / (h * h), .x_start = start, .time = h, .h = h});
    value = objective.value_and_gradient(y, gradient);
  }
  static Scene scene() {
    Scene scene;
    Body body{.mesh = generate(BoxGenerator{.size = {1, 1, 1}, .cells = {4, 4, 4}})};
    const auto [mu, lambda] = lame_parameters(1e5, 0.4);
    body.material = {.model = "stable_neo_hookean", .mu = mu, .lambda = lambda};
    scene.bodies.push_back(body);
    return scene;
  }
  static std::vector<ColliderObject> ground() {
    std::vector<ColliderObject> colliders;
    colliders.emplace_back(Collider{"ground", PlaneShape{{0.1, 1, 0}, -1}, {}}, "/colliders/0");
    return colliders;
  }
  std::vector<ContactVertex> touching() const {
    std::vector<ContactVertex> vertices;
    for (int i = 0; i < model.num_vertices; ++i)
      vertices.push_back({.vertex = i, .stiffness = 1e7});
    return vertices;
  }
  Iterate at() const { return {y, gradient, value}; }

  Threads threads;
  Model model;
  ContactEnergy contact;
  Objective objective;
  VectorField start, y, gradient, p;
  double value = 0;
};

/// The first direction of a step is the minimum of the quadratic model with unilateral contacts:
/// A p balances the gradient without contacts and the contacts' forces at y + p, which on a plane
/// are those of the energy itself.
TEST(ContactMatrix, TheFirstDirectionIsTheMinimumOfTheModelWithUnilateralContacts) {
  Problem problem;
  ASSERT_GT(problem.contact.touching().size(), 20u);
  VectorField free(problem.gradient);
  for (const Contact& contact : problem.contact.touching()) {
    for (int k = 0; k < 3; ++k) {
      free[static_cast<std::size_t>(contact.vertex)][k] +=
          contact.stiffness * contact.depth * contact.normal[static_cast<std::size_t>(k)];
    }
  }
  ContactMatrix direction(problem.model, 1 / (h * h));
  direction.begin_step(problem.objective);
  ASSERT_TRUE(direction.compute(problem.objective, problem.at(), problem.p));
  EXPECT_GT(direction.num_active(), 5);
  EXPECT_LT(direction.num_active(), static_cast<int>(problem.touching().size()) / 2);

  VectorField end(problem.y);
  for (std::size_t i = 0; i < end.size(); ++i) {
    for (int k = 0; k < 3; ++k) end[i][k] += problem.p[i][k];
  }
  VectorField force(end.size());
  problem.objective.find_contacts(end);
  EXPECT_EQ(static_cast<int>(problem.contact.touching().size()), direction.num_active());
  problem.contact.add(end[0].v, force[0].v);
  std::vector<int> order(end.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const SpdSolver::Matrix lower = laplacian_lower(problem.model, 1 / (h * h), order);
  double residual = 0, scale = 0;
  for (int k = 0; k < 3; ++k) {
    Eigen::VectorXd pk(lower.rows()), rest(lower.rows());
    for (Eigen::Index i = 0; i < lower.rows(); ++i) {
      const auto v = static_cast<std::size_t>(i);
      pk(i) = problem.p[v][k];
      rest(i) = free[v][k] + force[v][k];
      scale = std::hypot(scale, force[v][k]);
    }
    const Eigen::VectorXd Ap = lower.selfadjointView<Eigen::Lower>() * pk;
    residual = std::hypot(residual, (Ap + rest).norm());
  }
  // The factor and its columns are floats: 1e-6 of displacements, by a stiffness a hundred times
  // the matrix's.
  EXPECT_LT(residual, 1e-3 * scale);
}

/// From the second direction on p = -H grad g with a symmetric H that is stiff along the normals of
/// what touches and as it was across them.
TEST(ContactMatrix, ContactsStiffenTheirNormalsAlone) {
  Problem problem;
  ContactMatrix direction(problem.model, 1 / (h * h));
  direction.begin_step(problem.objective);
  ASSERT_TRUE(direction.compute(problem.objective, problem.at(), problem.p));
  const int active = direction.num_active();
  ASSERT_GT(active, 5);
  Laplacian plain(problem.model, 1 / (h * h));
  const auto solve = [&](const VectorField& gradient) {
    VectorField p(gradient.size());
    direction.compute_unfinished(problem.objective, {problem.y, gradient, 0}, p);
    direction.finish(0, static_cast<int>(p.size()), p);
    return p;
  };
  const auto dot = [](const VectorField& a, const VectorField& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (int k = 0; k < 3; ++k) sum += a[i][k] * b[i][k];
    }
    return sum;
  };
  VectorField a(problem.y.size()), b(a);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      a[i][k] = std::sin(3.0 * static_cast<double>(i) + k);
      b[i][k] = std::cos(5.0 * static_cast<double>(i) + 2 * k);
    }
  }
  const VectorField Ha = solve(a), Hb = solve(b);
  EXPECT_NEAR(dot(b, Ha), dot(a, Hb), 1e-4 * std::abs(dot(a, Ha)));
  EXPECT_LT(dot(a, Ha), 0);
  // A force down on all of the body hardly moves what touches; one along the plane does.
  VectorField down(a.size()), along(a.size()), unbound(a.size());
  const double length = std::hypot(0.1, 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double mass = problem.model.mass[i];
    down[i] = {{0.1 / length * mass, mass / length, 0, 0}};
    along[i] = {{mass / length, -0.1 / length * mass, 0, 0}};
  }
  const VectorField pressed = solve(down), slid = solve(along);
  plain.compute(problem.objective, {problem.y, along, 0}, unbound);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(slid[i][k], unbound[i][k], 1e-4 * h * h);
  }
  // Without contacts everything would move by h^2; what stands on them still sags.
  EXPECT_LT(dot(down, pressed), 0);
  EXPECT_LT(-dot(down, pressed), 0.7 * 1000 * h * h);
}

}  // namespace
}  // namespace supple

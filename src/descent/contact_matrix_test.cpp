#include "descent/contact_matrix.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "descent/objective.h"
#include "supple/mesh.h"

namespace supple {
namespace {

constexpr double h = 1.0 / 30;

/// A block whose lower part is inside the ground, in a step that starts above it.
struct Problem {
  /// is_in_order: the factor is in the order of the vertices, so that solves can stop half way.
  explicit Problem(const ContactVertex& like = {.stiffness = 1e7}, bool is_in_order = false)
      : threads(1),
        model(made(is_in_order)),
        contact(ground(), 0, touching(like)),
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
  static Model made(bool is_in_order) {
    Model model = build_model(scene());
    model.in_elimination_order = is_in_order;
    return model;
  }
  static std::vector<ColliderObject> ground() {
    std::vector<ColliderObject> colliders;
    colliders.emplace_back(Collider{"ground", PlaneShape{{0.1, 1, 0}, -1}, {}}, "/colliders/0");
    return colliders;
  }
  std::vector<ContactVertex> touching(const ContactVertex& like) const {
    std::vector<ContactVertex> vertices(static_cast<std::size_t>(model.num_vertices), like);
    for (int i = 0; i < model.num_vertices; ++i) vertices[static_cast<std::size_t>(i)].vertex = i;
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
void expect_minimum_of_the_model(Problem& problem) {
  ASSERT_GT(problem.contact.touching().size(), 20u);
  VectorField free(problem.gradient);
  for (const Contact& contact : problem.contact.touching()) {
    for (int k = 0; k < 3; ++k) {
      free[static_cast<std::size_t>(contact.point.vertices[0])][k] +=
          contact.force() * contact.normal[static_cast<std::size_t>(k)];
    }
  }
  ContactMatrix direction(problem.model, 1 / (h * h));
  direction.begin_step(problem.objective);
  ASSERT_TRUE(direction.compute(problem.objective, problem.at(), problem.p));
  EXPECT_GT(direction.num_active(), 5);
  EXPECT_LT(direction.num_active(), problem.model.num_vertices / 2);

  VectorField end(problem.y);
  for (std::size_t i = 0; i < end.size(); ++i) {
    for (int k = 0; k < 3; ++k) end[i][k] += problem.p[i][k];
  }
  VectorField force(end.size());
  problem.objective.find_contacts(end);
  int pushing = 0;
  for (const Contact& own : problem.contact.touching()) {
    pushing += own.added > 0 && own.depth > own.soft_depth ? 2 : 1;
  }
  EXPECT_EQ(pushing, direction.num_active());
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

TEST(ContactMatrix, TheFirstDirectionIsTheMinimumOfTheModelWithUnilateralContacts) {
  Problem problem;
  expect_minimum_of_the_model(problem);
}

TEST(ContactMatrix, SoItIsWhereContactsAreStifferDeepDown) {
  Problem problem({.stiffness = 1e4, .added = 1e7, .soft_depth = 2e-2});
  expect_minimum_of_the_model(problem);
  int deep = 0;
  for (const Contact& own : problem.contact.touching()) deep += own.depth > own.soft_depth ? 1 : 0;
  EXPECT_GT(deep, 3);
  EXPECT_LT(deep, static_cast<int>(problem.contact.touching().size()));
}

/// From the second direction on, p = -H grad g with a symmetric H that is stiff along the normals
/// of what touches, and as it was across them.
class ContactMatrixInOrder : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(, ContactMatrixInOrder, testing::Bool());

TEST_P(ContactMatrixInOrder, ContactsStiffenTheirNormalsAlone) {
  Problem problem({.stiffness = 1e7}, GetParam());
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

/// An entry is that of the inverse. It has the same bits whichever vertex was asked for first and
/// whatever was forgotten in between.
class ComplianceInOrder : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(, ComplianceInOrder, testing::Bool());

TEST_P(ComplianceInOrder, HasTheEntriesOfTheInverseWhateverCameBefore) {
  Problem problem({.stiffness = 1e7}, GetParam());
  Laplacian laplacian(problem.model, 1 / (h * h));
  Compliance& compliance = laplacian.compliance();
  compliance.begin_step(std::vector<int>{0});
  const std::vector<int> few{7, 90, 3, 41, 60};
  compliance.find(few, problem.threads);
  const auto between = [&](int a, int b) { return static_cast<double>(compliance.between(a, b)); };
  std::vector<int> order(problem.y.size());
  std::iota(order.begin(), order.end(), 0);
  const Eigen::MatrixXd lower = laplacian_lower(problem.model, 1 / (h * h), order);
  const Eigen::MatrixXd full = lower.selfadjointView<Eigen::Lower>();
  const Eigen::MatrixXd inverse = full.inverse();
  std::vector<double> first;
  for (const int a : few) {
    for (const int b : few) {
      first.push_back(between(a, b));
      // Floats round by 6e-8, and the factor is in floats too.
      EXPECT_NEAR(first.back(), inverse(a, b), 2e-6 * inverse(a, a)) << a << " " << b;
    }
  }
  const std::vector<int> back{60, 41, 11, 90, 7, 3};
  laplacian.compliance().find(back, problem.threads);
  EXPECT_EQ(compliance.num_vertices(), 6u);
  Laplacian other(problem.model, 1 / (h * h));
  other.compliance().begin_step(std::vector<int>{0});
  other.compliance().find(back, problem.threads);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const int a = few[i / few.size()], b = few[i % few.size()];
    EXPECT_EQ(between(a, b), first[i]);
    EXPECT_EQ(static_cast<double>(other.compliance().between(a, b)), first[i]);
  }
}

/// Half way through a solve it tells how a vertex moves. A force that it takes off there is like
/// one less in the right-hand side, and the momentum is that of what is left, to the last digit.
TEST(Compliance, TakesForcesOffHalfWayThroughASolve) {
  Problem problem({.stiffness = 1e7}, true);
  Laplacian laplacian(problem.model, 1 / (h * h));
  Compliance& compliance = laplacian.compliance();
  const std::vector<int> body{0};
  compliance.begin_step(body);
  EXPECT_FALSE(compliance.has_half_way(body));
  compliance.find(std::vector<int>{7, 90}, problem.threads);
  ASSERT_TRUE(compliance.has_half_way(body));
  struct Turn final : HalfWay {
    Compliance* compliance = nullptr;
    double moved[3] = {};
    PaddedVector taken = {};
    bool turn(float* y, double scale) override {
      compliance->enter_half_way(7, y);
      for (int k = 0; k < 3; ++k) {
        moved[k] = static_cast<double>(compliance->half_product(7, k)) / scale;
      }
      taken[1] = 30;
      compliance->take_off(90, 1, static_cast<float>(scale * taken[1]));
      compliance->leave_half_way(7, y);
      return true;
    }
  } turn;
  turn.compliance = &compliance;
  VectorField b(problem.y.size()), p(b), plain(b), without(b);
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (int k = 0; k < 3; ++k) b[i][k] = 1 + std::sin(3.0 * static_cast<double>(i) + k);
  }
  laplacian.compute(problem.objective, {problem.y, b, 0}, plain);
  laplacian.compute_half_way(problem.objective, {problem.y, b, 0}, turn, turn.taken, p);
  laplacian.finish(0, static_cast<int>(p.size()), p);
  b[90][1] -= 30;
  laplacian.compute(problem.objective, {problem.y, b, 0}, without);
  double size = 0;
  for (const PaddedVector& own : without) {
    for (int k = 0; k < 3; ++k) size = std::max(size, std::abs(own[k]));
  }
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(turn.moved[k], -plain[7][k], 1e-5 * size);
    double momentum = 0, force = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      EXPECT_NEAR(p[i][k], without[i][k], 1e-5 * size);
      momentum += problem.model.mass[i] / (h * h) * p[i][k];
      force += b[i][k];
    }
    EXPECT_NEAR(momentum, -force, 1e-12 * static_cast<double>(b.size()));
  }
  EXPECT_GT(std::abs(plain[90][1] - without[90][1]), 1e-2 * size);
}

/// If there is no room for the vertices that are asked for, those that were there before go.
TEST(Compliance, MakesRoomForWhatIsAskedFor) {
  Scene scene = Problem::scene();
  scene.bodies[0].mesh = generate(BoxGenerator{.size = {1, 1, 1}, .cells = {20, 12, 12}});
  const Model model = build_model(scene);
  Threads threads(1);
  Laplacian laplacian(model, 1 / (h * h));
  Compliance& compliance = laplacian.compliance();
  compliance.begin_step(std::vector<int>{0});
  const auto most = static_cast<int>(compliance.max_vertices(std::vector<int>{0}));
  ASSERT_LT(most, model.num_vertices);
  std::vector<int> all(static_cast<std::size_t>(most));
  std::iota(all.begin(), all.end(), 0);
  compliance.find(all, threads);
  const float before = compliance.between(1, 2);
  const std::vector<int> next{most, 1, 2};
  compliance.find(next, threads);
  EXPECT_EQ(compliance.num_vertices(), 3u);
  EXPECT_FALSE(compliance.has(0));
  EXPECT_EQ(compliance.between(1, 2), before);
}

/// With two bodies, each entry is that of its body alone, and entries between them are zero.
TEST(Compliance, OfTwoBodiesIsThatOfEach) {
  Scene scene = Problem::scene();
  const Model one = build_model(scene);
  scene.bodies.push_back(scene.bodies[0]);
  const Model two = build_model(scene);
  Threads threads(1);
  Laplacian of_one(one, 1 / (h * h)), of_two(two, 1 / (h * h));
  const std::vector<int> bodies{0, 1};
  of_one.compliance().begin_step(std::vector<int>{0});
  of_two.compliance().begin_step(bodies);
  const int n = one.num_vertices;
  of_one.compliance().find(std::vector<int>{3, 8, 40}, threads);
  of_two.compliance().find(std::vector<int>{40, n + 3, 3, n + 40, 8, n + 8}, threads);
  for (const int a : {3, 8, 40}) {
    for (const int b : {3, 8, 40}) {
      const float wanted = of_one.compliance().between(a, b);
      EXPECT_EQ(of_two.compliance().between(a, b), wanted);
      EXPECT_EQ(of_two.compliance().between(n + a, n + b), wanted);
      EXPECT_EQ(of_two.compliance().between(a, n + b), 0);
    }
  }
}

/// A body on its way to the ground has its compliance there before it touches.
TEST(ContactMatrix, FindsComplianceAheadOfContact) {
  Problem problem;
  VectorField high(problem.start);
  for (PaddedVector& x : high) x[1] += 1;
  VectorField y(high);
  for (PaddedVector& v : y) v[1] -= 0.1;
  problem.objective.begin_step(
      {.y = y, .inverse_a2 = 1 / (h * h), .x_start = high, .time = h, .h = h});
  ASSERT_TRUE(problem.contact.touching().empty());
  ContactMatrix direction(problem.model, 1 / (h * h));
  direction.begin_step(problem.objective);
  const std::size_t once = direction.constant_matrix()->compliance().num_vertices();
  EXPECT_GT(once, 3u);
  direction.begin_step(problem.objective);
  EXPECT_GT(direction.constant_matrix()->compliance().num_vertices(), once);
}

}  // namespace
}  // namespace supple

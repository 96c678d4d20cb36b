#include "descent/contact_blocks.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "descent/laplacian.h"
#include "descent/test_contacts.h"
#include "math/vec3.h"
#include "supple/mesh.h"

namespace supple {
namespace {

/// Blocks of 125 vertices. Each touches the one before it, or all touch the first one, and the
/// first one touches the ground, in random directions. There are far more contacts than make sense:
/// but for K^-1 their system is nearly singular. Some have friction.
struct Heap {
  explicit Heap(int number = 3, bool all_touch_first = false, double share_of_weak_friction = 0)
      : num_bodies(number), is_star(all_touch_first), share_weak(share_of_weak_friction) {
    Scene scene;
    for (int b = 0; b < num_bodies; ++b) {
      Body body{.mesh = generate(BoxGenerator{.size = {1, 1, 1}, .cells = {4, 4, 4}})};
      const auto [mu, lambda] = lame_parameters(1e5, 0.4);
      body.material = {.model = "stable_neo_hookean", .mu = mu, .lambda = lambda};
      scene.bodies.push_back(body);
    }
    model = build_model(scene);
    model.in_elimination_order = false;
    matrix = std::make_unique<Laplacian>(model, 900, Precision::mixed);
    for (int i = 0; i < 260; ++i) add_contact();
    std::vector<char> is_asked(static_cast<std::size_t>(model.num_vertices), 0);
    std::vector<int> vertices;
    for (const ContactRow& own : rows) {
      for (int k = 0; k < own.point.count; ++k) {
        const int vertex = own.point.vertices[k];
        if (std::exchange(is_asked[static_cast<std::size_t>(vertex)], char{1}) == 0)
          vertices.push_back(vertex);
      }
    }
    std::vector<int> bodies(static_cast<std::size_t>(num_bodies));
    std::iota(bodies.begin(), bodies.end(), 0);
    compliance().begin_step(bodies);
    compliance().find(vertices, threads);
  }
  Compliance& compliance() { return matrix->compliance(); }
  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  }
  void add_contact() {
    const int body = static_cast<int>(uniform(0, num_bodies));
    const int other = is_star ? 0 : body - 1;
    const auto vertex = [&](int b) { return 125 * b + static_cast<int>(uniform(0, 60)); };
    ContactRow row{};
    row.point = ContactPoint::of_vertex(vertex(body));
    if (body > 0) {
      row.point = {
          {vertex(body), vertex(other), vertex(other), vertex(other)}, {1, -0.5, -0.3, -0.2}, 4};
    }
    const Vec3 n = vec3::direction({uniform(-0.3, 0.3), 1, uniform(-0.3, 0.3)}, {0, 0, 0});
    const Vec3 first = vec3::direction(vec3::cross(n, {1, 0, 0}), {0, 0, 0});
    const auto add = [&](RowKind kind, const Vec3& direction) {
      row.kind = kind;
      row.direction = direction;
      row.stiffness = std::exp(uniform(std::log(1e4), std::log(1e7)));
      row.gap = uniform(-1e-2, 1e-2);
      row.assumed = kind == RowKind::push ? std::max(0.0, uniform(-10, 10)) : uniform(-10, 10);
      if (kind != RowKind::push && uniform(0, 1) < share_weak) {
        row.stiffness = 1e-3;
        row.assumed *= 1e-6;
      }
      rows.push_back(row);
    };
    add(RowKind::push, n);
    if (uniform(0, 1) < 0.5) return;
    add(RowKind::friction_first, first);
    add(RowKind::friction_second, vec3::cross(n, first));
  }
  /// C + K^-1, m/N.
  Eigen::MatrixXd system() {
    const auto between = [&](int a, int b) {
      return static_cast<double>(compliance().between(a, b));
    };
    return dense_system(rows, between, learnt);
  }
  ContactBlocks filled() {
    ContactBlocks blocks;
    blocks.make_room(static_cast<std::size_t>(model.num_vertices));
    blocks.fill(rows, compliance(), threads, learnt);
    return blocks;
  }

  int num_bodies;
  bool is_star;
  double share_weak;
  LowRank learnt{};
  Threads threads{2};
  std::mt19937 random{5};
  Model model;
  std::unique_ptr<Laplacian> matrix;
  std::vector<ContactRow> rows;
};

TEST(ContactBlocks, SolveTheSystemOfAllContacts) {
  Heap heap;
  ASSERT_GT(heap.rows.size(), 400u);
  const auto n = static_cast<Eigen::Index>(heap.rows.size());
  Eigen::VectorXd right(n);
  for (Eigen::Index i = 0; i < n; ++i) right(i) = heap.uniform(-1, 1);
  const Eigen::MatrixXd S = heap.system();
  const Eigen::VectorXd expected = S.llt().solve(right);
  ContactBlocks blocks = heap.filled();
  std::vector<double> found(right.data(), right.data() + n);
  blocks.solve(found, 1e-6, heap.threads);
  const Eigen::VectorXd error = Eigen::VectorXd::Map(found.data(), n) - expected;
  // In the norm that conjugate gradients minimise, in floats, at a condition of about 1e4.
  EXPECT_LT(std::sqrt(error.dot(S * error)), 2e-3 * std::sqrt(expected.dot(S * expected)));
  EXPECT_LT(blocks.num_products(), 60);
}

TEST(ContactBlocks, WhatIsSolvedRoughlyStillLeadsDown) {
  Heap heap;
  const auto n = static_cast<Eigen::Index>(heap.rows.size());
  const Eigen::MatrixXd S = heap.system();
  ContactBlocks blocks = heap.filled();
  for (int sample = 0; sample < 20; ++sample) {
    Eigen::VectorXd right(n);
    for (Eigen::Index i = 0; i < n; ++i) right(i) = heap.uniform(-1, 1);
    std::vector<double> found(right.data(), right.data() + n);
    blocks.solve(found, 0.1, heap.threads);
    // Conjugate gradients come from below: H - H N (...) N^T H stays positive definite.
    const double rough = right.dot(Eigen::VectorXd::Map(found.data(), n));
    const double exact = right.dot(S.llt().solve(right));
    EXPECT_GT(rough, 0.5 * exact);
    EXPECT_LT(rough, 1.001 * exact);
  }
}

/// Solves the complementarity problem of a heap and checks its conditions on each row.
void expect_complementarity(Heap& heap) {
  ContactBlocks blocks = heap.filled();
  const std::vector<ContactRow> before = heap.rows;
  blocks.relax(heap.rows, 400, heap.threads);
  const auto n = static_cast<Eigen::Index>(heap.rows.size());
  Eigen::VectorXd change(n), gap(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const ContactRow& own = heap.rows[static_cast<std::size_t>(i)];
    change(i) = own.force - own.assumed;
    gap(i) = own.gap + own.assumed / own.stiffness;
  }
  gap += heap.system() * change;
  // Sweeps end when one changes gaps by a thousandth of what the first one does, which is up to
  // 0.2 m here.
  constexpr double settled = 3e-4;
  int pushing = 0, apart = 0;
  std::vector<int> members;
  for (Eigen::Index i = 0; i < n; ++i) {
    const ContactRow& own = heap.rows[static_cast<std::size_t>(i)];
    EXPECT_EQ(own.assumed, before[static_cast<std::size_t>(i)].assumed);
    if (own.force > 0 || !own.only_pushes()) members.push_back(static_cast<int>(i));
    if (!own.only_pushes()) {
      EXPECT_NEAR(gap(i), 0, settled);
    } else if (own.force > 0) {
      EXPECT_NEAR(gap(i), 0, settled);
      ++pushing;
    } else {
      EXPECT_EQ(own.force, 0);
      EXPECT_GT(gap(i), -settled);
      ++apart;
    }
  }
  EXPECT_GT(pushing, 30);
  EXPECT_GT(apart, 30);
  EXPECT_TRUE(
      std::equal(members.begin(), members.end(), blocks.members().begin(), blocks.members().end()));
}

TEST(ContactBlocks, ContactsPushAndDoNotPull) {
  Heap heap;
  expect_complementarity(heap);
}

TEST(ContactBlocks, OneBodyMayTouchMany) {
  Heap heap(90, true);
  expect_complementarity(heap);
}

TEST(ContactBlocks, FrictionThatHardlyHoldsDoesNotKeepTheRestFromBeingSolved) {
  Heap heap(3, false, 0.1);
  expect_complementarity(heap);
}

TEST(ContactBlocks, SolveForWhatWasLearntToo) {
  Heap heap;
  // As large as the compliance itself, about 1e-5 m/N, and between all bodies.
  constexpr std::size_t fields = 3;
  std::vector<double> moved;
  for (std::size_t i = 0; i < fields * heap.rows.size(); ++i)
    moved.push_back(heap.uniform(-2e-3, 2e-3));
  heap.learnt = {.left = moved, .right = moved, .count = fields};
  expect_complementarity(heap);
}

TEST(ContactBlocks, HaveTheSameBitsAtAnyNumberOfThreads) {
  Heap heap(8);
  std::vector<double> first;
  for (const int count : {1, 2, 3, 8}) {
    Threads threads(count);
    ContactBlocks blocks;
    blocks.make_room(static_cast<std::size_t>(heap.model.num_vertices));
    blocks.fill(heap.rows, heap.compliance(), threads);
    std::vector<double> right(heap.rows.size(), 1.0);
    blocks.solve(right, 0.01, threads);
    blocks.relax(heap.rows, 8, threads);
    for (const ContactRow& own : heap.rows) right.push_back(own.force);
    if (first.empty()) first = right;
    EXPECT_EQ(first, right);
  }
}

}  // namespace
}  // namespace supple

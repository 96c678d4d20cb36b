#include "descent/matrix_free_contacts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "descent/laplacian.h"
#include "descent/test_contacts.h"
#include "math/vec3.h"

namespace supple {
namespace {

/// A pinned block and a sheet on rough ground, with friction, some of it bounded. The sheet also
/// touches the block.
struct Room {
  explicit Room(double pin_stiffness = 1e4) {
    model = build_model(block_and_sheet({{-1, -1, -1}, {-0.49, -0.49, 1}}, pin_stiffness));
    model.in_elimination_order = true;
    matrix = std::make_unique<Laplacian>(model, 3600, Precision::full);
    const int first_of_sheet = model.body_vertices[1];
    for (int vertex = 0; vertex < model.num_vertices; ++vertex) {
      if (uniform(0, 1) < 0.3) continue;
      ContactPoint point = ContactPoint::of_vertex(vertex);
      if (vertex >= first_of_sheet && uniform(0, 1) < 0.2) {
        const int other = static_cast<int>(uniform(0, first_of_sheet - 3));
        point = {{vertex, other, other + 1, other + 2}, {1, -0.5, -0.3, -0.2}, 4};
      } else if (vertex > first_of_sheet && uniform(0, 1) < 0.2) {
        point = {{vertex - 1, vertex, -1, -1}, {0.4, 0.6, 0, 0}, 2};
      }
      add_contact(point);
    }
  }
  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  }
  void add_contact(const ContactPoint& point) {
    const double tilt = 0.03 * (point.vertices[0] % 10);
    const Vec3 n = vec3::direction({tilt, 1, -tilt}, {0, 0, 0});
    ContactRow row{};
    row.point = point;
    const auto add = [&](RowKind kind, const Vec3& direction) {
      row.kind = kind;
      row.direction = direction;
      row.stiffness = std::exp(uniform(std::log(1e4), std::log(1e6)));
      row.gap = uniform(-1e-2, 1e-2);
      row.assumed = row.only_pushes() ? uniform(-1, 1) : uniform(-0.1, 0.1);
      row.most = row.only_pushes() || uniform(0, 1) < 0.5 ? 0 : 0.2;
      rows.push_back(row);
    };
    add(RowKind::push, n);
    if (uniform(0, 1) < 0.3) add(RowKind::push_beyond, n);
    if (uniform(0, 1) < 0.5) return;
    const Vec3 first = vec3::direction(vec3::cross(n, {0, 0, 1}), {0, 0, 0});
    add(RowKind::friction_first, first);
    add(RowKind::friction_second, vec3::cross(n, first));
  }
  /// Some fields that were learnt.
  LowRank learn() {
    constexpr std::size_t count = 3;
    fields.clear();
    for (std::size_t i = 0; i < count * rows.size(); ++i) fields.push_back(uniform(-1e-5, 1e-5));
    return {fields, fields, count};
  }
  /// C + K^-1, m/N.
  Eigen::MatrixXd system(const LowRank& learnt = {}) const {
    const Eigen::MatrixXd inverse = dense_inverse(model, 3600);
    return dense_system(
        rows, [&](int a, int b) { return inverse(a, b); }, learnt);
  }
  MatrixFreeContacts filled(const LowRank& learnt = {}) {
    MatrixFreeContacts contacts;
    contacts.fill(rows, matrix->matrices(), static_cast<std::size_t>(model.num_vertices), learnt);
    return contacts;
  }

  Threads threads{2};
  std::mt19937 random{7};
  Model model;
  std::unique_ptr<Laplacian> matrix;
  std::vector<ContactRow> rows;
  std::vector<double> fields;
};

/// How far a direction that knows no contacts moves those of the rows, m.
std::vector<double> moved_rows(const Room& room) {
  VectorField p(static_cast<std::size_t>(room.model.num_vertices));
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto vertex = static_cast<double>(i);
    p[i] = {{std::sin(vertex / 7), std::cos(vertex / 5), std::sin(vertex / 3), 0}};
  }
  std::vector<double> moved;
  for (const ContactRow& own : room.rows) moved.push_back(along(own.direction, own.point, p));
  return moved;
}

TEST(MatrixFreeContacts, SolveTheSystemOfAllContacts) {
  Room room;
  ASSERT_GT(room.rows.size(), 300u);
  const LowRank learnt = room.learn();
  MatrixFreeContacts contacts = room.filled(learnt);
  const Eigen::MatrixXd S = room.system(learnt);
  const std::vector<double> moved = moved_rows(room);
  const auto right = Eigen::VectorXd::Map(moved.data(), S.rows());
  const Eigen::VectorXd expected = S.llt().solve(right);
  double before = 1;
  for (const double part : {1e-1, 1e-2, 1e-3}) {
    std::vector<double> found = moved;
    contacts.solve(found, part, room.threads);
    const auto result = Eigen::VectorXd::Map(found.data(), right.size());
    // The preconditioner is not exact: an error in one norm is a few times that in another.
    const Eigen::VectorXd error = result - expected;
    const double relative = std::sqrt(error.dot(S * error) / expected.dot(S * expected));
    EXPECT_LT(relative, 3 * part);
    EXPECT_LT(relative, before);
    EXPECT_LE(right.dot(result), right.dot(expected));
    before = relative;
  }
}

TEST(MatrixFreeContacts, FindForcesWithinTheirBounds) {
  Room room;
  MatrixFreeContacts contacts = room.filled();
  contacts.relax(room.rows, 1e-8, room.threads);
  const Eigen::MatrixXd S = room.system();
  const auto n = static_cast<Eigen::Index>(room.rows.size());
  Eigen::VectorXd force(n), gap(n), assumed(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const ContactRow& own = room.rows[static_cast<std::size_t>(i)];
    force(i) = own.force;
    assumed(i) = own.assumed;
    gap(i) = own.gap + own.assumed / own.stiffness;
  }
  const Eigen::VectorXd slack = S * (force - assumed) + gap;
  const double rounding = 1e-7;  // of gaps of 1e-2 m
  std::vector<int> members;
  int num_bounded = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const ContactRow& own = room.rows[static_cast<std::size_t>(i)];
    EXPECT_EQ(own.allowed(own.force), own.force) << i;
    if (own.is_free()) {
      EXPECT_NEAR(slack(i), 0, rounding) << i;
      members.push_back(static_cast<int>(i));
    } else {
      // It would have a force beyond its bound.
      EXPECT_GT(own.force > 0 ? -slack(i) : slack(i), -rounding) << i;
      ++num_bounded;
    }
  }
  EXPECT_GT(num_bounded, 20);
  EXPECT_EQ(std::vector<int>(contacts.members().begin(), contacts.members().end()), members);
}

/// Pins that become stiffer are in the matrix from then on.
TEST(MatrixFreeContacts, FollowTheMatrix) {
  Room room, stiffer(1e6);
  std::vector<double> before = moved_rows(room), after = before, expected = before;
  room.filled().solve(before, 1e-3, room.threads);
  room.model.pins = stiffer.model.pins;
  room.matrix->pins_changed({room.model, 3600, 1.0 / 60});
  ASSERT_TRUE(room.matrix->matrices()[0].is_known());
  room.filled().solve(after, 1e-3, room.threads);
  stiffer.filled().solve(expected, 1e-3, room.threads);
  const std::vector<double> moved = moved_rows(room);
  const auto work = [&](const std::vector<double>& forces) {
    return std::inner_product(moved.begin(), moved.end(), forces.begin(), 0.0);
  };
  // Rounding shows in which products conjugate gradients make last.
  EXPECT_NEAR(work(after), work(expected), 1e-4 * work(expected));
  EXPECT_GT(std::abs(work(before) - work(expected)), 1e-2 * work(expected));
}

}  // namespace
}  // namespace supple

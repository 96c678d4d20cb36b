#include "descent/aligned_contacts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "descent/laplacian.h"
#include "descent/test_contacts.h"
#include "math/vec3.h"

namespace supple {
namespace {

/// A pinned block and a sheet, which touch what is below and beside them, with friction.
struct Room {
  explicit Room(double pin_stiffness = 1e4) {
    model = build_model(block_and_sheet({{-1, -1, -1}, {-0.49, 1, 1}}, pin_stiffness));
    model.in_elimination_order = true;
    matrix = std::make_unique<Laplacian>(model, 3600, Precision::single);
    for (int vertex = 0; vertex < model.num_vertices; ++vertex) {
      if (uniform(0, 1) < 0.5) add_contact(vertex);
    }
    frame.make_room(rows.size());
    frame.choose_frame(rows);
  }
  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  }
  void add_contact(int vertex) {
    ContactRow row{};
    row.point = ContactPoint::of_vertex(vertex);
    const int wall = static_cast<int>(uniform(0, 4));
    const Vec3 n = wall < 2 ? up : wall == 2 ? side : vec3::cross(across, up);
    const auto add = [&](RowKind kind, const Vec3& direction) {
      row.kind = kind;
      row.direction = direction;
      row.stiffness = std::exp(uniform(std::log(1e2), std::log(1e7)));
      row.gap = uniform(-1e-2, 1e-2);
      row.assumed = row.only_pushes() ? std::max(0.0, uniform(-1, 1)) : uniform(-1, 1);
      rows.push_back(row);
    };
    add(RowKind::push, n);
    if (uniform(0, 1) < 0.3) add(RowKind::push_beyond, n);
    if (uniform(0, 1) < 0.5) return;
    const Vec3 first = vec3::cross(n, across);
    add(RowKind::friction_first, first);
    add(RowKind::friction_second, across);
  }
  /// C + K^-1, m/N.
  Eigen::MatrixXd system() const {
    const Eigen::MatrixXd inverse = dense_inverse(model, 3600);
    return dense_system(rows, [&](int a, int b) { return inverse(a, b); });
  }

  // Away from the axes of the coordinates.
  const Vec3 up = vec3::direction({0.2, 1, -0.3}, {0, 0, 0});
  const Vec3 side = vec3::direction(vec3::cross(up, {0, 0, 1}), {0, 0, 0});
  const Vec3 across = vec3::cross(up, side);
  Threads threads{2};
  std::mt19937 random{7};
  Model model;
  std::unique_ptr<Laplacian> matrix;
  ContactSystem frame;
  std::vector<ContactRow> rows;
};

TEST(AlignedContacts, HoldSingleVerticesAlongTheFrame) {
  Room room;
  EXPECT_TRUE(AlignedContacts::can_hold(room.rows, room.frame, room.matrix->matrices()));
  std::vector<ContactRow> tilted = room.rows;
  tilted.back().direction = vec3::direction({1, 1, 1}, {0, 0, 0});
  EXPECT_FALSE(AlignedContacts::can_hold(tilted, room.frame, room.matrix->matrices()));
  std::vector<ContactRow> of_edge = room.rows;
  of_edge.back().point = {{0, 1, -1, -1}, {0.5, 0.5, 0, 0}, 2};
  EXPECT_FALSE(AlignedContacts::can_hold(of_edge, room.frame, room.matrix->matrices()));
}

TEST(AlignedContacts, SolveTheSystemOfAllContacts) {
  Room room;
  AlignedContacts contacts;
  contacts.fill(room.rows, room.frame, room.matrix->matrices());
  const Eigen::MatrixXd S = room.system();
  Eigen::VectorXd right(S.rows());
  for (double& value : right) value = room.uniform(-1, 1);
  const Eigen::VectorXd expected = S.llt().solve(right);
  std::vector<double> found(right.data(), right.data() + right.size());
  ASSERT_TRUE(contacts.solve(found, room.threads));
  const Eigen::VectorXd error = Eigen::VectorXd::Map(found.data(), right.size()) - expected;
  // The condition is that of 1e7 N/m beside the sheet's mass.
  EXPECT_LT(error.norm(), 1e-7 * expected.norm());
}

TEST(AlignedContacts, FindForcesThatPushAndDoNotPull) {
  Room room;
  ASSERT_GT(room.rows.size(), 200u);
  AlignedContacts contacts;
  contacts.fill(room.rows, room.frame, room.matrix->matrices());
  contacts.relax(room.rows, 12, room.threads);
  const auto n = static_cast<Eigen::Index>(room.rows.size());
  Eigen::VectorXd change(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const ContactRow& own = room.rows[static_cast<std::size_t>(i)];
    change(i) = own.force - own.assumed;
  }
  const Eigen::VectorXd moved = room.system() * change;
  const double rounding = 1e-9;  // of gaps of 1e-2 m
  std::vector<int> members;
  for (Eigen::Index i = 0; i < n; ++i) {
    const ContactRow& own = room.rows[static_cast<std::size_t>(i)];
    const double slack = own.gap + moved(i) + own.assumed / own.stiffness;
    if (own.only_pushes()) {
      EXPECT_GE(own.force, 0) << i;
      EXPECT_GT(slack, -rounding) << i;
    }
    if (own.force > 0 || !own.only_pushes()) {
      EXPECT_NEAR(slack, 0, rounding) << i;
      members.push_back(static_cast<int>(i));
    }
  }
  EXPECT_EQ(std::vector<int>(contacts.members().begin(), contacts.members().end()), members);
}

/// Pins that become stiffer are in the matrix from then on.
TEST(AlignedContacts, FollowTheMatrix) {
  Room room;
  const Room stiffer(1e6);
  AlignedContacts contacts, anew;
  std::vector<double> before(room.rows.size(), 1), after = before, expected = before;
  contacts.fill(room.rows, room.frame, room.matrix->matrices());
  ASSERT_TRUE(contacts.solve(before, room.threads));
  room.model.pins = stiffer.model.pins;
  room.matrix->pins_changed({room.model, 3600, 1.0 / 60});
  contacts.fill(room.rows, room.frame, room.matrix->matrices());
  ASSERT_TRUE(contacts.solve(after, room.threads));
  anew.fill(room.rows, room.frame, stiffer.matrix->matrices());
  ASSERT_TRUE(anew.solve(expected, room.threads));
  EXPECT_EQ(after, expected);
  EXPECT_NE(after, before);
}

}  // namespace
}  // namespace supple

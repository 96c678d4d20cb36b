#include "descent/contact_system.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "math/vec3.h"

namespace supple {
namespace {

/// Points with a random compliance, and rows at them.
struct Problem {
  explicit Problem(int num_points) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(
        num_points, num_points, [&] { return normal(random) / std::sqrt(num_points); });
    const Eigen::MatrixXd C = root * root.transpose();
    between.assign(C.data(), C.data() + C.size());
    uniform = std::uniform_real_distribution<double>(-1, 1);
    engine = random;
  }
  /// Adds a contact with this normal and, if there is a tangent, friction along that and across
  /// both.
  void add(int point, const Vec3& normal, const Vec3* tangent) {
    const auto add_row = [&](RowKind kind, const Vec3& direction) {
      ContactRow row{};
      row.kind = kind;
      row.direction = direction;
      row.stiffness = 5 + uniform(engine);
      row.gap = uniform(engine);
      row.assumed = kind == RowKind::push ? std::max(0.0, uniform(engine)) : uniform(engine);
      rows.push_back(row);
      point_of.push_back(point);
    };
    add_row(RowKind::push, normal);
    if (tangent == nullptr) return;
    add_row(RowKind::friction_first, *tangent);
    add_row(RowKind::friction_second, vec3::cross(normal, *tangent));
  }
  std::size_t num_points() const {
    return static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(between.size()))));
  }
  /// C + K^-1 of all rows, with every product of directions.
  Eigen::MatrixXd dense() const {
    const auto n = static_cast<Eigen::Index>(rows.size());
    Eigen::MatrixXd A(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
        A(i, j) = vec3::dot(rows[a].direction, rows[b].direction) *
                  between[static_cast<std::size_t>(point_of[a]) * num_points() +
                          static_cast<std::size_t>(point_of[b])];
      }
      A(i, i) += 1 / rows[static_cast<std::size_t>(i)].stiffness;
    }
    return A;
  }
  /// Fills a system that has room for the rows.
  void fill(ContactSystem& system) const {
    system.choose_frame(rows);
    std::vector<char> fits(rows.size(), 1);
    system.find_fitting(rows, 0, system.capacity_of_one(), fits);
    for (const char one : fits) ASSERT_TRUE(one);
    system.fill(rows, point_of, between, num_points());
  }
  void set_up(ContactSystem& system) const {
    system.make_room(ContactSystem::most_rows);
    fill(system);
  }

  std::vector<ContactRow> rows;
  std::vector<int> point_of;
  std::vector<double> between;
  std::uniform_real_distribution<double> uniform;
  std::mt19937 engine;
};

/// A frame whose directions are along no axes.
const Vec3 normal = vec3::direction({0.3, 1, -0.2}, {});
const Vec3 tangent = vec3::direction(vec3::cross(normal, {1, 0, 0}), {});

/// The system is solved in blocks if all directions are those of a frame, and as a whole if one of
/// them is not.
TEST(ContactSystem, IsTheDenseOneInBlocksAndAsAWhole) {
  for (const bool is_one : {false, true}) {
    SCOPED_TRACE(is_one);
    Problem problem(12);
    for (int point = 0; point < 11; ++point) problem.add(point, normal, &tangent);
    // Another direction altogether, or that of the side of a box that stands on the plane.
    problem.add(11, is_one ? vec3::direction({1, 0.2, 0.1}, {}) : tangent, nullptr);
    ContactSystem system;
    problem.set_up(system);
    ASSERT_TRUE(system.factor_all());
    std::vector<double> right(problem.rows.size());
    for (double& b : right) b = problem.uniform(problem.engine);
    const Eigen::VectorXd want = problem.dense().llt().solve(
        Eigen::Map<const Eigen::VectorXd>(right.data(), static_cast<Eigen::Index>(right.size())));
    system.solve(right);
    for (std::size_t i = 0; i < right.size(); ++i) {
      // The system is kept in floats; its condition is below 1e2.
      EXPECT_NEAR(right[i], want(static_cast<Eigen::Index>(i)), 1e-5 * want.norm());
    }
  }
}

/// Friction that can hold only so much slips with that: its gap, of which A l + u is the part that
/// no force takes away, is against it.
TEST(ContactSystem, FrictionSlipsWithItsLargestForce) {
  Problem problem(30);
  for (int point = 0; point < 30; ++point) problem.add(point, normal, &tangent);
  for (ContactRow& own : problem.rows) {
    if (!own.only_pushes()) own.most = 0.3;
    own.assumed = own.allowed(own.assumed);
  }
  ContactSystem system;
  problem.set_up(system);
  const std::vector<ContactRow> before = problem.rows;
  system.relax(problem.rows);
  ASSERT_TRUE(system.find_set(problem.rows, false));
  const Eigen::MatrixXd A = problem.dense();
  int slips = 0, sticks = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    double gap = before[i].gap + before[i].assumed / before[i].stiffness;
    for (std::size_t j = 0; j < before.size(); ++j) {
      gap += A(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) *
             (problem.rows[j].force - before[j].assumed);
    }
    const ContactRow& own = problem.rows[i];
    EXPECT_EQ(own.allowed(own.force), own.force) << i;
    // In floats.
    if (own.is_free()) {
      EXPECT_NEAR(gap, 0, 1e-5) << i;
    } else if (own.only_pushes()) {
      EXPECT_GT(gap, -1e-5) << i;
    } else {
      EXPECT_LT(gap * own.force, 1e-5) << i;
    }
    if (!own.only_pushes()) ++(own.is_free() ? sticks : slips);
  }
  EXPECT_GT(slips, 5);
  EXPECT_GT(sticks, 5);
}

/// Forces of contacts do not pull. Gaps A l + u are not negative, and zero where contacts push.
/// Friction has both signs.
TEST(ContactSystem, ItsForcesSolveTheComplementarityProblem) {
  for (const bool with_set : {false, true}) {
    SCOPED_TRACE(with_set);
    Problem problem(30);
    for (int point = 0; point < 30; ++point) problem.add(point, normal, &tangent);
    ContactSystem system;
    problem.set_up(system);
    system.relax(problem.rows);
    if (with_set) {
      ASSERT_TRUE(system.find_set(problem.rows));
    }
    const Eigen::MatrixXd A = problem.dense();
    Eigen::VectorXd change(A.rows());
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const ContactRow& own = problem.rows[static_cast<std::size_t>(i)];
      change(i) = own.force - own.assumed;
    }
    const Eigen::VectorXd moved = A * change;
    int pushing = 0, free = 0, pulling = 0;
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const ContactRow& own = problem.rows[static_cast<std::size_t>(i)];
      const double gap = own.gap + own.assumed / own.stiffness + moved(i);
      // Sweeps end at a thousandth of what the first one changes; the set is exact to floats.
      const double exact = with_set ? 1e-5 : 1e-2;
      if (own.only_pushes()) {
        EXPECT_GE(own.force, 0);
        EXPECT_GE(gap, -exact);
        EXPECT_NEAR(own.force * gap, 0, exact);
        ++(own.force > 0 ? pushing : free);
      } else {
        EXPECT_NEAR(gap, 0, exact);
        pulling += own.force < 0 ? 1 : 0;
      }
    }
    EXPECT_GT(pushing, 5);
    EXPECT_GT(free, 5);
    EXPECT_GT(pulling, 5);
    EXPECT_EQ(static_cast<int>(system.members().size()), pushing + 60);
  }
}

/// A factor that is kept from the system before is that of the same members, whatever the blocks
/// held in between: a system that has solved others gives the bits of a new one.
TEST(ContactSystem, GivesTheBitsOfANewOneAfterOthers) {
  enum Kind { all, few, normals, not_kept, nothing_pushes };
  ContactSystem used;
  used.make_room(ContactSystem::most_rows);
  // Each one twice: the second time, its factor is known.
  for (const Kind kind : {all, all, few, all, all, not_kept, all, all, nothing_pushes, all, normals,
                          normals, few, few, not_kept, few, nothing_pushes, normals}) {
    SCOPED_TRACE(kind);
    Problem problem(30);
    for (int point = 0; point < (kind == few || kind == nothing_pushes ? 9 : 30); ++point) {
      problem.add(point, normal, kind == normals ? nullptr : &tangent);
    }
    for (ContactRow& own : problem.rows) {
      if (kind != nothing_pushes || !own.only_pushes()) continue;
      own.assumed = 0;
      own.gap = 100;
    }
    std::vector<double> results[2];
    ContactSystem fresh;
    fresh.make_room(ContactSystem::most_rows);
    for (ContactSystem* const system : {&used, &fresh}) {
      problem.fill(*system);
      std::size_t size = problem.rows.size();
      if (kind == not_kept || kind == nothing_pushes) {
        std::vector<ContactRow> rows = problem.rows;
        system->relax(rows);
        ASSERT_TRUE(system->find_set(rows, kind != not_kept));
        size = system->members().size();
      } else {
        ASSERT_TRUE(system->factor_all());
      }
      std::vector<double>& result = results[system == &fresh];
      for (std::size_t i = 0; i < size; ++i) result.push_back(1 + 0.1 * static_cast<double>(i));
      system->solve(result);
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_GT(results[0].size(), 9U);
  }
}

/// The three blocks share their memory: one alone has room for as many rows as make as large a
/// matrix as three.
TEST(ContactSystem, HasRoomForMoreRowsOfOneDirectionAlone) {
  const std::size_t most = ContactSystem::most_rows;
  ContactSystem system;
  system.make_room(10 * most);
  EXPECT_EQ(system.capacity(), most);
  EXPECT_GT(system.capacity_of_one(), most);
  EXPECT_LE(system.capacity_of_one() * system.capacity_of_one(), 3 * most * most);
  const auto num_fitting = [&](const Vec3* with, std::size_t most_of_axis) {
    Problem problem(1);
    for (std::size_t i = 0; i < system.capacity_of_one() + 1; ++i) {
      problem.add(0, normal, i < most ? with : nullptr);
    }
    system.choose_frame(problem.rows);
    std::vector<char> fits(problem.rows.size(), 1);
    system.find_fitting(problem.rows, 0, most_of_axis, fits);
    return static_cast<std::size_t>(std::accumulate(fits.begin(), fits.end(), 0));
  };
  EXPECT_EQ(num_fitting(nullptr, system.capacity_of_one()), system.capacity_of_one());
  EXPECT_EQ(num_fitting(nullptr, most), most);
  EXPECT_EQ(num_fitting(&tangent, system.capacity_of_one()), 3 * most);
}

/// Each block has room for as many rows as a system of one block. It has no room for later rows if
/// kept ones have taken it, nor then for directions across the frame.
TEST(ContactSystem, HasRoomForABlockOfEachDirectionOfTheFrame) {
  const int most = static_cast<int>(ContactSystem::most_rows);
  Problem problem(1);
  for (int i = 0; i < most + 1; ++i) problem.add(0, normal, &tangent);
  ContactSystem system;
  system.make_room(10 * ContactSystem::most_rows);
  system.choose_frame(problem.rows);
  std::vector<char> fits(problem.rows.size(), 1);
  system.find_fitting(problem.rows, 0, system.capacity(), fits);
  EXPECT_EQ(std::accumulate(fits.begin(), fits.end(), 0), 3 * most);
  for (std::size_t i = fits.size() - 3; i < fits.size(); ++i) EXPECT_FALSE(fits[i]);

  const Vec3 across = vec3::direction({1, 1, 1}, {});
  EXPECT_FALSE(system.is_in_frame(across));
  problem.add(0, across, nullptr);
  fits.assign(problem.rows.size(), 1);
  system.find_fitting(problem.rows, static_cast<std::size_t>(3 * most), system.capacity(), fits);
  EXPECT_EQ(std::accumulate(fits.begin(), fits.end(), 0), 3 * most);
  EXPECT_FALSE(fits.back());
  fits.assign(problem.rows.size(), 1);
  system.find_fitting(problem.rows, 0, system.capacity(), fits);
  EXPECT_EQ(std::accumulate(fits.begin(), fits.end(), 0), most);
}

}  // namespace
}  // namespace supple

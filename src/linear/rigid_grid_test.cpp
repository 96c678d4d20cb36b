#include "linear/rigid_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linear/cg.h"
#include "linear/ordering.h"
#include "supple/error.h"

namespace supple {
namespace {

using Lower = SpdSolver::Matrix;

/// w x w x 4 w points of a grid, connected by springs along edges and diagonals, all at their rest
/// length: an elastic body that resists everything but its six rigid motions, and is weakly held.
struct Springs {
  Lower lower;
  std::vector<double> positions;
  int n = 0;
};

Springs springs(int w, double held = 1e-3) {
  Springs own;
  own.n = 4 * w * w * w;
  const auto index = [&](int x, int y, int z) { return (x * w + y) * w + z; };
  std::vector<Eigen::Triplet<double>> entries;
  for (int x = 0; x < 4 * w; ++x) {
    for (int y = 0; y < w; ++y) {
      for (int z = 0; z < w; ++z) {
        own.positions.insert(own.positions.end(), {double(x), double(y), double(z)});
        const int i = index(x, y, z);
        for (int c = 0; c < 3; ++c) {
          for (int r = c; r < 3; ++r) entries.emplace_back(3 * i + r, 3 * i + c, r == c ? held : 0);
        }
        for (int k = 1; k < 27; ++k) {
          const int dx = k / 9 - 1, dy = k / 3 % 3 - 1, dz = k % 3 - 1;
          if (x + dx < 0 || x + dx >= 4 * w || y + dy < 0 || y + dy >= w || z + dz < 0 ||
              z + dz >= w || k == 13) {
            continue;
          }
          const int j = index(x + dx, y + dy, z + dz);
          const Eigen::Vector3d d = Eigen::Vector3d(dx, dy, dz).normalized();
          for (int c = 0; c < 3; ++c) {
            for (int r = 0; r < 3; ++r) {
              if (r >= c) entries.emplace_back(3 * i + r, 3 * i + c, d[r] * d[c]);
              if (i > j) entries.emplace_back(3 * i + r, 3 * j + c, -d[r] * d[c]);
            }
          }
        }
      }
    }
  }
  own.lower.resize(3 * own.n, 3 * own.n);
  own.lower.setFromTriplets(entries.begin(), entries.end());
  return own;
}

struct Prepared {
  explicit Prepared(const Springs& body, int count = 1)
      : threads(count), grid(simd_level_in_use()), cg(3 * body.n, 1) {
    A.analyse(body.lower);
    grid.analyse(body.lower);
    grid.set_positions(body.positions.data());
    grid.set_threads(threads);
    EXPECT_TRUE(grid.update(body.lower));
  }
  Threads threads;
  RigidGrid grid;
  SymmetricMatrix A;
  ConjugateGradients cg;
};

TEST(RigidGrid, SavesIterationsOfWhichThereAreNoMoreForLargeBodies) {
  for (const int w : {4, 8, 12}) {
    const Springs body = springs(w);
    Prepared own(body);
    EXPECT_LT(8 * own.grid.num_groups(), body.n);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(3 * body.n);
    Eigen::VectorXd x(b.size());
    const CgReport report = own.cg.solve(own.A, own.grid, {.iterations = 100, .tolerance = 1e-6},
                                         b.data(), x.data(), own.threads);
    EXPECT_TRUE(report.converged) << w;
    EXPECT_LT(report.iterations, 35) << w;
    const Eigen::VectorXd product = body.lower.selfadjointView<Eigen::Lower>() * x;
    EXPECT_LT((product - b).norm(), 2e-6 * b.norm()) << w;
  }
}

TEST(RigidGrid, LeavesLittleOfRigidMotions) {
  // b = A m, where m is a rigid motion, which the groups can represent together.
  const Springs body = springs(5);
  Prepared own(body);
  Eigen::VectorXd m(3 * body.n), z(3 * body.n);
  for (int i = 0; i < body.n; ++i) {
    const double* const at = &body.positions[static_cast<std::size_t>(3 * i)];
    m.segment<3>(3 * i) << 1 - 0.2 * at[1], 2 + 0.2 * at[0] - 0.1 * at[2], 3 + 0.1 * at[1];
  }
  const Eigen::VectorXd b = body.lower.selfadjointView<Eigen::Lower>() * m;
  own.grid.apply(b.data(), z.data());
  EXPECT_LT((z - m).norm(), 5e-2 * m.norm());
}

TEST(RigidGrid, IsSymmetricAndPositiveDefinite) {
  const Springs body = springs(4);
  Prepared own(body);
  const Eigen::VectorXd a = Eigen::VectorXd::Random(3 * body.n);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(3 * body.n);
  Eigen::VectorXd of_a(a.size()), of_b(b.size());
  own.grid.apply(a.data(), of_a.data());
  own.grid.apply(b.data(), of_b.data());
  EXPECT_NEAR(a.dot(of_b), b.dot(of_a), 1e-4 * a.norm() * of_b.norm());
  EXPECT_GT(a.dot(of_a), 0);
  EXPECT_GT(b.dot(of_b), 0);
}

TEST(RigidGrid, AnyNumberOfThreadsGivesTheSameBits) {
  const Springs body = springs(9);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(3 * body.n);
  Eigen::VectorXd alone(b.size()), x(b.size());
  for (const int count : {1, 2, 3, 8}) {
    Prepared own(body, count);
    own.grid.apply(b.data(), x.data());
    if (count == 1) alone = x;
    EXPECT_EQ(x, alone) << count;
  }
}

TEST(RigidGrid, RefusesWhatIsNotFiniteOrNotPositiveAndOtherPatterns) {
  Springs body = springs(3);
  Prepared own(body);
  for (const double value : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    Lower bad = body.lower;
    bad.valuePtr()[bad.outerIndexPtr()[30]] = value;
    EXPECT_FALSE(own.grid.update(bad)) << value;
  }
  EXPECT_TRUE(own.grid.update(body.lower));
  Lower diagonal(6, 6);
  diagonal.setIdentity();
  diagonal.makeCompressed();
  EXPECT_THROW(RigidGrid(simd_level_in_use()).analyse(diagonal), Error);
}

TEST(RigidGrid, LonePointsAndPairsHaveGroupsOfTheirOwn) {
  Springs body = springs(1);  // four points in a row: rotations about it and motions across it are
                              // not felt
  for (const double held : {1e-3, 1.0}) {
    body = springs(1, held);
    Prepared own(body);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(12);
    Eigen::VectorXd x(12);
    EXPECT_TRUE(own.cg
                    .solve(own.A, own.grid, {.iterations = 60, .tolerance = 1e-8}, b.data(),
                           x.data(), own.threads)
                    .converged)
        << held;
  }
}

}  // namespace
}  // namespace supple

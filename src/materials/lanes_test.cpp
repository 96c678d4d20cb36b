#include <gtest/gtest.h>

#include "materials/fiber.h"
#include "materials/test_support.h"

/// This file is compiled without the compiler's own vectoriser. That of g++ 12 forms fused
/// multiply-adds (VEC_FMADDSUB) in scalar code even with -ffp-contract=off. The scalars with which
/// the batches are compared would then not be IEEE's products and sums.
namespace supple {
namespace {

using namespace supple::testing;

constexpr int width = Batch8::width;

/// Eight deformations, half of them inverted, in lanes and one by one.
struct Lanes {
  Mat3<Batch8> batch;
  Mat3<double> single[width];
};

Lanes random_lanes(Random& random) {
  Lanes lanes;
  for (int lane = 0; lane < width; ++lane) {
    Mat3<double>& F = lanes.single[lane];
    F = random_matrix(random, lane % 2 == 0 ? 1.5 : 0.3);
    if (lane % 4 == 3) F = Mat3<double>::identity() + F;
    for (int i = 0; i < 9; ++i) lanes.batch(i / 3, i % 3).set(lane, F(i / 3, i % 3));
  }
  return lanes;
}

/// A material whose parameters differ from lane to lane, and those of each lane.
template <class Model>
struct Parameters {
  Batch8 batch[4] = {};
  double single[width][4] = {};

  Parameters(const Example<Model>& example, Random& random) {
    for (int lane = 0; lane < width; ++lane) {
      for (std::size_t p = 0; p < example.parameters.size(); ++p) {
        single[lane][p] = uniform(random, 0.1, 10) * example.parameters[p];
        batch[p].set(lane, single[lane][p]);
      }
    }
  }
};

template <class Model>
class BatchOf : public ::testing::Test {
 protected:
  Example<Model> example_;
};
TYPED_TEST_SUITE(BatchOf, AllModels, ModelNames);

TYPED_TEST(BatchOf, HasTheBitsOfTheScalar) {
  Random random(8);
  int inverted = 0;
  for (int round = 0; round < 500; ++round) {
    const Lanes F = random_lanes(random);
    const Parameters<TypeParam> parameters(this->example_, random);
    const auto batch = this->example_.model.template at<Batch8>(parameters.batch);
    Mat3<Batch8> P;
    const Batch8 energy = batch.energy_and_stress(F.batch, P);
    const Batch8 density = batch.energy_density(F.batch);
    for (int lane = 0; lane < width; ++lane) {
      const auto material = this->example_.model.template at<double>(parameters.single[lane]);
      Mat3<double> expected;
      ASSERT_EQ(energy[lane], material.energy_and_stress(F.single[lane], expected));
      ASSERT_EQ(density[lane], material.energy_density(F.single[lane]));
      ASSERT_EQ(largest(expected - material.stress(F.single[lane])), 0);
      for (int i = 0; i < 9; ++i) ASSERT_EQ(P(i / 3, i % 3)[lane], expected(i / 3, i % 3));
      inverted += determinant(F.single[lane]) < 0 ? 1 : 0;
    }
  }
  EXPECT_GT(inverted, 1000);
}

TYPED_TEST(BatchOf, HessiansHaveTheBitsOfTheScalar) {
  Random random(9);
  for (int round = 0; round < 200; ++round) {
    const Lanes F = random_lanes(random);
    const Parameters<TypeParam> parameters(this->example_, random);
    const auto batch = this->example_.model.template at<Batch8>(parameters.batch);
    const Vector3<Batch8> s = svd(F.batch).s;
    for (bool project : {false, true}) {
      const PrincipalHessian<Batch8> H = principal_hessian(batch, s, project);
      for (int lane = 0; lane < width; ++lane) {
        const auto material = this->example_.model.template at<double>(parameters.single[lane]);
        const PrincipalHessian<double> expected =
            principal_hessian(material, svd(F.single[lane]).s, project);
        for (int i = 0; i < 3; ++i) {
          ASSERT_EQ(H.alpha[i][lane], expected.alpha[i]);
          ASSERT_EQ(H.beta[i][lane], expected.beta[i]);
          for (int k = 0; k < 3; ++k) ASSERT_EQ(H.A[i][k][lane], expected.A[i][k]);
        }
      }
    }
  }
}

TEST(BatchOfFibers, HasTheBitsOfTheScalar) {
  const CubicSpline curve = CubicSpline::monotone({{0.5, -3}, {1, 0}, {1.5, 1}, {2, 9}}, 1);
  Random random(10);
  for (int round = 0; round < 200; ++round) {
    const Lanes F = random_lanes(random);
    const Vector3<double> d{{0.6, 0, 0.8}};
    const CubicSpline* const of_fibers = round % 2 == 0 ? nullptr : &curve;
    const Fiber<Batch8> batch{{{Batch8(d[0]), Batch8(d[1]), Batch8(d[2])}}, Batch8(4.0), of_fibers};
    const Fiber<double> fiber{d, 4, of_fibers};
    Mat3<Batch8> P;
    const Batch8 energy = batch.energy_and_stress(F.batch, P);
    const Mat3<Batch8> B = batch.hessian_block(F.batch, true);
    for (int lane = 0; lane < width; ++lane) {
      Mat3<double> expected;
      ASSERT_EQ(energy[lane], fiber.energy_and_stress(F.single[lane], expected));
      const Mat3<double> block = fiber.hessian_block(F.single[lane], true);
      for (int i = 0; i < 9; ++i) {
        ASSERT_EQ(P(i / 3, i % 3)[lane], expected(i / 3, i % 3));
        ASSERT_EQ(B(i / 3, i % 3)[lane], block(i / 3, i % 3));
      }
    }
  }
}

}  // namespace
}  // namespace supple

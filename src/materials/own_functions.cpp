#include <cstddef>
#include <utility>

#include "base/refuse.h"
#include "materials/own.h"
#include "supple/own_material.h"

namespace supple {

namespace {

/// About the cube root of the rounding of a double: truncation and rounding of central differences
/// are then equally large, 1e-10 of the Hessian.
constexpr double step = 6e-6;

/// Functions that each take one deformation gradient.
class OneByOne final : public OwnEnergy {
 public:
  explicit OneByOne(OwnFunctions functions) : functions_(std::move(functions)) {}

  void energy_density(const double (*F)[block], double* psi) const override {
    for (int lane = 0; lane < block; ++lane) psi[lane] = functions_.energy_density(of(F, lane));
  }

  void energy_and_stress(const double (*F)[block], double* psi, double (*P)[block]) const override {
    for (int lane = 0; lane < block; ++lane) {
      const Mat3<double> gradient = of(F, lane);
      psi[lane] = functions_.energy_density(gradient);
      const Mat3<double> stress = functions_.stress(gradient);
      for (int i = 0; i < 9; ++i) P[i][lane] = stress(i / 3, i % 3);
    }
  }

  void hessian(const double (*F)[block], double (*H)[block]) const override {
    for (int lane = 0; lane < block; ++lane) {
      const Mat3<double> gradient = of(F, lane);
      const Hessian9 all =
          functions_.hessian ? functions_.hessian(gradient) : by_differences(gradient);
      for (std::size_t i = 0; i < 9; ++i) {
        for (std::size_t k = 0; k <= i; ++k) {
          H[own_entry(static_cast<int>(i), static_cast<int>(k))][lane] =
              0.5 * (all[i][k] + all[k][i]);
        }
      }
    }
  }

 private:
  static Mat3<double> of(const double (*F)[block], int lane) {
    Mat3<double> m;
    for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = F[i][lane];
    return m;
  }

  Hessian9 by_differences(const Mat3<double>& F) const {
    Hessian9 H{};
    for (int k = 0; k < 9; ++k) {
      Mat3<double> up = F, down = F;
      up(k / 3, k % 3) += step;
      down(k / 3, k % 3) -= step;
      const Mat3<double> difference = functions_.stress(up) - functions_.stress(down);
      const double width = up(k / 3, k % 3) - down(k / 3, k % 3);
      for (int i = 0; i < 9; ++i) {
        H[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] =
            difference(i / 3, i % 3) / width;
      }
    }
    return H;
  }

  OwnFunctions functions_;
};

}  // namespace

MaterialSettings own_material(OwnFunctions functions) {
  require(static_cast<bool>(functions.energy_density), "energy_density",
          "an energy of one's own needs this function");
  require(static_cast<bool>(functions.stress), "stress",
          "an energy of one's own needs its derivative; as a template over the number type it "
          "would be found by automatic differentiation");
  return own_material(std::make_shared<const OneByOne>(std::move(functions)));
}

}  // namespace supple

#include "materials/own.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <new>
#include <vector>

#include "base/refuse.h"
#include "math/quadrature.h"
#include "supple/error.h"

namespace supple {

namespace {

constexpr int block_size = OwnBlock::size;

/// A block that repeats one deformation gradient.
OwnBlock repeated(const Mat3<double>& F) {
  OwnBlock block;
  for (int i = 0; i < 9; ++i) std::fill_n(block.F[i], block_size, F(i / 3, i % 3));
  return block;
}

Mat3<double> rotation(double x, double y, double z) {
  const auto turn = [](int axis, double angle) {
    Mat3<double> R = Mat3<double>::identity();
    const int i = (axis + 1) % 3, k = (axis + 2) % 3;
    R(i, i) = R(k, k) = std::cos(angle);
    R(k, i) = std::sin(angle);
    R(i, k) = -R(k, i);
    return R;
  };
  return turn(2, z) * turn(1, y) * turn(0, x);
}

/// Deformations with strains of a few hundredths, all different; the first is rest.
OwnBlock samples() {
  OwnBlock block = repeated(Mat3<double>::identity());
  for (int lane = 1; lane < block_size; ++lane) {
    for (int i = 0; i < 9; ++i) block.F[i][lane] += 0.03 * std::sin(1 + 9 * lane + 1.7 * i);
  }
  return block;
}

/// R F, or F R.
OwnBlock turned(const OwnBlock& block, const Mat3<double>& R, bool before) {
  OwnBlock result;
  for (int lane = 0; lane < block_size; ++lane) {
    Mat3<double> F;
    for (int i = 0; i < 9; ++i) F(i / 3, i % 3) = block.F[i][lane];
    const Mat3<double> G = before ? R * F : F * R;
    for (int i = 0; i < 9; ++i) result.F[i][lane] = G(i / 3, i % 3);
  }
  return result;
}

double largest(const double (*rows)[block_size], int num_rows) {
  double most = 0;
  for (int i = 0; i < num_rows; ++i) {
    for (int lane = 0; lane < block_size; ++lane) most = std::max(most, std::abs(rows[i][lane]));
  }
  return most;
}

/// Checks whether an energy is one.
class Examination {
 public:
  Examination(const OwnEnergy& energy, const std::string& where)
      : energy_(energy), where_(where), samples_(samples()) {}

  OwnModel pass() {
    energy_.energy_and_stress(samples_.F, samples_.psi, samples_.P);
    energy_.hessian(samples_.F, H_);
    check_finite();
    scale_ = std::max(largest(H_, own_entries), 30 * largest(samples_.P, 9));
    check_stress();
    check_rest();
    check_hessian();
    OwnModel model;
    model.at_rest = samples_.psi[0];
    if (!is_unchanged(true)) {
      refuse(where_,
             "the energy changes when the body rotates: Psi(R F) is not Psi(F) for "
             "rotations R; expected a function of F^T F");
    }
    model.is_isotropic = is_unchanged(false);
    return model;
  }

 private:
  void check_finite() const {
    const auto are_finite = [](const double(*rows)[block_size], int num_rows) {
      double sum = 0;
      for (int i = 0; i < num_rows; ++i) {
        for (int lane = 0; lane < block_size; ++lane) sum += rows[i][lane] - rows[i][lane];
      }
      return sum == 0;
    };
    const bool sound = are_finite(&samples_.psi, 1) && are_finite(samples_.P, 9);
    if (!sound || !are_finite(H_, own_entries)) {
      refuse(where_, fmt::format("the {} is not finite at rest or at strains of some hundredths",
                                 sound ? "Hessian" : "energy or its stress"));
    }
  }

  void check_rest() const {
    double stress = 0;
    for (const auto& row : samples_.P) stress = std::max(stress, std::abs(row[0]));
    if (stress > 1e-8 * scale_) {
      refuse(where_,
             fmt::format("the stress at rest, F = 1, is up to {:.3g} Pa; expected none: the "
                         "body would deform by itself",
                         stress));
    }
    // The least eigenvalue is not below -t if no eigenvalue of H + t 1 must be mended.
    double lifted[own_entries][block_size];
    std::memcpy(lifted, H_, sizeof lifted);
    for (int i = 0; i < 9; ++i) {
      for (double& entry : lifted[own_entry(i, i)]) entry += 1e-6 * scale_;
    }
    double mended[own_entries][block_size];
    std::memcpy(mended, lifted, sizeof mended);
    mend_hessians(mended, NegativeEigenvalues::clamp);
    for (int e = 0; e < own_entries; ++e) {
      if (mended[e][0] == lifted[e][0]) continue;
      refuse(where_,
             "rest, F = 1, is not a minimum of the energy: its Hessian has a negative "
             "eigenvalue there; expected a positive stiffness");
    }
  }

  /// Uses central differences, whose error is about 1e-9 of the scale. Leaves out rest, where
  /// fibers that carry only tension have a kink in the stress.
  void check_stress() const {
    for (int k = 0; k < 9; ++k) {
      const auto [up, down] = aside(k, true);
      for (int lane = 1; lane < block_size; ++lane) {
        const double slope = (up.psi[lane] - down.psi[lane]) / (2 * h);
        const double error = std::abs(slope - samples_.P[k][lane]);
        if (error <= 1e-6 * scale_ + 1e-10 * std::abs(samples_.psi[lane])) continue;
        refuse(where_, fmt::format("the stress is not the derivative of the energy: P({}, {}) is "
                                   "{:.6g} Pa where a difference quotient gives {:.6g}",
                                   k / 3, k % 3, samples_.P[k][lane], slope));
      }
    }
  }

  /// Like check_stress.
  void check_hessian() const {
    for (int k = 0; k < 9; ++k) {
      const auto [up, down] = aside(k, false);
      for (int i = 0; i < 9; ++i) {
        for (int lane = 1; lane < block_size; ++lane) {
          const double slope = (up.P[i][lane] - down.P[i][lane]) / (2 * h);
          const double given = H_[own_entry(i, k)][lane];
          if (std::abs(slope - given) <= 1e-5 * scale_) continue;
          refuse(where_, fmt::format("the Hessian is not the derivative of the stress: "
                                     "d2Psi/dF({}, {})dF({}, {}) is {:.6g} Pa where a difference "
                                     "quotient gives {:.6g}",
                                     i / 3, i % 3, k / 3, k % 3, given, slope));
        }
      }
    }
  }

  static constexpr double h = 1e-5;

  /// The samples with entry k of F a little larger, and a little smaller.
  std::pair<OwnBlock, OwnBlock> aside(int k, bool energy_alone) const {
    std::pair<OwnBlock, OwnBlock> result{samples_, samples_};
    for (int lane = 0; lane < block_size; ++lane) {
      result.first.F[k][lane] += h;
      result.second.F[k][lane] -= h;
    }
    for (OwnBlock* block : {&result.first, &result.second}) {
      if (energy_alone) {
        energy_.energy_density(block->F, block->psi);
      } else {
        energy_.energy_and_stress(block->F, block->psi, block->P);
      }
    }
    return result;
  }

  /// Whether Psi(R F) = Psi(F) (`before`), or Psi(F R) = Psi(F).
  bool is_unchanged(bool before) const {
    for (const Mat3<double>& R : {rotation(0.4, -1.1, 2.3), rotation(-2.7, 0.6, -0.9)}) {
      OwnBlock other = turned(samples_, R, before);
      energy_.energy_density(other.F, other.psi);
      for (int lane = 0; lane < block_size; ++lane) {
        const double allowed = 1e-9 * scale_ + 1e-12 * std::abs(samples_.psi[lane]);
        if (!(std::abs(other.psi[lane] - samples_.psi[lane]) <= allowed)) return false;
      }
    }
    return true;
  }

  const OwnEnergy& energy_;
  const std::string& where_;
  OwnBlock samples_;
  double H_[own_entries][block_size];
  double scale_ = 0;  ///< of its stiffness, Pa
};

}  // namespace

double Own::energy_density(const Mat3<double>& F) const {
  OwnBlock block = repeated(F);
  energy->energy_density(block.F, block.psi);
  return block.psi[0] - at_rest;
}

Mat3<double> Own::stress(const Mat3<double>& F) const {
  Mat3<double> P;
  energy_and_stress(F, P);
  return P;
}

double Own::energy_and_stress(const Mat3<double>& F, Mat3<double>& P) const {
  OwnBlock block = repeated(F);
  energy->energy_and_stress(block.F, block.psi, block.P);
  for (int i = 0; i < 9; ++i) P(i / 3, i % 3) = block.P[i][0];
  return block.psi[0] - at_rest;
}

OwnModel make_own(const MaterialSettings& settings, const std::string& where) {
  if (settings.own == nullptr) {
    refuse(where,
           "the material own needs an energy, which own_material() of "
           "supple/own_material.h sets");
  }
  try {
    OwnModel model = Examination(*settings.own, where).pass();
    model.energy = settings.own;
    return model;
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    refuse(where, std::string("the energy throws at strains of some hundredths: ") + error.what());
  }
}

double fit_own_stiffness(const OwnModel& model, const std::vector<double>& pieces, double norm) {
  const Own material = model.at<double>(nullptr);
  // The axes, and the diagonals of a cube's faces and of the cube.
  double most = 0;
  for (int code = 14; code < 27; ++code) {
    const int digit[3] = {code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1};
    const Vector3<double> d{{double(digit[0]), double(digit[1]), double(digit[2])}};
    const double length2 = dot(d, d);
    const double moment = integrate(pieces, [&](double x) {
      Mat3<double> F = Mat3<double>::identity();
      for (int i = 0; i < 9; ++i) F(i / 3, i % 3) += (x - 1) * d[i / 3] * d[i % 3] / length2;
      return (x - 1) * dot(d, material.stress(F) * d) / length2;
    });
    if (!std::isfinite(moment)) return moment;
    most = std::max(most, moment / norm);
  }
  return most;
}

}  // namespace supple

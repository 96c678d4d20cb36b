#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "supple/mat3.h"
#include "supple/own_energy.h"
#include "supple/own_number.h"
#include "supple/scene.h"

#pragma GCC visibility push(default)

/// Energies that a program defines: hyperelastic materials of tets as plain C++
/// (docs/materials.md).
///
///   struct Gent {
///     double mu, limit, bulk;
///     template <class T>
///     T energy_density(const supple::Mat3<T>& F) const {
///       const T J = determinant(F), stretch = squared_norm(F) - 3.0 - 2.0 * log(J);
///       return -0.5 * mu * limit * log(1.0 - stretch / limit) + 0.5 * bulk * (J - 1.0) * (J
///       - 1.0);
///     }
///   };
///   body.material = supple::own_material(Gent{1e5, 20.0, 1e6});
///
/// The energy must not change under rotations, Psi(R F) = Psi(F), and the body must be at rest at
/// F = 1; it need not be isotropic. A Simulation checks this on samples when it is built.
namespace supple {

namespace own {

inline namespace SUPPLE_OWN_SPACE {

template <class Energy, class T>
concept HasStress = requires(const Energy& energy, const Mat3<T>& F) {
  { energy.stress(F) } -> std::convertible_to<Mat3<T>>;
};
template <class Energy, class T>
concept HasBoth = requires(const Energy& energy, const Mat3<T>& F, Mat3<T>& P) {
  { energy.energy_and_stress(F, P) } -> std::convertible_to<T>;
};
template <class Energy, class T>
concept HasHessian = requires(const Energy& energy, const Mat3<T>& F) {
  { energy.hessian(F) } -> std::convertible_to<Matrix9<T>>;
};

/// An energy as a template over the number type. Derivatives that it does not provide come from
/// automatic differentiation.
template <class Energy>
class Evaluated final : public OwnEnergy {
 public:
  explicit Evaluated(Energy energy) : energy_(std::move(energy)) {}

  void energy_density(const double (*F)[block], double* psi) const override {
    const Number density = energy_.energy_density(numbers(F));
    density.store(psi);
  }

  void energy_and_stress(const double (*F)[block], double* psi, double (*P)[block]) const override {
    Mat3<Number> stress;
    Number density;
    if constexpr (HasBoth<Energy, Number>) {
      density = energy_.energy_and_stress(numbers(F), stress);
    } else if constexpr (HasStress<Energy, Number>) {
      const Mat3<Number> gradient = numbers(F);
      density = energy_.energy_density(gradient);
      stress = energy_.stress(gradient);
    } else {
      density = differentiate(numbers(F), stress);
    }
    density.store(psi);
    for (int i = 0; i < 9; ++i) stress(i / 3, i % 3).store(P[i]);
  }

  void hessian(const double (*F)[block], double (*H)[block]) const override {
    const Mat3<Number> gradient = numbers(F);
    Matrix9<Number> all;
    if constexpr (HasHessian<Energy, Number>) {
      all = energy_.hessian(gradient);
    } else {
      for (int r = 0; r < 3; ++r) {
        // Derivatives of the stress by the entries of row r.
        const Mat3<Jet> P = stress_of(along_row(gradient, r));
        for (std::size_t i = 0; i < 9; ++i) {
          for (int c = 0; c < 3; ++c) {
            all[i][static_cast<std::size_t>(3 * r + c)] =
                P(static_cast<int>(i / 3), static_cast<int>(i % 3)).first[c];
          }
        }
      }
    }
    for (std::size_t i = 0, e = 0; i < 9; ++i) {
      for (std::size_t k = 0; k <= i; ++k, ++e) {
        const Number entry = i == k ? all[i][i] : 0.5 * (all[i][k] + all[k][i]);
        entry.store(H[e]);
      }
    }
  }

 private:
  static_assert(block == num_lanes);

  SUPPLE_INLINE static Mat3<Number> numbers(const double (*F)[block]) {
    const auto entry = [&](int i) { return Number::load(F[i]); };
    return {{{entry(0), entry(1), entry(2)},
             {entry(3), entry(4), entry(5)},
             {entry(6), entry(7), entry(8)}}};
  }

  /// F with the entries of one row as directions.
  static Mat3<Jet> along_row(const Mat3<Number>& F, int row) {
    Mat3<Jet> m;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        m(r, c) = Jet(0.0);
        m(r, c).value = F(r, c);
        if (r == row) m(r, c).first[c] = 1.0;
      }
    }
    return m;
  }

  /// Energy density and stress by reverse differentiation.
  template <class Base>
  Base differentiate(const Mat3<Base>& F, Mat3<Base>& P) const {
    Tape<Base>& tape = Tape<Base>::begin();
    Mat3<Traced<Base>> entries;
    for (int i = 0; i < 9; ++i) entries(i / 3, i % 3) = {F(i / 3, i % 3), i, &tape};
    const Traced<Base> density = energy_.energy_density(entries);
    if (density.tape != nullptr) {
      tape.walk_back(density.number, P);
    } else {
      P = Mat3<Base>::zero();
    }
    return density.value;
  }

  template <class T>
  Mat3<T> stress_of(const Mat3<T>& F) const {
    Mat3<T> P;
    if constexpr (HasBoth<Energy, T>) {
      energy_.energy_and_stress(F, P);
    } else if constexpr (HasStress<Energy, T>) {
      P = energy_.stress(F);
    } else {
      differentiate(F, P);
    }
    return P;
  }

  Energy energy_;
};

}  // namespace SUPPLE_OWN_SPACE

}  // namespace own

/// A material with an energy that the program computes itself.
inline MaterialSettings own_material(std::shared_ptr<const OwnEnergy> energy) {
  MaterialSettings settings;
  settings.model = "own";
  settings.own = std::move(energy);
  return settings;
}

/// A material from a value with these members, templates over the number type T (own_number.h):
///   T energy_density(const Mat3<T>& F) const      Psi, J/m^3; required
///   Mat3<T> stress(const Mat3<T>& F) const        P = dPsi/dF, Pa; optional
///   T energy_and_stress(const Mat3<T>& F, Mat3<T>& P) const   both, sharing their work; optional
///   Matrix9<T> hessian(const Mat3<T>& F) const    d2Psi/dF2, Pa; optional
/// Missing members are replaced by automatic differentiation, which costs speed but no accuracy.
/// The vectors are those of the processor that the including file is compiled for.
template <class Energy>
requires(!std::convertible_to<Energy, std::shared_ptr<const OwnEnergy>>) MaterialSettings
    own_material(Energy energy) {
  return own_material(std::make_shared<const own::Evaluated<Energy>>(std::move(energy)));
}

/// An energy given at run time by functions of one deformation gradient each, for scripts and other
/// languages. The functions are called from several threads at once.
struct OwnFunctions {
  std::function<double(const Mat3<double>& F)> energy_density{};  ///< Psi, J/m^3
  std::function<Mat3<double>(const Mat3<double>& F)> stress{};    ///< P = dPsi/dF, Pa
  /// d2Psi/dF2, Pa; empty: central differences of `stress`, symmetrised, accurate to about ten
  /// digits.
  std::function<Matrix9<double>(const Mat3<double>& F)> hessian{};
};

/// Throws Error{invalid_input} if the energy density or the stress is missing.
MaterialSettings own_material(OwnFunctions functions);

}  // namespace supple

#pragma GCC visibility pop

#pragma once

#include <memory>

#include "materials/principal.h"
#include "supple/scene.h"

namespace supple {

/// The functions of a user's material, immutable; an empty one is zero. Several threads call them
/// at once, and they must not throw.
struct ValanisLandelFunctions {
  ScalarFunction a;
  ScalarFunction b;
  ScalarFunction c;
};

/// Material from the user's own functions in the form of Valanis and Landel [thesis eq. 7.12]:
///   Psi = sum a(s_i) + sum b(s_i s_j) + c(s1 s2 s3).
/// The functions must be finite for every argument that occurs, which can be negative if elements
/// invert. Lanes are evaluated one by one.
template <class S>
struct ValanisLandel {
  const ValanisLandelFunctions* functions;  ///< of a ValanisLandelModel, which must outlive it

  S energy_density(const Mat3<S>& F) const { return principal_energy(*this, svd(F).s); }
  Mat3<S> stress(const Mat3<S>& F) const {
    const Svd<S> d = svd(F);
    return compose(d.U, principal_stress(*this, d.s), d.V);
  }
  /// P = U diag(g) V^T, g as in materials/principal.h.
  S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    const Svd<S> d = svd(F);
    P = compose(d.U, principal_stress(*this, d.s), d.V);
    return principal_energy(*this, d.s);
  }

  static constexpr bool smooth = false;
  S a(const S& s) const { return call(functions->a.value, s); }
  S da(const S& s) const { return call(functions->a.first, s); }
  S dda(const S& s) const { return call(functions->a.second, s); }
  S slope_a(const S& p, const S& q) const { return divided(functions->a, p, q); }
  S b(const S& p) const { return call(functions->b.value, p); }
  S db(const S& p) const { return call(functions->b.first, p); }
  S ddb(const S& p) const { return call(functions->b.second, p); }
  S slope_b(const S& p, const S& q) const { return divided(functions->b, p, q); }
  S c(const S& J) const { return call(functions->c.value, J); }
  S dc(const S& J) const { return call(functions->c.first, J); }
  S ddc(const S& J) const { return call(functions->c.second, J); }

 private:
  static S call(const std::function<double(double)>& f, const S& x) {
    if (!f) return S(0.0);
    return map_lanes(x, f);
  }
  static S divided(const ScalarFunction& f, const S& x, const S& y) {
    if (!f.value) return S(0.0);
    return map_lanes(x, y, [&](double p, double q) {
      return divided_difference(p, q, f.first(p), f.first(q), f.second(p + 0.5 * (q - p)));
    });
  }
};

struct ValanisLandelModel {
  static constexpr const char* name = "valanis_landel";
  static constexpr int num_parameters = 0;
  std::shared_ptr<const ValanisLandelFunctions> functions;
  template <class S>
  ValanisLandel<S> at(const S*) const {
    return {functions.get()};
  }
};

}  // namespace supple

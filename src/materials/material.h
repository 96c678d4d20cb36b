#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "materials/arap.h"
#include "materials/corotated.h"
#include "materials/mooney_rivlin.h"
#include "materials/neo_hookean.h"
#include "materials/own.h"
#include "materials/polynomial.h"
#include "materials/spline.h"
#include "materials/stable_neo_hookean.h"
#include "materials/strain_limit.h"
#include "materials/stvk.h"
#include "materials/valanis_landel.h"
#include "materials/volume.h"
#include "supple/scene.h"

/// Hyperelastic materials.
///
/// A material of stretches is a small value over a number type S (double or a batch of lanes) with
///   S energy_density(F)          Psi, J/m^3
///   Mat3<S> stress(F)            first Piola-Kirchhoff stress P = dPsi/dF, Pa
///   S energy_and_stress(F, P)    both, sharing their work: the hot path
/// and the terms of the Valanis-Landel form (principal.h), from which the Hessian and the fit of
/// the constant stiffness are computed. A material that measures the distance to a set also gives
/// its projection (projection.h). A model names the material and makes it from parameters:
///   name, num_parameters, at<S>(const S* parameters).
/// Two flags of a model make the local step faster. `proportional`: energy and stress are
/// proportional to the parameters, even for values of zero. `quadratic_but_for_volume`: Psi = mu/2
/// (tr F^T F - 3) + c(J), with a member mu and volume_energy_and_slope(J, c') for c.
/// Energies of the host program have none of this: see own.h.
/// To add a material: a header like the others, an entry in MaterialModel and a row of
/// material_table.cpp.
namespace supple {

using MaterialModel =
    std::variant<CorotatedModel, ArapModel, StvkModel, NeoHookeanModel, StableNeoHookeanModel,
                 MooneyRivlinModel, PolynomialModel, SplineModel, ValanisLandelModel,
                 StrainLimitModel, VolumeModel, OwnModel>;

template <class Family>
inline constexpr bool proportional = requires {
  std::decay_t<Family>::proportional;
};
template <class Family>
inline constexpr bool quadratic_but_for_volume = requires {
  std::decay_t<Family>::quadratic_but_for_volume;
};

/// MaterialSettings::model of a body that does not deform (model/rigid_bodies.h). It is no energy.
inline constexpr const char* rigid_name = "rigid";

/// Makes and checks the model that the settings name. Throws Error{invalid_input} at `where` or a
/// pointer below it for: an unknown model, a parameter that is negative or not finite, parameters
/// that are all zero, stable_neo_hookean without lambda, strain_limit unless 0 <= min <= 1 <= max,
/// parameters per tet of different lengths, control points that do not increase or are fewer than
/// two, a user function that lacks its derivatives or is not finite at 1, an energy that make_own
/// (own.h) refuses.
MaterialModel make_material(const MaterialSettings& settings, const std::string& where);

/// The parameters in the order in which the model's `at` takes them, pointing into `settings`.
/// Empty for models without parameters and for unknown ones.
std::vector<const Parameter*> material_parameters(const MaterialSettings& settings);

/// Slope k [Pa] of the best line k (x - 1) through the stress f of one stretch [thesis eqs. 7.13
/// and 7.14]:
///   k = int (x - 1) f(x) dx / int (x - 1)^2 dx,  f(x) = a'(x) + 2 b'(x) + c'(x),
/// over `range`, integrated exactly up to rounding. Energies of the host program have the largest k
/// among stretches in thirteen directions. A material with a projection has the k of its squared
/// distance, over any range [thesis eq. 6.1]: a larger one is needed nowhere, and for `arap`, whose
/// stress is a straight line, both are the same. parameters: [num_parameters]. Throws
/// Error{invalid_input} unless 0 < range.first < range.second, both finite, and if k is not
/// positive, as the matrix L requires.
double fit_stiffness(const MaterialModel& model, const double* parameters,
                     std::pair<double, double> range);

}  // namespace supple

#pragma once

#include <span>
#include <vector>

#include "model/model.h"

/// Springs that keep their lengths exactly, by the method of multipliers [Hestenes 1969; Powell
/// 1969; Nocedal & Wright 2006, sec. 17.3]. A constraint c = l - r = 0 of multiplier t has, in what
/// a step minimises, the augmented Lagrangian
///   t c + k/2 c^2,
/// whose minimum is that of a spring of rest length r - t/k: neither L nor the Hessian's pattern is
/// another one. Where a minimum is found, t <- t + k c is the force with which it holds. So c
/// shrinks by 1/(1 + k S) from one such minimum to the next, S = (dc/dx) H^-1 (dc/dx)^T.
///
/// |t| <= k r: what is held by force, as between two pins too far apart, then stretches like a
/// spring under tension instead of storing ever more.
namespace supple {

/// Inextensible springs.
std::size_t count_multipliers(const Model& model);

/// Makes these the tensions of the springs of the model, N: [count_multipliers].
void use_multipliers(Model& model, std::span<const double> multipliers);

/// Gives the bodies, ascending, their multipliers in `from` again. Allocates nothing.
void reset_multipliers(Model& model, std::span<const int> bodies, std::span<const double> from,
                       std::vector<double>& multipliers);

/// t <- t + k c at x for the bodies, ascending, in the model as well; whether any constraint was
/// off by more than rounding. Allocates nothing.
bool update_multipliers(Model& model, std::span<const int> bodies, const VectorField& x,
                        std::vector<double>& multipliers);

/// What the multipliers add to the energy of the bodies' springs, that of springs of rest length r
/// and stiffness k, at x, J: no work of anything, so no energy may be reckoned with it.
double multiplier_energy(const Model& model, std::span<const int> bodies, const VectorField& x);

/// Largest |c|/r of all bodies.
double constraint_error(const Model& model, const VectorField& x);

}  // namespace supple

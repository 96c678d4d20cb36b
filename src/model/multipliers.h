#pragma once

#include <span>
#include <vector>

#include "model/model.h"

/// Springs that keep their lengths and bodies that keep their volumes exactly, by the method of
/// multipliers [Hestenes 1969; Powell 1969; Nocedal & Wright 2006, sec. 17.3]. A constraint
/// c = l - r = 0, or c = V - V0 = 0, of multiplier t has, in what a step minimises, the augmented
/// Lagrangian
///   t c + k/2 c^2,
/// whose minimum is that of a spring of rest length r - t/k: neither L nor the Hessian's pattern is
/// another one. Where a minimum is found, t <- t + k c is the force with which it holds. So c
/// shrinks by 1/(1 + k S) from one such minimum to the next, S = (dc/dx) H^-1 (dc/dx)^T.
///
/// The multiplier of a volume is told and kept as p = -t, the pressure inside less that outside.
///
/// |t| <= k r, or k V0: what is held by force, as between two pins too far apart, then stretches
/// like a spring under tension instead of storing ever more.
namespace supple {

/// Inextensible springs and exact volumes.
std::size_t count_multipliers(const Model& model);

/// The first of a body's multipliers of volumes, which follow each other behind those of all
/// springs; with num_bodies as the body, the end.
std::size_t first_volume_multiplier(const Model& model, int body);

/// Makes these the tensions of the springs, N, and then the pressures in the exact volumes, Pa, of
/// the model: [count_multipliers].
void use_multipliers(Model& model, std::span<const double> multipliers);

/// Gives the bodies, ascending, their multipliers in `from` again. Allocates nothing.
void reset_multipliers(Model& model, std::span<const int> bodies, std::span<const double> from,
                       std::vector<double>& multipliers);

/// t <- t + k c at x for the bodies, ascending, in the model as well; whether any constraint was
/// off by more than rounding. volumes: of each chamber of the model at x, m^3. Allocates nothing.
bool update_multipliers(Model& model, std::span<const int> bodies, const VectorField& x,
                        std::span<const double> volumes, std::vector<double>& multipliers);

/// What the multipliers add to the energy of the bodies' springs, that of springs of rest length r
/// and stiffness k, at x, J: no work of anything, so no energy may be reckoned with it.
double spring_multiplier_energy(const Model& model, std::span<const int> bodies,
                                const VectorField& x);

/// The same of volumes, to k/2 (V - V0)^2.
double volume_multiplier_energy(const Model& model, std::span<const int> bodies,
                                std::span<const double> volumes);

/// Largest |c|/r or |c|/V0 of all bodies.
double constraint_error(const Model& model, const VectorField& x, std::span<const double> volumes);

}  // namespace supple

#pragma once

#include <span>
#include <vector>

#include "model/model.h"

/// Springs that keep their lengths and bodies that keep their volumes exactly, by the method of
/// multipliers [Hestenes 1969; Powell 1969; Nocedal & Wright 2006, sec. 17.3]. A constraint c = 0,
/// where c = l - r or c = V - V0, with the multiplier t adds the augmented Lagrangian
///   t c + k/2 c^2
/// to what a step minimises. Its minimum is that of a spring of rest length r - t/k, so L and the
/// pattern of the Hessian stay the same. After each minimum, t <- t + k c, which is the force in
/// the constraint there. So c shrinks by 1/(1 + k S) from one minimum to the next, where
///   S = (dc/dx) H^-1 (dc/dx)^T.
///
/// The multiplier of a volume is reported and stored as p = -t, the pressure inside minus that
/// outside.
///
/// Bounds: |t| <= k r, or k V0. A spring that is forced to another length, for example between two
/// pins too far apart, then stretches like a spring under tension instead of storing ever more.
namespace supple {

/// Gives an inextensible spring of length r the tension t, N, or the nearest one within its bounds.
/// Returns it.
double hold_tension(SpringSet::Spring& spring, double r, double t);

/// Number of inextensible springs and exact volumes.
std::size_t count_multipliers(const Model& model);

/// The first multiplier of a body's volumes, which follow each other after those of all springs.
/// With num_bodies as the body, the end.
std::size_t first_volume_multiplier(const Model& model, int body);

/// Makes these the multipliers of the model, [count_multipliers]: the tensions of the springs, N,
/// then the pressures in the exact volumes, Pa.
void use_multipliers(Model& model, std::span<const double> multipliers);

/// Resets the multipliers of the bodies (ascending) to those in `from`. Allocates nothing.
void reset_multipliers(Model& model, std::span<const int> bodies, std::span<const double> from,
                       std::vector<double>& multipliers);

/// t <- t + k c at x for the bodies (ascending), also in the model. Returns whether any constraint
/// was off by more than rounding. volumes: of each chamber of the model at x, m^3. Allocates
/// nothing.
bool update_multipliers(Model& model, std::span<const int> bodies, const VectorField& x,
                        std::span<const double> volumes, std::vector<double>& multipliers);

/// What the multipliers add to the energy of the bodies' springs at x, compared with springs of
/// rest length r and stiffness k, J. No work is behind it, so no energy balance may count it.
double spring_multiplier_energy(const Model& model, std::span<const int> bodies,
                                const VectorField& x);

/// The same for volumes, compared with k/2 (V - V0)^2.
double volume_multiplier_energy(const Model& model, std::span<const int> bodies,
                                std::span<const double> volumes);

/// The sum of k/2 c^2 over the bodies, J. Where a method solves the constraints instead of their
/// augmented Lagrangian, it is no energy that is stored.
double constraint_energy(const Model& model, std::span<const int> bodies, const VectorField& x,
                         std::span<const double> volumes);

/// Largest |c|/r or |c|/V0 in all bodies.
double constraint_error(const Model& model, const VectorField& x, std::span<const double> volumes);

}  // namespace supple

#pragma once

#include "studies/reproduce/context.h"
#include "supple/scene.h"

/// The scenes of Liu, Bouaziz & Kavan 2017. The paper gives materials but neither masses nor
/// attachments. Here every solid weighs 10 kg, pins have 120 N/m, a frame is 1/30 s, nothing is
/// damped, and the solver is L-BFGS with ten iterations and a history of five, as in the paper's
/// Table 1. With Origin::generated, a rest shape with about the paper's number of tets (a tenth of
/// it in quick reproductions) replaces the paper's mesh. With Origin::published, the paper's mesh
/// is read from the context's folder, which can throw Error{bad_file}.
namespace supple::reproduce {

/// A bar, 40 x 5 x 5 m, Neo-Hookean with mu = 20 Pa, lambda = 100 Pa and no gravity. Its ends turn
/// in opposite senses, two degrees a frame each.
Scene twisting_bar(const Context& context, Origin origin);

/// A bar held by a ring around its middle that moves up and down by 0.2 m a frame and reverses
/// every ten frames; corotated, mu = 80 Pa, lambda = 20 Pa.
Scene shaking_bar(const Context& context, Origin origin);

/// Free bodies without gravity that start stretched by (1.5, 0.7, 1).
Scene hippo(const Context& context, Origin origin);       ///< corotated, 20 / 100 Pa
Scene thin_sheet(const Context& context, Origin origin);  ///< polynomial
Scene spline_sphere(const Context& context, Origin origin, char preset);
Scene neo_hookean_ball(const Context& context);  ///< for the paper's "Ditto", never published

/// A body whose 137 lowest vertices (a sixtieth of all on a generated mesh) move back and forth
/// along x by `speed` times its size a frame, reversing every ten frames; polynomial.
Scene squirrel(const Context& context, Origin origin, double speed = 0.01);

/// A body that is wider than the hole of a ring is dropped onto the ring; corotated, 5 / 200 Pa.
Scene big_bunny(const Context& context, Origin origin);

/// A cube of 1 m, Neo-Hookean, free, without gravity.
Scene cube(const Context& context);

/// The weight of the polynomial material sum mu (s_i - 1)^4 whose fitted stiffness [thesis eq.
/// 7.14] over stretches from 0.5 to 1.5 is that of corotated elasticity with this mu:
///   2 mu_c = 0.6 mu.
double polynomial_like(double corotated_mu);

}  // namespace supple::reproduce

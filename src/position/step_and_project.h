#pragma once

#include <memory>

#include "position/position_solver.h"
#include "supple/scene.h"

namespace supple {

/// Step and project [Goldenthal et al. 2007, sec. 4]: all constraints of a body at once, by
/// Newton's method on them,
///   (dC M^-1 dC^T + alpha/a^2 + D) dl = -(C + alpha l/a^2),  l += dl,  x += M^-1 dC^T dl,
/// with a sparse Cholesky factorisation of the matrix in every iteration. Of a body's springs those
/// of the stiffest kind keep their lengths exactly (alpha = 0), the volume of tets is kept exactly
/// where lambda is infinite or the material is `volume`, and the rest has its own compliance
/// (constraint_rows.h). Contacts follow each solve, vertex by vertex (vertex_constraints.h).
///
/// Hard constraints may outnumber what moves (a body has about five tets a vertex) or say the same
/// twice: dC M^-1 dC^T is then singular. Rows whose own compliance is smaller get the diagonal D =
/// eps sum w_i |dC/dx_i|^2 (at rest), eps being the square of the largest relative violation of a
/// hard constraint within [1e-9, 1e-4]. D damps the step alone, not l: where the iteration ends the
/// constraints hold as if it were not there. With it the step is that of Levenberg and Marquardt,
/// whose convergence stays quadratic for damping of the order of the residual, or its square,
/// without regularity, as long as the residual bounds the distance to the solutions [Yamashita &
/// Fukushima 2001; Fan & Yuan 2005]. Volumes of a body near rest, where the rank of dC falls, do
/// not keep that condition: they come to 1e-6 in about ten iterations and go on slowly. A step is
/// halved until the sum of the squared residuals, weighted as the step weights them, goes down.
///
/// Impulses keep the direction that dC had when they were given: as for XPBD what is dropped grows
/// with the step, and goes to zero with the number of substeps. The cost is that of the factor,
/// which has two rows a tet and takes memory anew in every iteration: this is for cloth, strands
/// and solids of some thousand tets. Links of a strand that move by many of their lengths in a step
/// may not be brought back: use substeps.
/// `model` and `contact` must outlive the solver. Throws Error{invalid_input} at /solver/method for
/// a material without a constraint form and where the matrix would be too large for memory.
std::unique_ptr<PositionSolver> make_step_and_project(const Model& model, ContactEnergy* contact,
                                                      const SolverSettings& settings);

}  // namespace supple

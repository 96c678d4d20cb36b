#pragma once

#include <memory>

#include "position/position_solver.h"
#include "supple/scene.h"

namespace supple {

/// Step and project [Goldenthal et al. 2007, sec. 4]: solves for all constraints of a body at once,
/// by Newton's method,
///   (dC M^-1 dC^T + alpha/a^2 + D) dl = -(C + alpha l/a^2),  l += dl,  x += M^-1 dC^T dl,
/// with a sparse Cholesky factorisation of the matrix in every iteration. In each body, springs of
/// the stiffest kind keep their lengths exactly (alpha = 0). The volume of tets is kept exactly if
/// lambda is infinite or the material is `volume`. Everything else has its own compliance
/// (constraint_rows.h). Contacts follow each solve, vertex by vertex (vertex_constraints.h).
///
/// There can be more hard constraints than unknowns (a body has about five tets a vertex), or some
/// can say the same twice: dC M^-1 dC^T is then singular. Rows whose own compliance is smaller get
/// the diagonal D = eps sum w_i |dC/dx_i|^2 (at rest). eps is the square of the largest relative
/// violation of a hard constraint, within [1e-9, 1e-4]. D damps only the step, not l: where the
/// iteration ends, the constraints hold as if D were not there. With D, the step is that of
/// Levenberg and Marquardt. Its convergence stays quadratic, even without regularity, for damping
/// of the order of the residual or its square, as long as the residual bounds the distance to the
/// solutions [Yamashita & Fukushima 2001; Fan & Yuan 2005]. Volumes of a body near rest, where the
/// rank of dC falls, do not meet that condition: they get to 1e-6 in about ten iterations and
/// improve slowly after that. A step is halved until the sum of the squared residuals, weighted as
/// in the step, goes down.
///
/// Impulses keep the direction that dC had when they were given. As in XPBD, the resulting error
/// grows with the step and goes to zero with more substeps. Most of the cost is the factor, which
/// has two rows a tet and takes new memory in every iteration. So this method is for cloth, strands
/// and solids of a few thousand tets. Links of a strand that move by many of their lengths in a
/// step might not be brought back: use substeps.
/// `model` and `contact` must outlive the solver. Throws Error{invalid_input} at /solver/method for
/// a material without a constraint form, and if the matrix would be too large for memory.
std::unique_ptr<PositionSolver> make_step_and_project(const Model& model, ContactEnergy* contact,
                                                      const SolverSettings& settings);

}  // namespace supple

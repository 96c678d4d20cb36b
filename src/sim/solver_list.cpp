#include "sim/stepper.h"

namespace supple {

// Apart from what makes them (stepper.cpp), so that what reads a scene can be built without what
// runs it.
const std::vector<SolverEntry>& solver_entries() {
  static const std::vector<SolverEntry> entries = {
      {{"l_bfgs",
        "L-BFGS around a matrix [Liu et al. 2017]: iterations, history, initial_hessian "
        "(laplacian, "
        "identity, rest, warped_rest, frame), weights (following, constant), linear_solver "
        "(direct, "
        "cg), linear_iterations, preconditioner"},
       {"recovery", "line_search", "history", "initial_hessian", "weights", "linear_solver",
        "linear_iterations", "preconditioner"}},
      {{"quasi_newton",
        "that matrix alone, by default the constant M/h^2 + L, prefactored [Liu et al. 2017]: "
        "iterations, initial_hessian, weights, linear_solver, linear_iterations, preconditioner"},
       {"recovery", "line_search", "initial_hessian", "weights", "linear_solver",
        "linear_iterations", "preconditioner"}},
      {{"projective_dynamics",
        "local/global steps with the constant matrix [Bouaziz et al. 2014]; arap, strain_limit, "
        "volume, woven_limit, fibers and springs: iterations"},
       {}},
      {{"newton",
        "Newton's method: iterations, definiteness (clamp, absolute, tikhonov, none), "
        "linear_solver (direct, cg, truncated_cg), linear_iterations, preconditioner"},
       {"recovery", "line_search", "definiteness", "linear_solver", "linear_iterations",
        "preconditioner"}},
      {{"gradient_descent", "the gradient with an adaptive scale: iterations"},
       {"recovery", "line_search"}},
      {{"jacobi",
        "the Hessian's diagonal [Wang & Yang 2016]: iterations, refresh, acceleration (automatic, "
        "none, chebyshev), delay"},
       {"recovery", "line_search", "refresh", "acceleration", "delay"}},
      {{"gauss_seidel",
        "block sweeps of the Hessian over coloured vertices [Fratarcangeli et al. 2016]: "
        "iterations, refresh, acceleration (automatic, none, chebyshev), delay"},
       {"recovery", "line_search", "refresh", "acceleration", "delay"}},
      {{"vertex_block_descent",
        "a Newton step of each vertex, colour after colour, from a start that adapts to what holds "
        "the body [Chen et al. 2024]: iterations, acceleration (automatic, none, chebyshev), "
        "delay"},
       {"recovery", "acceleration", "delay"}},
      {{"chebyshev",
        "the Chebyshev semi-iterative method around M/h^2 + L [Wang 2015; Liu et al. 2017]: "
        "iterations, delay"},
       {"recovery", "line_search", "delay"}},
      {{"xpbd",
        "compliant constraints one after the other [Macklin & Mueller 2021], Poisson's ratio up to "
        "0.5: iterations, projection (stress, sequential, block), multipliers (zero, kept), order "
        "(parts, colours, cells, natural), precision (double, float)"},
       {"projection", "multipliers", "order", "precision"},
       true},
      {{"pbd",
        "lengths and volumes kept, whatever the material [Mueller et al. 2007]: iterations, "
        "stiffness, volume_stiffness"},
       {"stiffness", "volume_stiffness"},
       true},
      {{"step_and_project",
        "all constraints at once by a sparse factorisation [Goldenthal et al. 2007]: iterations"},
       {},
       true},
  };
  return entries;
}

}  // namespace supple

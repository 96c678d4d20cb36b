#include "supple/choices.h"

#include "base/names.h"
#include "supple/error.h"

namespace supple {

// The only place for the names. Entries are in the order of the enumerators; those that
// `supple list` prints have a line.

const ChoiceList& choices(SolverMethod) {
  static const ChoiceList list{
      "solver",
      {{"l_bfgs", "L-BFGS around a matrix [Liu et al. 2017]"},
       {"quasi_newton",
        "that matrix alone, by default the constant M/h^2 + L, prefactored [Liu et al. 2017]"},
       {"projective_dynamics",
        "local/global steps with the constant matrix [Bouaziz et al. 2014]; arap, strain_limit, "
        "volume, woven_limit, fibers and springs"},
       {"newton", "Newton's method"},
       {"gradient_descent", "the gradient with an adaptive scale"},
       {"jacobi", "the Hessian's diagonal [Wang & Yang 2016]"},
       {"gauss_seidel",
        "block sweeps of the Hessian over coloured vertices [Fratarcangeli et al. 2016]"},
       {"vertex_block_descent",
        "a Newton step of each vertex, colour after colour, from a start that adapts to what holds "
        "the body [Chen et al. 2024]"},
       {"chebyshev",
        "the Chebyshev semi-iterative method around M/h^2 + L [Wang 2015; Liu et al. 2017]"},
       {"xpbd",
        "compliant constraints one after the other [Macklin & Mueller 2021], Poisson's ratio up to "
        "0.5"},
       {"pbd", "lengths and volumes kept, whatever the material [Mueller et al. 2007]"},
       {"step_and_project",
        "all constraints at once by a sparse factorisation [Goldenthal et al. 2007]"}}};
  return list;
}

const ChoiceList& choices(TimeIntegrator) {
  static const ChoiceList list{
      "integrator",
      {{"backward_euler",
        "x' = argmin |x - y|_M^2/(2 h^2) + E(x), y = x + h v + h^2 M^-1 f: stable, damps "
        "(first order)"},
       {"implicit_midpoint",
        "forces in the middle of the step: keeps the energy of small vibrations, may blow "
        "up where a step is large for a stiff body (second order)"},
       {"bdf2",
        "from the last two states: stable, damps far less than backward Euler (second "
        "order)"},
       {"newmark",
        "mean of the accelerations at both ends (beta 1/4, gamma 1/2): keeps the energy of "
        "small vibrations (second order)"},
       {"quasi_static",
        "x' = argmin E(x) - sum m g . x: equilibrium at every time, without inertia; needs "
        "pins"},
       {"symplectic_euler",
        "v' = v + h M^-1 f(x), x' = x + h v': solves nothing; stable for h below 2 over "
        "the fastest vibration's angular frequency (first order)"},
       {"forward_euler",
        "x' = x + h v, v' = v + h M^-1 f(x): solves nothing; gains energy at any h, to see "
        "why one does not use it (first order)"}}};
  return list;
}

const ChoiceList& choices(BendingModel) {
  static const ChoiceList list{
      "bending model",
      {{"quadratic", "isometric, around vertices: tends to be flat [Bergou et al. 2006]"},
       {"dihedral",
        "angles between triangles: keeps those of the mesh and of folds [Grinspun et al. 2003]"}}};
  return list;
}

const ChoiceList& choices(Fabric) {
  static const ChoiceList list{"fabric",
                               {{"custom", "none of these: with moduli of its own"},
                                {"ivory_rib_knit", "underwear: 95 % cotton, 5 % spandex"},
                                {"pink_ribbon_brown", "blanket: 100 % polyester"},
                                {"white_dots_on_black", "tablecloth: 100 % polyester"},
                                {"navy_sparkle_sweat", "sweater: 96 % polyester, 4 % spandex"},
                                {"camel_ponte_roma", "jacket: 60 % polyester, 40 % rayon"},
                                {"gray_interlock", "t-shirt: 60 % cotton, 40 % polyester"},
                                {"black_denim_11oz", "jeans: 99 % cotton, 1 % spandex"},
                                {"white_swim_solid", "swimsuit: 87 % nylon, 13 % spandex"},
                                {"tango_red_jet_set", "jacket: 100 % polyester"},
                                {"royal_target", "trousers: 65 % cotton, 35 % polyester"}}};
  return list;
}

const ChoiceList& choices(LineSearchType) {
  static const ChoiceList list{"line search", {{"backtracking"}, {"wolfe"}, {"exact"}, {"none"}}};
  return list;
}

const ChoiceList& choices(Recovery) {
  static const ChoiceList list{"recovery", {{"arap"}, {"none"}}};
  return list;
}

const ChoiceList& choices(DescentStart) {
  static const ChoiceList list{"start",
                               {{"automatic"}, {"inertia"}, {"extrapolated"}, {"adaptive"}}};
  return list;
}

const ChoiceList& choices(InitialHessian) {
  static const ChoiceList list{"initial Hessian",
                               {{"laplacian"}, {"identity"}, {"rest"}, {"warped_rest"}, {"frame"}}};
  return list;
}

const ChoiceList& choices(LaplacianWeights) {
  static const ChoiceList list{"weights", {{"following"}, {"constant"}}};
  return list;
}

const ChoiceList& choices(LinearSolver) {
  static const ChoiceList list{"linear solver", {{"direct"}, {"cg"}, {"truncated_cg"}}};
  return list;
}

const ChoiceList& choices(PreconditionerType) {
  static const ChoiceList list{
      "preconditioner", {{"none"}, {"jacobi"}, {"incomplete_cholesky"}, {"laplacian"}, {"rest"}}};
  return list;
}

const ChoiceList& choices(Definiteness) {
  static const ChoiceList list{"definiteness", {{"clamp"}, {"absolute"}, {"tikhonov"}, {"none"}}};
  return list;
}

const ChoiceList& choices(Acceleration) {
  static const ChoiceList list{"acceleration", {{"automatic"}, {"none"}, {"chebyshev"}}};
  return list;
}

const ChoiceList& choices(XpbdProjection) {
  static const ChoiceList list{"projection", {{"stress"}, {"sequential"}, {"block"}}};
  return list;
}

const ChoiceList& choices(XpbdMultipliers) {
  static const ChoiceList list{"multipliers", {{"zero"}, {"kept"}}};
  return list;
}

const ChoiceList& choices(XpbdOrder) {
  static const ChoiceList list{"order", {{"parts"}, {"colours"}, {"cells"}, {"natural"}}};
  return list;
}

const ChoiceList& choices(XpbdPrecision) {
  static const ChoiceList list{"precision", {{"double"}, {"float"}}};
  return list;
}

const ChoiceList& choices(ContactMode) {
  static const ChoiceList list{"contact mode", {{"soft"}, {"barrier"}}};
  return list;
}

const ChoiceList& choices(RodRestShape) {
  static const ChoiceList list{"rest shape", {{"mesh"}, {"straight"}}};
  return list;
}

const ChoiceList& choices(PressureSurface) {
  static const ChoiceList list{"surface", {{"outer"}, {"cavities"}}};
  return list;
}

const ChoiceList& choices(BodyVolume) {
  static const ChoiceList list{"volume", {{"free"}, {"exact"}}};
  return list;
}

const char* choice_name(const ChoiceList& list, std::size_t index) noexcept {
  return index < list.entries.size() ? list.entries[index].name.c_str() : "unknown";
}

std::size_t choice_index(const ChoiceList& list, std::string_view name, std::string_view where) {
  for (std::size_t i = 0; i < list.entries.size(); ++i) {
    if (list.entries[i].name == name) return i;
  }
  throw Error(ErrorKind::invalid_input, where.empty() ? list.what : where,
              unknown_name(list.what, name, names_of(list.entries)));
}

}  // namespace supple

#pragma once

#include "studies/reproduce/context.h"
#include "studies/reproduce/finding.h"

/// The experiments of Liu, Bouaziz & Kavan, "Quasi-Newton Methods for Real-Time Simulation of
/// Hyperelastic Materials" (2017), by its figures, and of the thesis that contains it (Liu 2018).
/// Each first adds its claims to the finding, so that they remain as not measured if it throws.
namespace supple::reproduce::liu2017 {

void table_1(Context& context, Finding& finding);
void figure_2(Context& context, Finding& finding);   ///< without line search
void figure_6(Context& context, Finding& finding);   ///< history, Chebyshev, Newton
void figure_7(Context& context, Finding& finding);   ///< initial Hessians
void figure_8(Context& context, Finding& finding);   ///< shaking bar
void figure_9(Context& context, Finding& finding);   ///< strain limits of Projective Dynamics
void figure_10(Context& context, Finding& finding);  ///< wrinkles
void figure_11(Context& context, Finding& finding);  ///< conjugate gradients
void figure_12(Context& context, Finding& finding);  ///< length of the history
void figure_13(Context& context, Finding& finding);  ///< interval of the stiffness
void figure_14(Context& context, Finding& finding);  ///< randomised body
void thesis_figure_5_1(Context& context, Finding& finding);  ///< mass-springs
void thesis_figure_5_3(Context& context, Finding& finding);  ///< stiffness and resolution
void thesis_figure_7_4(Context& context, Finding& finding);  ///< rest Hessian of a turned cube
void thesis_table_7_1(Context& context, Finding& finding);   ///< its condition numbers
void thesis_figure_7_8(Context& context, Finding& finding);  ///< preconditioners

}  // namespace supple::reproduce::liu2017

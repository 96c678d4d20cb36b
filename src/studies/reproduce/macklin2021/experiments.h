#pragma once

#include "studies/reproduce/context.h"
#include "studies/reproduce/finding.h"

/// The experiments of Macklin & Mueller, "A Constraint-based Formulation of Stable Neo-Hookean
/// Materials" (2021), by its figures. Each first adds its claims to the finding, so that they
/// remain as not measured if it throws.
namespace supple::reproduce::macklin2021 {

void figure_2(Context& context, Finding& finding);  ///< boxes hung from bars
void table_1(Context& context, Finding& finding);   ///< stretch test, with Figure 4
void figure_5(Context& context, Finding& finding);  ///< cube twist
void figure_6(Context& context, Finding& finding);  ///< crazy cube, scrambled
void figure_7(Context& context, Finding& finding);  ///< crazy cube, compressed and stretched
void figure_8(Context& context, Finding& finding);  ///< bodies unfold from a plane

}  // namespace supple::reproduce::macklin2021

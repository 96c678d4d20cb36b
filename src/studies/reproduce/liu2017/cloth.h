#pragma once

#include "studies/reproduce/context.h"

/// Cloths made of springs [Liu et al. 2013].
namespace supple::reproduce::liu2017 {

/// The cloth of Table 1: 81 x 81 vertices and 1 kg hanging from two corners; 80 N/m along and
/// across the cells, 20 N/m against bending.
Scene hanging_cloth(const Context& context);

/// A curtain of 1 m x 1 m and 1 kg with `cells` x `cells` cells. It is held along one edge and
/// swings down from a horizontal start; solved by `iterations` of Projective Dynamics. `stiffness`:
/// of all springs, N/m.
Scene curtain(int cells, double stiffness, int iterations);

}  // namespace supple::reproduce::liu2017

#pragma once

#include <string>

#include "studies/plot/chart.h"
#include "supple/compare.h"

namespace supple {

/// Both errors against iterations and against time, logarithmic, a line a solver; time is
/// logarithmic too. What lies below
/// the rounding of g is left out.
plot::Figure convergence_figure(const std::string& scene_name, int frame,
                                const Comparison& comparison);

}  // namespace supple

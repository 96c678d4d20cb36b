#pragma once

#include <string>

#include "studies/plot/chart.h"
#include "supple/compare.h"

namespace supple {

/// Both errors against iterations and against time, one line per solver; errors and time are
/// logarithmic. Relative errors below the rounding of g are left out.
plot::Figure convergence_figure(const std::string& scene_name, int frame,
                                const Comparison& comparison);

}  // namespace supple

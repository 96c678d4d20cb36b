#pragma once

#include "studies/performance/tables.h"
#include "studies/plot/chart.h"

namespace supple::bench {

/// Bars, a group a scene: ms a frame, and how many times faster than the yardstick.
plot::Figure frame_figure(const Results& results);

/// Against the number of tets, logarithmic: ms a frame, set-up, memory.
plot::Figure growth_figure(const Results& results);

}  // namespace supple::bench

#pragma once

#include "studies/performance/tables.h"
#include "studies/plot/chart.h"

namespace supple::bench {

/// Bars, one group per scene: ms per frame, and how many times faster than the yardstick.
plot::Figure frame_figure(const Results& results);

/// ms per frame, set-up and memory against the number of tets, logarithmic.
plot::Figure growth_figure(const Results& results);

}  // namespace supple::bench

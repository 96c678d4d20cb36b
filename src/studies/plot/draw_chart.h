#pragma once

#include "studies/plot/chart.h"
#include "studies/plot/pen.h"
#include "studies/plot/styles.h"

namespace supple::plot {

/// Draws one chart without a legend in a rectangle whose upper left corner is (x, y), in points.
void draw_chart(const Pen& pen, const Chart& chart, const Styles& styles, double x, double y,
                double width, double height);

/// Draws the sign that stands for a series in the legend, `width` wide and centred at height y.
void draw_sign(const Pen& pen, const Style& style, double x, double y, double width);

}  // namespace supple::plot

#pragma once

namespace supple::plot {

struct Point {
  double x = 0, y = 0;
};

/// Clips the segment from a to b to the square from (0, 0) to (1, 1) [Liang & Barsky 1984, "A new
/// concept and method for line clipping"]. An end inside keeps its bits. Infinite coordinates are
/// treated as very large ones. Returns false if nothing is left; a and b then have no meaning.
bool clip_to_unit_square(Point& a, Point& b);

}  // namespace supple::plot

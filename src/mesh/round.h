#pragma once

#include <array>

#include "supple/mesh.h"

/// Maps a square of cells onto the disc, and a cube of cells onto the ball.
///
/// No map that is smooth at the edge of a cube keeps the cells there well-shaped, because the right
/// angle between two faces becomes a straight one. So these maps keep shells |.|_max = r together.
/// The shells change from a shape like the square in the middle to the circle at r = 1. They bend
/// along the diagonals, where cells are cut anyway. Only the inner vertices of a cell at an edge
/// are then off the surface. Its tets are well-shaped if every one of them contains such a vertex,
/// which is so if the diagonal of the cell leads outward (`outward_bit`).
///
///   p(r q) = r ((1 - sqrt r) s q + sqrt r d(q)),   |q|_max = 1,
///   d(q) = t / |t|, t_i = tan(pi/4 q_i)   (equal angles along the edges of the square)
///
/// s sets the size of the innermost square. 0.85 for the disc and 0.75 for the ball make the worst
/// tet best: quality 6 sqrt 2 V / rms(edge)^3 stays above 0.5 for any number of cells.
namespace supple {

/// Vertex (i, j) of n * n cells, 0 <= i, j <= n, in the unit disc.
std::array<double, 2> disc_point(int i, int j, int n);

/// Vertex (i, j, k) of n * n * n cells, 0 <= i, j, k <= n, in the unit ball.
Vec3 ball_point(int i, int j, int k, int n);

}  // namespace supple

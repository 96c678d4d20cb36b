#pragma once

#include "render/colour.h"
#include "supple/mesh.h"

namespace supple {

/// The directions of the lights. Unit vectors toward the lights.
struct Lights {
  Vec3 key{0, 1, 0};   ///< the sun, which casts shadows
  Vec3 fill{0, 1, 0};  ///< a weak light from the other side, so that no side is black
  Vec3 up{0, 1, 0};    ///< ambient light is brighter from above
};

/// Key light from above the viewer's left shoulder, fill from the right. forward, right: of the
/// camera, unit vectors; up: of the world.
Lights lights_around(const Vec3& forward, const Vec3& right, const Vec3& up);

/// Light that a matt surface with a slight gloss sends to the viewer: key and fill (Lambert),
/// ambient between sky and ground, a highlight [Blinn 1977] and a brighter rim [Schlick 1994].
/// normal, to_viewer: unit vectors on the same side; lit: share of the key light, 0 to 1.
Colour shade_surface(const Lights& lights, const Vec3& normal, const Vec3& to_viewer,
                     const Colour& albedo, double lit);

/// The background at this share of the picture's height, 0 at the top to 1 at the bottom.
Colour background(double height);

/// The share of the first colour in a checker of squares of side 1, averaged over a box of sides
/// (du, dv) about (u, v). The box filter of a square wave is a difference of triangle waves, so
/// that distant squares fade into their mean and do not flicker.
double checker(double u, double v, double du, double dv);

/// The share of a grid of lines of width `line` at whole numbers, averaged over the same box.
double grid_lines(double u, double v, double du, double dv, double line);

/// Softly compresses light above 0.8 to below 1.
Colour compress(const Colour& c);

}  // namespace supple

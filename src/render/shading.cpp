#include "render/shading.h"

#include <algorithm>
#include <cmath>

#include "render/vec.h"

namespace supple {

using namespace vec;

namespace {

const Colour key_colour{1.0, 0.965, 0.90};
const Colour fill_colour{0.80, 0.90, 1.0};
const Colour sky_colour{0.86, 0.93, 1.0};
const Colour bounce_colour{0.80, 0.77, 0.72};

/// Integral of a square wave of period 2 that is 1 on [0, 1) and -1 on [1, 2): a triangle wave.
double triangle_wave(double x) {
  const double phase = x - 2 * std::floor(0.5 * x);
  return phase < 1 ? phase : 2 - phase;
}

double mean_square_wave(double x, double width) {
  return (triangle_wave(x + 0.5 * width) - triangle_wave(x - 0.5 * width)) / width;
}

/// Integral of a wave of period 1 that is 1 within line/2 of whole numbers and 0 elsewhere.
double line_integral(double x, double line) {
  const double shifted = x + 0.5 * line;
  const double whole = std::floor(shifted);
  return whole * line + std::min(shifted - whole, line);
}

double mean_lines(double x, double width, double line) {
  return (line_integral(x + 0.5 * width, line) - line_integral(x - 0.5 * width, line)) / width;
}

double compress(double x) {
  constexpr double knee = 0.8;
  return x <= knee ? x : 1 - (1 - knee) * std::exp(-(x - knee) / (1 - knee));
}

}  // namespace

Lights lights_around(const Vec3& forward, const Vec3& right, const Vec3& up) {
  const Vec3 back = -forward;
  Lights lights;
  lights.up = up;
  lights.key = unit(up + 0.62 * back - 0.55 * right, up);
  lights.fill = unit(0.35 * up + 0.6 * back + 0.8 * right, up);
  return lights;
}

Colour shade_surface(const Lights& lights, const Vec3& normal, const Vec3& to_viewer,
                     const Colour& albedo, double lit) {
  const double key = lit * std::max(dot(normal, lights.key), 0.0);
  const double fill = std::max(dot(normal, lights.fill), 0.0);
  const double above = 0.5 + 0.5 * dot(normal, lights.up);
  const Colour ambient = mix(0.22 * bounce_colour, 0.52 * sky_colour, above);
  const Colour light = 0.92 * key * key_colour + 0.20 * fill * fill_colour + ambient;

  const Vec3 half = unit(lights.key + to_viewer, lights.key);
  const double highlight = std::pow(std::max(dot(normal, half), 0.0), 50) * key;
  const double grazing = 1 - std::clamp(dot(normal, to_viewer), 0.0, 1.0);
  const double rim = grazing * grazing * grazing * grazing * grazing;
  return light * albedo + 0.16 * highlight * key_colour + (0.16 * rim * above) * sky_colour;
}

Colour background(double height) {
  static const Colour top = srgb(0xC9D6E6), bottom = srgb(0xF4F6F8);
  const double t = std::clamp(height, 0.0, 1.0);
  return mix(top, bottom, t * t * (3 - 2 * t));
}

double checker(double u, double v, double du, double dv) {
  return 0.5 + 0.5 * mean_square_wave(u, du) * mean_square_wave(v, dv);
}

double grid_lines(double u, double v, double du, double dv, double line) {
  return 1 - (1 - mean_lines(u, du, line)) * (1 - mean_lines(v, dv, line));
}

Colour compress(const Colour& c) { return {compress(c.r), compress(c.g), compress(c.b)}; }

}  // namespace supple

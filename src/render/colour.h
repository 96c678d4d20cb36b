#pragma once

#include <cstdint>

namespace supple {

/// Linear light, in which colours are added and averaged. 1 is white.
struct Colour {
  double r = 0, g = 0, b = 0;

  friend Colour operator+(const Colour& a, const Colour& c) {
    return {a.r + c.r, a.g + c.g, a.b + c.b};
  }
  friend Colour operator*(double s, const Colour& c) { return {s * c.r, s * c.g, s * c.b}; }
  friend Colour operator*(const Colour& a, const Colour& c) {
    return {a.r * c.r, a.g * c.g, a.b * c.b};
  }
};

/// a at t = 0, c at t = 1.
inline Colour mix(const Colour& a, const Colour& c, double t) { return (1 - t) * a + t * c; }

/// Linear light of an sRGB colour written 0xRRGGBB, and of one channel's 8-bit value. [IEC
/// 61966-2-1]
Colour srgb(std::uint32_t hex);
double from_srgb(std::uint8_t value);

/// 8-bit sRGB value of a channel in linear light, rounded to nearest; below 0 (and NaN) gives 0,
/// above 1 gives 255. [IEC 61966-2-1]
std::uint8_t to_srgb(double linear);

/// Colour of the body with this number: one of eight that people with any kind of colour vision can
/// tell apart, repeated after the eighth. [from the "vibrant", "bright" and "muted" schemes of Tol
/// 2021, SRON/EPS/TN/09-002]
Colour body_colour(int body);

}  // namespace supple

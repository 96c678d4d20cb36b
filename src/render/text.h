#pragma once

#include <string_view>

#include "render/colour.h"
#include "render/image.h"

namespace supple {

/// Writes a line of text in a plain stroke font: (x, y) is the left end of its base line, `size`
/// the height of a capital, all in pixels. The font has letters, digits and common signs of ASCII;
/// a character that it lacks becomes a box. Text outside the image is cut off.
void draw_text(Image& image, double x, double y, double size, std::string_view text,
               const Colour& colour);

/// Width of a line of text, pixels.
double text_width(double size, std::string_view text);

}  // namespace supple

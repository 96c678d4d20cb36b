#include "render/image.h"

#include <fmt/format.h>

#include "supple/error.h"

namespace supple {

Image::Image(int w, int h) : width(w), height(h) {
  if (w < 1 || h < 1 || w > max_image_side || h > max_image_side) {
    throw Error(
        ErrorKind::invalid_input, "image",
        fmt::format("a size of {} x {} pixels; expected 1 to {} each way", w, h, max_image_side));
  }
  rgb.resize(3 * static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
}

}  // namespace supple

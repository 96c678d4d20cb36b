#include "render/contact_sheet.h"

#include <algorithm>
#include <cstdint>

#include "render/text.h"
#include "supple/error.h"

namespace supple {

Image contact_sheet(const std::vector<Image>& pictures, const std::vector<std::string>& labels,
                    int columns) {
  const auto refuse = [](const char* why) {
    throw Error(ErrorKind::invalid_input, "contact sheet", why);
  };
  if (pictures.empty()) refuse("no pictures");
  if (columns < 1) refuse("fewer than one column");
  if (!labels.empty() && labels.size() != pictures.size()) refuse("not one label a picture");
  const int width = pictures.front().width, height = pictures.front().height;
  for (const Image& picture : pictures) {
    if (picture.width != width || picture.height != height) refuse("pictures of different sizes");
  }
  const auto count = static_cast<std::int64_t>(pictures.size());
  const std::int64_t across = std::min<std::int64_t>(columns, count);
  const std::int64_t down = (count + across - 1) / across;
  const std::int64_t sheet_width = across * (width + contact_sheet_gap) + contact_sheet_gap;
  const std::int64_t sheet_height = down * (height + contact_sheet_gap) + contact_sheet_gap;
  if (std::max(sheet_width, sheet_height) > max_image_side) refuse("the sheet would be too large");

  Image sheet(static_cast<int>(sheet_width), static_cast<int>(sheet_height));
  std::fill(sheet.rgb.begin(), sheet.rgb.end(), std::uint8_t{255});
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const auto column = static_cast<int>(static_cast<std::int64_t>(i) % across);
    const auto row = static_cast<int>(static_cast<std::int64_t>(i) / across);
    const int left = contact_sheet_gap + column * (width + contact_sheet_gap);
    const int top = contact_sheet_gap + row * (height + contact_sheet_gap);
    for (int y = 0; y < height; ++y) {
      const std::uint8_t* from = pictures[i].pixel(0, y);
      std::copy(from, from + 3 * static_cast<std::ptrdiff_t>(width), sheet.pixel(left, top + y));
    }
    if (!labels.empty()) {
      const double size = std::clamp(height / 26.0, 6.0, 16.0);
      draw_text(sheet, left + size, top + height - size, size, labels[i], srgb(0x3A4653));
    }
  }
  return sheet;
}

}  // namespace supple

#pragma once

#include <span>
#include <string>
#include <vector>

#include "render/image.h"

namespace supple {

/// Puts pictures of one size on one sheet, row by row, `columns` across, with a narrow gap around
/// each. A label stands in the lower left corner of its picture. The last row may be short. labels:
/// one per picture, or none at all. Throws Error{invalid_input} for no pictures, different sizes,
/// another number of labels, columns < 1 and a sheet that is too large for an Image.
Image contact_sheet(const std::vector<Image>& pictures, const std::vector<std::string>& labels = {},
                    int columns = 4);

/// Width of the gap on a sheet, pixels.
inline constexpr int contact_sheet_gap = 6;

}  // namespace supple

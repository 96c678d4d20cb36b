#include <gtest/gtest.h>
#include <png.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "render/colour.h"
#include "render/contact_sheet.h"
#include "render/png_file.h"
#include "render/shading.h"
#include "render/text.h"
#include "supple/error.h"

// Images as such: colours, text, sheets, files.

namespace supple {
namespace {

namespace fs = std::filesystem;

Image gradient(int width, int height) {
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      image.pixel(x, y)[0] = static_cast<std::uint8_t>(x);
      image.pixel(x, y)[1] = static_cast<std::uint8_t>(y);
      image.pixel(x, y)[2] = static_cast<std::uint8_t>(x * y);
    }
  }
  return image;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "supple_render_XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST(Colour, EveryEightBitValueComesBack) {
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(to_srgb(from_srgb(static_cast<std::uint8_t>(i))), i);
  }
  EXPECT_EQ(to_srgb(-1), 0);
  EXPECT_EQ(to_srgb(7), 255);
  EXPECT_EQ(to_srgb(std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(Colour, RoundsToTheNearestValueOfTheCurve) {
  for (int i = 0; i <= 10000; ++i) {
    const double x = i / 10000.0;
    const double s = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
    // The two pieces of the curve only meet to 1e-5, which can change how a tie is rounded.
    EXPECT_NEAR(to_srgb(x), 255 * s, 0.5 + 255e-5);
  }
}

TEST(Checker, MeltsIntoItsMeanFarAway) {
  // A small box's sides differ by 1e-3, so rounding of 1e-16 becomes 1e-13.
  EXPECT_NEAR(checker(0.5, 0.5, 1e-3, 1e-3), 1, 1e-12);
  EXPECT_NEAR(checker(1.5, 0.5, 1e-3, 1e-3), 0, 1e-12);
  EXPECT_NEAR(checker(-0.5, 0.5, 1e-3, 1e-3), 0, 1e-12);
  EXPECT_NEAR(checker(0.3, 0.7, 2, 2), 0.5, 1e-12);  // a whole period
  EXPECT_NEAR(checker(0.3, 0.7, 1000, 1000), 0.5, 1e-3);
}

TEST(GridLines, CoverTheirShare) {
  EXPECT_NEAR(grid_lines(0, 0.5, 1e-3, 1e-3, 0.1), 1, 1e-9);
  EXPECT_NEAR(grid_lines(0.5, 0.5, 1e-3, 1e-3, 0.1), 0, 1e-9);
  EXPECT_NEAR(grid_lines(0.2, 0.7, 1, 1, 0.1), 1 - 0.9 * 0.9, 1e-12);
}

TEST(Text, StaysInItsBoxAndDiffersByCharacter) {
  const std::string characters =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,:-+/=%()_";
  std::vector<Image> seen;
  for (const char c : characters) {
    Image image(40, 40);
    draw_text(image, 10, 28, 15, std::string(1, c), {1, 1, 1});
    int lit = 0;
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 40; ++x) {
        if (image.pixel(x, y)[0] == 0) continue;
        ++lit;
        EXPECT_TRUE(x >= 8 && x <= 10 + text_width(15, "x") + 2 && y >= 11 && y <= 36) << c;
      }
    }
    EXPECT_GE(lit, 4) << c;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const bool alike = (c == 'O' && characters[i] == '0');
      EXPECT_EQ(seen[i] == image, alike) << c << ' ' << characters[i];
    }
    seen.push_back(std::move(image));
  }
}

TEST(Text, IsCutAtTheImage) {
  Image image(20, 10);
  draw_text(image, -50, 5, 12, "a long line of text that runs over both ends", {1, 1, 1});
  draw_text(image, 5, -40, 12, "above", {1, 1, 1});
  draw_text(image, 1e9, 1e9, 12, "far", {1, 1, 1});
  SUCCEED();
}

TEST(ContactSheet, PutsPicturesInRowsWithGaps) {
  std::vector<Image> pictures;
  for (int i = 0; i < 8; ++i) {
    Image& image = pictures.emplace_back(30, 20);
    for (auto& v : image.rgb) v = static_cast<std::uint8_t>(10 + i);
  }
  const int gap = contact_sheet_gap;
  const Image sheet = contact_sheet(pictures);
  EXPECT_EQ(sheet.width, 4 * 30 + 5 * gap);
  EXPECT_EQ(sheet.height, 2 * 20 + 3 * gap);
  for (int i = 0; i < 8; ++i) {
    const int left = gap + (i % 4) * (30 + gap), top = gap + (i / 4) * (20 + gap);
    EXPECT_EQ(sheet.pixel(left, top)[0], 10 + i);
    EXPECT_EQ(sheet.pixel(left + 29, top + 19)[2], 10 + i);
    EXPECT_EQ(sheet.pixel(left - 1, top)[0], 255);
  }
  EXPECT_NE(contact_sheet(pictures, std::vector<std::string>(8, "frame 3")), sheet);
  EXPECT_EQ(contact_sheet(pictures, {}, 3).width, 3 * 30 + 4 * gap);
}

TEST(ContactSheet, RefusesWhatDoesNotFit) {
  EXPECT_THROW(contact_sheet({}), Error);
  EXPECT_THROW(contact_sheet({Image(3, 4), Image(4, 3)}), Error);
  EXPECT_THROW(contact_sheet({Image(3, 4)}, {"a", "b"}), Error);
  EXPECT_THROW(contact_sheet({Image(3, 4)}, {}, 0), Error);
  EXPECT_THROW(Image(0, 5), Error);
  EXPECT_THROW(Image(5, 100000), Error);
}

TEST(Png, ReadsBackAsWritten) {
  const TemporaryFolder folder;
  const Image image = gradient(123, 77);
  const fs::path file = folder.path() / "picture.png";
  write_png(file, image);
  EXPECT_FALSE(fs::exists(folder.path() / "picture.png.part"));

  png_image reader{};
  reader.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&reader, file.c_str()), 0) << reader.message;
  EXPECT_EQ(reader.width, 123U);
  EXPECT_EQ(reader.height, 77U);
  reader.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> bytes(PNG_IMAGE_SIZE(reader));
  ASSERT_NE(png_image_finish_read(&reader, nullptr, bytes.data(), 0, nullptr), 0);
  EXPECT_EQ(bytes, image.rgb);
}

TEST(Png, AFileThatCannotBeWrittenIsAnError) {
  const TemporaryFolder folder;
  try {
    write_png(folder.path() / "missing" / "a.png", gradient(4, 4));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file);
    EXPECT_NE(error.where().find("a.png"), std::string::npos);
  }
  fs::create_directory(folder.path() / "taken.png");
  EXPECT_THROW(write_png(folder.path() / "taken.png", gradient(4, 4)), Error);
  EXPECT_FALSE(fs::exists(folder.path() / "taken.png.part"));
  EXPECT_THROW(write_png(folder.path() / "b.png", Image()), Error);
}

}  // namespace
}  // namespace supple

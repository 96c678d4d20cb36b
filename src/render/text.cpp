#include "render/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace supple {

namespace {

struct Glyph {
  char character;
  /// Strokes separated by spaces, each a chain of points "xy": x from 0 to 4 to the right, y from 0
  /// to 8 upward. 2 is the base line, 6 the top of an x and 8 that of a capital.
  std::string_view strokes;
};

constexpr Glyph box{'\0', "0208484202"};

constexpr auto font = std::to_array<Glyph>({
    {' ', ""},
    {'!', "2824 2222"},
    {'%', "0248 0717 3343"},
    {'\'', "2826"},
    {'(', "38262432"},
    {')', "18262412"},
    {'*', "2723 1634 3614"},
    {'+', "0545 2723"},
    {',', "2211"},
    {'-', "1535"},
    {'.', "2222"},
    {'/', "0248"},
    {'0', "120307183847433212"},
    {'1', "172822 1232"},
    {'2', "07183847460242"},
    {'3', "07183847463525 354443321203"},
    {'4', "32380444"},
    {'5', "480805354443321203"},
    {'6', "473818070312324344351504"},
    {'7', "084812"},
    {'8', "15060718384746351504031232434435"},
    {'9', "031232434738180706153546"},
    {':', "2525 2222"},
    {'<', "460442"},
    {'=', "0646 0444"},
    {'>', "064402"},
    {'?', "07183847462524 2222"},
    {'A', "022842 1434"},
    {'B', "083847463505 3544433202 0802"},
    {'C', "4738180703123243"},
    {'D', "02082846442202"},
    {'E', "48080242 0535"},
    {'F', "480802 0535"},
    {'G', "47381807031232434525"},
    {'H', "0802 4842 0545"},
    {'I', "2822 1838 1232"},
    {'J', "4843321203"},
    {'K', "0802 480542"},
    {'L', "080242"},
    {'M', "0208254842"},
    {'N', "02084248"},
    {'O', "120307183847433212"},
    {'P', "02083847463505"},
    {'Q', "120307183847433212 2442"},
    {'R', "02083847463505 2542"},
    {'S', "473818070615354443321203"},
    {'T', "0848 2822"},
    {'U', "080312324348"},
    {'V', "082248"},
    {'W', "0812263248"},
    {'X', "0842 4802"},
    {'Y', "082548 2522"},
    {'Z', "08480242"},
    {'[', "38282232"},
    {']', "18282212"},
    {'^', "062846"},
    {'_', "0141"},
    {'a', "16364542 441403123243"},
    {'b', "0802 0516364543321203"},
    {'c', "4536160503123243"},
    {'d', "4842 4536160503123243"},
    {'e', "04444536160503123243"},
    {'f', "382722 1636"},
    {'g', "46413010 4536160503123243"},
    {'h', "0802 0516364542"},
    {'i', "2622 2828"},
    {'j', "36312010 3838"},
    {'k', "0802 4603 1442"},
    {'l', "2822"},
    {'m', "0602 05162522 25364542"},
    {'n', "0602 0516364542"},
    {'o', "160503123243453616"},
    {'p', "0600 0516364543321203"},
    {'q', "4640 4536160503123243"},
    {'r', "0602 042636"},
    {'s', "4616051434433202"},
    {'t', "18132232 0636"},
    {'u', "0603123243 4642"},
    {'v', "062246"},
    {'w', "0612253246"},
    {'x', "0642 4602"},
    {'y', "0622 4610"},
    {'z', "06460242"},
    {'|', "2820"},
    {'~', "05163445"},
    {'#', "1218 3238 0444 0646"},
});

constexpr double advance = 5.6;  ///< of a character, in steps of the grid

const Glyph& find(char character) {
  const auto* found = std::find_if(font.begin(), font.end(),
                                   [&](const Glyph& g) { return g.character == character; });
  return found == font.end() ? box : *found;
}

struct Point {
  double x, y;
};

double distance_to_segment(const Point& p, const Point& a, const Point& b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double squared = dx * dx + dy * dy;
  const double t =
      squared > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / squared, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/// Draws a glyph whose grid has its origin at (x, y), y downward, with this step.
void draw_glyph(Image& image, double x, double y, double step, const Glyph& glyph,
                const Colour& colour) {
  const double half_width = std::max(0.42 * step, 0.55);
  const double reach = half_width + 1;
  const auto clip = [](double value, int n) {
    return static_cast<int>(std::clamp(value, 0.0, static_cast<double>(n)));
  };
  const int right = clip(x + 4 * step + reach + 1, image.width);
  const int bottom = clip(y + reach + 1, image.height);
  for (int j = clip(y - 8 * step - reach, image.height); j < bottom; ++j) {
    for (int i = clip(x - reach, image.width); i < right; ++i) {
      const Point p{i + 0.5, j + 0.5};
      double distance = reach;
      for (std::size_t k = 0; k + 1 < glyph.strokes.size(); k += 2) {
        const auto at = [&](std::size_t n) {
          return Point{x + step * (glyph.strokes[n] - '0'),
                       y - step * (glyph.strokes[n + 1] - '0')};
        };
        const bool last = k + 3 >= glyph.strokes.size() || glyph.strokes[k + 2] == ' ';
        if (!last) distance = std::min(distance, distance_to_segment(p, at(k), at(k + 2)));
        if (last && k + 2 < glyph.strokes.size()) ++k;  // the space
      }
      const double cover = std::clamp(half_width + 0.5 - distance, 0.0, 1.0);
      if (cover == 0) continue;
      std::uint8_t* out = image.pixel(i, j);
      const Colour below{from_srgb(out[0]), from_srgb(out[1]), from_srgb(out[2])};
      const Colour c = mix(below, colour, cover);
      out[0] = to_srgb(c.r);
      out[1] = to_srgb(c.g);
      out[2] = to_srgb(c.b);
    }
  }
}

}  // namespace

void draw_text(Image& image, double x, double y, double size, std::string_view text,
               const Colour& colour) {
  const double step = size / 6;
  for (const char character : text) {
    draw_glyph(image, x, y + 2 * step, step, find(character), colour);
    x += advance * step;
  }
}

double text_width(double size, std::string_view text) {
  if (text.empty()) return 0;
  return size / 6 * (advance * static_cast<double>(text.size()) - (advance - 4));
}

}  // namespace supple

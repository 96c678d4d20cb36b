#include "contact/test_ccd_queries.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "supple/error.h"

namespace supple {
namespace {

[[noreturn]] void fail(const std::string& where, const std::string& message) {
  throw Error(ErrorKind::bad_file, where, message);
}

/// A natural number of any size: 32 bits each, the lowest first, without leading zeros.
using Natural = std::vector<std::uint32_t>;

/// The time of long division grows with the square of the length: this many digits take a
/// millisecond.
constexpr std::size_t most_digits = 2000;

Natural natural(std::string_view digits) {
  Natural number;
  for (const char digit : digits) {
    std::uint64_t carry = static_cast<std::uint64_t>(digit - '0');
    for (std::uint32_t& limb : number) {
      carry += 10 * static_cast<std::uint64_t>(limb);
      limb = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry > 0) number.push_back(static_cast<std::uint32_t>(carry));
  }
  return number;
}

int bits_of(const Natural& number) {
  return number.empty() ? 0
                        : static_cast<int>(32 * number.size()) - std::countl_zero(number.back());
}

bool bit(const Natural& number, int i) {
  const std::size_t limb = static_cast<std::size_t>(i / 32);
  return i >= 0 && limb < number.size() && (number[limb] >> (i % 32) & 1) != 0;
}

/// 2 r + b.
void double_and_add(Natural& r, bool b) {
  std::uint32_t carry = b ? 1 : 0;
  for (std::uint32_t& limb : r) {
    const std::uint32_t out = limb >> 31;
    limb = limb << 1 | carry;
    carry = out;
  }
  if (carry != 0) r.push_back(carry);
}

bool at_least(const Natural& a, const Natural& b) {
  if (a.size() != b.size()) return a.size() > b.size();
  return !std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

/// a - b, for a >= b.
void subtract(Natural& a, const Natural& b) {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint64_t taken = borrow + (i < b.size() ? b[i] : 0);
    borrow = a[i] < taken ? 1 : 0;
    a[i] = static_cast<std::uint32_t>(a[i] - taken);
  }
  while (!a.empty() && a.back() == 0) a.pop_back();
}

/// a/b rounded to the nearest double, for b > 0.
NearestDouble rounded_quotient(const Natural& a, const Natural& b) {
  if (a.empty()) return {0, true};
  // floor(2^shift a/b) has 57 or 58 bits: more than the 53 of a double and one for rounding.
  const int shift = 57 - (bits_of(a) - bits_of(b));
  Natural rest, divisor = b;
  for (int i = shift; i < 0; ++i) double_and_add(divisor, false);
  std::uint64_t quotient = 0;
  for (int i = bits_of(a) - 1; i >= -std::max(shift, 0); --i) {
    double_and_add(rest, bit(a, i));
    quotient <<= 1;
    if (at_least(rest, divisor)) {
      subtract(rest, divisor);
      quotient |= 1;
    }
  }
  // The last place of the double, which below 2^-1022 is that of 2^-1074.
  const int last = std::max(static_cast<int>(std::bit_width(quotient)) - 53 - shift, -1074);
  const int drop = last + shift;
  if (drop > 60) return {0, false};
  const std::uint64_t dropped = quotient & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  std::uint64_t kept = quotient >> drop;
  if (dropped > half || (dropped == half && (!rest.empty() || (kept & 1) != 0))) ++kept;
  return {std::ldexp(static_cast<double>(kept), last), dropped == 0 && rest.empty()};
}

std::string_view digits_of(const std::string& integer, const std::string& where) {
  std::string_view digits = integer;
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  const bool valid = !digits.empty() && std::all_of(digits.begin(), digits.end(),
                                                    [](char c) { return c >= '0' && c <= '9'; });
  if (!valid) fail(where, fmt::format("'{}' is not an integer", integer.substr(0, 40)));
  if (digits.size() > most_digits) {
    fail(where,
         fmt::format("an integer of {} digits; at most {} are read", digits.size(), most_digits));
  }
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns(1);
  for (const char c : line) {
    if (c == ',') {
      columns.emplace_back();
    } else if (c != ' ' && c != '\t' && c != '\r') {
      columns.back() += c;
    }
  }
  return columns;
}

/// Lines of a file, unpacked if it is gzip.
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    if (!file_) fail(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  bool next(std::string& line) {
    line.clear();
    for (;;) {
      if (at_ == size_ && !fill()) return !line.empty();
      const char* const from = buffer_.data() + at_;
      const char* const to =
          std::find(from, static_cast<const char*>(buffer_.data()) + size_, '\n');
      line.append(from, to);
      at_ = static_cast<std::size_t>(to - buffer_.data());
      if (line.size() > 8 * most_digits) fail(path_, "a line is longer than any query's");
      if (at_ == size_) continue;
      ++at_;
      return true;
    }
  }

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };
  bool fill() {
    const int read = gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
    int code = Z_OK;
    const char* const message = gzerror(file_.get(), &code);
    if (read < 0 || (read == 0 && code != Z_OK && code != Z_STREAM_END)) {
      fail(path_,
           fmt::format("cannot be read: {}", code == Z_ERRNO ? std::strerror(errno) : message));
    }
    at_ = 0;
    size_ = static_cast<std::size_t>(read);
    return read > 0;
  }

  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::array<char, 65536> buffer_;
  std::size_t at_ = 0, size_ = 0;
};

}  // namespace

NearestDouble nearest_double(const std::string& numerator, const std::string& denominator,
                             const std::string& where) {
  const Natural a = natural(digits_of(numerator, where));
  const Natural b = natural(digits_of(denominator, where));
  if (b.empty()) fail(where, fmt::format("{}/{}: the denominator is zero", numerator, denominator));
  NearestDouble nearest = rounded_quotient(a, b);
  if (!std::isfinite(nearest.value)) {
    fail(where, fmt::format("a fraction exceeds the largest double, {}", 0x1.fffffffffffffp1023));
  }
  if ((numerator[0] == '-') != (denominator[0] == '-')) nearest.value = -nearest.value;
  return nearest;
}

CcdKind ccd_kind(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto letter = [&](std::size_t i) {
    return i < name.size() && std::isalpha(static_cast<unsigned char>(name[i])) != 0;
  };
  const auto has_word = [&](std::string_view word) {
    for (std::size_t i = name.find(word); i != std::string::npos; i = name.find(word, i + 1)) {
      if ((i == 0 || !letter(i - 1)) && !letter(i + word.size())) return true;
    }
    return false;
  };
  const bool edge = has_word("ee") || has_word("edge-edge");
  const bool face = has_word("vf") || has_word("vertex-face");
  if (edge == face) {
    fail(path, fmt::format("the name says {}: expected 'ee' or 'edge-edge', or 'vf' or "
                           "'vertex-face'",
                           edge ? "both kinds of query" : "no kind of query"));
  }
  return edge ? CcdKind::edge_edge : CcdKind::vertex_face;
}

std::vector<CcdQuery> read_ccd_queries(const std::string& path) {
  Lines lines(path);
  std::vector<CcdQuery> queries;
  CcdQuery query{};
  std::string line;
  std::size_t rows = 0;
  for (; lines.next(line); ++rows) {
    const std::string where = fmt::format("{}:{}", path, rows + 1);
    const std::vector<std::string> columns = columns_of(line);
    if (columns.size() != 7) {
      fail(where, fmt::format("{} columns; expected 7: x, y and z as fractions, and the truth",
                              columns.size()));
    }
    const std::size_t row = rows % 8;
    Vec3& point = row < 4 ? query.before[row] : query.after[row - 4];
    for (std::size_t c = 0; c < 3; ++c) {
      const auto [value, exact] = nearest_double(columns[2 * c], columns[2 * c + 1], where);
      point[c] = value;
      if (!exact) query.rounded = true;
    }
    if (columns[6] != "0" && columns[6] != "1") {
      fail(where, fmt::format("the truth is '{}'; expected 0 or 1", columns[6].substr(0, 40)));
    }
    const bool meets = columns[6] == "1";
    if (row > 0 && meets != query.meets) fail(where, "the truth differs within a query");
    query.meets = meets;
    if (row < 7) continue;
    queries.push_back(query);
    query.rounded = false;
  }
  if (rows == 0) fail(path, "holds no query");
  if (rows % 8 != 0) {
    fail(fmt::format("{}:{}", path, rows),
         fmt::format("{} rows; expected a multiple of 8, eight a query", rows));
  }
  return queries;
}

}  // namespace supple

#include "io/meshes/vtu_data.h"

#include <zlib.h>

#include <algorithm>
#include <array>

namespace supple {

namespace {

/// Value of a base64 character; -1: none.
int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

class ArrayDecoder {
 public:
  ArrayDecoder(const Source& source, std::size_t place, std::string_view text, bool base64,
               const VtuEncoding& encoding)
      : source_(source),
        place_(place),
        text_size_(text.size()),
        stream_(text, base64),
        encoding_(encoding) {}

  std::string decode(std::size_t expected) {
    return encoding_.compressed ? compressed(expected) : plain(expected);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { source_.fail(place_, message); }

  std::string bytes(std::size_t size) {
    std::string result;
    // Checked before anything is allocated: a text cannot hold more bytes than characters.
    if (size > text_size_ || !stream_.read(size, result)) {
      fail("the data of the array ends early or is not base64");
    }
    return result;
  }

  std::uint64_t header_number() {
    const std::string number = bytes(size_of(encoding_.header));
    return static_cast<std::uint64_t>(
        integer_at(number.data(), encoding_.header, encoding_.swapped));
  }

  void check_size(std::uint64_t size, std::size_t expected) const {
    if (size == expected) return;
    fail("the array has " + std::to_string(size) + " bytes: expected " + std::to_string(expected));
  }

  std::string plain(std::size_t expected) {
    check_size(header_number(), expected);
    return bytes(expected);
  }

  std::string compressed(std::size_t expected) {
    const std::uint64_t num_blocks = header_number();
    if (num_blocks == 0) {
      // Nothing more need follow: an empty array can end here.
      check_size(0, expected);
      return "";
    }
    const std::uint64_t block_size = header_number();
    const std::uint64_t last_size = header_number();
    const std::uint64_t full_blocks = last_size == 0 ? num_blocks : num_blocks - 1;
    // A division, because the product of numbers from a file may overflow.
    const bool too_many =
        num_blocks > text_size_ || (block_size > 0 && full_blocks > expected / block_size);
    if (too_many) fail("the header of the compressed array contradicts its size");
    check_size(full_blocks * block_size + last_size, expected);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t b = 0; b < num_blocks; ++b) sizes.push_back(header_number());
    std::string result(expected, '\0');
    std::size_t done = 0;
    for (std::uint64_t b = 0; b < num_blocks; ++b) {
      const std::uint64_t size = b < full_blocks ? block_size : last_size;
      inflate_block(sizes[b], result.data() + done, static_cast<std::size_t>(size));
      done += static_cast<std::size_t>(size);
    }
    return result;
  }

  void inflate_block(std::uint64_t packed_size, char* out, std::size_t size) {
    if (packed_size > text_size_) fail("a compressed block is larger than the data");
    const std::string packed = bytes(static_cast<std::size_t>(packed_size));
    uLongf written = size;
    const int status = uncompress(reinterpret_cast<Bytef*>(out), &written,
                                  reinterpret_cast<const Bytef*>(packed.data()), packed.size());
    if (status != Z_OK || written != size) {
      fail("zlib cannot expand a compressed block to its " + std::to_string(size) + " bytes");
    }
  }

  const Source& source_;
  std::size_t place_;
  std::size_t text_size_;
  ByteStream stream_;
  VtuEncoding encoding_;
};

}  // namespace

bool ByteStream::decode_group() {
  std::array<int, 4> value{};
  std::size_t found = 0, padding = 0;
  while (found < 4) {
    if (position_ >= text_.size()) return false;
    const char c = text_[position_++];
    if (is_blank(c)) continue;
    if (c == '=' && found >= 2) {
      ++padding;
    } else if (padding > 0 || base64_value(c) < 0) {
      return false;
    } else {
      value[found] = base64_value(c);
    }
    ++found;
  }
  const unsigned bits = static_cast<unsigned>(value[0]) << 18U |
                        static_cast<unsigned>(value[1]) << 12U |
                        static_cast<unsigned>(value[2]) << 6U | static_cast<unsigned>(value[3]);
  for (std::size_t i = 0; i < 3 - padding; ++i) {
    decoded_ += static_cast<char>(bits >> (16U - 8U * i) & 0xFFU);
  }
  return true;
}

bool ByteStream::read(std::size_t size, std::string& out) {
  if (!base64_) {
    if (size > text_.size() - position_) return false;
    out.append(text_.substr(position_, size));
    position_ += size;
    return true;
  }
  while (size > 0) {
    if (decoded_.empty() && !decode_group()) return false;
    const std::size_t taken = std::min(size, decoded_.size());
    out.append(decoded_, 0, taken);
    decoded_.erase(0, taken);
    size -= taken;
  }
  return true;
}

std::string decode_array(const Source& source, std::size_t place, std::string_view text,
                         bool base64, const VtuEncoding& encoding, std::size_t expected) {
  return ArrayDecoder(source, place, text, base64, encoding).decode(expected);
}

}  // namespace supple

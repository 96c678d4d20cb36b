#include "io/meshes/vtu_data.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "io/meshes/test_files.h"

namespace supple {
namespace {

using testing::bytes_of;
using testing::error_of;

const Source source("", "a.vtu");

std::string decode(const std::string& text, bool base64, const VtuEncoding& encoding,
                   std::size_t expected) {
  return decode_array(source, 0, text, base64, encoding, expected);
}

std::string packed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  compress(reinterpret_cast<Bytef*>(result.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  result.resize(size);
  return result;
}

TEST(ByteStream, DecodesBase64WithPaddingWithin) {
  // "light w" + "ork." of RFC 4648's examples and a group of one byte, encoded separately.
  ByteStream stream("bGlnaHQg\n dw== b3JrLg==", true);
  std::string out;
  EXPECT_TRUE(stream.read(2, out));
  EXPECT_TRUE(stream.read(9, out));
  EXPECT_EQ(out, "light work.");
  EXPECT_FALSE(stream.read(1, out));
}

TEST(ByteStream, RefusesWhatIsNotBase64) {
  for (const char* text : {"a", "ab*d", "=abc", "a===", "ab=c", "abc"}) {
    std::string out;
    EXPECT_FALSE(ByteStream(text, true).read(1, out)) << text;
  }
}

TEST(DecodeArray, PlainDataFollowsItsSize) {
  VtuEncoding encoding;
  EXPECT_EQ(decode(bytes_of<std::uint32_t>({3}, false) + "abcrest", false, encoding, 3), "abc");
  encoding.header = Scalar::uint64;
  EXPECT_EQ(decode(bytes_of<std::uint64_t>({3}, false) + "abc", false, encoding, 3), "abc");
  encoding.swapped = true;
  EXPECT_EQ(decode(bytes_of<std::uint64_t>({3}, true) + "abc", false, encoding, 3), "abc");
  EXPECT_TRUE(
      error_of([&] { decode(bytes_of<std::uint64_t>({3}, true) + "ab", false, encoding, 3); }));
}

TEST(DecodeArray, BlocksAreExpanded) {
  const VtuEncoding encoding{Scalar::uint32, true, false};
  const std::string a = packed("abcd"), b = packed("efgh"), c = packed("ij");
  const auto size = [](const std::string& s) { return static_cast<std::uint32_t>(s.size()); };
  EXPECT_EQ(decode(bytes_of<std::uint32_t>({3, 4, 2, size(a), size(b), size(c)}, false) + a + b + c,
                   false, encoding, 10),
            "abcdefghij");
  // A last block as large as the others is written as 0.
  EXPECT_EQ(decode(bytes_of<std::uint32_t>({2, 4, 0, size(a), size(b)}, false) + a + b, false,
                   encoding, 8),
            "abcdefgh");
  EXPECT_EQ(decode(bytes_of<std::uint32_t>({0, 4, 0}, false), false, encoding, 0), "");
}

TEST(DecodeArray, HeadersThatContradictThemselvesAreRefused) {
  const std::string a = packed("abcd");
  const auto size = static_cast<std::uint64_t>(a.size());
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  const VtuEncoding encoding{Scalar::uint64, true, false};
  const std::vector<std::vector<std::uint64_t>> headers{
      {1, 4, 2, size},        // another size
      {1, 5, 0, size},        // a block that zlib makes smaller
      {1, 3, 0, size},        // a block that does not fit
      {huge, 4, 0, size},     // more blocks than bytes
      {1, huge, huge, size},  // products beyond 64 bits
      {2, huge / 2, 4, size, size},
      {1, 4, 0, huge},  // a block beyond the data
      {1, 4, 0, size + 1},
      {1, 4, 0},
      {},
  };
  for (const auto& header : headers) {
    for (const std::size_t expected : {std::size_t{4}, std::size_t{5}}) {
      const auto error =
          error_of([&] { decode(bytes_of(header, false) + a, false, encoding, expected); });
      EXPECT_TRUE(error) << "header " << &header - headers.data() << " for " << expected;
    }
  }
  EXPECT_EQ(decode(bytes_of<std::uint64_t>({1, 4, 0, size}, false) + a, false, encoding, 4),
            "abcd");
}

}  // namespace
}  // namespace supple

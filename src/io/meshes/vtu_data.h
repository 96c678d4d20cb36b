#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/meshes/scalar.h"
#include "io/meshes/source.h"

/// The encodings of VTK's XML data arrays, "VTK XML Formats" of docs.vtk.org: a header of whole
/// numbers, then the bytes, in base64 or raw, plain or in blocks compressed by zlib.
namespace supple {

/// How all binary arrays of a file are written.
struct VtuEncoding {
  Scalar header = Scalar::uint32;  ///< uint32 or uint64
  bool compressed = false;         ///< by zlib
  bool swapped = false;            ///< numbers have the other byte order
};

/// Consecutive bytes, decoded from base64 or taken as they are. Base64 can be padded in the middle,
/// because VTK encodes the header of an array separately.
class ByteStream {
 public:
  ByteStream(std::string_view text, bool base64) : text_(text), base64_(base64) {}

  /// Appends `size` bytes to `out`; false if the text ends early or is not base64.
  bool read(std::size_t size, std::string& out);

 private:
  bool decode_group();

  std::string_view text_;
  std::size_t position_ = 0;
  bool base64_;
  std::string decoded_;  ///< bytes of the last group that have not been asked for yet
};

/// The `expected` bytes of an array that starts at the front of `text`. Throws Error{bad_file} at
/// `place` for another size, for text that is not base64, for a header that contradicts itself and
/// for blocks that zlib refuses. Allocates no more than `expected` and the size of the text.
std::string decode_array(const Source& source, std::size_t place, std::string_view text,
                         bool base64, const VtuEncoding& encoding, std::size_t expected);

}  // namespace supple

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/web_server.h"

namespace supple {

/// A file that is open for reading.
class OpenFile {
 public:
  OpenFile(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  ~OpenFile();
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&&) = delete;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  std::uint64_t size() const { return size_; }
  /// Appends the next `bytes`, or fewer at the end of the file or if reading fails.
  void read(std::size_t bytes, std::string& into);

 private:
  int descriptor_;
  std::uint64_t size_;
};

/// Splits the path of a request's target into steps: "/a/b%20c?q" gives {"a", "b c"}, "/" gives
/// an empty list. Returns none if the target is not a path, or if a step is empty, begins with a
/// dot, or contains a slash, a backslash or a control character.
std::optional<std::vector<std::string>> path_of(std::string_view target);

/// The media type of a file, by its extension.
std::string_view media_type(std::string_view name);

/// The files of some folders. Links inside them are not followed.
class Site {
 public:
  /// Throws Error (bad_file) for a folder that does not exist, (invalid_input) for a prefix that is
  /// not a path.
  explicit Site(std::vector<Mount> mounts);

  struct Found {
    OpenFile file;
    std::string_view type;
    bool never_changes;  ///< its name contains a hash of its contents
  };
  /// None if there is no such file or it must not be seen. "/" gives its index.html.
  std::optional<Found> open(std::string_view target) const;

 private:
  struct Folder {
    std::vector<std::string> prefix;
    std::filesystem::path folder;
  };
  std::vector<Folder> folders_;  ///< the longest prefix first
};

}  // namespace supple

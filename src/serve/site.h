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
  /// Appends up to `bytes` of what comes next; fewer than asked for at the end, or where it cannot
  /// be read.
  void read(std::size_t bytes, std::string& into);

 private:
  int descriptor_;
  std::uint64_t size_;
};

/// What a request's target names, as steps from folder to folder: "/a/b%20c?q" is {"a", "b c"}, "/"
/// is nothing. None where it is no path, or a step is empty, begins with a dot or holds a slash, a
/// backslash or a control character.
std::optional<std::vector<std::string>> path_of(std::string_view target);

/// The media type of a file by its ending.
std::string_view media_type(std::string_view name);

/// The files of some folders. Links below them are not followed.
class Site {
 public:
  /// Throws Error (bad_file) for a folder that is not there.
  explicit Site(std::vector<Mount> mounts);

  struct Found {
    OpenFile file;
    std::string_view type;
    bool never_changes;  ///< its name holds a hash of what is in it
  };
  /// None where there is no such file or it may not be seen. "/" is its index.html.
  std::optional<Found> open(std::string_view target) const;

 private:
  struct Folder {
    std::vector<std::string> prefix;
    std::filesystem::path folder;
  };
  std::vector<Folder> folders_;  ///< the longest prefix first
};

}  // namespace supple

#include "serve/site.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "supple/error.h"

namespace supple {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Decodes "%20" and the like; none if a code is incomplete.
std::optional<std::string> unquoted(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    result += static_cast<char>(16 * high + low);
    i += 2;
  }
  return result;
}

bool is_good_step(std::string_view step) {
  // A name that begins with a dot is the folder itself, its parent, or hidden.
  return !step.empty() && step.front() != '.' && step.size() <= 255 &&
         std::none_of(step.begin(), step.end(), [](char c) {
           return c == '/' || c == '\\' || static_cast<unsigned char>(c) < ' ' || c == '\x7f';
         });
}

/// True for names like assets/index-DiwrgTda.js, with the hash that the page's build puts in.
bool has_hash(const std::vector<std::string>& steps) {
  if (steps.size() != 2 || steps[0] != "assets") return false;
  const std::string_view stem = std::string_view(steps[1]).substr(0, steps[1].rfind('.'));
  return stem.size() > 9 && stem[stem.size() - 9] == '-';
}

/// Opens step by step, so that no link leads out of the folder; -1 if that fails.
int open_below(const std::filesystem::path& folder, const std::vector<std::string>& steps) {
  int at = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (std::size_t i = 0; i < steps.size() && at >= 0; ++i) {
    // O_NONBLOCK: opening a pipe would wait for its writer.
    const int flags = i + 1 < steps.size() ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK;
    const int next = ::openat(at, steps[i].c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
    ::close(at);
    at = next;
  }
  return at;
}

}  // namespace

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

void OpenFile::read(std::size_t bytes, std::string& into) {
  const std::size_t start = into.size();
  into.resize(start + bytes);
  std::size_t filled = 0;
  while (filled < bytes) {
    const ssize_t got = ::read(descriptor_, into.data() + start + filled, bytes - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  into.resize(start + filled);
}

std::optional<std::vector<std::string>> path_of(std::string_view target) {
  std::string_view path = target.substr(0, target.find_first_of("?#"));
  if (path.empty() || path.front() != '/') return std::nullopt;
  path.remove_prefix(1);
  std::vector<std::string> steps;
  while (!path.empty()) {
    const std::size_t end = path.find('/');
    std::optional<std::string> step = unquoted(path.substr(0, end));
    if (!step || !is_good_step(*step) || end + 1 == path.size()) return std::nullopt;
    steps.push_back(std::move(*step));
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  return steps;
}

std::string_view media_type(std::string_view name) {
  struct Type {
    std::string_view ending;
    std::string_view type;
  };
  static constexpr std::array<Type, 15> types{{
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},
      {".map", "application/json"},
      {".webmanifest", "application/manifest+json"},
      {".wasm", "application/wasm"},
      {".png", "image/png"},
      {".jpg", "image/jpeg"},
      {".svg", "image/svg+xml"},
      {".ico", "image/x-icon"},
      {".webp", "image/webp"},
      {".woff2", "font/woff2"},
      {".txt", "text/plain; charset=utf-8"},
  }};
  const std::size_t dot = name.rfind('.');
  for (const Type& type : types) {
    if (dot != std::string_view::npos && name.substr(dot) == type.ending) return type.type;
  }
  return "application/octet-stream";
}

Site::Site(std::vector<Mount> mounts) {
  for (Mount& mount : mounts) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(mount.folder, ignored)) {
      throw Error(ErrorKind::bad_file, mount.folder.string(), "is not a folder");
    }
    std::string_view prefix = mount.prefix;
    if (prefix.size() > 1 && prefix.back() == '/') prefix.remove_suffix(1);
    std::optional<std::vector<std::string>> steps = path_of(prefix);
    if (!steps) {
      throw Error(ErrorKind::invalid_input, mount.prefix,
                  "is not a path; expected one like /scenes/");
    }
    folders_.push_back({std::move(*steps), std::move(mount.folder)});
  }
  std::stable_sort(folders_.begin(), folders_.end(), [](const Folder& a, const Folder& b) {
    return a.prefix.size() > b.prefix.size();
  });
}

std::optional<Site::Found> Site::open(std::string_view target) const {
  std::optional<std::vector<std::string>> steps = path_of(target);
  if (!steps) return std::nullopt;
  if (steps->empty()) steps->emplace_back("index.html");
  for (const Folder& mount : folders_) {
    const auto& prefix = mount.prefix;
    if (steps->size() <= prefix.size() || !std::equal(prefix.begin(), prefix.end(), steps->begin()))
      continue;
    const std::vector<std::string> rest(steps->begin() + static_cast<std::ptrdiff_t>(prefix.size()),
                                        steps->end());
    const int descriptor = open_below(mount.folder, rest);
    if (descriptor < 0) return std::nullopt;
    struct stat about {};
    const bool is_file = ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
    OpenFile file(descriptor, is_file ? static_cast<std::uint64_t>(about.st_size) : 0);
    if (!is_file) return std::nullopt;
    return Found{std::move(file), media_type(rest.back()), has_hash(*steps)};
  }
  return std::nullopt;
}

}  // namespace supple

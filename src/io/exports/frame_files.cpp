#include "io/exports/frame_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "io/exports/atomic_file.h"

namespace supple {

namespace {

constexpr std::string_view prefix = "frame_";

}  // namespace

FrameFiles::FrameFiles(std::filesystem::path folder, std::string_view ending, int num_frames)
    : folder_(std::move(folder)),
      ending_(ending),
      num_frames_(num_frames),
      digits_(std::max(4, static_cast<int>(std::to_string(num_frames - 1).size()))) {
  make_folder(folder_);
}

std::string FrameFiles::name(int frame) const {
  return fmt::format("{}{:0{}}.{}", prefix, frame, digits_, ending_);
}

void FrameFiles::remove_others() const {
  std::vector<std::filesystem::path> others;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder_, error);
  for (const std::filesystem::directory_iterator end; !error && entry != end;
       entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    if (!file.starts_with(prefix) || !file.ends_with("." + ending_)) continue;
    const std::string number =
        file.substr(prefix.size(), file.size() - prefix.size() - ending_.size() - 1);
    const bool ours =
        !number.empty() && number.size() <= 9 &&
        std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!ours) continue;
    const int frame = std::stoi(number);
    if (frame >= num_frames_ || file != name(frame)) others.push_back(entry->path());
  }
  for (const auto& path : others) std::filesystem::remove(path, error);
}

}  // namespace supple

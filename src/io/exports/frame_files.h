#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace supple {

/// A folder of files, one per frame: FOLDER/frame_0000.ENDING, with more digits if there are more
/// than ten thousand frames.
class FrameFiles {
 public:
  /// Makes the folder. Throws Error{bad_file}.
  FrameFiles(std::filesystem::path folder, std::string_view ending, int num_frames);

  std::string name(int frame) const;
  std::filesystem::path path(int frame) const { return folder_ / name(frame); }

  /// Removes files of this pattern that do not belong to this series. The rest of an earlier,
  /// longer series would otherwise look like its end.
  void remove_others() const;

 private:
  std::filesystem::path folder_;
  std::string ending_;
  int num_frames_;
  int digits_;
};

}  // namespace supple

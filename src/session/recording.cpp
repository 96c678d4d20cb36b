#include <algorithm>
#include <filesystem>
#include <fstream>

#include "io/exports/exports.h"
#include "session/command_list.h"
#include "session/session_state.h"
#include "supple/error.h"

namespace supple {

namespace {

using std::filesystem::path;

constexpr std::size_t most_recorded = std::size_t{512} << 20;  // bytes of positions
constexpr std::uintmax_t most_exported = std::uintmax_t{512} << 20;

/// A new folder for files that are sent and then deleted.
class PassingFolder {
 public:
  PassingFolder() {
    const path parent = std::filesystem::temp_directory_path();
    constexpr int most_attempts = 10'000;
    for (int i = 0; i < most_attempts; ++i) {
      folder_ = parent / ("supple_export_" + std::to_string(i));
      if (std::filesystem::create_directory(folder_)) return;
    }
    folder_.clear();
    throw Error(ErrorKind::bad_file, parent.string(), "no folder can be made there");
  }
  ~PassingFolder() {
    std::error_code code;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, code);
  }
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;

  const path& folder() const { return folder_; }

 private:
  path folder_;
};

PacketWriter files_of(const path& folder) {
  std::vector<path> files;
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files.push_back(entry.path());
    bytes += entry.file_size();
  }
  if (bytes > most_exported) {
    throw Error(ErrorKind::invalid_input, "export",
                "the files have " + std::to_string(bytes) + " bytes; expected at most " +
                    std::to_string(most_exported) + ": record fewer frames");
  }
  std::sort(files.begin(), files.end());
  PacketWriter packet;
  ordered_json& list = packet.header()["files"] = ordered_json::array();
  for (std::size_t i = 0; i < files.size(); ++i) {
    list.push_back({{"name", std::filesystem::relative(files[i], folder).generic_string()}});
    std::ifstream stream(files[i], std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(stream)), {});
    if (!stream) throw Error(ErrorKind::bad_file, files[i].string(), "cannot be read");
    packet.add("file_" + std::to_string(i), content);
  }
  return packet;
}

}  // namespace

void end_recording(SessionState& s, const std::string& why) {
  if (!s.recording.on) return;
  s.recording.on = false;
  s.out.note({}, "info",
             "the recording has ended after " + std::to_string(s.recording.frames.size()) +
                 " frames: " + why);
}

void record_frame(SessionState& s) {
  Recording& recording = s.recording;
  if (!recording.on) return;
  if (recording.generation != s.generation) {
    end_recording(s, "the scene is another one");
    return;
  }
  refresh_positions(s);
  const std::size_t bytes = s.positions.size() * sizeof(float);
  if (recording.bytes + bytes > most_recorded) {
    end_recording(s, "it has " + std::to_string(most_recorded >> 20) + " MB");
    return;
  }
  std::vector<float> frame(s.positions.size());
  std::transform(s.positions.begin(), s.positions.end(), frame.begin(),
                 [](double x) { return static_cast<float>(x); });
  recording.frames.push_back(std::move(frame));
  recording.bytes += bytes;
}

Answer do_record(SessionState& s, Command&, ObjectReader& keys) {
  const bool on = keys.boolean("on");
  keys.finish();
  if (on && has_come_apart(s)) {
    throw Error(ErrorKind::invalid_input, "record",
                "something has come apart, and a recording has one mesh: reset first");
  }
  if (on) {
    s.recording = Recording{.on = true, .setup = s.asked, .generation = s.generation};
    record_frame(s);
  } else {
    s.recording.on = false;
  }
  Answer answer;
  answer.content["frames"] = s.recording.frames.size();
  return answer;
}

Answer do_export(SessionState& s, Command&, ObjectReader& keys) {
  const std::string format = keys.text("format");
  keys.finish();
  check_export(format, keys.where("format"));
  const Recording& recording = s.recording;
  if (recording.frames.empty()) {
    throw Error(ErrorKind::invalid_input, "export", "nothing has been recorded");
  }
  FrameSource source = frame_source(recording.setup->scene());
  source.num_frames = static_cast<int>(recording.frames.size());
  source.read = [&](int frame, std::span<double> positions) {
    const std::vector<float>& from = recording.frames[static_cast<std::size_t>(frame)];
    std::copy(from.begin(), from.end(), positions.begin());
  };
  if (recording.generation == s.generation && s.simulation->num_tets() > 0 &&
      !elements_change(s.simulation->scene())) {
    source.measure = [&](int, std::span<const double> x) { return s.simulation->measure(x); };
  }
  const PassingFolder passing;
  export_frames(format, source, passing.folder());
  Answer answer;
  answer.packet = files_of(passing.folder());
  return answer;
}

}  // namespace supple

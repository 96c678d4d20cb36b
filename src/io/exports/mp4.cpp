#include <algorithm>
#include <array>
#include <cmath>

#include "io/exports/formats.h"
#include "io/exports/pictures.h"
#include "io/exports/video_encoder.h"

namespace supple {

VideoTiming video_timing(int num_frames, double frame_step) {
  constexpr double most_a_second = 60;
  constexpr int fewest = 60;  // per second
  // If every frame fits, the step's own rate is kept; the tolerance makes 1/60 s fit, too.
  const double skipped = 1 / (most_a_second * frame_step) * (1 - 1e-9);
  const int longest_stride = std::max(1, num_frames / fewest);
  VideoTiming timing;
  timing.stride =
      static_cast<int>(std::clamp(std::ceil(skipped), 1.0, static_cast<double>(longest_stride)));
  timing.num_frames = (num_frames + timing.stride - 1) / timing.stride;
  timing.frames_per_second = std::clamp(1 / (timing.stride * frame_step), 1.0, most_a_second);
  return timing;
}

std::span<const ExportFormat> video_formats() {
  static constexpr std::array<ExportFormat, 1> formats{
      {{"mp4", "video: animation.mp4, drawn like preview.png, encoded by the program ffmpeg",
        [](const FrameSource& source, const std::filesystem::path& folder,
           const ExportOptions& options) {
          export_mp4(source, folder, options.video_width, options.video_height, options.threads);
        }}}};
  return formats;
}

void export_mp4(const FrameSource& source, const std::filesystem::path& folder, int width,
                int height, int threads) {
  const VideoTiming timing = video_timing(source.num_frames, source.frame_step);
  VideoEncoder encoder(folder / "animation.mp4", width, height, timing.frames_per_second);
  Threads pool(threads);
  const SceneView view(viewed_scene(source), pool);
  FrameReader reader(source);
  for (int i = 0; i < timing.num_frames; ++i) {
    const int frame = i * timing.stride;
    encoder.add(view.draw(reader.read(frame), frame * source.frame_step, width, height));
  }
  encoder.finish();
}

}  // namespace supple

#include "supple/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "supple/say.h"

namespace supple::cli {

namespace {

constexpr auto redraw_interval = std::chrono::milliseconds(50);

bool is_terminal() {
  const char* const kind = std::getenv("TERM");
  const bool dumb = kind != nullptr && std::string_view(kind) == "dumb";
  return ::isatty(STDOUT_FILENO) == 1 && !dumb;
}

std::size_t terminal_width() {
  winsize size{};
  constexpr std::size_t usual = 80;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
  return size.ws_col;
}

/// "3.2 s", "4 min 05 s", "2 h 03 min".
std::string duration(double seconds) {
  constexpr double longest_seconds = 99.95;
  if (seconds < longest_seconds) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

Progress::Progress(int first, int last)
    : first_(first), last_(last), terminal_(is_terminal()), start_(Clock::now()) {
  if (terminal_ && first_ <= last_) draw(bar(first_ - 1));
}

Progress::~Progress() { finish(); }

std::string Progress::bar(int frame) const {
  constexpr int width = 24;
  const double share = last_ > 0 ? static_cast<double>(frame) / last_ : 1;
  const auto full = static_cast<std::size_t>(share * width);
  return fmt::format("[{:<{}}] {:3.0f} %  frame {}/{}", std::string(full, '#'), width, 100 * share,
                     frame, last_);
}

std::string Progress::numbers(int frame, double seconds) const {
  const int done = frame - first_ + 1;
  if (done < 1 || !(seconds > 0)) return "";
  const double rate = done / seconds;
  return fmt::format("  {:.{}f} frames/s  {} left", rate, rate < 100 ? 1 : 0,
                     duration((last_ - frame) / rate));
}

void Progress::draw(const std::string& line) {
  // The last column stays free, because some terminals wrap there.
  const std::string shown = line.substr(0, terminal_width() - 1);
  say("\r" + shown + "\x1b[K");
  drawn_ = true;
  last_draw_ = Clock::now();
}

void Progress::frame_done(int frame) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (terminal_) {
    if (frame < last_ && now - last_draw_ < redraw_interval) return;
    draw(bar(frame) + numbers(frame, seconds));
    return;
  }
  const int tenths =
      static_cast<int>(10LL * (frame - first_ + 1) / std::max(1, last_ - first_ + 1));
  if (tenths == tenths_) return;
  tenths_ = tenths;
  say(fmt::format("frame {}/{} ({:.0f} %){}\n", frame, last_, 100.0 * frame / last_,
                  numbers(frame, seconds)));
}

void Progress::stage(int done, int total, const std::string& label) {
  if (!terminal_) {
    if (done < total) say(fmt::format("solver {}/{}: {}\n", done + 1, total, label));
    return;
  }
  constexpr int width = 24;
  const auto full = static_cast<std::size_t>(width * done / std::max(1, total));
  draw(fmt::format("[{:<{}}] {}/{}  {}", std::string(full, '#'), width, done, total, label));
}

void Progress::writing(const std::string& output) {
  if (terminal_) draw("writing " + output + " ...");
}

void Progress::finish() {
  if (!drawn_) return;
  say("\r\x1b[K");
  drawn_ = false;
}

}  // namespace supple::cli

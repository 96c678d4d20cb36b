#include "supple/say.h"

#include <cerrno>
#include <cstdio>

namespace supple::cli {

namespace {
bool failed = false;
}  // namespace

void say(const std::string& text) {
  errno = 0;
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written && errno != EPIPE && errno != EBADF) failed = true;
}

void complain(const std::string& message) {
  const std::string line = "supple: " + message + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

bool output_failed() { return failed; }

}  // namespace supple::cli

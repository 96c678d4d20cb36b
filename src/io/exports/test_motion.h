#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "io/exports/frame_source.h"
#include "io/exports/npy.h"

// Helpers shared by the tests of this room: a motion that can be computed anywhere, a folder, other
// programs.

namespace supple::testing_exports {

namespace fs = std::filesystem;

/// A folder that is removed with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "supple_exports_XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Two bodies with interior vertices and one vertex that nothing uses. The first body twists and
/// falls, the second swells.
inline Scene test_scene() {
  Scene scene;
  Body bar, ball;
  bar.name = "7 odd/bär";
  bar.mesh = generate(BoxGenerator{{2, 1, 1}, {4, 2, 2}});
  bar.mesh.vertices.push_back({9, 9, 9});
  ball.name = "ball";
  ball.mesh = generate(SphereGenerator{0.5, 4, {0, 2, 0}});
  scene.bodies = {bar, ball};
  scene.time.step = 0.04;
  scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -1}, {}});
  return scene;
}

inline FrameSource test_motion(const Scene& scene, int num_frames) {
  FrameSource source = frame_source(scene);
  source.num_frames = num_frames;
  const std::vector<double> rest = source.rest;
  const int second = source.bodies[1].first_vertex;
  source.read = [rest, second](int frame, std::span<double> x) {
    for (std::size_t i = 0; i < x.size(); i += 3) {
      if (static_cast<int>(i / 3) < second) {
        const double angle = 0.1 * frame * rest[i];
        x[i] = rest[i];
        x[i + 1] = std::cos(angle) * rest[i + 1] - std::sin(angle) * rest[i + 2] - 0.01 * frame;
        x[i + 2] = std::sin(angle) * rest[i + 1] + std::cos(angle) * rest[i + 2];
      } else {
        for (std::size_t d = 0; d < 3; ++d) x[i + d] = (1 + 0.05 * frame) * rest[i + d];
      }
    }
  };
  return source;
}

inline std::vector<double> positions(const FrameSource& source, int frame) {
  std::vector<double> x(3 * static_cast<std::size_t>(source.num_vertices));
  source.read(frame, x);
  return x;
}

/// All frames as an array that Python can load.
inline void write_positions(const FrameSource& source, const fs::path& path) {
  NpyWriter writer(path, source.num_vertices);
  for (int frame = 0; frame < source.num_frames; ++frame) writer.append(positions(source, frame));
  writer.finish();
}

/// Runs a shell command and returns its exit code; `output` receives what it wrote.
inline int run(const std::string& command, std::string* output = nullptr) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return -1;
  std::array<char, 4096> block{};
  std::size_t n = 0;
  while ((n = std::fread(block.data(), 1, block.size(), pipe)) > 0) {
    if (output != nullptr) output->append(block.data(), n);
  }
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

inline bool has_program(const char* name) { return run(std::string("command -v ") + name) == 0; }

/// Debian's Python has NumPy and VTK; another Python that comes first on PATH may lack them.
inline const std::string python = "/usr/bin/python3";
inline bool python_has(const std::string& module) {
  return run(python + " -c 'import " + module + "'") == 0;
}

inline std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline fs::path room_tests() { return fs::path(SUPPLE_SOURCE_DIR) / "src/io/exports/tests"; }

}  // namespace supple::testing_exports

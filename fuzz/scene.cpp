#include <string>
#include <string_view>

#include "check.h"
#include "io/scene/scene_json.h"
#include "sim/stepper.h"

namespace supple::fuzz {
namespace {

/// No files are read: every file name stands for a small mesh.
SceneSources sources() {
  SceneSources sources;
  sources.max_tets = 5000;
  sources.tet_mesh = [](const std::string&) {
    TetMesh mesh = generate(TetrahedronGenerator{});
    mesh.tet_fields["stiffness"] = {1e5};
    return mesh;
  };
  sources.triangle_mesh = [](const std::string&) {
    return TriangleMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                        {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
  };
  sources.strands_or_surface = [](const std::string& name) {
    if (name.ends_with(".off")) {
      return SpringMesh{.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}},
                        .triangles = {{0, 1, 2}, {2, 1, 3}}};
    }
    return SpringMesh{.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}},
                      .segments = {{0, 1}, {1, 2}},
                      .structural = {{0, 1}, {1, 2}},
                      .bending = {{0, 2}}};
  };
  sources.height_grid = [](const std::string&) { return HeightGrid{3, 2, {0, 1, 0, 0, 0.5, 0}}; };
  return sources;
}

/// A scene that is accepted and written out with its defaults must read back as the same scene.
void check(std::string_view text) {
  std::string settings;
  try {
    settings = parse_scene(text, "input", sources()).settings;
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::invalid_input, "a broken scene is invalid input");
    require(error.where().starts_with("input"), "an error names its file");
    require(!error.message().empty(), "an error has a message");
    for (const char c : std::string_view(error.what())) {
      require(c >= ' ' && c <= '~', "a message is one printable line");
    }
    return;
  }
  require(parse_scene(settings, "input", sources()).settings == settings,
          "settings read back are the same");
}

}  // namespace
}  // namespace supple::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  supple::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}

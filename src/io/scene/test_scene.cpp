#include "io/scene/test_scene.h"

#include <gtest/gtest.h>

namespace supple::test {

const char* const smallest_scene = R"({
  "supple": 1,
  "bodies": [ { "mesh": { "box": { "cells": [1, 1, 1] } },
                "material": { "model": "neo_hookean", "young": 1e5, "poisson": 0.4 } } ]
})";

SceneSources sources() {
  SceneSources sources;
  sources.tet_mesh = [](const std::string& path) {
    if (path != "block.mesh") throw Error(ErrorKind::bad_file, path, "there is no such file");
    TetMesh mesh = generate(BoxGenerator{.cells = {2, 2, 2}});
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
      mesh.tet_fields["young"].push_back(1e5 + static_cast<double>(t));
      mesh.tet_fields["poisson"].push_back(0.3);
      mesh.tet_fields["broken"].push_back(t == 7 ? -1 : 0.2);
    }
    return mesh;
  };
  sources.triangle_mesh = [](const std::string& path) {
    if (path != "block.obj") throw Error(ErrorKind::bad_file, path, "there is no such file");
    return TriangleMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                        {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
  };
  sources.strands_or_surface = [surface = sources.triangle_mesh](const std::string& path) {
    if (path == "block.obj") {
      const TriangleMesh block = surface(path);
      return SpringMesh{.vertices = block.vertices, .triangles = block.triangles};
    }
    if (path == "shirt.obj") {
      return SpringMesh{
          .vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 0.5, 0}, {0, 0, 1}},
          .triangles = {{0, 1, 2}, {2, 1, 3}, {1, 4, 3}, {0, 5, 1}, {0, 1, 5}}};
    }
    if (path != "hair.obj") throw Error(ErrorKind::bad_file, path, "there is no such file");
    SpringMesh mesh{.vertices = {{0, 0, 0}, {0, -1, 0}, {0, -2, 0}, {1, 0, 0}, {1, -1, 0}},
                    .segments = {{0, 1}, {1, 2}, {3, 4}},
                    .bending = {{0, 2}}};
    mesh.structural = mesh.segments;
    return mesh;
  };
  sources.height_grid = [](const std::string& path) {
    if (path != "hills.txt") throw Error(ErrorKind::bad_file, path, "there is no such file");
    return HeightGrid{3, 2, {0, 1, 0, 0, 0.5, 0}};
  };
  return sources;
}

LoadedScene parse(const std::string& text, const std::vector<Override>& overrides) {
  return parse_scene(text, "bar.json", sources(), overrides);
}

Error error_of(const std::string& text, const std::vector<Override>& overrides) {
  try {
    parse(text, overrides);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "accepted: " << text;
  return {ErrorKind::non_finite, "", ""};
}

}  // namespace supple::test

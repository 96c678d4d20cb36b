#pragma once

#include <string>
#include <vector>

#include "io/scene/scene_json.h"
#include "supple/error.h"

/// Helpers shared by the tests of this room.
namespace supple::test {

/// "block.mesh" is a cube of 2 x 2 x 2 cells with the fields "young" and "poisson" (valid) and
/// "broken" (negative); "block.obj" is a tetrahedron. No other files exist.
SceneSources sources();

/// Parses the text as a scene named "bar.json".
LoadedScene parse(const std::string& text, const std::vector<Override>& overrides = {});

/// The error that parsing throws. Fails the test and returns an empty error if it throws nothing.
Error error_of(const std::string& text, const std::vector<Override>& overrides = {});

/// A valid scene of one body, as short as possible.
extern const char* const smallest_scene;

}  // namespace supple::test

#pragma once

#include <string>
#include <vector>

#include "io/scene/scene_json.h"
#include "supple/error.h"

/// What the tests of this room share.
namespace supple::test {

/// "block.mesh" is a cube of 2 x 2 x 2 cells with the fields "young" and "poisson" (sound) and
/// "broken" (negative); "block.obj" is a tetrahedron. Everything else is not there.
SceneSources sources();

/// The scene in a text named "bar.json".
LoadedScene parse(const std::string& text, const std::vector<Override>& overrides = {});

/// What parsing throws. Fails the test and returns an empty error where it throws nothing.
Error error_of(const std::string& text, const std::vector<Override>& overrides = {});

/// A sound scene of one body, as short as it gets.
extern const char* const smallest_scene;

}  // namespace supple::test

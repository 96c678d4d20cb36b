#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "supple/io.h"

/// JSON as scenes use it: strict, with `//` comments, and no key twice in an object.
namespace supple {

inline constexpr std::size_t largest_scene_file = std::size_t{64} << 20;  // bytes
inline constexpr std::size_t deepest_json = 64;                           // nested brackets
inline constexpr std::size_t most_keys = 256;                             // in one object

/// The whole text of a scene file. Throws Error{bad_file} if it is not a file, cannot be read or is
/// larger than `largest_scene_file`.
std::string load_scene_text(const std::filesystem::path& file);

/// The document. `name` is used in errors. Throws Error{invalid_input} at "name:LINE:COLUMN" for
/// text that is not JSON, numbers beyond the range of a double and brackets nested deeper than
/// `deepest_json`, and at "name: /json/pointer" for a key that occurs twice in an object and for
/// more than `most_keys` keys.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& name);

/// Applies the overrides to the document, one after the other. A missing key is added, with the
/// objects on the way to it; "-" and the length of an array append to it; the value `null` removes.
/// Throws Error{invalid_input} naming `name` and the pointer if something is not a JSON pointer, an
/// array index is out of range or a path leads through a value.
void apply_overrides(const std::vector<Override>& overrides, const std::string& name,
                     nlohmann::ordered_json& document);

/// A key as written in a JSON pointer: ~0 for ~, ~1 for /. Characters that a terminal cannot show
/// become ?, and a key longer than 80 characters is cut.
std::string pointer_step(std::string_view key);

/// "name: pointer", or `name` alone for the whole document.
std::string json_place(const std::string& name, const std::string& pointer);

}  // namespace supple

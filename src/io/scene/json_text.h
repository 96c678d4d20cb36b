#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "supple/io.h"

/// JSON as scenes use it: strict, with `//` comments, every key of an object once.
namespace supple {

inline constexpr std::size_t largest_scene_file = std::size_t{64} << 20;  // bytes
inline constexpr std::size_t deepest_json = 64;                           // brackets in brackets
inline constexpr std::size_t most_keys = 256;                             // of one object

/// The whole text of a scene file. Throws Error{bad_file} for what is no file, cannot be read or is
/// larger than `largest_scene_file`.
std::string load_scene_text(const std::filesystem::path& file);

/// The document. `name` stands in errors. Throws Error{invalid_input} at "name:LINE:COLUMN" for
/// what is not JSON, a number beyond a double and brackets deeper than `deepest_json`, and at
/// "name: /json/pointer" for a key that stands twice in an object and for more than `most_keys`.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& name);

/// Puts the overrides into the document, one after the other. A key that is not there is added,
/// with the objects on the way to it; "-" and the length of an array append to it; the value
/// `null` removes. Throws Error{invalid_input} naming `name` and the pointer for what is not a JSON
/// pointer, an array index out of range and a way that leads through a value.
void apply_overrides(const std::vector<Override>& overrides, const std::string& name,
                     nlohmann::ordered_json& document);

/// A key as it stands in a JSON pointer: ~0 for ~, ~1 for /; what a terminal cannot show becomes ?,
/// and what is longer than 80 characters is cut.
std::string pointer_step(std::string_view key);

/// "name: pointer", or `name` alone for the whole document.
std::string json_place(const std::string& name, const std::string& pointer);

}  // namespace supple

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace supple {

/// The known name nearest to a misspelt one, by edit distance (insert, delete, replace, swap of
/// neighbours), or "" where none is within a third of the longer name's length (at least 2 edits)
/// and has a letter in common.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

/// "there is no material 'neo_hookan'; did you mean 'neo_hookean'? Known: corotated, ...".
std::string unknown_name(std::string_view what, std::string_view name,
                         const std::vector<std::string>& known);

}  // namespace supple

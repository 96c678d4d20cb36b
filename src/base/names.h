#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "supple/choices.h"

namespace supple {

/// The known name nearest to a misspelt one, by edit distance (insert, delete, replace, swap of
/// neighbours). Returns "" if no name is within a third of the longer name's length (at least 2
/// edits) and has a letter in common.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

/// "there is no material 'neo_hookan'; did you mean 'neo_hookean'? Known: corotated, ...".
std::string unknown_name(std::string_view what, std::string_view name,
                         const std::vector<std::string>& known);

/// "stress, sequential, block".
std::string joined(const std::vector<std::string>& names);

std::vector<std::string> names_of(const std::vector<Description>& list);

/// Throws Error{invalid_input} at `where` unless the list has the index.
void require_index(const ChoiceList& list, std::size_t index, const std::string& where);

/// Throws Error{invalid_input} at `where` if the value is not an enumerator, which a cast can
/// cause.
template <Choice T>
void require_choice(T value, const std::string& where) {
  require_index(choices(value), static_cast<std::size_t>(value), where);
}

}  // namespace supple

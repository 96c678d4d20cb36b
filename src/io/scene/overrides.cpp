#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/scene/json_text.h"
#include "supple/error.h"

namespace supple {

using nlohmann::ordered_json;

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& pointer,
                         const std::string& message) {
  std::string shown;
  for (const char c : pointer.substr(0, 240)) shown += c >= ' ' && c <= '~' ? c : '?';
  throw Error(ErrorKind::invalid_input, json_place(name, shown), message);
}

/// The steps of a JSON pointer [RFC 6901], unescaped.
std::vector<std::string> steps_of(const std::string& pointer, const std::string& name) {
  if (pointer.empty() || pointer.front() != '/') {
    refuse(name, "'" + pointer + "'",
           "not a JSON pointer; expected something like /solver/iterations");
  }
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      steps.emplace_back();
    } else if (pointer[i] != '~') {
      steps.back() += pointer[i];
    } else {
      const char code = i + 1 < pointer.size() ? pointer[i + 1] : ' ';
      if (code != '0' && code != '1') {
        refuse(name, pointer, "in a JSON pointer ~ is followed by 0 (for ~) or 1 (for /)");
      }
      steps.back() += code == '0' ? '~' : '/';
      ++i;
    }
  }
  return steps;
}

/// The index that a step names in an array; the length of the array if the step appends.
std::size_t index_of(const ordered_json& array, const std::string& step, const Override& override_,
                     const std::string& name) {
  if (step == "-") return array.size();
  std::size_t index = 0;
  const char* const end = step.data() + step.size();
  const auto result = std::from_chars(step.data(), end, index);
  const bool leading_zero = step.size() > 1 && step.front() == '0';
  if (step.empty() || result.ec != std::errc() || result.ptr != end || leading_zero ||
      index > array.size()) {
    refuse(name, override_.pointer,
           "'" + pointer_step(step) + "' is not an index into a list of " +
               std::to_string(array.size()));
  }
  return index;
}

/// The value created for the steps from `next` on if there is none yet: a list if the next step is
/// an index or appends.
ordered_json empty_for(const std::vector<std::string>& steps, std::size_t next) {
  const bool in_list =
      next < steps.size() &&
      (steps[next] == "-" ||
       (!steps[next].empty() && steps[next].find_first_not_of("0123456789") == std::string::npos));
  return in_list ? ordered_json::array() : ordered_json::object();
}

/// Text that is not JSON is a string, so that --set /solver/method=newton needs no quotes.
ordered_json value_of(const Override& override_, const std::string& name) {
  // The value is parsed with the limits of a scene and refused if it exceeds them.
  if (!ordered_json::accept(override_.value)) return override_.value;
  return parse_json(override_.value, json_place(name, override_.pointer));
}

/// Sets the value in the document, or removes the old one if `value` is null.
void apply(const Override& override_, const std::string& name, ordered_json& document) {
  const std::vector<std::string> steps = steps_of(override_.pointer, name);
  ordered_json value = value_of(override_, name);
  const bool removes = value.is_null();
  ordered_json* at = &document;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool last = i + 1 == steps.size();
    if (at->is_array()) {
      const std::size_t index = index_of(*at, steps[i], override_, name);
      const bool is_new = index == at->size();
      if (is_new && removes) return;
      if (last && removes) {
        at->erase(index);
        return;
      }
      if (is_new) at->push_back(empty_for(steps, i + 1));
      at = &(*at)[index];
    } else if (at->is_object()) {
      const bool is_new = !at->contains(steps[i]);
      if (is_new && removes) return;
      if (last && removes) {
        at->erase(steps[i]);
        return;
      }
      if (is_new) (*at)[steps[i]] = empty_for(steps, i + 1);
      at = &(*at)[steps[i]];
    } else {
      refuse(name, override_.pointer,
             "the path to '" + pointer_step(steps[i]) + "' leads through a single value");
    }
  }
  *at = std::move(value);
}

}  // namespace

void apply_overrides(const std::vector<Override>& overrides, const std::string& name,
                     ordered_json& document) {
  for (const Override& override_ : overrides) apply(override_, name, document);
}

}  // namespace supple

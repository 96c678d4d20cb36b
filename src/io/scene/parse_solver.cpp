#include <nlohmann/json.hpp>

#include "io/scene/readers.h"
#include "supple/error.h"
#include "supple/io.h"

namespace supple {

namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& message) {
  throw Error(ErrorKind::invalid_input, "solver '" + text + "'", message);
}

/// Sets "key" = value or, for an object inside the object, "object/key" = value.
void set(nlohmann::ordered_json& solver, const std::string& path, const std::string& value,
         const std::string& text) {
  const std::size_t slash = path.find('/');
  const bool nested = slash != std::string::npos;
  nlohmann::ordered_json& object = nested ? solver[path.substr(0, slash)] : solver;
  const std::string key = nested ? path.substr(slash + 1) : path;
  if (key.empty()) refuse(text, "there is a value without a key; expected KEY=VALUE");
  if (!object.is_null() && (!object.is_object() || object.contains(key))) {
    refuse(text, path + " is given twice");
  }
  nlohmann::ordered_json parsed = nlohmann::ordered_json::parse(value, nullptr, false);
  const bool is_text = parsed.is_discarded() || parsed.is_structured();
  object[key] = is_text ? nlohmann::ordered_json(value) : std::move(parsed);
}

}  // namespace

LabelledSolver parse_solver(const std::string& text) {
  const std::size_t colon = text.find(':');
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  object["method"] = text.substr(0, colon);
  std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (colon != std::string::npos && rest.empty()) {
    refuse(text, "expected options after the colon: KEY=VALUE,...");
  }
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string option = rest.substr(0, comma);
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos) {
      refuse(text, "'" + option + "' is not an option; expected KEY=VALUE");
    }
    const std::string key = option.substr(0, equals);
    for (const char* own : {"iterations", "tolerance", "budget_ms"}) {
      if (key == own) refuse(text, key + " is the same for all solvers that are compared");
    }
    set(object, key, option.substr(equals + 1), text);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    if (comma != std::string::npos && rest.empty()) refuse(text, "ends with a comma");
  }
  ObjectReader reader(object, "solver '" + text + "'", "");
  LabelledSolver solver{.label = text, .settings = read_solver(reader)};
  reader.finish();
  return solver;
}

}  // namespace supple

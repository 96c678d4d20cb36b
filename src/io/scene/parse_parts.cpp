#include <nlohmann/json.hpp>

#include "io/scene/json_text.h"
#include "io/scene/readers.h"
#include "io/scene/scene_json.h"

namespace supple {

MaterialSettings parse_material(std::string_view text, const std::string& name,
                                const TetMesh& mesh) {
  const nlohmann::ordered_json document = parse_json(text, name);
  ObjectReader reader(document, name, "");
  MaterialSettings material = read_material(reader, mesh);
  reader.finish();
  return material;
}

std::vector<Pin> parse_pins(std::string_view text, const std::string& name, const TetMesh& mesh) {
  const nlohmann::ordered_json document = {{"pins", parse_json(text, name)}};
  ObjectReader reader(document, name, "");
  std::vector<Pin> pins;
  reader.each("pins", [&](ObjectReader& pin) { pins.push_back(read_pin(pin, mesh)); });
  reader.finish();
  return pins;
}

LineSearchSettings parse_line_search(std::string_view text, const std::string& name,
                                     SolverMethod method) {
  const nlohmann::ordered_json document = {{"method", to_string(method)},
                                           {"line_search", parse_json(text, name)}};
  ObjectReader reader(document, name, "");
  const LineSearchSettings settings = read_solver(reader).line_search;
  reader.finish();
  return settings;
}

}  // namespace supple

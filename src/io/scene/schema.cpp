#include "io/scene/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace supple {

using nlohmann::ordered_json;

namespace {

/// Objects that occur in many places, by key: each has one definition.
std::string shared_name(const std::string& key) {
  if (key == "from" || key == "to") return "select";
  if (key == "layers") return "material";
  const std::vector<std::string> shared{"material", "select", "motion", "transform"};
  return std::find(shared.begin(), shared.end(), key) == shared.end() ? "" : key;
}

/// Does the value of this key decide which other keys an object may have?
bool is_discriminator(const std::string& key) { return key == "model" || key == "method"; }

ordered_json list_of(const ordered_json& items, std::size_t count) {
  return {{"type", "array"}, {"items", items}, {"minItems", count}, {"maxItems", count}};
}

ordered_json schema_of(const Range& range, const char* type) {
  ordered_json schema{{"type", type}};
  if (std::isfinite(range.low)) {
    schema[range.low_included ? "minimum" : "exclusiveMinimum"] = range.low;
  }
  if (std::isfinite(range.high)) {
    schema[range.high_included ? "maximum" : "exclusiveMaximum"] = range.high;
  }
  return schema;
}

/// What a key accepts.
ordered_json schema_of(const ReadField& field) {
  const std::string type = field.type;
  const ordered_json number = schema_of(field.range, "number");
  ordered_json schema;
  if (type == "number") {
    schema = number;
  } else if (type == "integer") {
    schema = schema_of(field.range, "integer");
  } else if (type == "boolean") {
    schema = {{"type", "boolean"}};
  } else if (type == "text") {
    schema = {{"type", "string"}};
  } else if (type == "choice") {
    schema = {{"type", "string"}, {"enum", field.choices}};
  } else if (type == "vector") {
    schema = list_of(number, 3);
  } else if (type == "pair") {
    schema = list_of(number, 2);
  } else if (type == "box") {
    schema = list_of(list_of(number, 3), 2);
  } else if (type == "integers") {
    // The number of vertices depends on the mesh.
    Range range = field.range;
    range.high = infinity;
    schema = {{"type", "array"}, {"items", schema_of(range, "integer")}};
  } else if (type == "pairs") {
    schema = {{"type", "array"}, {"items", list_of({{"type", "number"}}, 2)}};
  } else {  // texts
    schema = {{"type", "array"}, {"items", {{"type", "string"}}}};
  }
  std::string text = field.what;
  if (field.range.unit[0] != '\0')
    text += (text.empty() ? "" : ", ") + std::string(field.range.unit);
  if (!text.empty()) schema["description"] = text;
  return schema;
}

/// Lists of rows of numbers, which are not fields.
ordered_json schema_of_rows() {
  return {{"type", "array"}, {"items", {{"type", "array"}, {"items", {{"type", "number"}}}}}};
}

/// What both accept: the names of both, and whatever else they agree on.
ordered_json merged(const ordered_json& a, const ordered_json& b) {
  ordered_json both = ordered_json::object();
  for (const auto& [key, value] : a.items()) {
    if (key == "enum" && b.contains("enum")) {
      both[key] = value;
      for (const ordered_json& name : b["enum"]) {
        if (std::find(value.begin(), value.end(), name) == value.end()) both[key].push_back(name);
      }
    } else if (key == "items" && b.contains(key)) {
      both[key] = merged(value, b[key]);
    } else if (b.contains(key) && b[key] == value) {
      both[key] = value;
    }
  }
  return both;
}

/// What may occur in one place of a scene.
class Place {
 public:
  /// A value that was read; document: the value as it was given, null if it was not given.
  void add_field(const ReadField& field, const ordered_json& value, const ordered_json* document) {
    ordered_json schema = schema_of(field);
    if (std::string(field.type) == "integers" && !field.required) {  // as many as the default has
      schema["minItems"] = schema["maxItems"] = value.size();
    }
    add_form(std::move(schema));
    if (document != nullptr || std::string(field.type) == "text") return;
    has_defaults_ = has_defaults_ || (default_ && *default_ != value);
    default_ = value;
  }
  void add_form(ordered_json schema) {
    for (ordered_json& form : forms_) {
      // Points, corners and the like have the same type, but their lists differ in length.
      if (form["type"] != schema["type"]) continue;
      if (form["type"] == "array" && form.value("maxItems", 0) != schema.value("maxItems", 0)) {
        continue;
      }
      form = merged(form, schema);
      return;
    }
    forms_.push_back(std::move(schema));
  }
  Place& items() {
    if (!items_) items_ = std::make_unique<Place>();
    return *items_;
  }
  void refer(const std::string& name) { reference_ = name; }
  Place& property(const std::string& key) {
    for (auto& [name, place] : properties_) {
      if (name == key) return *place;
    }
    return *properties_.emplace_back(key, std::make_unique<Place>()).second;
  }
  /// An object with these keys occurs here; some of the keys were required.
  void add_object(const ordered_json& object, const std::vector<std::string>& required) {
    if (num_objects_++ == 0) required_ = required;
    std::erase_if(required_, [&](const std::string& key) {
      return std::find(required.begin(), required.end(), key) == required.end();
    });
    for (const auto& [key, value] : object.items()) {
      if (!is_discriminator(key)) continue;
      auto& keys = keys_of_[key][value.get<std::string>()];
      for (const auto& item : object.items()) {
        if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) {
          keys.push_back(item.key());
        }
      }
    }
  }

  ordered_json schema() const {
    std::vector<ordered_json> all = forms_;
    if (!reference_.empty()) all.push_back({{"$ref", "#/definitions/" + reference_}});
    if (num_objects_ > 0) all.push_back(schema_of_object());
    if (items_) all.push_back({{"type", "array"}, {"items", items_->schema()}});
    if (all.empty()) return ordered_json::object();
    ordered_json schema = all[0];
    if (all.size() > 1) schema = {{"anyOf", all}};
    if (default_ && !has_defaults_) schema["default"] = *default_;
    return schema;
  }

 private:
  ordered_json schema_of_object() const {
    ordered_json schema{{"type", "object"}, {"properties", ordered_json::object()}};
    for (const auto& [key, place] : properties_) schema["properties"][key] = place->schema();
    schema["additionalProperties"] = false;
    if (!required_.empty()) schema["required"] = required_;
    for (const auto& [key, values] : keys_of_) {
      for (const auto& [value, keys] : values) {
        const ordered_json is_it{{"properties", {{key, {{"const", value}}}}}, {"required", {key}}};
        schema["allOf"].push_back({{"if", is_it}, {"then", {{"propertyNames", {{"enum", keys}}}}}});
      }
    }
    return schema;
  }

  std::vector<ordered_json> forms_;  ///< of plain values
  std::optional<ordered_json> default_;
  bool has_defaults_ = false;     ///< there are several
  std::unique_ptr<Place> items_;  ///< of a list of objects
  std::string reference_;         ///< the name of a definition elsewhere
  std::vector<std::pair<std::string, std::unique_ptr<Place>>> properties_;
  int num_objects_ = 0;
  std::vector<std::string> required_;  ///< required in every object
  /// The keys that occur together with each value of a discriminator.
  std::map<std::string, std::map<std::string, std::vector<std::string>>> keys_of_;
};

class SchemaMaker {
 public:
  void add(const std::string& example) {
    const ordered_json document = ordered_json::parse(example);
    const LoadedScene loaded = parse_scene(example, "example", schema_sources());
    fields_.clear();
    for (const ReadField& field : loaded.fields) fields_[field.pointer] = &field;
    add_object(scene_, ordered_json::parse(loaded.settings), &document, "");
  }

  std::string schema() const {
    ordered_json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                        {"title", "A scene of supple"}};
    schema.update(scene_.schema());
    schema["properties"]["$schema"] = {{"type", "string"}};
    for (const auto& [name, place] : shared_) schema["definitions"][name] = place.schema();
    constexpr int indent = 1;
    return schema.dump(indent) + "\n";
  }

 private:
  void add_object(Place& place, const ordered_json& object, const ordered_json* document,
                  const std::string& pointer) {
    std::vector<std::string> required;
    for (const auto& [key, value] : object.items()) {
      const std::string below = fmt::format("{}/{}", pointer, key);
      const bool is_given = document != nullptr && document->contains(key);
      const ordered_json* const given = is_given ? &(*document)[key] : nullptr;
      const auto found = fields_.find(below);
      if (found != fields_.end() && found->second->required) required.push_back(key);
      add_value(place.property(key), key, value, given, below);
    }
    place.add_object(object, required);
  }

  void add_value(Place& place, const std::string& key, const ordered_json& value,
                 const ordered_json* document, const std::string& pointer) {
    if (const auto found = fields_.find(pointer); found != fields_.end()) {
      place.add_field(*found->second, value, document);
    } else if (value.is_object()) {
      add_object(target(place, key), value, document, pointer);
    } else if (!value.empty() && value[0].is_array()) {
      place.add_form(schema_of_rows());
    } else {
      for (std::size_t i = 0; i < value.size(); ++i) {
        add_object(target(place.items(), key), value[i], &(*document)[i],
                   pointer + "/" + std::to_string(i));
      }
    }
  }

  /// The place that describes an object under a key.
  Place& target(Place& place, const std::string& key) {
    const std::string name = shared_name(key);
    if (name.empty()) return place;
    place.refer(name);
    return shared_[name];
  }

  Place scene_;
  std::map<std::string, Place> shared_;
  std::map<std::string, const ReadField*> fields_;  ///< those of the example, by pointer
};

}  // namespace

std::string scene_schema() {
  SchemaMaker maker;
  for (const std::string& example : schema_examples()) maker.add(example);
  return maker.schema();
}

}  // namespace supple

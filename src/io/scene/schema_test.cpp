#include "io/scene/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "supple/error.h"

/// Compares the schema with the reader. tests/tools/schema_test.py compares it with scenes.
namespace supple {
namespace {

using nlohmann::ordered_json;

/// The parts of a schema and its alternatives that describe objects or lists.
std::vector<const ordered_json*> branches(const ordered_json& schema, const ordered_json& at) {
  if (at.contains("$ref")) {
    const auto name = at["$ref"].get<std::string>().substr(std::string("#/definitions/").size());
    return branches(schema, schema["definitions"][name]);
  }
  if (!at.contains("anyOf")) return {&at};
  std::vector<const ordered_json*> all;
  for (const ordered_json& one : at["anyOf"]) {
    for (const ordered_json* branch : branches(schema, one)) all.push_back(branch);
  }
  return all;
}

/// Does the schema allow the key in an object with this "model" or "method"?
bool allows(const ordered_json& schema, const ordered_json& object, const std::string& key) {
  for (const ordered_json& rule : schema.value("allOf", ordered_json::array())) {
    const auto condition = rule["if"]["properties"].begin();
    if (object.value(condition.key(), "") != condition.value()["const"]) continue;
    const ordered_json& keys = rule["then"]["propertyNames"]["enum"];
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) return false;
  }
  return schema["properties"].contains(key);
}

/// Calls visit(object schema, pointer) for every object in a document.
template <class Visit>
void walk(const ordered_json& schema, const ordered_json& at, const ordered_json& document,
          const std::string& pointer, const Visit& visit) {
  for (const ordered_json* branch : branches(schema, at)) {
    if (document.is_object() && branch->contains("properties")) {
      visit(*branch, pointer);
      for (const auto& [key, value] : document.items()) {
        ASSERT_TRUE((*branch)["properties"].contains(key)) << pointer << "/" << key;
        walk(schema, (*branch)["properties"][key], value, pointer + "/" + key, visit);
      }
    } else if (document.is_array() && branch->contains("items")) {
      for (std::size_t i = 0; i < document.size(); ++i) {
        walk(schema, (*branch)["items"], document[i], pointer + "/" + std::to_string(i), visit);
      }
    }
  }
}

std::string message_of(const ordered_json& document) {
  try {
    parse_scene(document.dump(), "example", schema_sources());
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

/// Calls visit(document, object schema, pointer) for every object in the examples.
template <class Visit>
void for_objects(const Visit& visit) {
  const ordered_json schema = ordered_json::parse(scene_schema());
  for (const std::string& example : schema_examples()) {
    const ordered_json document = ordered_json::parse(example);
    walk(schema, schema, document, "", [&](const ordered_json& object, const std::string& at) {
      visit(document, object, ordered_json::json_pointer(at));
    });
  }
}

TEST(Schema, HasTheKeysThatTheReaderSaysItKnows) {
  int count = 0;
  for_objects([&](const ordered_json& document, const ordered_json& object,
                  const ordered_json::json_pointer& at) {
    ordered_json spoilt = document;
    spoilt[at]["qqqq"] = 0;
    const std::string message = message_of(spoilt), known = "Known: ";
    const std::size_t begin = message.find(known);
    ASSERT_NE(begin, std::string::npos) << at << ": " << message;
    std::istringstream keys(message.substr(begin + known.size()));
    for (std::string key; keys >> key; ++count) {
      if (key.back() == ',') key.pop_back();
      EXPECT_TRUE(allows(object, document[at], key)) << at << "/" << key << ": " << document;
    }
  });
  EXPECT_GT(count, 1000);
}

TEST(Schema, RequiresWhatTheReaderRequires) {
  int count = 0;
  for_objects([&](const ordered_json& document, const ordered_json& object,
                  const ordered_json::json_pointer& at) {
    for (const ordered_json& key : object.value("required", ordered_json::array())) {
      ordered_json spoilt = document;
      spoilt[at].erase(key.get<std::string>());
      EXPECT_NE(message_of(spoilt), "") << at << "/" << key;
      ++count;
    }
  });
  EXPECT_GT(count, 100);
}

TEST(Schema, MayStandInAScene) {
  const std::string scene = R"({ "$schema": "scene.schema.json", "supple": 1, "bodies": [
    { "mesh": { "tetrahedron": {} }, "material": { "model": "arap", "mu": 1 } } ] })";
  const LoadedScene loaded = parse_scene(scene, "scene.json", {});
  EXPECT_EQ(loaded.settings.find("$schema"), std::string::npos);
  EXPECT_EQ(message_of(ordered_json::parse(scene, nullptr, true, true)), "");
  ordered_json spoilt = ordered_json::parse(scene);
  spoilt["$schema"] = 1;
  EXPECT_NE(message_of(spoilt).find("expected a string"), std::string::npos);
}

}  // namespace
}  // namespace supple

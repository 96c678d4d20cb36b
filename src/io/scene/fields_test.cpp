#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "io/scene/test_scene.h"
#include "sim/stepper.h"
#include "supple/error.h"

namespace supple::test {
namespace {

using nlohmann::json;

const char* const small_scene = R"({
  "supple": 1,
  "solver": { "method": "l_bfgs", "line_search": { "type": "backtracking" } },
  "bodies": [ {
    "mesh": { "box": { "size": [1, 1, 1], "cells": [1, 1, 1] } },
    "material": { "model": "mooney_rivlin", "c1": 1, "c2": 2, "bulk": 3 },
    "regions": [ { "box": [[-9, -9, 0], [9, 9, 9]],
                   "material": { "model": "spline", "a": [[0, -1], [1, 0]], "c": [[0, -2], [2, 2]] } } ],
    "pins": [ { "select": { "vertices": [0, 3] },
                "motion": { "translate": { "velocity": [0, 0.5, 0] } } } ] } ],
  "colliders": [ { "sphere": { "center": [1, 2, 3], "radius": 4 } } ]
})";

const ReadField& field_at(const LoadedScene& loaded, const std::string& pointer) {
  const auto found = std::find_if(loaded.fields.begin(), loaded.fields.end(),
                                  [&](const ReadField& f) { return f.pointer == pointer; });
  if (found == loaded.fields.end()) throw std::runtime_error("there is no field " + pointer);
  return *found;
}

/// Adds the pointers of all values that are not objects. Lists of objects are entered.
void add_leaves(const json& value, const std::string& pointer, std::set<std::string>& leaves) {
  const bool is_list_of_objects = value.is_array() && !value.empty() && value[0].is_object();
  if (!value.is_object() && !is_list_of_objects) {
    if (!(value.is_array() && value.empty())) leaves.insert(pointer);
    return;
  }
  for (const auto& item : value.items()) {
    add_leaves(item.value(), pointer + "/" + item.key(), leaves);
  }
}

TEST(Fields, AreThoseOfTheSettings) {
  const LoadedScene loaded = parse(small_scene);
  std::set<std::string> leaves, fields;
  add_leaves(json::parse(loaded.settings), "", leaves);
  for (const ReadField& field : loaded.fields) {
    EXPECT_TRUE(fields.insert(field.pointer).second) << field.pointer << " stands there twice";
  }
  ASSERT_GT(leaves.size(), 30U);
  for (const std::string& leaf : leaves) EXPECT_TRUE(fields.contains(leaf)) << leaf;
  // A curve that is left out is zero and has no value to show.
  fields.erase("/bodies/0/regions/0/material/b");
  for (const std::string& field : fields) EXPECT_TRUE(leaves.contains(field)) << field;
}

TEST(Fields, SayWhatTheirKeysTake) {
  const LoadedScene loaded = parse(small_scene);
  const ReadField& history = field_at(loaded, "/solver/history");
  EXPECT_STREQ(history.type, "integer");
  EXPECT_EQ(history.range.low, 0);
  EXPECT_TRUE(history.range.low_included);
  EXPECT_FALSE(history.required);
  EXPECT_TRUE(field_at(loaded, "/bodies/0/material/c1").required);
  EXPECT_EQ(field_at(loaded, "/solver/initial_hessian").choices,
            solver_choices(SolverMethod::l_bfgs, "initial_hessian"));
  EXPECT_STREQ(field_at(loaded, "/gravity").type, "vector");
  EXPECT_STREQ(field_at(loaded, "/gravity").range.unit, "m/s^2");
  EXPECT_STREQ(field_at(loaded, "/bodies/0/regions/0/material/a").type, "pairs");
  EXPECT_STREQ(field_at(loaded, "/bodies/0/pins/0/select/vertices").type, "integers");
}

/// Where a scene is refused if the key has this value; empty if it is accepted.
std::string refusal(const std::string& pointer, const std::string& value) {
  try {
    parse(small_scene, {{pointer, value}});
  } catch (const Error& error) {
    return error.where();
  }
  return "";
}

TEST(Fields, RangesAndChoicesAreThoseThatAreChecked) {
  int num_ranges = 0, num_choices = 0;
  for (const ReadField& field : parse(small_scene).fields) {
    const bool is_number =
        field.type == std::string("number") || field.type == std::string("integer");
    if (is_number && std::isfinite(field.range.low)) {
      ++num_ranges;
      const std::string outside = json(field.range.low - 1).dump();
      EXPECT_TRUE(refusal(field.pointer, outside).ends_with(field.pointer)) << field.pointer;
    }
    if (field.type != std::string("choice")) continue;
    ++num_choices;
    EXPECT_TRUE(refusal(field.pointer, "\"no such name\"").ends_with(field.pointer));
    for (const std::string& choice : field.choices) {
      // Another model or integrator may need other keys, but the name itself is known.
      EXPECT_FALSE(refusal(field.pointer, json(choice).dump()).ends_with(field.pointer))
          << field.pointer << " " << choice;
    }
  }
  EXPECT_GT(num_ranges, 10);
  EXPECT_GE(num_choices, 6);
}

}  // namespace
}  // namespace supple::test

#include "io/scene/object_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/names.h"
#include "io/scene/json_text.h"
#include "supple/error.h"

namespace supple {

using nlohmann::ordered_json;

namespace {

const ordered_json& empty_object() {
  static const ordered_json object = ordered_json::object();
  return object;
}

/// A number as a person would write it: whole numbers without a fraction.
ordered_json number_json(double value) {
  constexpr double largest_exact = 9007199254740992.0;  // 2^53
  const bool minus_zero = value == 0 && std::signbit(value);
  if (std::trunc(value) == value && std::abs(value) < largest_exact && !minus_zero) {
    return static_cast<long long>(value);
  }
  return value;
}

ordered_json to_json(double value) { return number_json(value); }
ordered_json to_json(long long value) { return value; }
ordered_json to_json(bool value) { return value; }
ordered_json to_json(const std::string& value) { return value; }
ordered_json to_json(const Vec3& value) {
  return {number_json(value[0]), number_json(value[1]), number_json(value[2])};
}
ordered_json to_json(const Box& value) {
  return ordered_json::array({to_json(value.min), to_json(value.max)});
}
// Braces alone would turn a list of pairs into an object.
ordered_json to_json(const std::pair<double, double>& value) {
  return ordered_json::array({number_json(value.first), number_json(value.second)});
}
ordered_json to_json(const std::vector<std::pair<double, double>>& values) {
  ordered_json list = ordered_json::array();
  for (const auto& value : values) list.push_back(to_json(value));
  return list;
}
template <std::size_t count>
ordered_json to_json(const std::array<int, count>& value) {
  return value;
}
ordered_json to_json(const std::vector<int>& value) { return value; }
ordered_json to_json(const std::vector<std::string>& value) { return value; }
ordered_json to_json(const std::vector<Vec3>& values) {
  ordered_json list = ordered_json::array();
  for (const Vec3& value : values) list.push_back(to_json(value));
  return list;
}
ordered_json to_json(const std::vector<std::vector<double>>& rows) {
  ordered_json list = ordered_json::array();
  for (const auto& row : rows) {
    ordered_json& own = list.emplace_back(ordered_json::array());
    for (const double value : row) own.push_back(number_json(value));
  }
  return list;
}

Range whole_range(long long low, long long high) {
  return from_to(static_cast<double>(low), static_cast<double>(high));
}

std::string key_list(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "" : ", ") + key;
  return text;
}

bool among(std::string_view key, const std::vector<std::string>& keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

ObjectReader::ObjectReader(const Json& value, std::string file, std::string pointer)
    : value_(&value),
      file_(std::move(file)),
      pointer_(std::move(pointer)),
      record_(std::make_unique<Json>(Json::object())) {
  if (!value.is_object()) fail_type(pointer_, "an object {...}", value);
}

ObjectReader::~ObjectReader() = default;

// ------------------------------------------------------------------------- places and errors

std::string ObjectReader::place(std::string_view key) const {
  return pointer_ + "/" + pointer_step(key);
}
std::string ObjectReader::where() const { return json_place(file_, pointer_); }
std::string ObjectReader::where(std::string_view key) const {
  return json_place(file_, place(key));
}

void ObjectReader::fail(const std::string& message) const {
  throw Error(ErrorKind::invalid_input, where(), message);
}
void ObjectReader::fail(std::string_view key, const std::string& message) const {
  throw Error(ErrorKind::invalid_input, where(key), message);
}
void ObjectReader::fail_type(const std::string& at, const char* expected, const Json& value) const {
  throw Error(ErrorKind::invalid_input, json_place(file_, at),
              fmt::format("expected {}, found {} {}", expected,
                          value.is_array() || value.is_object() ? "an" : "a",
                          value.is_array() ? "array" : value.type_name()));
}

void ObjectReader::reject(std::string_view key, const std::string& message) const {
  if (has(key)) fail(key, message);
}

void ObjectReader::check_known(const std::string& key) const {
  if (among(key, known_)) return;
  const std::string nearest = nearest_name(key, known_);
  fail(key,
       fmt::format("unknown key{} Known: {}",
                   nearest.empty() ? "." : "; did you mean '" + nearest + "'?", key_list(known_)));
}

void ObjectReader::expect(const std::vector<std::string_view>& keys) {
  for (const std::string_view key : keys) know(key);
  for (const auto& item : value_->items()) {
    if (!among(item.key(), read_)) check_known(item.key());
  }
}

void ObjectReader::leave(std::string_view key) {
  const Json* const value = find(key);
  if (value == nullptr) return;
  if (!value->is_string()) fail_type(place(key), "a string", *value);
  read_.emplace_back(key);
}

void ObjectReader::finish() const {
  for (const auto& [key, value] : value_->items()) {
    if (among(key, read_)) continue;
    check_known(key);
    fail(key, "this key has no effect together with the others here");
  }
}

// ------------------------------------------------------------------------------ finding keys

bool ObjectReader::has(std::string_view key) const { return find(key) != nullptr; }
bool ObjectReader::is_object(std::string_view key) const {
  return has(key) && find(key)->is_object();
}
bool ObjectReader::has(std::string_view key, const std::string& inner) const {
  return is_object(key) && find(key)->contains(inner);
}
bool ObjectReader::has_text(std::string_view key, const std::string& inner,
                            std::string_view text) const {
  if (!has(key, inner)) return false;
  const ordered_json& value = (*find(key))[inner];
  return value.is_string() && value.get<std::string>() == text;
}
bool ObjectReader::is_text(std::string_view key) const {
  return has(key) && find(key)->is_string();
}
bool ObjectReader::is_list(std::string_view key) const { return has(key) && find(key)->is_array(); }

const ordered_json* ObjectReader::find(std::string_view key) const {
  const auto found = value_->find(std::string(key));
  return found == value_->end() ? nullptr : &*found;
}

void ObjectReader::know(std::string_view key) {
  if (!among(key, known_)) known_.emplace_back(key);
}

const ordered_json* ObjectReader::take(std::string_view key, bool required) {
  know(key);
  const Json* const value = find(key);
  if (value != nullptr) {
    read_.emplace_back(key);
  } else if (required) {
    std::vector<std::string> others;
    for (const auto& item : value_->items()) {
      if (!among(item.key(), known_)) others.push_back(item.key());
    }
    const std::string nearest = nearest_name(key, others);
    if (!nearest.empty()) {
      fail(nearest, fmt::format("unknown key; did you mean '{}', which is missing?", key));
    }
    fail(fmt::format("the key '{}' is missing", key));
  }
  return value;
}

std::string ObjectReader::one_of(std::string_view what, const std::vector<std::string>& keys) {
  std::string found;
  for (const std::string& key : keys) {
    know(key);
    if (!has(key)) continue;
    if (!found.empty()) fail(key, fmt::format("conflicts with '{}'; expected one {}", found, what));
    found = key;
  }
  if (!found.empty()) return found;
  fail(fmt::format("there is no {}; expected one of: {}", what, key_list(keys)));
}

void ObjectReader::field(std::string_view key, const char* type, bool required, const Range& range,
                         std::vector<std::string> choices) {
  fields_.push_back({place(key), type, range, std::move(choices), required, ""});
}

void ObjectReader::take_fields(const ObjectReader& child) {
  fields_.insert(fields_.end(), child.fields_.begin(), child.fields_.end());
}

template <class Value>
Value ObjectReader::note(std::string_view key, Value value) {
  (*record_)[std::string(key)] = to_json(value);
  return value;
}

// ------------------------------------------------------------------------------- plain values

double ObjectReader::checked_number(const Json& value, const std::string& at,
                                    const Range& range) const {
  if (!value.is_number()) fail_type(at, "a number", value);
  const auto number = value.get<double>();
  if (!range.contains(number)) {
    throw Error(ErrorKind::invalid_input, json_place(file_, at),
                fmt::format("{} is out of range: expected {}", number, text_of(range)));
  }
  return number;
}

double ObjectReader::number(std::string_view key, const Range& range,
                            std::optional<double> fallback) {
  const Json* const value = take(key, !fallback);
  field(key, "number", !fallback, range);
  return note(key, value == nullptr ? *fallback : checked_number(*value, place(key), range));
}

long long ObjectReader::checked_whole(const Json& value, const std::string& at, long long low,
                                      long long high) const {
  if (!value.is_number()) fail_type(at, "a whole number", value);
  const auto number = value.get<double>();
  // All bounds here lie below 2^53, where a double holds every whole number.
  if (std::trunc(number) != number || number < static_cast<double>(low) ||
      number > static_cast<double>(high)) {
    throw Error(ErrorKind::invalid_input, json_place(file_, at),
                fmt::format("{} is out of range: expected a whole number from {} to {}", number,
                            low, high));
  }
  return static_cast<long long>(number);
}

long long ObjectReader::whole(std::string_view key, long long low, long long high,
                              std::optional<long long> fallback) {
  const Json* const value = take(key, !fallback);
  field(key, "integer", !fallback, whole_range(low, high));
  return note(key, value == nullptr ? *fallback : checked_whole(*value, place(key), low, high));
}

bool ObjectReader::boolean(std::string_view key, std::optional<bool> fallback) {
  const Json* const value = take(key, !fallback);
  field(key, "boolean", !fallback);
  if (value != nullptr && !value->is_boolean()) fail_type(place(key), "true or false", *value);
  return note(key, value == nullptr ? *fallback : value->get<bool>());
}

std::string ObjectReader::text(std::string_view key, const std::optional<std::string>& fallback) {
  field(key, "text", !fallback);
  return checked_text(key, fallback);
}

std::string ObjectReader::checked_text(std::string_view key,
                                       const std::optional<std::string>& fallback) {
  const Json* const value = take(key, !fallback);
  if (value != nullptr && !value->is_string()) fail_type(place(key), "a string", *value);
  // The system and messages would end a file name there.
  if (value != nullptr && value->get_ref<const std::string&>().find('\0') != std::string::npos) {
    fail(key, "holds a zero byte; expected text without one");
  }
  return note(key, value == nullptr ? *fallback : value->get<std::string>());
}

std::string ObjectReader::choice(std::string_view key, std::string_view what,
                                 const std::vector<std::string>& known,
                                 const std::optional<std::string>& fallback) {
  field(key, "choice", !fallback, {}, known);
  return checked_choice(key, what, known, fallback);
}

std::string ObjectReader::choice(std::string_view key, std::string_view what,
                                 const std::vector<std::string>& known,
                                 std::vector<std::string> offered) {
  field(key, "choice", true, {}, std::move(offered));
  return checked_choice(key, what, known, {});
}

std::string ObjectReader::checked_choice(std::string_view key, std::string_view what,
                                         const std::vector<std::string>& known,
                                         const std::optional<std::string>& fallback) {
  std::string name = checked_text(key, fallback);
  if (!among(name, known)) fail(key, unknown_name(what, pointer_step(name), known));
  return name;
}

// --------------------------------------------------------------------------------------- lists

const ordered_json& ObjectReader::checked_list(const Json& value, const std::string& at,
                                               std::size_t size, const char* expected) const {
  if (!value.is_array()) fail_type(at, expected, value);
  if (value.size() != size) {
    throw Error(ErrorKind::invalid_input, json_place(file_, at),
                fmt::format("expected {}, found {} values", expected, value.size()));
  }
  return value;
}

Vec3 ObjectReader::checked_vector(const Json& value, const std::string& at,
                                  const Range& range) const {
  checked_list(value, at, 3, "a list of three numbers");
  Vec3 vector;
  for (std::size_t k = 0; k < 3; ++k) {
    vector[k] = checked_number(value[k], at + "/" + std::to_string(k), range);
  }
  return vector;
}

Vec3 ObjectReader::vector(std::string_view key, const Range& range,
                          const std::optional<Vec3>& fallback) {
  const Json* const value = take(key, !fallback);
  field(key, "vector", !fallback, range);
  return note(key, value == nullptr ? *fallback : checked_vector(*value, place(key), range));
}

Vec3 ObjectReader::direction(std::string_view key, const std::optional<Vec3>& fallback) {
  const Vec3 value = vector(key, any_number(""), fallback);
  if (value == Vec3{0, 0, 0}) fail(key, "the direction is zero; expected any other");
  return value;
}

Box ObjectReader::box(std::string_view key) {
  field(key, "box", true, any_number("m"));
  const Json& value =
      checked_list(*take(key, true), place(key), 2, "a list of two corners [[x, y, z], [x, y, z]]");
  const Box box{checked_vector(value[0], place(key) + "/0", any_number("m")),
                checked_vector(value[1], place(key) + "/1", any_number("m"))};
  for (std::size_t k = 0; k < 3; ++k) {
    if (box.min[k] > box.max[k]) {
      fail(key, fmt::format("the first corner is above the second along {}: {} > {}", "xyz"[k],
                            box.min[k], box.max[k]));
    }
  }
  return note(key, box);
}

std::pair<double, double> ObjectReader::pair(std::string_view key, const Range& range,
                                             std::optional<std::pair<double, double>> fallback) {
  const Json* const value = take(key, !fallback);
  field(key, "pair", !fallback, range);
  if (value == nullptr) return note(key, *fallback);
  checked_list(*value, place(key), 2, "a list of two numbers");
  return note(key, std::pair(checked_number((*value)[0], place(key) + "/0", range),
                             checked_number((*value)[1], place(key) + "/1", range)));
}

template <std::size_t count>
std::array<int, count> ObjectReader::wholes(std::string_view key, int low, int high,
                                            const char* expected,
                                            const std::optional<std::array<int, count>>& fallback) {
  const Json* const value = take(key, !fallback);
  field(key, "integers", !fallback, whole_range(low, high));
  if (value == nullptr) return note(key, *fallback);
  checked_list(*value, place(key), count, expected);
  std::array<int, count> numbers{};
  for (std::size_t k = 0; k < count; ++k) {
    numbers[k] = static_cast<int>(
        checked_whole((*value)[k], place(key) + "/" + std::to_string(k), low, high));
  }
  return note(key, numbers);
}

std::array<int, 3> ObjectReader::whole_triple(std::string_view key, int low, int high,
                                              std::optional<std::array<int, 3>> fallback) {
  return wholes<3>(key, low, high, "a list of three whole numbers", fallback);
}

std::array<int, 2> ObjectReader::whole_pair(std::string_view key, int low, int high,
                                            std::optional<std::array<int, 2>> fallback) {
  return wholes<2>(key, low, high, "a list of two whole numbers", fallback);
}

std::vector<int> ObjectReader::whole_list(std::string_view key, int low, int high) {
  field(key, "integers", true, whole_range(low, high));
  const Json& value = *take(key, true);
  if (!value.is_array()) fail_type(place(key), "a list of whole numbers", value);
  std::vector<int> list;
  list.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    list.push_back(
        static_cast<int>(checked_whole(value[i], place(key) + "/" + std::to_string(i), low, high)));
  }
  return note(key, std::move(list));
}

std::optional<std::vector<std::string>> ObjectReader::optional_texts(std::string_view key) {
  const Json* const value = take(key, false);
  if (value == nullptr) return std::nullopt;
  field(key, "texts", false);
  if (!value->is_array()) fail_type(place(key), "a list of strings", *value);
  std::vector<std::string> list;
  for (std::size_t i = 0; i < value->size(); ++i) {
    const Json& entry = (*value)[i];
    if (!entry.is_string()) fail_type(place(key) + "/" + std::to_string(i), "a string", entry);
    list.push_back(entry.get<std::string>());
  }
  return note(key, std::move(list));
}

std::vector<Vec3> ObjectReader::vectors(std::string_view key, const Range& range) {
  const Json& value = *take(key, true);
  if (!value.is_array()) fail_type(place(key), "a list of points [[x, y, z], ...]", value);
  std::vector<Vec3> list;
  for (std::size_t i = 0; i < value.size(); ++i) {
    list.push_back(checked_vector(value[i], place(key) + "/" + std::to_string(i), range));
  }
  return note(key, std::move(list));
}

std::vector<std::vector<double>> ObjectReader::rows(std::string_view key, const Range& range) {
  const Json& value = *take(key, true);
  if (!value.is_array()) fail_type(place(key), "a list of rows [[a, b, ...], ...]", value);
  std::vector<std::vector<double>> rows;
  for (std::size_t j = 0; j < value.size(); ++j) {
    const std::string at = place(key) + "/" + std::to_string(j);
    const std::size_t size = rows.empty() ? value[j].size() : rows[0].size();
    const std::string expected = fmt::format("a row of {} numbers", size);
    const Json& from = checked_list(value[j], at, size, expected.c_str());
    std::vector<double>& row = rows.emplace_back();
    for (std::size_t i = 0; i < size; ++i) {
      row.push_back(checked_number(from[i], at + "/" + std::to_string(i), range));
    }
  }
  return note(key, std::move(rows));
}

std::vector<std::pair<double, double>> ObjectReader::pairs(std::string_view key) {
  std::vector<std::pair<double, double>> list;
  field(key, "pairs", false);
  const Json* const value = take(key, false);
  if (value == nullptr) return list;
  if (!value->is_array()) fail_type(place(key), "a list of pairs [[x, y], ...]", *value);
  for (std::size_t i = 0; i < value->size(); ++i) {
    const std::string at = place(key) + "/" + std::to_string(i);
    const Json& point = checked_list((*value)[i], at, 2, "a pair [x, y]");
    list.emplace_back(checked_number(point[0], at + "/0", any_number("")),
                      checked_number(point[1], at + "/1", any_number("")));
  }
  return note(key, std::move(list));
}

// ------------------------------------------------------------------------------------- objects

std::unique_ptr<ObjectReader> ObjectReader::open(std::string_view key) {
  const Json* const value = take(key, false);
  return std::make_unique<ObjectReader>(value == nullptr ? empty_object() : *value, file_,
                                        place(key));
}

void ObjectReader::close(std::string_view key, const ObjectReader& child) {
  child.finish();
  (*record_)[std::string(key)] = child.record();
  take_fields(child);
}

std::size_t ObjectReader::open_list(std::string_view key) {
  (*record_)[std::string(key)] = Json::array();
  const Json* const value = take(key, false);
  if (value == nullptr) return 0;
  if (!value->is_array()) fail_type(place(key), "a list [...]", *value);
  return value->size();
}

std::unique_ptr<ObjectReader> ObjectReader::open_element(std::string_view key, std::size_t index) {
  return std::make_unique<ObjectReader>((*find(key))[index], file_,
                                        place(key) + "/" + std::to_string(index));
}

void ObjectReader::close_element(std::string_view key, const ObjectReader& child) {
  child.finish();
  (*record_)[std::string(key)].push_back(child.record());
  take_fields(child);
}

}  // namespace supple

#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/names.h"
#include "base/range.h"
#include "supple/choices.h"
#include "supple/mesh.h"

namespace supple {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// A key that was read, and what it accepts. Panels are built from these, so a new key appears in
/// them automatically.
struct ReadField {
  std::string pointer;  ///< JSON pointer of the key
  /// number, integer, boolean, text, choice, vector (three numbers), pair (two), box (two corners),
  /// integers (a list; of two or three if the key requires that), pairs (points of a curve), texts
  /// (a list). Long lists of numbers are not fields.
  const char* type = "";
  Range range;                       ///< of each number
  std::vector<std::string> choices;  ///< of a choice
  bool required = false;             ///< has no default
  const char* what = "";             ///< a sentence that says what it is; may be empty
};

/// Reads one JSON object, key by key. It checks types and ranges, remembers which keys were read
/// and records the value used for each: the given one, or the default. `finish` refuses the keys
/// that nobody read. All its errors are Error{invalid_input} at "file: /json/pointer".
///
/// A function that takes no default requires its key.
class ObjectReader {
 public:
  /// `value` must be an object and outlive the reader.
  ObjectReader(const nlohmann::ordered_json& value, std::string file, std::string pointer);
  ~ObjectReader();
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  bool has(std::string_view key) const;
  bool is_object(std::string_view key) const;
  /// Does the object under `key` have the key `inner`?
  bool has(std::string_view key, const std::string& inner) const;
  /// Does the object under `key` have the key `inner` with this text?
  bool has_text(std::string_view key, const std::string& inner, std::string_view text) const;
  bool is_text(std::string_view key) const;
  bool is_list(std::string_view key) const;

  double number(std::string_view key, const Range& range, std::optional<double> fallback = {});
  /// A whole number from `low` to `high`; 1e3 is one.
  long long whole(std::string_view key, long long low, long long high,
                  std::optional<long long> fallback = {});
  bool boolean(std::string_view key, std::optional<bool> fallback = {});
  std::string text(std::string_view key, const std::optional<std::string>& fallback = {});
  /// One of `known`; `what` says what they are.
  std::string choice(std::string_view key, std::string_view what,
                     const std::vector<std::string>& known,
                     const std::optional<std::string>& fallback = {});
  /// The same for an enumeration; `offered` if fields do not offer all of its names.
  template <Choice T>
  T choice(std::string_view key, T fallback, const std::vector<std::string>& offered = {}) {
    const ChoiceList& list = choices(T{});
    return from_string<T>(choice(key, list.what, offered.empty() ? names_of(list.entries) : offered,
                                 to_string(fallback)));
  }
  /// The same for a required key whose field offers only some names: the caller refuses the others
  /// with a reason.
  std::string choice(std::string_view key, std::string_view what,
                     const std::vector<std::string>& known, std::vector<std::string> offered);
  /// [x, y, z], each in `range`.
  Vec3 vector(std::string_view key, const Range& range, const std::optional<Vec3>& fallback = {});
  /// [x, y, z], not all of them zero.
  Vec3 direction(std::string_view key, const std::optional<Vec3>& fallback = {});
  /// [[x, y, z], [x, y, z]], the lower corner first.
  Box box(std::string_view key);
  /// [a, b], each in `range`.
  std::pair<double, double> pair(std::string_view key, const Range& range,
                                 std::optional<std::pair<double, double>> fallback = {});
  /// [i, j, k], each from `low` to `high`.
  std::array<int, 3> whole_triple(std::string_view key, int low, int high,
                                  std::optional<std::array<int, 3>> fallback = {});
  /// [i, j], each from `low` to `high`.
  std::array<int, 2> whole_pair(std::string_view key, int low, int high,
                                std::optional<std::array<int, 2>> fallback = {});
  /// [i, ...], each from `low` to `high`.
  std::vector<int> whole_list(std::string_view key, int low, int high);
  /// ["a", ...]; nothing if the key is missing, which is recorded as missing.
  std::optional<std::vector<std::string>> optional_texts(std::string_view key);
  /// [[x, y, z], ...], each in `range`. Not a field.
  std::vector<Vec3> vectors(std::string_view key, const Range& range);
  /// [[a, b, ...], ...]: numbers, each in `range`, in lists of equal length. Not a field.
  std::vector<std::vector<double>> rows(std::string_view key, const Range& range);
  /// [[x, y], ...]; empty if the key is missing.
  std::vector<std::pair<double, double>> pairs(std::string_view key);

  /// Says for panels what the field read last is.
  void explain(const char* what) { fields_.back().what = what; }

  /// All keys that the object may have, given before the first is read. Any other key is refused at
  /// once: it may be a missing key that is misspelt.
  void expect(std::initializer_list<std::string_view> keys) { expect(std::vector(keys)); }
  void expect(const std::vector<std::string_view>& keys);

  /// Allows a key that `expect` was not told about: it is read later.
  void know(std::string_view key);

  /// Allows a text that is meant for other programs, such as editors. It is neither recorded nor a
  /// field.
  void leave(std::string_view key);

  /// The one key of `keys` that is present; none or two are an error. `what` says what they are.
  std::string one_of(std::string_view what, const std::vector<std::string>& keys);

  /// Reads the object under `key` with read(ObjectReader&), which must read all its keys. If it is
  /// missing, {} is read, so that all its defaults are recorded.
  template <class Read>
  void object(std::string_view key, const Read& read) {
    const std::unique_ptr<ObjectReader> child = open(key);
    read(*child);
    close(key, *child);
  }

  /// The same if the key is present. Returns whether it is.
  template <class Read>
  bool optional_object(std::string_view key, const Read& read) {
    if (!has(key)) {
      know(key);
      return false;
    }
    object(key, read);
    return true;
  }

  /// Reads a list of objects with read(ObjectReader&) for each. A missing list is empty.
  template <class Read>
  void each(std::string_view key, const Read& read) {
    const std::size_t size = open_list(key);
    for (std::size_t i = 0; i < size; ++i) {
      const std::unique_ptr<ObjectReader> child = open_element(key, i);
      read(*child);
      close_element(key, *child);
    }
  }

  /// Refuses the keys that have not been read.
  void finish() const;

  /// "file: /pointer/of/this/object", optionally with a key below it.
  std::string where() const;
  std::string where(std::string_view key) const;
  const std::string& pointer() const { return pointer_; }
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;
  /// Refuses the key if it is present; `message` says why it has no use.
  void reject(std::string_view key, const std::string& message) const;

  /// The object with the values used, in the order of reading.
  const nlohmann::ordered_json& record() const { return *record_; }

  /// Everything that was read, in the order of reading, including the objects below.
  const std::vector<ReadField>& fields() const { return fields_; }

 private:
  using Json = nlohmann::ordered_json;

  /// Refuses a key that is not known.
  void check_known(const std::string& key) const;
  const Json* find(std::string_view key) const;
  /// The value to read, marked as read; null if it is missing and not required.
  const Json* take(std::string_view key, bool required);
  [[noreturn]] void fail_type(const std::string& place, const char* expected,
                              const Json& value) const;
  double checked_number(const Json& value, const std::string& place, const Range& range) const;
  long long checked_whole(const Json& value, const std::string& place, long long low,
                          long long high) const;
  template <std::size_t count>
  std::array<int, count> wholes(std::string_view key, int low, int high, const char* expected,
                                const std::optional<std::array<int, count>>& fallback);
  const Json& checked_list(const Json& value, const std::string& place, std::size_t size,
                           const char* expected) const;
  Vec3 checked_vector(const Json& value, const std::string& place, const Range& range) const;
  std::string place(std::string_view key) const;
  void field(std::string_view key, const char* type, bool required, const Range& range = {},
             std::vector<std::string> choices = {});
  std::string checked_text(std::string_view key, const std::optional<std::string>& fallback);
  std::string checked_choice(std::string_view key, std::string_view what,
                             const std::vector<std::string>& known,
                             const std::optional<std::string>& fallback);
  void take_fields(const ObjectReader& child);
  template <class Value>
  Value note(std::string_view key, Value value);

  std::unique_ptr<ObjectReader> open(std::string_view key);
  void close(std::string_view key, const ObjectReader& child);
  std::size_t open_list(std::string_view key);
  std::unique_ptr<ObjectReader> open_element(std::string_view key, std::size_t index);
  void close_element(std::string_view key, const ObjectReader& child);

  const Json* value_;
  std::string file_;
  std::string pointer_;
  std::vector<std::string> known_;  ///< keys asked for
  std::vector<std::string> read_;   ///< keys read
  std::vector<ReadField> fields_;
  std::unique_ptr<Json> record_;
};

}  // namespace supple

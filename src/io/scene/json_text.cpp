#include "io/scene/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "supple/error.h"

namespace supple {

using nlohmann::ordered_json;

namespace {

/// Makes a text fit for a terminal: one line, printable, of limited length.
std::string one_line(std::string_view text) {
  constexpr std::size_t longest = 240;
  std::string line;
  for (const char c : text.substr(0, longest)) line += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > longest) line += "...";
  return line;
}

std::string line_and_column(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, std::min(position, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t column =
      newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
  return std::to_string(line) + ":" + std::to_string(std::max<std::size_t>(column, 1));
}

/// Builds the document from the parser's events and refuses what the parser accepts but scenes do
/// not.
class DocumentBuilder {
 public:
  using number_integer_t = ordered_json::number_integer_t;
  using number_unsigned_t = ordered_json::number_unsigned_t;
  using number_float_t = ordered_json::number_float_t;
  using string_t = ordered_json::string_t;
  using binary_t = ordered_json::binary_t;

  DocumentBuilder(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(number_integer_t value) { return add(value); }
  bool number_unsigned(number_unsigned_t value) { return add(value); }
  bool number_float(number_float_t value, const string_t&) { return add(value); }
  bool string(string_t& value) { return add(std::move(value)); }
  bool binary(binary_t&) { return false; }  // not in JSON

  bool start_object(std::size_t) { return open(ordered_json::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(ordered_json::array()); }
  bool end_array() { return close(); }

  bool key(string_t& key) {
    Level& level = levels_.back();
    level.key = key;
    if (!level.keys.insert(key).second) {
      throw Error(ErrorKind::invalid_input, json_place(name_, pointer()),
                  "this key occurs twice in its object");
    }
    if (level.keys.size() > most_keys) {
      throw Error(ErrorKind::invalid_input, json_place(name_, pointer()),
                  "more than " + std::to_string(most_keys) + " keys in one object");
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: what"
    std::string_view message = error.what();
    for (const std::string_view end : {"] ", "parse error", "column", ": "}) {
      const std::size_t found = message.find(end);
      if (found == std::string_view::npos) break;
      message.remove_prefix(found + end.size());
    }
    throw Error(ErrorKind::invalid_input, name_ + ":" + line_and_column(text_, position),
                "not valid JSON: " + one_line(message));
  }

  ordered_json take() { return std::move(document_); }

 private:
  struct Level {
    ordered_json* value;
    std::string key;  ///< the last key of an object
    std::set<std::string> keys;
  };

  std::string pointer() const {
    std::string text;
    for (const Level& level : levels_) {
      const bool innermost = &level == &levels_.back();
      // An open value of an array is already counted among its elements.
      text += '/';
      text += level.value->is_array() ? std::to_string(level.value->size() - (innermost ? 0 : 1))
                                      : pointer_step(level.key);
    }
    return text;
  }

  template <class Value>
  bool add(Value&& value) {
    place(ordered_json(std::forward<Value>(value)));
    return true;
  }

  ordered_json* place(ordered_json value) {
    if (levels_.empty()) {
      document_ = std::move(value);
      return &document_;
    }
    // Pointers to the open levels stay valid: only the innermost one grows.
    ordered_json& parent = *levels_.back().value;
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[levels_.back().key] = std::move(value));
  }

  bool open(ordered_json value) {
    if (levels_.size() == deepest_json) {
      throw Error(ErrorKind::invalid_input, json_place(name_, pointer()),
                  "brackets deeper than " + std::to_string(deepest_json));
    }
    ordered_json* const placed = place(std::move(value));
    levels_.push_back({placed, {}, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::string& name_;
  ordered_json document_;
  std::vector<Level> levels_;
};

}  // namespace

std::string pointer_step(std::string_view key) {
  constexpr std::size_t longest = 80;
  std::string step;
  for (const char c : key.substr(0, longest)) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c >= ' ' && c <= '~' ? c : '?';
    }
  }
  if (key.size() > longest) step += "...";
  return step;
}

std::string json_place(const std::string& name, const std::string& pointer) {
  return pointer.empty() ? name : name + ": " + pointer;
}

ordered_json parse_json(std::string_view text, const std::string& name) {
  DocumentBuilder builder(text, name);
  ordered_json::sax_parse(text.begin(), text.end(), &builder,
                          nlohmann::detail::input_format_t::json, true, true);
  return builder.take();
}

}  // namespace supple

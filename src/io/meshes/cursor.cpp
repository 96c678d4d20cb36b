#include "io/meshes/cursor.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/decimal.h"

namespace supple {

namespace {

bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_blank_in_line(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Neither read_decimal nor from_chars accepts a plus sign, but files contain them.
std::string_view without_plus(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  return word;
}

}  // namespace

std::string What::text() const {
  return numbered ? std::string(name) + " " + std::to_string(number) : std::string(name);
}

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

std::size_t Cursor::joint_length() const {
  const std::string_view bytes = source_->bytes();
  if (!syntax_.continuation || bytes[position_] != '\\') return 0;
  if (position_ + 1 >= end_ || !is_line_end(bytes[position_ + 1])) return 0;
  const bool pair = position_ + 2 < end_ && bytes.substr(position_ + 1, 2) == "\r\n";
  return pair ? 3 : 2;
}

void Cursor::skip_blanks(bool through_lines) {
  const std::string_view bytes = source_->bytes();
  while (position_ < end_) {
    const char c = bytes[position_];
    if (const std::size_t joint = joint_length(); joint > 0) {
      position_ += joint;
    } else if (is_blank_in_line(c) || (through_lines && is_line_end(c))) {
      ++position_;
    } else if (syntax_.comment != '\0' && c == syntax_.comment) {
      while (position_ < end_ && !is_line_end(bytes[position_])) ++position_;
    } else {
      return;
    }
  }
}

std::string_view Cursor::next_word() {
  const std::string_view bytes = source_->bytes();
  const std::size_t begin = position_;
  while (position_ < end_ && !is_blank_in_line(bytes[position_]) &&
         !is_line_end(bytes[position_]) && joint_length() == 0 &&
         (syntax_.comment == '\0' || bytes[position_] != syntax_.comment)) {
    ++position_;
  }
  last_ = begin;
  return bytes.substr(begin, position_ - begin);
}

bool Cursor::at_end() {
  skip_blanks(true);
  return position_ >= end_;
}

std::string_view Cursor::peek() {
  if (at_end()) return "";
  const std::size_t begin = position_;
  const std::size_t last = last_;
  const std::string_view word = next_word();
  position_ = begin;
  last_ = last;
  return word;
}

std::string_view Cursor::word(What what) {
  if (at_end()) fail("the file ends where " + what.text() + " was expected");
  return next_word();
}

void Cursor::expect(std::string_view expected) {
  const std::string name = in_quotes(expected);
  if (at_end()) fail("the file ends where " + name + " was expected");
  const std::string_view found = next_word();
  if (!same_word(found, expected)) {
    source_->fail(last_, "expected " + name + ", found " + in_quotes(found));
  }
}

double Cursor::real(What what) {
  const std::string_view found = word(what);
  const std::string_view digits = without_plus(found);
  double value = 0;
  // Numbers beyond the range of a double are refused too, whether too large or too small.
  if (!read_decimal(digits, value) || !std::isfinite(value)) {
    source_->fail(last_,
                  "expected a finite number (" + what.text() + "), found " + in_quotes(found));
  }
  return value;
}

std::int64_t Cursor::integer(What what) {
  const std::string_view found = word(what);
  const std::string_view digits = without_plus(found);
  std::int64_t value = 0;
  const auto [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc() || stop != digits.data() + digits.size()) {
    source_->fail(last_,
                  "expected a whole number (" + what.text() + "), found " + in_quotes(found));
  }
  return value;
}

std::size_t Cursor::count(What what, std::size_t bytes_each) {
  const std::int64_t number = integer(what);
  return checked_count(number, what, bytes_each);
}

std::size_t Cursor::checked_count(std::int64_t number, What what, std::size_t bytes_each) const {
  const std::size_t place = last_;
  if (number < 0) {
    source_->fail(place, what.text() + " is " + std::to_string(number) + ": expected 0 or more");
  }
  // The last thing may lack the blank that ends it.
  if (static_cast<std::uint64_t>(number) > (remaining() + 1) / bytes_each) {
    source_->fail(place, what.text() + " is " + std::to_string(number) + ", but only " +
                             std::to_string(remaining()) + " bytes follow");
  }
  return static_cast<std::size_t>(number);
}

bool Cursor::at_line_end() {
  skip_blanks(false);
  return position_ >= end_ || is_line_end(source_->bytes()[position_]);
}

std::string_view Cursor::rest_of_line() {
  const std::string_view bytes = source_->bytes();
  const std::size_t begin = position_;
  while (position_ < end_ && !is_line_end(bytes[position_])) {
    position_ += std::max<std::size_t>(1, joint_length());
  }
  const std::string_view rest = bytes.substr(begin, position_ - begin);
  if (position_ < end_) {
    const bool pair =
        bytes[position_] == '\r' && position_ + 1 < end_ && bytes[position_ + 1] == '\n';
    position_ += pair ? 2 : 1;
  }
  return rest;
}

void Cursor::end_line(What what) {
  if (!at_line_end()) {
    const std::string_view found = next_word();
    source_->fail(last_,
                  "expected the line to end after " + what.text() + ", found " + in_quotes(found));
  }
  rest_of_line();
}

void Cursor::expect_end(What what) {
  if (at_end()) return;
  const std::string_view found = next_word();
  source_->fail(last_,
                "expected the file to end after " + what.text() + ", found " + in_quotes(found));
}

std::string_view Cursor::raw(std::size_t size, What what) {
  if (size > remaining()) fail("the file ends within " + what.text());
  last_ = position_;
  position_ += size;
  return source_->bytes().substr(last_, size);
}

double Cursor::raw_real(Scalar type, What what) {
  const double value = real_at(raw(size_of(type), what).data(), type, swapped_);
  if (!std::isfinite(value)) {
    source_->fail(last_, "expected a finite number (" + what.text() + ")");
  }
  return value;
}

std::int64_t Cursor::raw_integer(Scalar type, What what) {
  return integer_at(raw(size_of(type), what).data(), type, swapped_);
}

}  // namespace supple

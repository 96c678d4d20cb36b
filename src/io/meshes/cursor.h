#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/meshes/scalar.h"
#include "io/meshes/source.h"

namespace supple {

/// What was expected at a position in the file, for messages: "coordinate of vertex 7". Numbers
/// count from 0 as everywhere.
struct What {
  constexpr What(const char* name_) : name(name_) {}  // NOLINT(google-explicit-constructor)
  constexpr What(const char* name_, std::size_t number_)
      : name(name_), number(number_), numbered(true) {}

  const char* name;
  std::size_t number = 0;
  bool numbered = false;
  std::string text() const;
};

/// Reads a file from front to back: words and numbers of a text, scalars of binary data. Every
/// function that finds something unexpected throws Error{bad_file} with its position.
///
/// Numbers are read independently of the locale. Blanks are spaces, tabs and line ends (LF, CR LF,
/// CR). Functions with `line` in their name stop at the end of the line.
class Cursor {
 public:
  struct Syntax {
    char comment = '\0';        ///< starts a comment up to the end of the line; '\0': none
    bool continuation = false;  ///< a backslash at the end of a line joins the next one
  };

  explicit Cursor(const Source& source) : Cursor(source, Syntax{}) {}
  Cursor(const Source& source, Syntax syntax) : Cursor(source, syntax, 0, source.bytes().size()) {}
  /// Bytes [begin, end) only, which must be within the source.
  Cursor(const Source& source, Syntax syntax, std::size_t begin, std::size_t end)
      : source_(&source), syntax_(syntax), position_(begin), end_(end) {}

  const Source& source() const { return *source_; }
  std::size_t offset() const { return position_; }
  std::size_t remaining() const { return end_ - position_; }
  [[noreturn]] void fail(const std::string& message) const { source_->fail(position_, message); }

  // ---- text
  bool at_end();                           ///< skips blanks and comments
  std::string_view peek();                 ///< the next word without consuming it; "" at the end
  std::string_view word(What what);        ///< the next word
  void expect(std::string_view expected);  ///< exactly this word, in upper or lower case
  double real(What what);                  ///< a finite number
  std::int64_t integer(What what);
  /// A number of things that each take at least `bytes_each` (> 0) of the remaining bytes. This is
  /// checked, so that it is safe to allocate memory for them.
  std::size_t count(What what, std::size_t bytes_each);
  /// The same check for a number that has been read already.
  std::size_t checked_count(std::int64_t number, What what, std::size_t bytes_each) const;
  /// Offset of the last word that was read.
  std::size_t last() const { return last_; }

  bool at_line_end();               ///< skips blanks and a comment within the line
  std::string_view rest_of_line();  ///< also consumes the end of the line
  void end_line(What what);         ///< nothing but the end of the line may follow
  void expect_end(What what);       ///< nothing but blanks and comments may follow

  // ---- binary
  void set_swapped(bool swapped) { swapped_ = swapped; }
  bool swapped() const { return swapped_; }
  std::string_view raw(std::size_t size, What what);
  double raw_real(Scalar type, What what);  ///< a finite number
  std::int64_t raw_integer(Scalar type, What what);

 private:
  void skip_blanks(bool through_lines);
  std::string_view next_word();
  std::size_t joint_length() const;  ///< length of a line continuation at this position; 0: none

  const Source* source_;
  Syntax syntax_;
  std::size_t position_;
  std::size_t end_;
  std::size_t last_ = 0;
  bool swapped_ = false;
};

/// Are two words equal, ignoring case (ASCII)?
bool same_word(std::string_view a, std::string_view b);

}  // namespace supple

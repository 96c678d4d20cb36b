#include "supple/error.h"

namespace supple {

namespace {
std::string join(std::string_view where, std::string_view message) {
  std::string text(where);
  if (!text.empty()) text += ": ";
  text += message;
  return text;
}
}  // namespace

Error::Error(ErrorKind kind, std::string_view where, std::string_view message)
    : std::runtime_error(join(where, message)), kind_(kind), where_(where), message_(message) {}

}  // namespace supple

#include "supple/version.h"

#define SUPPLE_TEXT(x) #x
#define SUPPLE_TEXT_OF(x) SUPPLE_TEXT(x)

namespace supple {

const char* version() noexcept {
  return SUPPLE_TEXT_OF(SUPPLE_VERSION_MAJOR) "." SUPPLE_TEXT_OF(
      SUPPLE_VERSION_MINOR) "." SUPPLE_TEXT_OF(SUPPLE_VERSION_PATCH);
}

int version_number() noexcept { return SUPPLE_VERSION_NUMBER; }

}  // namespace supple

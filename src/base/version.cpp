#include "supple/version.h"

namespace supple {

const char* version() noexcept { return SUPPLE_VERSION; }

}  // namespace supple

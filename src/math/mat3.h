#pragma once

// 3x3 algebra is public, since users write their energies with it. This header adds the number
// types of the kernels.

#include "math/batch.h"
#include "supple/mat3.h"  // IWYU pragma: export

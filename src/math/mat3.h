#pragma once

// 3x3 algebra is public, as energies of users are written with it; here it comes with the number
// types of the kernels.

#include "math/batch.h"
#include "supple/mat3.h"  // IWYU pragma: export

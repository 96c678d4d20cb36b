#include "descent/following_weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "descent/l_bfgs.h"
#include "descent/laplacian.h"
#include "descent/minimise.h"
#include "descent/test_problem.h"

namespace supple {

namespace {}  // namespace

}  // namespace supple

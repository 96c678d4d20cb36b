#include "model/rigid_bodies.h"

#include <gtest/gtest.h>

namespace supple {
TEST(RigidBodies, Placeholder) {}
}

#include <gtest/gtest.h>

#include <cmath>

#include "potentials/membrane.h"
#include "supple/error.h"
#include "supple/simulation.h"

namespace supple {
namespace {

/// The sheet of a fabric: C_1, C_2, C_12 and G times the thickness, N/m.
std::array<double, 4> stiffness_of(Fabric fabric, double thickness) {
  Body body;
  set_fabric(body, fabric, thickness);
  const Sheet sheet = make_sheet(body.material, "material");
  std::array<double, 4> stiffness{};
  for (std::size_t i = 0; i < 4; ++i) stiffness[i] = thickness * sheet.parameters[i].value;
  return stiffness;
}

// By hand from the database of Wang et al. at a strain of 0.05, three tenths of the way from no
// strain to 1/6. The warp is the second direction.
TEST(Fabrics, SheetsHaveTheMeasuredStiffness) {
  struct Case {
    Fabric fabric;
    double warp, weft, both, shear, bending;
  };
  for (const Case& c : {Case{Fabric::gray_interlock, 2 * (0.7 * 34.477123 + 0.3 * 405.872833),
                             2 * (0.7 * 16.593832 + 0.3 * 46.364765),
                             2 * (0.7 * -14.695990 + 0.3 * (53.694656 + 85.848587) / 2),
                             0.7 * 36.860302 + 0.3 * 44.217571,
                             (23.191698e-6 + 2 * 24.749964e-6 + 14.267624e-6) / 16},
                        Case{Fabric::royal_target, 2 * (0.7 * 2034.97644 + 0.3 * 2152.73852),
                             2 * (0.7 * 2016.55456 + 0.3 * 2109.51684),
                             2 * (0.7 * 9.170511 + 0.3 * (38.604588 + 63.424015) / 2),
                             0.7 * 104.759674 + 0.3 * 121.482445,
                             (125.409805e-6 + 2 * 107.997696e-6 + 125.409805e-6) / 16}}) {
    SCOPED_TRACE(to_string(c.fabric));
    for (const double thickness : {1e-4, 5e-4, 2e-3}) {
      const std::array<double, 4> found = stiffness_of(c.fabric, thickness);
      const double rounding = 1e-12 * c.warp;
      EXPECT_NEAR(found[0], c.warp, rounding);
      EXPECT_NEAR(found[1], c.weft, rounding);
      EXPECT_NEAR(found[2], c.both, rounding);
      EXPECT_NEAR(found[3], c.shear, rounding);
    }
    EXPECT_NEAR(fabric_properties(c.fabric).bending, c.bending, 1e-12 * c.bending);
  }
}

// Fabrics bend under their own weight over a few centimetres: the bending length of ASTM D1388,
// (D/(density g))^(1/3), is between 1 and 5 cm.
TEST(Fabrics, AllAreSoundSheetsThatBendAsFabricsDo) {
  const std::vector<Description> fabrics = list_fabrics();
  ASSERT_EQ(fabrics.size(), 10u);
  for (const Description& fabric : fabrics) {
    SCOPED_TRACE(fabric.name);
    const FabricProperties p = fabric_properties(from_string<Fabric>(fabric.name));
    EXPECT_GT(p.weft, 0);
    EXPECT_GE(p.warp, p.weft);
    EXPECT_GT(p.shear, 0);
    EXPECT_LT(p.poisson * p.poisson, p.warp / p.weft);
    const double bending_length = std::cbrt(p.bending / (p.density * 9.81));
    EXPECT_GT(bending_length, 0.01);
    EXPECT_LT(bending_length, 0.05);
    EXPECT_NO_THROW(stiffness_of(from_string<Fabric>(fabric.name), 5e-4));
  }
}

TEST(Fabrics, WhatIsNoneIsRefused) {
  Body body;
  EXPECT_THROW(fabric_properties(Fabric::custom), Error);
  EXPECT_THROW(fabric_properties(static_cast<Fabric>(11)), Error);
  EXPECT_THROW(set_fabric(body, Fabric::gray_interlock, 0), Error);
  EXPECT_THROW(set_fabric(body, Fabric::gray_interlock, std::nan("")), Error);
  EXPECT_FALSE(body.membrane.has_value());
}

}  // namespace
}  // namespace supple

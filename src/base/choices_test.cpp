#include "supple/choices.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/names.h"
#include "supple/error.h"

namespace supple {
namespace {

template <class T>
class Choices : public testing::Test {};

using All =
    testing::Types<SolverMethod, TimeIntegrator, LineSearchType, Recovery, DescentStart,
                   InitialHessian, LaplacianWeights, LinearSolver, PreconditionerType, Definiteness,
                   Acceleration, XpbdProjection, XpbdMultipliers, XpbdOrder, XpbdPrecision,
                   ContactMode, BendingModel, RodRestShape, PressureSurface, BodyVolume>;
TYPED_TEST_SUITE(Choices, All);

TYPED_TEST(Choices, NamesAreThereAndBackAgain) {
  std::set<std::string> names;
  for (const TypeParam value : all_choices<TypeParam>()) {
    EXPECT_EQ(from_string<TypeParam>(to_string(value)), value);
    names.insert(to_string(value));
  }
  EXPECT_EQ(names.size(), choices(TypeParam{}).entries.size());
  EXPECT_GE(names.size(), 2U);
  EXPECT_STREQ(to_string(static_cast<TypeParam>(names.size())), "unknown");
}

TYPED_TEST(Choices, WhatIsNoneIsRefusedWithItsPlaceAndThoseThatAre) {
  const std::string first = to_string(TypeParam{});
  try {
    from_string<TypeParam>(first + "x", "/here");
    ADD_FAILURE() << first;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_EQ(error.where(), "/here");
    EXPECT_NE(error.message().find("Known: " + first), std::string::npos) << error.message();
  }
  EXPECT_NO_THROW(require_choice(TypeParam{}, "/here"));
  EXPECT_THROW(require_choice(static_cast<TypeParam>(99), "/here"), Error);
  EXPECT_THROW(require_choice(static_cast<TypeParam>(-1), "/here"), Error);
}

// If the last enumerator has the last name, the lists are as long as their enumerations.
TEST(ChoiceNames, AreThoseOfTheEnumerators) {
  std::ostringstream text;
  text << SolverMethod::step_and_project << ' ' << TimeIntegrator::forward_euler << ' '
       << LineSearchType::none << ' ' << Recovery::none << ' ' << DescentStart::adaptive << ' '
       << InitialHessian::frame << ' ' << LaplacianWeights::constant << ' '
       << LinearSolver::truncated_cg << ' ' << PreconditionerType::rest << ' ' << Definiteness::none
       << ' ' << Acceleration::chebyshev << ' ' << XpbdProjection::block << ' '
       << XpbdMultipliers::kept << ' ' << XpbdOrder::natural << ' ' << XpbdPrecision::float32 << ' '
       << ContactMode::barrier << ' ' << BendingModel::dihedral << ' ' << RodRestShape::straight
       << ' ' << PressureSurface::cavities << ' ' << BodyVolume::exact;
  EXPECT_EQ(text.str(),
            "step_and_project forward_euler none none adaptive frame constant truncated_cg rest "
            "none chebyshev block kept natural float barrier dihedral straight cavities "
            "exact");
}

}  // namespace
}  // namespace supple

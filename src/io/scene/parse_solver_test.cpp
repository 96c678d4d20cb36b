#include <gtest/gtest.h>

#include "supple/error.h"
#include "supple/io.h"

namespace supple {
namespace {

std::string message_of(const std::string& text) {
  try {
    parse_solver(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    return error.what();
  }
  ADD_FAILURE() << text << " was taken";
  return "";
}

TEST(ParseSolver, AMethodAloneHasItsDefaults) {
  const LabelledSolver solver = parse_solver("l_bfgs");
  EXPECT_EQ(solver.label, "l_bfgs");
  EXPECT_EQ(solver.settings.method, SolverMethod::l_bfgs);
  EXPECT_EQ(solver.settings.history, SolverSettings().history);
}

TEST(ParseSolver, OptionsAreKeysOfTheScene) {
  const LabelledSolver solver = parse_solver("l_bfgs:history=2,initial_hessian=laplacian");
  EXPECT_EQ(solver.settings.history, 2);
  EXPECT_EQ(solver.label, "l_bfgs:history=2,initial_hessian=laplacian");
}

TEST(ParseSolver, NestedOptionsHaveTheirPath) {
  const LabelledSolver solver =
      parse_solver("quasi_newton:line_search/type=wolfe,line_search/curvature=0.5");
  EXPECT_EQ(solver.settings.line_search.type, LineSearchType::wolfe);
  EXPECT_EQ(solver.settings.line_search.curvature, 0.5);
}

TEST(ParseSolver, WhatIsWrongIsNamed) {
  EXPECT_NE(message_of("l_bgfs").find("l_bfgs"), std::string::npos);
  EXPECT_NE(message_of("newton:history=5").find("newton does not use it"), std::string::npos);
  EXPECT_NE(message_of("l_bfgs:history=-1").find("/history"), std::string::npos);
  EXPECT_NE(message_of("l_bfgs:histroy=5").find("did you mean 'history'"), std::string::npos);
  EXPECT_NE(message_of("l_bfgs:history").find("KEY=VALUE"), std::string::npos);
  EXPECT_NE(message_of("l_bfgs:").find("after the colon"), std::string::npos);
  EXPECT_NE(message_of("l_bfgs:history=5,").find("comma"), std::string::npos);
  EXPECT_NE(message_of("l_bfgs:history=5,history=6").find("twice"), std::string::npos);
  EXPECT_NE(message_of("l_bfgs:iterations=5").find("same for all"), std::string::npos);
  EXPECT_NE(message_of("l_bfgs:=5").find("without a key"), std::string::npos);
  EXPECT_NE(message_of("l_bfgs:line_search=none").find("line_search"), std::string::npos);
  EXPECT_NE(message_of("l_bfgs:line_search/type=nun").find("none"), std::string::npos);
  EXPECT_NE(message_of("l_bfgs:initial_hessian=clamp").find("laplacian"), std::string::npos);
  EXPECT_NE(message_of("").find("l_bfgs"), std::string::npos);
}

}  // namespace
}  // namespace supple

#pragma once

#include <string>

namespace supple {

/// How wide the vectors are that the library computes with in this process: "avx512", "avx2" or
/// "baseline", the widest that the processor has, or what the environment variable SUPPLE_SIMD
/// asks for; a library that was compiled for one processor alone has one, "native". It is chosen
/// once, when it is first needed. Throws Error{invalid_input} where SUPPLE_SIMD names a level that
/// there is not, or that the processor does not have: so does the construction of a Simulation.
std::string simd_level();

}  // namespace supple

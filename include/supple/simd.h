#pragma once

#include <string>

#pragma GCC visibility push(default)

namespace supple {

/// SIMD level of this process: "avx512", "avx2" or "baseline". It is the widest that the processor
/// has, unless the environment variable SUPPLE_SIMD names another; a library compiled for a single
/// processor has only "native". The choice is made once, on first use. Throws Error{invalid_input}
/// if SUPPLE_SIMD names an unknown level or one that the processor lacks; so does the constructor
/// of Simulation.
std::string simd_level();

}  // namespace supple

#pragma GCC visibility pop

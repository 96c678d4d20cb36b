#pragma once

#include <string>
#include <vector>

/// The processor's vectors, chosen when the program runs.
///
/// What is worth it stands in units of kernels (KERNELS in supple_room), which are compiled once
/// for each level, from the same source with other flags. A table of functions is what a unit
/// gives, one table a level, and the code around takes that of the level in use. Everything else is
/// compiled once, for the baseline.
///
/// A template or inline function that two levels instantiate must have two names, or the linker
/// keeps either of them and a machine without AVX-512 meets its instructions. So the number types
/// (math/batch.h) and all that a unit of kernels defines stand in an inline namespace of the level,
/// SUPPLE_SIMD, which the names of all templates over these types then carry. A test looks at the
/// symbols of the compiled units (tests/tools/simd_symbols_test.py).
#ifndef SUPPLE_SIMD
#define SUPPLE_SIMD simd_baseline
#endif

namespace supple {

/// `baseline` is what the whole library is compiled for: any x86-64, or another processor, or the
/// machine at hand (SUPPLE_NATIVE; its name is then "native"). There the others do not exist.
enum class SimdLevel {
  baseline,
  avx2,   ///< AVX2 and FMA
  avx512  ///< AVX-512 F, BW, CD, DQ and VL
};

/// "baseline", "avx2", "avx512", or "native".
std::string simd_level_name(SimdLevel level);

/// The levels that were compiled and that the processor has, in ascending order; the first is
/// always there.
std::vector<SimdLevel> usable_simd_levels();

/// The level of that name, or the best usable one where it is empty. Throws Error{invalid_input}
/// naming the possible ones.
SimdLevel simd_level_of_name(const std::string& name);

/// What this process computes with, as simd_level() of supple/simd.h.
SimdLevel simd_level_in_use();

}  // namespace supple

/// Defines `const Kernels& name(SimdLevel)` in namespace supple for units that define `const
/// Kernels table` in the namespace of their level.
#ifdef SUPPLE_SIMD_LEVELS
#define SUPPLE_DEFINE_KERNELS(Kernels, name, table)            \
  namespace simd_avx2 {                                        \
  extern const Kernels table;                                  \
  }                                                            \
  namespace simd_avx512 {                                      \
  extern const Kernels table;                                  \
  }                                                            \
  const Kernels& name(SimdLevel level) {                       \
    if (level == SimdLevel::avx512) return simd_avx512::table; \
    if (level == SimdLevel::avx2) return simd_avx2::table;     \
    return simd_baseline::table;                               \
  }
#else
#define SUPPLE_DEFINE_KERNELS(Kernels, name, table) \
  const Kernels& name(SimdLevel) { return simd_baseline::table; }
#endif

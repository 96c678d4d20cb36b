#pragma once

#include <string>
#include <vector>

/// The processor's vector instructions, chosen when the program runs.
///
/// Code that profits from them is in units of kernels (KERNELS in supple_room). These are compiled
/// once for each level, from the same source with other flags. A unit provides a table of
/// functions, one table per level, and the surrounding code uses the table of the level in use.
/// Everything else is compiled once, for the baseline.
///
/// A template or inline function that two levels instantiate must have two names. Otherwise the
/// linker keeps only one of them, and a machine without AVX-512 can meet its instructions.
/// Therefore the number types (math/batch.h) and everything that a unit of kernels defines are in
/// an inline namespace of the level, SUPPLE_SIMD, which enters the names of all templates over
/// these types. A test checks the symbols of the compiled units (tests/tools/simd_symbols_test.py).
#ifndef SUPPLE_SIMD
#define SUPPLE_SIMD simd_baseline
#endif

namespace supple {

/// `baseline` is what the whole library is compiled for: any x86-64, or another processor, or the
/// machine at hand (SUPPLE_NATIVE; its name is then "native"). In the latter two cases the other
/// levels do not exist.
enum class SimdLevel {
  baseline,
  avx2,   ///< AVX2 and FMA
  avx512  ///< AVX-512 F, BW, CD, DQ and VL
};

/// "baseline", "avx2", "avx512", or "native".
std::string simd_level_name(SimdLevel level);

/// The compiled levels that the processor has, in ascending order; the first one is always present.
std::vector<SimdLevel> usable_simd_levels();

/// The level of that name, or the best usable one if the name is empty. Throws Error{invalid_input}
/// that lists the possible ones.
SimdLevel simd_level_of_name(const std::string& name);

/// The level in use in this process, like simd_level() of supple/simd.h.
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

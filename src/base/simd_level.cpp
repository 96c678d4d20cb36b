#include "base/simd_level.h"

#include <algorithm>
#include <cstdlib>

#include "base/names.h"
#include "supple/error.h"
#include "supple/simd.h"

namespace supple {

namespace {

#ifdef SUPPLE_SIMD_LEVELS
/// The instructions of each level are those for which its units are compiled.
std::vector<SimdLevel> found_levels() {
  __builtin_cpu_init();
  std::vector<SimdLevel> levels{SimdLevel::baseline};
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return levels;
  levels.push_back(SimdLevel::avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    levels.push_back(SimdLevel::avx512);
  }
  return levels;
}
std::vector<SimdLevel> compiled_levels() {
  return {SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512};
}
#else
std::vector<SimdLevel> found_levels() { return {SimdLevel::baseline}; }
std::vector<SimdLevel> compiled_levels() { return {SimdLevel::baseline}; }
#endif

std::vector<std::string> names_of(const std::vector<SimdLevel>& levels) {
  std::vector<std::string> names;
  for (const SimdLevel level : levels) names.push_back(simd_level_name(level));
  return names;
}

SimdLevel asked_for() {
  const char* const name = std::getenv("SUPPLE_SIMD");
  return simd_level_of_name(name == nullptr ? "" : name);
}

}  // namespace

std::string simd_level_name(SimdLevel level) {
  if (level == SimdLevel::avx512) return "avx512";
  if (level == SimdLevel::avx2) return "avx2";
#ifdef SUPPLE_SIMD_NATIVE
  return "native";
#else
  return "baseline";
#endif
}

std::vector<SimdLevel> usable_simd_levels() { return found_levels(); }

SimdLevel simd_level_of_name(const std::string& name) {
  const std::vector<SimdLevel> usable = usable_simd_levels();
  if (name.empty()) return usable.back();
  const std::vector<std::string> known = names_of(compiled_levels()), here = names_of(usable);
  const auto place = std::find(here.begin(), here.end(), name);
  if (place != here.end()) return usable[static_cast<std::size_t>(place - here.begin())];
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw Error(ErrorKind::invalid_input, "SUPPLE_SIMD",
                unknown_name("level of vectors", name, known));
  }
  std::string possible;
  for (const std::string& level : here) possible += (possible.empty() ? "" : ", ") + level;
  throw Error(ErrorKind::invalid_input, "SUPPLE_SIMD",
              "this processor has no '" + name + "'; it has: " + possible);
}

SimdLevel simd_level_in_use() {
  static const SimdLevel level = asked_for();
  return level;
}

std::string simd_level() { return simd_level_name(simd_level_in_use()); }

}  // namespace supple

#pragma once

#include <nlohmann/json.hpp>

#include "io/run/machine.h"

namespace supple {

/// The machine as reports describe it. threads: those of the run, 0 for all.
inline nlohmann::ordered_json machine_json(const Machine& machine, int threads) {
  return {{"processor", machine.processor}, {"cores", machine.cores},
          {"memory_gib", machine.memory},   {"threads", threads},
          {"compiler", machine.compiler},   {"build", machine.build},
          {"flags", machine.flags},         {"simd", machine.simd}};
}

}  // namespace supple

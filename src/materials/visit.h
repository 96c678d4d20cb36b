#pragma once

#include <variant>

#include "materials/material.h"
#include "math/batch.h"

namespace supple {

/// Calls f(model) for the model that the variant holds. Kernel units use it instead of std::visit,
/// whose table and exception are functions with names that carry no level (base/simd_level.h).
template <class F, std::size_t i = 0>
SUPPLE_INLINE auto visit_model(const MaterialModel& material, const F& f) {
  if constexpr (i + 1 < std::variant_size_v<MaterialModel>) {
    if (material.index() != i) return visit_model<F, i + 1>(material, f);
  }
  return f(*std::get_if<i>(&material));
}

}  // namespace supple

#pragma once

#include <cstddef>
#include <type_traits>

#include "materials/visit.h"
#include "position/fiber_tet.h"
#include "position/neo_hookean_tet.h"
#include "position/projected_tet.h"

/// The functions of tet_kernels.h as templates over the number type: a run of batches, its material
/// and form chosen once.
namespace supple {

inline namespace SUPPLE_SIMD {

namespace tet_detail {

template <class Family>
inline constexpr bool is_projected =
    !std::is_same_v<Family, StableNeoHookeanModel> &&
    Projective<decltype(std::declval<Family>().template at<double>(nullptr))>;

/// How many batches ahead to prefetch if TetWork::far.
inline constexpr int look_ahead = 2;

/// Calls visit(lanes) for all lanes of the run, S at a time.
template <class S, class Visit>
SUPPLE_INLINE void each(const TetWork<typename LanesOf<S>::T>& work, int num_rows,
                        const Visit& visit) {
  using T = typename LanesOf<S>::T;
  T* rows = work.rows;
  const std::uint32_t* places = work.places;
  for (int b = 0; b < work.num_batches; ++b) {
    if (LanesOf<S>::width > 1 && work.far) {
      // The processor's own prefetching stops at the end of a page, which is every other batch.
      const char* ahead = reinterpret_cast<const char*>(
          rows + static_cast<std::ptrdiff_t>(look_ahead * num_rows) * row_lanes<T>);
      for (int r = 0; r < num_rows; ++r) __builtin_prefetch(ahead + 64 * r);
      __builtin_prefetch(places + std::ptrdiff_t{4 * look_ahead} * row_lanes<T>);
    }
    for (int first = 0; first < row_lanes<T>; first += LanesOf<S>::width) {
      visit(TetLanes<S>{rows + first, places + first});
    }
    rows += static_cast<std::ptrdiff_t>(num_rows) * row_lanes<T>;
    places += std::ptrdiff_t{4} * row_lanes<T>;
  }
}

template <class S>
SUPPLE_INLINE typename LanesOf<S>::T greatest_lane(const S& a) {
  if constexpr (LanesOf<S>::width == 1) {
    return a;
  } else {
    auto most = a[0];
    for (int i = 1; i < LanesOf<S>::width; ++i) most = most < a[i] ? a[i] : most;
    return most;
  }
}

template <class S, bool first, TetProjection projection, bool damped = false>
typename LanesOf<S>::T project_neo_hookean(const TetWork<typename LanesOf<S>::T>& work) {
  using Tet = NeoHookeanTet<S>;
  constexpr bool whole = keeps_matrix(projection);
  const S a(work.a), a2(work.a2), inverse_a2 = S(1.0) / a2;
  S worst = S(0.0);
  each<S>(work, Tet::multipliers + (whole ? 10 : 2) + (damped ? 1 : 0),
          [&](const TetLanes<S>& tet) {
            S found;
            if constexpr (whole) {
              const TetDamping<S, damped> damping{work.x_start, a};
              found = Tet::template stress<first, projection == TetProjection::careful_stress>(
                  tet, work.x, a2, inverse_a2, damping);
            } else if constexpr (projection == TetProjection::sequential) {
              found = Tet::template sequential<first>(tet, work.x, a2, inverse_a2);
            } else {
              found = Tet::template block<first>(tet, work.x, a2, inverse_a2);
            }
            worst = greatest(worst, found);
          });
  return greatest_lane(worst);
}

template <class S, bool first>
typename LanesOf<S>::T project_neo_hookean(const TetWork<typename LanesOf<S>::T>& work) {
  switch (work.projection) {
    case TetProjection::stress:
      if (work.form.damped) return project_neo_hookean<S, first, TetProjection::stress, true>(work);
      return project_neo_hookean<S, first, TetProjection::stress>(work);
    case TetProjection::careful_stress:
      if (work.form.damped) {
        return project_neo_hookean<S, first, TetProjection::careful_stress, true>(work);
      }
      return project_neo_hookean<S, first, TetProjection::careful_stress>(work);
    case TetProjection::sequential:
      return project_neo_hookean<S, first, TetProjection::sequential>(work);
    default:
      return project_neo_hookean<S, first, TetProjection::block>(work);
  }
}

template <class S, class Tet, bool first>
void project_damped(const TetWork<typename LanesOf<S>::T>& work) {
  const S a(work.a), a2(work.a2);
  each<S>(work, Tet::multipliers + 10, [&](const TetLanes<S>& tet) {
    Tet::template stress<first>(tet, work.x, a2, TetDamping<S, true>{work.x_start, a});
  });
}

/// For ProjectedTet and FiberTet.
template <class S, class Tet, int size, bool first>
void project_one(const TetWork<typename LanesOf<S>::T>& work) {
  const S a2(work.a2);
  if (keeps_matrix(work.projection)) {
    each<S>(work, Tet::multipliers + size,
            [&](const TetLanes<S>& tet) { Tet::template stress<first>(tet, work.x, a2); });
  } else {
    each<S>(work, Tet::multipliers + 1,
            [&](const TetLanes<S>& tet) { Tet::template scalar<first>(tet, work.x, a2); });
  }
}

template <class S, bool first>
typename LanesOf<S>::T project_run(const TetWork<typename LanesOf<S>::T>& work) {
  using T = typename LanesOf<S>::T;
  if (work.form.material == nullptr) {
    project_one<S, FiberTet<S>, 3, first>(work);
    return T(0);
  }
  return visit_model(*work.form.material, [&](const auto& family) -> T {
    using Family = std::decay_t<decltype(family)>;
    if constexpr (std::is_same_v<Family, StableNeoHookeanModel>) {
      return project_neo_hookean<S, first>(work);
    } else if constexpr (is_projected<Family>) {
      if (work.form.damped) {
        project_damped<S, ProjectedTet<Family, S>, first>(work);
      } else {
        project_one<S, ProjectedTet<Family, S>, 9, first>(work);
      }
    }
    return T(0);
  });
}

/// For NeoHookeanTet and ProjectedTet.
template <class S, class Tet, int size, int num_scalars>
void apply_tets(const TetWork<typename LanesOf<S>::T>& work, const S& scale) {
  const bool whole = keeps_matrix(work.projection);
  const int stored = whole ? size : num_scalars;
  const int multipliers = Tet::multipliers + (work.form.damped ? 1 : 0);
  each<S>(work, multipliers + stored, [&](const TetLanes<S>& tet) {
    for (int i = 0; i < stored; ++i) {
      tet.set_row(multipliers + i, scale * tet.row(multipliers + i));
    }
    const Mat3<S> B = tet.matrix(tet_rows::gradients);
    const Mat3<S> Q = whole ? tet.matrix(multipliers)
                            : Tet::impulse(tet, tet.deformation_gradient(work.x_start, B));
    tet.pull(S(-1.0) * Q, B, work.x);
  });
}

template <class S>
void apply_fibers(const TetWork<typename LanesOf<S>::T>& work, const S& scale) {
  using Tet = FiberTet<S>;
  const bool whole = keeps_matrix(work.projection);
  const int stored = whole ? 3 : 1;
  each<S>(work, Tet::multipliers + stored, [&](const TetLanes<S>& tet) {
    for (int i = 0; i < stored; ++i) {
      tet.set_row(Tet::multipliers + i, scale * tet.row(Tet::multipliers + i));
    }
    const Vector3<S> e = Tet::gradients(tet);
    const Vector3<S> q = whole
                             ? Vector3<S>{{tet.row(Tet::multipliers), tet.row(Tet::multipliers + 1),
                                           tet.row(Tet::multipliers + 2)}}
                             : Tet::impulse(tet, Tet::direction(tet, work.x_start, e));
    Tet::pull(tet, S(-1.0) * q, e, work.x);
  });
}

}  // namespace tet_detail

/// The two functions of a table of kernels; S: the number type.
template <class S>
typename LanesOf<S>::T project_tets(const TetWork<typename LanesOf<S>::T>& work) {
  return work.first ? tet_detail::project_run<S, true>(work)
                    : tet_detail::project_run<S, false>(work);
}

template <class S>
void apply_impulses(const TetWork<typename LanesOf<S>::T>& work, typename LanesOf<S>::T scale) {
  const S factor(scale);
  if (work.form.material == nullptr) {
    tet_detail::apply_fibers<S>(work, factor);
    return;
  }
  visit_model(*work.form.material, [&](const auto& family) {
    using Family = std::decay_t<decltype(family)>;
    if constexpr (std::is_same_v<Family, StableNeoHookeanModel>) {
      tet_detail::apply_tets<S, NeoHookeanTet<S>, 10, 2>(work, factor);
    } else if constexpr (tet_detail::is_projected<Family>) {
      tet_detail::apply_tets<S, ProjectedTet<Family, S>, 9, 1>(work, factor);
    }
  });
}

}  // namespace SUPPLE_SIMD

}  // namespace supple

#pragma once

#include <array>
#include <type_traits>

#include "materials/visit.h"
#include "potentials/sheet.h"
#include "potentials/woven_limit.h"

namespace supple {

/// What the triangles of a membrane are made of, without the parameters.
struct SheetModel {
  enum class Kind { isotropic, orthotropic, woven_limit };
  MaterialModel isotropic{ArapModel{}};  ///< one of principal stretches; used only for that kind
  Kind kind = Kind::isotropic;

  /// Whether its first axis is that of the warp.
  bool is_woven() const { return kind != Kind::isotropic; }
};

inline constexpr int most_sheet_parameters = 5;

struct OrthotropicSheetModel {
  static constexpr const char* name = "orthotropic_stvk";
  static constexpr int num_parameters = 4;
  template <class S>
  OrthotropicSheet<S> at(const S* p) const {
    return {p[0], p[1], p[2], p[3]};
  }
};

template <class Family>
struct IsotropicSheetModel {
  const Family& family;
  static constexpr int num_parameters = Family::num_parameters;
  template <class S>
  auto at(const S* p) const {
    return PrincipalSheet<std::decay_t<decltype(family.template at<S>(p))>, S>{
        family.template at<S>(p)};
  }
};

/// Whether a material has the terms that a sheet needs.
template <class Family>
inline constexpr bool has_sheet =
    HasTerms<std::decay_t<decltype(std::declval<Family>().template at<double>(nullptr))>>;

/// Returns f(model) for the model of the sheet; make_sheet has checked that it has one.
template <class F>
SUPPLE_INLINE auto visit_sheet(const SheetModel& sheet, const F& f) {
  using Result = decltype(f(OrthotropicSheetModel{}));
  if (sheet.kind == SheetModel::Kind::orthotropic) return f(OrthotropicSheetModel{});
  if (sheet.kind == SheetModel::Kind::woven_limit) return f(WovenLimitModel{});
  return visit_model(sheet.isotropic, [&](const auto& family) -> Result {
    using Family = std::decay_t<decltype(family)>;
    if constexpr (has_sheet<Family>) {
      return f(IsotropicSheetModel<Family>{family});
    } else {
      return Result();
    }
  });
}

}  // namespace supple

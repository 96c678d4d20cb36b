#include "position/constraint_forms.h"

#include <type_traits>
#include <variant>

#include "materials/projection.h"

namespace supple {

namespace {

template <class Model>
constexpr bool has_form = std::is_same_v<Model, StableNeoHookeanModel> ||
                          Projective<decltype(std::declval<Model>().template at<double>(nullptr))>;

/// Adds the names of the variant's models that have a form.
template <class... Models>
std::vector<std::string> names_of(const std::variant<Models...>*) {
  std::vector<std::string> names;
  (
      [&] {
        if constexpr (has_form<Models>) names.emplace_back(Models::name);
      }(),
      ...);
  return names;
}

}  // namespace

bool has_constraint_form(const MaterialModel& material) {
  return std::visit([](const auto& model) { return has_form<std::decay_t<decltype(model)>>; },
                    material);
}

std::vector<std::string> materials_with_constraint_form() {
  return names_of(static_cast<const MaterialModel*>(nullptr));
}

}  // namespace supple

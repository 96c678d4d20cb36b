#include <array>
#include <string>
#include <vector>

#include "c_interface/handles.h"
#include "supple/simd.h"

namespace {

/// A list for callers that keep pointers into it.
struct List {
  explicit List(std::vector<supple::Description> of) : own(std::move(of)) {
    for (const supple::Description& entry : own) {
      entries.push_back({entry.name.c_str(), entry.text.c_str()});
    }
  }
  std::vector<supple::Description> own;
  std::vector<SuppleDescription> entries{};
};

const List& list_of(SuppleList list) {
  // In the order of the enumerators.
  static const std::array<List, 8> lists{
      List(supple::list_materials()),        List(supple::list_membrane_materials()),
      List(supple::list_spring_materials()), List(supple::list_bending_models()),
      List(supple::list_solvers()),          List(supple::list_solver_options()),
      List(supple::list_integrators()),      List(supple::list_rigid_materials())};
  const auto index = static_cast<std::size_t>(list);
  supple::require(index < lists.size(), "list", "there is no list " + std::to_string(index));
  return lists[index];
}

}  // namespace

SuppleError supple_list(SuppleList list, const SuppleDescription** entries, size_t* count) {
  return supple::guarded([&] {
    const std::vector<SuppleDescription>& found = list_of(list).entries;
    supple::given(entries, "entries");
    supple::given(count, "count") = found.size();
    *entries = found.data();
  });
}

const char* supple_scene_schema() {
  return supple::made([] {
    static const std::string schema = supple::scene_schema();
    return schema.c_str();
  });
}

const char* supple_simd_level() {
  return supple::made([] {
    static const std::string level = supple::simd_level();
    return level.c_str();
  });
}

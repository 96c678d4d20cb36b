#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "c_interface/handles.h"
#include "io/meshes/formats.h"
#include "io/meshes/line_assembly.h"
#include "mesh/surface.h"

struct SuppleMeshes {
  std::map<std::string, supple::BodyMesh> meshes{};
  std::map<std::string, supple::HeightGrid> heights{};
};

namespace {

using supple::given;
using supple::guarded;
using supple::refuse;
using supple::require;
using supple::Vec3;

std::string new_name(const SuppleMeshes* meshes, const char* name) {
  const SuppleMeshes& own = given(meshes, "meshes");
  std::string text = &given(name, "name");
  require(!text.empty(), "name", "is empty");
  require(!own.meshes.contains(text) && !own.heights.contains(text), "name",
          "is there already: '" + text + "'");
  return text;
}

/// Everything is numbered by ints, so no size below overflows.
void check_count(std::size_t count, const char* parameter) {
  require(count <= std::numeric_limits<std::int32_t>::max(), parameter,
          "are " + std::to_string(count) + ", more than can be numbered");
}

std::vector<double> numbers_at(const double* numbers, std::size_t count, const char* parameter) {
  if (count > 0) given(numbers, parameter);
  std::vector<double> list(numbers, numbers + count);
  const auto bad =
      std::find_if(list.begin(), list.end(), [](double x) { return !std::isfinite(x); });
  require(bad == list.end(), parameter,
          "number " + std::to_string(bad - list.begin()) + " is not finite");
  return list;
}

std::vector<Vec3> vertices_at(const double* vertices, std::size_t count) {
  check_count(count, "vertices");
  const std::vector<double> list = numbers_at(vertices, 3 * count, "vertices");
  return supple::vectors_at(list.data(), count, "vertices");
}

/// Elements with `size` different vertices each.
template <std::size_t size>
std::vector<std::array<int, size>> elements_at(const std::int32_t* elements, std::size_t count,
                                               std::size_t num_vertices, const char* parameter) {
  given(elements, parameter);
  require(count > 0, parameter, "are none: expected at least one");
  check_count(count, parameter);
  std::vector<std::array<int, size>> list(count);
  for (std::size_t e = 0; e < count; ++e) {
    std::copy_n(elements + size * e, size, list[e].begin());
    const std::string place = std::string(parameter) + ": " + std::to_string(e);
    for (const int vertex : list[e]) {
      require(
          vertex >= 0 && static_cast<std::size_t>(vertex) < num_vertices, place,
          "names vertex " + std::to_string(vertex) + "; there are " + std::to_string(num_vertices));
      require(std::count(list[e].begin(), list[e].end(), vertex) == 1, place,
              "names vertex " + std::to_string(vertex) + " twice");
    }
  }
  return list;
}

/// What a reader of files would report about a file is here an error in an argument.
template <class Make>
auto checked(const std::string& name, const Make& make) {
  try {
    return make();
  } catch (const supple::Error& error) {
    refuse(name, error.message());
  }
}

/// The surface of a collider, from a mesh that replaces a file in a scene.
supple::TriangleMesh surface_of(const supple::BodyMesh& mesh, const std::string& name) {
  const auto* sheet = std::get_if<supple::SpringMesh>(&mesh);
  require(sheet != nullptr && !sheet->triangles.empty(), name,
          "is no surface: expected a mesh of triangles");
  return {sheet->vertices, sheet->triangles};
}

}  // namespace

SuppleMeshes* supple_meshes_create() {
  return supple::made([] { return std::make_unique<SuppleMeshes>().release(); });
}

void supple_meshes_destroy(SuppleMeshes* meshes) { delete meshes; }

SuppleError supple_meshes_add_tets(SuppleMeshes* meshes, const char* name, const double* vertices,
                                   size_t num_vertices, const int32_t* tets, size_t num_tets) {
  return guarded([&] {
    const std::string key = new_name(meshes, name);
    supple::TetMesh mesh;
    mesh.vertices = vertices_at(vertices, num_vertices);
    mesh.tets = elements_at<4>(tets, num_tets, num_vertices, "tets");
    checked(key, [&] { return supple::normalise(mesh, key); });
    meshes->meshes.emplace(key, std::move(mesh));
  });
}

SuppleError supple_meshes_add_tet_field(SuppleMeshes* meshes, const char* name, const char* field,
                                        const double* values, size_t num_tets) {
  return guarded([&] {
    const auto found = given(meshes, "meshes").meshes.find(&given(name, "name"));
    auto* const mesh =
        found == meshes->meshes.end() ? nullptr : std::get_if<supple::TetMesh>(&found->second);
    require(mesh != nullptr, "name", "there is no mesh of tets '" + std::string(name) + "'");
    supple::check_array(values, num_tets, mesh->tets.size(), "values");
    std::vector<double> numbers = numbers_at(values, num_tets, "values");
    const bool is_new = mesh->tet_fields.emplace(&given(field, "field"), std::move(numbers)).second;
    require(is_new, "field", "is there already: '" + std::string(field) + "'");
  });
}

SuppleError supple_meshes_add_triangles(SuppleMeshes* meshes, const char* name,
                                        const double* vertices, size_t num_vertices,
                                        const int32_t* triangles, size_t num_triangles) {
  return guarded([&] {
    const std::string key = new_name(meshes, name);
    supple::SpringMesh mesh;
    mesh.vertices = vertices_at(vertices, num_vertices);
    mesh.triangles = elements_at<3>(triangles, num_triangles, num_vertices, "triangles");
    mesh.structural = supple::triangle_edges(mesh.triangles);
    meshes->meshes.emplace(key, std::move(mesh));
  });
}

SuppleError supple_meshes_add_strands(SuppleMeshes* meshes, const char* name,
                                      const double* vertices, size_t num_vertices,
                                      const int32_t* segments, size_t num_segments) {
  return guarded([&] {
    const std::string key = new_name(meshes, name);
    supple::LineAssembly lines(0);
    lines.vertices = vertices_at(vertices, num_vertices);
    for (const auto& [a, b] : elements_at<2>(segments, num_segments, num_vertices, "segments")) {
      lines.add_segment(a, b, 0);
    }
    meshes->meshes.emplace(key, checked(key, [&] {
                             return supple::with_segments(lines.finish(supple::Source({}, key)),
                                                          key);
                           }));
  });
}

SuppleError supple_meshes_add_heights(SuppleMeshes* meshes, const char* name, const double* heights,
                                      int32_t nx, int32_t nz) {
  return guarded([&] {
    const std::string key = new_name(meshes, name);
    const auto size = static_cast<double>(nx) * nz;
    require(nx >= 2 && nz >= 2 && size <= static_cast<double>(supple::most_heights), "nx",
            "expected at least 2 rows of 2, and at most " + std::to_string(supple::most_heights) +
                " heights");
    const auto count = static_cast<std::size_t>(size);
    meshes->heights.emplace(key, supple::HeightGrid{nx, nz, numbers_at(heights, count, "heights")});
  });
}

namespace supple {

SceneSources sources_in(const std::filesystem::path& folder, const SuppleMeshes* meshes) {
  SceneSources sources;
  if (meshes != nullptr) {
    sources.in_memory = [meshes](const std::string& name) {
      const auto found = meshes->meshes.find(name);
      return found == meshes->meshes.end() ? nullptr : &found->second;
    };
  }
  sources.tet_mesh = [folder](const std::string& name) { return read_tet_mesh(folder / name); };
  sources.triangle_mesh = [folder, memory = sources.in_memory](const std::string& name) {
    const BodyMesh* const mesh = memory ? memory(name) : nullptr;
    return mesh != nullptr ? surface_of(*mesh, name) : read_triangle_mesh(folder / name);
  };
  sources.strands_or_surface = [folder](const std::string& name) {
    return read_strands_or_surface(folder / name);
  };
  sources.height_grid = [folder, meshes](const std::string& name) {
    if (meshes == nullptr || !meshes->heights.contains(name)) return read_heights(folder / name);
    return meshes->heights.at(name);
  };
  return sources;
}

}  // namespace supple

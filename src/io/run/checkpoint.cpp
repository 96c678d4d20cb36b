#include "io/run/checkpoint.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "base/fnv.h"
#include "io/exports/atomic_file.h"
#include "supple/error.h"
#include "supple/state_bytes.h"

namespace supple {

namespace {

/// A hash over values of any type.
class Hash : public Fnv {
 public:
  template <class T>
  void add_values(const std::vector<T>& values) {
    add(std::as_bytes(std::span(values)));
  }
};

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& message) {
  throw Error(ErrorKind::bad_file, path.string(), message);
}

std::vector<std::byte> load(const std::filesystem::path& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (status.type() == std::filesystem::file_type::not_found) fail(path, "there is no such file");
  if (code) fail(path, "cannot be read: " + code.message());
  if (!std::filesystem::is_regular_file(status)) fail(path, "is not a file: expected a checkpoint");
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  if (code) fail(path, "cannot be read: " + code.message());
  std::ifstream stream(path, std::ios::binary);
  // The whole file is read only if it starts like a checkpoint.
  std::vector<std::byte> bytes(std::min<std::uintmax_t>(size, state_magic.size()));
  const auto read = [&](std::size_t from) {
    stream.read(reinterpret_cast<char*>(bytes.data() + from),
                static_cast<std::streamsize>(bytes.size() - from));
    if (!stream) fail(path, "cannot be read to its end");
  };
  read(0);
  if (std::memcmp(bytes.data(), state_magic.data(), bytes.size()) != 0) {
    fail(path, "is not a checkpoint");
  }
  bytes.resize(size);
  read(std::min(bytes.size(), state_magic.size()));
  return bytes;
}

void refuse_own_energies(const Body& body) {
  bool any = body.material.own != nullptr;
  for (const MaterialSettings& layer : body.layers) any = any || layer.own != nullptr;
  for (const MaterialRegion& region : body.regions) any = any || region.material.own != nullptr;
  if (!any) return;
  throw Error(ErrorKind::invalid_input, "checkpoint",
              "a material of the body '" + body.name +
                  "' is an energy of the program, which a file cannot identify");
}

}  // namespace

std::uint64_t scene_fingerprint(const LoadedScene& loaded) {
  nlohmann::ordered_json settings = nlohmann::ordered_json::parse(loaded.settings);
  settings["time"].erase("frames");
  const std::string text = settings.dump();
  Hash hash;
  hash.add(std::as_bytes(std::span(text)));
  for (const Body& body : loaded.scene.bodies) {
    hash.add_values(body.mesh.vertices);
    hash.add_values(body.mesh.tets);
    for (const auto& [name, values] : body.mesh.tet_fields) hash.add_values(values);
    refuse_own_energies(body);
  }
  for (const Collider& collider : loaded.scene.colliders) {
    if (const auto* shape = std::get_if<MeshShape>(&collider.shape)) {
      hash.add_values(shape->mesh.vertices);
      hash.add_values(shape->mesh.triangles);
    } else if (const auto* hull = std::get_if<ConvexHullShape>(&collider.shape)) {
      hash.add_values(hull->points);
    } else if (const auto* field = std::get_if<HeightFieldShape>(&collider.shape)) {
      hash.add_values(field->heights);
    } else if (std::holds_alternative<DistanceShape>(collider.shape)) {
      throw Error(ErrorKind::invalid_input, "checkpoint",
                  "the collider '" + collider.name +
                      "' is given by a function, which a file cannot identify");
    }
  }
  return hash.value();
}

void write_checkpoint(const std::filesystem::path& path, std::uint64_t fingerprint,
                      const SimulationState& state) {
  AtomicFile file(path);
  file.write(state_to_bytes(state, fingerprint));
  file.commit();
}

SimulationState read_checkpoint(const std::filesystem::path& path, std::uint64_t fingerprint) {
  return state_from_bytes(load(path), fingerprint, path.string());
}

}  // namespace supple

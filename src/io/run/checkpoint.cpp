#include "io/run/checkpoint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include "io/exports/atomic_file.h"
#include "sim/separation_numbers.h"
#include "supple/error.h"

namespace supple {

namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are written as they lie");

// The line break tells a file that went through a text conversion.
constexpr std::array<char, 8> magic{'S', 'U', 'P', 'P', 'L', 'E', '\r', '\n'};
constexpr std::uint32_t format_version = 7;

// What follows positions and velocities.
constexpr std::uint32_t has_previous = 1;
constexpr std::uint32_t has_accelerations = 2;

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t history;
  std::uint64_t fingerprint;
  std::int64_t frame;
  double time;
  double unconverged;
  std::int64_t next_look, look_interval;
  double weights_spent;
  double weights_worked;
  std::uint64_t num_weights;
  std::uint64_t num_plastic;
  std::uint64_t num_unfolding;
  std::uint64_t num_rested;
  std::uint64_t num_rods;
  std::uint64_t num_separated;  ///< numbers, some of each
  std::uint64_t num_values;
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 136);

/// FNV-1a [Fowler, Noll & Vo].
class Hash {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      value_ ^= static_cast<std::uint64_t>(byte);
      value_ *= 0x100000001b3;
    }
  }
  template <class T>
  void add_values(const std::vector<T>& values) {
    add(std::as_bytes(std::span(values)));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& message) {
  throw Error(ErrorKind::bad_file, path.string(), message);
}

std::vector<char> load(const std::filesystem::path& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (status.type() == std::filesystem::file_type::not_found) fail(path, "there is no such file");
  if (code) fail(path, "cannot be read: " + code.message());
  if (!std::filesystem::is_regular_file(status)) fail(path, "is not a file: expected a checkpoint");
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  if (code) fail(path, "cannot be read: " + code.message());
  std::ifstream stream(path, std::ios::binary);
  std::vector<char> bytes(sizeof(Header));
  if (!stream.read(bytes.data(), sizeof(Header))) {
    fail(path, stream.eof() ? "is not a checkpoint: too short" : "cannot be read");
  }
  // Only what starts like a checkpoint is read as a whole.
  if (std::memcmp(bytes.data(), magic.data(), magic.size()) != 0) fail(path, "is not a checkpoint");
  bytes.resize(static_cast<std::size_t>(size));
  const auto rest = static_cast<std::streamsize>(size - sizeof(Header));
  if (!stream.read(bytes.data() + sizeof(Header), rest)) fail(path, "cannot be read to its end");
  return bytes;
}

std::uint64_t checksum(std::span<const char> bytes) {
  Hash hash;
  hash.add(std::as_bytes(bytes));
  return hash.value();
}

std::size_t num_arrays(const Header& header) {
  return 2 + ((header.history & has_previous) != 0 ? 2 : 0) +
         ((header.history & has_accelerations) != 0 ? 1 : 0);
}

/// Its arrays in the order of the file, those of the history where they are there.
template <class State>
auto arrays_of(State& state, std::uint32_t history) {
  std::vector<decltype(&state.positions)> arrays = {&state.positions, &state.velocities};
  if ((history & has_previous) != 0) {
    arrays.insert(arrays.end(), {&state.previous_positions, &state.previous_velocities});
  }
  if ((history & has_accelerations) != 0) arrays.push_back(&state.accelerations);
  return arrays;
}

void check_sound(const std::filesystem::path& path, std::span<const char> bytes,
                 const Header& header) {
  if (header.version != format_version) {
    fail(path, "is a checkpoint of version " + std::to_string(header.version) + "; expected " +
                   std::to_string(format_version));
  }
  const std::size_t values = (bytes.size() - sizeof(Header)) / sizeof(double);
  const std::size_t arrays = num_arrays(header);
  // None of the sums below can overflow.
  const bool fit = header.num_weights < values && header.num_plastic < values &&
                   header.num_unfolding < values && header.num_rested < values &&
                   header.num_rods < values && header.num_separated < values &&
                   header.num_separated % separation_size == 0 &&
                   header.num_weights + header.num_plastic + header.num_unfolding +
                           header.num_rested + header.num_rods + header.num_separated <
                       values;
  const std::size_t of_vertices = fit ? values - 1 - header.num_weights - header.num_plastic -
                                            header.num_unfolding - header.num_rested -
                                            header.num_rods - header.num_separated
                                      : 0;
  if (values * sizeof(double) != bytes.size() - sizeof(Header) || !fit ||
      of_vertices % arrays != 0 || header.num_values != of_vertices / arrays) {
    fail(path, "is cut off or damaged: its size does not fit what it should hold");
  }
  std::uint64_t stored = 0;
  const std::size_t end = bytes.size() - sizeof(stored);
  std::memcpy(&stored, bytes.data() + end, sizeof(stored));
  if (stored != checksum(bytes.first(end))) fail(path, "is damaged: its checksum does not match");
}

void refuse_own_energies(const Body& body) {
  bool any = body.material.own != nullptr;
  for (const MaterialSettings& layer : body.layers) any = any || layer.own != nullptr;
  for (const MaterialRegion& region : body.regions) any = any || region.material.own != nullptr;
  if (!any) return;
  throw Error(ErrorKind::invalid_input, "checkpoint",
              "a material of the body '" + body.name +
                  "' is an energy of the program, which no file can tell from another one");
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
                      "' is given by a function, which no file can tell from another one");
    }
  }
  return hash.value();
}

void write_checkpoint(const std::filesystem::path& path, std::uint64_t fingerprint,
                      const SimulationState& state) {
  const std::uint32_t history = (state.previous_positions.empty() ? 0 : has_previous) |
                                (state.accelerations.empty() ? 0 : has_accelerations);
  const Header header{.magic = magic,
                      .version = format_version,
                      .history = history,
                      .fingerprint = fingerprint,
                      .frame = state.frame,
                      .time = state.time,
                      .unconverged = state.unconverged,
                      .next_look = state.next_look,
                      .look_interval = state.look_interval,
                      .weights_spent = state.weights_spent,
                      .weights_worked = state.weights_worked,
                      .num_weights = state.weights.size(),
                      .num_plastic = state.plastic.size(),
                      .num_unfolding = state.unfolding.size(),
                      .num_rested = state.rested.size(),
                      .num_rods = state.rods.size(),
                      .num_separated = separation_size * state.separated.size(),
                      .num_values = state.positions.size()};
  std::vector<char> bytes(sizeof(Header));
  std::memcpy(bytes.data(), &header, sizeof(Header));
  const auto add = [&](const std::vector<double>& values) {
    const auto* first = reinterpret_cast<const char*>(values.data());
    bytes.insert(bytes.end(), first, first + values.size() * sizeof(double));
  };
  for (const std::vector<double>* values : arrays_of(state, history)) add(*values);
  add(state.weights);
  add(state.plastic);
  add({state.unfolding.begin(), state.unfolding.end()});
  add(state.rested);
  add(state.rods);
  add(numbers_of(state.separated));
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(bytes)));
  file.write_value(checksum(bytes));
  file.commit();
}

SimulationState read_checkpoint(const std::filesystem::path& path, std::uint64_t fingerprint) {
  const std::vector<char> bytes = load(path);
  Header header{};
  std::memcpy(&header, bytes.data(), sizeof(Header));
  check_sound(path, bytes, header);
  if (header.fingerprint != fingerprint) {
    fail(path, "belongs to another scene, or to this one with other settings or meshes");
  }
  SimulationState state;
  state.time = header.time;
  state.frame = header.frame;
  state.unconverged = header.unconverged;
  state.next_look = header.next_look;
  state.look_interval = header.look_interval;
  state.weights_spent = header.weights_spent;
  state.weights_worked = header.weights_worked;
  const char* values = bytes.data() + sizeof(Header);
  const auto take = [&](std::vector<double>& array, std::uint64_t count) {
    array.resize(count);
    if (count > 0) std::memcpy(array.data(), values, count * sizeof(double));
    values += count * sizeof(double);
  };
  for (std::vector<double>* array : arrays_of(state, header.history)) {
    take(*array, header.num_values);
  }
  take(state.weights, header.num_weights);
  take(state.plastic, header.num_plastic);
  std::vector<double> unfolding;
  take(unfolding, header.num_unfolding);
  const auto whole = [](double number) {
    constexpr double most = 1 << 30;
    return static_cast<int>(number > -most ? std::min(number, most) : -most);
  };
  for (const double number : unfolding) state.unfolding.push_back(whole(number));
  take(state.rested, header.num_rested);
  take(state.rods, header.num_rods);
  std::vector<double> separated;
  take(separated, header.num_separated);
  for (std::size_t i = 0; i < separated.size();) {
    Separation& own = state.separated.emplace_back();
    for_numbers(own, [&](auto& number) { number = whole(separated[i++]); });
  }
  if (state.frame < 0 || !std::isfinite(state.time)) fail(path, "holds no frame or time");
  return state;
}

}  // namespace supple

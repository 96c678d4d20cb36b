#include "supple/state_bytes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

#include "base/fnv.h"
#include "sim/separation_numbers.h"
#include "supple/error.h"

namespace supple {

namespace {

static_assert(std::endian::native == std::endian::little, "states are written as they lie");

constexpr std::uint32_t format_version = 11;

// What follows after positions and velocities.
constexpr std::uint32_t has_previous = 1;
constexpr std::uint32_t has_accelerations = 2;

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t history;
  std::uint64_t scene;
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
  std::uint64_t num_multipliers;
  std::uint64_t num_separated;   ///< count of all numbers; each separation has several
  std::uint64_t num_separating;  ///< in the same way
  std::uint64_t num_friction;
  std::uint64_t num_normal_forces;
  std::uint64_t num_values;
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 168);

std::uint64_t checksum(std::span<const std::byte> bytes) {
  Fnv hash;
  hash.add(bytes);
  return hash.value();
}

std::size_t num_arrays(const Header& header) {
  return 2 + ((header.history & has_previous) != 0 ? 2 : 0) +
         ((header.history & has_accelerations) != 0 ? 1 : 0);
}

/// The arrays of a state in the order of the bytes, those of the history if present.
template <class State>
auto arrays_of(State& state, std::uint32_t history) {
  std::vector<decltype(&state.positions)> arrays = {&state.positions, &state.velocities};
  if ((history & has_previous) != 0) {
    arrays.insert(arrays.end(), {&state.previous_positions, &state.previous_velocities});
  }
  if ((history & has_accelerations) != 0) arrays.push_back(&state.accelerations);
  return arrays;
}

/// What is wrong with the bytes; "": nothing.
std::string fault_of(std::span<const std::byte> bytes, const Header& header) {
  if (header.version != format_version) {
    return "is a checkpoint of version " + std::to_string(header.version) + "; expected " +
           std::to_string(format_version);
  }
  const std::size_t values = (bytes.size() - sizeof(Header)) / sizeof(double);
  // None of the sums below can overflow.
  std::size_t others = 1;
  bool fit = values > 0 && header.num_separated % separation_size == 0 &&
             header.num_separating % separation_size == 0;
  for (const std::uint64_t count :
       {header.num_weights, header.num_plastic, header.num_unfolding, header.num_rested,
        header.num_rods, header.num_multipliers, header.num_separated, header.num_separating,
        header.num_friction, header.num_normal_forces}) {
    fit = fit && count < values && others + count <= values;
    if (fit) others += count;
  }
  const std::size_t of_vertices = fit ? values - others : 0;
  const std::size_t arrays = num_arrays(header);
  if (values * sizeof(double) != bytes.size() - sizeof(Header) || !fit ||
      of_vertices % arrays != 0 || header.num_values != of_vertices / arrays) {
    return "is cut off or damaged: its size does not fit what it should hold";
  }
  std::uint64_t stored = 0;
  const std::size_t end = bytes.size() - sizeof(stored);
  std::memcpy(&stored, bytes.data() + end, sizeof(stored));
  if (stored != checksum(bytes.first(end))) return "is damaged: its checksum does not match";
  return {};
}

/// An int that was written as a double.
int whole(double number) {
  constexpr double most = 1 << 30;
  return static_cast<int>(number > -most ? std::min(number, most) : -most);
}

}  // namespace

std::vector<std::byte> state_to_bytes(const SimulationState& state, std::uint64_t scene) {
  const std::uint32_t history = (state.previous_positions.empty() ? 0 : has_previous) |
                                (state.accelerations.empty() ? 0 : has_accelerations);
  Header header{.magic = {},
                .version = format_version,
                .history = history,
                .scene = scene,
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
                .num_multipliers = state.multipliers.size(),
                .num_separated = separation_size * state.separated.size(),
                .num_separating = separation_size * state.separating.size(),
                .num_friction = state.friction.size(),
                .num_normal_forces = state.normal_forces.size(),
                .num_values = state.positions.size()};
  state_magic.copy(header.magic, sizeof header.magic);
  std::vector<std::byte> bytes;
  const auto add = [&](std::span<const std::byte> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
  };
  const auto add_numbers = [&](const std::vector<double>& values) {
    add(std::as_bytes(std::span(values)));
  };
  add(std::as_bytes(std::span(&header, 1)));
  for (const std::vector<double>* values : arrays_of(state, history)) add_numbers(*values);
  add_numbers(state.weights);
  add_numbers(state.plastic);
  add_numbers({state.unfolding.begin(), state.unfolding.end()});
  add_numbers(state.rested);
  add_numbers(state.rods);
  add_numbers(state.multipliers);
  add_numbers(numbers_of(state.separated));
  add_numbers(numbers_of(state.separating));
  add_numbers(state.friction);
  add_numbers(state.normal_forces);
  const std::uint64_t sum = checksum(bytes);
  add(std::as_bytes(std::span(&sum, 1)));
  return bytes;
}

SimulationState state_from_bytes(std::span<const std::byte> bytes, std::uint64_t scene,
                                 std::string_view where) {
  const auto fail = [&](const std::string& message) {
    throw Error(ErrorKind::bad_file, where, message);
  };
  if (bytes.size() < sizeof(Header)) fail("is not a checkpoint: too short");
  Header header{};
  std::memcpy(&header, bytes.data(), sizeof(Header));
  if (std::string_view(header.magic, sizeof header.magic) != state_magic)
    fail("is not a checkpoint");
  if (const std::string fault = fault_of(bytes, header); !fault.empty()) fail(fault);
  if (header.scene != scene) {
    fail("belongs to another scene, or to this one with other settings or meshes");
  }
  SimulationState state;
  state.time = header.time;
  state.frame = header.frame;
  state.unconverged = header.unconverged;
  state.next_look = header.next_look;
  state.look_interval = header.look_interval;
  state.weights_spent = header.weights_spent;
  state.weights_worked = header.weights_worked;
  const std::byte* values = bytes.data() + sizeof(Header);
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
  for (const double number : unfolding) state.unfolding.push_back(whole(number));
  take(state.rested, header.num_rested);
  take(state.rods, header.num_rods);
  take(state.multipliers, header.num_multipliers);
  const auto take_separations = [&](std::vector<Separation>& array, std::uint64_t count) {
    std::vector<double> numbers;
    take(numbers, count);
    for (std::size_t i = 0; i < numbers.size();) {
      for_numbers(array.emplace_back(), [&](auto& number) { number = whole(numbers[i++]); });
    }
  };
  take_separations(state.separated, header.num_separated);
  take_separations(state.separating, header.num_separating);
  take(state.friction, header.num_friction);
  take(state.normal_forces, header.num_normal_forces);
  if (state.frame < 0 || !std::isfinite(state.time)) fail("holds no frame or time");
  return state;
}

}  // namespace supple

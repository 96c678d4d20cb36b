#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "supple/simulation.h"

#pragma GCC visibility push(default)

namespace supple {

/// The first bytes of a state. The line break reveals files that went through a text conversion.
inline constexpr std::string_view state_magic = "SUPPLE\r\n";

/// A state as bytes, with a version and a checksum, to be stored or sent; state_from_bytes restores
/// it bit for bit. scene: a number by which the program distinguishes its scenes.
///   state_magic; uint32 version 11; uint32 history; uint64 scene; int64 frame;
///   float64 time; float64 unconverged; int64 next_look; int64 look_interval;
///   float64 weights_spent; float64 weights_worked; uint64 m; uint64 p; uint64 u;
///   uint64 r; uint64 s; uint64 q; uint64 t; uint64 w; uint64 f; uint64 g; uint64 n;
///   float64 positions[n]; float64 velocities[n];
///   if history & 1: float64 previous_positions[n]; float64 previous_velocities[n];
///   if history & 2: float64 accelerations[n];
///   float64 weights[m]; float64 plastic[p]; float64 unfolding[u]; float64 rested[r];
///   float64 rods[s]; float64 multipliers[q]; float64 separated[t], five of each;
///   float64 separating[w], five of each; float64 friction[f];
///   float64 normal_forces[g];
///   uint64 FNV-1a of all bytes before. Little endian.
std::vector<std::byte> state_to_bytes(const SimulationState& state, std::uint64_t scene = 0);

/// Throws Error{bad_file} at `where` for bytes that are not a state, are truncated, damaged or of
/// another version, and for those of another scene. set_state checks the values.
SimulationState state_from_bytes(std::span<const std::byte> bytes, std::uint64_t scene = 0,
                                 std::string_view where = "state");

}  // namespace supple

#pragma GCC visibility pop

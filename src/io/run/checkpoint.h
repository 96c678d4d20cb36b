#pragma once

#include <cstdint>
#include <filesystem>

#include "io/scene/scene_json.h"
#include "supple/simulation.h"

/// The state of a run on disk, from which it goes on to the same bits.
namespace supple {

/// A number that tells scenes apart: of the settings, but for the number of frames, and of all
/// meshes read from files or generated [FNV-1a, 64 bits].
std::uint64_t scene_fingerprint(const LoadedScene& loaded);

/// Writes a checkpoint: to PATH.part, flushed, then renamed. Throws Error{bad_file}.
///   8 bytes "SUPPLE\r\n"; uint32 version 7; uint32 history; uint64 fingerprint; int64 frame;
///   float64 time; float64 unconverged; int64 next_look; int64 look_interval;
///   float64 weights_spent; float64 weights_worked; uint64 m; uint64 p; uint64 u;
///   uint64 r; uint64 s; uint64 n;
///   float64 positions[n]; float64 velocities[n];
///   if history & 1: float64 previous_positions[n]; float64 previous_velocities[n];
///   if history & 2: float64 accelerations[n];
///   float64 weights[m]; float64 plastic[p]; float64 unfolding[u]; float64 rested[r];
///   float64 rods[s]; float64 separated[t], five of each;
///   uint64 FNV-1a of all bytes before. Little endian.
void write_checkpoint(const std::filesystem::path& path, std::uint64_t fingerprint,
                      const SimulationState& state);

/// Throws Error{bad_file} for a file that cannot be read, is not a checkpoint, is cut off, damaged
/// or of another version, and for one of another scene.
SimulationState read_checkpoint(const std::filesystem::path& path, std::uint64_t fingerprint);

}  // namespace supple

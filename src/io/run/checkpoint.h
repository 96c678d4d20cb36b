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

/// Writes a checkpoint, the bytes of supple/state_bytes.h: to PATH.part, flushed, then renamed.
/// Throws Error{bad_file}.
void write_checkpoint(const std::filesystem::path& path, std::uint64_t fingerprint,
                      const SimulationState& state);

/// Throws Error{bad_file} for a file that cannot be read, is not a checkpoint, is cut off, damaged
/// or of another version, and for one of another scene.
SimulationState read_checkpoint(const std::filesystem::path& path, std::uint64_t fingerprint);

}  // namespace supple

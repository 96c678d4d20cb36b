#pragma once

#include <cstdint>
#include <filesystem>

#include "io/scene/scene_json.h"
#include "supple/simulation.h"

/// The state of a run on disk. A run that is resumed from it gives the same bits.
namespace supple {

/// A number that distinguishes scenes: a hash of the settings, except the number of frames, and of
/// all meshes that were read from files or generated [FNV-1a, 64 bits].
std::uint64_t scene_fingerprint(const LoadedScene& loaded);

/// Writes a checkpoint in the format of supple/state_bytes.h: to PATH.part, which is flushed and
/// then renamed. Throws Error{bad_file}.
void write_checkpoint(const std::filesystem::path& path, std::uint64_t fingerprint,
                      const SimulationState& state);

/// Throws Error{bad_file} for a file that cannot be read, is not a checkpoint, is truncated,
/// damaged or of another version, or belongs to another scene.
SimulationState read_checkpoint(const std::filesystem::path& path, std::uint64_t fingerprint);

}  // namespace supple

#pragma once

#include <span>
#include <vector>

#include "model/model.h"
#include "supple/scene.h"

namespace supple {

/// Which bodies are turned right side out before anything else.
///
/// When tets are inside out, most energies have minima besides the rest shape, and a descent ends
/// in one of them, whatever its matrix. `arap` has hardly any (docs/materials.md). Such a body is
/// therefore `arap` for a while, each tet as stiff as the constant k of its own material: mu = k/2,
/// which leaves the matrix M/a^2 + L unchanged. If that takes long, the body has its own material
/// in every second run of 30 frames, which loosens what `arap` alone leaves. It gets its own
/// material back once none of its tets has J <= 0.2, far enough from where they turned over; or
/// after 300 frames without success, or 60 if none has J <= 0 (`arap` has its own, rare, wrong
/// shapes).
///
/// A body is unfolded if a tenth of its tets start with J <= 0, as after a random start, or if some
/// have J <= 0 at the start of 20 frames in a row. For `corotated`, which comes back from a random
/// start by itself, only the latter counts; `strain_limit` and `volume`, which have no rest shape,
/// are never unfolded. After each attempt the wait before the next one is four times as long, so
/// that a body that is held inside out, or crushed by its own weight, is not changed back and
/// forth.
class Unfolding {
 public:
  explicit Unfolding(std::size_t num_bodies) : memory_(2 * num_bodies, 0), is_now_(num_bodies, 0) {}

  /// Looks at the positions with which a frame begins. Returns whether `bodies` have changed.
  bool begin_frame(const Scene& scene, const Model& model, const VectorField& x);

  /// Notes that the frame began, even without a tet inside out: later frames are no start.
  void frame_began() { is_start_ = false; }

  /// Whether no body is unfolded or waits for it. A frame that begins without a tet inside out then
  /// changes nothing.
  bool is_idle() const;
  bool is_idle(std::size_t body) const { return memory_[2 * body] == 0; }

  /// Whether some body was unfolded, or began the last frame with tets inside out.
  bool has_unfolded() const;

  /// [num_bodies]: whether the body is unfolded in this frame.
  std::span<const char> bodies() const { return is_now_; }
  int count() const;

  /// SimulationState::unfolding. Empty before the first frame.
  std::vector<int> memory() const { return is_start_ ? std::vector<int>() : memory_; }
  /// Throws Error{invalid_input}, and then changes nothing.
  void set_memory(const std::vector<int>& memory);

 private:
  int& frames(std::size_t body) { return memory_[2 * body]; }
  int& attempts(std::size_t body) { return memory_[2 * body + 1]; }
  char is_unfolded(std::size_t body);
  bool is_due(std::size_t body, const Body& settings, bool is_tangled);

  /// For each body, the number of frames in a row that began with tets inside out or, negative, the
  /// number of frames since it is unfolded; and how often it was unfolded.
  std::vector<int> memory_;
  std::vector<char> is_now_;
  bool is_start_ = true;  ///< nothing has moved yet
};

}  // namespace supple

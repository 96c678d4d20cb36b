#pragma once

#include <span>
#include <vector>

#include "model/model.h"
#include "supple/scene.h"

namespace supple {

/// Which bodies are turned right side out before they are anything else.
///
/// Where tets are inside out most energies have minima besides the rest shape, and a descent ends
/// in one of them, whatever its matrix. `arap` has hardly any (docs/materials.md). So such a body
/// is `arap` for a while, each tet as stiff as the constant k of its own material: mu = k/2, which
/// leaves the matrix M/a^2 + L as it is. Where that takes long it has its own material for every
/// other 30 frames, which loosens what `arap` alone leaves. It has its own material again once no
/// tet of it has J <= 0.2, far enough from where it turned over, or after 300 frames without
/// success, 60 if none has J <= 0 (`arap` has its own, rare, wrong shapes).
///
/// A body is unfolded if a tenth of its tets start with J <= 0, as after a random start, or begin
/// some of them 20 frames in a row; of `corotated`, which comes back from a random start by itself,
/// only the latter; of `strain_limit` and `volume`, which have no rest shape, never. After each
/// time the wait before the next one is four times as long: what is held inside out, or crushed by
/// its own weight, is not changed back and forth.
class Unfolding {
 public:
  explicit Unfolding(std::size_t num_bodies) : memory_(2 * num_bodies, 0), is_now_(num_bodies, 0) {}

  /// Looks at the positions that a frame begins with. Whether `bodies` are others than before.
  bool begin_frame(const Scene& scene, const Model& model, const VectorField& x);

  /// The frame began, if without a tet inside out: what comes is not how it started.
  void frame_began() { is_start_ = false; }

  /// No body is unfolded or waits for it: a frame that begins without a tet inside out changes
  /// nothing.
  bool is_idle() const;
  bool is_idle(std::size_t body) const { return memory_[2 * body] == 0; }

  /// Some body was, or began the last frame with tets inside out.
  bool has_unfolded() const;

  /// [num_bodies]: whether the body is unfolded in this frame.
  std::span<const char> bodies() const { return is_now_; }
  int count() const;

  /// SimulationState::unfolding. Empty before the first frame.
  std::vector<int> memory() const { return is_start_ ? std::vector<int>() : memory_; }
  /// Throws Error{invalid_input}; then nothing has changed.
  void set_memory(const std::vector<int>& memory);

 private:
  int& frames(std::size_t body) { return memory_[2 * body]; }
  int& attempts(std::size_t body) { return memory_[2 * body + 1]; }
  char is_unfolded(std::size_t body);
  bool is_due(std::size_t body, const Body& settings, bool is_tangled);

  /// Of each body the frames in a row that began with tets inside out, or, negative, those since it
  /// is unfolded; and how often it was.
  std::vector<int> memory_;
  std::vector<char> is_now_;
  bool is_start_ = true;  ///< nothing has moved yet
};

}  // namespace supple

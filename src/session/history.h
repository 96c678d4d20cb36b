#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/pin_board.h"

namespace supple {

/// Everything that a person has changed and can undo.
struct Edit {
  std::shared_ptr<const std::string> document;  ///< the scene as JSON
  std::vector<BodyPins> pins;                   ///< per body
  std::vector<Placement> colliders;  ///< of the first colliders; the others have not been moved
};

/// What can be undone and redone.
class History {
 public:
  static constexpr std::size_t depth = 200;
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;  // of remembered edits

  /// Remembers the state before an edit. Successive edits with the same non-empty key are one step.
  void add(Edit before, const std::string& key);
  /// The next edit under the same key starts a new step.
  void end_step() { key_.clear(); }
  void clear();

  bool can_undo() const { return !past_.empty(); }
  bool can_redo() const { return !future_.empty(); }
  /// What would be restored. Call only if can_undo() (can_redo()).
  const Edit& past() const { return past_.back(); }
  const Edit& future() const { return future_.back(); }
  /// The step has been undone (redone): `now` is the state before that.
  void undone(Edit now);
  void redone(Edit now);

 private:
  void forget();

  std::deque<Edit> past_;
  std::vector<Edit> future_;
  std::string key_;
};

}  // namespace supple

#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/pin_board.h"

namespace supple {

/// All that a person has changed, and can take back.
struct Edit {
  std::shared_ptr<const std::string> document;  ///< the scene as JSON
  std::vector<BodyPins> pins;                   ///< of each body
  std::vector<Placement> colliders;             ///< of the first ones; the others are not moved
};

/// What can be taken back and done again.
class History {
 public:
  static constexpr std::size_t depth = 200;
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;  // of what is remembered

  /// Remembers what was before an edit. Edits in a row with the same key, not empty, are one step.
  void add(Edit before, const std::string& key);
  /// What is said next under the same key is a new step.
  void end_step() { key_.clear(); }
  void clear();

  bool can_undo() const { return !past_.empty(); }
  bool can_redo() const { return !future_.empty(); }
  /// What would be restored; to be called where there is something.
  const Edit& past() const { return past_.back(); }
  const Edit& future() const { return future_.back(); }
  /// The step has been taken back (done again): `now` is what was before that.
  void undone(Edit now);
  void redone(Edit now);

 private:
  void forget();

  std::deque<Edit> past_;
  std::vector<Edit> future_;
  std::string key_;
};

}  // namespace supple

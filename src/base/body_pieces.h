#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/index.h"
#include "base/parallel_for.h"

namespace supple {

/// Pieces of work, each of which belongs to one body, body after body. It selects the pieces to be
/// done: those of the selected bodies, ascending.
class BodyPieces {
 public:
  BodyPieces() : BodyPieces(std::vector<int>{0}) {}
  /// first: [num_bodies + 1], the first piece of each body. Initially all bodies are selected.
  explicit BodyPieces(std::vector<int> first) : first_(std::move(first)) {
    selected_.resize(at(first_.back()));
    std::iota(selected_.begin(), selected_.end(), 0);
  }

  /// From now on selects only these bodies, ascending; unknown bodies have no pieces. Allocates
  /// nothing.
  void select(std::span<const int> bodies) {
    selected_.clear();
    for (const int body : bodies) {
      if (at(body) + 1 >= first_.size()) break;
      for (int i = first(body); i < first(body + 1); ++i) selected_.push_back(i);
    }
  }

  std::span<const int> selected() const { return selected_; }
  /// The first piece of a body; the pieces of the last body end at count().
  int first(int body) const { return first_[at(body)]; }
  int count() const { return first_.back(); }

  /// Calls work(piece) for the selected pieces, in parallel.
  template <class Work>
  void parallel_for(Threads& threads, const Work& work) const {
    threads.parallel_for(static_cast<int>(selected_.size()),
                         [&](int i) { work(selected_[at(i)]); });
  }

  /// The sum over the selected pieces, in their order, of their entries in a list for all pieces.
  double sum(const std::vector<double>& of_piece) const {
    double sum = 0;
    for (const int piece : selected_) sum += of_piece[at(piece)];
    return sum;
  }

 private:
  std::vector<int> first_, selected_;
};

/// Items of one body.
struct PieceRange {
  int first, last;
};

/// Cuts the items of each body into pieces of size_of(its number of items); the last piece of a
/// body has what is left. first_item: [num_bodies + 1].
template <class SizeOf>
BodyPieces cut_into_pieces(std::span<const int> first_item, const SizeOf& size_of,
                           std::vector<PieceRange>& pieces) {
  std::vector<int> first;
  pieces.clear();
  for (std::size_t body = 0; body + 1 < first_item.size(); ++body) {
    first.push_back(static_cast<int>(pieces.size()));
    const int size = size_of(first_item[body + 1] - first_item[body]);
    for (int begin = first_item[body]; begin < first_item[body + 1]; begin += size) {
      pieces.push_back({begin, std::min(begin + size, first_item[body + 1])});
    }
  }
  first.push_back(static_cast<int>(pieces.size()));
  return BodyPieces(std::move(first));
}

}  // namespace supple

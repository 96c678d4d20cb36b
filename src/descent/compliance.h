#pragma once

#include <memory>
#include <span>
#include <vector>

#include "descent/pinned_matrix.h"

namespace supple {

/// Entries of A^-1, m/N, between vertices that were asked for: A is constant, so that they are
/// found once, by a solve for three vertices, and kept.
class Compliance {
 public:
  /// The matrix outlives it.
  Compliance(PinnedMatrix& matrix, std::size_t num_vertices);

  /// Entries of a matrix that is another one by now are dropped.
  void begin_step();

  /// There is never room for more vertices.
  std::size_t max_vertices() const { return num_slots_; }
  bool has(int vertex) const { return slot_of_vertex_[static_cast<std::size_t>(vertex)] >= 0; }
  std::size_t num_vertices() const { return vertex_of_slot_.size(); }

  /// Finds what is missing between these vertices, which are different, and those that it has;
  /// where there is no room it forgets all others first. `vertices`: no more than max_vertices().
  void find(std::span<const int> vertices, Threads& threads);

  /// Between two vertices that it has: entries[slot(other)] of one.
  const float* entries(int vertex) const { return &between_[slot(vertex) * num_slots_]; }
  std::size_t slot(int vertex) const {
    return static_cast<std::size_t>(slot_of_vertex_[static_cast<std::size_t>(vertex)]);
  }

 private:
  void forget();
  void find_columns(std::span<const int> vertices, Threads& threads);

  PinnedMatrix& matrix_;
  long version_ = -1;                ///< of the matrix that the entries are of
  std::vector<int> slot_of_vertex_;  ///< -1: none
  std::vector<int> vertex_of_slot_;
  std::size_t num_slots_;
  // Left uninitialised, so that the system gives memory only to what is used.
  std::unique_ptr<float[]> columns_;  ///< of A^-1: [slots][num_vertices]
  /// Between slots: [slots][slots]. That between two vertices is the entry of the column of the one
  /// with the smaller number, so that it is the same whichever was asked for first.
  std::unique_ptr<float[]> between_;
  VectorField right_, column_;
  std::vector<int> missing_;
};

}  // namespace supple

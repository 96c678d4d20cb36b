#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "descent/body_matrices.h"

namespace supple {

/// Entries of A^-1, m/N, between vertices that were asked for: A is constant, so that they are
/// found once, by a solve for four vertices, and kept. Between vertices of two parts of the matrix
/// (BodyMatrices), two bodies that no bonds couple, they are 0.
class Compliance {
 public:
  /// The matrices outlive it.
  explicit Compliance(BodyMatrices& matrices);

  /// Entries of matrices of these bodies that are others by now are dropped.
  void begin_step(std::span<const int> bodies);

  /// There is never room for more vertices of these bodies together.
  std::size_t max_vertices(std::span<const int> bodies) const;
  bool has(int vertex) const { return slot_of_vertex_[static_cast<std::size_t>(vertex)] >= 0; }
  /// Whether there is room for so many more of a vertex's part.
  bool has_room(int vertex, std::size_t count) const;
  std::size_t num_vertices() const;

  /// Finds what is missing between these vertices, which are different, and those that it has;
  /// where there is no room in a part it forgets all others of that first. `vertices`: no more than
  /// max_vertices().
  void find(std::span<const int> vertices, Threads& threads);

  /// Between two vertices that it has.
  float between(int a, int b) const {
    const std::size_t part = part_of(a);
    return part == part_of(b) ? row(a)[slot(b)] : 0;
  }
  /// The entries between a vertex that it has and all others of its part, by their slots.
  const float* row(int vertex) const { return tables_[part_of(vertex)].row(slot(vertex)); }
  std::size_t slot(int vertex) const {
    return static_cast<std::size_t>(slot_of_vertex_[static_cast<std::size_t>(vertex)]);
  }
  std::size_t part_of(int vertex) const { return matrices_.part_of(vertex); }

 private:
  /// Of one part; without room until a vertex is asked for.
  struct Table {
    long version = -1;  ///< of the matrix that the entries are of
    std::size_t first_vertex = 0, num_vertices = 0;
    std::size_t num_slots = 0;
    std::vector<int> vertex_of_slot;
    // Left uninitialised, so that the system gives memory only to what is used.
    std::unique_ptr<float[]> columns;  ///< of A^-1: [slots][num_vertices]
    /// Between slots: [slots][slots]. That between two vertices is the entry of the column of the
    /// one with the smaller number, so that it is the same whichever was asked for first.
    std::unique_ptr<float[]> entries;

    const float* row(std::size_t slot) const { return &entries[slot * num_slots]; }
    bool has_all() const { return num_slots == num_vertices; }
  };
  void forget(Table& table);
  void make_room(Table& table);
  void find_in(std::size_t part, std::span<const int> vertices, Threads& threads);
  void find_columns(std::size_t part, std::span<const int> vertices, Threads& threads);

  BodyMatrices& matrices_;
  std::vector<Table> tables_;        ///< [num_parts]
  std::vector<int> slot_of_vertex_;  ///< in the table of its part; -1: none
  VectorField right_, column_;
  std::vector<int> missing_, asked_, own_;
};

}  // namespace supple

#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "descent/body_matrices.h"
#include "descent/contact_kernels.h"

namespace supple {

/// Entries of A^-1, m/N, between vertices that were asked for. A is constant, so they are found
/// once, by one solve for four vertices at a time, and kept. They are 0 between vertices of two
/// parts of the matrix (BodyMatrices), such as two bodies that no bonds couple.
///
/// If A = L L^T is factorised in floats, half of the solve is enough. The column L^-1 e_v is zero
/// except in the rows above v in the elimination tree, a seventh of all rows in a body of 24,576
/// tets, and
///   A^-1 between a and b = (L^-1 e_a) . (L^-1 e_b)
/// is a product over what both paths have in common. When a solve of A x = b stops half way, at
/// y = L^-1 b, the value of x at a vertex is (L^-1 e_v) . y, and subtracting a force f from b
/// subtracts f L^-1 e_v from y.
class Compliance {
 public:
  /// The matrices outlive it.
  explicit Compliance(BodyMatrices& matrices);

  /// Drops the entries of those matrices of these bodies that have changed.
  void begin_step(std::span<const int> bodies);

  /// So many vertices of these bodies together always fit.
  std::size_t max_vertices(std::span<const int> bodies) const;
  /// Most vertices of one part that fit.
  std::size_t most_vertices_of(std::size_t part) const {
    return tables_[part].has_all() ? tables_[part].num_vertices : tables_[part].num_slots;
  }
  std::size_t num_parts() const { return tables_.size(); }
  bool has(int vertex) const { return slot_of_vertex_[static_cast<std::size_t>(vertex)] >= 0; }
  /// Whether there is room for so many more vertices of this one's part.
  bool has_room(int vertex, std::size_t count) const;
  std::size_t num_vertices() const;

  /// Finds the missing entries between these vertices, and between them and those that it has. If
  /// a part has no room for them, it forgets all vertices of that part first. vertices: all
  /// different, no more than max_vertices().
  void find(std::span<const int> vertices, Threads& threads);

  /// The entry between two vertices that it has.
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

  /// Whether these bodies are of one part, of which it has columns L^-1 e_v.
  bool has_half_way(std::span<const int> bodies) const;
  /// Takes y from a solve that stopped half way, in the part of a vertex: [4 n].
  void enter_half_way(int vertex, const float* y);
  /// (L^-1 e_v) . y in one coordinate, for a vertex that it has.
  float half_product(int vertex, int coordinate) const;
  /// y -= force L^-1 e_v
  void take_off(int vertex, int coordinate, float force);
  /// Writes y back.
  void leave_half_way(int vertex, float* y) const;

 private:
  /// The entries of one part. It has no room until a vertex is asked for.
  struct Table {
    long version = -1;  ///< of the matrix that the entries are of
    std::size_t first_vertex = 0, num_vertices = 0;
    std::size_t num_slots = 0;
    std::vector<int> vertex_of_slot;
    std::vector<int> node_of_slot;  ///< supernode with its row, if is_half
    // Left uninitialised, so that the operating system gives memory only to what is used.
    std::unique_ptr<float[]> columns;  ///< [slots][width], of L^-1 if is_half, else of A^-1
    /// Between slots: [slots][slots]. Without halves, the entry between two vertices comes from the
    /// column of the vertex with the smaller number, so that it does not depend on which was asked
    /// for first.
    std::unique_ptr<float[]> entries;
    bool is_half = false;
    std::size_t width = 0;
    /// For each supernode: the columns in it and in those above it in the tree. A column of L^-1 is
    /// kept from the first row of its supernode on, with the rows of these supernodes alone.
    std::vector<int> path;

    const float* row(std::size_t slot) const { return &entries[slot * num_slots]; }
    bool has_all() const { return num_slots == num_vertices; }
  };
  class Halves;
  void forget(Table& table);
  void make_room(std::size_t part);
  void find_in(std::size_t part, std::span<const int> vertices, Threads& threads);
  void find_columns(std::size_t part, std::span<const int> vertices, Threads& threads);
  float half_entry(std::size_t part, std::size_t a, std::size_t b) const;
  const Supernodes& nodes_of(std::size_t part) const {
    return matrices_[part].matrix().pattern().nodes;
  }
  template <class Visit>
  void for_path(std::size_t part, std::size_t slot, const Visit& visit) const;
  void find_entries(std::size_t part, std::size_t first, Threads& threads);

  BodyMatrices& matrices_;
  const ContactKernels* kernels_ = &contact_kernels(simd_level_in_use());
  std::vector<Table> tables_;        ///< [num_parts]
  std::vector<int> slot_of_vertex_;  ///< in the table of its part; -1: it has none
  VectorField right_, column_;
  std::vector<int> missing_, asked_, own_;
  std::vector<float> half_;  ///< y half way: [3][most vertices of a part]
};

}  // namespace supple

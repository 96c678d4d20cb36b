#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/earlier.h"
#include "descent/prefactored_system.h"

namespace supple {

/// A constant n x n matrix, M/a^2 + L + pins, in uncoupled parts, each with its own factor. A part
/// is a body, or a group of bodies that bonds couple (BondSet::groups). What is made of one part
/// does not depend on the others. A request for one body of a group is for the whole group.
class BodyMatrices {
 public:
  /// order: of all vertices, part after part. lower: without pins, in that order; columns of bodies
  /// that are taken over from `earlier` are not read, and none of these bodies is in a group.
  /// Throws as PrefactoredSystem does.
  BodyMatrices(const Model& model, double inverse_a2, const std::vector<int>& order,
               SpdSolver::Matrix lower, Precision precision, const std::string& name,
               const Earlier<BodyMatrices>& earlier = {});

  std::size_t count() const { return matrices_.size(); }
  PrefactoredSystem& operator[](std::size_t part) { return *matrices_[part]; }
  const PrefactoredSystem& operator[](std::size_t part) const { return *matrices_[part]; }
  int first_vertex(std::size_t part) const { return first_[part]; }
  /// The part with a vertex, or with a body.
  std::size_t part_of(int vertex) const;
  std::size_t part_of_body(int body) const { return part_of_body_[static_cast<std::size_t>(body)]; }
  /// Calls visit(part) once for each part that has some of these bodies, ascending.
  template <class Visit>
  void for_parts(std::span<const int> bodies, const Visit& visit) const {
    std::size_t next = 0;
    for (const int body : bodies) {
      const std::size_t part = part_of_body(body);
      if (part < next) continue;
      visit(part);
      next = part + 1;
    }
  }

  /// PrefactoredSystem::pins_changed for all parts or, if it throws, for none.
  void pins_changed(const Model& model, double h);

  /// PrefactoredSystem::set_addition for all parts or, if it returns false, for none.
  bool set_addition(const Model& model, std::span<const PrefactoredSystem::Entry> entries,
                    Threads& threads);

  /// A step of these bodies begins.
  void begin_step(std::span<const int> bodies) noexcept {
    for_parts(bodies, [&](std::size_t part) { matrices_[part]->begin_step(); });
  }

  /// p = -A^-1 b for the vertices of these bodies; the rest of p stays as it is.
  void solve(std::span<const int> bodies, const VectorField& b, VectorField& p, Threads& threads) {
    for_parts(bodies, [&](std::size_t part) { matrices_[part]->solve(b, p, threads); });
  }
  /// `solve` without what `finish` does, which must follow for all of their vertices.
  void begin_solve(std::span<const int> bodies, const VectorField& b, VectorField& p,
                   Threads& threads) {
    for_parts(bodies, [&](std::size_t part) { matrices_[part]->begin_solve(b, p, threads); });
  }
  /// Finishes vertices first .. last - 1 of p. Threads can call it for different vertices at once.
  void finish(int first, int last, VectorField& p) const;

  /// Time to factorise all of them, s, estimated from the number of operations alone.
  double factor_seconds() const;
  /// Entries of all factors.
  long long factor_entries() const;

 private:
  std::vector<std::unique_ptr<PrefactoredSystem>> matrices_;
  std::vector<std::size_t> part_of_body_;           ///< [num_bodies]
  std::vector<int> first_;                          ///< [num_parts + 1], vertex
  std::vector<PinSet::Some> pins_;                  ///< [num_parts]
  std::vector<PrefactoredSystem::Entry> addition_;  ///< part after part
};

}  // namespace supple

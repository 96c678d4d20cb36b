#pragma once

#include <array>
#include <span>
#include <vector>

#include "supple/choices.h"

namespace supple {

/// The order in which the tets of a body are projected, cut into what can be done at the same time.
///
/// Batches hold `width` tets. Unless the schedule is serial, those of a batch touch no vertex
/// twice, so a SIMD register moves them at once. A task is a run of batches that one thread works
/// through in order; tasks of one phase share no vertex. Phases follow each other. The schedule
/// depends only on the mesh, so the result has the same bits for any number of threads.
struct Schedule {
  int width = 0;
  bool serial = false;           ///< lanes must be projected one after the other
  std::vector<int> tet_of_lane;  ///< [num_batches * width], -1 in an empty lane
  std::vector<int> task_start;   ///< [num_tasks + 1], into batches
  std::vector<int> phase_start;  ///< [num_phases + 1], into tasks

  int num_batches() const { return task_start.empty() ? 0 : task_start.back(); }
  int num_tasks() const { return static_cast<int>(task_start.size()) - 1; }
  int num_phases() const { return static_cast<int>(phase_start.size()) - 1; }
  /// Number of tets in each phase.
  std::vector<int> phase_sizes() const;
  /// Share of lanes that hold a tet.
  double filled() const;
};

/// Tets in the order of `order`:
///   parts    cut into parts that threads work through side by side, then what lies between them; a
///            phase for each level, a single phase below about 2,800 tets
///   colours  greedy colouring of the tets: a phase for each colour. If some are small or there are
///            more than 64, a last phase of a single task packs those across colours
///   cells    of box lattices: eight colours of cells; a lane works through the tets of one cell
///            [Macklin & Mueller 2021, sec. 5.3]; the tets of a cell must be consecutive in `tets`
///   natural  one after the other, serially
/// tets: [num_tets], corners among num_vertices vertices; width >= 1. Without tets there is no
/// phase. Cost: about linear, 0.1 to 2 us a tet. Throws Error{invalid_input} at /solver/order for
/// any other name, and for `cells` if the tets are not those of box lattices.
Schedule make_schedule(std::span<const std::array<int, 4>> tets, int num_vertices, XpbdOrder order,
                       int width);

}  // namespace supple

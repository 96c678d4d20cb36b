#pragma once

#include <array>
#include <span>
#include <vector>

namespace supple {

/// Tets cut for threads: phases follow each other, and the tasks of one phase share no vertex.
struct TetParts {
  std::vector<int> tets;         ///< task after task
  std::vector<int> task_start;   ///< [num_tasks + 1], into tets
  std::vector<int> phase_start;  ///< [num_phases + 1], into tasks
};

/// Cuts the vertices into parts; the tets inside a part are a task of the first phase. What lies
/// between the parts is cut again, into other parts, until it is small. The vertices are halved
/// again and again. The order for this is that of a breadth-first search from one end of what is to
/// be cut [George & Liu 1981, sec. 4.3], and the cut is where the fewest tets lie across, or
/// between pieces of similar size if it is not connected. The number of parts depends only on the
/// mesh: a power of two, about 2,000 tets in a part, at most 32 parts.
TetParts cut_into_parts(std::span<const std::array<int, 4>> tets, int num_vertices);

}  // namespace supple

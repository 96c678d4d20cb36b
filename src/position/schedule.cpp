#include "position/schedule.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/index.h"
#include "position/lane_packer.h"
#include "position/lattice_cells.h"
#include "position/tet_parts.h"
#include "supple/error.h"

namespace supple {

namespace {

using Tets = std::span<const std::array<int, 4>>;

/// Batches per task if all batches of a phase could run at the same time: a microsecond or two.
constexpr int batches_per_task = 16;

/// A colour of fewer tets than this times the width is not worth a phase: too many of its lanes
/// would be empty.
constexpr int least_batches_of_colour = 4;

/// Appends lanes, and closes tasks and phases around what has been appended.
class Builder {
 public:
  explicit Builder(int width) {
    schedule_.width = width;
    schedule_.task_start.push_back(0);
    schedule_.phase_start.push_back(0);
  }

  std::vector<int>& lanes() { return schedule_.tet_of_lane; }

  /// Appends tets side by side, in batches of their own; they share no vertex.
  void append(std::span<const int> tets) {
    lanes().insert(lanes().end(), tets.begin(), tets.end());
    const std::size_t width = at(schedule_.width);
    lanes().resize((lanes().size() + width - 1) / width * width, -1);
  }

  void end_task() {
    const int end = static_cast<int>(lanes().size() / at(schedule_.width));
    if (end > schedule_.task_start.back()) schedule_.task_start.push_back(end);
  }

  void end_phase() {
    end_task();
    const int end = schedule_.num_tasks();
    if (end > schedule_.phase_start.back()) schedule_.phase_start.push_back(end);
  }

  Schedule result() { return std::move(schedule_); }

 private:
  Schedule schedule_;
};

Schedule natural_order(Tets tets, int width) {
  Builder builder(width);
  std::vector<int> all(tets.size());
  std::iota(all.begin(), all.end(), 0);
  builder.append(all);
  builder.end_phase();
  Schedule schedule = builder.result();
  schedule.serial = true;
  return schedule;
}

/// A task in which many tets touch one vertex has a batch for each of them, even if it has few
/// others for the lanes beside them. So the last task, alone in its phase, takes tets evenly from
/// earlier tasks to fill those lanes: that costs nothing there and saves the earlier tasks work.
void fill_last(Tets tets, int num_vertices, int width, std::vector<std::vector<int>>& earlier,
               std::vector<int>& last) {
  std::vector<int> valence(at(num_vertices), 0);
  int most = 0;
  for (int t : last) {
    for (int v : tets[at(t)]) most = std::max(most, ++valence[at(v)]);
  }
  std::size_t total = 0;
  for (const std::vector<int>& task : earlier) total += task.size();
  const std::size_t room = at(most) * at(width);
  if (room <= last.size() || total == 0) return;
  std::size_t wanted = room - last.size();
  // What would be left could not fill the lanes of so many tasks.
  if (10 * wanted > 9 * total) wanted = total;
  std::size_t i = 0;
  for (std::vector<int>& task : earlier) {
    std::size_t kept = 0;
    for (int t : task) {
      const bool moves = (i + 1) * wanted / total > i * wanted / total;
      ++i;
      if (moves) {
        last.push_back(t);
      } else {
        task[kept++] = t;
      }
    }
    task.resize(kept);
  }
}

Schedule in_parts(Tets tets, int num_vertices, int width) {
  const TetParts parts = cut_into_parts(tets, num_vertices);
  std::vector<std::vector<int>> tasks;
  for (std::size_t task = 0; task + 1 < parts.task_start.size(); ++task) {
    tasks.emplace_back(parts.tets.begin() + parts.task_start[task],
                       parts.tets.begin() + parts.task_start[task + 1]);
  }
  const std::size_t num_phases = parts.phase_start.size() - 1;
  if (num_phases > 1 && parts.phase_start[num_phases] == parts.phase_start[num_phases - 1] + 1) {
    std::vector<int> last = std::move(tasks.back());
    tasks.pop_back();
    fill_last(tets, num_vertices, width, tasks, last);
    tasks.push_back(std::move(last));
  }
  LanePacker packer(tets, num_vertices, width);
  Builder builder(width);
  for (std::size_t p = 0; p < num_phases; ++p) {
    for (int task = parts.phase_start[p]; task < parts.phase_start[p + 1]; ++task) {
      packer.pack(tasks[at(task)], builder.lanes());
      builder.end_task();
    }
    builder.end_phase();
  }
  return builder.result();
}

/// Colours the tets greedily with at most 64 colours: every vertex has a mask of those around it.
class TetPainter {
 public:
  TetPainter(Tets tets, int num_vertices)
      : tets_(tets), around_(at(num_vertices), 0), colour_(tets.size(), -1), size_(64, 0) {}

  void paint() {
    for (std::size_t t = 0; t < tets_.size(); ++t) {
      const std::uint64_t free = free_for(t);
      if (free != 0) give(t, std::countr_zero(free));
    }
  }

  /// Moves each tet of a colour above the average size to the smallest colour open to it.
  void balance() {
    // Greedy colours leave no gap: colours 0 .. used - 1.
    const int used = static_cast<int>(
        std::count_if(size_.begin(), size_.end(), [](int size) { return size > 0; }));
    const int average = static_cast<int>(tets_.size()) / std::max(1, used);
    for (std::size_t t = 0; t < tets_.size(); ++t) {
      const int own = colour_[t];
      if (own < 0 || size_[at(own)] <= average) continue;
      int best = own;
      for (std::uint64_t free = free_for(t); free != 0; free &= free - 1) {
        const int c = std::countr_zero(free);
        if (c < used && size_[at(c)] < size_[at(best)]) best = c;
      }
      if (size_[at(best)] + 1 >= size_[at(own)]) continue;
      for (int v : tets_[t]) around_[at(v)] &= ~(std::uint64_t{1} << own);
      --size_[at(own)];
      give(t, best);
    }
  }

  /// [64 + 1]: the tets of each colour that has at least `least`, and last all others.
  std::vector<std::vector<int>> groups(int least) const {
    std::vector<std::vector<int>> groups(65);
    for (std::size_t t = 0; t < tets_.size(); ++t) {
      const int c = colour_[t];
      groups[c >= 0 && size_[at(c)] >= least ? at(c) : 64].push_back(static_cast<int>(t));
    }
    return groups;
  }

 private:
  std::uint64_t free_for(std::size_t t) const {
    const auto& c = tets_[t];
    return ~(around_[at(c[0])] | around_[at(c[1])] | around_[at(c[2])] | around_[at(c[3])]);
  }

  void give(std::size_t t, int c) {
    for (int v : tets_[t]) around_[at(v)] |= std::uint64_t{1} << c;
    colour_[t] = c;
    ++size_[at(c)];
  }

  Tets tets_;
  std::vector<std::uint64_t> around_;  ///< [num_vertices], colours of the tets there
  std::vector<int> colour_;            ///< [num_tets], -1: all 64 were taken
  std::vector<int> size_;              ///< [64]
};

Schedule by_colours(Tets tets, int num_vertices, int width) {
  TetPainter painter(tets, num_vertices);
  painter.paint();
  painter.balance();
  std::vector<std::vector<int>> groups = painter.groups(least_batches_of_colour * width);
  std::vector<int> others = std::move(groups.back());
  groups.pop_back();
  fill_last(tets, num_vertices, width, groups, others);
  Builder builder(width);
  const std::size_t task_size = at(batches_per_task * width);
  for (std::vector<int>& group : groups) {
    // In the order of the vertices, so that what a batch reads is close together.
    const auto place = [&](int t) {
      const auto& corners = tets[at(t)];
      return std::pair(*std::min_element(corners.begin(), corners.end()), t);
    };
    std::sort(group.begin(), group.end(), [&](int a, int b) { return place(a) < place(b); });
    for (std::size_t begin = 0; begin < group.size(); begin += task_size) {
      const std::size_t size = std::min(task_size, group.size() - begin);
      builder.append(std::span(group).subspan(begin, size));
      builder.end_task();
    }
    builder.end_phase();
  }
  // Tets of small colours and those without a colour are packed across colours, in one task.
  LanePacker(tets, num_vertices, width).pack(others, builder.lanes());
  builder.end_phase();
  return builder.result();
}

Schedule by_cells(Tets tets, int num_vertices, int width) {
  const LatticeCells cells = find_lattice_cells(tets, num_vertices);
  const int groups_per_task = std::max(1, batches_per_task / 6);
  Builder builder(width);
  std::vector<int> batch;
  for (const std::vector<int>& colour : cells.of_colour) {
    int groups = 0;
    for (std::size_t begin = 0; begin < colour.size(); begin += at(width)) {
      const std::size_t end = std::min(colour.size(), begin + at(width));
      for (int k = 0; k < 6; ++k) {
        batch.clear();
        for (std::size_t i = begin; i < end; ++i) {
          const int first = cells.start[at(colour[i])];
          if (first + k < cells.start[at(colour[i]) + 1]) batch.push_back(first + k);
        }
        builder.append(batch);
      }
      if (++groups % groups_per_task == 0) builder.end_task();
    }
    builder.end_phase();
  }
  return builder.result();
}

}  // namespace

std::vector<int> Schedule::phase_sizes() const {
  std::vector<int> sizes;
  for (int p = 0; p < num_phases(); ++p) {
    const auto lane = [&](int task) {
      return tet_of_lane.begin() + static_cast<std::ptrdiff_t>(task_start[at(task)]) * width;
    };
    sizes.push_back(static_cast<int>(std::count_if(
        lane(phase_start[at(p)]), lane(phase_start[at(p) + 1]), [](int tet) { return tet >= 0; })));
  }
  return sizes;
}

double Schedule::filled() const {
  if (tet_of_lane.empty()) return 1;
  const auto tets =
      std::count_if(tet_of_lane.begin(), tet_of_lane.end(), [](int tet) { return tet >= 0; });
  return static_cast<double>(tets) / static_cast<double>(tet_of_lane.size());
}

Schedule make_schedule(std::span<const std::array<int, 4>> tets, int num_vertices, XpbdOrder order,
                       int width) {
  switch (order) {
    case XpbdOrder::parts:
      return in_parts(tets, num_vertices, width);
    case XpbdOrder::colours:
      return by_colours(tets, num_vertices, width);
    case XpbdOrder::cells:
      return by_cells(tets, num_vertices, width);
    case XpbdOrder::natural:
      break;
  }
  return natural_order(tets, width);
}

}  // namespace supple

#include "descent/aligned_contacts.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "math/vec3.h"

namespace supple {

bool AlignedContacts::can_hold(std::span<const ContactRow> rows, const ContactSystem& frame,
                               const BodyMatrices& matrices) {
  return std::all_of(rows.begin(), rows.end(), [&](const ContactRow& own) {
    return own.point.count == 1 && own.point.weights[0] == 1 && frame.is_in_frame(own.direction) &&
           matrices[matrices.part_of(own.point.vertices[0])].is_known();
  });
}

AlignedContacts::Group& AlignedContacts::group_of(std::size_t part, int axis) {
  const auto found = std::find_if(groups_.begin(), groups_.end(), [&](const Group& own) {
    return own.part == part && own.axis == axis;
  });
  if (found != groups_.end()) return *found;
  groups_.push_back({.part = part, .axis = axis});
  return groups_.back();
}

void AlignedContacts::take_matrix(Group& group, const PrefactoredSystem& matrix) {
  const UpdatableCholesky& own = matrix.matrix();
  if (group.version == own.num_changes()) return;
  group.version = own.num_changes();
  group.lower = own.lower();
  group.diagonal = own.diagonal();
  group.factored.clear();
  group.solver = make_supernodal_cholesky(Precision::full);
  group.solver->analyse(group.lower, own.shared_pattern());
}

void AlignedContacts::fill(std::span<const ContactRow> rows, const ContactSystem& frame,
                           const BodyMatrices& matrices) {
  for (Group& group : groups_) group.rows.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ContactRow& own = rows[i];
    const std::size_t part = matrices.part_of(own.point.vertices[0]);
    const int axis = frame.axis_of(own.direction);
    Group& group = group_of(part, axis);
    if (group.rows.empty()) take_matrix(group, matrices[part]);
    const double sign = vec3::dot(own.direction, frame.axis(axis)) < 0 ? -1 : 1;
    group.rows.push_back({.row = static_cast<int>(i),
                          .vertex = own.point.vertices[0] - matrices.first_vertex(part),
                          .sign = sign,
                          .stiffness = own.stiffness});
  }
}

/// Factorises A with added_ on its diagonal.
bool AlignedContacts::factor(Group& group, Threads& threads) {
  if (group.factored == added_) return true;
  group.factored.clear();
  double* const values = group.lower.valuePtr();
  const int* const start = group.lower.outerIndexPtr();
  for (std::size_t j = 0; j < added_.size(); ++j) {
    values[start[j]] = group.diagonal[j] + added_[j];
  }
  if (!group.solver->factor(group.lower, threads)) return false;
  group.factored = added_;
  return true;
}

void AlignedContacts::relax(std::span<ContactRow> rows, int most_sets, Threads& threads) {
  for (ContactRow& own : rows) own.force = own.assumed;
  for (Group& group : groups_) {
    if (group.rows.empty()) continue;
    pushes_.clear();
    for (const Row& own : group.rows) {
      const ContactRow& row = rows[at(own.row)];
      pushes_.push_back(static_cast<char>(!row.only_pushes() || row.assumed > 0 || row.gap < 0));
    }
    for (int set = 0; set < most_sets; ++set) {
      added_.assign(group.diagonal.size(), 0);
      sides_.assign(group.diagonal.size(), 0);
      for (std::size_t i = 0; i < group.rows.size(); ++i) {
        const Row& own = group.rows[i];
        const ContactRow& row = rows[at(own.row)];
        double force = -row.assumed;
        if (pushes_[i] != 0) {
          added_[at(own.vertex)] += own.stiffness;
          force -= own.stiffness * row.gap;
        }
        sides_[at(own.vertex)] += own.sign * force;
      }
      if (!factor(group, threads)) break;
      group.solver->solve(sides_.data(), sides_.data(), threads);
      bool is_same = true;
      for (std::size_t i = 0; i < group.rows.size(); ++i) {
        const Row& own = group.rows[i];
        ContactRow& row = rows[at(own.row)];
        row.force = row.force_at(row.gap + own.sign * sides_[at(own.vertex)]);
        const auto pushes = static_cast<char>(!row.only_pushes() || row.force > 0);
        is_same = is_same && pushes == pushes_[i];
        pushes_[i] = pushes;
      }
      if (is_same) break;
    }
  }
  members_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].force > 0 || !rows[i].only_pushes()) members_.push_back(static_cast<int>(i));
  }
}

bool AlignedContacts::solve(std::span<double> right, Threads& threads) {
  for (Group& group : groups_) {
    if (group.rows.empty()) continue;
    added_.assign(group.diagonal.size(), 0);
    sides_.assign(group.diagonal.size(), 0);
    for (const Row& own : group.rows) {
      added_[at(own.vertex)] += own.stiffness;
      sides_[at(own.vertex)] += own.sign * own.stiffness * right[at(own.row)];
    }
    if (!factor(group, threads)) return false;
    group.solver->solve(sides_.data(), sides_.data(), threads);
    for (const Row& own : group.rows) {
      double& value = right[at(own.row)];
      value = own.stiffness * (value - own.sign * sides_[at(own.vertex)]);
    }
  }
  return true;
}

}  // namespace supple

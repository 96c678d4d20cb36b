#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.h"
#include "descent/contact_matrix.h"

/// The system of the contacts of a ContactMatrix: what holds it, its entries, its forces.
namespace supple {

namespace {

/// Sweeps over the blocks of many contacts: in the first direction of a step, in later ones, after
/// directions that led nowhere, and between two looks at contacts that are left out of the matrix.
/// More of the first two make directions dearer but hardly better.
constexpr int first_sweeps = 8, later_sweeps = 4, thorough_sweeps = 40, sweeps_left_out = 16;
/// Active sets of many contacts along the axes of a frame, and after directions that led nowhere.
/// What has not settled by then settles in the next directions; each set costs new factors.
constexpr int usual_sets = 3, thorough_sets = 12;
/// Relative residual to which the forces of many contacts are solved. A smaller one takes longer,
/// and directions lead no further. Matrix-free products are cheap: a smaller one saves evaluations.
constexpr double solved_to = 0.01, solved_matrix_free_to = 1e-3, solved_thoroughly_to = 1e-4;
/// A dense system of so many rows, with so many times more entries than sparse factors, is dearer
/// than these.
constexpr std::size_t few_rows = 128;
constexpr long long clearly_dear = 4;
/// Matrix-free contacts take about the root of the stiffness beside the inertia as many products.
/// They pay if dense ones have more entries than so many times that and those of the factors. From
/// this many times the entries of the factors on, as sheets have them, new factors are cheaper.
constexpr double dear_products = 0.5;
constexpr long long cheap_factors = 8;

}  // namespace

/// Whether there is room for all of touching_, as there is for the first `kept`; fits_ says for
/// which. Also numbers their points.
bool ContactMatrix::all_fit(std::size_t kept) {
  points_.clear();
  point_of_.clear();
  fits_.assign(touching_.size(), 1);
  std::size_t num_vertices = 0;
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const ContactRow& own = touching_[i];
    int& head = place_[at(own.point.vertices[0])];
    const auto is_same = [&](const Point& known) {
      return known.place == own.place && known.count == own.point.count;
    };
    int point = head;
    while (point >= 0 && !is_same(points_[at(point)])) point = points_[at(point)].next;
    if (point < 0 && points_.size() < system_.capacity_of_one() &&
        num_vertices + at(own.point.count) <= most_vertices_) {
      num_vertices += at(own.point.count);
      point = static_cast<int>(points_.size());
      points_.push_back({.place = own.place,
                         .count = own.point.count,
                         .row = static_cast<int>(i),
                         .first = 0,
                         .next = std::exchange(head, point)});
    }
    point_of_.push_back(point);
    if (point < 0) fits_[i] = 0;
  }
  forget_places();
  system_.find_fitting(touching_, kept, most_of_axis(), fits_);
  are_many_ = std::find(fits_.begin(), fits_.end(), 0) != fits_.end() && inner_.rigid().empty();
  are_many_ = choose_many();
  if (are_many_ && many_kind_ == ManyKind::blocks) return vertices_fit();
  if (are_many_) fits_.assign(touching_.size(), 1);
  return std::find(fits_.begin(), fits_.end(), 0) == fits_.end();
}

/// Rows that a block of the system may have along an axis. The contacts of a single body share all
/// their columns, and a large dense system of them is cheaper than new sparse factors. Heaps have
/// cheaper systems beyond ContactSystem::most_rows.
std::size_t ContactMatrix::most_of_axis() const {
  if (touching_.size() <= system_.capacity() || !inner_.rigid().empty()) return system_.capacity();
  const BodyMatrices& matrices = inner_.matrices();
  const std::size_t part = matrices.part_of(touching_[0].point.vertices[0]);
  const bool is_alone = std::all_of(touching_.begin(), touching_.end(), [&](const ContactRow& own) {
    return own.point.count == 1 && matrices.part_of(own.point.vertices[0]) == part;
  });
  return is_alone ? system_.capacity_of_one() : system_.capacity();
}

/// Chooses many_kind_. Whether it takes the place of system_: because touching_ are too many for
/// that one, or because a product with their matrix costs more than a solve with the factors of
/// their bodies, as with a sheet that lies on something. What blocks have no room for is
/// matrix-free whatever it costs.
bool ContactMatrix::choose_many() {
  many_kind_ = ManyKind::blocks;
  const bool may_be_dear = !is_left_out_ && !is_barrier_ && touching_.size() >= few_rows;
  if (!inner_.rigid().empty() || !(are_many_ || may_be_dear)) return are_many_;
  const BodyMatrices& matrices = inner_.matrices();
  std::fill(vertices_of_part_.begin(), vertices_of_part_.end(), 0);
  for (const ContactRow& own : touching_) {
    for (int k = 0; k < own.point.count; ++k) {
      const int vertex = own.point.vertices[k];
      if (std::exchange(place_[at(vertex)], 0) < 0) ++vertices_of_part_[matrices.part_of(vertex)];
    }
  }
  for (const ContactRow& own : touching_) {
    for (int k = 0; k < own.point.count; ++k) place_[at(own.point.vertices[k])] = -1;
  }
  long long entries = 0, dense = 0;
  double products = 0;
  bool can_be_free = true;
  for (std::size_t part = 0; part < vertices_of_part_.size(); ++part) {
    const auto count = static_cast<long long>(vertices_of_part_[part]);
    if (count == 0) continue;
    const long long own = matrices[part].matrix().factor_entries();
    entries += own;
    dense += count * count;
    can_be_free = can_be_free && matrices[part].is_known();
    if (!can_be_free) continue;
    products += dear_products * static_cast<double>(own) *
                std::sqrt(matrices[part].stiffness_beside_inertia());
  }
  const auto rows = static_cast<long long>(touching_.size());
  if (!are_many_ && rows * rows <= clearly_dear * entries) return false;
  const bool pays_free = can_be_free && static_cast<double>(dense) > products;
  const bool has_cheap_factors = !pays_free || dense > cheap_factors * entries;
  if (!is_left_out_ && has_cheap_factors &&
      AlignedContacts::can_hold(touching_, system_, matrices)) {
    many_kind_ = ManyKind::aligned;
  } else if (pays_free || (can_be_free && are_many_ && !vertices_fit())) {
    many_kind_ = ManyKind::matrix_free;
  }
  return are_many_ || many_kind_ != ManyKind::blocks;
}

/// Whether the compliance has room for the vertices of all rows, part by part; fits_ says for
/// which.
bool ContactMatrix::vertices_fit() {
  std::fill(vertices_of_part_.begin(), vertices_of_part_.end(), 0);
  bool do_all = true;
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const ContactPoint& own = touching_[i].point;
    bool fits = true;
    for (int k = 0; k < own.count && fits; ++k) {
      const int vertex = own.vertices[k];
      if (place_[at(vertex)] >= 0) continue;
      const std::size_t part = compliance_->part_of(vertex);
      fits = vertices_of_part_[part] < compliance_->most_vertices_of(part);
      if (!fits) continue;
      ++vertices_of_part_[part];
      place_[at(vertex)] = 0;
    }
    fits_[i] = static_cast<char>(fits);
    do_all = do_all && fits;
  }
  for (const ContactRow& own : touching_) {
    for (int k = 0; k < own.point.count; ++k) place_[at(own.point.vertices[k])] = -1;
  }
  return do_all;
}

/// Leaves out the rows of touching_ for which there is no room.
void ContactMatrix::keep_fitting(std::size_t kept) {
  if (all_fit(kept)) return;
  std::size_t count = 0;
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    if (fits_[i] != 0) touching_[count++] = touching_[i];
  }
  touching_.resize(count);
}

/// Finds where the corners of points are in the compliance.
void ContactMatrix::find_corners() {
  corners_.clear();
  for (Point& point : points_) {
    point.first = static_cast<int>(corners_.size());
    const ContactPoint& own = touching_[at(point.row)].point;
    for (int k = 0; k < own.count; ++k) {
      const int vertex = own.vertices[k];
      if (!inner_.rigid().empty() && inner_.rigid().is_rigid(vertex)) {
        corners_.push_back({.entries = nullptr, .slot = 0, .part = 0, .weight = 0});
        continue;
      }
      corners_.push_back({.entries = compliance_->row(vertex),
                          .slot = compliance_->slot(vertex),
                          .part = compliance_->part_of(vertex),
                          .weight = own.weights[k]});
    }
  }
}

/// The entry of A^-1 between two points, m/N.
double ContactMatrix::between(const Point& a, const Point& b) const {
  double sum = 0;
  for (int i = 0; i < a.count; ++i) {
    const Corner& from = corners_[at(a.first + i)];
    for (int j = 0; j < b.count; ++j) {
      const Corner& to = corners_[at(b.first + j)];
      if (from.entries == nullptr || to.entries == nullptr || from.part != to.part) continue;
      sum += from.weight * to.weight * static_cast<double>(from.entries[to.slot]);
    }
  }
  return sum;
}

/// Sets up the system of touching_.
void ContactMatrix::fill_system(Many& many, Threads& threads, const LowRank& learnt) {
  all_fit(touching_.size());
  many.kind = many_kind_;
  if (are_many_ && many.kind == ManyKind::aligned) {
    return many.aligned.fill(touching_, system_, inner_.matrices());
  }
  if (are_many_ && many.kind == ManyKind::matrix_free) {
    return many.matrix_free.fill(touching_, inner_.matrices(), place_.size(), learnt);
  }
  ahead_.clear();
  for (const ContactRow& own : touching_) {
    for (int i = 0; i < own.point.count; ++i) {
      int& place = place_[at(own.point.vertices[i])];
      if (place < 0) ahead_.push_back(own.point.vertices[i]);
      place = 0;
    }
  }
  for (const int vertex : ahead_) place_[at(vertex)] = -1;
  const RigidMatrix& rigid = inner_.rigid();
  if (!rigid.empty()) std::erase_if(ahead_, [&](int vertex) { return rigid.is_rigid(vertex); });
  compliance_->find(ahead_, threads);
  if (are_many_) return many.blocks.fill(touching_, *compliance_, threads, learnt);
  find_corners();
  const std::size_t m = points_.size();
  between_.resize(m * m);
  const auto is_vertex = [&](const Point& point) {
    const Corner& own = corners_[at(point.first)];
    return point.count == 1 && own.weight == 1 && own.part == corners_[0].part;
  };
  const bool are_vertices = rigid.empty() && std::all_of(points_.begin(), points_.end(), is_vertex);
  for (std::size_t a = 0; a < m && are_vertices; ++a) {
    const float* const entries = corners_[a].entries;
    double* const row = &between_[a * m];
    for (std::size_t b = 0; b < m; ++b) row[b] = static_cast<double>(entries[corners_[b].slot]);
  }
  for (std::size_t a = 0; a < m && !are_vertices; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      between_[a * m + b] = between_[b * m + a] = between(points_[a], points_[b]);
    }
  }
  system_.fill(touching_, point_of_, between_, m);
  if (learnt.count > 0) system_.add(learnt);
  if (!rigid.empty()) add_rigid();
}

/// Adds the compliance of bodies that do not deform (RigidMatrix).
void ContactMatrix::add_rigid() {
  const RigidMatrix& rigid = inner_.rigid();
  rigid_parts_.clear();
  rigid_values_.clear();
  first_rigid_.assign(1, 0);
  for (const ContactRow& own : touching_) {
    const auto begin = rigid_parts_.begin() + first_rigid_.back();
    for (int k = 0; k < own.point.count; ++k) {
      const int vertex = own.point.vertices[k];
      const std::size_t part = rigid.part_of(vertex), size = rigid.part_size(part);
      if (size == 0) continue;
      auto found = std::find_if(begin, rigid_parts_.end(),
                                [&](const RigidPart& known) { return known.part == part; });
      if (found == rigid_parts_.end()) {
        rigid_parts_.push_back({part, rigid_values_.size()});
        rigid_values_.resize(rigid_values_.size() + size, 0.0);
        found = rigid_parts_.end() - 1;
      }
      const double weight = own.point.weights[k];
      const Vec3& n = own.direction;
      rigid.add_force(vertex, {weight * n[0], weight * n[1], weight * n[2]},
                      &rigid_values_[found->first]);
    }
    for (auto part = begin; part != rigid_parts_.end(); ++part) {
      rigid.solve_lower(part->part, &rigid_values_[part->first]);
    }
    first_rigid_.push_back(static_cast<int>(rigid_parts_.size()));
  }
  system_.add_to_compliance([&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (int a = first_rigid_[i]; a < first_rigid_[i + 1]; ++a) {
      for (int b = first_rigid_[j]; b < first_rigid_[j + 1]; ++b) {
        const RigidPart &one = rigid_parts_[at(a)], &other = rigid_parts_[at(b)];
        if (one.part != other.part) continue;
        for (std::size_t k = 0; k < rigid.part_size(one.part); ++k) {
          sum += rigid_values_[one.first + k] * rigid_values_[other.first + k];
        }
      }
    }
    return sum;
  });
}

/// Solves the complementarity problem of touching_.
void ContactMatrix::find_forces(Threads& threads) {
  if (are_many_) {
    const int in_matrix = active_.empty() ? first_sweeps : later_sweeps;
    const int usual = is_left_out_ ? sweeps_left_out : in_matrix;
    if (many_.kind == ManyKind::aligned) {
      many_.aligned.relax(touching_, is_thorough_ ? thorough_sets : usual_sets, threads);
    } else if (many_.kind == ManyKind::matrix_free) {
      many_.matrix_free.relax(touching_, is_thorough_ ? solved_thoroughly_to : solved_to, threads);
    } else {
      many_.blocks.relax(touching_, is_thorough_ ? thorough_sweeps : usual, threads);
    }
    if (active_.empty()) is_factored_ = false;
    return;
  }
  system_.relax(touching_);
  if (!is_left_out_ && !active_.empty()) return;
  is_factored_ = system_.find_set(touching_, !is_left_out_);
  are_many_active_ = false;
}

/// values_ becomes the forces of the contacts in the matrix. False: they could not be found.
bool ContactMatrix::solve_active(Threads& threads) {
  if (!are_many_active_) {
    system_.solve(values_);
  } else if (many_active_.kind == ManyKind::aligned) {
    return many_active_.aligned.solve(values_, threads);
  } else if (many_active_.kind == ManyKind::matrix_free) {
    many_active_.matrix_free.solve(values_, solved_matrix_free_to, threads);
  } else {
    many_active_.blocks.solve(values_, solved_to, threads);
  }
  return true;
}

}  // namespace supple

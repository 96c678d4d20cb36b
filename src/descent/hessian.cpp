#include "descent/hessian.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/index.h"
#include "base/stopwatch.h"
#include "elements/damping.h"
#include "elements/hessian_kernels.h"

namespace supple {

SUPPLE_DEFINE_KERNELS(HessianKernels, hessian_kernels, hessian_table)

namespace {

/// Columns of blocks, and springs, that a thread works on at a time: some 5 us.
constexpr int columns_per_chunk = 64;
constexpr int springs_per_chunk = 512;
constexpr int triangles_per_chunk = 64;

template <class Work>
void in_chunks(Threads& threads, int count, int size, const Work& work) {
  threads.parallel_for((count + size - 1) / size, [&](int chunk) {
    const int end = std::min((chunk + 1) * size, count);
    for (int i = chunk * size; i < end; ++i) work(i);
  });
}

SpringHessian of_springs(NegativeEigenvalues mode) {
  switch (mode) {
    case NegativeEigenvalues::keep:
      return SpringHessian::exact;
    case NegativeEigenvalues::absolute:
      return SpringHessian::absolute;
    default:
      return SpringHessian::clamp;
  }
}

BondHessian of_bonds(NegativeEigenvalues mode) {
  switch (mode) {
    case NegativeEigenvalues::keep:
      return BondHessian::exact;
    case NegativeEigenvalues::absolute:
      return BondHessian::absolute;
    default:
      return BondHessian::clamp;
  }
}

}  // namespace

HessianAssembly::HessianAssembly(const Model& model, const std::vector<int>& order,
                                 const Adjacency& adjacency)
    : model_(&model),
      kernels_(&hessian_kernels(simd_level_in_use())),
      rods_(model.rods),
      place_(order.size()) {
  for (std::size_t k = 0; k < order.size(); ++k) place_[at(order[k])] = static_cast<int>(k);
  make_pattern(order, adjacency);
  sort_sources(place_elements());
}

void HessianAssembly::make_pattern(const std::vector<int>& order, const Adjacency& adjacency) {
  const int n = model_->num_vertices;
  first_block_.assign(1, 0);
  for (int k = 0; k < n; ++k) {
    row_of_block_.push_back(k);
    const auto vertex = at(order[at(k)]);
    for (int a = adjacency.start[vertex]; a < adjacency.start[vertex + 1]; ++a) {
      const int other = place_[at(adjacency.neighbour[at(a)])];
      if (other > k) row_of_block_.push_back(other);
    }
    std::sort(row_of_block_.begin() + first_block_.back(), row_of_block_.end());
    first_block_.push_back(static_cast<int>(row_of_block_.size()));
  }
  lower_.resize(Eigen::Index{3} * n, Eigen::Index{3} * n);
  lower_.resizeNonZeros(9 * static_cast<Eigen::Index>(row_of_block_.size()) - Eigen::Index{3} * n);
  int entry = 0;
  for (int k = 0; k < n; ++k) {
    for (int c = 0; c < 3; ++c) {
      lower_.outerIndexPtr()[3 * k + c] = entry;
      for (int r = c; r < 3; ++r) lower_.innerIndexPtr()[entry++] = 3 * k + r;
      for (int block = first_block_[at(k)] + 1; block < first_block_[at(k) + 1]; ++block) {
        for (int r = 0; r < 3; ++r)
          lower_.innerIndexPtr()[entry++] = 3 * row_of_block_[at(block)] + r;
      }
    }
  }
  lower_.outerIndexPtr()[3 * n] = entry;
  std::fill_n(lower_.valuePtr(), entry, 0.0);
}

/// The block of the matrix that couples two vertices.
int HessianAssembly::block_of(int vertex_a, int vertex_b) const {
  const int i = place_[at(vertex_a)], j = place_[at(vertex_b)];
  const auto begin = row_of_block_.begin() + first_block_[at(std::min(i, j))];
  const auto end = row_of_block_.begin() + first_block_[at(std::min(i, j)) + 1];
  return static_cast<int>(std::lower_bound(begin, end, std::max(i, j)) - row_of_block_.begin());
}

bool HessianAssembly::has_block(int vertex_a, int vertex_b) const {
  const int block = block_of(vertex_a, vertex_b);
  const int column = std::min(place_[at(vertex_a)], place_[at(vertex_b)]);
  return block < first_block_[at(column) + 1] &&
         row_of_block_[at(block)] == std::max(place_[at(vertex_a)], place_[at(vertex_b)]);
}

bool HessianAssembly::has_room_for(const ContactEnergy& contact) const {
  const auto has_room = [this](const Contact& own) {
    const ContactPoint& point = own.point;
    for (int i = 0; i < point.count && own.is_of_bodies(); ++i) {
      for (int j = 0; j < i; ++j) {
        if (!has_block(point.vertices[i], point.vertices[j])) return false;
      }
    }
    return true;
  };
  const auto contacts = contact.contacts();
  return std::all_of(contacts.begin(), contacts.end(), has_room);
}

/// Numbers the places that elements and springs write, and lists the blocks that they belong to.
std::vector<HessianAssembly::Source> HessianAssembly::place_elements() {
  edges_.resize(model_->num_batches() * num_edges * lanes);
  std::vector<Source> list;
  first_sum_.assign(1, 0);
  for (const ElementBlock& block : model_->blocks) place_edges(block, first_sum_.back(), list);
  int place = first_sum_.back();
  for (const SpringSet::Spring& spring : model_->springs.springs) {
    for (const auto& [a, b] : {std::pair(spring.a, spring.a), std::pair(spring.b, spring.b),
                               std::pair(spring.a, spring.b)}) {
      list.push_back({block_of(a, b), place});
    }
    ++place;
  }
  first_membrane_sum_ = place;
  place_membranes(place, list);
  place += model_->membranes.num_lanes() * blocks_of_triangle;
  first_hinge_sum_ = place;
  place_hinges(place, list);
  place += static_cast<int>(model_->membranes.hinges.size()) * blocks_of_hinge;
  sums_.assign(at(place) * entries_per_sum, 0.0);
  place_bending();
  return list;
}

void HessianAssembly::place_membranes(int place, std::vector<Source>& list) {
  const MembraneSet& set = model_->membranes;
  for (int lane = 0; lane < set.num_lanes(); ++lane) {
    for (int k = 0; k < blocks_of_triangle && set.is_triangle(lane); ++k) {
      const int row = set.vertex(lane, block_row[k]), column = set.vertex(lane, block_column[k]);
      const int own = place + lane * blocks_of_triangle + k;
      list.push_back({block_of(row, column), place_[at(row)] < place_[at(column)] ? ~own : own});
    }
  }
}

void HessianAssembly::place_hinges(int place, std::vector<Source>& list) {
  for (const Hinge& hinge : model_->membranes.hinges) {
    for (int k = 0; k < blocks_of_hinge; ++k, ++place) {
      const int row = hinge.vertex[hinge_row[k]], column = hinge.vertex[hinge_column[k]];
      list.push_back(
          {block_of(row, column), place_[at(row)] < place_[at(column)] ? ~place : place});
    }
  }
}

void HessianAssembly::place_bending() {
  if (model_->membranes.bending_edges.empty()) return;
  bending_.assign(row_of_block_.size(), 0.0);
  for (const MembraneSet::Edge& edge : model_->membranes.bending_edges) {
    bending_[at(block_of(edge.a, edge.b))] -= edge.stiffness;
    bending_[at(block_of(edge.a, edge.a))] += edge.stiffness;
    bending_[at(block_of(edge.b, edge.b))] += edge.stiffness;
  }
}

void HessianAssembly::place_edges(const ElementBlock& block, int first_sum,
                                  std::vector<Source>& list) {
  const auto each_edge = [&](const auto& visit) {
    for (int b = block.first_batch; b < block.first_batch + block.num_batches; ++b) {
      const ElementBatch& batch = model_->batches()[at(b)];
      for (int e = 0; e < num_edges; ++e) {
        for (int lane = 0; lane < lanes; ++lane) {
          const int row = batch.slot[edge_a[e]][lane], column = batch.slot[edge_b[e]][lane];
          const std::int64_t key =
              std::int64_t{std::max(row, column)} * block.num_slots + std::min(row, column);
          visit(batch, e, lane, key);
        }
      }
    }
  };
  std::vector<std::int64_t> keys;
  std::vector<int> vertex_of_slot(at(block.num_slots));
  each_edge([&](const ElementBatch& batch, int e, int lane, std::int64_t key) {
    keys.push_back(key);
    vertex_of_slot[at(batch.slot[edge_a[e]][lane])] = batch.vertex[edge_a[e]][lane];
    vertex_of_slot[at(batch.slot[edge_b[e]][lane])] = batch.vertex[edge_b[e]][lane];
  });
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  auto edge = edges_.begin() + std::ptrdiff_t{block.first_batch} * num_edges * lanes;
  each_edge([&](const ElementBatch& batch, int e, int lane, std::int64_t key) {
    const auto found = std::lower_bound(keys.begin(), keys.end(), key) - keys.begin();
    const auto place = static_cast<std::int32_t>(block.num_slots + found);
    const bool below =
        place_[at(batch.vertex[edge_a[e]][lane])] > place_[at(batch.vertex[edge_b[e]][lane])];
    *edge++ = below ? place : ~place;
  });
  for (int slot = 0; slot < block.num_slots; ++slot) {
    const int vertex = vertex_of_slot[at(slot)];
    list.push_back({block_of(vertex, vertex), first_sum + slot});
  }
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const int row = vertex_of_slot[at(keys[k] / block.num_slots)];
    const int column = vertex_of_slot[at(keys[k] % block.num_slots)];
    list.push_back({block_of(row, column), first_sum + block.num_slots + static_cast<int>(k)});
  }
  first_sum_.push_back(first_sum + block.num_slots + static_cast<int>(keys.size()));
}

/// Sorts sources by blocks of the matrix; the order within a block stays.
void HessianAssembly::sort_sources(const std::vector<Source>& list) {
  first_source_.assign(row_of_block_.size() + 1, 0);
  for (const Source& source : list) ++first_source_[at(source.block) + 1];
  std::partial_sum(first_source_.begin(), first_source_.end(), first_source_.begin());
  std::vector<int> next(first_source_.begin(), first_source_.end() - 1);
  sources_.resize(list.size());
  for (const Source& source : list) sources_[at(next[at(source.block)]++)] = source.place;
}

void HessianAssembly::evaluate_elements(const VectorField& z, const StepStart& start,
                                        NegativeEigenvalues mode, Threads& threads) {
  const Model& model = *model_;
  threads.parallel_for(static_cast<int>(model.blocks.size()), [&](int i) {
    const ElementBlock& block = model.blocks[at(i)];
    const ElementRange& range = model.ranges[at(block.range)];
    const auto local = at(block.first_batch - range.first_batch);
    kernels_->add_elements({.material = &range.material,
                            .batches = &model.batches()[at(block.first_batch)],
                            .num_batches = block.num_batches,
                            .parameters = range.parameters_of(local),
                            .parameter_stride = range.parameter_stride,
                            .fibers = fibers_from(range, local),
                            .x = z.data(),
                            .mode = mode,
                            .edges = &edges_[at(block.first_batch) * num_edges * lanes],
                            .sums = &sums_[at(first_sum_[at(i)]) * entries_per_sum],
                            .num_sums = first_sum_[at(i) + 1] - first_sum_[at(i)],
                            .viscosity = viscosity_of(range, local),
                            .start = start});
  });
}

void HessianAssembly::evaluate_springs(const VectorField& z, const StepStart& start,
                                       NegativeEigenvalues mode, Threads& threads) {
  const SpringSet& set = model_->springs;
  in_chunks(threads, static_cast<int>(set.size()), springs_per_chunk, [&](int s) {
    const SpringSet::Spring& spring = set.springs[at(s)];
    double* const sum = &sums_[at(first_sum_.back() + s) * entries_per_sum];
    spring_hessian(spring, z[at(spring.a)].v, z[at(spring.b)].v, of_springs(mode), sum);
    if (!model_->is_damped()) return;
    double damped[9];
    spring_hessian(damper(*model_, spring, start), z[at(spring.a)].v, z[at(spring.b)].v,
                   of_springs(mode), damped);
    for (int i = 0; i < 9; ++i) sum[i] += damped[i];
  });
}

void HessianAssembly::damp_membranes(const VectorField& z, const StepStart& start,
                                     NegativeEigenvalues mode, Threads& threads) {
  const MembraneSet& set = model_->membranes;
  in_chunks(threads, set.num_lanes(), triangles_per_chunk, [&](int lane) {
    if (!set.is_triangle(lane)) return;
    const SheetDamping damping(*model_, lane, start);
    const auto hessian = damping.hessian(z, mode);
    for (int k = 0; k < blocks_of_triangle; ++k) {
      const Mat3<double> K = damping.block(hessian, block_row[k], block_column[k]);
      double* const sum =
          &sums_[at(first_membrane_sum_ + lane * blocks_of_triangle + k) * entries_per_sum];
      for (int i = 0; i < 9; ++i) sum[i] += K(i / 3, i % 3);
    }
  });
}

/// Writes the columns of a vertex.
void HessianAssembly::sum_column(int k) {
  const int diagonal_block = first_block_[at(k)];
  double* column[3];
  for (int c = 0; c < 3; ++c) column[c] = lower_.valuePtr() + lower_.outerIndexPtr()[3 * k + c];
  for (int block = diagonal_block; block < first_block_[at(k) + 1]; ++block) {
    double sum[9] = {};
    for (int s = first_source_[at(block)]; s < first_source_[at(block) + 1]; ++s) {
      const int source = sources_[at(s)];
      const int place = source < 0 ? ~source : source;
      const double* from = &sums_[at(place) * entries_per_sum];
      const bool is_spring = place >= first_sum_.back() && place < first_membrane_sum_;
      if (source < 0) {
        for (int i = 0; i < 9; ++i) sum[i] += from[i % 3 * 3 + i / 3];
      } else if (!is_spring || block == diagonal_block) {
        for (int i = 0; i < 9; ++i) sum[i] += from[i];
      } else {
        for (int i = 0; i < 9; ++i) sum[i] -= from[i];  // [H, -H; -H, H] of a spring
      }
    }
    for (int c = 0; c < 3 && !bending_.empty(); ++c) sum[4 * c] += bending_[at(block)];
    for (int c = 0; c < 3; ++c) {
      for (int r = block == diagonal_block ? c : 0; r < 3; ++r) *column[c]++ = sum[3 * r + c];
    }
  }
}

void HessianAssembly::add_all(const VectorField& z, const VectorField& x_start,
                              std::span<const double> bond_lengths, double inverse_a2,
                              NegativeEigenvalues mode, Threads& threads, bool with_pins) {
  const Stopwatch element_watch;
  const StepStart start{x_start.data(), std::sqrt(inverse_a2)};
  evaluate_elements(z, start, mode, threads);
  evaluate_springs(z, start, mode, threads);
  if (!model_->membranes.empty()) {
    membrane_hessians(model_->membranes, z, mode, threads,
                      &sums_[at(first_membrane_sum_) * entries_per_sum]);
    if (model_->is_damped()) damp_membranes(z, start, mode, threads);
    hinge_hessians(model_->membranes, z, mode, threads,
                   sums_.data() + at(first_hinge_sum_) * entries_per_sum);
  }
  milliseconds_.elements = element_watch.milliseconds();
  const Stopwatch sum_watch;
  in_chunks(threads, model_->num_vertices, columns_per_chunk, [&](int k) { sum_column(k); });
  const auto add_to_vertex = [&](int vertex, double value) {
    for (int c = 0; c < 3; ++c) diagonal(3 * place_[at(vertex)] + c) += value;
  };
  for (int i = 0; i < model_->num_vertices; ++i) add_to_vertex(i, model_->mass[at(i)] * inverse_a2);
  if (with_pins) {
    for (const PinnedVertex& pin : model_->pins.pins) add_to_vertex(pin.vertex, pin.stiffness);
    for (const PinnedPoint& point : model_->pins.points) make_exact(point);
  }
  add_bonds(z, bond_lengths, mode);
  milliseconds_.sums = sum_watch.milliseconds();
}

void HessianAssembly::add_bonds(const VectorField& z, std::span<const double> lengths,
                                NegativeEigenvalues mode) {
  const BondSet& set = model_->bonds;
  for (std::size_t k = 0; k < set.size(); ++k) {
    const PointBond& bond = set.bonds[k];
    const Mat3<double> H = bond.hessian(lengths[k], bond.span(z), of_bonds(mode));
    for (std::size_t i = 0; i < at(bond.count); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const double weight = bond.weights[i] * bond.weights[j];
        double block[9];
        for (int e = 0; e < 9; ++e) block[e] = weight * H(e / 3, e % 3);
        add_block(bond.vertices[i], bond.vertices[j], block);
      }
    }
  }
}

/// Turns k diag(w), which is in the matrix already, into k w w^T. There is no room for that between
/// corners that no element joins any more; these stay as they are.
void HessianAssembly::make_exact(const PinnedPoint& point) {
  const PinnedVertex* const corner = &model_->pins.pins[at(point.first)];
  for (int i = 0; i < point.count; ++i) {
    for (int j = 0; j < i; ++j) {
      if (!has_block(corner[i].vertex, corner[j].vertex)) continue;
      const double value = point.stiffness * point.weights[at(i)] * point.weights[at(j)];
      const double block[9] = {value, 0, 0, 0, value, 0, 0, 0, value};
      add_between(corner[i].vertex, corner[j].vertex, block);
      // w_i - sum_j w_i w_j = w_i^2.
      for (const int end : {i, j}) {
        for (int c = 0; c < 3; ++c) diagonal(3 * place_[at(corner[end].vertex)] + c) -= value;
      }
    }
  }
}

void HessianAssembly::assemble(const VectorField& z, double inverse_a2, NegativeEigenvalues mode,
                               Threads& threads, bool with_pins) {
  std::vector<double> lengths(model_->bonds.size());
  model_->bonds.lengths(0, lengths);
  add_all(z, z, lengths, inverse_a2, mode, threads, with_pins);
  rods_.set_time(model_->pins, 0);
  rods_.visit_hessian(z, threads, [this](int vertex, int other, const double* block) {
    add_block(vertex, other, block);
  });
  keep_rows_solvable();
}

void HessianAssembly::assemble(const Objective& objective, const VectorField& z,
                               NegativeEigenvalues mode, OfBodies of_bodies) {
  add_all(z, objective.x_start(), objective.bond_lengths(), objective.inverse_a2(), mode,
          objective.threads(), true);
  const auto add = [this](int vertex, int other, const double* block) {
    add_block(vertex, other, block);
  };
  if (objective.rods() != nullptr) {
    objective.rods()->visit_hessian(z, objective.threads(), add);
  }
  if (objective.contact() != nullptr) {
    objective.contact()->visit_hessian(z[0].v, add, of_bodies);
  }
  // If pressure were mended edge by edge, it would hold every vertex where it is, against what
  // moves the surface as a whole. In frame 60 of scenes/balloon.json at three subdivisions,
  // Newton's method then has a relative error of 7e-3 after 15 iterations. Without pressure it has
  // one of 1e-8 after one iteration.
  if (objective.pressure() != nullptr && mode == NegativeEigenvalues::keep) {
    objective.pressure()->visit_hessian(z, objective.threads(), add);
  }
  keep_rows_solvable();
}

/// Adds a block, [9]: rows of `vertex`, columns of `other`.
void HessianAssembly::add_block(int vertex, int other, const double* block) {
  if (other != vertex) {
    add_between(vertex, other, block);
    return;
  }
  for (int c = 0; c < 3; ++c) {
    const int column = 3 * place_[at(vertex)] + c;
    for (int r = c; r < 3; ++r) (&diagonal(column))[r - c] += block[3 * r + c];
  }
}

/// The same for two different vertices. The block is below the diagonal, in the columns of the
/// vertex that comes first. There each block has three rows, after those of the diagonal block.
void HessianAssembly::add_between(int vertex, int other, const double* block) {
  const int column = std::min(place_[at(vertex)], place_[at(other)]);
  const bool is_below = place_[at(vertex)] > place_[at(other)];
  const int after = block_of(vertex, other) - first_block_[at(column)];
  for (int c = 0; c < 3; ++c) {
    double* const entries = &diagonal(3 * column + c) + (3 * after - c);
    for (int r = 0; r < 3; ++r) entries[r] += block[is_below ? 3 * r + c : 3 * c + r];
  }
}

void HessianAssembly::add_identity(double multiple) {
  for (int row = 0; row < lower_.rows(); ++row) diagonal(row) += multiple;
}

/// A vertex that nothing acts on gets a diagonal of one.
void HessianAssembly::keep_rows_solvable() {
  for (int row = 0; row < lower_.rows(); ++row) {
    if (diagonal(row) == 0) diagonal(row) = 1;
  }
}

}  // namespace supple

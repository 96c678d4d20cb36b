#include "potentials/membrane.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/index.h"
#include "potentials/membrane_kernels.h"

namespace supple {

SUPPLE_DEFINE_KERNELS(MembraneKernels, membrane_kernels, membrane_table)

namespace {

/// Batches, bends and hinges in one piece of work: some 10 us.
constexpr int batches_per_chunk = 32;
constexpr int bends_per_chunk = 1024;
constexpr int hinges_per_chunk = 128;
/// Used in place of the range of a chunk.
constexpr int of_bends = -1, of_hinges = -2;

MembraneWork work_of(const MembraneSet& set, const MembraneRange& range, int first, int count,
                     const VectorField& x) {
  return {.model = &range.model,
          .batches = &set.batches[at(first)],
          .num_batches = count,
          .parameters = range.parameters.data() +
                        at(first - range.first_batch) * at(range.num_parameters) * sheet_lanes,
          .x = x.data()};
}

/// Calls work(range, first batch, number) for pieces of the ranges.
template <class Work>
void for_pieces(const MembraneSet& set, const Work& work) {
  for (std::size_t r = 0; r < set.ranges.size(); ++r) {
    const MembraneRange& range = set.ranges[r];
    for (int done = 0; done < range.num_batches; done += batches_per_chunk) {
      work(static_cast<int>(r), range.first_batch + done,
           std::min(batches_per_chunk, range.num_batches - done));
    }
  }
}

/// F of the triangle in a lane from its corners.
void gradient_of(const MembraneBatch& batch, int lane, const double* const (&x)[3],
                 Vector3<double> (&f)[2]) {
  const auto m = [&](int i) { return batch.inverse_rest[i][lane]; };
  for (int k = 0; k < 3; ++k) {
    const double first = x[1][k] - x[0][k], second = x[2][k] - x[0][k];
    f[0][k] = m(0) * first + m(2) * second;
    f[1][k] = m(1) * first + m(3) * second;
  }
}

/// Adds the parts of stiffness c c^T between every two vertices.
void add_edges(const std::int32_t* vertex, const double* c, int count, double stiffness,
               std::vector<MembraneSet::Edge>& edges) {
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < i; ++j) edges.push_back({vertex[i], vertex[j], -stiffness * c[i] * c[j]});
  }
}

void sort_and_merge(std::vector<MembraneSet::Edge>& edges) {
  for (MembraneSet::Edge& edge : edges) {
    if (edge.b < edge.a) std::swap(edge.a, edge.b);
  }
  std::stable_sort(edges.begin(), edges.end(), [](const auto& p, const auto& q) {
    return std::tie(p.a, p.b) < std::tie(q.a, q.b);
  });
  std::size_t last = 0;
  for (std::size_t i = 1; i < edges.size(); ++i) {
    if (edges[i].a == edges[last].a && edges[i].b == edges[last].b) {
      edges[last].stiffness += edges[i].stiffness;
    } else {
      edges[++last] = edges[i];
    }
  }
  if (!edges.empty()) edges.resize(last + 1);
}

/// Makes lists by vertex: `each` calls visit(vertex, entry) for all entries in their order.
template <class Entry, class Each>
void list_by_vertex(int num_vertices, const Each& each, std::vector<int>& start,
                    std::vector<Entry>& list) {
  start.assign(at(num_vertices) + 1, 0);
  each([&](int vertex, const Entry&) { ++start[at(vertex) + 1]; });
  for (std::size_t v = 1; v < start.size(); ++v) start[v] += start[v - 1];
  std::vector<int> next(start.begin(), start.end() - 1);
  list.resize(at(start.back()));
  each([&](int vertex, const Entry& entry) { list[at(next[at(vertex)]++)] = entry; });
}

}  // namespace

double MembraneSet::energy_scale(int lane) const {
  const MembraneBatch& own = batch(lane);
  const int l = lane % sheet_lanes;
  return std::max(own.stiffness[0][l], own.stiffness[1][l]) * own.volume[l];
}

const MembraneRange& MembraneSet::range_of(int lane) const {
  const int b = lane / sheet_lanes;
  const auto after = std::upper_bound(
      ranges.begin(), ranges.end(), b,
      [](int batch, const MembraneRange& range) { return batch < range.first_batch; });
  return *(after - 1);
}

void MembraneSet::index_edges() {
  edges.clear();
  bending_edges.clear();
  hinge_edges.clear();
  for (int lane = 0; lane < num_lanes(); ++lane) {
    if (!is_triangle(lane)) continue;
    const MembraneBatch& own = batch(lane);
    const int l = lane % sheet_lanes;
    double gradient[3][2];
    for (int k = 0; k < 2; ++k) {
      gradient[1][k] = own.inverse_rest[k][l];
      gradient[2][k] = own.inverse_rest[2 + k][l];
      gradient[0][k] = -(gradient[1][k] + gradient[2][k]);
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < i; ++j) {
        const double entry =
            own.volume[l] * (own.stiffness[0][l] * gradient[i][0] * gradient[j][0] +
                             own.stiffness[1][l] * gradient[i][1] * gradient[j][1]);
        edges.push_back({own.vertex[i][l], own.vertex[j][l], -entry});
      }
    }
  }
  for (const Bend& bend : bends) {
    add_edges(&bend_vertex[at(bend.first)], &bend_weight[at(bend.first)], bend.count,
              bend.stiffness, bending_edges);
  }
  for (const Hinge& hinge : hinges) {
    add_edges(hinge.vertex, hinge.weight, 4, hinge.stiffness, hinge_edges);
  }
  for (std::vector<Edge>* const own : {&bending_edges, &hinge_edges}) {
    sort_and_merge(*own);
    edges.insert(edges.end(), own->begin(), own->end());
  }
  sort_and_merge(edges);
}

void MembraneSet::index_terms(int num_vertices) {
  list_by_vertex<Term>(
      num_vertices,
      [&](const auto& visit) {
        for (int lane = 0; lane < num_lanes(); ++lane) {
          if (!is_triangle(lane)) continue;
          visit(vertex(lane, 0), Term{2 * lane, -1.0});
          visit(vertex(lane, 0), Term{2 * lane + 1, -1.0});
          visit(vertex(lane, 1), Term{2 * lane, 1.0});
          visit(vertex(lane, 2), Term{2 * lane + 1, 1.0});
        }
        for (std::size_t i = 0; i < bends.size(); ++i) {
          const int slot = 2 * num_lanes() + static_cast<int>(i);
          for (int k = bends[i].first; k < bends[i].first + bends[i].count; ++k) {
            visit(bend_vertex[at(k)], Term{slot, bend_weight[at(k)]});
          }
        }
        for (std::size_t h = 0; h < hinges.size(); ++h) {
          for (int c = 1; c < 4; ++c) {
            const int slot = static_cast<int>(first_hinge_slot() + 3 * h) + c - 1;
            visit(hinges[h].vertex[0], Term{slot, -1.0});
            visit(hinges[h].vertex[c], Term{slot, 1.0});
          }
        }
      },
      term_start, terms);
}

void MembraneSet::index_vertices(int num_vertices) {
  if (empty()) return;
  index_edges();
  index_terms(num_vertices);
  list_by_vertex<int>(
      num_vertices,
      [&](const auto& visit) {
        for (int lane = 0; lane < num_lanes(); ++lane) {
          for (int c = 0; c < 3 && is_triangle(lane); ++c) visit(vertex(lane, c), 3 * lane + c);
        }
      },
      corner_start, corners);
  list_by_vertex<std::pair<int, double>>(
      num_vertices,
      [&](const auto& visit) {
        for (std::size_t i = 0; i < bends.size(); ++i) {
          for (int k = bends[i].first; k < bends[i].first + bends[i].count; ++k) {
            visit(bend_vertex[at(k)], std::pair(static_cast<int>(i), bend_weight[at(k)]));
          }
        }
      },
      bend_start, bends_of_vertex);
  list_by_vertex<int>(
      num_vertices,
      [&](const auto& visit) {
        for (std::size_t h = 0; h < hinges.size(); ++h) {
          for (int c = 0; c < 4; ++c) visit(hinges[h].vertex[c], 4 * static_cast<int>(h) + c);
        }
      },
      hinge_start, hinges_of_vertex);
}

namespace {

/// Returns f(sheet) for the triangle in a lane.
template <class F>
auto with_sheet(const MembraneRange& range, int lane, const F& f) {
  const int local = lane - range.first_batch * sheet_lanes;
  double values[most_sheet_parameters] = {};
  for (int p = 0; p < range.num_parameters; ++p) {
    values[p] = range.parameters[at((local / sheet_lanes * range.num_parameters + p) * sheet_lanes +
                                    local % sheet_lanes)];
  }
  return visit_sheet(range.model,
                     [&](const auto& model) { return f(model.template at<double>(values)); });
}

}  // namespace

double MembraneSet::energy(int lane, const double* const (&x)[3]) const {
  Vector3<double> f[2], P[2];
  gradient_of(batch(lane), lane % sheet_lanes, x, f);
  return batch(lane).volume[lane % sheet_lanes] *
         with_sheet(range_of(lane), lane,
                    [&](const auto& sheet) { return sheet.energy_and_stress(f, P); });
}

double MembraneSet::energy_at_corner(int lane, const double* const (&x)[3], int corner,
                                     NegativeEigenvalues mode, double* gradient,
                                     double* block) const {
  const MembraneBatch& own = batch(lane);
  const int l = lane % sheet_lanes;
  Vector3<double> f[2], P[2];
  gradient_of(own, l, x, f);
  double of_corner[2];
  for (int k = 0; k < 2; ++k) {
    const double first = own.inverse_rest[k][l], second = own.inverse_rest[2 + k][l];
    of_corner[k] = corner == 0 ? -(first + second) : corner == 1 ? first : second;
  }
  double K[9];
  const double energy = with_sheet(range_of(lane), lane, [&](const auto& sheet) {
    sheet.hessian(f, mode).block(of_corner, of_corner, K);
    return sheet.energy_and_stress(f, P);
  });
  for (int k = 0; k < 3; ++k) {
    gradient[k] = own.volume[l] * (of_corner[0] * P[0][k] + of_corner[1] * P[1][k]);
  }
  for (int i = 0; i < 9; ++i) block[i] = own.volume[l] * K[i];
  return own.volume[l] * energy;
}

std::array<Vec3, 2> MembraneSet::deformation_gradient(int lane, const VectorField& x) const {
  const double* corners_at[3];
  for (int c = 0; c < 3; ++c) corners_at[c] = x[at(vertex(lane, c))].v;
  Vector3<double> f[2];
  gradient_of(batch(lane), lane % sheet_lanes, corners_at, f);
  return {{{f[0][0], f[0][1], f[0][2]}, {f[1][0], f[1][1], f[1][2]}}};
}

MembraneEnergy::MembraneEnergy(const MembraneSet& set)
    : set_(&set), kernels_(&membrane_kernels(simd_level_in_use())), slots_(set.num_slots()) {
  for_pieces(set, [&](int range, int first, int count) {
    chunks_.push_back({range, first, count});
  });
  const int num_bends = static_cast<int>(set.bends.size());
  for (int first = 0; first < num_bends; first += bends_per_chunk) {
    chunks_.push_back({of_bends, first, std::min(bends_per_chunk, num_bends - first)});
  }
  const int num_hinges = static_cast<int>(set.hinges.size());
  for (int first = 0; first < num_hinges; first += hinges_per_chunk) {
    chunks_.push_back({of_hinges, first, std::min(hinges_per_chunk, num_hinges - first)});
  }
  chunk_energy_.resize(chunks_.size());
}

double MembraneEnergy::evaluate(const VectorField& x, Threads& threads) {
  if (set_->empty()) return 0;
  threads.parallel_for(static_cast<int>(chunks_.size()), [&](int i) {
    const Chunk& chunk = chunks_[at(i)];
    double energy = 0;
    if (chunk.range >= 0) {
      energy = kernels_->evaluate(
          work_of(*set_, set_->ranges[at(chunk.range)], chunk.first, chunk.count, x),
          &slots_[2 * at(chunk.first) * sheet_lanes]);
    } else if (chunk.range == of_hinges) {
      for (int k = chunk.first; k < chunk.first + chunk.count; ++k) {
        const BentHinge hinge =
            bent_hinge(set_->hinges[at(k)], [&](int vertex) { return x[at(vertex)].v; });
        for (int c = 1; c < 4; ++c) {
          const Vector3<double> force = hinge.gradient(c);
          PaddedVector& slot = slots_[set_->first_hinge_slot() + 3 * at(k) + at(c - 1)];
          for (int d = 0; d < 3; ++d) slot[d] = force[d];
        }
        energy += hinge.energy();
      }
    } else {
      for (int k = chunk.first; k < chunk.first + chunk.count; ++k) {
        const Bend& bend = set_->bends[at(k)];
        const Vector3<double> bent =
            curvature_vector(*set_, bend, [&](int vertex) { return x[at(vertex)].v; });
        PaddedVector& slot = slots_[2 * at(set_->num_lanes()) + at(k)];
        for (int c = 0; c < 3; ++c) slot[c] = bend.stiffness * bent[c];
        energy += 0.5 * bend.stiffness * dot(bent, bent);
      }
    }
    chunk_energy_[at(i)] = energy;
  });
  double energy = 0;
  for (const double e : chunk_energy_) energy += e;
  return energy;
}

void membrane_hessians(const MembraneSet& set, const VectorField& x, NegativeEigenvalues mode,
                       Threads& threads, double* blocks) {
  const MembraneKernels& kernels = membrane_kernels(simd_level_in_use());
  for (const MembraneRange& range : set.ranges) {
    threads.parallel_for(
        (range.num_batches + batches_per_chunk - 1) / batches_per_chunk, [&](int chunk) {
          const int first = range.first_batch + chunk * batches_per_chunk;
          const int count =
              std::min(batches_per_chunk, range.first_batch + range.num_batches - first);
          kernels.hessians(work_of(set, range, first, count, x), mode,
                           blocks + at(first) * sheet_lanes * blocks_of_triangle * 9);
        });
  }
}

void hinge_hessians(const MembraneSet& set, const VectorField& x, NegativeEigenvalues mode,
                    Threads& threads, double* blocks) {
  const int count = static_cast<int>(set.hinges.size());
  threads.parallel_for((count + hinges_per_chunk - 1) / hinges_per_chunk, [&](int chunk) {
    const int end = std::min((chunk + 1) * hinges_per_chunk, count);
    for (int h = chunk * hinges_per_chunk; h < end; ++h) {
      const BentHinge hinge =
          bent_hinge(set.hinges[at(h)], [&](int vertex) { return x[at(vertex)].v; });
      for (int k = 0; k < blocks_of_hinge; ++k) {
        const int row = hinge_row[k], column = hinge_column[k];
        const Mat3<double> block = mode == NegativeEigenvalues::keep
                                       ? hinge.exact_block(row, column)
                                       : hinge.positive_block(row, column);
        double* const to = blocks + (at(h) * blocks_of_hinge + at(k)) * 9;
        for (int i = 0; i < 9; ++i) to[i] = block(i / 3, i % 3);
      }
    }
  });
}

}  // namespace supple

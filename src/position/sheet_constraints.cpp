#include "position/sheet_constraints.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "base/index.h"
#include "position/constraint_colours.h"

namespace supple {

SUPPLE_DEFINE_KERNELS(SheetKernels, sheet_kernels, sheet_table)

namespace {

/// The range of the triangle in each lane of the set.
std::vector<int> ranges_of_lanes(const MembraneSet& set) {
  std::vector<int> range_of(at(set.num_lanes()), -1);
  for (std::size_t r = 0; r < set.ranges.size(); ++r) {
    const MembraneRange& range = set.ranges[r];
    const int first = range.first_batch * sheet_lanes,
              last = first + range.num_batches * sheet_lanes;
    std::fill(range_of.begin() + first, range_of.begin() + last, static_cast<int>(r));
  }
  return range_of;
}

/// L of G = sum w_i b_i b_i^T as L_00, L_10, L_11; zeros if vertices without mass leave no G.
std::array<double, 3> root_of(const double (&b)[3][2], const double (&w)[3]) {
  double G[3] = {0, 0, 0};
  for (int c = 0; c < 3; ++c) {
    G[0] += w[c] * b[c][0] * b[c][0];
    G[1] += w[c] * b[c][0] * b[c][1];
    G[2] += w[c] * b[c][1] * b[c][1];
  }
  if (!(G[0] > 0)) return {0, 0, 0};
  const double first = std::sqrt(G[0]), below = G[1] / first, square = G[2] - below * below;
  if (!(square > 0)) return {0, 0, 0};
  return {first, below, std::sqrt(square)};
}

/// Share of the impulses of poor triangles with which the next substep begins. As for tets
/// (tet_constraints.cpp), forces that lag behind positions must not swing up.
constexpr double kept_share_of_poor = 0.5;
/// A triangle is poor if 4 sqrt(3) area over the sum of its squared edges is below this; equal
/// edges give 1.
constexpr double poor_triangle = 0.3;

/// Whether a triangle with these shape gradients is poor. With the edges e_1 and e_2 that are dual
/// to b_1 and b_2, |e_1| = |b_2| J, where J is twice its area.
bool is_poor(const double (&b)[3][2]) {
  const double J = 1 / std::abs(b[1][0] * b[2][1] - b[1][1] * b[2][0]);
  double squares = 0;
  for (const auto& gradient : b) squares += gradient[0] * gradient[0] + gradient[1] * gradient[1];
  return 2 * std::sqrt(3.0) * J < poor_triangle * squares * J * J;
}

}  // namespace

template <class T>
SheetConstraints<T>::SheetConstraints(const Model& model, bool keep) : model_(&model), keep_(keep) {
  const MembraneSet& set = model.membranes;
  std::vector<int> triangles, vertices;
  for (int lane = 0; lane < set.num_lanes(); ++lane) {
    if (!set.is_triangle(lane)) continue;
    triangles.push_back(lane);
    for (int c = 0; c < 3; ++c) vertices.push_back(set.vertex(lane, c));
  }
  place_.assign(at(set.num_lanes()), -1);
  if (triangles.empty()) return;
  const std::vector<int> range_of = ranges_of_lanes(set);
  const ConstraintColours colours = colour_constraints(vertices, 3, model.num_vertices);
  std::vector<int> found;
  for (int colour = 0; colour < colours.num_colours(); ++colour) {
    const int end = colours.start[at(colour) + 1];
    // The triangles of a colour are in ascending order, and so are ranges.
    for (int i = colours.start[at(colour)]; i < end;) {
      const int range = range_of[at(triangles[at(colours.constraints[at(i)])])];
      found.clear();
      for (; i < end; ++i) {
        const int lane = triangles[at(colours.constraints[at(i)])];
        if (range_of[at(lane)] != range) break;
        found.push_back(lane);
      }
      const int count = static_cast<int>(found.size());
      for (int done = 0, batch = 0; done < count; done += sheet_lanes, ++batch) {
        if (batch % chunk_size == 0) {
          runs_.push_back({range, static_cast<int>(batches_.size()), 0, parameters_.size()});
        }
        add_batch(set, range, &found[at(done)], std::min(sheet_lanes, count - done));
        ++runs_.back().count;
      }
    }
    colour_start_.push_back(static_cast<int>(runs_.size()));
    groups_.push_back({"triangles", colours.size(colour)});
  }
}

template <class T>
void SheetConstraints<T>::add_batch(const MembraneSet& set, int range, const int* triangles,
                                    int count) {
  const MembraneRange& own = set.ranges[at(range)];
  SheetBatch batch{};
  const std::size_t first_parameter = parameters_.size();
  parameters_.resize(first_parameter + at(own.num_parameters) * sheet_lanes);
  for (int l = 0; l < sheet_lanes; ++l) {
    const bool is_filled = l < count;
    const int lane = triangles[is_filled ? l : 0], place = lane % sheet_lanes;
    const MembraneBatch& from = set.batches[at(lane / sheet_lanes)];
    if (is_filled) place_[at(lane)] = static_cast<int>(batches_.size()) * sheet_lanes + l;
    double b[3][2], w[3];
    for (int k = 0; k < 2; ++k) {
      b[1][k] = from.inverse_rest[k][place];
      b[2][k] = from.inverse_rest[2 + k][place];
      b[0][k] = -(b[1][k] + b[2][k]);
    }
    for (int c = 0; c < 3; ++c) {
      batch.vertex[c][l] = from.vertex[c][place];
      w[c] = inverse_mass_of(*model_, from.vertex[c][place]);
    }
    const std::array<double, 3> root = root_of(b, w);
    const bool moves = is_filled && root[0] > 0;
    for (int i = 0; i < 4; ++i) batch.inverse_rest[i][l] = from.inverse_rest[i][place];
    for (int i = 0; i < 3; ++i) batch.root[i][l] = root[at(i)];
    for (int c = 0; c < 2 && moves; ++c) {
      const double first = b[c + 1][0] / root[0];
      batch.scaled[2 * c][l] = first;
      batch.scaled[2 * c + 1][l] = (b[c + 1][1] - root[1] * first) / root[2];
    }
    for (int c = 0; c < 3; ++c) batch.weight[c][l] = moves ? w[c] : 0;
    batch.volume[l] = moves ? from.volume[place] : 0;
    batch.kept[l] = is_poor(b) ? kept_share_of_poor : 1;
    const int local = lane - own.first_batch * sheet_lanes;
    for (int p = 0; p < own.num_parameters; ++p) {
      parameters_[first_parameter + at(p * sheet_lanes + l)] =
          own.parameters[at((local / sheet_lanes * own.num_parameters + p) * sheet_lanes + place)];
    }
  }
  batches_.push_back(batch);
  if (!model_->is_damped()) return;
  SheetDamper damper{};
  for (int l = 0; l < sheet_lanes; ++l) {
    const int lane = triangles[l < count ? l : 0];
    for (int k = 0; k < 2; ++k) {
      damper.viscosity[k][l] = model_->damping_of(set.vertex(lane, 0), 1) *
                               set.batches[at(lane / sheet_lanes)].stiffness[k][lane % sheet_lanes];
    }
  }
  dampers_.push_back(damper);
}

template <class T>
void SheetConstraints<T>::measure_start(const VectorField& x_start) {
  for (std::size_t b = 0; b < dampers_.size(); ++b) {
    const SheetBatch& batch = batches_[b];
    for (int l = 0; l < sheet_lanes; ++l) {
      const double* x[3];
      for (int c = 0; c < 3; ++c) x[c] = x_start[at(batch.vertex[c][l])].v;
      for (int i = 0; i < 6; ++i) {
        const int k = i / 3, row = i % 3;
        dampers_[b].before[i][l] = batch.inverse_rest[k][l] * (x[1][row] - x[0][row]) +
                                   batch.inverse_rest[2 + k][l] * (x[2][row] - x[0][row]);
      }
    }
  }
}

template <class T>
void SheetConstraints<T>::begin(const PositionStep& step) {
  a2_ = 1 / step.inverse_a2;
  measure_start(step.x_start);
  const bool keeps = keep_ && !step.first_of_frame;
  for (SheetBatch& batch : batches_) {
    for (auto& row : batch.impulse) {
      for (int lane = 0; lane < sheet_lanes; ++lane) {
        row[lane] = keeps ? batch.kept[lane] * row[lane] : 0;
      }
    }
  }
}

/// q c_i of a lane.
template <class T>
Vec3 SheetConstraints<T>::push_of(const SheetBatch& batch, int lane, int corner) const {
  const auto c = [&](int of_corner, int k) { return batch.scaled[2 * of_corner - 2 + k][lane]; };
  Vec3 push{};
  for (int k = 0; k < 2; ++k) {
    const double own = corner == 0 ? -(c(1, k) + c(2, k)) : c(corner, k);
    for (int i = 0; i < 3; ++i) push[at(i)] += own * batch.impulse[3 * k + i][lane];
  }
  return push;
}

template <class T>
void SheetConstraints<T>::apply_kept(Positions<T>& x) const {
  if (!keep_) return;
  for (const SheetBatch& batch : batches_) {
    for (int lane = 0; lane < sheet_lanes; ++lane) {
      for (int c = 0; c < 3; ++c) {
        const Vec3 push = push_of(batch, lane, c);
        PaddedPosition<T>& own = x[at(batch.vertex[c][lane])];
        for (int k = 0; k < 3; ++k) {
          own[k] += static_cast<T>(batch.weight[c][lane] * push[at(k)]);
        }
      }
    }
  }
}

template <class T>
void SheetConstraints<T>::project(Positions<T>& x, Threads& threads) {
  const SheetKernels& kernels = sheet_kernels(simd_level_in_use());
  for (std::size_t colour = 0; colour + 1 < colour_start_.size(); ++colour) {
    const int first = colour_start_[colour];
    threads.parallel_for(colour_start_[colour + 1] - first, [&](int i) {
      const Run& run = runs_[at(first + i)];
      const SheetWork<T> work{.model = &model_->membranes.ranges[at(run.range)].model,
                              .batches = &batches_[at(run.first)],
                              .dampers = dampers_.empty() ? nullptr : &dampers_[at(run.first)],
                              .num_batches = run.count,
                              .parameters = parameters_.data() + run.first_parameter,
                              .x = x.data(),
                              .a2 = a2_};
      if constexpr (std::is_same_v<T, double>) {
        kernels.project(work);
      } else {
        kernels.project_floats(work);
      }
    });
  }
}

template <class T>
Vec3 SheetConstraints<T>::impulse(int lane, int corner) const {
  const int place = place_[at(lane)];
  if (place < 0) return {0, 0, 0};
  return push_of(batches_[at(place / sheet_lanes)], place % sheet_lanes, corner);
}

template class SheetConstraints<double>;
template class SheetConstraints<float>;

}  // namespace supple

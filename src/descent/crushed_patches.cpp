#include "descent/crushed_patches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>

#include "base/index.h"
#include "materials/principal.h"
#include "materials/visit.h"

namespace supple {

namespace {

/// A patch is solved when its gradient has fallen to this share of its terms. With a tenth, L-BFGS
/// around it takes twice the evaluations on the published tibiman.
constexpr double enough = 1e-2;
constexpr int most_newton_iterations = 30, most_halvings = 12;
constexpr double sufficient_decrease = 0.03;
/// Most Hessians of tets in a step, over the number of all tets: they take as long as thirty
/// evaluations of g. If that leaves a patch fewer than `least_iterations`, the step has no patches.
constexpr double most_work = 0.35;
constexpr int least_iterations = 10;
/// If more than this share of all tets is crushed, there are no patches: they would take longer
/// than they save. (With 0.05, a frame of the stretched hippo took five times as long.)
constexpr double most_crushed = 0.003;
/// Tets nearer to rest than this are not looked at more closely: J above and |F|^2 below.
constexpr double least_volume = 0.3, most_stretch = 6;
constexpr int tets_per_piece = 4096;
constexpr std::size_t most_parameters = 16;

bool applies_to(const Objective& objective) {
  const Model& model = objective.model();
  if (objective.contact() != nullptr || model.is_damped() || !model.inverse_change.empty() ||
      !model.springs.empty() || !model.membranes.empty() || !model.rods.empty() ||
      !model.pressures.empty() || !model.bonds.empty()) {
    return false;
  }
  return std::all_of(model.ranges.begin(), model.ranges.end(), [](const ElementRange& range) {
    return range.layer == 0 && range.num_fibers == 0 && !range.changes_rest &&
           visit_model(range.material,
                       [](const auto& family) { return !is_own<decltype(family)>; });
  });
}

int root_of(std::vector<int>& parent, int i) {
  while (parent[at(i)] != i) i = parent[at(i)] = parent[at(parent[at(i)])];
  return i;
}

Mat3<double> deformation_gradient(const Model& model, std::size_t tet,
                                  const std::array<Vec3, 4>& gradients, const VectorField& z) {
  Mat3<double> F = Mat3<double>::zero();
  for (std::size_t c = 0; c < 4; ++c) {
    const PaddedVector& x = z[at(model.tets[tet][c])];
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 3; ++k) F(r, k) += x[r] * gradients[c][at(k)];
    }
  }
  return F;
}

/// Calls work(material) with the parameters at a place of the range, unless the material is the
/// program's own.
template <class Work>
void with_material(const ElementRange& range, std::size_t place, const Work& work) {
  visit_model(range.material, [&](const auto& family) {
    using Family = std::decay_t<decltype(family)>;
    if constexpr (!is_own<decltype(family)>) {
      static_assert(Family::num_parameters <= most_parameters);
      std::array<double, most_parameters> own{};
      for (std::size_t p = 0; p < Family::num_parameters; ++p) {
        own[p] = range.parameter(place, static_cast<int>(p));
      }
      work(family.template at<double>(own.data()));
    }
  });
}

double energy_density(const ElementRange& range, std::size_t place, const Mat3<double>& F) {
  double density = 0;
  with_material(range, place, [&](const auto& material) { density = material.energy_density(F); });
  return density;
}

std::size_t place_in(const ElementRange& range, int lane) {
  return at(lane - range.first_batch * lanes);
}

int range_of(const Model& model, int lane) {
  int range = 0;
  while (lane / lanes >=
         model.ranges[at(range)].first_batch + model.ranges[at(range)].num_batches) {
    ++range;
  }
  return range;
}

/// x = A^-1 x by a Cholesky factorisation in place. A: lower triangle, column after column. False:
/// A is not positive definite.
bool solve_dense(std::size_t n, std::vector<double>& A, std::vector<double>& x) {
  for (std::size_t k = 0; k < n; ++k) {
    double* const column = &A[k * n];
    if (!(column[k] > 0)) return false;
    const double scale = 1 / std::sqrt(column[k]);
    for (std::size_t i = k; i < n; ++i) column[i] *= scale;
    for (std::size_t j = k + 1; j < n; ++j) {
      double* const to = &A[j * n];
      const double factor = column[j];
      for (std::size_t i = j; i < n; ++i) to[i] -= factor * column[i];
    }
    x[k] /= column[k];
    for (std::size_t i = k + 1; i < n; ++i) x[i] -= x[k] * column[i];
  }
  for (std::size_t k = n; k-- > 0;) {
    const double* const column = &A[k * n];
    for (std::size_t i = k + 1; i < n; ++i) x[k] -= column[i] * x[i];
    x[k] /= column[k];
  }
  return true;
}

double norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double value : v) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace

bool CrushedPatches::find(const Objective& objective, const VectorField& z) noexcept {
  if (has_looked_) return false;
  has_looked_ = true;
  if (!applies_to(objective)) return false;
  const Model& model = objective.model();
  try {
    if (!find_crushed(model, z, objective.threads())) return false;
    list_places(model);
    find_parts(model);
    join(model);
    make_patches(model);
  } catch (const std::bad_alloc&) {
    count_ = 0;
  }
  return count_ > 0;
}

/// False: no tets are crushed, or too many.
bool CrushedPatches::find_crushed(const Model& model, const VectorField& z, Threads& threads) {
  lane_of_tet_.assign(at(model.num_tets), 0);
  for (std::size_t lane = 0; lane < model.tet_of_lane.size(); ++lane) {
    if (const int tet = model.tet_of_lane[lane]; tet >= 0) {
      lane_of_tet_[at(tet)] = static_cast<int>(lane);
    }
  }
  const int pieces = (model.num_tets + tets_per_piece - 1) / tets_per_piece;
  of_piece_.resize(at(pieces));
  const std::size_t most =
      static_cast<std::size_t>(std::max(8.0, most_crushed * static_cast<double>(model.num_tets)));
  for (std::vector<Crushed>& list : of_piece_) {
    list.clear();
    list.reserve(std::min(most + 1, at(tets_per_piece)));
  }
  threads.parallel_for(pieces, [&](int piece) {
    std::vector<Crushed>& list = of_piece_[at(piece)];
    const int last = std::min(model.num_tets, (piece + 1) * tets_per_piece);
    for (int t = piece * tets_per_piece; t < last && list.size() <= most; ++t) {
      const Mat3<double> F = deformation_gradient(model, at(t), model.shape_gradients(at(t)), z);
      if (determinant(F) > least_volume && squared_norm(F) < most_stretch) continue;
      const int lane = lane_of_tet_[at(t)];
      const ElementRange& range = model.ranges[at(range_of(model, lane))];
      const double density =
          energy_density(range, place_in(range, lane), F) / model.stiffness[at(t)];
      if (density > crushed) list.push_back({density, t});
    }
  });
  found_.clear();
  for (const std::vector<Crushed>& list : of_piece_) {
    found_.insert(found_.end(), list.begin(), list.end());
  }
  if (found_.empty() || found_.size() > most) return false;
  std::sort(found_.begin(), found_.end(), [](const Crushed& a, const Crushed& b) {
    return a.density != b.density ? a.density > b.density : a.tet < b.tet;
  });
  return true;
}

/// Lists the tets of each vertex, and finds the vertices that no pin holds.
void CrushedPatches::list_places(const Model& model) {
  const std::size_t n = at(model.num_vertices);
  tet_start_.assign(n + 1, 0);
  for (const auto& tet : model.tets) {
    for (const int i : tet) ++tet_start_[at(i) + 1];
  }
  std::partial_sum(tet_start_.begin(), tet_start_.end(), tet_start_.begin());
  tet_list_.resize(4 * model.tets.size());
  for (std::size_t t = model.tets.size(); t-- > 0;) {
    for (const int i : model.tets[t]) tet_list_[at(--tet_start_[at(i) + 1])] = static_cast<int>(t);
  }
  // Each start has gone down to that of the vertex before: the list is shifted by one place.
  for (std::size_t i = 0; i < n; ++i) tet_start_[i] = tet_start_[i + 1];
  tet_start_[n] = static_cast<int>(tet_list_.size());
  is_free_.assign(n, 1);
  for (const auto& pin : model.pins.pins) is_free_[at(pin.vertex)] = 0;
}

void CrushedPatches::find_parts(const Model& model) {
  part_of_.resize(at(model.num_vertices));
  std::iota(part_of_.begin(), part_of_.end(), 0);
  for (const auto& tet : model.tets) {
    const int first = root_of(part_of_, tet[0]);
    for (const int i : tet) part_of_[at(root_of(part_of_, i))] = first;
  }
  for (int i = 0; i < model.num_vertices; ++i) part_of_[at(i)] = root_of(part_of_, i);
  parts_.assign(at(model.num_vertices), {});
  for (std::size_t i = 0; i < part_of_.size(); ++i) {
    Part& part = parts_[at(part_of_[i])];
    part.mass += model.mass[i];
    if (is_free_[i] == 0) part.is_held = true;
  }
}

/// Joins vertices of crushed tets that share a tet, as long as patches stay small.
void CrushedPatches::join(const Model& model) {
  patch_of_.assign(at(model.num_vertices), -1);
  size_.assign(at(model.num_vertices), 0);
  std::vector<int>&added = added_, &roots = roots_;
  for (const Crushed& crushed_tet : found_) {
    added.clear();
    roots.clear();
    int total = 0;
    const auto count = [&](int vertex) {
      if (patch_of_[at(vertex)] < 0) return;
      const int root = root_of(patch_of_, vertex);
      if (std::find(roots.begin(), roots.end(), root) != roots.end()) return;
      roots.push_back(root);
      total += size_[at(root)];
    };
    for (const int i : model.tets[at(crushed_tet.tet)]) {
      count(i);
      if (patch_of_[at(i)] >= 0 || is_free_[at(i)] == 0) continue;
      added.push_back(i);
      ++total;
      for (int k = tet_start_[at(i)]; k < tet_start_[at(i) + 1]; ++k) {
        for (const int j : model.tets[at(tet_list_[at(k)])]) count(j);
      }
    }
    if (total > most_vertices || total == 0) continue;
    for (const int i : added) {
      patch_of_[at(i)] = i;
      roots.push_back(i);
    }
    for (const int root : roots) patch_of_[at(root)] = roots.front();
    size_[at(roots.front())] = total;
  }
}

void CrushedPatches::make_patches(const Model& model) {
  count_ = 0;
  patch_number_.assign(at(model.num_vertices), -1);
  for (int i = 0; i < model.num_vertices; ++i) {
    if (patch_of_[at(i)] < 0) continue;
    int& number = patch_number_[at(root_of(patch_of_, i))];
    if (number < 0) {
      number = static_cast<int>(count_++);
      if (patches_.size() < count_) patches_.emplace_back();
      patches_[at(number)].vertices.clear();
      patches_[at(number)].part = at(part_of_[at(i)]);
    }
    patches_[at(number)].vertices.push_back(i);
  }
  std::vector<int>& tets = tets_;
  double all_tets = 0;
  for (std::size_t p = 0; p < count_; ++p) {
    Patch& patch = patches_[p];
    tets.clear();
    for (const int i : patch.vertices) {
      tets.insert(tets.end(), tet_list_.begin() + tet_start_[at(i)],
                  tet_list_.begin() + tet_start_[at(i) + 1]);
    }
    std::sort(tets.begin(), tets.end());
    tets.erase(std::unique(tets.begin(), tets.end()), tets.end());
    patch.tets.clear();
    for (const int t : tets) {
      const int lane = lane_of_tet_[at(t)];
      const int range = range_of(model, lane);
      Tet own{t, range, place_in(model.ranges[at(range)], lane), {}, model.shape_gradients(at(t))};
      for (std::size_t c = 0; c < 4; ++c) {
        const int vertex = model.tets[at(t)][c];
        const auto found = std::lower_bound(patch.vertices.begin(), patch.vertices.end(), vertex);
        const bool is_there = found != patch.vertices.end() && *found == vertex;
        own.place[c] = is_there ? static_cast<int>(found - patch.vertices.begin()) : -1;
      }
      patch.tets.push_back(own);
    }
    const std::size_t n = 3 * patch.vertices.size();
    for (auto* const work :
         {&patch.before, &patch.start, &patch.gradient, &patch.size, &patch.step}) {
      work->resize(n);
    }
    patch.matrix.resize(n * n);
    all_tets += static_cast<double>(patch.tets.size());
  }
  const int iterations = static_cast<int>(most_work * model.num_tets / all_tets);
  for (std::size_t p = 0; p < count_; ++p) patches_[p].iterations_left = iterations;
  if (iterations < least_iterations) count_ = 0;
}

/// The part of g that the vertices of the patch change, J.
double CrushedPatches::energy(const Objective& objective, const Patch& patch,
                              const VectorField& z) {
  const Model& model = objective.model();
  double sum = 0;
  for (const Tet& tet : patch.tets) {
    sum += model.volume[at(tet.tet)] *
           energy_density(model.ranges[at(tet.range)], tet.lane,
                          deformation_gradient(model, at(tet.tet), tet.gradients, z));
  }
  const VectorField& y = objective.inertial_target();
  for (const int i : patch.vertices) {
    for (int k = 0; k < 3; ++k) {
      const double d = z[at(i)][k] - y[at(i)][k];
      sum += model.mass[at(i)] *
             (0.5 * objective.inverse_a2() * d * d - objective.weight()[at(k)] * z[at(i)][k]);
    }
  }
  return sum;
}

/// The gradient of that or, with_matrix, its Hessian.
void CrushedPatches::differentiate(const Objective& objective, const VectorField& z,
                                   bool with_matrix, Patch& patch) {
  const Model& model = objective.model();
  const std::size_t n = 3 * patch.vertices.size();
  if (with_matrix) std::fill(patch.matrix.begin(), patch.matrix.end(), 0.0);
  if (!with_matrix) {
    const VectorField& y = objective.inertial_target();
    for (std::size_t v = 0; v < patch.vertices.size(); ++v) {
      const std::size_t i = at(patch.vertices[v]);
      for (int k = 0; k < 3; ++k) {
        const double pull = model.mass[i] * objective.inverse_a2() * (z[i][k] - y[i][k]);
        const double weight = model.mass[i] * objective.weight()[at(k)];
        patch.gradient[3 * v + at(k)] = pull - weight;
        patch.size[3 * v + at(k)] = std::abs(pull) + std::abs(weight);
      }
    }
  } else {
    for (std::size_t k = 0; k < n; ++k) {
      patch.matrix[k * n + k] = model.mass[at(patch.vertices[k / 3])] * objective.inverse_a2();
    }
  }
  for (const Tet& tet : patch.tets) {
    const std::size_t t = at(tet.tet);
    const std::array<Vec3, 4>& gradients = tet.gradients;
    const Mat3<double> F = deformation_gradient(model, t, gradients, z);
    const double volume = model.volume[t];
    with_material(model.ranges[at(tet.range)], tet.lane, [&](const auto& material) {
      if (!with_matrix) {
        const Mat3<double> P = material.stress(F);
        for (std::size_t a = 0; a < 4; ++a) {
          if (tet.place[a] < 0) continue;
          for (std::size_t r = 0; r < 3; ++r) {
            double force = 0;
            for (std::size_t k = 0; k < 3; ++k) {
              force += P(static_cast<int>(r), static_cast<int>(k)) * gradients[a][k];
            }
            patch.gradient[3 * at(tet.place[a]) + r] += volume * force;
            patch.size[3 * at(tet.place[a]) + r] += std::abs(volume * force);
          }
        }
        return;
      }
      const Hessian9 H = hessian(material, F, NegativeEigenvalues::absolute);
      for (std::size_t b = 0; b < 4; ++b) {
        if (tet.place[b] < 0) continue;
        // d P / d z_b, times the volume.
        std::array<std::array<double, 3>, 9> of_corner{};
        for (std::size_t e = 0; e < 9; ++e) {
          for (std::size_t s = 0; s < 3; ++s) {
            for (std::size_t k = 0; k < 3; ++k) {
              of_corner[e][s] += volume * H[e][3 * s + k] * gradients[b][k];
            }
          }
        }
        for (std::size_t a = 0; a < 4; ++a) {
          if (tet.place[a] < tet.place[b]) continue;
          for (std::size_t r = 0; r < 3; ++r) {
            for (std::size_t s = 0; s < 3; ++s) {
              double entry = 0;
              for (std::size_t k = 0; k < 3; ++k)
                entry += gradients[a][k] * of_corner[3 * r + k][s];
              patch.matrix[(3 * at(tet.place[b]) + s) * n + 3 * at(tet.place[a]) + r] += entry;
            }
          }
        }
      }
    });
  }
}

void CrushedPatches::minimise(const Objective& objective, VectorField& z, Patch& patch) {
  const std::size_t n = 3 * patch.vertices.size();
  const auto go = [&](double alpha) {
    for (std::size_t k = 0; k < n; ++k) {
      z[at(patch.vertices[k / 3])][static_cast<int>(k % 3)] =
          patch.start[k] + alpha * patch.step[k];
    }
  };
  double value = energy(objective, patch, z);
  for (int iteration = 0; iteration < most_newton_iterations && patch.iterations_left > 0;
       ++iteration) {
    differentiate(objective, z, false, patch);
    if (!(norm(patch.gradient) > enough * norm(patch.size))) return;
    --patch.iterations_left;
    differentiate(objective, z, true, patch);
    double slope = 0;
    for (std::size_t k = 0; k < n; ++k) {
      patch.start[k] = z[at(patch.vertices[k / 3])][static_cast<int>(k % 3)];
      patch.step[k] = -patch.gradient[k];
    }
    if (!solve_dense(n, patch.matrix, patch.step)) return;
    for (std::size_t k = 0; k < n; ++k) slope += patch.gradient[k] * patch.step[k];
    if (!(slope < 0)) return;
    double alpha = 1;
    for (int halving = 0;; ++halving, alpha *= 0.5) {
      if (halving > most_halvings) return go(0);
      go(alpha);
      const double next = energy(objective, patch, z);
      if (next > value + sufficient_decrease * alpha * slope || !std::isfinite(next)) continue;
      value = next;
      break;
    }
  }
}

void CrushedPatches::solve(const Objective& objective, VectorField& z) {
  if (count_ == 0) return;
  for (std::size_t p = 0; p < count_; ++p) {
    // Where the vertices stand, to tell by how far they are moved.
    Patch& patch = patches_[p];
    for (std::size_t k = 0; k < patch.before.size(); ++k) {
      patch.before[k] = z[at(patch.vertices[k / 3])][static_cast<int>(k % 3)];
    }
  }
  objective.threads().parallel_for(static_cast<int>(count_),
                                   [&](int p) { minimise(objective, z, patches_[at(p)]); });
  shift_back(objective, z);
}

void CrushedPatches::shift_back(const Objective& objective, VectorField& z) {
  if (objective.inverse_a2() == 0) return;
  const Model& model = objective.model();
  for (std::size_t p = 0; p < count_; ++p) parts_[patches_[p].part].shift = {0, 0, 0};
  for (std::size_t p = 0; p < count_; ++p) {
    const Patch& patch = patches_[p];
    Part& part = parts_[patch.part];
    if (part.is_held) continue;
    for (std::size_t k = 0; k < patch.before.size(); ++k) {
      const std::size_t i = at(patch.vertices[k / 3]);
      part.shift[k % 3] -=
          model.mass[i] * (z[i][static_cast<int>(k % 3)] - patch.before[k]) / part.mass;
    }
  }
  for (std::size_t i = 0; i < z.size(); ++i) {
    const Part& part = parts_[at(part_of_[i])];
    for (int k = 0; k < 3; ++k) z[i][k] += part.shift[at(k)];
  }
}

}  // namespace supple

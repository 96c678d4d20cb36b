#include "descent/hessian.h"

#include <algorithm>

#include "descent/batch_gather.h"
#include "materials/fiber.h"
#include "materials/principal.h"
#include "math/svd.h"

namespace supple {

namespace {

/// The ten corner pairs (a, b), a >= b, of an element's lower triangle: first the diagonal ones.
constexpr int num_pairs = 10;
constexpr int num_off_diagonal = 6;
constexpr int pair_a[num_pairs] = {0, 1, 2, 3, 1, 2, 2, 3, 3, 3};
constexpr int pair_b[num_pairs] = {0, 1, 2, 3, 0, 0, 1, 0, 1, 2};
constexpr std::size_t doubles_per_batch = static_cast<std::size_t>(num_pairs) * 9 * lanes;
/// Batches whose blocks are kept before they are added to the matrix in order.
constexpr int chunk_size = 64;

/// K^_ab of the density in the frames of F, for corner gradients p = V^T grad N_a, q = V^T grad
/// N_b.
template <class S>
Mat3<S> rotated_block(const PrincipalHessian<S>& H, const Vector3<S>& p, const Vector3<S>& q) {
  Mat3<S> K;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      if (i == k) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        // The pair (i, j) is stored under the index that is neither.
        K(i, i) = H.A[i][i] * p[i] * q[i] + H.alpha[l] * p[j] * q[j] + H.alpha[j] * p[l] * q[l];
      } else {
        K(i, k) = H.A[i][k] * p[i] * q[k] + H.beta[3 - i - k] * p[k] * q[i];
      }
    }
  }
  return K;
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

/// The blocks of eight tets, [pair][9][lane], N/m.
template <bool has_fiber, class Family>
void evaluate_batch(const Model& model, const ElementRange& range, int b, const Family& family,
                    const VectorField& x, NegativeEigenvalues mode, double* out) {
  const ElementBatch& batch = model.batches[static_cast<std::size_t>(b)];
  const auto local = static_cast<std::size_t>(b - range.first_batch);
  Batch8 parameters[Family::num_parameters > 0 ? Family::num_parameters : 1];
  for (std::size_t p = 0; p < Family::num_parameters; ++p) {
    parameters[p] = Batch8::load(&range.parameters[(local * Family::num_parameters + p) * lanes]);
  }
  const Mat3<Batch8> inverse_Dm = detail::inverse_rest(batch);
  const Mat3<Batch8> F = detail::deformation_gradient(batch, x.data(), inverse_Dm);
  const Svd<Batch8> frame = svd(F);
  const PrincipalHessian<Batch8> H =
      principal_hessian(family.template at<Batch8>(parameters), frame.s, mode);
  const Batch8 volume = Batch8::load(batch.volume);

  Vector3<Batch8> gradient[4];
  gradient[0] = {{Batch8(0.0), Batch8(0.0), Batch8(0.0)}};
  for (int a = 1; a < 4; ++a) {
    for (int k = 0; k < 3; ++k) gradient[a][k] = inverse_Dm(a - 1, k);
    gradient[0] = gradient[0] - gradient[a];
  }
  const Mat3<Batch8> Vt = transpose(frame.V);
  Vector3<Batch8> rotated[4];
  for (int a = 0; a < 4; ++a) rotated[a] = Vt * gradient[a];

  Mat3<Batch8> fiber_block = Mat3<Batch8>::zero();
  Batch8 along[4] = {};
  if constexpr (has_fiber) {
    const double* f = &range.fibers[local * 4 * lanes];
    const Fiber<Batch8> fiber{
        {{Batch8::load(f), Batch8::load(f + lanes), Batch8::load(f + 2 * lanes)}},
        Batch8::load(f + 3 * lanes)};
    fiber_block = fiber.hessian_block(F, mode);
    for (int a = 0; a < 4; ++a) along[a] = dot(fiber.direction, gradient[a]);
  }
  for (int pair = 0; pair < num_pairs; ++pair) {
    const int a = pair_a[pair], c = pair_b[pair];
    const Mat3<Batch8> inner = rotated_block(H, rotated[a], rotated[c]);
    Mat3<Batch8> K = volume * (frame.U * times_transpose(inner, frame.U));
    if constexpr (has_fiber) K = K + (volume * along[a] * along[c]) * fiber_block;
    for (int i = 0; i < 9; ++i) K(i / 3, i % 3).store(out + (pair * 9 + i) * lanes);
  }
}

}  // namespace

HessianAssembly::HessianAssembly(const Model& model, const std::vector<int>& order,
                                 const Adjacency& adjacency)
    : model_(&model), place_(order.size()), element_(doubles_per_batch * chunk_size) {
  const auto n = static_cast<std::size_t>(model.num_vertices);
  for (std::size_t k = 0; k < n; ++k) {
    place_[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  }
  // Blocks below the diagonal of each column of blocks, ascending.
  std::vector<std::vector<int>> below(n);
  for (std::size_t k = 0; k < n; ++k) {
    const auto vertex = static_cast<std::size_t>(order[k]);
    for (int a = adjacency.start[vertex]; a < adjacency.start[vertex + 1]; ++a) {
      const int other =
          place_[static_cast<std::size_t>(adjacency.neighbour[static_cast<std::size_t>(a)])];
      if (other > static_cast<int>(k)) below[k].push_back(other);
    }
    std::sort(below[k].begin(), below[k].end());
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < n; ++k) {
    for (int c = 0; c < 3; ++c) {
      const int column = 3 * static_cast<int>(k) + c;
      for (int r = c; r < 3; ++r) entries.emplace_back(3 * static_cast<int>(k) + r, column, 0.0);
      for (int row : below[k]) {
        for (int r = 0; r < 3; ++r) entries.emplace_back(3 * row + r, column, 0.0);
      }
    }
  }
  const auto rows = static_cast<Eigen::Index>(3 * n);
  lower_.resize(rows, rows);
  lower_.setFromTriplets(entries.begin(), entries.end());

  const auto block_of = [&](int vertex_a, int vertex_b) {
    const int i = place_[static_cast<std::size_t>(vertex_a)];
    const int j = place_[static_cast<std::size_t>(vertex_b)];
    const auto& list = below[static_cast<std::size_t>(std::min(i, j))];
    const auto found = std::lower_bound(list.begin(), list.end(), std::max(i, j));
    return static_cast<int>(found - list.begin());
  };
  block_of_springs_.reserve(model.springs.size());
  for (const SpringSet::Spring& spring : model.springs.springs) {
    block_of_springs_.push_back(block_of(spring.a, spring.b));
  }
  block_of_corners_.resize(model.batches.size() * lanes * num_off_diagonal);
  for (std::size_t b = 0; b < model.batches.size(); ++b) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      for (std::size_t o = 0; o < num_off_diagonal; ++o) {
        const auto& vertex = model.batches[b].vertex;
        block_of_corners_[(b * lanes + lane) * num_off_diagonal + o] =
            block_of(vertex[pair_a[o + 4]][lane], vertex[pair_b[o + 4]][lane]);
      }
    }
  }
}

void HessianAssembly::add_springs(const VectorField& z, NegativeEigenvalues mode) {
  const SpringSet& set = model_->springs;
  double block[9], spread[9 * lanes], opposite[9 * lanes];
  for (std::size_t s = 0; s < set.size(); ++s) {
    const SpringSet::Spring& spring = set.springs[s];
    const auto a = static_cast<std::size_t>(spring.a), b = static_cast<std::size_t>(spring.b);
    spring_hessian(spring, z[a].v, z[b].v, of_springs(mode), block);
    for (int i = 0; i < 9; ++i) {
      spread[i * lanes] = block[i];
      opposite[i * lanes] = -block[i];
    }
    add_block(place_[a], place_[a], 0, spread);
    add_block(place_[b], place_[b], 0, spread);
    add_block(place_[a], place_[b], static_cast<std::size_t>(block_of_springs_[s]), opposite);
  }
}

void HessianAssembly::add_block(int place_a, int place_b, std::size_t block, const double* k) {
  // k: 3x3 of rows a, columns b, lane after lane. Only the lower triangle is stored.
  double* values = lower_.valuePtr();
  const int* start = lower_.outerIndexPtr();
  const bool below = place_a >= place_b;
  const int low = below ? place_b : place_a;
  for (int column = 0; column < 3; ++column) {
    const int base = start[3 * low + column];
    if (place_a == place_b) {
      for (int row = column; row < 3; ++row) {
        values[base + row - column] += k[(3 * row + column) * lanes];
      }
      continue;
    }
    double* to = values + base + (3 - column) + 3 * static_cast<std::ptrdiff_t>(block);
    for (int row = 0; row < 3; ++row) {
      to[row] += below ? k[(3 * row + column) * lanes] : k[(3 * column + row) * lanes];
    }
  }
}

void HessianAssembly::add_diagonal(int vertex, double value) {
  const int k = place_[static_cast<std::size_t>(vertex)];
  for (int c = 0; c < 3; ++c) lower_.valuePtr()[lower_.outerIndexPtr()[3 * k + c]] += value;
}

void HessianAssembly::add_elements(const VectorField& z, NegativeEigenvalues mode,
                                   Threads& threads) {
  const Model& model = *model_;
  for (const ElementRange& range : model.ranges) {
    const int end = range.first_batch + range.num_batches;
    for (int first = range.first_batch; first < end; first += chunk_size) {
      const int count = std::min(chunk_size, end - first);
      threads.parallel_for(count, [&](int i) {
        double* out = &element_[static_cast<std::size_t>(i) * doubles_per_batch];
        std::visit(
            [&](const auto& family) {
              if (range.has_fiber) {
                evaluate_batch<true>(model, range, first + i, family, z, mode, out);
              } else {
                evaluate_batch<false>(model, range, first + i, family, z, mode, out);
              }
            },
            range.material);
      });
      // One thread adds, tet after tet: the order is fixed.
      for (int i = 0; i < count; ++i) {
        const auto b = static_cast<std::size_t>(first + i);
        const double* blocks = &element_[static_cast<std::size_t>(i) * doubles_per_batch];
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          if (model.tet_of_lane[b * lanes + lane] < 0) continue;
          for (int pair = 0; pair < num_pairs; ++pair) {
            const auto& vertex = model.batches[b].vertex;
            const int i_place = place_[static_cast<std::size_t>(vertex[pair_a[pair]][lane])];
            const int j_place = place_[static_cast<std::size_t>(vertex[pair_b[pair]][lane])];
            const std::size_t corner =
                (b * lanes + lane) * num_off_diagonal + static_cast<std::size_t>(pair) - 4;
            const auto block =
                pair < 4 ? std::size_t{0} : static_cast<std::size_t>(block_of_corners_[corner]);
            add_block(i_place, j_place, block,
                      blocks + static_cast<std::size_t>(pair) * 9 * lanes + lane);
          }
        }
      }
    }
  }
}

void HessianAssembly::add_all(const VectorField& z, double inverse_a2, NegativeEigenvalues mode,
                              Threads& threads) {
  std::fill_n(lower_.valuePtr(), lower_.nonZeros(), 0.0);
  add_elements(z, mode, threads);
  add_springs(z, mode);
  for (int i = 0; i < model_->num_vertices; ++i) {
    add_diagonal(i, model_->mass[static_cast<std::size_t>(i)] * inverse_a2);
  }
  for (const PinnedVertex& pin : model_->pins.pins) add_diagonal(pin.vertex, pin.stiffness);
}

void HessianAssembly::assemble(const VectorField& z, double inverse_a2, NegativeEigenvalues mode,
                               Threads& threads) {
  add_all(z, inverse_a2, mode, threads);
  keep_rows_solvable();
}

void HessianAssembly::assemble(const Objective& objective, const VectorField& z,
                               NegativeEigenvalues mode) {
  add_all(z, objective.inverse_a2(), mode, objective.threads());
  if (objective.contact() != nullptr) {
    objective.contact()->visit_hessian(z[0].v, [&](int vertex, const double* block) {
      const int k = place_[static_cast<std::size_t>(vertex)];
      double spread[9 * lanes];
      for (int i = 0; i < 9; ++i) spread[i * lanes] = block[i];
      add_block(k, k, 0, spread);
    });
  }
  keep_rows_solvable();
}

void HessianAssembly::add_identity(double multiple) {
  for (Eigen::Index row = 0; row < lower_.rows(); ++row) {
    lower_.valuePtr()[lower_.outerIndexPtr()[row]] += multiple;
  }
}

/// A vertex that nothing acts on gets a diagonal of one.
void HessianAssembly::keep_rows_solvable() {
  for (Eigen::Index row = 0; row < lower_.rows(); ++row) {
    double& diagonal = lower_.valuePtr()[lower_.outerIndexPtr()[row]];
    if (diagonal == 0) diagonal = 1;
  }
}

}  // namespace supple

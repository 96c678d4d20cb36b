#include "descent/warped_rest.h"

#include <algorithm>

#include "descent/laplacian.h"
#include "math/svd.h"

namespace supple {

namespace {

/// Tets, and groups of eight vertices, that one piece of work takes.
constexpr int tets_per_chunk = 1024;
constexpr int groups_per_chunk = 32;

template <class Work>
void for_ranges(int count, int chunk_size, Threads& threads, const Work& work) {
  threads.parallel_for((count + chunk_size - 1) / chunk_size, [&](int chunk) {
    work(chunk * chunk_size, std::min((chunk + 1) * chunk_size, count));
  });
}

/// p = R f, or R^T f.
PaddedVector turned(const Mat3<double>& R, const PaddedVector& f, bool back) {
  PaddedVector to;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) to[r] += (back ? R(c, r) : R(r, c)) * f[c];
  }
  return to;
}

}  // namespace

WarpedRest::WarpedRest(const Model& model, double inverse_a2)
    : model_(&model),
      system_(model, SolverSettings{}, inverse_a2),
      start_(static_cast<std::size_t>(model.num_vertices) + 1),
      incident_(4 * model.tets.size()),
      gradients_(model.tets.size()),
      rotation_(static_cast<std::size_t>(model.num_vertices)),
      turned_(rotation_.size()) {
  if (!system_.prepare_at_rest(inverse_a2)) throw not_positive_definite("of the rest pose");
  for (const auto& tet : model.tets) {
    for (int vertex : tet) ++start_[static_cast<std::size_t>(vertex) + 1];
  }
  for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
  std::vector<int> next(start_.begin(), start_.end() - 1);
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    for (int vertex : model.tets[t]) {
      incident_[static_cast<std::size_t>(next[static_cast<std::size_t>(vertex)]++)] =
          static_cast<int>(t);
    }
  }
}

const std::vector<Mat3<double>>& WarpedRest::rotations(const VectorField& x, Threads& threads) {
  // F = sum_a x_a grad N_a^T.
  for_ranges(
      static_cast<int>(gradients_.size()), tets_per_chunk, threads, [&](int first, int last) {
        for (auto t = static_cast<std::size_t>(first); t < static_cast<std::size_t>(last); ++t) {
          Mat3<double> sum = Mat3<double>::zero();
          for (std::size_t a = 0; a < 4; ++a) {
            const PaddedVector& at = x[static_cast<std::size_t>(model_->tets[t][a])];
            const Vec3& gradient = model_->shape_gradient[t][a];
            for (int r = 0; r < 3; ++r) {
              for (std::size_t c = 0; c < 3; ++c) {
                sum(r, static_cast<int>(c)) += model_->volume[t] * at[r] * gradient[c];
              }
            }
          }
          gradients_[t] = sum;
        }
      });
  const int n = model_->num_vertices;
  for_ranges((n + lanes - 1) / lanes, groups_per_chunk, threads, [&](int first, int last) {
    for (int group = first; group < last; ++group) {
      const int count = std::min(lanes, n - group * lanes);
      alignas(64) double mean[9][lanes];
      for (int lane = 0; lane < lanes; ++lane) {
        const auto i = static_cast<std::size_t>(group * lanes + std::min(lane, count - 1));
        Mat3<double> sum =
            start_[i] == start_[i + 1] ? Mat3<double>::identity() : Mat3<double>::zero();
        for (int e = start_[i]; e < start_[i + 1]; ++e) {
          sum = sum + gradients_[static_cast<std::size_t>(incident_[static_cast<std::size_t>(e)])];
        }
        for (int k = 0; k < 9; ++k) mean[k][lane] = sum(k / 3, k % 3);
      }
      Mat3<Batch8> means;
      for (int k = 0; k < 9; ++k) means(k / 3, k % 3) = Batch8::load(mean[k]);
      const Svd<Batch8> frame = svd(means);
      const Mat3<Batch8> R = times_transpose(frame.U, frame.V);
      for (int k = 0; k < 9; ++k) R(k / 3, k % 3).store(mean[k]);
      for (int lane = 0; lane < count; ++lane) {
        Mat3<double>& to = rotation_[static_cast<std::size_t>(group * lanes + lane)];
        for (int k = 0; k < 9; ++k) to(k / 3, k % 3) = mean[k][lane];
      }
    }
  });
  return rotation_;
}

bool WarpedRest::compute(Objective& objective, const Iterate& at, VectorField& p) {
  rotations(at.x, objective.threads());
  for (std::size_t i = 0; i < turned_.size(); ++i) {
    turned_[i] = turned(rotation_[i], at.gradient[i], true);
  }
  system_.solve(turned_, p, objective.threads());
  for (std::size_t i = 0; i < turned_.size(); ++i) p[i] = turned(rotation_[i], p[i], false);
  return true;
}

}  // namespace supple

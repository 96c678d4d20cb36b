#include "descent/warped_rest.h"

#include <algorithm>
#include <cmath>

#include "descent/rest_hessian.h"

namespace supple {

namespace {

/// Tets, and groups of eight vertices, in one piece of work.
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

/// The least rotation that takes v to u, both of unit length.
Mat3<double> least_rotation(const Vector3<double>& v, const Vector3<double>& u) {
  const Vector3<double> w = cross(v, u);
  const double cosine = dot(v, u);
  Mat3<double> R = Mat3<double>::identity();
  // Opposite directions: half a turn about any axis perpendicular to them; w has no digits left.
  if (cosine < -1 + 1e-12) {
    const int least = std::abs(v[0]) < 0.6 ? 0 : 1;
    Vector3<double> axis{{0, 0, 0}};
    axis[least] = 1;
    axis = cross(v, axis);
    const double length2 = dot(axis, axis);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) R(r, c) = 2 * axis[r] * axis[c] / length2 - (r == c ? 1 : 0);
    }
    return R;
  }
  // I + [w] + [w]^2 / (1 + cos), with [w]^2 = w w^T - |w|^2 I.
  const double factor = 1 / (1 + cosine), square = dot(w, w);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) R(r, c) += factor * (w[r] * w[c] - (r == c ? square : 0));
  }
  R(0, 1) -= w[2], R(1, 0) += w[2];
  R(0, 2) += w[1], R(2, 0) -= w[1];
  R(1, 2) -= w[0], R(2, 1) += w[0];
  return R;
}

/// The least rotation between the directions of the largest stretch, in one lane.
Mat3<double> along_a_line(const LaneFrames& frames, int lane) {
  Vector3<double> u, v;
  for (int k = 0; k < 3; ++k) {
    u[k] = frames.U[3 * k][lane];
    v[k] = frames.V[3 * k][lane];
  }
  return least_rotation(v, u);
}

}  // namespace

WarpedRest::WarpedRest(const Model& model, double inverse_a2)
    : model_(&model),
      matrix_(factorise_at_rest(model, inverse_a2)),
      kernels_(&corner_kernels(simd_level_in_use())),
      start_(static_cast<std::size_t>(model.num_vertices) + 1),
      incident_(4 * model.tets.size()),
      gradients_(model.tets.size()),
      shape_gradient_(model.all_shape_gradients()),
      rotation_(static_cast<std::size_t>(model.num_vertices)),
      turned_(rotation_.size()) {
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

Mat3<double> WarpedRest::moment(std::size_t i, const VectorField& x) const {
  const SpringSet& springs = model_->springs;
  const bool has_springs = !springs.empty() && springs.start[i] < springs.start[i + 1];
  const MembraneSet& membranes = model_->membranes;
  const bool has_membrane =
      !membranes.empty() && membranes.corner_start[i] < membranes.corner_start[i + 1];
  if (start_[i] == start_[i + 1] && !has_springs && !has_membrane) {
    return Mat3<double>::identity();
  }
  Mat3<double> sum = Mat3<double>::zero();
  for (int e = start_[i]; e < start_[i + 1]; ++e) {
    sum = sum + gradients_[static_cast<std::size_t>(incident_[static_cast<std::size_t>(e)])];
  }
  for (int e = has_membrane ? membranes.corner_start[i] : 0;
       has_membrane && e < membranes.corner_start[i + 1]; ++e) {
    const int lane = membranes.corners[static_cast<std::size_t>(e)] / 3;
    const std::array<Vec3, 2> F = membranes.deformation_gradient(lane, x);
    const std::array<Vec3, 2>& axes = membranes.axes[static_cast<std::size_t>(lane)];
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) {
        sum(static_cast<int>(r), static_cast<int>(c)) +=
            membranes.energy_scale(lane) * (F[0][r] * axes[0][c] + F[1][r] * axes[1][c]);
      }
    }
  }
  if (!has_springs) return sum;
  for (int e = springs.start[i]; e < springs.start[i + 1]; ++e) {
    const auto s = static_cast<std::size_t>(springs.incident[static_cast<std::size_t>(e)] / 2);
    const SpringSet::Spring& spring = springs.springs[s];
    const PaddedVector& a = x[static_cast<std::size_t>(spring.a)];
    const PaddedVector& b = x[static_cast<std::size_t>(spring.b)];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        sum(r, c) += (a[r] - b[r]) * springs.rest_direction[s][static_cast<std::size_t>(c)];
      }
    }
  }
  return sum;
}

const std::vector<Mat3<double>>& WarpedRest::rotations(const VectorField& x, Threads& threads) {
  // F = sum_a x_a grad N_a^T.
  for_ranges(
      static_cast<int>(gradients_.size()), tets_per_chunk, threads, [&](int first, int last) {
        for (auto t = static_cast<std::size_t>(first); t < static_cast<std::size_t>(last); ++t) {
          Mat3<double> sum = Mat3<double>::zero();
          for (std::size_t a = 0; a < 4; ++a) {
            const PaddedVector& at = x[static_cast<std::size_t>(model_->tets[t][a])];
            const Vec3& gradient = shape_gradient_[t][a];
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
  for_ranges((n + lanes - 1) / lanes, groups_per_chunk, threads, [&](int begin, int end) {
    for (int group = begin; group < end; ++group) {
      const int count = std::min(lanes, n - group * lanes);
      double mean[9][lanes];
      for (int lane = 0; lane < lanes; ++lane) {
        const auto i = static_cast<std::size_t>(group * lanes + std::min(lane, count - 1));
        const Mat3<double> sum = moment(i, x);
        for (int k = 0; k < 9; ++k) mean[k][lane] = sum(k / 3, k % 3);
      }
      LaneFrames frames;
      kernels_->decompose(mean, frames);
      for (int lane = 0; lane < count; ++lane) {
        Mat3<double>& to = rotation_[static_cast<std::size_t>(group * lanes + lane)];
        Mat3<double> U, V;
        for (int k = 0; k < 9; ++k) {
          U(k / 3, k % 3) = frames.U[k][lane];
          V(k / 3, k % 3) = frames.V[k][lane];
        }
        to = times_transpose(U, V);
        // All along one line, as in a strand: its rotation about itself is unknown. Below this
        // ratio the second direction of the decomposition is rounding.
        if (frames.s[1][lane] <= 1e-7 * frames.s[0][lane]) to = along_a_line(frames, lane);
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
  matrix_.solve(turned_, p, objective.threads());
  for (std::size_t i = 0; i < turned_.size(); ++i) p[i] = turned(rotation_[i], p[i], false);
  return true;
}

}  // namespace supple

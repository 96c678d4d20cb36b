#include "descent/rigid_matrix.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"

namespace supple {

namespace {

using Numbers = std::array<double, 4>;

/// What rounding leaves of a pivot that is zero, as a part of its diagonal entry.
constexpr double least_pivot = 1e-13;

void add_cross(const Vector3<double>& u, double scale, double* block, std::size_t stride) {
  block[0 * stride + 1] -= scale * u[2];
  block[0 * stride + 2] += scale * u[1];
  block[1 * stride + 0] += scale * u[2];
  block[1 * stride + 2] -= scale * u[0];
  block[2 * stride + 0] -= scale * u[1];
  block[2 * stride + 1] += scale * u[0];
}

}  // namespace

RigidMatrix::RigidMatrix(const Model& model, double inverse_a2, BodyMatrices& matrix)
    : model_(&model), inverse_a2_(inverse_a2), matrix_(matrix), rigid_(model) {
  if (rigid_.empty()) return;
  is_rigid_.assign(at(model.num_vertices), 0);
  rotation_.assign(rigid_.bodies().size(), Mat3<double>::identity());
  groups_.resize(matrix.count());
  for (std::size_t part = 0; part < groups_.size(); ++part) {
    groups_[part].first = matrix.first_vertex(part);
    groups_[part].last = matrix.first_vertex(part + 1);
  }
  for (std::size_t r = 0; r < rigid_.bodies().size(); ++r) {
    const RigidBodies::Body& body = rigid_.bodies()[r];
    groups_[matrix.part_of_body(body.number)].rigid.push_back(static_cast<int>(r));
    std::fill(is_rigid_.begin() + body.first, is_rigid_.begin() + body.last, char{1});
  }
  for (Group& group : groups_) {
    const std::size_t n = group.rigid.size();
    group.lower.resize(unknowns * n * unknowns * n);
    group.work.resize(unknowns * n);
    largest_part_ = std::max(largest_part_, unknowns * n);
    if (n == 0) continue;
    const auto deforms = [&](int vertex) { return is_rigid_[at(vertex)] == 0; };
    for (const PointBond& bond : model.bonds.bonds) {
      if (bond.vertices[0] < group.first || bond.vertices[0] >= group.last) continue;
      const auto end = bond.vertices.begin() + bond.count;
      const auto count = std::count_if(bond.vertices.begin(), end, deforms);
      if (count == 0 || count == bond.count) continue;
      group.reach.assign(n, VectorField(at(group.last - group.first)));
      break;
    }
  }
  pins_changed();
}

std::size_t RigidMatrix::place_in(const Group& group, int vertex) const {
  const int index = rigid_.of(model_->body_of(vertex));
  return at(std::lower_bound(group.rigid.begin(), group.rigid.end(), index) - group.rigid.begin());
}

/// Finds A_rr: masses, pins and bonds.
void RigidMatrix::find_own(Group& group) {
  const std::size_t n = 4 * group.rigid.size();
  group.own.assign(n * n, 0.0);
  std::vector<double> row(n, 0.0);
  const auto add_point = [&](int vertex, double weight) {
    if (is_rigid_[at(vertex)] == 0) return;
    const std::size_t r = place_in(group, vertex);
    const Vector X = rigid_.arm(rigid_.bodies()[at(group.rigid[r])], vertex);
    row[4 * r] += weight;
    for (int k = 0; k < 3; ++k) row[4 * r + 1 + at(k)] += weight * X[k];
  };
  const auto take = [&](double stiffness) {
    for (std::size_t i = 0; i < n; ++i) {
      if (row[i] == 0) continue;
      for (std::size_t j = 0; j < n; ++j) group.own[i * n + j] += stiffness * row[i] * row[j];
    }
    std::fill(row.begin(), row.end(), 0.0);
  };
  const auto is_here = [&](int vertex) { return vertex >= group.first && vertex < group.last; };
  for (std::size_t r = 0; r < group.rigid.size(); ++r) {
    const RigidBodies::Body& body = rigid_.bodies()[at(group.rigid[r])];
    group.own[4 * r * n + 4 * r] += body.mass * inverse_a2_;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        group.own[(4 * r + 1 + i) * n + 4 * r + 1 + j] +=
            inverse_a2_ * body.moment(static_cast<int>(i), static_cast<int>(j));
      }
    }
  }
  for (const PinnedVertex& pin : model_->pins.pins) {
    if (pin.point >= 0 || !is_here(pin.vertex)) continue;
    add_point(pin.vertex, 1);
    take(pin.stiffness);
  }
  for (const PinnedPoint& point : model_->pins.points) {
    for (std::size_t i = 0; i < at(point.count); ++i) {
      const int vertex = model_->pins.pins[at(point.first) + i].vertex;
      if (is_here(vertex)) add_point(vertex, point.weights[i]);
    }
    take(point.stiffness);
  }
  for (const PointBond& bond : model_->bonds.bonds) {
    if (!is_here(bond.vertices[0])) continue;
    for (std::size_t i = 0; i < at(bond.count); ++i) add_point(bond.vertices[i], bond.weights[i]);
    take(bond.stiffness);
  }
}

/// Finds how vertices that deform follow rigid bodies, and what that takes off A_rr.
void RigidMatrix::find_reach(Group& group) {
  const std::size_t bodies = group.rigid.size(), n = 4 * bodies;
  group.sigma = group.own;
  if (group.reach.empty()) return;
  Threads alone(1, nullptr);
  std::vector<VectorField> force(bodies, VectorField(at(model_->num_vertices)));
  for (const PointBond& bond : model_->bonds.bonds) {
    if (bond.vertices[0] < group.first || bond.vertices[0] >= group.last) continue;
    for (std::size_t i = 0; i < at(bond.count); ++i) {
      if (is_rigid_[at(bond.vertices[i])] == 0) continue;
      const std::size_t r = place_in(group, bond.vertices[i]);
      const Vector X = rigid_.arm(rigid_.bodies()[at(group.rigid[r])], bond.vertices[i]);
      for (std::size_t j = 0; j < at(bond.count); ++j) {
        if (is_rigid_[at(bond.vertices[j])] != 0) continue;
        // -A_fr (1, X)
        const double k = -bond.stiffness * bond.weights[i] * bond.weights[j];
        PaddedVector& own = force[r][at(bond.vertices[j])];
        own[0] += k;
        for (int c = 0; c < 3; ++c) own[c + 1] += k * X[c];
      }
    }
  }
  VectorField p(at(model_->num_vertices));
  const std::size_t part = matrix_.part_of(group.first);
  for (std::size_t r = 0; r < bodies; ++r) {
    matrix_[part].solve(force[r], p, alone);
    for (int v = group.first; v < group.last; ++v) {
      PaddedVector& own = group.reach[r][at(v - group.first)];
      for (int c = 0; c < 4; ++c) own[c] = is_rigid_[at(v)] != 0 ? 0 : -p[at(v)][c];
    }
  }
  for (std::size_t r = 0; r < bodies; ++r) {
    for (std::size_t s = 0; s < bodies; ++s) {
      for (int v = group.first; v < group.last; ++v) {
        const PaddedVector& f = force[r][at(v)];
        const PaddedVector& x = group.reach[s][at(v - group.first)];
        for (int i = 0; i < 4; ++i) {
          for (int j = 0; j < 4; ++j) {
            group.sigma[(4 * r + at(i)) * n + 4 * s + at(j)] -= f[i] * x[j];
          }
        }
      }
    }
  }
}

void RigidMatrix::pins_changed() {
  for (Group& group : groups_) {
    if (group.rigid.empty()) continue;
    find_own(group);
    find_reach(group);
  }
}

/// Finds L of S = T^T sigma T. False: S is indefinite, through rounding or because the matrix
/// follows its pins later.
bool RigidMatrix::factorise(Group& group, const std::vector<double>& sigma) {
  const std::size_t bodies = group.rigid.size(), n = 4 * bodies, size = unknowns * bodies;
  std::vector<double>& S = group.lower;
  std::fill(S.begin(), S.end(), 0.0);
  for (std::size_t r = 0; r < bodies; ++r) {
    for (std::size_t s = 0; s <= r; ++s) {
      const double* const of = &sigma[4 * r * n + 4 * s];
      const Mat3<double>&R = rotation_[at(group.rigid[r])], &Q = rotation_[at(group.rigid[s])];
      Vector row{}, column{};
      Mat3<double> inner{};
      for (int i = 0; i < 3; ++i) {
        row[i] = of[i + 1];
        column[i] = of[at(i + 1) * n];
        for (int j = 0; j < 3; ++j) inner(i, j) = of[at(i + 1) * n + at(j) + 1];
      }
      const Mat3<double> P = R * times_transpose(inner, Q);
      double* const block = &S[unknowns * r * size + unknowns * s];
      for (std::size_t i = 0; i < 3; ++i) {
        block[i * size + i] += of[0];
        for (std::size_t j = 0; j < 3; ++j) {
          block[(i + 3) * size + j + 3] -= P(static_cast<int>(j), static_cast<int>(i));
        }
        block[(i + 3) * size + i + 3] += trace(P);
      }
      add_cross(Q * row, -1, block + 3, size);
      add_cross(R * column, 1, block + 3 * size, size);
    }
  }
  for (std::size_t j = 0; j < size; ++j) {
    const double before = S[j * size + j];
    for (std::size_t i = j; i < size; ++i) {
      double sum = S[i * size + j];
      for (std::size_t k = 0; k < j; ++k) sum -= S[i * size + k] * S[j * size + k];
      S[i * size + j] = sum;
    }
    const double pivot = S[j * size + j];
    if (!(pivot > least_pivot * before)) return false;
    for (std::size_t i = j; i < size; ++i) S[i * size + j] /= std::sqrt(pivot);
  }
  return true;
}

void RigidMatrix::begin_step(const Objective& objective) {
  if (rigid_.empty()) return;
  for (const int body : objective.selected()) {
    const int r = rigid_.of(body);
    if (r < 0) continue;
    rotation_[at(r)] = rigid_.nearest(rigid_.bodies()[at(r)], objective.inertial_target()).rotation;
  }
  matrix_.for_parts(objective.selected(), [&](std::size_t part) {
    Group& group = groups_[part];
    if (group.rigid.empty()) return;
    group.is_tied = factorise(group, group.sigma);
    if (!group.is_tied) factorise(group, group.own);
  });
}

/// (w, m) of a vertex and the r-th rigid body of its part.
Numbers RigidMatrix::follows(const Group& group, std::size_t r, int vertex) const {
  const RigidBodies::Body& body = rigid_.bodies()[at(group.rigid[r])];
  if (vertex >= body.first && vertex < body.last) {
    if (!(model_->mass[at(vertex)] > 0)) return {};
    const Vector X = rigid_.arm(body, vertex);
    return {1, X[0], X[1], X[2]};
  }
  if (group.reach.empty() || !group.is_tied) return {};
  const PaddedVector& own = group.reach[r][at(vertex - group.first)];
  return {own[0], own[1], own[2], own[3]};
}

void RigidMatrix::add_force(int vertex, const Vec3& force, double* out) const {
  const Group& group = groups_[matrix_.part_of(vertex)];
  const Vector f{{force[0], force[1], force[2]}};
  for (std::size_t r = 0; r < group.rigid.size(); ++r) {
    const Numbers own = follows(group, r, vertex);
    const Vector arm = rotation_[at(group.rigid[r])] * Vector{{own[1], own[2], own[3]}};
    const Vector torque = cross(arm, f);
    for (int k = 0; k < 3; ++k) {
      out[unknowns * r + at(k)] += own[0] * f[k];
      out[unknowns * r + 3 + at(k)] += torque[k];
    }
  }
}

void RigidMatrix::solve_lower(std::size_t part, double* out) const {
  const Group& group = groups_[part];
  const std::size_t size = unknowns * group.rigid.size();
  for (std::size_t i = 0; i < size; ++i) {
    double sum = out[i];
    for (std::size_t k = 0; k < i; ++k) sum -= group.lower[i * size + k] * out[k];
    out[i] = sum / group.lower[i * size + i];
  }
}

void RigidMatrix::add(std::span<const int> bodies, const VectorField& b, VectorField& p) {
  if (rigid_.empty()) return;
  matrix_.for_parts(bodies, [&](std::size_t part) {
    Group& group = groups_[part];
    if (group.rigid.empty()) return;
    std::vector<double>& q = group.work;
    std::fill(q.begin(), q.end(), 0.0);
    const bool reaches = !group.reach.empty() && group.is_tied;
    const std::size_t size = q.size();
    const auto visit = [&](std::size_t r, const auto& of_vertex) {
      const RigidBodies::Body& body = rigid_.bodies()[at(group.rigid[r])];
      const int first = reaches ? group.first : body.first;
      const int last = reaches ? group.last : body.last;
      const Mat3<double>& R = rotation_[at(group.rigid[r])];
      for (int v = first; v < last; ++v) {
        const Numbers own = follows(group, r, v);
        of_vertex(v, own[0], R * Vector{{own[1], own[2], own[3]}});
      }
    };
    for (std::size_t r = 0; r < group.rigid.size(); ++r) {
      double* const sum = &q[unknowns * r];
      visit(r, [&](int v, double w, const Vector& arm) {
        const Vector f{{b[at(v)][0], b[at(v)][1], b[at(v)][2]}};
        const Vector torque = cross(arm, f);
        for (int k = 0; k < 3; ++k) {
          sum[k] += w * f[k];
          sum[3 + k] += torque[k];
        }
      });
    }
    solve_lower(part, q.data());
    for (std::size_t i = size; i-- > 0;) {
      double sum = q[i];
      for (std::size_t k = i + 1; k < size; ++k) sum -= group.lower[k * size + i] * q[k];
      q[i] = sum / group.lower[i * size + i];
    }
    for (const int r : group.rigid) {
      const RigidBodies::Body& body = rigid_.bodies()[at(r)];
      std::fill(p.begin() + body.first, p.begin() + body.last, PaddedVector{});
    }
    for (std::size_t r = 0; r < group.rigid.size(); ++r) {
      const double* const own = &q[unknowns * r];
      const Vector turn{{own[3], own[4], own[5]}};
      visit(r, [&](int v, double w, const Vector& arm) {
        const Vector moved = cross(turn, arm);
        for (int k = 0; k < 3; ++k) p[at(v)][k] -= w * own[k] + moved[k];
      });
    }
  });
}

}  // namespace supple

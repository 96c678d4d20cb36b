#include "descent/matrix_free_contacts.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/index.h"

namespace supple {

namespace {

/// Most sets that are tried, and most products for one of them.
constexpr int most_sets = 12, most_products_of_set = 60;
/// The last set may differ from the next one in so many rows, as a part of all.
constexpr double part_unsettled = 0.01;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

void MatrixFreeContacts::fill(std::span<const ContactRow> rows, BodyMatrices& matrices,
                              std::size_t num_vertices, const LowRank& learnt) {
  matrices_ = &matrices;
  learnt_ = learnt;
  for (VectorField* field : {&forces_, &moved_}) field->resize(num_vertices);
  place_of_vertex_.resize(num_vertices, -1);
  rows_.clear();
  parts_.clear();
  vertices_.clear();
  for (const ContactRow& own : rows) {
    Row row{
        .point = own.point, .direction = own.direction, .stiffness = own.stiffness, .places = {}};
    for (int k = 0; k < own.point.count; ++k) {
      const int vertex = own.point.vertices[k];
      int& known = place_of_vertex_[at(vertex)];
      if (known < 0) {
        known = static_cast<int>(vertices_.size());
        const std::size_t part = matrices.part_of(vertex);
        const auto place = std::lower_bound(parts_.begin(), parts_.end(), part);
        if (place == parts_.end() || *place != part) parts_.insert(place, part);
        const std::vector<double>& diagonal = matrices[part].matrix().diagonal();
        vertices_.push_back({.diagonal = diagonal[at(vertex - matrices.first_vertex(part))],
                             .inverse = {},
                             .moved = {}});
      }
      row.places[k] = known;
    }
    rows_.push_back(row);
  }
  for (const ContactRow& own : rows) {
    for (int k = 0; k < own.point.count; ++k) place_of_vertex_[at(own.point.vertices[k])] = -1;
  }
  for (auto* list : {&change_, &gradient_, &residual_, &search_, &product_, &preconditioned_}) {
    list->resize(rows.size());
  }
  in_set_.resize(rows.size());
}

/// result = (C + K^-1) forces, by rows.
void MatrixFreeContacts::multiply(const std::vector<double>& forces, std::vector<double>& result,
                                  Threads& threads) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (forces[i] != 0) add_force(forces[i], rows_[i].direction, rows_[i].point, forces_);
  }
  for (const std::size_t part : parts_) (*matrices_)[part].solve(forces_, moved_, threads);
  learnt_sums_.assign(learnt_.count, 0.0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (int k = 0; k < rows_[i].point.count; ++k) forces_[at(rows_[i].point.vertices[k])] = {};
    for (std::size_t k = 0; k < learnt_.count; ++k) {
      learnt_sums_[k] += forces[i] * learnt_.right[i * learnt_.count + k];
    }
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    // A solve gives -A^-1 forces.
    result[i] = forces[i] / rows_[i].stiffness - along(rows_[i].direction, rows_[i].point, moved_);
    for (std::size_t k = 0; k < learnt_.count; ++k) {
      result[i] += learnt_.left[i * learnt_.count + k] * learnt_sums_[k];
    }
  }
}

/// Makes B of the rows in the set.
void MatrixFreeContacts::make_preconditioner() {
  for (Vertex& own : vertices_) own.inverse = own.diagonal * Eigen::Matrix3d::Identity();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (in_set_[i] == 0) continue;
    const Row& own = rows_[i];
    const Eigen::Map<const Eigen::Vector3d> n(own.direction.data());
    double weights = 0;
    for (int k = 0; k < own.point.count; ++k) weights += std::abs(own.point.weights[k]);
    for (int k = 0; k < own.point.count; ++k) {
      const double share = own.stiffness * weights * std::abs(own.point.weights[k]);
      vertices_[at(own.places[k])].inverse += share * n * n.transpose();
    }
  }
  for (Vertex& own : vertices_) own.inverse = own.inverse.inverse().eval();
}

/// residual_ = -gradient_ and preconditioned_ = P residual_, in the set. Returns their product.
double MatrixFreeContacts::precondition() {
  for (Vertex& own : vertices_) own.moved.setZero();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    residual_[i] = in_set_[i] != 0 ? -gradient_[i] : 0;
    if (residual_[i] == 0) continue;
    const Row& own = rows_[i];
    const Eigen::Map<const Eigen::Vector3d> n(own.direction.data());
    for (int k = 0; k < own.point.count; ++k) {
      const double force = own.point.weights[k] * own.stiffness * residual_[i];
      vertices_[at(own.places[k])].moved += force * n;
    }
  }
  for (Vertex& own : vertices_) own.moved = (own.inverse * own.moved).eval();
  double norm = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    preconditioned_[i] = 0;
    if (in_set_[i] == 0) continue;
    const Row& own = rows_[i];
    const Eigen::Map<const Eigen::Vector3d> n(own.direction.data());
    double moved = 0;
    for (int k = 0; k < own.point.count; ++k) {
      moved += own.point.weights[k] * n.dot(vertices_[at(own.places[k])].moved);
    }
    preconditioned_[i] = own.stiffness * (residual_[i] - moved);
    norm += residual_[i] * preconditioned_[i];
  }
  return norm;
}

/// Conjugate gradients [Golub & Van Loan 2013, Alg. 11.5.1] within the set: adds to change_, and
/// gradient_ follows.
void MatrixFreeContacts::descend(double part, Threads& threads) {
  const std::size_t n = rows_.size();
  make_preconditioner();
  double norm = precondition();
  const double enough = part * part * norm;
  search_ = preconditioned_;
  for (int i = 0; i < most_products_of_set && norm > enough; ++i) {
    multiply(search_, product_, threads);
    const double bend = dot(search_, product_);
    if (!(bend > 0)) break;
    const double length = norm / bend;
    for (std::size_t j = 0; j < n; ++j) {
      change_[j] += length * search_[j];
      gradient_[j] += length * product_[j];
    }
    const double next = precondition();
    const double turn = next / norm;
    norm = next;
    for (std::size_t j = 0; j < n; ++j) search_[j] = preconditioned_[j] + turn * search_[j];
  }
}

void MatrixFreeContacts::keep(std::span<const ContactRow> rows) {
  best_.clear();
  for (const ContactRow& own : rows) best_.push_back(own.force);
}

void MatrixFreeContacts::relax(std::span<ContactRow> rows, double part, Threads& threads) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ContactRow& own = rows[i];
    own.force = own.allowed(own.assumed);
    in_set_[i] = static_cast<char>(!own.only_pushes() || own.force > 0 || own.gap < 0);
  }
  double least = 0;
  std::size_t num_changes = rows.size();
  for (int set = 0;; ++set) {
    for (std::size_t i = 0; i < rows.size(); ++i) change_[i] = rows[i].force - rows[i].assumed;
    multiply(change_, gradient_, threads);
    double value = 0;  // J
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double at_assumed = rows[i].gap + rows[i].assumed / rows_[i].stiffness;
      gradient_[i] += at_assumed;
      value += change_[i] * (gradient_[i] + at_assumed) / 2;
    }
    if (set == 0 || value < least) {
      least = value;
      keep(rows);
    }
    if (set == most_sets ||
        static_cast<double>(num_changes) <= part_unsettled * static_cast<double>(rows.size())) {
      break;
    }
    descend(part, threads);
    num_changes = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ContactRow& own = rows[i];
      if (in_set_[i] != 0) {
        const double wanted = own.assumed + change_[i];
        own.force = own.allowed(wanted);
        if (own.force == wanted) continue;
        in_set_[i] = 0;
      } else {
        if (own.allowed(own.force - gradient_[i] * rows_[i].stiffness) == own.force) continue;
        in_set_[i] = 1;
      }
      ++num_changes;
    }
    if (num_changes == 0) {
      keep(rows);
      break;
    }
  }
  members_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].force = best_[i];
    if (rows[i].is_free()) members_.push_back(static_cast<int>(i));
  }
}

void MatrixFreeContacts::solve(std::span<double> right, double part, Threads& threads) {
  std::fill(in_set_.begin(), in_set_.end(), 1);
  std::fill(change_.begin(), change_.end(), 0.0);
  for (std::size_t i = 0; i < right.size(); ++i) gradient_[i] = -right[i];
  descend(part, threads);
  std::copy(change_.begin(), change_.end(), right.begin());
}

}  // namespace supple

#include "descent/learnt_compliance.h"

#include <algorithm>

namespace supple {

void HeldForces::make_room(std::size_t rows, std::size_t num_vertices) {
  vertices_.reserve(std::size(ContactPoint{}.vertices) * rows);
  forces_.resize(num_vertices);
}

void HeldForces::add(double factor, VectorField& forces) const {
  for (const int vertex : vertices_) {
    for (int k = 0; k < 3; ++k) forces[at(vertex)][k] += factor * forces_[at(vertex)][k];
  }
}

void HeldForces::let_go() {
  for (const int vertex : vertices_) forces_[at(vertex)] = {};
  vertices_.clear();
}

void HeldForces::hold(std::span<const ContactRow> rows) {
  let_go();
  for (const ContactRow& own : rows) {
    if (own.force == 0) continue;
    add_force(own.force, own.direction, own.point, forces_);
    vertices_.insert(vertices_.end(), own.point.vertices, own.point.vertices + own.point.count);
  }
  std::sort(vertices_.begin(), vertices_.end());
  vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
}

void LearntCompliance::make_room(const LinearPairs& pairs, std::size_t rows) {
  const std::size_t fields = at(pairs.most_learnt());
  for (auto* list : {&moved_, &factors_}) list->reserve(fields * rows);
  for (auto* list : {&of_held_, &products_, &sum_}) list->reserve(fields);
  of_field_.reserve(fields * fields);
}

LowRank LearntCompliance::find(const HeldForces& held, LinearPairs& pairs,
                               std::span<const ContactRow> rows) {
  count_ = at(pairs.num_learnt());
  moved_.assign(rows.size() * count_, 0.0);
  factors_.resize(rows.size() * count_);
  if (count_ == 0) return {};
  // `respond` is linear, so its matrix is found column by column.
  of_field_.resize(count_ * count_);
  products_.assign(count_, 0.0);
  sum_.resize(count_);
  for (std::size_t b = 0; b < count_; ++b) {
    products_[b] = 1;
    pairs.respond(products_, sum_);
    products_[b] = 0;
    for (std::size_t a = 0; a < count_; ++a) of_field_[a * count_ + b] = sum_[a];
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ContactPoint& point = rows[i].point;
    double* const moved = &moved_[i * count_];
    for (int corner = 0; corner < point.count; ++corner) {
      for (std::size_t k = 0; k < count_; ++k) {
        const Vec3 value = pairs.learnt(static_cast<int>(k), point.vertices[corner]);
        moved[k] += point.weights[corner] * vec3::dot(rows[i].direction, value);
      }
    }
    for (std::size_t a = 0; a < count_; ++a) {
      double sum = 0;
      for (std::size_t b = 0; b < count_; ++b) sum += of_field_[a * count_ + b] * moved[b];
      factors_[i * count_ + a] = sum;
    }
  }
  products_.assign(count_, 0.0);
  for (const int vertex : held.vertices()) {
    const PaddedVector& force = held.at_vertex(vertex);
    for (std::size_t k = 0; k < count_; ++k) {
      const Vec3 value = pairs.learnt(static_cast<int>(k), vertex);
      products_[k] += vec3::dot(value, {force[0], force[1], force[2]});
    }
  }
  of_held_.assign(count_, 0.0);
  pairs.respond(products_, of_held_);
  return {.left = moved_, .right = factors_, .count = count_};
}

void LearntCompliance::add(LinearPairs& pairs, std::span<const ContactRow> rows,
                           VectorAlgebra& algebra, VectorField& p) {
  if (count_ == 0) return;
  for (std::size_t k = 0; k < count_; ++k) {
    sum_[k] = -of_held_[k];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sum_[k] += rows[i].force * factors_[i * count_ + k];
    }
  }
  pairs.add_learnt(algebra, sum_, p);
}

}  // namespace supple

#include "position/bend_constraints.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.h"

namespace supple {

namespace {

/// A visit turns a hinge by at most this, and moves no corner farther than this many lengths of its
/// edge.
constexpr double largest_turn = 1;  // radians
constexpr double largest_way = 1;
/// Share of the impulses with which the next substep begins. Around poor triangles, forces that lag
/// behind positions would otherwise swing up (sheet_constraints.cpp).
constexpr double kept_share = 0.5;

Vector3<double> in_doubles(const PaddedPosition<double>& x) { return {{x[0], x[1], x[2]}}; }
Vector3<double> in_doubles(const PaddedPosition<float>& x) {
  return {{static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2])}};
}

template <class T>
void add_to(PaddedPosition<T>& x, double weight, const Vector3<double>& impulse) {
  for (int k = 0; k < 3; ++k) x[k] += static_cast<T>(weight * impulse[k]);
}

ConstraintColours colours_of_bends(const Model& model) {
  const MembraneSet& set = model.membranes;
  std::vector<int> start{0};
  for (const Bend& bend : set.bends) start.push_back(bend.first + bend.count);
  const std::vector<int> vertices(set.bend_vertex.begin(), set.bend_vertex.end());
  return colour_constraints(vertices, start, model.num_vertices);
}

ConstraintColours colours_of_hinges(const Model& model) {
  std::vector<int> vertices;
  for (const Hinge& hinge : model.membranes.hinges) {
    vertices.insert(vertices.end(), std::begin(hinge.vertex), std::end(hinge.vertex));
  }
  return colour_constraints(vertices, 4, model.num_vertices);
}

}  // namespace

template <class T>
BendConstraints<T>::BendConstraints(const Model& model, bool keep)
    : model_(&model),
      keep_(keep),
      bend_colours_(colours_of_bends(model)),
      hinge_colours_(colours_of_hinges(model)) {
  const MembraneSet& set = model.membranes;
  for (std::size_t i = 0; i < set.bend_vertex.size(); ++i) {
    bend_mobility_.push_back(set.bend_weight[i] * inverse_mass_of(model, set.bend_vertex[i]));
  }
  for (const Bend& bend : set.bends) {
    BendState state{};
    for (int i = bend.first; i < bend.first + bend.count; ++i) {
      state.mobility += set.bend_weight[at(i)] * bend_mobility_[at(i)];
    }
    bends_.push_back(state);
  }
  for (const Hinge& hinge : set.hinges) {
    HingeState state{};
    double square = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double d = model.rest[at(hinge.vertex[1])][k] - model.rest[at(hinge.vertex[0])][k];
      square += d * d;
    }
    state.length = std::sqrt(square);
    for (int c = 0; c < 4; ++c) state.weight[c] = inverse_mass_of(model, hinge.vertex[c]);
    hinges_.push_back(state);
  }
  for (int c = 0; c < bend_colours_.num_colours(); ++c) {
    groups_.push_back({"bends", bend_colours_.size(c)});
  }
  for (int c = 0; c < hinge_colours_.num_colours(); ++c) {
    groups_.push_back({"hinges", hinge_colours_.size(c)});
  }
}

template <class T>
void BendConstraints<T>::begin(const PositionStep& step) {
  a2_ = 1 / step.inverse_a2;
  const double kept = keep_ && !step.first_of_frame ? kept_share : 0;
  for (BendState& bend : bends_) bend.impulse = kept * bend.impulse;
  for (HingeState& hinge : hinges_) {
    for (Vector3<double>& impulse : hinge.impulse) impulse = kept * impulse;
  }
}

template <class T>
void BendConstraints<T>::apply_kept(Positions<T>& x) const {
  if (!keep_) return;
  const MembraneSet& set = model_->membranes;
  for (std::size_t b = 0; b < bends_.size(); ++b) {
    const Bend& bend = set.bends[b];
    for (int i = bend.first; i < bend.first + bend.count; ++i) {
      add_to(x[at(set.bend_vertex[at(i)])], bend_mobility_[at(i)], bends_[b].impulse);
    }
  }
  for (std::size_t h = 0; h < hinges_.size(); ++h) {
    for (int c = 0; c < 4; ++c) {
      add_to(x[at(set.hinges[h].vertex[c])], hinges_[h].weight[c], hinges_[h].impulse[c]);
    }
  }
}

template <class T>
template <class Visit>
void BendConstraints<T>::for_colours(const ConstraintColours& colours, Threads& threads,
                                     const Visit& visit) const {
  for (int colour = 0; colour < colours.num_colours(); ++colour) {
    const int begin = colours.start[at(colour)], end = colours.start[at(colour) + 1];
    threads.parallel_for((end - begin + chunk_size - 1) / chunk_size, [&](int chunk) {
      const int first = begin + chunk * chunk_size;
      const int last = std::min(first + chunk_size, end);
      for (int i = first; i < last; ++i) visit(at(colours.constraints[at(i)]));
    });
  }
}

template <class T>
void BendConstraints<T>::project(Positions<T>& x, Threads& threads) {
  for_colours(bend_colours_, threads, [&](std::size_t bend) { project_bend(bend, x); });
  for_colours(hinge_colours_, threads, [&](std::size_t hinge) { project_hinge(hinge, x); });
}

template <class T>
void BendConstraints<T>::project_bend(std::size_t b, Positions<T>& x) {
  const MembraneSet& set = model_->membranes;
  const Bend& bend = set.bends[b];
  BendState& state = bends_[b];
  const auto first = at(bend.first);
  const Vector3<double> own = in_doubles(x[at(set.bend_vertex[first])]);
  Vector3<double> bent{};
  double size = 0;
  for (std::size_t i = first + 1; i < first + at(bend.count); ++i) {
    const Vector3<double> other = in_doubles(x[at(set.bend_vertex[i])]);
    bent = bent + set.bend_weight[i] * (other - own);
    size += std::abs(set.bend_weight[i]) * std::sqrt(dot(other, other) + dot(own, own));
  }
  const double stiffness = a2_ * bend.stiffness;
  const Vector3<double> change =
      (-1 / (1 + stiffness * state.mobility)) * (stiffness * bent + state.impulse);
  // A sheet at rest keeps its bits.
  constexpr double rounding = 32 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const double limit = rounding * rounding * size * size;
  const double way = state.mobility * state.mobility * dot(change, change);
  if ((dot(bent, bent) <= limit && way <= limit) || !std::isfinite(way)) return;
  state.impulse = state.impulse + change;
  for (std::size_t i = first; i < first + at(bend.count); ++i) {
    add_to(x[at(set.bend_vertex[i])], bend_mobility_[i], change);
  }
}

template <class T>
void BendConstraints<T>::project_hinge(std::size_t h, Positions<T>& x) {
  const Hinge& hinge = model_->membranes.hinges[h];
  HingeState& state = hinges_[h];
  Vector3<double> corner[4];
  double square = 0;
  for (int c = 0; c < 4; ++c) {
    corner[c] = in_doubles(x[at(hinge.vertex[c])]);
    square += dot(corner[c], corner[c]);
  }
  const BentHinge bent(hinge, {corner[0].v, corner[1].v, corner[2].v, corner[3].v});
  Vector3<double> J[4], change[4];
  double G = 0, turned = 0, size = 0;
  for (int c = 0; c < 4; ++c) {
    J[c] = bent.turn(c);
    G += state.weight[c] * dot(J[c], J[c]);
    turned += state.weight[c] * dot(J[c], state.impulse[c]);
    size += dot(J[c], J[c]);
  }
  if (!(G > 0)) return;
  const double stiffness = a2_ * hinge.stiffness, angle = bent.angle();
  const double along = -stiffness * (angle - turned) / (1 + stiffness * G);
  const double d = stiffness * std::abs(angle) * G, share = d / (1 + d);
  double way = 0;
  for (int c = 0; c < 4; ++c) {
    const Vector3<double> across = state.impulse[c] - (turned / G) * J[c];
    change[c] = along * J[c] + share * across - state.impulse[c];
    way = std::max(way, state.weight[c] * std::sqrt(dot(change[c], change[c])));
  }
  const double turn = std::abs(along * G - turned);
  constexpr double rounding = 32 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const double limit = rounding * std::sqrt(square * size);
  if ((std::abs(angle) <= limit && turn <= limit) || !std::isfinite(way)) return;
  const double part =
      std::min({1.0, turn > largest_turn ? largest_turn / turn : 1.0,
                way > largest_way * state.length ? largest_way * state.length / way : 1.0});
  for (int c = 0; c < 4; ++c) {
    state.impulse[c] = state.impulse[c] + part * change[c];
    add_to(x[at(hinge.vertex[c])], part * state.weight[c], change[c]);
  }
}

template <class T>
void BendConstraints<T>::add_impulses(VectorField& sum) const {
  const MembraneSet& set = model_->membranes;
  for (std::size_t b = 0; b < bends_.size(); ++b) {
    const Bend& bend = set.bends[b];
    for (int i = bend.first; i < bend.first + bend.count; ++i) {
      for (int k = 0; k < 3; ++k) {
        sum[at(set.bend_vertex[at(i)])][k] += set.bend_weight[at(i)] * bends_[b].impulse[k];
      }
    }
  }
  for (std::size_t h = 0; h < hinges_.size(); ++h) {
    for (int c = 0; c < 4; ++c) {
      for (int k = 0; k < 3; ++k) {
        sum[at(set.hinges[h].vertex[c])][k] += hinges_[h].impulse[c][k];
      }
    }
  }
}

template class BendConstraints<double>;
template class BendConstraints<float>;

}  // namespace supple

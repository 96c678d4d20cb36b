#include "position/bond_constraints.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"

namespace supple {

namespace {

ConstraintColours colours_of_bonds(const Model& model) {
  std::vector<int> vertices, start{0};
  for (const PointBond& bond : model.bonds.bonds) {
    vertices.insert(vertices.end(), bond.vertices.begin(), bond.vertices.begin() + bond.count);
    start.push_back(static_cast<int>(vertices.size()));
  }
  return colour_constraints(vertices, start, model.num_vertices);
}

}  // namespace

template <class T>
BondConstraints<T>::BondConstraints(const Model& model, bool keep)
    : model_(&model), keep_(keep), colours_(colours_of_bonds(model)) {
  for (const PointBond& bond : model.bonds.bonds) {
    BondState state;
    for (std::size_t i = 0; i < at(bond.count); ++i) {
      state.mobility[i] = bond.weights[i] * inverse_mass_of(model, bond.vertices[i]);
      state.sum += bond.weights[i] * state.mobility[i];
    }
    states_.push_back(state);
  }
}

template <class T>
void BondConstraints<T>::begin(const PositionStep& step) {
  inverse_a2_ = step.inverse_a2;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    states_[i].length = model_->bonds.bonds[i].length_at(step.time);
    if (!keep_ || step.first_of_frame) states_[i].impulse = {0, 0, 0};
  }
}

template <class T>
void BondConstraints<T>::push(std::size_t bond, const Vec3& impulse, Positions<T>& x) const {
  const PointBond& own = model_->bonds.bonds[bond];
  for (std::size_t i = 0; i < at(own.count); ++i) {
    PaddedPosition<T>& to = x[at(own.vertices[i])];
    for (int k = 0; k < 3; ++k) {
      to[k] += static_cast<T>(states_[bond].mobility[i] * impulse[at(k)]);
    }
  }
}

template <class T>
void BondConstraints<T>::apply_kept(Positions<T>& x) const {
  if (!keep_) return;
  for (std::size_t i = 0; i < states_.size(); ++i) push(i, states_[i].impulse, x);
}

template <class T>
void BondConstraints<T>::project(Positions<T>& x, Threads& threads) {
  for (int colour = 0; colour < colours_.num_colours(); ++colour) {
    const int begin = colours_.start[at(colour)], end = colours_.start[at(colour) + 1];
    threads.parallel_for((end - begin + chunk_size - 1) / chunk_size, [&](int chunk) {
      const int first = begin + chunk * chunk_size;
      const int last = std::min(first + chunk_size, end);
      for (int i = first; i < last; ++i) project_bond(at(colours_.constraints[at(i)]), x);
    });
  }
}

template <class T>
void BondConstraints<T>::project_bond(std::size_t bond, Positions<T>& x) {
  const PointBond& own = model_->bonds.bonds[bond];
  BondState& state = states_[bond];
  if (!(state.sum > 0) || !(own.stiffness > 0)) return;
  Vec3 d{0, 0, 0};
  for (std::size_t i = 0; i < at(own.count); ++i) {
    for (int k = 0; k < 3; ++k) {
      d[at(k)] += own.weights[i] * static_cast<double>(x[at(own.vertices[i])][k]);
    }
  }
  const double distance = std::hypot(d[0], d[1], d[2]), rest = state.length;
  // Points that coincide have no direction, so a bond that keeps points apart exerts no force on
  // them.
  const bool is_linear = rest == 0 || !(distance > 0);
  const double across = is_linear ? (rest == 0 ? 1 : 0) : std::max(0.0, 1 - rest / distance);
  const double alpha = inverse_a2_ / own.stiffness;
  const double share = across * state.sum / (alpha + across * state.sum);
  Vec3 n{0, 0, 0};
  if (distance > 0) n = {d[0] / distance, d[1] / distance, d[2] / distance};
  double along = 0;
  for (std::size_t k = 0; k < 3; ++k) along += state.impulse[k] * n[k];
  const double new_along =
      distance > 0 ? (rest - distance + state.sum * along) / (alpha + state.sum) : 0;
  Vec3 change;
  for (std::size_t k = 0; k < 3; ++k) {
    const double replaced = new_along * n[k] + share * (state.impulse[k] - along * n[k]);
    change[k] = replaced - state.impulse[k];
    state.impulse[k] = replaced;
  }
  push(bond, change, x);
}

template <class T>
std::vector<ConstraintGroup> BondConstraints<T>::groups() const {
  std::vector<ConstraintGroup> groups;
  for (int colour = 0; colour < colours_.num_colours(); ++colour) {
    groups.push_back({"bonds", colours_.size(colour)});
  }
  return groups;
}

template class BondConstraints<double>;
template class BondConstraints<float>;

}  // namespace supple

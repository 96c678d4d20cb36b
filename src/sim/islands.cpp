#include "sim/islands.h"

#include <algorithm>
#include <numeric>

#include "base/index.h"

namespace supple {

Islands::Islands(std::size_t num_bodies) : parent_(num_bodies), place_(num_bodies) {
  start_.reserve(num_bodies + 1);
  bodies_.resize(num_bodies);
  find(nullptr, false);
}

int Islands::root(int body) {
  while (parent_[at(body)] != body) {
    parent_[at(body)] = parent_[at(parent_[at(body)])];
    body = parent_[at(body)];
  }
  return body;
}

void Islands::find(const ContactEnergy* contact, bool are_apart) {
  std::iota(parent_.begin(), parent_.end(), 0);
  if (!are_apart) std::fill(parent_.begin(), parent_.end(), 0);
  for (std::size_t g = 0; are_apart && g + 1 < groups_.size(); ++g) {
    std::fill(parent_.begin() + groups_[g], parent_.begin() + groups_[g + 1], groups_[g]);
  }
  if (contact != nullptr) {
    contact->visit_coupled([&](int a, int b) {
      const auto [low, high] = std::minmax({root(a), root(b)});
      parent_[at(high)] = low;
    });
  }
  const int n = static_cast<int>(parent_.size());
  start_.assign(1, 0);
  for (int body = 0; body < n; ++body) {
    if (root(body) == body) {
      place_[at(body)] = static_cast<int>(start_.size()) - 1;
      start_.push_back(0);
    }
    ++start_[at(place_[at(root(body))]) + 1];
  }
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  // Each start moves to its island's end, and back.
  for (int body = 0; body < n; ++body) {
    bodies_[at(start_[at(place_[at(root(body))])]++)] = body;
  }
  for (std::size_t i = start_.size() - 1; i > 0; --i) start_[i] = start_[i - 1];
  start_[0] = 0;
}

std::span<const int> Islands::operator[](int island) const {
  return std::span(bodies_).subspan(at(start_[at(island)]),
                                    at(start_[at(island) + 1] - start_[at(island)]));
}

}  // namespace supple

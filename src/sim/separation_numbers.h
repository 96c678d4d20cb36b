#pragma once

#include <cstddef>
#include <vector>

#include "supple/simulation.h"

namespace supple {

/// Calls visit(number) for each number of a Separation, in the order in which files have them.
template <class Own, class Visit>
void for_numbers(Own& own, const Visit& visit) {
  visit(own.frame);
  visit(own.event);
  visit(own.body);
  visit(own.first);
  visit(own.second);
}

inline constexpr std::size_t separation_size = 5;

/// The numbers of a list, one after another.
inline std::vector<double> numbers_of(const std::vector<Separation>& separated) {
  std::vector<double> numbers;
  for (const Separation& own : separated) {
    for_numbers(own, [&](auto number) { numbers.push_back(static_cast<double>(number)); });
  }
  return numbers;
}

}  // namespace supple

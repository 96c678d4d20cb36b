#pragma once

#include <vector>

#include "linear/ordering.h"

namespace supple {

/// An elimination order by nested dissection, order[k] being the row eliminated k-th; empty where
/// none can be had.
std::vector<int> nested_dissection(const Adjacency& adjacency);

}  // namespace supple

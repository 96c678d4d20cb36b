#include "linear/aggregation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.h"

namespace supple {

namespace {

constexpr int bound_powers = 4;
/// Entries of the prolongation below this part of the largest one of their row are left out.
constexpr double least_entry = 0.05;
constexpr int smoothing_steps = 2;

}  // namespace

RowMatrix scaled_rows(const SpdSolver::Matrix& lower, const std::vector<double>& scale) {
  const std::size_t n = scale.size();
  const int* start = lower.outerIndexPtr();
  const int* row = lower.innerIndexPtr();
  RowMatrix A;
  A.columns = static_cast<int>(n);
  A.start.assign(n + 1, 0);
  for (std::size_t j = 0; j < n; ++j) {
    for (int k = start[j]; k < start[j + 1]; ++k) {
      const std::size_t i = at(row[k]);
      ++A.start[i + 1];
      if (i != j) ++A.start[j + 1];
    }
  }
  for (std::size_t i = 0; i < n; ++i) A.start[i + 1] += A.start[i];
  A.column.resize(at(A.start[n]));
  A.value.resize(A.column.size());
  std::vector<int> next(A.start.begin(), A.start.end() - 1);
  const auto put = [&](std::size_t i, std::size_t j, double value) {
    const std::size_t place = at(next[i]++);
    A.column[place] = static_cast<int>(j);
    A.value[place] = value;
  };
  for (std::size_t j = 0; j < n; ++j) {
    for (int k = start[j]; k < start[j + 1]; ++k) {
      const std::size_t i = at(row[k]);
      const double value = lower.valuePtr()[k] * scale[i] * scale[j];
      put(i, j, value);
      if (i != j) put(j, i, value);
    }
  }
  return A;
}

RowMatrix without_weak(const RowMatrix& A, double weak, const std::vector<double>& x) {
  RowMatrix kept;
  kept.columns = A.columns;
  kept.start.reserve(A.start.size());
  for (int i = 0; i < A.rows(); ++i) {
    double diagonal = 0;
    std::size_t place = 0;
    for (int e = A.start[at(i)]; e < A.start[at(i) + 1]; ++e) {
      const int column = A.column[at(e)];
      const double value = A.value[at(e)], ratio = x[at(column)] / x[at(i)];
      if (column == i) {
        place = kept.value.size();
        diagonal += value;
      } else if (std::abs(value) * std::max(ratio, 1 / ratio) < weak) {
        diagonal += value * ratio;
        continue;
      }
      kept.column.push_back(column);
      kept.value.push_back(value);
    }
    kept.value[place] = diagonal;
    kept.start.push_back(static_cast<int>(kept.value.size()));
  }
  return kept;
}

RowMatrix transpose(const RowMatrix& A) {
  RowMatrix T;
  T.columns = A.rows();
  T.start.assign(at(A.columns) + 1, 0);
  for (const int j : A.column) ++T.start[at(j) + 1];
  for (std::size_t j = 0; j < at(A.columns); ++j) T.start[j + 1] += T.start[j];
  T.column.resize(A.column.size());
  T.value.resize(A.value.size());
  std::vector<int> next(T.start.begin(), T.start.end() - 1);
  for (int i = 0; i < A.rows(); ++i) {
    for (int e = A.start[at(i)]; e < A.start[at(i) + 1]; ++e) {
      const std::size_t place = at(next[at(A.column[at(e)])]++);
      T.column[place] = i;
      T.value[place] = A.value[at(e)];
    }
  }
  return T;
}

RowMatrix multiply_add(double a, const RowMatrix& B, double b, const RowMatrix& A,
                       const RowMatrix& C) {
  RowMatrix result;
  result.columns = C.columns;
  result.start.reserve(at(A.rows()) + 1);
  // Sums each row in a dense array. `seen` tells which of its entries belong to this row.
  std::vector<double> row(at(C.columns), 0.0);
  std::vector<int> seen(at(C.columns), -1), columns;
  const auto add = [&](int i, int j, double value) {
    if (seen[at(j)] != i) {
      seen[at(j)] = i;
      row[at(j)] = 0;
      columns.push_back(j);
    }
    row[at(j)] += value;
  };
  for (int i = 0; i < A.rows(); ++i) {
    columns.clear();
    if (a != 0) {
      for (int e = B.start[at(i)]; e < B.start[at(i) + 1]; ++e) {
        add(i, B.column[at(e)], a * B.value[at(e)]);
      }
    }
    for (int e = A.start[at(i)]; e < A.start[at(i) + 1]; ++e) {
      const double factor = b * A.value[at(e)];
      const std::size_t k = at(A.column[at(e)]);
      for (int f = C.start[k]; f < C.start[k + 1]; ++f) {
        add(i, C.column[at(f)], factor * C.value[at(f)]);
      }
    }
    for (const int j : columns) {
      result.column.push_back(j);
      result.value.push_back(row[at(j)]);
    }
    result.start.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

double eigenvalue_bound(const RowMatrix& A) {
  std::vector<double> x(at(A.rows()), 1.0), product(x.size());
  double bound = std::numeric_limits<double>::infinity();
  for (int power = 0; power < bound_powers; ++power) {
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      double sum = 0;
      for (int e = A.start[i]; e < A.start[i + 1]; ++e) {
        sum += std::abs(A.value[at(e)]) * x[at(A.column[at(e)])];
      }
      product[i] = sum;
      largest = std::max(largest, sum / x[i]);
    }
    bound = std::min(bound, largest);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = product[i] / largest;
    // Without this bound the powers would vanish far from the bulk of the matrix.
    for (double& value : x) value = std::max(value, 1e-3);
  }
  return bound;
}

int aggregate(const RowMatrix& A, double theta, std::vector<int>& group) {
  group.assign(at(A.rows()), -1);
  int count = 0;
  const auto for_strong = [&](int i, const auto& work) {
    for (int e = A.start[at(i)]; e < A.start[at(i) + 1]; ++e) {
      const int j = A.column[at(e)];
      if (j != i && -A.value[at(e)] > theta) work(j, -A.value[at(e)]);
    }
  };
  // Whole neighbourhoods of which nothing has been taken yet.
  std::vector<char> is_alone(group.size(), 1);
  for (int i = 0; i < A.rows(); ++i) {
    bool is_whole = group[at(i)] < 0;
    for_strong(i, [&](int j, double) {
      is_alone[at(i)] = 0;
      if (group[at(j)] >= 0) is_whole = false;
    });
    if (!is_whole || is_alone[at(i)] != 0) continue;
    group[at(i)] = count;
    for_strong(i, [&](int j, double) { group[at(j)] = count; });
    ++count;
  }
  // Rows beside them: each joins its strongest neighbour's group.
  const std::vector<int> whole = group;
  for (int i = 0; i < A.rows(); ++i) {
    if (group[at(i)] >= 0) continue;
    double strongest = 0;
    for_strong(i, [&](int j, double strength) {
      if (whole[at(j)] < 0 || strength <= strongest) return;
      strongest = strength;
      group[at(i)] = whole[at(j)];
    });
  }
  // The rows that are left.
  for (int i = 0; i < A.rows(); ++i) {
    if (group[at(i)] >= 0 || is_alone[at(i)] != 0) continue;
    group[at(i)] = count;
    for_strong(i, [&](int j, double) {
      if (group[at(j)] < 0) group[at(j)] = count;
    });
    ++count;
  }
  return count;
}

namespace {

/// Leaves out small entries of each row, but keeps the row's product with `smooth`.
RowMatrix thinned(const RowMatrix& P, const std::vector<double>& smooth) {
  RowMatrix result;
  result.columns = P.columns;
  for (int i = 0; i < P.rows(); ++i) {
    const int begin = P.start[at(i)], end = P.start[at(i) + 1];
    double largest = 0, sum = 0, kept = 0;
    for (int e = begin; e < end; ++e) {
      largest = std::max(largest, std::abs(P.value[at(e)]));
      sum += P.value[at(e)] * smooth[at(P.column[at(e)])];
    }
    const double least = least_entry * largest;
    for (int e = begin; e < end; ++e) {
      if (std::abs(P.value[at(e)]) >= least) {
        kept += P.value[at(e)] * smooth[at(P.column[at(e)])];
      }
    }
    // If entries cancel by sign, all of them stay.
    const bool is_safe = std::abs(sum - kept) <= 0.5 * std::abs(kept);
    for (int e = begin; e < end; ++e) {
      const double value = P.value[at(e)];
      if (value == 0 || (is_safe && std::abs(value) < least)) continue;
      result.column.push_back(P.column[at(e)]);
      result.value.push_back(is_safe && kept != 0 ? value * (sum / kept) : value);
    }
    result.start.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

}  // namespace

RowMatrix smoothed_prolongation(const RowMatrix& A, double bound, double theta,
                                const std::vector<double>& near_null) {
  std::vector<int> group;
  const int count = aggregate(A, theta, group);
  std::vector<double> length(at(count), 0.0);
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (group[i] >= 0) length[at(group[i])] += near_null[i] * near_null[i];
  }
  for (double& value : length) value = std::sqrt(value);
  RowMatrix P;
  P.columns = count;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (group[i] >= 0) {
      P.column.push_back(group[i]);
      P.value.push_back(near_null[i] / length[at(group[i])]);
    }
    P.start.push_back(static_cast<int>(P.column.size()));
  }
  for (int step = 0; step < smoothing_steps; ++step) {
    P = multiply_add(1, P, -4 / (3 * bound), A, P);
  }
  return thinned(P, length);
}

}  // namespace supple

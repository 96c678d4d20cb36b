#include "linear/cg.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace supple {

namespace {

/// Rows per chunk: a product with one chunk of an elastic Hessian takes about 50 us.
constexpr int chunk_size = 1024;

template <int sides>
using Scalars = std::array<double, static_cast<std::size_t>(sides)>;

/// a . b over rows first .. last - 1, side by side. Eight partial sums hide the latency of the
/// additions.
template <int sides>
void dot_rows(const double* a, const double* b, int first, int last, double* result) {
  double sum[8] = {};
  const std::ptrdiff_t end = static_cast<std::ptrdiff_t>(last) * sides;
  std::ptrdiff_t i = static_cast<std::ptrdiff_t>(first) * sides;
  for (; i + 8 <= end; i += 8) {
    for (int l = 0; l < 8; ++l) sum[l] += a[i + l] * b[i + l];
  }
  for (int l = 0; i < end; ++i, ++l) sum[l] += a[i] * b[i];
  for (int c = 0; c < sides; ++c) {
    result[c] = 0;
    for (int l = c; l < 8; l += sides) result[c] += sum[l];
  }
}

/// Calls work(first, last, partial) over chunks of rows and adds their partial sums in order.
template <int sides, class Work>
Scalars<sides> sum_chunks(int n, std::vector<double>& partial, Threads& threads, const Work& work) {
  const int chunks = (n + chunk_size - 1) / chunk_size;
  threads.parallel_for(chunks, [&](int chunk) {
    const int first = chunk * chunk_size;
    work(first, std::min(first + chunk_size, n),
         &partial[static_cast<std::size_t>(chunk) * static_cast<std::size_t>(sides)]);
  });
  Scalars<sides> total{};
  for (int chunk = 0; chunk < chunks; ++chunk) {
    for (std::size_t c = 0; c < total.size(); ++c) {
      total[c] += partial[static_cast<std::size_t>(chunk) * total.size() + c];
    }
  }
  return total;
}

}  // namespace

ConjugateGradients::ConjugateGradients(int n, int sides)
    : n_(n),
      r_(static_cast<std::size_t>(n) * static_cast<std::size_t>(sides)),
      z_(r_),
      d_(r_),
      Ad_(r_),
      partial_(static_cast<std::size_t>((n + chunk_size - 1) / chunk_size) *
               static_cast<std::size_t>(sides)) {}

CgReport ConjugateGradients::solve(const SymmetricMatrix& A, Preconditioner& P,
                                   const CgSettings& settings, const double* b, double* x,
                                   Threads& threads) {
  return run<1>(A, P, settings, b, x, threads);
}

CgReport ConjugateGradients::solve4(const SymmetricMatrix& A, Preconditioner& P,
                                    const CgSettings& settings, const double* b, double* x,
                                    Threads& threads) {
  return run<4>(A, P, settings, b, x, threads);
}

template <int sides>
CgReport ConjugateGradients::run(const SymmetricMatrix& A, Preconditioner& P,
                                 const CgSettings& settings, const double* b, double* x,
                                 Threads& threads) {
  constexpr auto count = static_cast<std::size_t>(sides);
  const auto sum = [&](const auto& work) { return sum_chunks<sides>(n_, partial_, threads, work); };
  const auto precondition = [&] {
    if constexpr (sides == 1) {
      P.apply(r_.data(), z_.data());
    } else {
      P.apply4(r_.data(), z_.data());
    }
    return sum([&](int first, int last, double* partial) {
      dot_rows<sides>(r_.data(), z_.data(), first, last, partial);
    });
  };
  std::copy(b, b + r_.size(), r_.begin());
  std::fill(x, x + r_.size(), 0.0);
  Scalars<sides> bound = sum([&](int first, int last, double* partial) {
    dot_rows<sides>(r_.data(), r_.data(), first, last, partial);
  });
  Scalars<sides> rr = bound;
  Scalars<sides> rz = precondition();
  d_ = z_;
  std::array<bool, count> active;
  for (std::size_t c = 0; c < count; ++c) {
    active[c] = bound[c] > 0;
    bound[c] *= settings.tolerance * settings.tolerance;
  }
  CgReport report;
  const auto any_active = [&] {
    return std::find(active.begin(), active.end(), true) != active.end();
  };
  const Scalars<sides> limit = [&] {
    Scalars<sides> squares = rr;
    for (double& square : squares) square *= settings.hopeless * settings.hopeless;
    return squares;
  }();
  const auto is_hopeless = [&](const Scalars<sides>& squares) {
    for (std::size_t c = 0; c < count; ++c) {
      if (active[c] && squares[c] > limit[c]) return true;
    }
    return false;
  };
  for (int k = 0; k < settings.iterations && any_active(); ++k) {
    const Scalars<sides> curvature = sum([&](int first, int last, double* partial) {
      A.multiply<sides>(first, last, d_.data(), Ad_.data());
      dot_rows<sides>(d_.data(), Ad_.data(), first, last, partial);
    });
    Scalars<sides> alpha{};
    for (std::size_t c = 0; c < count; ++c) {
      if (!active[c]) continue;
      alpha[c] = rz[c] / curvature[c];
      if (curvature[c] <= 0) report.negative_curvature = true;
      const bool stop = settings.stop_at_negative_curvature && curvature[c] <= 0;
      if (stop || !std::isfinite(alpha[c])) {
        active[c] = false;
        // Nothing better than steepest descent is known.
        alpha[c] = stop && k == 0 ? 1 : 0;
      }
    }
    rr = sum([&](int first, int last, double* partial) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        for (std::size_t c = 0; c < count; ++c) {
          const std::size_t e = count * i + c;
          x[e] += alpha[c] * d_[e];
          r_[e] -= alpha[c] * Ad_[e];
        }
      }
      dot_rows<sides>(r_.data(), r_.data(), first, last, partial);
    });
    for (std::size_t c = 0; c < count; ++c) active[c] = active[c] && rr[c] > bound[c];
    if (std::any_of(alpha.begin(), alpha.end(), [](double a) { return a != 0; })) {
      ++report.iterations;
    }
    if (k + 1 == settings.iterations || !any_active()) break;
    if (k + 1 == settings.trial && is_hopeless(rr)) break;
    const Scalars<sides> previous = rz;
    rz = precondition();
    Scalars<sides> beta{};
    for (std::size_t c = 0; c < count; ++c) {
      active[c] = active[c] && rz[c] != 0;
      if (active[c]) beta[c] = rz[c] / previous[c];
    }
    sum([&](int first, int last, double* partial) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        for (std::size_t c = 0; c < count; ++c) {
          const std::size_t e = count * i + c;
          d_[e] = z_[e] + beta[c] * d_[e];
        }
      }
      std::fill_n(partial, count, 0.0);
    });
  }
  report.converged = true;
  for (std::size_t c = 0; c < count; ++c) report.converged &= rr[c] <= bound[c];
  return report;
}

}  // namespace supple

#include "linear/preconditioner.h"

#include <algorithm>
#include <cmath>

namespace supple {

namespace {

class Identity final : public Preconditioner {
 public:
  void analyse(const SpdSolver::Matrix& lower) override { n_ = lower.rows(); }
  bool update(const SpdSolver::Matrix&) override { return true; }
  void apply(const double* r, double* z) override { std::copy(r, r + n_, z); }
  void apply4(const double* r, double* z) override { std::copy(r, r + 4 * n_, z); }

 private:
  std::ptrdiff_t n_ = 0;
};

class Jacobi final : public Preconditioner {
 public:
  void analyse(const SpdSolver::Matrix& lower) override {
    inverse_.resize(static_cast<std::size_t>(lower.rows()));
  }
  bool update(const SpdSolver::Matrix& lower) override {
    bool finite = true;
    for (std::size_t j = 0; j < inverse_.size(); ++j) {
      const double size = std::abs(lower.valuePtr()[lower.outerIndexPtr()[j]]);
      inverse_[j] = size > 0 ? 1 / size : 1;
      finite = finite && std::isfinite(size) && std::isfinite(inverse_[j]);
    }
    return finite;
  }
  void apply(const double* r, double* z) override {
    for (std::size_t i = 0; i < inverse_.size(); ++i) z[i] = inverse_[i] * r[i];
  }
  void apply4(const double* r, double* z) override {
    for (std::size_t i = 0; i < inverse_.size(); ++i) {
      for (std::size_t c = 0; c < 4; ++c) z[4 * i + c] = inverse_[i] * r[4 * i + c];
    }
  }

 private:
  std::vector<double> inverse_;
};

class Coordinatewise final : public Preconditioner {
 public:
  explicit Coordinatewise(std::unique_ptr<Preconditioner> inner) : inner_(std::move(inner)) {}

  void analyse(const SpdSolver::Matrix& lower) override {
    padded_.assign(static_cast<std::size_t>(lower.rows()) / 3 * 4, 0.0);
  }
  bool update(const SpdSolver::Matrix&) override { return true; }
  void apply(const double* r, double* z) override {
    const std::size_t n = padded_.size() / 4;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < 3; ++c) padded_[4 * i + c] = r[3 * i + c];
    }
    inner_->apply4(padded_.data(), padded_.data());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < 3; ++c) z[3 * i + c] = padded_[4 * i + c];
    }
  }
  void apply4(const double* r, double* z) override {
    const std::size_t n = padded_.size() / 4;
    for (std::size_t side = 0; side < 4; ++side) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < 3; ++c) padded_[4 * i + c] = r[4 * (3 * i + c) + side];
      }
      inner_->apply4(padded_.data(), padded_.data());
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < 3; ++c) z[4 * (3 * i + c) + side] = padded_[4 * i + c];
      }
    }
  }

 private:
  std::unique_ptr<Preconditioner> inner_;
  std::vector<double> padded_;  ///< [4 n]
};

}  // namespace

std::unique_ptr<Preconditioner> make_no_preconditioner() { return std::make_unique<Identity>(); }

std::unique_ptr<Preconditioner> make_jacobi_preconditioner() { return std::make_unique<Jacobi>(); }

std::unique_ptr<Preconditioner> make_coordinatewise(std::unique_ptr<Preconditioner> inner) {
  return std::make_unique<Coordinatewise>(std::move(inner));
}

}  // namespace supple

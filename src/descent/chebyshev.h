#pragma once

#include <memory>

#include "descent/chebyshev_weights.h"
#include "descent/direction.h"

namespace supple {

/// The Chebyshev semi-iterative method around another one [Wang 2015; Wang & Yang 2016, sec. 3.2;
/// Liu et al. 2017, Alg. 3]: with q the direction of the inner method at x_k,
///   p = omega_{k+1} (x_k + q - x_{k-1}) + x_{k-1} - x_k,
/// plain (omega = 1) for the first `delay` iterations.
///
/// The papers take the spectral radius rho of the inner method from training runs. Here it is
/// measured with the norm |q| = sqrt(|q . grad g|), which is that of A for q = -A^-1 grad g. Let
/// q_{k+1} = G q_k, as for a quadratic g.
/// - Plain steps: |q_{k+1}|/|q_k| rises towards rho from below, and the last ratio of the plain
///   iterations is the first estimate.
/// - p accelerated steps should leave |q_p|/|q_0| below 1/T_p(1/rho). A larger ratio B comes from
///   an eigenvalue mu outside [-rho, rho], whose part is T_p(mu/rho)/T_p(1/rho). Therefore
///     mu = rho cosh(arcosh(B T_p(1/rho))/p)
///   is at most the true radius [Hageman & Young 1981, ch. 5: the adaptive procedure]. If B has
///   fallen by less than three quarters of the digits that it should have, mu becomes rho and the
///   weights start again.
/// If a direction does not descend, or the line search cuts its step, g differs from its quadratic
/// part: rho is reduced and the weights start again.
class Chebyshev final : public Direction {
 public:
  Chebyshev(const Model& model, std::unique_ptr<Direction> inner, int delay);

  StepRule step_rule() const override;
  void pins_changed(const PinChange& change) override { inner_->pins_changed(change); }
  void shapes_changed(const Model& model) override { inner_->shapes_changed(model); }
  void materials_changed(const MaterialChange& change) override {
    inner_->materials_changed(change);
  }
  Laplacian* constant_matrix() override { return inner_->constant_matrix(); }
  void begin_step(Objective& objective) override;
  bool restart() override;
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;
  void accept(Objective& objective, const Iterate& from, const Iterate& to, double alpha) override;

  /// The estimate in use; 0: none yet.
  double spectral_radius() const { return rho_; }

 private:
  void measure(double norm);
  void fall_back();

  std::unique_ptr<Direction> inner_;
  int delay_;
  int iteration_ = 0;
  ChebyshevWeights weights_;
  double rho_ = 0;
  double first_norm_ = 0;     ///< |q| of the plain step before the accelerated ones, sqrt(J)
  double last_norm_ = 0;      ///< |q| of the last iteration, sqrt(J); 0: there is none to compare
  bool accelerated_ = false;  ///< the last direction has a weight above 1
  VectorField previous_;      ///< x_{k-1} - x_k, m
};

}  // namespace supple

#include <algorithm>
#include <cmath>

#include "elements/fiber_field.h"
#include "model/model.h"
#include "supple/compare.h"
#include "supple/error.h"

namespace supple {

namespace {

constexpr double largest_ratio = 1000;
/// Two digits more than anyone reads.
constexpr double ratio_precision = 1e-5;
constexpr int max_solves = 20;

void scale(Parameter& parameter, double factor) {
  parameter.value *= factor;
  for (double& value : parameter.per_tet) value *= factor;
}

void scale(SplineCurve& curve, double factor) {
  for (auto& point : curve.points) point.second *= factor;
}

std::function<double(double)> scaled(const std::function<double(double)>& function, double factor) {
  if (!function) return function;
  return [function, factor](double x) { return factor * function(x); };
}

void scale(ScalarFunction& function, double factor) {
  function = {.value = scaled(function.value, factor),
              .first = scaled(function.first, factor),
              .second = scaled(function.second, factor)};
}

void scale(MaterialSettings& material, double factor) {
  for (Parameter* parameter :
       {&material.mu, &material.lambda, &material.c1, &material.c2, &material.bulk}) {
    scale(*parameter, factor);
  }
  for (double* modulus : {&material.warp, &material.weft, &material.shear}) *modulus *= factor;
  for (SplineCurve* curve : {&material.spline_a, &material.spline_b, &material.spline_c}) {
    scale(*curve, factor);
  }
  for (ScalarFunction* function : {&material.a, &material.b, &material.c}) {
    scale(*function, factor);
  }
}

/// Distances between positions of a body, weighted by mass.
class MassMetric {
 public:
  explicit MassMetric(std::vector<double> mass) : mass_(std::move(mass)) {}

  /// sum_i m_i (a_i - b_i) . (c_i - d_i)
  double product(std::span<const double> a, std::span<const double> b, std::span<const double> c,
                 std::span<const double> d) const {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sum += mass_[i / 3] * (a[i] - b[i]) * (c[i] - d[i]);
    }
    return sum;
  }
  double distance(std::span<const double> a, std::span<const double> b) const {
    return std::sqrt(product(a, b, a, b));
  }

 private:
  std::vector<double> mass_;
};

double rms(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(3 * sum / static_cast<double>(a.size()));
}

}  // namespace

Scene scale_stiffness(const Scene& scene, double factor) {
  Scene result = scene;
  for (Body& body : result.bodies) {
    scale(body.material, factor);
    for (MaterialSettings& layer : body.layers) scale(layer, factor);
    for (MaterialRegion& region : body.regions) scale(region.material, factor);
    for (FiberSettings& fiber : body.fibers) {
      fiber.kappa *= factor;
      for (auto& point : fiber.curve.points) point.second *= factor;
    }
    for (Spring& spring : body.springs) spring.stiffness *= factor;
    if (body.rod) {
      body.rod->bending *= factor;
      body.rod->twist *= factor;
    }
    if (body.membrane && body.membrane->bending) *body.membrane->bending *= factor;
  }
  return result;
}

ApparentStiffness apparent_stiffness(const Scene& scene, const SimulationState& state,
                                     std::span<const double> positions, int threads) {
  Threads helpers(threads);
  const Model model = build_model(with_fiber_directions(scene, helpers));
  if (positions.size() != 3 * static_cast<std::size_t>(model.num_vertices)) {
    throw Error(ErrorKind::invalid_input, "positions",
                "expected " + std::to_string(3 * model.num_vertices) + " numbers, there are " +
                    std::to_string(positions.size()));
  }
  const MassMetric metric(model.mass);
  const auto converged = [&](double log_ratio) {
    return solve_converged(scale_stiffness(scene, std::exp(log_ratio)), state, threads).positions;
  };
  // Positions that are nearer than this count as equal: the error of the converged steps.
  double total_mass = 0;
  for (const double m : model.mass) total_mass += m;
  const double rounding = 1e-9 * model.diagonal_length * std::sqrt(total_mass);

  ApparentStiffness result;
  const std::vector<double> at_one = converged(0);
  result.position_error = rms(positions, at_one) / model.diagonal_length;
  const double error = metric.distance(positions, at_one);
  double log_ratio = 0.01;
  double last_log_ratio = 0;
  std::vector<double> last = at_one;
  const double bound = std::log(largest_ratio);
  for (int solve = 0; solve < max_solves; ++solve) {
    const std::vector<double> now = converged(log_ratio);
    const double length = metric.product(now, last, now, last);
    if (!(length > rounding * rounding * 1e-4)) return result;  // the material does not matter
    result.defined = true;
    if (error <= rounding) return result;
    // The place of the given step on the line through the last two converged steps.
    const double along = metric.product(positions, now, now, last) / length;
    const double step = std::clamp(along * (log_ratio - last_log_ratio), -1.5, 1.5);
    last = now;
    last_log_ratio = log_ratio;
    log_ratio = std::clamp(log_ratio + step, -bound, bound);
    result.ratio = std::exp(log_ratio);
    result.unexplained = metric.distance(positions, now) / error;
    if (std::abs(log_ratio - last_log_ratio) <= ratio_precision) return result;
    if (std::abs(log_ratio) == bound && std::abs(last_log_ratio) == bound) break;
  }
  result.defined = false;
  return result;
}

}  // namespace supple

// Energy density and stress of every material: nanoseconds per tet in batches of eight, beside
// plain scalar code with Eigen's types (JacobiSVD if stretches are needed).

#include <benchmark/benchmark.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "materials/material.h"

namespace {

using supple::Batch8;
using supple::Mat3;
using supple::Vector3;

constexpr int num_tets = 4096;
constexpr double mu = 3e4, lambda = 2e5;

/// Deformation gradients around the identity, one in eight of them inverted.
std::vector<Eigen::Matrix3d> deformations() {
  std::mt19937 random(1);
  const auto next = [&] { return 2 * (random() / 4294967296.0) - 1; };
  std::vector<Eigen::Matrix3d> list(num_tets);
  for (std::size_t t = 0; t < num_tets; ++t) {
    for (int i = 0; i < 9; ++i) list[t](i / 3, i % 3) = (i % 4 == 0 ? 1 : 0) + 0.4 * next();
    if (t % 8 == 0) list[t].row(0) *= -1;
  }
  return list;
}

supple::MaterialSettings settings(const char* name) {
  supple::MaterialSettings s;
  if (std::string(name) == "spline") return supple::spline_preset('A', mu, lambda);
  s.model = name;
  s.mu = mu;
  s.lambda = lambda;
  s.c1 = mu / 2;
  s.c2 = mu / 4;
  s.bulk = lambda;
  s.a = {[](double x) { return mu * (x - 1) * (x - 1); }, [](double x) { return 2 * mu * (x - 1); },
         [](double) { return 2 * mu; }};
  return s;
}

template <class Model>
struct Setup {
  supple::MaterialSettings material_settings = settings(Model::name);
  Model model = std::get<Model>(supple::make_material(material_settings, "bench"));

  template <class S>
  auto at() const {
    S p[4] = {S(0.0), S(0.0), S(0.0), S(0.0)};
    int i = 0;
    for (const auto* parameter : supple::material_parameters(material_settings)) {
      p[i++] = S((*parameter)[0]);
    }
    return model.template at<S>(p);
  }
};

void report(benchmark::State& state, double sum) {
  benchmark::DoNotOptimize(sum);
  using benchmark::Counter;
  state.counters["per_tet"] =
      Counter(num_tets, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

template <class Model>
void batches(benchmark::State& state) {
  const auto list = deformations();
  std::vector<Batch8> F(num_tets / 8 * 9), P(F.size());
  for (std::size_t t = 0; t < num_tets; ++t) {
    for (std::size_t i = 0; i < 9; ++i) {
      const auto row = static_cast<int>(i / 3), column = static_cast<int>(i % 3);
      F[t / 8 * 9 + i].set(static_cast<int>(t % 8), list[t](row, column));
    }
  }
  const Setup<Model> setup;
  const auto material = setup.template at<Batch8>();
  Batch8 sum = 0.0;
  for (auto _ : state) {
    for (std::size_t b = 0; b < F.size(); b += 9) {
      Mat3<Batch8> f, p;
      for (int i = 0; i < 9; ++i) f(i / 3, i % 3) = F[b + static_cast<std::size_t>(i)];
      sum += material.energy_and_stress(f, p);
      for (int i = 0; i < 9; ++i) P[b + static_cast<std::size_t>(i)] = p(i / 3, i % 3);
    }
    benchmark::ClobberMemory();
  }
  report(state, supple::sum(sum));
}

// ------------------------------------------------------------------ the plain yardstick

double log_and_slope(double J, double& slope) {
  if (J > 0.1) {
    slope = 1 / J;
    return std::log(J);
  }
  const double r = (J - 0.1) / 0.1;
  slope = (1 - r) / 0.1;
  return std::log(0.1) + r - r * r / 2;
}

Eigen::Matrix3d cofactor(const Eigen::Matrix3d& F) {
  Eigen::Matrix3d k;
  k.col(0) = F.col(1).cross(F.col(2));
  k.col(1) = F.col(2).cross(F.col(0));
  k.col(2) = F.col(0).cross(F.col(1));
  return k;
}

double plain(const supple::NeoHookean<double>& m, const Eigen::Matrix3d& F, Eigen::Matrix3d& P) {
  double slope;
  const double L = log_and_slope(F.determinant(), slope);
  P = m.mu * F + (m.lambda * L - m.mu) * slope * cofactor(F);
  return m.mu / 2 * (F.squaredNorm() - 3) - m.mu * L + m.lambda / 2 * L * L;
}

double plain(const supple::StableNeoHookean<double>& m, const Eigen::Matrix3d& F,
             Eigen::Matrix3d& P) {
  const double x = F.determinant() - 1 - m.mu / m.lambda;
  P = m.mu * F + m.lambda * x * cofactor(F);
  return m.mu / 2 * (F.squaredNorm() - 3) + m.lambda / 2 * x * x;
}

double plain(const supple::Stvk<double>& m, const Eigen::Matrix3d& F, Eigen::Matrix3d& P) {
  const Eigen::Matrix3d E = 0.5 * (F.transpose() * F - Eigen::Matrix3d::Identity());
  const double t = E.trace();
  P = F * (2 * m.mu * E + m.lambda * t * Eigen::Matrix3d::Identity());
  return m.mu * E.squaredNorm() + m.lambda / 2 * t * t;
}

double plain(const supple::MooneyRivlin<double>& m, const Eigen::Matrix3d& F, Eigen::Matrix3d& P) {
  const Eigen::Matrix3d B = F.transpose() * F;
  const double I1 = B.trace(), I2 = (I1 * I1 - B.squaredNorm()) / 2, rest = 2 * m.c1 + 4 * m.c2;
  double slope;
  const double L = log_and_slope(F.determinant(), slope);
  P = F * (2 * (m.c1 + m.c2 * I1) * Eigen::Matrix3d::Identity() - 2 * m.c2 * B) +
      (m.bulk * L - rest) * slope * cofactor(F);
  return m.c1 * (I1 - 3) + m.c2 * (I2 - 3) - rest * L + m.bulk / 2 * L * L;
}

template <class Material>
double plain(const Material& m, const Eigen::Matrix3d& F, Eigen::Matrix3d& P) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d U = svd.matrixU(), V = svd.matrixV();
  Vector3<double> s{{svd.singularValues()[0], svd.singularValues()[1], svd.singularValues()[2]}};
  if (U.determinant() < 0) U.col(2) *= -1, s[2] = -s[2];
  if (V.determinant() < 0) V.col(2) *= -1, s[2] = -s[2];
  const Vector3<double> g = supple::principal_stress(m, s);
  P = U * Eigen::Vector3d(g[0], g[1], g[2]).asDiagonal() * V.transpose();
  return supple::principal_energy(m, s);
}

template <class Model>
void plain_eigen(benchmark::State& state) {
  const auto list = deformations();
  std::vector<Eigen::Matrix3d> stress(list.size());
  const Setup<Model> setup;
  const auto material = setup.template at<double>();
  double sum = 0;
  for (auto _ : state) {
    for (std::size_t t = 0; t < list.size(); ++t) sum += plain(material, list[t], stress[t]);
    benchmark::ClobberMemory();
  }
  report(state, sum);
}

template <class Model>
void register_model() {
  // supple_own_energy_bench measures a program's own energies.
  if constexpr (!supple::is_own<Model>) {
    const std::string name = Model::name;
    benchmark::RegisterBenchmark((name + "/batches_of_8").c_str(), batches<Model>);
    benchmark::RegisterBenchmark((name + "/plain_eigen").c_str(), plain_eigen<Model>);
  }
}

template <class... Models>
void register_models(const std::variant<Models...>*) {
  (register_model<Models>(), ...);
}

}  // namespace

int main(int argc, char** argv) {
  register_models(static_cast<const supple::MaterialModel*>(nullptr));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

// The projection of tets by XPBD: nanoseconds per tet and iteration of the plain version (scalar,
// one tet after the other in the order of the scene, in double) and of each order and precision, on
// one and two threads, with the ratio to the plain version. All are measured in turn in one run;
// prints the medians of the rounds and writes no file:
//   build/release/bin/supple_position_bench [rounds [bar|ball|torus|cloth ...]]
// cloth: nanoseconds per triangle, bend, hinge and spring of a cloth that is bent and stretched.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "position/bend_constraints.h"
#include "position/sheet_constraints.h"
#include "position/spring_constraints.h"
#include "position/tet_constraints.h"

namespace {

using supple::Model;
using supple::Positions;
using supple::Threads;

constexpr double a2 = 1.0 / (600.0 * 600.0);  // s^2: ten substeps of 1/60 s

constexpr double young = 1e5, poisson = 0.45;  // Pa, 1

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// One order, precision and number of threads.
class Entry {
 public:
  virtual ~Entry() = default;
  virtual void run(int iterations) = 0;
  std::string name;
  std::vector<double> ns;  ///< per tet and iteration
  double filled = 1;       ///< share of lanes with a tet
  int phases = 0;
};

/// Macklin & Mueller 2021, Algorithm 1, for one material: one structure per tet, gradients at
/// corners.
class Plain final : public Entry {
 public:
  Plain(const Model& model, const supple::VectorField& start, double mu, double lambda)
      : start_(start),
        x_(start),
        compliance_{1 / (a2 * mu), 1 / (a2 * lambda)},
        gamma_(1 + mu / lambda) {
    name = "plain double 1";
    for (const double m : model.mass) w_.push_back(1 / m);
    for (std::size_t t = 0; t < model.tets.size(); ++t) {
      tets_.push_back({model.tets[t], model.shape_gradients(t), model.volume[t], {0, 0}});
    }
  }
  void run(int iterations) override {
    x_ = start_;
    for (Tet& tet : tets_) tet.multiplier[0] = tet.multiplier[1] = 0;
    const supple::Stopwatch watch;
    for (int k = 0; k < iterations; ++k) {
      for (Tet& tet : tets_) {
        Mat F = gradient(tet);
        const double n = std::sqrt(supple::squared_norm(F));
        move(tet, 0, n, (1 / n) * F);
        F = gradient(tet);
        move(tet, 1, supple::determinant(F) - gamma_, supple::cofactor(F));
      }
    }
    ns.push_back(watch.milliseconds() * 1e6 / iterations / static_cast<double>(tets_.size()));
  }

 private:
  using Mat = supple::Mat3<double>;
  struct Tet {
    std::array<int, 4> v;
    std::array<supple::Vec3, 4> b;
    double volume;
    double multiplier[2];
  };
  Mat gradient(const Tet& tet) const {
    Mat F = Mat::zero();
    for (std::size_t c = 0; c < 4; ++c) {
      const auto& x = x_[static_cast<std::size_t>(tet.v[c])];
      for (int r = 0; r < 3; ++r) {
        for (std::size_t k = 0; k < 3; ++k) F.a[r][k] += x[r] * tet.b[c][k];
      }
    }
    return F;
  }
  void move(Tet& tet, int which, double C, const Mat& dC) {
    supple::Vector3<double> gradients[4];
    double slope = 0;
    for (std::size_t c = 0; c < 4; ++c) {
      gradients[c] = dC * supple::Vector3<double>{{tet.b[c][0], tet.b[c][1], tet.b[c][2]}};
      slope += w_[static_cast<std::size_t>(tet.v[c])] * supple::dot(gradients[c], gradients[c]);
    }
    const double compliance = compliance_[which] / tet.volume;
    const double dl = (-C - compliance * tet.multiplier[which]) / (slope + compliance);
    tet.multiplier[which] += dl;
    for (std::size_t c = 0; c < 4; ++c) {
      const auto v = static_cast<std::size_t>(tet.v[c]);
      for (int k = 0; k < 3; ++k) x_[v][k] += w_[v] * dl * gradients[c][k];
    }
  }

  std::vector<Tet> tets_;
  std::vector<double> w_;
  supple::VectorField start_, x_;
  double compliance_[2], gamma_;
};

template <class T>
class EntryOf final : public Entry {
 public:
  EntryOf(const Model& model, const supple::VectorField& start, const std::string& order,
          supple::TetProjection projection, int threads)
      : threads_(threads),
        schedule_(supple::make_schedule(model.tets, model.num_vertices,
                                        supple::from_string<supple::XpbdOrder>(order),
                                        supple::row_lanes<T>)),
        tets_(model, schedule_, projection),
        start_(start.size()),
        x_(start.size()),
        num_tets_(model.num_tets) {
    name = fmt::format("{} {} {}", order, sizeof(T) == 4 ? "float" : "double", threads);
    filled = schedule_.filled();
    phases = schedule_.num_phases();
    supple::copy_to(start, start_);
  }
  void run(int iterations) override {
    std::copy(start_.begin(), start_.end(), x_.begin());
    tets_.begin(a2);
    tets_.project(x_, threads_);
    const supple::Stopwatch watch;
    for (int k = 0; k < iterations; ++k) tets_.project(x_, threads_);
    ns.push_back(watch.milliseconds() * 1e6 / iterations / num_tets_);
  }

 private:
  Threads threads_;
  supple::Schedule schedule_;
  supple::TetConstraints<T> tets_;
  Positions<T> start_, x_;
  int num_tets_;
};

Model model_of(supple::TetMesh mesh, const std::string& material) {
  supple::Scene scene;
  supple::Body body;
  body.mesh = std::move(mesh);
  const auto [mu, lambda] = supple::lame_parameters(young, poisson);
  body.material = {.model = material, .mu = mu, .lambda = lambda, .min = 0.95, .max = 1.05};
  scene.bodies.push_back(std::move(body));
  return supple::build_model(scene);
}

void measure(const std::string& name, const supple::TetMesh& mesh, const std::string& material,
             supple::TetProjection projection, bool lattice, int rounds) {
  const Model model = model_of(mesh, material);
  supple::VectorField start(model.rest.size());
  for (std::size_t i = 0; i < start.size(); ++i) {
    const supple::Vec3& r = model.rest[i];
    start[i] = {{1.1 * r[0] + 0.1 * r[1], 0.95 * r[1], 0.95 * r[2] + 0.1 * r[0] * r[1], 0}};
  }
  std::vector<std::unique_ptr<Entry>> entries;
  const auto [mu, lambda] = supple::lame_parameters(young, poisson);
  entries.push_back(std::make_unique<Plain>(model, start, mu, lambda));
  entries.push_back(std::make_unique<EntryOf<double>>(model, start, "natural", projection, 1));
  std::vector<std::string> orders = {"parts", "colours"};
  if (lattice) orders.emplace_back("cells");
  for (const std::string& order : orders) {
    for (const int threads : {1, 2}) {
      entries.push_back(
          std::make_unique<EntryOf<double>>(model, start, order, projection, threads));
      entries.push_back(std::make_unique<EntryOf<float>>(model, start, order, projection, threads));
    }
  }
  const int iterations = std::max(3, 400'000 / model.num_tets);
  for (int round = 0; round < rounds; ++round) {
    for (const auto& entry : entries) entry->run(iterations);
  }
  constexpr const char* names[] = {"stress", "careful_stress", "sequential", "block"};
  const double plain = median(entries[0]->ns), serial = median(entries[1]->ns);
  for (const auto& entry : entries) {
    fmt::print("{:<8}{:>8}  {:<20}{:<12}{:<18}{:>8.1f}{:>8.2f}{:>8.2f}{:>8.2f}{:>7}\n", name,
               model.num_tets, material, names[static_cast<int>(projection)], entry->name,
               median(entry->ns), plain / median(entry->ns), serial / median(entry->ns),
               entry->filled, entry->phases);
  }
}

constexpr int cloth_cells = 60;

/// A square metre of cloth; it consists of springs if `material` is empty.
Model cloth_of(const std::string& material, supple::BendingModel bending) {
  const supple::SpringMesh mesh =
      supple::generate(supple::ClothGenerator{.cells = {cloth_cells, cloth_cells}});
  supple::Scene scene;
  supple::Body body;
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.density = 0.2;
  if (material.empty()) {
    body.springs = supple::make_springs(mesh, {100, 30, 1});
  } else {
    const auto [mu, lambda] = supple::lame_parameters(young, 0.3);
    body.material = {.model = material, .mu = mu, .lambda = lambda};
    body.material.warp = body.material.weft = young;
    body.material.shear = 0.2 * young;
    body.membrane = {.thickness = 1e-3, .bending = 1e-5, .bending_model = bending};
  }
  scene.bodies.push_back(std::move(body));
  return supple::build_model(scene);
}

/// Nanoseconds per constraint and iteration.
template <class Constraints>
void measure_kind(const std::string& name, const Model& model, Constraints constraints,
                  std::size_t count, int rounds) {
  supple::VectorField start(model.rest.size());
  for (std::size_t i = 0; i < start.size(); ++i) {
    const supple::Vec3& r = model.rest[i];
    start[i] = {{1.03 * r[0] + 0.02 * r[2], 0.05 * std::sin(9 * r[0] + 7 * r[2]), r[2], 0}};
  }
  Positions<double> x(start.size());
  const int iterations = static_cast<int>(400'000 / count) + 3;
  for (const int num_threads : {1, 2}) {
    Threads threads(num_threads);
    std::vector<double> ns;
    for (int round = 0; round < rounds; ++round) {
      supple::copy_to(start, x);
      constraints.begin({start, start, 1 / a2, 0, 0});
      constraints.project(x, threads);
      const supple::Stopwatch watch;
      for (int k = 0; k < iterations; ++k) constraints.project(x, threads);
      ns.push_back(watch.milliseconds() * 1e6 / iterations / static_cast<double>(count));
    }
    fmt::print("cloth   {:>8}  {:<40}{} thread(s){:>8.1f}\n", count, name, num_threads, median(ns));
  }
}

void measure_cloth(int rounds) {
  using supple::BendingModel;
  const Model springs = cloth_of("", BendingModel::quadratic);
  measure_kind("springs, stress", springs,
               supple::SpringConstraints<double>(springs, supple::SpringProjection::stress),
               springs.springs.size(), rounds);
  for (const std::string material :
       {"arap", "corotated", "neo_hookean", "orthotropic_stvk", "woven_limit"}) {
    const Model model = cloth_of(material, BendingModel::quadratic);
    measure_kind("triangles, " + material, model, supple::SheetConstraints<double>(model),
                 2 * cloth_cells * cloth_cells, rounds);
  }
  const Model bends = cloth_of("arap", BendingModel::quadratic);
  measure_kind("bends", bends, supple::BendConstraints<double>(bends), bends.membranes.bends.size(),
               rounds);
  const Model hinges = cloth_of("arap", BendingModel::dihedral);
  measure_kind("hinges", hinges, supple::BendConstraints<double>(hinges),
               hinges.membranes.hinges.size(), rounds);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 9;
  const std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);
  fmt::print("{:<8}{:>8}  {:<20}{:<12}{:<18}{:>8}{:>8}{:>8}{:>8}{:>7}\n", "body", "tets",
             "material", "projection", "order, threads", "ns", "/plain", "/serial", "filled",
             "phases");
  const auto body = [&](const std::string& name, const supple::TetMesh& mesh, bool lattice) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) return;
    for (const auto projection : {supple::TetProjection::stress, supple::TetProjection::sequential,
                                  supple::TetProjection::block}) {
      measure(name, mesh, "stable_neo_hookean", projection, lattice, rounds);
    }
    if (name != "bar") return;
    for (const std::string material : {"arap", "strain_limit", "volume"}) {
      measure(name, mesh, material, supple::TetProjection::stress, lattice, rounds);
    }
  };
  body("bar",
       supple::generate(
           supple::BoxGenerator{.size = {4, 1, 1}, .cells = {34, 7, 7}, .tets_per_cell = 6}),
       true);
  body("torus",
       supple::generate(
           supple::TorusGenerator{.major = 0.6, .minor = 0.25, .segments = 29, .cells = 7}),
       false);
  if (wanted.empty() || std::find(wanted.begin(), wanted.end(), "cloth") != wanted.end()) {
    measure_cloth(rounds);
  }
  for (const int cells : {8, 13, 28}) {
    body("ball", supple::generate(supple::SphereGenerator{.radius = 0.5, .cells = cells}), false);
  }
}

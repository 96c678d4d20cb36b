#include "supple/compare.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c_interface/handles.h"

struct SuppleComparison {
  supple::Comparison own;
  std::vector<std::vector<SuppleConvergencePoint>> points{};  ///< of each curve
};

namespace {

using supple::given;
using supple::guarded;

/// The caller's state, or the start of the scene if there is none.
supple::SimulationState state_or_start(const supple::Scene& scene, const void* state,
                                       std::size_t size, int threads) {
  if (state != nullptr || size > 0) return supple::state_at(state, size);
  return supple::Simulation(scene, {.threads = threads}).state();
}

}  // namespace

SuppleComparison* supple_compare(const SuppleScene* scene, const void* state, size_t size,
                                 const char* const* solvers, size_t num_solvers,
                                 const SuppleCompareOptions* options) {
  return supple::made([&] {
    const supple::Scene& of = given(scene, "scene").loaded.scene;
    SuppleCompareOptions chosen{};
    if (options != nullptr) chosen = supple::read(options, "options");
    if (num_solvers > 0) given(solvers, "solvers");
    std::vector<supple::LabelledSolver> list;
    for (size_t i = 0; i < num_solvers; ++i) {
      list.push_back(supple::parse_solver(&given(solvers[i], "solvers")));
    }
    supple::CompareOptions own;
    if (chosen.iterations != 0) own.iterations = chosen.iterations;
    own.threads = chosen.threads;
    if (chosen.progress != nullptr) {
      own.progress = [chosen](int done, int total, const std::string& label) {
        chosen.progress(chosen.user, done, total, label.c_str());
      };
    }
    auto comparison = std::make_unique<SuppleComparison>();
    comparison->own =
        supple::compare_solvers(of, state_or_start(of, state, size, chosen.threads), list, own);
    for (const supple::ConvergenceCurve& curve : comparison->own.curves) {
      auto& points = comparison->points.emplace_back();
      for (const supple::ConvergencePoint& point : curve.points) {
        points.push_back({point.iteration, point.milliseconds, point.objective, point.gradient_norm,
                          point.relative_error, point.position_error});
      }
    }
    return comparison.release();
  });
}

void supple_comparison_destroy(SuppleComparison* comparison) { delete comparison; }

SuppleError supple_comparison_reference(const SuppleComparison* comparison,
                                        SuppleConvergedStep* reference) {
  return guarded([&] {
    const supple::ConvergedStep& own = given(comparison, "comparison").own.reference;
    SuppleConvergedStep out{};
    out.objective = own.objective;
    out.start_objective = own.start_objective;
    out.gradient_norm = own.gradient_norm;
    out.iterations = own.iterations;
    out.converged = own.converged ? 1 : 0;
    out.positions = own.positions.data();
    out.num_positions = own.positions.size();
    supple::fill(reference, out, "reference");
  });
}

SuppleError supple_comparison_curve(const SuppleComparison* comparison, size_t solver,
                                    SuppleConvergenceCurve* curve) {
  return guarded([&] {
    const SuppleComparison& self = given(comparison, "comparison");
    supple::require(solver < self.points.size(), "solver",
                    "there is no solver " + std::to_string(solver) + ": " +
                        std::to_string(self.points.size()) + " were compared");
    const supple::ConvergenceCurve& own = self.own.curves[solver];
    SuppleConvergenceCurve out{};
    out.label = own.label.c_str();
    out.status = static_cast<SuppleStepStatus>(own.status);
    out.evaluations = own.evaluations;
    out.build_milliseconds = own.build_milliseconds;
    out.energy_scale = own.energy_scale;
    out.points = self.points[solver].data();
    out.num_points = self.points[solver].size();
    out.positions = own.positions.data();
    out.num_positions = own.positions.size();
    supple::fill(curve, out, "curve");
  });
}

SuppleError supple_apparent_stiffness(const SuppleScene* scene, const void* state, size_t size,
                                      const double* positions, size_t num_positions,
                                      int32_t threads, SuppleApparentStiffness* stiffness) {
  return guarded([&] {
    const supple::Scene& of = given(scene, "scene").loaded.scene;
    supple::size_of_struct(stiffness, "stiffness");  // before the work
    const supple::SimulationState from = state_or_start(of, state, size, threads);
    supple::check_array(positions, num_positions, from.positions.size(), "positions");
    const supple::ApparentStiffness own =
        supple::apparent_stiffness(of, from, {positions, num_positions}, threads);
    SuppleApparentStiffness out{};
    out.ratio = own.ratio;
    out.unexplained = own.unexplained;
    out.position_error = own.position_error;
    out.defined = own.defined ? 1 : 0;
    supple::fill(stiffness, out, "stiffness");
  });
}

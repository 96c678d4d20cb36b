#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "c_interface/handles.h"
#include "c_interface/step_report.h"
#include "supple/warnings.h"

struct SuppleWatch {
  explicit SuppleWatch(const supple::Simulation& simulation)
      : run(simulation.scene()), bodies(bodies_of(simulation)) {}

  static std::vector<supple::BodyHandle> bodies_of(const supple::Simulation& simulation) {
    std::vector<supple::BodyHandle> bodies;
    for (std::size_t b = 0; b < simulation.scene().bodies.size(); ++b) {
      bodies.push_back(simulation.handle(static_cast<int>(b)));
    }
    return bodies;
  }

  supple::RunWatch run;
  std::vector<supple::BodyHandle> bodies;  ///< after the last step
  std::vector<supple::Warning> warnings{};
};

namespace {

using supple::given;
using supple::guarded;

}  // namespace

SuppleWatch* supple_watch_create(const SuppleSimulation* simulation) {
  return supple::made(
      [&] { return std::make_unique<SuppleWatch>(supple::simulation_of(simulation)).release(); });
}

void supple_watch_destroy(SuppleWatch* watch) { delete watch; }

SuppleError supple_watch_add(SuppleWatch* watch, const SuppleSimulation* simulation,
                             const SuppleStepReport* report) {
  return guarded([&] {
    SuppleWatch& self = given(watch, "watch");
    const supple::Simulation& of = supple::simulation_of(simulation);
    // Fields that an older caller's report does not have get the values of an uneventful step.
    SuppleStepReport all = supple::in_c(supple::StepReport{});
    std::memcpy(&all, report, supple::size_of_struct(report, "report"));
    const supple::StepReport step = supple::from_c(all);
    std::vector<supple::BodyHandle> bodies = SuppleWatch::bodies_of(of);
    if (step.change == supple::SceneChange::done || bodies != self.bodies) {
      self.run.scene_changed(of.scene());
      self.bodies = std::move(bodies);
    }
    const bool reads = supple::RunWatch::reads_energies(step);
    self.run.add(of.frame(), step, reads ? of.energies() : supple::Energies{});
  });
}

SuppleError supple_watch_warnings(SuppleWatch* watch, SuppleWarning* warnings, size_t room,
                                  size_t* count) {
  return guarded([&] {
    SuppleWatch& self = given(watch, "watch");
    self.warnings = self.run.warnings();
    std::vector<SuppleWarning> found;
    for (const supple::Warning& own : self.warnings) {
      found.push_back({own.code.c_str(), own.text.c_str(), own.first_frame, own.last_frame});
    }
    supple::copy_found(found, warnings, room, "warnings", count);
  });
}

SuppleError supple_watch_unbalanced_share(const SuppleWatch* watch, double* share) {
  return guarded([&] {
    const double of_run = given(watch, "watch").run.unbalanced_share();
    given(share, "share") = of_run;
  });
}

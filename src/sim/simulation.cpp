#include "supple/simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/parallel_for.h"
#include "base/stopwatch.h"
#include "contact/contact_energy.h"
#include "descent/minimise.h"
#include "descent/objective.h"
#include "model/model.h"
#include "sim/measures.h"
#include "sim/step_setup.h"
#include "sim/stepper.h"
#include "supple/error.h"

namespace supple {

namespace {

std::vector<std::array<int, 3>> surface_of(const Scene& scene, const Model& model) {
  std::vector<std::array<int, 3>> surface;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    TetMesh mesh = body.mesh;
    if (!mesh.tets.empty()) normalise(mesh, "/bodies/" + std::to_string(b) + "/mesh");
    for (auto triangle : body.triangles.empty() ? surface_triangles(mesh) : body.triangles) {
      for (int& vertex : triangle) vertex += model.body_vertices[b];
      surface.push_back(triangle);
    }
  }
  return surface;
}

/// Share of the energy of free flight by which a step may end above where it began. Nothing at all
/// would have a body that rests on the ground, whose start y lies below it, do every step twice for
/// the last digits; a hundredth is less than backward Euler damps.
constexpr double allowed_rise = 0.01;

}  // namespace

struct Simulation::Implementation {
  Implementation(const Scene& the_scene, const SimulationOptions& options)
      : scene((check_settings(the_scene), the_scene)),
        threads(options.threads),
        model(build_model(scene)),
        state(initial_state(scene, model)),
        contact(make_contact(scene, model)),
        objective(model, contact.get(), threads),
        setup(scene, model),
        direction(setup.integrator().is_explicit
                      ? nullptr
                      : make_direction(model, scene.solver, setup.inverse_a2())),
        minimiser(model.num_vertices),
        z(state.x),
        before(state),
        surface(surface_of(scene, model)),
        clock(clock_of(0, 0, scene.time)) {}

  /// One substep of h. False: it ended non-finite and the state is not to be used.
  ///
  /// The descent starts at y, as in the papers. Where that is a bad start (a body that turns inside
  /// out in free flight, an energy that overflows) the budget can end above g(x_n), and such a step
  /// would add energy: it is done again from x_n, from where every descent ends below. So
  ///   |z - y|_M^2/(2 a^2) + E(z) <= |x_n - y|_M^2/(2 a^2) + E(x_n)
  /// holds for every step, every budget and every integrator, but for `allowed_rise`. With backward
  /// Euler that means that a step adds no energy; with the others that z is no worse than standing
  /// still. A quasi-static step begins at x_n anyway.
  bool substep(StepReport& report, const MinimiseOptions& options) {
    if (setup.integrator().is_explicit) return explicit_substep(report);
    setup.prepare(state, clock, objective);
    if (!elastic_is_known) elastic = objective.elastic_energy_at(state.x);
    // Without inertia this is the potential of the weight, which may be negative.
    const double inertia = std::max(0.0, objective.inertia_energy(state.x));
    const double value_at_start = objective.value_with_elastic(state.x, elastic);
    z = setup.start();
    MinimiseReport result = minimiser.run(objective, *direction, scene.solver, z, options);
    add_to_report(result, report);
    // Whoever switches the line search off wants to see what it prevents.
    const bool safeguarded = scene.solver.line_search.type != "none";
    const bool finite = result.status != StepStatus::non_finite;
    const double allowed =
        value_at_start + allowed_rise * inertia + 1e-12 * std::abs(value_at_start);
    if (safeguarded && (!finite || result.value > allowed)) {
      z = state.x;
      result = minimiser.run(objective, *direction, scene.solver, z, options);
      add_to_report(result, report);
    }
    if (result.status == StepStatus::non_finite) return false;
    elastic = result.elastic;
    elastic_is_known = setup.ends_at_z();
    setup.advance(z, state);
    end_substep();
    return true;
  }

  bool explicit_substep(StepReport& report) {
    setup.step_explicitly(state, clock, objective);
    end_substep();
    report.status = StepStatus::converged;
    const double sum = objective.algebra().norm(state.x) + objective.algebra().norm(state.v);
    return std::isfinite(sum);
  }

  void end_substep() {
    ++clock.substeps_done;
    state.time = clock.at(0);
  }

  static void add_to_report(const MinimiseReport& result, StepReport& report) {
    report.status = result.status;
    report.iterations += result.iterations;
    report.objective = result.value;
    report.gradient_norm = result.gradient_norm;
    report.start_gradient_norm = result.start_gradient_norm;
    report.expected_decrease = result.expected_decrease;
    report.solve_milliseconds += result.direction_milliseconds;
  }

  /// When substep s of a frame must end: each gets an equal share of the budget.
  std::optional<std::chrono::steady_clock::time_point> deadline(
      int substep_of_frame, std::chrono::steady_clock::time_point frame_started) const {
    if (scene.solver.budget_ms == 0) return std::nullopt;
    const double share = (substep_of_frame + 1.0) / scene.time.substeps;
    // More than a day is as good as none, and the clock counts in whole nanoseconds.
    const double milliseconds = std::min(scene.solver.budget_ms * share, 1e8);
    return frame_started + std::chrono::nanoseconds(static_cast<std::int64_t>(milliseconds * 1e6));
  }

  Scene scene;
  Threads threads;
  Model model;
  State state;
  std::unique_ptr<ContactEnergy> contact;
  Objective objective;
  StepSetup setup;
  std::unique_ptr<Direction> direction;  ///< none: the integrator is explicit
  Minimiser minimiser;
  VectorField z;
  State before;
  std::vector<std::array<int, 3>> surface;
  StepClock clock;
  double elastic = 0;  ///< of the state, J, where it is known
  bool elastic_is_known = false;
};

Simulation::Simulation(const Scene& scene, const SimulationOptions& options)
    : implementation_(std::make_unique<Implementation>(scene, options)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

StepReport Simulation::step() {
  Implementation& self = *implementation_;
  const Stopwatch watch;
  const auto started = std::chrono::steady_clock::now();
  StepReport report;
  self.objective.reset_counters();
  self.before = self.state;  // of the same sizes from the second frame on: nothing is allocated
  const StepClock clock_before = self.clock;
  bool finite = true;
  for (int s = 0; s < self.scene.time.substeps && finite; ++s) {
    finite = self.substep(report, {.deadline = self.deadline(s, started)});
  }
  if (finite) {
    ++self.state.frame;
  } else {
    self.state = self.before;
    self.clock = clock_before;
    report.status = StepStatus::non_finite;
    self.elastic_is_known = false;
  }
  report.evaluations = self.objective.num_evaluations();
  report.local_milliseconds = self.objective.local_milliseconds();
  report.contact_milliseconds = self.objective.contact_milliseconds();
  report.inverted_tets = count_inverted(self.model, self.state.x, self.threads);
  if (self.contact) report.contacts = static_cast<int>(self.contact->contacts().size());
  report.total_milliseconds = watch.milliseconds();
  return report;
}

int Simulation::num_vertices() const { return implementation_->model.num_vertices; }
int Simulation::num_tets() const { return implementation_->model.num_tets; }
int Simulation::num_threads() const { return implementation_->threads.count(); }
double Simulation::time() const { return implementation_->state.time; }
std::int64_t Simulation::frame() const { return implementation_->state.frame; }

namespace {

void copy_field(const VectorField& field, std::span<double> out) {
  if (out.size() != 3 * field.size()) {
    throw Error(ErrorKind::invalid_input, "out",
                "expected room for " + std::to_string(3 * field.size()) +
                    " numbers, there is for " + std::to_string(out.size()));
  }
  unpad(field, out);
}

}  // namespace

void Simulation::copy_positions(std::span<double> out) const {
  copy_field(implementation_->state.x, out);
}
void Simulation::copy_velocities(std::span<double> out) const {
  copy_field(implementation_->state.v, out);
}

SimulationState Simulation::state() const { return save_state(implementation_->state); }

void Simulation::set_state(const SimulationState& state) {
  Implementation& self = *implementation_;
  self.state = load_state(self.model, state);
  self.elastic_is_known = false;
  self.clock = clock_of(state.time, state.frame, self.scene.time);
}

Energies Simulation::energies() const {
  Implementation& self = *implementation_;
  Energies energies;
  const Model& model = self.model;
  for (std::size_t i = 0; i < self.state.x.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const double v = self.state.v[i][k];
      energies.kinetic += 0.5 * model.mass[i] * v * v;
      energies.gravity -=
          model.mass[i] * self.scene.gravity[static_cast<std::size_t>(k)] * self.state.x[i][k];
    }
  }
  ElementEnergy elements(model);
  SpringEnergy springs(model.springs);
  energies.elastic =
      elements.evaluate(self.state.x, self.threads) + springs.evaluate(self.state.x, self.threads);
  std::vector<Vec3> targets(model.pins.pins.size());
  model.pins.targets(self.state.time, targets);
  VectorField gradient(self.state.x.size());
  energies.pins = model.pins.add(self.state.x, targets, gradient);
  return energies;
}

ElementMeasures Simulation::measure(std::span<const double> positions) const {
  const Model& model = implementation_->model;
  if (positions.size() != 3 * static_cast<std::size_t>(model.num_vertices)) {
    throw Error(ErrorKind::invalid_input, "positions",
                "expected " + std::to_string(3 * model.num_vertices) + " numbers, there are " +
                    std::to_string(positions.size()));
  }
  VectorField x(static_cast<std::size_t>(model.num_vertices));
  pad(positions, x);
  return measure_elements(model, x);
}

const std::vector<std::array<int, 3>>& Simulation::surface() const {
  return implementation_->surface;
}
const std::vector<int>& Simulation::body_vertices() const {
  return implementation_->model.body_vertices;
}
const Scene& Simulation::scene() const { return implementation_->scene; }

}  // namespace supple

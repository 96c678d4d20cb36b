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
#include "integrate/backward_euler.h"
#include "model/model.h"
#include "sim/measures.h"
#include "sim/stepper.h"
#include "supple/error.h"

namespace supple {

namespace {

std::unique_ptr<ContactEnergy> make_contact(const Scene& scene, const Model& model) {
  if (scene.colliders.empty()) return nullptr;
  std::vector<ColliderObject> colliders;
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    colliders.emplace_back(scene.colliders[i], "/colliders/" + std::to_string(i));
  }
  std::vector<int> vertices;
  for (int i = 0; i < model.num_vertices; ++i) {
    if (model.mass[static_cast<std::size_t>(i)] > 0) vertices.push_back(i);
  }
  return std::make_unique<ContactEnergy>(std::move(colliders), scene.contact, std::move(vertices));
}

std::vector<std::array<int, 3>> surface_of(const Scene& scene, const Model& model) {
  std::vector<std::array<int, 3>> surface;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    TetMesh mesh = scene.bodies[b].mesh;
    normalise(mesh, "/bodies/" + std::to_string(b) + "/mesh");
    for (auto triangle : surface_triangles(mesh)) {
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
        h(scene.time.step / scene.time.substeps),
        threads(options.threads),
        model(build_model(scene)),
        state(initial_state(scene, model)),
        contact(make_contact(scene, model)),
        objective(model, contact.get(), threads),
        direction(make_direction(model, scene.solver, 1 / (h * h))),
        minimiser(model.num_vertices),
        y(state.x),
        z(state.x),
        before(state),
        surface(surface_of(scene, model)) {}

  /// One substep of h. False: it ended non-finite and the state is not to be used.
  ///
  /// The descent starts at y, as in the papers. Where that is a bad start (a body that turns inside
  /// out in free flight, an energy that overflows) the budget can end above g(x_n), and such a step
  /// would add energy: it is done again from x_n, from where every descent ends below. So
  ///   |z - y|_M^2/(2 h^2) + E(z) <= |x_n - y|_M^2/(2 h^2) + E(x_n)
  /// holds for every step and every budget.
  bool substep(StepReport& report, const MinimiseOptions& options) {
    backward_euler::inertial_target(model, state, h, scene.gravity, scene.damping.drag, y);
    const double time_end = time_at(substeps_done + 1);
    objective.begin_step(
        {.y = y, .inverse_a2 = 1 / (h * h), .x_start = state.x, .time = time_end, .h = h});
    if (!elastic_is_known) {
      elastic = objective.elastic_energy_at(state.x);
      elastic_is_known = true;
    }
    const double inertia = objective.inertia_energy(state.x);
    const double value_at_start = objective.value_with_elastic(state.x, elastic);
    z = y;
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
    backward_euler::advance(z, h, state);
    ++substeps_done;
    state.time = time_end;
    return true;
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

  /// Time after so many substeps since the start, free of the rounding of repeated sums.
  double time_at(std::int64_t substeps) const {
    return start_time + h * static_cast<double>(substeps);
  }

  Scene scene;
  double h;  ///< of a substep, s
  Threads threads;
  Model model;
  State state;
  std::unique_ptr<ContactEnergy> contact;
  Objective objective;
  std::unique_ptr<Direction> direction;
  Minimiser minimiser;
  VectorField y, z;
  State before;
  std::vector<std::array<int, 3>> surface;
  double start_time = 0;
  std::int64_t substeps_done = 0;
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
  self.before.x = self.state.x;
  self.before.v = self.state.v;
  self.before.time = self.state.time;
  const std::int64_t substeps_before = self.substeps_done;
  bool finite = true;
  for (int s = 0; s < self.scene.time.substeps && finite; ++s) {
    finite = self.substep(report, {.deadline = self.deadline(s, started)});
  }
  if (finite) {
    ++self.state.frame;
  } else {
    self.state.x = self.before.x;
    self.state.v = self.before.v;
    self.state.time = self.before.time;
    self.substeps_done = substeps_before;
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

void check_array(const std::vector<double>& values, int num_vertices, const char* name) {
  if (values.size() != 3 * static_cast<std::size_t>(num_vertices)) {
    throw Error(ErrorKind::invalid_input, name,
                "expected " + std::to_string(3 * num_vertices) + " numbers, there are " +
                    std::to_string(values.size()));
  }
  if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) {
    throw Error(ErrorKind::invalid_input, name, "expected finite numbers");
  }
}

}  // namespace

void Simulation::copy_positions(std::span<double> out) const {
  copy_field(implementation_->state.x, out);
}
void Simulation::copy_velocities(std::span<double> out) const {
  copy_field(implementation_->state.v, out);
}

SimulationState Simulation::state() const {
  const State& from = implementation_->state;
  SimulationState state{from.time, from.frame, std::vector<double>(3 * from.x.size()),
                        std::vector<double>(3 * from.x.size())};
  unpad(from.x, state.positions);
  unpad(from.v, state.velocities);
  return state;
}

void Simulation::set_state(const SimulationState& state) {
  Implementation& self = *implementation_;
  check_array(state.positions, num_vertices(), "positions");
  check_array(state.velocities, num_vertices(), "velocities");
  if (!std::isfinite(state.time) || state.frame < 0) {
    throw Error(ErrorKind::invalid_input, "time", "expected a finite time and a frame from 0");
  }
  pad(state.positions, self.state.x);
  pad(state.velocities, self.state.v);
  self.elastic_is_known = false;
  self.state.time = state.time;
  self.state.frame = state.frame;
  // Where the time is that of the frame, counting goes on from the frame: the times that follow
  // then have the bits of an uninterrupted run.
  self.start_time = 0;
  self.substeps_done = state.frame * self.scene.time.substeps;
  if (self.time_at(self.substeps_done) != state.time) {
    self.start_time = state.time;
    self.substeps_done = 0;
  }
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
  energies.elastic = elements.evaluate(self.state.x, self.threads);
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

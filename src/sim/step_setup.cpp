#include "sim/step_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/index.h"
#include "base/refuse.h"
#include "descent/laplacian.h"
#include "elements/vertex_adjacency.h"
#include "model/multipliers.h"
#include "supple/error.h"

namespace supple {

namespace {

void load_array(const std::vector<double>& values, int num_vertices, const char* name,
                VectorField& field) {
  if (values.size() != 3 * static_cast<std::size_t>(num_vertices)) {
    refuse(name, "expected " + std::to_string(3 * num_vertices) + " numbers, there are " +
                     std::to_string(values.size()));
  }
  if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) {
    refuse(name, "expected finite numbers");
  }
  field.resize(static_cast<std::size_t>(num_vertices));
  pad(values, field);
}

std::vector<double> save_array(const VectorField& field) {
  std::vector<double> values(3 * field.size());
  unpad(field, values);
  return values;
}

/// F_p and a of a tet.
constexpr std::size_t plastic_numbers = 10;

std::vector<PlasticStrain> load_plastic(const Model& model, const std::vector<double>& values) {
  if (model.plasticity.empty()) {
    require(values.empty(), "plastic", "no material of the scene flows; expected no numbers");
    return {};
  }
  std::vector<PlasticStrain> plastic(model.tets.size());
  if (values.empty()) return plastic;
  const auto fail = [&](const std::string& message) { refuse("plastic", message); };
  if (values.size() != plastic_numbers * plastic.size()) {
    fail("expected " + std::to_string(plastic_numbers * plastic.size()) +
         " numbers or none, there are " + std::to_string(values.size()));
  }
  for (std::size_t t = 0; t < plastic.size(); ++t) {
    const double* const own = &values[plastic_numbers * t];
    for (int i = 0; i < 9; ++i) plastic[t].F(i / 3, i % 3) = own[i];
    plastic[t].accumulated = own[9];
    // It keeps volumes, up to the rounding of the program that wrote it.
    if (!(std::abs(determinant(plastic[t].F) - 1) < 1e-6) || !std::isfinite(own[9]) || own[9] < 0) {
      fail("expected a matrix of determinant 1 and a strain of at least 0 in tet " +
           std::to_string(t));
    }
  }
  return plastic;
}

std::vector<double> save_plastic(const std::vector<PlasticStrain>& plastic) {
  std::vector<double> values;
  values.reserve(plastic_numbers * plastic.size());
  for (const PlasticStrain& own : plastic) {
    for (int i = 0; i < 9; ++i) values.push_back(own.F(i / 3, i % 3));
    values.push_back(own.accumulated);
  }
  return values;
}

/// Tangent, director and twist of a segment.
constexpr std::size_t rod_numbers = 7;

std::vector<RodFrame> load_rods(const Model& model, const std::vector<double>& values) {
  std::vector<RodFrame> rods = model.rods.rest_frames;
  if (values.empty()) return rods;
  if (values.size() != rod_numbers * rods.size()) {
    refuse("rods", "expected " + std::to_string(rod_numbers * rods.size()) +
                       " numbers or none, there are " + std::to_string(values.size()));
  }
  for (std::size_t s = 0; s < rods.size(); ++s) {
    const double* const own = &values[rod_numbers * s];
    RodFrame& rod = rods[s];
    rod = {.tangent = {{own[0], own[1], own[2]}},
           .director = {{own[3], own[4], own[5]}},
           .twist = own[6]};
    // Up to the rounding of the program that wrote it.
    const bool is_frame = std::abs(dot(rod.tangent, rod.tangent) - 1) < 1e-6 &&
                          std::abs(dot(rod.director, rod.director) - 1) < 1e-6 &&
                          std::abs(dot(rod.tangent, rod.director)) < 1e-6;
    require(
        is_frame && std::isfinite(rod.twist), "rods",
        "expected two unit vectors across each other and an angle of segment " + std::to_string(s));
  }
  return rods;
}

std::vector<double> save_rods(const std::vector<RodFrame>& rods) {
  std::vector<double> values;
  values.reserve(rod_numbers * rods.size());
  for (const RodFrame& rod : rods) {
    for (const Vector3<double>& v : {rod.tangent, rod.director}) {
      for (int k = 0; k < 3; ++k) values.push_back(v[k]);
    }
    values.push_back(rod.twist);
  }
  return values;
}

std::vector<double> load_multipliers(const Model& model, const std::vector<double>& values) {
  const std::size_t count = count_multipliers(model);
  if (values.empty()) return std::vector<double>(count, 0.0);
  require(values.size() == count, "multipliers",
          fmt::format("expected {} numbers or none, there are {}", count, values.size()));
  for (const double value : values) {
    require(std::isfinite(value), "multipliers", "expected finite numbers");
  }
  return values;
}

/// Without inertia, a part of a body that nothing holds has no defined place.
void require_pins(const Scene& scene, const Model& model) {
  const Adjacency adjacency = vertex_adjacency(model);
  std::vector<bool> held(static_cast<std::size_t>(model.num_vertices), false);
  std::vector<int> open;
  for (const PinnedVertex& pin : model.pins.pins) {
    if (!held[static_cast<std::size_t>(pin.vertex)]) open.push_back(pin.vertex);
    held[static_cast<std::size_t>(pin.vertex)] = true;
  }
  while (!open.empty()) {
    const auto vertex = static_cast<std::size_t>(open.back());
    open.pop_back();
    for (int k = adjacency.start[vertex]; k < adjacency.start[vertex + 1]; ++k) {
      const int neighbour = adjacency.neighbour[static_cast<std::size_t>(k)];
      if (held[static_cast<std::size_t>(neighbour)]) continue;
      held[static_cast<std::size_t>(neighbour)] = true;
      open.push_back(neighbour);
    }
  }
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    for (int i = model.body_vertices[b]; i < model.body_vertices[b + 1]; ++i) {
      const auto vertex = static_cast<std::size_t>(i);
      if (held[vertex] || !(model.mass[vertex] > 0)) continue;
      // Named by its place, since the model has its own numbers.
      const Vec3& place = model.rest[vertex];
      refuse(
          "/time/integrator",
          fmt::format("quasi_static needs pins on every part of a body; body '{}' has none on the "
                      "part whose vertex lies at ({:g}, {:g}, {:g}) m at rest",
                      scene.bodies[b].name, place[0], place[1], place[2]));
    }
  }
}

void require_no_motion(const Scene& scene) {
  if (scene.wind) {
    refuse("/wind", "quasi_static has no velocities for wind to act on; expected none");
  }
  if (scene.damping.drag != 0) {
    refuse("/damping/drag", "quasi_static has no velocities to damp; expected 0");
  }
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    for (const double v : scene.bodies[b].velocity) {
      if (v == 0) continue;
      refuse("/bodies/" + std::to_string(b) + "/velocity",
             "quasi_static has no velocities; expected 0");
    }
  }
}

double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Mean length of the edges of the body's tets and membrane and of its springs at rest, m.
double mean_edge(const Body& body) {
  const auto& x = body.mesh.vertices;
  double sum = 0;
  for (const auto& tet : body.mesh.tets) {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < i; ++j) sum += distance(x[at(tet[i])], x[at(tet[j])]);
    }
  }
  for (const Spring& s : body.springs) sum += distance(x[at(s.a)], x[at(s.b)]);
  std::size_t count = 6 * body.mesh.tets.size() + body.springs.size();
  for (std::size_t t = 0; t < body.triangles.size() && body.membrane; ++t) {
    const auto& corner = body.triangles[t];
    for (std::size_t i = 0; i < 3; ++i) {
      sum += distance(x[at(corner[i])], x[at(corner[(i + 1) % 3])]);
    }
    count += 3;
  }
  return sum / static_cast<double>(count);
}

/// Positions at the end of a step are rounded to 2^-52 of the distance travelled. If that strains
/// an edge by more than a thousandth, rounding alone makes stresses of E/1000.
void require_resolved_step(const Scene& scene) {
  constexpr double strain = 1e-3;
  const double h = scene.time.step;
  const Vec3 none{0, 0, 0};
  const auto way_of = [&](const Motion& motion) {
    double way = h * distance(motion.velocity.value_or(none), none);
    for (const Keyframe& key : motion.keyframes) way = std::max(way, distance(key.translate, none));
    return way;
  };
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const double edge = mean_edge(scene.bodies[b]);
    const double farthest = strain * edge / std::numeric_limits<double>::epsilon();
    const auto check = [&](double way, const std::string& where) {
      if (way <= farthest) return;
      refuse(where,
             fmt::format("in a step of {:g} s this moves a body by {:.3g} m, where doubles no "
                         "longer resolve its edges of {:.3g} m; expected at most {:.3g} m a step",
                         h, way, edge, farthest));
    };
    check(h * distance(scene.bodies[b].velocity, none),
          "/bodies/" + std::to_string(b) + "/velocity");
    check(h * h * distance(scene.gravity, none), "/gravity");
    for (std::size_t p = 0; p < scene.bodies[b].pins.size(); ++p) {
      check(way_of(scene.bodies[b].pins[p].motion),
            "/bodies/" + std::to_string(b) + "/pins/" + std::to_string(p) + "/motion");
    }
    // A moving collider takes along what it meets.
    for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
      check(way_of(scene.colliders[c].motion), "/colliders/" + std::to_string(c) + "/motion");
    }
  }
}

FrictionMemory load_friction(const Model& model, const std::vector<double>& numbers) {
  FrictionMemory memory;
  if (numbers.empty()) return memory;
  require(numbers.size() == 4 * at(model.num_vertices), "friction",
          "expected 4 numbers for each of " + std::to_string(model.num_vertices) +
              " vertices, there are " + std::to_string(numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); i += 4) {
    const double square =
        numbers[i] * numbers[i] + numbers[i + 1] * numbers[i + 1] + numbers[i + 2] * numbers[i + 2];
    constexpr double most = 1 << 30;
    // More than 1 by rounding.
    require(square <= 1.0001 && std::abs(numbers[i + 3]) <= most &&
                std::trunc(numbers[i + 3]) == numbers[i + 3],
            "friction", "expected a share of at most 1 and a whole number");
    memory.share.push_back({{numbers[i], numbers[i + 1], numbers[i + 2], 0}});
    memory.partner.push_back(static_cast<std::int32_t>(numbers[i + 3]));
  }
  return memory;
}

std::vector<double> save_friction(const FrictionMemory& memory) {
  std::vector<double> numbers;
  const auto is_nothing = [](std::int32_t partner) { return partner == FrictionMemory::nothing; };
  if (std::all_of(memory.partner.begin(), memory.partner.end(), is_nothing)) return numbers;
  for (std::size_t i = 0; i < memory.partner.size(); ++i) {
    for (int k = 0; k < 3; ++k) numbers.push_back(memory.share[i][k]);
    numbers.push_back(memory.partner[i]);
  }
  return numbers;
}

std::vector<FrictionMemory::NormalForce> load_normal_forces(const Model& model,
                                                            const std::vector<double>& numbers) {
  FrictionMemory memory;
  require(numbers.size() % 3 == 0, "normal_forces", "expected two bodies and a force each");
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    const double one = numbers[i], other = numbers[i + 1], force = numbers[i + 2];
    require(std::trunc(one) == one && std::trunc(other) == other && 0 <= one && one <= other &&
                other < model.num_bodies() && force > 0 && std::isfinite(force),
            "normal_forces",
            "expected two of " + std::to_string(model.num_bodies()) +
                " bodies, the smaller number first, and a positive force");
    memory.add({static_cast<std::int32_t>(one), static_cast<std::int32_t>(other), force});
  }
  return memory.normal_forces;
}

std::vector<double> save_normal_forces(const FrictionMemory& memory) {
  std::vector<double> numbers;
  for (const FrictionMemory::NormalForce& own : memory.normal_forces) {
    numbers.insert(numbers.end(), {double(own.one), double(own.other), own.force});
  }
  return numbers;
}

}  // namespace

State load_state(const Model& model, const SimulationState& state) {
  State loaded;
  load_array(state.positions, model.num_vertices, "positions", loaded.x);
  load_array(state.velocities, model.num_vertices, "velocities", loaded.v);
  if (!std::isfinite(state.time) || state.frame < 0) {
    refuse("time", "expected a finite time and a frame from 0");
  }
  if (state.previous_positions.empty() != state.previous_velocities.empty()) {
    refuse("previous_velocities", "expected previous positions and velocities, or neither");
  }
  if (!state.previous_positions.empty()) {
    load_array(state.previous_positions, model.num_vertices, "previous_positions",
               loaded.x_previous);
    load_array(state.previous_velocities, model.num_vertices, "previous_velocities",
               loaded.v_previous);
  }
  if (!state.accelerations.empty()) {
    load_array(state.accelerations, model.num_vertices, "accelerations", loaded.acceleration);
  }
  loaded.plastic = load_plastic(model, state.plastic);
  loaded.rods = load_rods(model, state.rods);
  loaded.multipliers = load_multipliers(model, state.multipliers);
  loaded.friction = load_friction(model, state.friction);
  loaded.friction.normal_forces = load_normal_forces(model, state.normal_forces);
  loaded.time = state.time;
  loaded.frame = state.frame;
  return loaded;
}

SimulationState save_state(const State& state) {
  SimulationState saved;
  saved.time = state.time;
  saved.frame = state.frame;
  saved.positions = save_array(state.x);
  saved.velocities = save_array(state.v);
  saved.previous_positions = save_array(state.x_previous);
  saved.previous_velocities = save_array(state.v_previous);
  saved.accelerations = save_array(state.acceleration);
  saved.plastic = save_plastic(state.plastic);
  saved.rods = save_rods(state.rods);
  saved.multipliers = state.multipliers;
  saved.friction = save_friction(state.friction);
  saved.normal_forces = save_normal_forces(state.friction);
  return saved;
}

StepClock clock_of(double time, std::int64_t frame, const TimeSettings& settings) {
  const double h = settings.step / settings.substeps;
  const StepClock clock{.start = 0, .substeps_done = frame * settings.substeps, .h = h};
  if (clock.at(0) == time) return clock;
  return {.start = time, .substeps_done = 0, .h = h};
}

StepSetup::StepSetup(const Scene& scene, const Model& model)
    : integrator_(find_integrator(scene.time.integrator)),
      own_(integrator_),
      model_(&model),
      gravity_(scene.gravity),
      length_(scene.time.step / scene.time.substeps),
      drag_(scene.damping.drag),
      h_(length_),
      kept_(std::exp(-drag_ * h_)),
      start_rule_(Start::inertia),
      y_(static_cast<std::size_t>(model.num_vertices)),
      swing_(scene.bodies.size(), 0.0),
      wind_(scene, model) {
  if (integrator_ == nullptr) refuse("/time/integrator", "there is no such integrator");
  start_rule_ = start_rule(scene, *integrator_);
  if (start_rule_ != Start::inertia) start_.resize(y_.size());
  check_pins(scene);
  check_motions(scene);
  if (!integrator_->has_inertia) {
    require_no_motion(scene);
  }
  if (integrator_->is_explicit || integrator_->needs_acceleration) {
    gradient_.resize(y_.size());
    x_before_.resize(y_.size());
  }
}

void StepSetup::settings_changed(const Scene& scene) {
  if (!own_->has_inertia) require_no_motion(scene);
  check_motions(scene);
  gravity_ = scene.gravity;
  drag_ = scene.damping.drag;
  kept_ = std::exp(-drag_ * h_);
}

int StepSetup::num_steady() const {
  return static_cast<int>(std::lround(length_ * std::sqrt(own_->inverse_a2(length_, false))));
}

void StepSetup::divide(int parts) {
  integrator_ = parts > 1 ? find_integrator(TimeIntegrator::backward_euler) : own_;
  h_ = length_ / parts;
  kept_ = std::exp(-drag_ * h_);
}

StepSetup::Start StepSetup::start_rule(const Scene& scene, const Integrator& integrator) {
  const DescentStart start = scene.solver.start;
  const bool flies = integrator.has_inertia && !integrator.is_explicit;
  if (start == DescentStart::inertia) return Start::inertia;
  if (start == DescentStart::automatic) {
    const bool adapts = flies && scene.solver.method == SolverMethod::vertex_block_descent;
    return adapts ? Start::adaptive : Start::inertia;
  }
  if (!flies) {
    refuse("/solver/start",
           fmt::format("{} has no flight to start from; expected inertia", integrator.name()));
  }
  return start == DescentStart::adaptive ? Start::adaptive : Start::extrapolated;
}

void StepSetup::check_pins(const Scene& scene) const {
  if (!integrator_->has_inertia) require_pins(scene, *model_);
}

void StepSetup::check_motions(const Scene& scene) const {
  if (integrator_->has_inertia) require_resolved_step(scene);
}

void StepSetup::evaluate_forces(const State& state, const StepClock& clock, Objective& objective) {
  // Friction acts against the slip of a step, here the step that led to this state.
  for (std::size_t i = 0; i < x_before_.size(); ++i) {
    for (int k = 0; k < 3; ++k) x_before_[i][k] = state.x[i][k] - h_ * state.v[i][k];
  }
  objective.begin_step({.y = state.x,
                        .inverse_a2 = 0,
                        .x_start = x_before_,
                        .time = clock.at(0),
                        .h = h_,
                        .weight = {0, 0, 0}});
  objective.value_and_gradient(state.x, gradient_);
}

VectorField StepSetup::find_accelerations(const State& state, const StepClock& clock,
                                          Objective& objective) {
  evaluate_forces(state, clock, objective);
  VectorField acceleration(state.x.size());
  for (std::size_t i = 0; i < state.x.size(); ++i) {
    const double mass = model_->mass[i];
    for (int k = 0; k < 3; ++k) {
      acceleration[i][k] =
          mass > 0 ? gravity_[static_cast<std::size_t>(k)] - gradient_[i][k] / mass : 0;
    }
  }
  return acceleration;
}

/// From these, bdf2 gives x + h v + h^2 g/2 and v + h g, as free flight does.
void StepSetup::free_flight(const VectorField& x, const VectorField& v, VectorField& x_previous,
                            VectorField& v_previous) const {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool moves = model_->mass[i] > 0;
    for (int k = 0; k < 3; ++k) {
      const double gained = moves ? h_ * gravity_[at(k)] : 0;
      x_previous[i][k] = x[i][k] - h_ * (v[i][k] - 0.5 * gained);
      v_previous[i][k] = v[i][k] - gained;
    }
  }
}

void StepSetup::find_loads(const State& state) {
  if (wind_.empty()) return;
  all_loads_.clear();
  given_loads_.for_each([&](std::size_t i, const PaddedVector& force) {
    all_loads_.add(static_cast<int>(i), {force[0], force[1], force[2]}, model_->num_vertices);
  });
  wind_.add(state.x, state.v, h_, all_loads_);
}

double StepSetup::prepare_target(State& state, const StepClock& clock, Objective& objective) {
  find_loads(state);
  if (integrator_->needs_acceleration && state.acceleration.empty()) {
    state.acceleration = find_accelerations(state, clock, objective);
  }
  const StepParameters step = parameters(state);
  objective.algebra().for_chunks(
      [&](int, int first, int last) { integrator_->target(step, state, first, last, y_); });
  find_swing(state, objective.rigid());
  const double inverse_a2 = integrator_->inverse_a2(h_, step.is_first);
  push_scale_ = (step.is_first ? 1 : integrator_->pushed) / inverse_a2;
  loads().for_each([&](std::size_t i, const PaddedVector& force) {
    for (int k = 0; k < 3; ++k) y_[i][k] += push_scale_ * force[k] / model_->mass[i];
  });
  return inverse_a2;
}

namespace {

/// |d|_M^2/2 of the displacements d = to(i) - from_i of a body's vertices relative to their mean,
/// kg m^2.
template <class To>
double turning_square(const Model& model, const RigidBodies::Body& body, const VectorField& from,
                      const To& to) {
  double mean[3] = {}, square = 0;
  for (int i = body.first; i < body.last; ++i) {
    const double m = model.mass[at(i)];
    const auto end = to(i);
    for (int k = 0; k < 3; ++k) {
      const double d = end[k] - from[at(i)][k];
      mean[k] += m * d;
      square += m * d * d;
    }
  }
  for (const double sum : mean) square -= sum * sum / body.mass;
  return square / 2;
}

}  // namespace

/// To be called before forces move y.
void StepSetup::find_swing(const State& state, const RigidBodies& rigid) {
  for (const RigidBodies::Body& body : rigid.bodies()) {
    if (integrator_->kind != TimeIntegrator::backward_euler) continue;
    const RigidBodies::Pose pose = rigid.flight(body, state.x, y_);
    const double flown = turning_square(*model_, body, state.x, [&](int i) {
      return pose.center + pose.rotation * rigid.arm(body, i);
    });
    const double straight =
        turning_square(*model_, body, state.x, [&](int i) { return y_[at(i)]; });
    swing_[at(body.number)] = (flown - straight) / (h_ * h_);
  }
}

/// Sets y of bodies that do not deform to where they fly rigidly.
void StepSetup::fly_rigidly(const State& state, const RigidBodies& rigid) {
  for (const RigidBodies::Body& body : rigid.bodies()) {
    const bool flies = integrator_->kind == TimeIntegrator::backward_euler;
    rigid.place(body, flies ? rigid.flight(body, state.x, y_) : rigid.nearest(body, y_), y_);
  }
}

double StepSetup::swing(std::span<const int> bodies) const {
  double sum = 0;
  for (const int body : bodies) sum += swing_[at(body)];
  return sum;
}

void StepSetup::prepare(State& state, const StepClock& clock, Objective& objective) {
  const double inverse_a2 = prepare_target(state, clock, objective);
  fly_rigidly(state, objective.rigid());
  const double stage = integrator_->stage;
  Vec3 fall{0, 0, 0};
  for (std::size_t k = 0; k < 3 && integrator_->has_inertia; ++k)
    fall[k] = gravity_[k] / inverse_a2;
  objective.begin_step({.y = y_,
                        .inverse_a2 = inverse_a2,
                        .x_start = state.x,
                        .time = clock.at(stage),
                        .h = stage * h_,
                        .stage = stage,
                        .weight = integrator_->has_inertia ? Vec3{0, 0, 0} : gravity_,
                        .fall = fall});
  if (start_rule_ == Start::extrapolated) extrapolate(state, objective.algebra());
  if (start_rule_ == Start::adaptive) adapt(state, inverse_a2, objective.algebra());
}

void StepSetup::extrapolate(const State& state, VectorAlgebra& algebra) {
  // [Wang & Yang 2016]: x_n + h v_n + eta h (v_n - v_{n-1}), at the time of z.
  constexpr double eta = 0.2;
  const double way = integrator_->stage * h_;
  algebra.for_chunks([&](int, int first, int last) {
    for (auto i = at(first); i < at(last); ++i) {
      const bool moves = model_->mass[i] > 0;
      for (int k = 0; k < 3; ++k) {
        const double v = kept_ * state.v[i][k];
        const double change = state.v_previous.empty() ? 0 : v - state.v_previous[i][k];
        start_[i][k] = moves ? state.x[i][k] + way * (v + eta * change) : state.x[i][k];
      }
    }
  });
}

/// Let b = (v_n - v_{n-1})/h . g/|g| be the acceleration of the last step along gravity. Then
///   x_0 = y - a^2 (g - a~),  a~ = clamp(b, 0, |g|) g/|g|      [Chen et al. 2024, sec. 3.7]:
/// y with as much of gravity as was not held back; with backward Euler x_n + h v_n + h^2 a~.
/// v_{n-1} is the velocity after drag. Before there is one, x_0 = y.
void StepSetup::adapt(const State& state, double inverse_a2, VectorAlgebra& algebra) {
  const double size = std::hypot(gravity_[0], gravity_[1], gravity_[2]);
  if (state.v_previous.empty() || !(size > 0)) {
    algebra.copy(y_, start_);
    return;
  }
  algebra.for_chunks([&](int, int first, int last) {
    for (auto i = at(first); i < at(last); ++i) {
      double along = 0;
      for (int k = 0; k < 3; ++k) {
        along += (state.v[i][k] - state.v_previous[i][k]) * gravity_[static_cast<std::size_t>(k)];
      }
      const double share = std::clamp(along / (h_ * size * size), 0.0, 1.0);
      const double held = model_->mass[i] > 0 ? (1 - share) / inverse_a2 : 0;
      for (int k = 0; k < 3; ++k) {
        start_[i][k] = y_[i][k] - held * gravity_[static_cast<std::size_t>(k)];
      }
    }
  });
}

void StepSetup::advance(const VectorField& z, State& state, VectorAlgebra& algebra) {
  const StepParameters step = parameters(state);
  if (step.is_first || (looks_back() && !integrator_->needs_previous)) {
    keep_as_previous(step, state);
  }
  algebra.for_chunks(
      [&](int, int first, int last) { integrator_->advance(step, z, first, last, state); });
  loads().for_each([&](std::size_t i, const PaddedVector& force) {
    forget_push(*integrator_, step, i, force, state);
  });
}

void StepSetup::step_explicitly(State& state, const StepClock& clock, Objective& objective) {
  find_loads(state);
  evaluate_forces(state, clock, objective);
  loads().for_each([&](std::size_t i, const PaddedVector& force) {
    for (int k = 0; k < 3; ++k) gradient_[i][k] -= force[k];
  });
  const StepParameters step = parameters(state);
  objective.algebra().for_chunks(
      [&](int, int first, int last) { integrator_->advance(step, gradient_, first, last, state); });
}

}  // namespace supple

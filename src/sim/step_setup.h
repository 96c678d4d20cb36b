#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "descent/objective.h"
#include "integrate/integrator.h"
#include "model/model.h"
#include "sim/loads.h"
#include "sim/wind.h"
#include "supple/simulation.h"

namespace supple {

/// The state of a simulation as the solvers hold it. Throws Error{invalid_input} for arrays of
/// another size, values that are not finite, and a frame below 0.
State load_state(const Model& model, const SimulationState& state);

/// The inverse of load_state.
SimulationState save_state(const State& state);

/// Counts substeps, so that their times are free of the rounding of repeated sums.
struct StepClock {
  double start = 0;  ///< s, when counting began
  std::int64_t substeps_done = 0;
  double h = 0;  ///< of a substep, s

  /// Time at a place between the beginning (0) and the end (1) of the next substep.
  double at(double stage) const { return start + h * (static_cast<double>(substeps_done) + stage); }
};

/// If the time is that of the frame, counting goes on from the frame, so that the following times
/// have the bits of an uninterrupted run.
StepClock clock_of(double time, std::int64_t frame, const TimeSettings& settings);

/// Poses the minimisation of each substep as the scene's integrator sees it, and takes its result.
class StepSetup {
 public:
  /// Throws Error{invalid_input} naming the key for settings that the integrator does not take.
  StepSetup(const Scene& scene, const Model& model);

  const Integrator& integrator() const { return *integrator_; }

  /// Length of a substep, s.
  double length() const { return h_; }

  /// Number of backward Euler substeps that replace one of the scene's integrator. Their length is,
  /// exactly or nearly, the one that the constant matrices were built for.
  int num_steady() const;
  /// Replaces, from now on, each of the scene's substeps by so many of backward Euler; 1: the
  /// scene's own again.
  void divide(int parts);

  bool is_divided() const { return h_ != length_; }

  /// Share of a velocity that drag leaves after a substep.
  double kept() const { return kept_; }

  /// Takes gravity and drag from the scene. Throws Error{invalid_input} naming the key for what the
  /// integrator does not take, and then changes nothing.
  void settings_changed(const Scene& scene);

  /// Forces that act in every substep from now on until they are cleared.
  Loads& given_loads() { return given_loads_; }
  const Loads& given_loads() const { return given_loads_; }

  /// What acts in the substep that was prepared last: the given loads and the wind.
  const Loads& loads() const { return wind_.empty() ? given_loads_ : all_loads_; }

  /// Throws Error{invalid_input} if the model's pins are too few for the integrator.
  void check_pins(const Scene& scene) const;

  /// Throws Error{invalid_input} if pins, colliders, velocities or gravity move a body so far in a
  /// step that doubles no longer resolve its shape.
  void check_motions(const Scene& scene) const;

  /// 1/a^2 for which constant matrices are built, 1/s^2. The first step of BDF2 has a smaller one;
  /// the matrix then holds back more than it needs to, and a direction -A^-1 grad g still descends.
  /// 0 for explicit integrators.
  double inverse_a2() const { return own_->is_explicit ? 0 : own_->inverse_a2(length_, false); }

  /// The loads have moved y by this many s^2 times their accelerations.
  double push_scale() const { return push_scale_; }

  /// Accelerations of all vertices in the state, with which an integrator that remembers
  /// accelerations starts, m/s^2.
  VectorField find_accelerations(const State& state, const StepClock& clock, Objective& objective);

  /// What an integrator that looks back would have remembered of bodies in free flight that are now
  /// at positions x with velocities v: drag exp(-drag h) and then h g over the last step.
  void free_flight(const VectorField& x, const VectorField& v, VectorField& x_previous,
                   VectorField& v_previous) const;

  /// The first part of `prepare`, y alone, for methods that do not use the objective. Returns 1/a^2
  /// of the substep, 1/s^2.
  double prepare_target(State& state, const StepClock& clock, Objective& objective);

  /// Poses the next substep. Some integrators add to the state what they need to know at its
  /// beginning. `state` must outlive the substep.
  void prepare(State& state, const StepClock& clock, Objective& objective);

  /// y of the substep, m.
  const VectorField& target() const { return y_; }

  /// x_0 of the substep, m.
  const VectorField& start() const { return start_rule_ == Start::inertia ? y_ : start_; }

  /// Kinetic energy that the rigid ones of these bodies gain by flying on while they turn, J.
  /// Their energy swings about its value in small steps (RigidBodies::flight).
  double swing(std::span<const int> bodies) const;

  /// Whether a step reads positions and velocities of the step before.
  bool looks_back() const { return start_rule_ != Start::inertia || integrator_->needs_previous; }

  /// Whether z is the positions at the end of the step.
  bool ends_at_z() const { return integrator_->stage == 1; }

  /// Moves the state to the end of the substep that z solves, but not its time.
  void advance(const VectorField& z, State& state, VectorAlgebra& algebra);

  /// Does a substep of an explicit integrator, but does not advance the time.
  void step_explicitly(State& state, const StepClock& clock, Objective& objective);

 private:
  StepParameters parameters(const State& state) const {
    return {.model = *model_,
            .h = h_,
            .gravity = gravity_,
            .kept = kept_,
            .is_first = integrator_->needs_previous && state.x_previous.empty()};
  }
  void find_loads(const State& state);
  /// Gradient of E at the state, N.
  void evaluate_forces(const State& state, const StepClock& clock, Objective& objective);
  /// Start of the minimisation.
  enum class Start {
    inertia,       ///< y
    extrapolated,  ///< [Wang & Yang 2016, sec. 4.1]
    adaptive       ///< [Chen et al. 2024, sec. 3.7]
  };
  static Start start_rule(const Scene& scene, const Integrator& integrator);
  void extrapolate(const State& state, VectorAlgebra& algebra);
  void find_swing(const State& state, const RigidBodies& rigid);
  void fly_rigidly(const State& state, const RigidBodies& rigid);
  void adapt(const State& state, double inverse_a2, VectorAlgebra& algebra);

  const Integrator* integrator_;
  const Integrator* own_;  ///< the scene's
  const Model* model_;
  Vec3 gravity_;
  double length_;  ///< of the scene's substep, s
  double drag_;    ///< 1/s
  double h_;       ///< s
  double kept_;    ///< share of a velocity that drag leaves
  Start start_rule_;
  VectorField y_, start_;            ///< start_: used if it is not y
  std::vector<double> swing_;        ///< [num_bodies], J
  VectorField gradient_, x_before_;  ///< used if forces at the start are needed
  WindOnFaces wind_;
  Loads given_loads_, all_loads_;  ///< all_loads_: used if there is wind
  double push_scale_ = 0;
};

}  // namespace supple

#pragma once

#include <vector>

#include "model/model.h"
#include "supple/choices.h"

namespace supple {

/// The inputs of an integrator's step, beside the state.
struct StepParameters {
  const Model& model;
  double h = 0;           ///< length of the step, s
  Vec3 gravity{0, 0, 0};  ///< m/s^2
  double kept = 1;        ///< exp(-drag h): what drag leaves of a velocity over a step
  bool is_first = false;  ///< State had no previous positions when the step began
};

/// A method that advances the state step by step.
///
/// The implicit ones minimise |z - y|_M^2/(2 a^2) + E(z) [thesis eqs. 3.30 and 3.31]. They differ
/// in a, y and in how z determines the next state. The explicit ones minimise nothing and need only
/// dE/dx at x_n. Before each step the velocity, and the previous one if it is used, are multiplied
/// by exp(-drag h) [thesis sec. 8.6]. Vertices without mass stay.
struct Integrator {
  TimeIntegrator kind = TimeIntegrator::backward_euler;
  bool is_explicit = false;
  bool has_inertia = true;  ///< false: a is infinite, gravity is a potential
  double stage = 1;         ///< the place of z in the step: 1 is its end, 1/2 its middle
  /// If the energy is convex, a step that is solved gains no mechanical energy.
  bool keeps_energy_down = false;
  /// (z - x_n)/a is the velocity at z: damping of the deformation is then a function of z alone.
  bool has_velocity_at_z = false;
  bool needs_previous = false;      ///< reads State::x_previous and v_previous
  bool needs_acceleration = false;  ///< reads State::acceleration
  /// A force f that acts only during one step moves y by pushed * a^2 M^-1 f: the step then gives
  /// its whole impulse h f. `forget_push` removes what the state remembers of it.
  double pushed = 1;

  const char* name() const { return to_string(kind); }

  /// 1/a^2 of a step, 1/s^2. first: State has no previous positions yet.
  double (*inverse_a2)(double h, bool first) = nullptr;
  /// Writes y of the vertices first .. last - 1, m. Implicit integrators only.
  void (*target)(const StepParameters& step, const State& state, int first, int last,
                 VectorField& y) = nullptr;
  /// Moves these vertices over a step. `solved` is z, m; for explicit integrators it is dE/dx at
  /// x_n, N. What is needed of the previous state must be present, for the first step by
  /// `keep_as_previous`. Does not change the time.
  void (*advance)(const StepParameters& step, const VectorField& solved, int first, int last,
                  State& state) = nullptr;
};

/// All integrators, in the order of the docs.
const std::vector<Integrator>& integrators();

/// Null if `kind` is not an enumerator.
const Integrator* find_integrator(TimeIntegrator kind);

// One file each, except for the last two, which share explicit_euler.cpp.
Integrator backward_euler();
Integrator implicit_midpoint();
Integrator bdf2();
Integrator newmark();
Integrator quasi_static();
Integrator symplectic_euler();
Integrator forward_euler();

/// Call this after a step in which the force f acted on a vertex of mass m. It removes the force
/// from what the state remembers: the next step begins knowing only the new velocity.
void forget_push(const Integrator& integrator, const StepParameters& step, std::size_t vertex,
                 const PaddedVector& force, State& state);

/// Like forget_push, after a velocity was changed by `change`, m/s.
void forget_kick(std::size_t vertex, const Vec3& change, State& state);

/// Remembers x and the damped v as the previous ones.
void keep_as_previous(const StepParameters& step, State& state);

}  // namespace supple

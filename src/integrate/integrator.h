#pragma once

#include <vector>

#include "model/model.h"
#include "supple/choices.h"

namespace supple {

/// What a step of an integrator is made of, beside the state.
struct StepParameters {
  const Model& model;
  double h = 0;           ///< length of the step, s
  Vec3 gravity{0, 0, 0};  ///< m/s^2
  double kept = 1;        ///< exp(-drag h): what drag leaves of a velocity over a step
  bool is_first = false;  ///< State had no previous positions when the step began
};

/// A method that turns time into steps.
///
/// The implicit ones minimise |z - y|_M^2/(2 a^2) + E(z) [thesis eqs. 3.30 and 3.31] and differ in
/// a, y and what z is to the next state. The explicit ones minimise nothing and need dE/dx at x_n
/// alone. Before each step the velocity, and where it is used the one before, are multiplied by
/// exp(-drag h) [thesis sec. 8.6]. Vertices without mass stay.
struct Integrator {
  TimeIntegrator kind = TimeIntegrator::backward_euler;
  bool is_explicit = false;
  bool has_inertia = true;  ///< false: a is infinite, gravity is a potential
  double stage = 1;         ///< where z stands in the step: 1 its end, 1/2 its middle
  /// A step that is solved gains no mechanical energy where the energy is convex.
  bool keeps_energy_down = false;
  /// (z - x_n)/a is the velocity at z: damping of the deformation is then a function of z alone.
  bool has_velocity_at_z = false;
  bool needs_previous = false;      ///< reads State::x_previous and v_previous
  bool needs_acceleration = false;  ///< reads State::acceleration
  /// A force f that acts through one step alone moves y by pushed * a^2 M^-1 f: the step then gives
  /// its whole impulse h f. What the state remembers of it is for `forget_push`.
  double pushed = 1;

  const char* name() const { return to_string(kind); }

  /// 1/a^2 of a step, 1/s^2. first: State has no previous positions yet.
  double (*inverse_a2)(double h, bool first) = nullptr;
  /// Writes y of the vertices first .. last - 1, m. Implicit ones alone.
  void (*target)(const StepParameters& step, const State& state, int first, int last,
                 VectorField& y) = nullptr;
  /// Moves these vertices over a step. `solved` is z, m; of explicit ones dE/dx at x_n, N. What is
  /// needed of the state before is there, of the first step by `keep_as_previous`; the time is not
  /// touched.
  void (*advance)(const StepParameters& step, const VectorField& solved, int first, int last,
                  State& state) = nullptr;
};

/// All of them, in the order of the docs.
const std::vector<Integrator>& integrators();

/// Null for what is no enumerator.
const Integrator* find_integrator(TimeIntegrator kind);

// One file each.
Integrator backward_euler();
Integrator implicit_midpoint();
Integrator bdf2();
Integrator newmark();
Integrator quasi_static();
Integrator symplectic_euler();
Integrator forward_euler();

/// After a step through which the force f acted on a vertex of mass m, takes out of what the state
/// remembers that it did: the next step begins as one that knows of the new velocity alone.
void forget_push(const Integrator& integrator, const StepParameters& step, std::size_t vertex,
                 const PaddedVector& force, State& state);

/// As forget_push where a velocity was changed by `change`, m/s.
void forget_kick(std::size_t vertex, const Vec3& change, State& state);

/// Remembers x and the damped v as the previous ones.
void keep_as_previous(const StepParameters& step, State& state);

}  // namespace supple

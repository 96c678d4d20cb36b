#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/earlier.h"
#include "base/parallel_for.h"
#include "contact/contact_energy.h"
#include "descent/minimise.h"
#include "descent/objective.h"
#include "elements/plastic_flow.h"
#include "model/model.h"
#include "model/multipliers.h"
#include "sim/attachments.h"
#include "sim/convergence.h"
#include "sim/cutting.h"
#include "sim/drift.h"
#include "sim/energy_guard.h"
#include "sim/friction_error.h"
#include "sim/islands.h"
#include "sim/numbering.h"
#include "sim/position_run.h"
#include "sim/pushes.h"
#include "sim/separations.h"
#include "sim/sleep.h"
#include "sim/step_setup.h"
#include "sim/surface_queries.h"
#include "sim/survivors.h"
#include "sim/tear_finder.h"
#include "sim/touching_pairs.h"
#include "sim/unfolding.h"
#include "supple/simulation.h"

namespace supple {

/// A scene with everything that was built from it, and its state: what stands behind a Simulation
/// until another scene takes over. running_scene_descent.cpp solves a substep,
/// running_scene_energy.cpp keeps it from gaining energy, running_scene_frame.cpp runs the frame
/// with the other safeguards, running_scene_shapes.cpp follows shapes that flow, grow, contract and
/// turn, running_scene_changes.cpp makes changes between two frames, and running_scene_state.cpp
/// gives the state and takes over that of another scene.
class RunningScene {
 public:
  enum class Begin {
    at_start,    ///< the scene starts now
    later,       ///< set_state, take_over or go_on_from sets its state later
    to_be_posed  ///< the same, and it has no solver: `pose` gives its steps to others
  };

  /// Throws Error if the scene cannot be simulated. earlier: a scene with the same settings, some
  /// of whose bodies stay; what was built for them is taken over. The result has the same bits
  /// either way. torn: bodies of `scene` that have come apart.
  RunningScene(const Scene& scene, const SimulationOptions& options, Begin begin,
               Attachments attachments = {}, const Earlier<RunningScene>& earlier = {},
               const TornBodies& torn = {});

  /// `origin`, with -1 for bodies of this scene that have been changed since it was built.
  std::vector<int> unchanged(std::vector<int> origin) const;

  /// The next substep as a problem, for callers that solve it themselves: nothing steps. Not for
  /// explicit integrators.
  struct Posed {
    Objective& objective;
    ContactEnergy* contact;  ///< null if nothing can touch
    const StepSetup& setup;
    const VectorField& start;  ///< x_0 of the scene's own solver, m; changes with the next step
    PositionStep step;         ///< for position-based methods
    Threads& threads;
  };
  Posed pose();

  /// Simulation::step, without its change of scene. If something throws, the state is restored, but
  /// nothing else can be relied on: no step and no change may follow.
  StepReport step();

  /// Simulation::set_pins.
  void set_pins(int body, std::vector<Pin> pins);

  /// Simulation::set_colliders.
  void set_colliders(std::vector<Collider> colliders);

  /// Simulation::set_material.
  void set_material(int body, MaterialSettings material);

  /// Changes gravity, drag, friction, or solver settings that no matrix depends on: iterations,
  /// tolerance, budget, line search. Throws Error{invalid_input} as the constructor does, and then
  /// changes nothing.
  void adjust(const std::function<void(Scene&)>& edit);

  /// Simulation::add_force, add_impulse, set_velocity, clear_forces. `what` names, in the error,
  /// what an integrator without inertia does not take.
  void require_inertia(const char* what) const;
  void add_forces(const std::vector<Push>& forces);
  void add_impulses(const std::vector<Push>& impulses);
  void set_velocity(int body, const Vec3& velocity);
  void clear_forces() { setup_.given_loads().clear(); }

  /// Finds what comes apart now: what the blades have passed and, if asked for, what exceeds its
  /// limits in bodies that are awake.
  std::vector<BodySeparation> find_separations(Separations& separations, bool looks_for_limits);
  /// Finds what the triangles cut in these bodies: Simulation::cut.
  std::vector<BodySeparation> cut(const std::vector<CutTriangle>& triangles,
                                  std::span<const int> bodies, Separations& separations);

  /// Simulation::is_asleep, wake.
  bool is_asleep(int body) const { return sleep_.is_asleep(body); }
  void wake(int body) { sleep_.wake(body); }
  Pushes pushes(const char* name) const { return {model_, numbering_, name}; }

  /// Simulation::attach, detach.
  Attachment attach(Grip grip);
  /// Ties vertices of a body to another body.
  Attachment attach(int body, std::span<const int> vertices, int to, double stiffness);
  void detach(Attachment attachment);
  const Attachments& attachments() const { return attachments_; }
  /// Simulation::set_targets.
  template <class Targets>
  void set_targets(Attachment attachment, const Targets& targets) {
    attachments_.set_targets(attachment, targets);
    wake_held(attachment);
  }
  Vec3 force(Attachment attachment) const {
    return attachments_.force(attachment, state_.x, numbering_);
  }
  std::vector<Vec3> forces(Attachment attachment) const {
    return attachments_.forces(attachment, state_.x, numbering_);
  }
  /// Takes over the attachments of another scene with the same vertices.
  void use_attachments(Attachments attachments);
  /// The same where they may tie bodies to each other.
  void use_all_attachments(Attachments attachments);

  SimulationState state() const;
  void set_state(const SimulationState& state);

  /// Goes on from the state of another scene with the same vertices. What that scene's integrator
  /// remembers is taken over if it means the same here: the last positions and velocities if
  /// substeps are equally long, but never accelerations, which belong to other forces. The forces
  /// that wait for the next step and the attachments are taken over too.
  void take_over(const RunningScene& other);

  /// Does the same for another scene of which some bodies stay while others were added. What the
  /// integrator remembers stays too; the attachments are those of the constructor.
  void go_on_from(const RunningScene& before, const Survivors& survivors);

  /// Between two steps, any number of threads may call these. They evaluate with the objects of a
  /// step, so only one thread at a time does.
  Energies energies();
  std::vector<MultiplierStress> multiplier_stresses();
  std::vector<BodyContact> contacts();
  std::vector<ColliderForce> collider_forces();
  void copy_contact_forces(std::span<double> out);
  std::vector<ContactEvent> contact_events() const { return touching_.events(); }
  ElementMeasures measure(std::span<const double> positions) const;
  std::vector<ConstraintGroup> constraint_groups() const;
  void copy_positions(std::span<double> out) const;
  void copy_velocities(std::span<double> out) const;

  const Scene& scene() const { return scene_; }
  const Model& model() const { return model_; }
  const Numbering& numbering() const { return numbering_; }
  const VectorField& positions() const { return state_.x; }
  const VectorField& velocities() const { return state_.v; }
  const SceneSurface& surface() const { return surface_; }
  SurfaceQueries& queries() const { return queries_; }
  double time() const { return state_.time; }
  std::int64_t frame() const { return state_.frame; }
  int num_threads() const { return threads_.count(); }

 private:
  template <class Part>
  static Earlier<Part> part_of(const Earlier<RunningScene>& earlier, Part RunningScene::*part) {
    if (earlier.made == nullptr) return {};
    return {&(earlier.made->*part), earlier.origin};
  }
  void hold_attachments(const TornBodies& torn);
  void use_bonds(Attachments attachments);
  void renew_contact();
  SimulationState start_of_added(const SimulationState& before) const;
  void move_added_apart(const Survivors& survivors);
  std::vector<char> which_are_added(const Survivors& survivors) const;
  void cut_by(const Blade& blade, Separations& separations, std::vector<BodySeparation>& found);
  std::vector<char> split_vertices(const TornBodies& torn) const;
  template <class Field>
  void open(const std::vector<char>& asked, Field& x) const;
  void open_tears(const RunningScene& before, const Survivors& survivors);
  std::unique_ptr<ContactEnergy> new_contact() const;
  void start_apart(VectorField& x);
  void find_layers();
  void require_apart(ContactEnergy* contact, const VectorField& x, double time,
                     const std::vector<char>& fresh = {}) const;
  bool keep_outside(StepReport& report);
  void carry_forces(const RunningScene& other, const std::vector<int>& sources);
  FollowingWeights* following_weights() const;
  void limit_factors();
  VectorAlgebra& algebra() { return objective_.algebra(); }
  void remember();
  void wake_held(Attachment attachment);
  void wake_left_alone(const RunningScene& before, const Survivors& survivors);
  void wake_by_colliders();
  void wake_beside(const ContactEnergy* contact, const std::vector<char>& asked);
  void lay_down(int body);
  void sleep_frame(StepReport& report);
  void run_frame(StepReport& report);
  void measure_frame(bool finite, StepReport& report);
  void restore();
  /// The place of a substep in its frame; the last one makes the frame's report.
  struct PlaceInFrame {
    bool is_first, is_last;
  };
  PositionStep position_step(double inverse_a2, bool is_first) const;
  void follow(double time);
  void follow_in_substep(double time);
  void tell_shapes();
  void use_plastic();
  void use_rods();
  void use_multipliers();
  bool has_multipliers() const { return !state_.multipliers.empty(); }
  bool next_multipliers(const VectorField& z);
  void take_multipliers(const PlaceInFrame& place);
  void follow_rods(const RunningScene& before, const Survivors& survivors,
                   const std::vector<double>& from, std::vector<double>& to) const;
  std::vector<double> multipliers_of(const RunningScene& other) const;
  std::vector<double> multipliers_of(const RunningScene& before, const Survivors& survivors) const;
  void share_tensions(const RunningScene& before, int origin, int body,
                      const std::vector<int>& parents, std::vector<double>& multipliers) const;
  void share_pressures(const RunningScene& before, const Survivors& survivors, int body,
                       std::vector<double>& multipliers) const;
  void advance_rods();
  std::vector<double> rods_of(const RunningScene& other) const;
  void flow(StepReport& report);
  std::vector<double> plastic_of(const RunningScene& other) const;
  /// A step that gains more than this share of its kinetic energy is solved again, with more
  /// iterations or in smaller parts. A smaller gain is taken out of the velocities at once.
  static constexpr double serious_gain = 0.01;
  /// Number of parts of a step in which contacts made it gain more.
  static constexpr int parts_of_gain = 4;
  /// A step that is thrown or crushed stays where it is rather than go less than this share of its
  /// way.
  static constexpr double least_way = 1.0 / 64;
  static void add_to_report(const MinimiseReport& result, StepReport& report);
  bool is_gradient_of(const MinimiseReport& result, const VectorField& gradient);
  void add_drift(const MinimiseReport& result, const PlaceInFrame& place);
  /// Does one substep of h. Returns false if it ended non-finite; the state must not be used then.
  bool substep(StepReport& report, const MinimiseOptions& options, const PlaceInFrame& place);
  /// Energies of a substep, before it.
  struct EnergyBefore {
    double kinetic = 0;  ///< after drag, J
    double work = 0;     ///< of the weight, of forces and of colliders that drag, J
  };
  bool has_islands() const;
  bool remembers_friction() const;
  void find_elastic(const VectorField& x);
  void find_elastic_at_start();
  double elastic_of_selected() const;
  double potential_of_selected() const;
  MinimiseReport solve(StepReport& report, const MinimiseOptions& options);
  MinimiseReport solve_islands(StepReport& report, const MinimiseOptions& options);
  void note_elastic(const MinimiseReport& result);
  void note_end(const MinimiseReport& result);
  void add_ends(MinimiseReport& all) const;
  void meet(MinimiseReport& all, StepReport& report, const MinimiseOptions& options);
  /// Whether the descent updates the multipliers on its way.
  enum class Multipliers { follow, stay };
  MinimiseReport minimise(StepReport& report, MinimiseOptions options,
                          Multipliers multipliers = Multipliers::follow);
  bool find_start(bool touches);
  double force_of_inertia() const;
  void start_safely(double elastic, double value_at_start);
  MinimiseReport descend(StepReport& report, const MinimiseOptions& options);
  MinimiseReport descend_on(double elastic, StepReport& report, const MinimiseOptions& options);
  MinimiseReport solve_better(MinimiseReport result, StepReport& report,
                              const MinimiseOptions& options);
  bool is_guarded() const;
  EnergyBefore energy_before() const;
  bool keep_energy_of_substep(const EnergyBefore& before, StepReport& report);
  double energy_gained(double elastic, const VectorField& x, double kinetic,
                       const EnergyBefore& before);
  double shorten_way(double gained, const EnergyBefore& before, StepReport& report);
  double rounding_of_energy() const;
  double keep_energy(double gained, StepReport& report);
  bool steady_substep(int parts, StepReport& report, const MinimiseOptions& options,
                      const PlaceInFrame& place);
  void note_found_energy(StepReport& report);
  double thrown_by(double gained, const EnergyBefore& before);
  double work_of_friction() const;
  /// Work of the weight and of the forces on vertices, J.
  double work_of_forces(const VectorField& from, const VectorField& to) const;
  void kick(int vertex, const Vec3& change);
  void find_energy();
  void find_first_contact_energy(const PlaceInFrame& place);
  void keep_energy_of_frame(double elastic_before, int parts, StepReport& report);
  bool run_substeps(int parts, std::chrono::steady_clock::time_point started, StepReport& report);
  void take_smaller_substeps(double elastic_before, StepReport& report);
  BodyPairs* pairs() const { return contact_ ? contact_->pairs() : nullptr; }
  bool hold_back(StepReport& report);
  void go_part_of_way(std::span<const int> bodies, double share, const VectorField& from,
                      const VectorField& to, VectorField& x) const;
  double elastic_if_not_crushed(const VectorField& solution);
  bool may_divide() const;
  bool explicit_substep(StepReport& report);
  void end_substep();
  std::optional<std::chrono::steady_clock::time_point> deadline(
      int substep_of_frame, std::chrono::steady_clock::time_point frame_started) const;
  PinSet all_pins() const;
  void use_pins(PinSet pins);
  void use_contact(ContactEnergy* contact);
  void use_elements(ElementLayout& elements);
  bool unfolds() const;
  void unfold_bodies();
  void use_unfolded();

  mutable Threads threads_;  ///< does work, keeps nothing
  Scene scene_;
  Model model_;
  State state_;
  Numbering numbering_;
  Attachments attachments_;          ///< the model's pins refer to it
  std::size_t num_scene_bonds_ = 0;  ///< the model's first ones; the others are attachments
  SceneSurface surface_;
  std::vector<char> split_;  ///< [num_vertices], of the model: 1 at a tear
  std::unique_ptr<ContactEnergy> contact_;
  Objective objective_;
  PlasticFlow flow_;
  StepSetup setup_;
  std::unique_ptr<Direction> direction_;             ///< of a descent method
  std::unique_ptr<PositionSolver> position_solver_;  ///< of a position-based one
  Minimiser minimiser_;
  EnergyGuard guard_;
  std::vector<char> is_held_;     ///< [num_bodies], for the guard
  std::vector<char> is_changed_;  ///< [num_bodies], 1: its material is not the constructor's
  bool has_energy_ = false;       ///< a position-based method's steps have an energy
  PositionRun position_run_;
  ConvergenceProbe convergence_;
  Drift drift_;
  FrictionError friction_error_;
  Sleep sleep_;
  StepReport asleep_;  ///< report of a frame in which all bodies fell asleep
  Unfolding unfolding_;
  TearFinder tear_finder_;
  std::vector<Vec3> centres_;     ///< of the elements of a body that is cut, m
  std::vector<Vec3> velocities_;  ///< of the same elements, m/s
  std::vector<BladeMoment> way_;  ///< path of a blade
  bool has_contacts_ = false;     ///< contact_ has those of the last step, at z_
  TouchingPairs touching_;
  bool has_multipliers_ = false;  ///< the position-based method's belong to the state, at z_
  bool multipliers_fit_ = true;   ///< the solver's belong to the substeps that were taken
  VectorField z_;                 ///< where the last substep was solved
  double work_of_shapes_ = 0;     ///< by growth, in the frame of a position-based method, J
  double work_of_friction_ = 0;   ///< in the last substep of a position-based method, J
  /// What contacts hold at the start of the frame of a position-based method, by the planes of its
  /// first substep and without colliders that have a motion, J; none: it is also the last one.
  std::optional<double> first_contact_energy_;
  /// Multipliers at the start of the substep.
  std::vector<double> start_multipliers_;
  VectorField first_z_;  ///< result of a substep that is solved again; then for convergence_
  /// E at the start of the substep, J, with the pins and colliders of its end. The value of each
  /// island is at the index of its first body; [num_bodies].
  std::vector<double> potential_;
  /// Energy of contacts at the start and at the end of the substep, and the mechanical energy that
  /// was gained in between beyond all work, J.
  struct ContactBalance {
    double at_start = 0, at_end = 0, gained = 0;
  };
  ContactBalance contact_balance_;
  /// Energy of contacts at the end of the last substep, J, if known.
  std::optional<double> contact_energy_before_;
  Islands islands_;                      ///< of the substep
  std::vector<EnergyBefore> before_of_;  ///< one per island
  std::vector<double> elastic_of_;       ///< of each body in the state, J, if known
  /// The same at the start of the substep, without what multipliers add.
  std::vector<double> elastic_at_start_;
  bool elastic_of_is_known_ = false;
  struct IslandEnd {
    double value = 0;          ///< g, J
    double gradient_norm = 0;  ///< N
  };
  std::vector<IslandEnd> ends_;     ///< at the index of the island's first body; [num_bodies]
  bool has_gradients_ = false;      ///< the minimiser's are those at the ends of the islands
  State before_;                    ///< the state before the frame
  StepClock clock_before_;          ///< the clock at that time
  bool is_remembered_ = false;      ///< a frame is running: the state is no longer before_
  VectorField unheld_z_;            ///< z_ before it was kept outside of colliders
  bool is_crushed_ = false;         ///< by colliders that kept it out, in this substep
  State before_substep_;            ///< what is needed to repeat or shorten a substep
  FrictionMemory next_friction_;    ///< where the substep ends
  mutable SurfaceQueries queries_;  ///< derived, keeps nothing of its own
  StepClock clock_;
  double elastic_ = 0;    ///< of the state, J, if known
  int num_inverted_ = 0;  ///< tets of the state, if known
  bool elastic_is_known_ = false;
  bool may_be_inverted_ = true;  ///< tets at the end of the last frame
  VectorField start_;   ///< positions at time 0, until it is known how layers grow from there, m
  std::mutex reading_;  ///< locked by evaluations between two steps
};

}  // namespace supple

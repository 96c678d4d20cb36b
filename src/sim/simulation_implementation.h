#pragma once

#include <array>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/background.h"
#include "sim/body_reads.h"
#include "sim/body_table.h"
#include "sim/running_scene.h"
#include "sim/separations.h"
#include "sim/survivors.h"
#include "supple/simulation.h"

namespace supple {

std::string place_of_body(std::size_t body);

/// Throws Error if the scene has no such body.
void check_body(const Scene& scene, int body);

/// A scene that is being built and takes over later.
struct WaitingScene {
  std::shared_ptr<const Scene> scene;
  Background<std::unique_ptr<RunningScene>> build;
  int steps_left = 0;
  std::map<int, std::vector<Pin>> pins;            ///< of bodies, set since the build began
  std::optional<std::vector<Collider>> colliders;  ///< set since the build began
  std::vector<std::function<void(Scene&)>> edits;  ///< of settings, made since the build began
};

/// A scene in which elements of the one before have come apart.
struct Parted {
  /// found: what comes apart in `now`, after this number of frames. held: attachments. before,
  /// numbering: of `now`. earlier: the running scene, from which bodies that stay whole are taken
  /// over, or null, with the same result. Throws Error as Separations::separate and RunningScene
  /// do.
  static Parted of(const Scene& now, const Attachments& held, const Separations& before,
                   const std::vector<BodySeparation>& found, std::int64_t frame,
                   const SimulationOptions& options, const Numbering& numbering,
                   const RunningScene* earlier);

  /// The attachments of the scene before, holding what came of their vertices.
  Attachments follow(Attachments held, const Scene& before) const;

  Separations separations{};
  SeparatedScene scene{};
  std::optional<Survivors> survivors{};
  /// Null if all vertices are as they were, because what came apart is still closed.
  std::unique_ptr<RunningScene> running{};
};

/// What has been found to come apart, and is built beside the running scene:
/// TimeSettings::separate_after.
struct Parting {
  std::vector<BodySeparation> found;
  std::int64_t frame = 0;            ///< number of frames before the one in which it takes over
  std::vector<BodySeparation> next;  ///< found since, to be built then
  Background<Parted> build;
  std::vector<std::function<void(Parted&)>> edits;  ///< made since the build began

  void edit(std::function<void(RunningScene&)> make) {
    edits.push_back([make = std::move(make)](Parted& parted) {
      if (parted.running) make(*parted.running);
    });
  }
};

/// simulation.cpp has the interface of the class, simulation_scenes.cpp the change from one scene
/// to another, simulation_bodies.cpp what adds and removes bodies of the running scene, and
/// simulation_separations.cpp what separates them.
struct Simulation::Implementation {
  /// Simulation::change.
  void change(const Scene& scene, int after_frames);
  void begin_change(const Scene& scene, int after_frames);
  /// To be called at the beginning of a step.
  SceneChange advance_change() noexcept;
  /// To be called after a step that failed: rebuilds what it left half done, from the scene and the
  /// state.
  void mend();
  /// Edits settings of the running scene and of one that waits.
  void adjust(const std::function<void(Scene&)>& edit);
  void set_pins(int body, std::vector<Pin> pins);
  void set_material(int body, const MaterialSettings& material);
  void set_colliders(std::vector<Collider> colliders);
  SimulationState state() const;
  void set_state(const SimulationState& state);

  std::vector<BodyHandle> change_bodies(std::span<const BodyHandle> removed,
                                        std::span<const Body> added);
  /// The bodies of the running scene, which `by` has separated.
  TornBodies torn_bodies(const Separations& by, const Scene& scene) const;
  /// Separates pairs of elements, now or later. Returns how many come apart.
  int come_apart(const std::vector<BodySeparation>& found);
  int come_apart_later(std::vector<BodySeparation> found);
  /// Takes over what has come apart.
  void use(Parted parted);
  /// frame: the number of frames before it takes over.
  void begin_parting(std::vector<BodySeparation> found, std::int64_t frame);
  /// Takes over what has been built, and begins with what was found since. Returns how many pairs
  /// have come apart.
  int end_parting();
  /// Has what was found stay together.
  void forget_parting();
  void renumber_parting(std::span<const int> origin);
  void set_parting(std::vector<BodySeparation> found, std::vector<BodySeparation> next,
                   std::int64_t frame);
  std::vector<Separation> separating() const;
  static std::vector<BodySeparation> read_separating(std::span<const Separation> separating,
                                                     const Scene& now, Separations& by);
  /// To be called at the beginning of a step: separates what tears and what the blades cut. Does
  /// nothing while a scene waits, which has the same vertices. Returns how many pairs have come
  /// apart.
  int separate();
  int cut(std::span<const std::array<Vec3, 3>> triangles, std::span<const int> asked);
  int separate(int body, std::span<const std::array<int, 2>> elements);
  void require_no_change() const;
  void check_separable(int body) const;
  /// Adds forces or impulses, which `make` makes from their name.
  template <class Make>
  void add_forces(const Make& make) {
    running->require_inertia("forces");
    running->add_forces(make(running->pushes("force")));
  }
  template <class Make>
  void add_impulses(const Make& make) {
    running->require_inertia("impulses");
    running->add_impulses(make(running->pushes("impulse")));
  }

  /// Reads the positions or velocities of one body.
  template <class Number>
  void read(int body, const VectorField& (RunningScene::*field)() const, std::span<Number> out,
            int stride) const {
    check_body(running->scene(), body);
    read_body(((*running).*field)(), running->model(), running->numbering(), body, out, stride);
  }
  template <class Number>
  void read_normals(int body, std::span<Number> out, int stride) const {
    check_body(running->scene(), body);
    supple::read_normals(running->positions(), running->model(), running->numbering(),
                         running->surface(), body, out, stride);
  }

  SimulationOptions options;
  std::unique_ptr<RunningScene> running;
  BodyTable bodies;
  Separations separations;
  std::optional<WaitingScene> waiting;
  Background<std::unique_ptr<RunningScene>> discarded;
  std::optional<Parting> parting;  ///< not while a scene waits
  Background<Parted> discarded_parting;
  std::exception_ptr failure;  ///< of a change
  std::exception_ptr step_failure;
  bool is_broken = false;  ///< by the last step
};

}  // namespace supple

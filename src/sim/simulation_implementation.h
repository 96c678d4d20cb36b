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
#include "supple/simulation.h"

namespace supple {

std::string place_of_body(std::size_t body);

/// Throws Error if the scene has no such body.
void check_body(const Scene& scene, int body);

/// A scene that is being built and will take over.
struct WaitingScene {
  std::shared_ptr<const Scene> scene;
  Background<std::unique_ptr<RunningScene>> build;
  int steps_left = 0;
  std::map<int, std::vector<Pin>> pins;            ///< of bodies, set since
  std::optional<std::vector<Collider>> colliders;  ///< set since
  std::vector<std::function<void(Scene&)>> edits;  ///< of settings, made since
};

/// simulation.cpp has what the class offers, simulation_scenes.cpp how one scene follows another,
/// and simulation_bodies.cpp how bodies come, go and come apart in one that runs.
struct Simulation::Implementation {
  /// Simulation::change.
  void change(const Scene& scene, int after_frames);
  void begin_change(const Scene& scene, int after_frames);
  /// At the beginning of a step.
  SceneChange advance_change() noexcept;
  /// After a step that failed: what it left half done is built anew, from the scene and the state.
  void mend();
  /// Settings of the scene that runs and of one that waits.
  void adjust(const std::function<void(Scene&)>& edit);
  void set_pins(int body, std::vector<Pin> pins);
  void set_colliders(std::vector<Collider> colliders);
  SimulationState state() const;
  void set_state(const SimulationState& state);

  std::vector<BodyHandle> change_bodies(std::span<const BodyHandle> removed,
                                        std::span<const Body> added);
  /// Those of the scene that runs, which have come apart so.
  TornBodies torn_bodies(const Separations& by, const Scene& scene) const;
  /// How many pairs of elements have come apart.
  int come_apart(const std::vector<BodySeparation>& pairs);
  /// At the beginning of a step: what tears, and what the blades cut. Not while a scene waits, of
  /// the same vertices.
  int separate();
  int cut(std::span<const std::array<Vec3, 3>> triangles, std::span<const int> asked);
  int separate(int body, std::span<const std::array<int, 2>> elements);
  void require_no_change() const;
  void check_separable(int body) const;
  /// What comes apart has other vertices than those that attachments tie.
  void require_untied() const;

  /// Forces or impulses: what they are called, and what makes and adds them.
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

  /// Of one body, positions or velocities.
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
  std::exception_ptr failure;  ///< of a change
  std::exception_ptr step_failure;
  bool is_broken = false;  ///< by the last step
};

}  // namespace supple

#pragma once

#include <vector>

#include "io/scene/scene_json.h"
#include "supple/simulation.h"
#include "supple/supple_c.h"

/// What the handles of the C interface point to.
struct SuppleScene {
  supple::LoadedScene loaded;
};

struct SuppleSimulation {
  supple::Simulation simulation;
  /// Of each body: the pins of the scene that runs, and of one that waits to take over.
  std::vector<std::vector<supple::Pin>> scene_pins, waiting_pins;
  std::vector<std::vector<supple::Pin>> held;  ///< of each body, beside them
};

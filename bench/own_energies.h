#pragma once

#include <string>
#include <vector>

#include "supple/scene.h"

/// neo_hookean in all forms that an energy may have, the library's own first.
struct OwnEnergyCase {
  std::string name;
  supple::MaterialSettings material;
};
std::vector<OwnEnergyCase> own_energies();

/// Doubles in a vector of the processor that they are compiled for.
int num_lanes_of_own_energies();

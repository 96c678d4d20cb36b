#pragma once

#include <string>
#include <vector>

#include "supple/scene.h"

/// neo_hookean in all forms that an energy can have, the library's own first.
struct OwnEnergyCase {
  std::string name;
  supple::MaterialSettings material;
};
std::vector<OwnEnergyCase> own_energies();

/// Doubles in a vector of the processor level for which they are compiled.
int num_lanes_of_own_energies();

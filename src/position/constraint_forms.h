#pragma once

#include <string>
#include <vector>

#include "materials/material.h"

namespace supple {

/// Whether a material can be written as constraints: its energy is a sum of C^2/(2 alpha) [Macklin
/// & Mueller 2021, eq. 5].
bool has_constraint_form(const MaterialModel& material);

/// The materials that can, by their scene names.
std::vector<std::string> materials_with_constraint_form();

}  // namespace supple

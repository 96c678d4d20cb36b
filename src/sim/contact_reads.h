#pragma once

#include <vector>

#include "contact/contact_energy.h"
#include "model/model.h"
#include "supple/simulation.h"

namespace supple {

/// Simulation::contacts, of the contacts that were found last, at z.
std::vector<BodyContact> read_contacts(const ContactEnergy& contact, const Model& model,
                                       const VectorField& z);

}  // namespace supple

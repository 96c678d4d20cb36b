#pragma once

#include <vector>

#include "contact/contact_energy.h"
#include "model/model.h"
#include "supple/simulation.h"

namespace supple {

/// Simulation::collider_forces, for the contacts that were found last, at z.
std::vector<ColliderForce> read_collider_forces(const ContactEnergy& contact, const VectorField& z);

/// Adds the forces of pins that follow a collider on that collider, at a time, s, with the vertices
/// at x.
void add_pin_forces(const PinSet& pins, double time, const VectorField& x,
                    std::vector<ColliderForce>& forces);

/// Adds the force on each vertex of the model from the contacts that were found last, at z, N.
void add_contact_forces(const ContactEnergy& contact, const VectorField& z, VectorField& forces);

/// Simulation::contacts, for the contacts that were found last, at z.
std::vector<BodyContact> read_contacts(const ContactEnergy& contact, const Model& model,
                                       const VectorField& z);

}  // namespace supple

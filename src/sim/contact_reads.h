#pragma once

#include <vector>

#include "contact/contact_energy.h"
#include "model/model.h"
#include "supple/simulation.h"

namespace supple {

/// Simulation::collider_forces, of the contacts that were found last, at z.
std::vector<ColliderForce> read_collider_forces(const ContactEnergy& contact, const VectorField& z);

/// Adds what pins that follow a collider do to it at a time, s, with the vertices at x.
void add_pin_forces(const PinSet& pins, double time, const VectorField& x,
                    std::vector<ColliderForce>& forces);

/// Adds the force of the contacts that were found last, at z, on each vertex of the model, N.
void add_contact_forces(const ContactEnergy& contact, const VectorField& z, VectorField& forces);

/// Simulation::contacts, of the contacts that were found last, at z.
std::vector<BodyContact> read_contacts(const ContactEnergy& contact, const Model& model,
                                       const VectorField& z);

}  // namespace supple

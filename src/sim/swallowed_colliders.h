#pragma once

#include "contact/contact_energy.h"
#include "model/model.h"
#include "sim/numbering.h"
#include "supple/scene.h"

namespace supple {

/// Which colliders are looked at: those that move stand elsewhere at other times.
enum class Swallowed { any, that_rest };

/// Barrier mode, where no surface of a body is in a collider: throws Error{invalid_input} at a body
/// of tets that holds a whole collider at x, which has no surface to keep out. Colliders that hold
/// vertices of the body, as bones do, may be in it.
///
/// x: [num_vertices] in the numbering of the model, m.
void require_none_swallowed(const Scene& scene, const Model& model, const Numbering& numbering,
                            const ContactEnergy& contact, const VectorField& x, Swallowed which);

}  // namespace supple

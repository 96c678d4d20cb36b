#pragma once

#include "contact/contact_energy.h"
#include "model/model.h"
#include "sim/numbering.h"
#include "supple/scene.h"

namespace supple {

/// Which colliders are checked: moving ones stand elsewhere at other times.
enum class Swallowed { any, that_rest };

/// For barrier mode, after a check that no surface of a body is in a collider. Throws
/// Error{invalid_input} at a body of tets that contains a whole collider at x, because nothing
/// would keep that collider out. Colliders that hold vertices of the body, as bones do, may be
/// inside it.
///
/// x: [num_vertices] in the numbering of the model, m.
void require_none_swallowed(const Scene& scene, const Model& model, const Numbering& numbering,
                            const ContactEnergy& contact, const VectorField& x, Swallowed which);

}  // namespace supple

#pragma once

#include <memory>

#include "contact/contact_energy.h"
#include "model/model.h"
#include "sim/numbering.h"
#include "sim/surface_queries.h"
#include "supple/scene.h"

namespace supple {

/// The contacts of a scene, with the model's vertex numbers; none if nothing can touch. Bodies
/// touch with the surface of their tets, the triangles of cloth and the segments of strands; bodies
/// of other springs touch with their vertices alone. If the scene gives no stiffness, a vertex has
///   k = max(3 min(m/a^2 + L_ii, 100 m/a^2), |g| M / (0.001 l c))
/// up to a depth of 0.002 l, and beyond it
///   k + k' = max(r (m/a^2 + L_ii), |g| M / (0.001 l c)).
/// m/a^2 + L_ii is the vertex's diagonal entry in the constant matrix of a descent without pins:
/// how much the vertex resists being moved alone. r is 100, or 10 if no tet has the vertex: a deep
/// contact gives by a hundredth of what the body does. M is the mass of its body, and l is the
/// body's size (the diagonal of its box at rest). c is an eighth of n^(2/3), where n is the body's
/// number of vertices: about as many as one side has. A body that rests on so many vertices sinks
/// in by a thousandth of its size. Masses, lengths, steps and moduli can therefore be of any size.
/// In barrier mode at most 20 m/a^2 counts, and the stiffer contact sets in when little of the
/// layer is left. Explicit integrators have a thousandth of m/h^2, because a stiffer contact would
/// need a shorter step. Throws Error{invalid_input} as ContactEnergy does. rest: the model's rest
/// positions, or the positions that count as rest so that parts of a body touch each other, m.
std::unique_ptr<ContactEnergy> make_contact(const Scene& scene, const Model& model,
                                            const Numbering& numbering, const SceneSurface& surface,
                                            std::vector<Vec3> rest);

}  // namespace supple

#pragma once

#include <memory>

#include "contact/contact_energy.h"
#include "model/model.h"
#include "sim/numbering.h"
#include "sim/surface_queries.h"
#include "supple/scene.h"

namespace supple {

/// The contacts of a scene with a model's numbers of its vertices; none where it has no colliders.
/// Bodies touch with the surface of their tets, the triangles of cloth and the segments of strands;
/// of other springs with their vertices alone. Where the scene gives no stiffness, a vertex has
///   k = max(3 min(m/a^2 + L_ii, 100 m/a^2), |g| M / (0.001 l c))
/// up to a depth of 0.002 l, and beyond it
///   k + k' = max(r (m/a^2 + L_ii), |g| M / (0.001 l c)),
/// m/a^2 + L_ii being its diagonal entry of the constant matrix of a descent without pins: what a
/// vertex resists to being moved alone. r is 100, and 10 where no tet has the vertex: a deep
/// contact gives in a hundredth of what the body does. M is the mass of its body, l the body's size
/// (the diagonal of its box at rest) and c an eighth of n^(2/3), n its vertices: about those of one
/// side. A body that rests on fewer sinks in by a thousandth of its size. Masses, lengths, steps
/// and moduli may so be of any size. In barrier mode 20 m/a^2 counts at most, and the stiffer
/// contact sets in where little of the layer is left. Explicit integrators, whose step would have
/// to be shorter the stiffer a contact is, have a thousandth of m/h^2. Throws Error{invalid_input}
/// as ContactEnergy. rest: the model's, or where parts of a body are to be taken to be at rest so
/// that they touch each other, m.
std::unique_ptr<ContactEnergy> make_contact(const Scene& scene, const Model& model,
                                            const Numbering& numbering, const SceneSurface& surface,
                                            std::vector<Vec3> rest);

}  // namespace supple

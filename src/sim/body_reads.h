#pragma once

#include <span>

#include "math/vector_field.h"
#include "model/model.h"
#include "sim/numbering.h"
#include "sim/surface_queries.h"

namespace supple {

/// Copy one body into the caller's memory: Simulation::body_positions and its like. They throw
/// Error{invalid_input} at /bodies, "stride" and "out".
template <class Number>
void read_body(const VectorField& field, const Model& model, const Numbering& numbering, int body,
               std::span<Number> out, int stride);
template <class Number>
void read_normals(const VectorField& x, const Model& model, const Numbering& numbering,
                  const SceneSurface& surface, int body, std::span<Number> out, int stride);

/// The smallest box around a body's vertices, m.
Box bounds_of(const VectorField& x, const Model& model, int body);

}  // namespace supple

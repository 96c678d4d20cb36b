#pragma once

#include <string>
#include <vector>

#include "model/model.h"

namespace supple {

/// Adds the growth of a body. Its tets are those of `model` from first_tet on. Throws
/// Error{invalid_input} at `where`, the body's JSON pointer, or below it.
void add_growth(const Body& body, const std::string& where, std::size_t first_tet, Model& model);

/// Throws Error{invalid_input} below `where` for settings out of range.
void check_plasticity(const PlasticitySettings& settings, const std::string& where);

/// Prepares a model that is laid out for changes of its rest shapes, at time 0.
void begin_rest_changes(Model& model);

/// Sets R^-1 of a tet from its plastic deformation so far.
void change_rest(Model& model, std::size_t tet, const Mat3<double>& plastic);

/// Writes the rest shape of a tet to its place, batch * lanes + lane, if batches have been built.
void write_lane(Model& model, std::size_t tet, std::size_t place);

}  // namespace supple

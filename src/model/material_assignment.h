#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "model/element_layout.h"

namespace supple {

/// Middle of a tet at rest, m.
Vec3 centroid(const Model& model, const std::array<int, 4>& tet);

/// Which settings a tet with this centre has: 0 are the body's own, r + 1 those of the last region
/// r that contains it.
int settings_at(const Body& body, const Vec3& center);

/// Unit direction and kappa of the fibers in each tet of a body, or a single entry if all are
/// alike. With a curve, 1 replaces kappa. first_tet: the body's first tet in the model. Throws
/// Error{invalid_input} at `where` or below it.
std::vector<std::array<double, 4>> fibers_of(const FiberSettings& fiber, const std::string& where,
                                             const Model& model, std::size_t first_tet,
                                             std::size_t num_tets);

/// JSON pointer of a family of fibers; `where`: that of its body.
inline std::string place_of_fiber(const Body& body, const std::string& where, std::size_t family) {
  return where + "/fiber" + (body.fibers.size() == 1 ? "" : "/" + std::to_string(family));
}

/// Layers of a body. Each costs as much memory and time as another body.
inline constexpr std::size_t most_layers = 16;
/// Families of a body. Each costs a small part of the time of the body's material.
inline constexpr std::size_t most_fibers = 16;

/// Which material each tet of a scene has: from its bodies, their regions, layers and fibers.
class MaterialAssignment {
 public:
  /// stiffness_range: the stretches over which the constant stiffness is fitted.
  explicit MaterialAssignment(std::pair<double, double> stiffness_range)
      : stiffness_range_(std::move(stiffness_range)) {}

  /// Adds the materials of a body of tets. Its tets are those of `model` from first_tet on. Throws
  /// Error{invalid_input} at `where`, the body's JSON pointer, or below it.
  void add_body(const Body& body, const std::string& where, const Model& model,
                std::size_t first_tet);

  /// Turns the body added last into `arap`. Each tet keeps its stiffness k: mu = k/2. The body does
  /// not flow.
  void unfold_last_body();

  /// The elements of the model with the materials of all bodies, which were added in scene order.
  ElementLayout lay_out(const Model& model) &&;

 private:
  int find_or_add(const MaterialModel& material);
  template <class Takes>
  void add_layer(const MaterialSettings& settings, const std::string& place, ElementSource source,
                 const std::vector<char>& changes_rest, std::size_t first_tet, std::size_t num_tets,
                 const Takes& takes);
  int add_fibers(const Body& body, const std::string& where, const Model& model,
                 std::size_t first_tet);
  void add_rigid_body(const Body& body, const std::string& where, std::size_t num_tets);
  int add_plasticity(const MaterialSettings& settings, const std::string& place, const Body& body);
  double fit(const MaterialModel& material, const std::array<double, 4>& parameters,
             const std::string& where) const;

  std::pair<double, double> stiffness_range_;
  std::vector<ElementSource> sources_;
  std::vector<MaterialModel> materials_;
  std::vector<BodyFibers> fibers_;
  int num_families_ = 0;                        ///< of all bodies so far
  std::vector<double> stiffness_;               ///< [num_tets], Pa
  std::size_t last_source_ = 0, last_tet_ = 0;  ///< where the body added last begins
  std::vector<PlasticitySettings> plasticity_;
  std::vector<int> plasticity_of_tet_;  ///< [num_tets], -1: elastic
};

}  // namespace supple

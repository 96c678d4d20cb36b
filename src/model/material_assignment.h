#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "model/element_layout.h"

namespace supple {

/// Middle of a tet at rest, m.
Vec3 centroid(const Model& model, const std::array<int, 4>& tet);

/// Unit direction and kappa of the fibers of each tet of a body, or one of all; with a curve 1 in
/// the place of kappa. first_tet: of its tets in the model. Throws Error{invalid_input} at `where`
/// or below it.
std::vector<std::array<double, 4>> fibers_of(const FiberSettings& fiber, const std::string& where,
                                             const Model& model, std::size_t first_tet,
                                             std::size_t num_tets);

/// Where a family of fibers of a body stands; `where`: the body.
inline std::string place_of_fiber(const Body& body, const std::string& where, std::size_t family) {
  return where + "/fiber" + (body.fibers.size() == 1 ? "" : "/" + std::to_string(family));
}

/// Of a body: each costs the memory and the time of another body.
inline constexpr std::size_t most_layers = 16;
/// Families of a body: each costs a small part of the time of its material.
inline constexpr std::size_t most_fibers = 16;

/// Which material each tet of a scene has: those of its bodies, their regions, layers and fibers.
class MaterialAssignment {
 public:
  /// stiffness_range: of stretches, over which the constant stiffness is fitted.
  explicit MaterialAssignment(std::pair<double, double> stiffness_range)
      : stiffness_range_(std::move(stiffness_range)) {}

  /// The materials of a body of tets, which are those of `model` from first_tet on, as many as the
  /// body has. Throws Error{invalid_input} at `where`, the body's JSON pointer, or below it.
  void add_body(const Body& body, const std::string& where, const Model& model,
                std::size_t first_tet);

  /// The body added last becomes `arap`, each tet with the stiffness k that it has: mu = k/2; it
  /// does not flow.
  void unfold_last_body();

  /// The elements of the model with the materials of all bodies, added in the order of the scene.
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
  std::size_t last_source_ = 0, last_tet_ = 0;  ///< the first ones of the body added last
  std::vector<PlasticitySettings> plasticity_;
  std::vector<int> plasticity_of_tet_;  ///< [num_tets], -1: elastic
};

}  // namespace supple

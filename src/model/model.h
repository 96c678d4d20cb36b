#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/on_demand.h"
#include "materials/material.h"
#include "materials/plastic_strain.h"
#include "math/batch.h"
#include "math/cubic_spline.h"
#include "math/friction_memory.h"
#include "math/mat3.h"
#include "math/vector_field.h"
#include "potentials/bonds.h"
#include "potentials/membrane.h"
#include "potentials/pins.h"
#include "potentials/pressure.h"
#include "potentials/rods.h"
#include "potentials/springs.h"
#include "supple/mesh.h"
#include "supple/scene.h"

/// The model as the solvers read it: plain arrays, immutable once built except for what follows
/// muscles, growth and plastic flow, and for pins, bonds and the layout of the elements, which are
/// exchanged as a whole.
///
/// Elements are in batches of eight lanes, so that the local step runs one template on a SIMD
/// number. Consecutive batches with one body and one material model form a range, and the ranges of
/// a body follow each other. A range is sorted along a space-filling curve and cut into blocks of a
/// limited number of batches. A block sums the forces of its tets into private places (slots, one
/// for each vertex that it touches). A vertex then adds its slots in the order of the blocks. So no
/// two blocks write to one place, and the model alone fixes the order of every sum, whatever the
/// number of threads.
namespace supple {

inline constexpr int lanes = 8;

/// At most 768 tets. Blocks are large enough that few of their vertices lie on their border, where
/// a vertex has more than one slot. They are small enough that a second thread finds work in a body
/// of a few thousand tets.
inline constexpr int batches_per_block = 96;

/// Eight tets, for the kernels that do not read pairs (elements/face_pair_batches.h). Empty lanes
/// at the end of a range repeat its last tet with volume zero.
struct ElementBatch {
  std::int32_t vertex[4][lanes];  ///< corner, lane -> vertex of the model
  std::int32_t slot[4][lanes];    ///< corner, lane -> slot, counted from the block's first
  double inverse_rest[9][lanes];  ///< Dm^-1, row-major, 1/m; (R Dm)^-1 if the rest shape changes
  double volume[lanes];           ///< m^3; 0 in an empty lane
};

/// Consecutive batches of one body whose tets share one material model. A tet is in one range of
/// layer 0, and in one more for each further layer of its body.
struct ElementRange {
  MaterialModel material;
  int body = 0;
  int layer = 0;
  int num_fibers = 0;         ///< families of its tets
  bool changes_rest = false;  ///< its tets grow or flow
  int first_batch = 0;
  int num_batches = 0;
  /// [num_batches][num_parameters][lanes], or a single batch if all tets have the same.
  std::vector<double> parameters;
  int num_parameters = 0;
  int parameter_stride = 0;  ///< from one batch to the next; 0: the same for all
  /// [num_batches][num_fibers][4][lanes]: direction (unit; d/l in a muscle, see contract_fibers),
  /// and kappa in Pa or the factor of a curve.
  std::vector<double> fibers;
  /// [num_fibers], in the layout's `fiber_curves`; null: kappa is the stiffness.
  std::vector<const CubicSpline*> curves;
  /// [num_fibers], Pa: the part of a family with a curve in L, fitted over the solver's range; 0
  /// without a curve.
  std::vector<double> curve_stiffness;
  /// If the scene has muscles, `fibers` at activation 0; else empty.
  std::vector<double> resting_fibers;
  int first_fiber = 0;  ///< index of its first family in Model::activation
  /// If the body is damped, for layer 0: [num_batches][lanes], tau k of the tet in Pa s; else
  /// empty.
  std::vector<double> viscosity;

  /// Parameters of a batch of the range: [num_parameters][lanes].
  const double* parameters_of(std::size_t batch) const {
    return parameters.data() + batch * static_cast<std::size_t>(parameter_stride);
  }
  /// A parameter at a place of the range, batch * lanes + lane.
  double parameter(std::size_t place, int p) const {
    return parameters_of(place / lanes)[static_cast<std::size_t>(p) * lanes + place % lanes];
  }
};

/// Batches that one thread works through, at most `batches_per_block`.
struct ElementBlock {
  int range = 0;
  int first_batch = 0;
  int num_batches = 0;
  int first_slot = 0;
  int num_slots = 0;
};

/// One number for each tet. If all are equal, it is stored once. Copies share the storage.
class TetNumbers {
 public:
  TetNumbers() = default;
  explicit TetNumbers(std::vector<double> numbers);

  double operator[](std::size_t tet) const { return (*kept_)[tet * stride_]; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Every value that occurs, at least once.
  const std::vector<double>& kept() const { return *kept_; }
  /// [size()]
  std::vector<double> all() const;
  bool operator==(const TetNumbers& other) const;

 private:
  std::size_t size_ = 0, stride_ = 0;
  std::shared_ptr<const std::vector<double>> kept_ = std::make_shared<const std::vector<double>>();
};

/// The elements of all bodies with their materials: what the local step reads.
struct ElementLayout {
  /// [num_tets], Pa: the constant k of the matrix L [thesis eq. 7.14], fitted over the solver's
  /// range and summed over the layers.
  TetNumbers stiffness;
  std::vector<ElementRange> ranges;
  std::vector<ElementBlock> blocks;
  /// [num_batches * lanes]; an empty lane has ~t < 0, t being the tet that it repeats.
  std::vector<int> tet_of_lane;
  int num_slots = 0;
  std::vector<int> slot_start;  ///< [num_vertices + 1], into slot_list
  std::vector<int> slot_list;   ///< [num_slots], each vertex's slots in the order of the blocks
  std::vector<std::shared_ptr<const CubicSpline>> fiber_curves;
  std::vector<PlasticitySettings> plasticity;  ///< of the materials that flow
  std::vector<int> plasticity_of_tet;          ///< [num_tets], -1: elastic; empty if nothing flows
  Derived<std::vector<ElementBatch>> derived_batches;  ///< see Model::batches

  std::size_t num_batches() const { return tet_of_lane.size() / lanes; }

  /// The slot of a vertex in a block of its tets, counted from the block's first.
  std::int32_t slot_in(const ElementBlock& block, int vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    for (int s = slot_start[v];; ++s) {
      const int slot = slot_list[static_cast<std::size_t>(s)] - block.first_slot;
      if (slot >= 0 && slot < block.num_slots) return slot;
    }
  }
};

/// Growth of some of the tets.
struct GrowthField {
  TimedNumber stretch;
  std::vector<int> tets;
  std::vector<Vec3> directions;  ///< unit, [tets.size()]; empty: in all directions
  double now = 1;                ///< current stretch of the rest shapes
};

struct Model : ElementLayout {
  int num_vertices = 0;
  int num_tets = 0;
  std::vector<int> body_vertices;        ///< [num_bodies + 1], first vertex of each body
  std::vector<Vec3> rest;                ///< [num_vertices], m
  std::vector<double> mass;              ///< [num_vertices], kg; 0 if nothing uses the vertex
  std::vector<std::array<int, 4>> tets;  ///< [num_tets], in scene order
  std::vector<double> volume;            ///< [num_tets], m^3
  std::vector<GrowthField> growth;       ///< empty: nothing grows
  /// R^-1 with R = F_p G, for tets whose rest shape is changed by growth G and plastic flow F_p, so
  /// that F_e = F R^-1: [num_tets]; empty if no rest shape changes.
  std::vector<Mat3<double>> inverse_change;
  std::vector<char> has_new_rest;    ///< whether R has changed since the solvers were told
  std::vector<Mat3<double>> grown;   ///< G, [num_tets]; empty if nothing grows
  std::vector<double> grown_volume;  ///< det G, as `grown`

  PinSet pins;
  BondSet bonds;                        ///< between bodies and within them (sim/bond_setup.h)
  SpringSet springs;                    ///< of all bodies, in scene order
  MembraneSet membranes;                ///< of all bodies, body after body
  RodSet rods;                          ///< of all bodies, body after body
  PressureSet pressures;                ///< of all bodies, in scene order
  std::vector<TimedNumber> activation;  ///< a of the fiber families of all bodies, body after body;
                                        ///< empty: no muscles
  std::vector<double> fiber_stretch;    ///< current 1 - a, like `activation`
  std::vector<std::array<int, 3>> cloth_faces;  ///< triangles of all cloth, in scene order
  std::vector<double> damping;                  ///< tau, [num_bodies], s; empty: nothing is damped
  std::vector<char> is_rigid;                   ///< [num_bodies]; empty: all of them deform
  double diagonal_length = 0;                   ///< of the box around the rest shape, m
  /// Whether eliminating vertices in the order 0, 1, 2, ... gives a matrix over them little fill.
  bool in_elimination_order = false;

  int num_bodies() const { return static_cast<int>(body_vertices.size()) - 1; }

  /// Gradients of the shape functions of a tet's corners in the rest shape of the mesh, 1/m. Each
  /// call inverts Dm, so callers that need them in every iteration keep them.
  std::array<Vec3, 4> shape_gradients(std::size_t tet) const;
  /// The same in the current rest shape, from the tet's shape_gradients.
  std::array<Vec3, 4> elastic_gradients(std::size_t tet, std::array<Vec3, 4> gradients) const;
  std::array<Vec3, 4> elastic_gradients(std::size_t tet) const {
    return elastic_gradients(tet, shape_gradients(tet));
  }
  /// shape_gradients of all tets: [num_tets].
  std::vector<std::array<Vec3, 4>> all_shape_gradients() const;

  /// [num_batches], with the current rest shapes. The first call builds and keeps them all, so
  /// methods that read them call this when they are made or in their first step.
  const std::vector<ElementBatch>& batches() const;
  /// Batches first .. first + count - 1 for a single use: nothing is kept.
  std::vector<ElementBatch> make_batches(std::size_t first, std::size_t count) const;

  /// Volume of a tet's current rest shape, m^3.
  double elastic_volume(std::size_t tet) const {
    return grown_volume.empty() ? volume[tet] : volume[tet] * grown_volume[tet];
  }

  bool is_rigid_body(int body) const {
    return !is_rigid.empty() && is_rigid[static_cast<std::size_t>(body)] != 0;
  }
  bool is_rigid_vertex(int vertex) const {
    return !is_rigid.empty() && is_rigid_body(body_of(vertex));
  }

  bool is_damped() const { return !damping.empty(); }

  /// tau/a: what the damping of a vertex's body adds to each part of L, relative to that part.
  double damping_of(int vertex, double inverse_a) const {
    return damping.empty() ? 0 : damping[static_cast<std::size_t>(body_of(vertex))] * inverse_a;
  }

  /// The body of a vertex.
  int body_of(int vertex) const {
    const auto next = std::upper_bound(body_vertices.begin(), body_vertices.end(), vertex);
    return static_cast<int>(next - body_vertices.begin()) - 1;
  }
};

/// What changes from step to step.
struct State {
  VectorField x;           ///< [num_vertices], m
  VectorField v;           ///< [num_vertices], m/s
  double time = 0;         ///< s
  std::int64_t frame = 0;  ///< finished frames
  // What some integrators remember; empty before the first step and if not needed.
  VectorField x_previous;                ///< at the start of the last step, [num_vertices], m
  VectorField v_previous;                ///< at the same time, after drag, [num_vertices], m/s
  VectorField acceleration;              ///< [num_vertices], m/s^2
  std::vector<PlasticStrain> plastic{};  ///< [num_tets]; empty if no material flows
  std::vector<RodFrame> rods{};          ///< [segments of the rods]
  std::vector<double> multipliers{};     ///< [count_multipliers] (multipliers.h), N and Pa
  FrictionMemory friction{};             ///< if friction has memory and anything has touched
};

/// Whether a body is made of tets of the material `rigid`.
inline bool is_rigid(const Body& body) {
  return !body.mesh.tets.empty() && body.material.model == rigid_name;
}

/// Builds the model. Throws Error{invalid_input} with the JSON pointer of what cannot be simulated,
/// and Error{bad_file} for an invalid mesh.
Model build_model(const Scene& scene);

/// Lays out the elements of a model with the materials that its scene has now. Everything else in
/// the scene must be as when the model was built, but the vertices may have been renumbered. The
/// elements are those that build_model makes, and errors in materials are the same. unfolded:
/// [num_bodies], or empty; a body with a nonzero entry is `arap`, each tet with the constant
/// stiffness k of its own material.
ElementLayout lay_out_materials(const Scene& scene, const Model& model,
                                std::span<const char> unfolded = {});

/// Whether the same tets are in the same lanes, batches, ranges and blocks, so that only the
/// materials differ.
bool same_places(const ElementLayout& a, const ElementLayout& b);

/// Sets the fibers of muscles to what they are at this time, s. With the rest stretch l = 1 - a,
///   kappa/2 (|F d| - l)^2 = kappa l^2/2 (|F d/l| - 1)^2,
/// so they are stored as d/l and kappa l^2 (with a curve, the factor l^2). Returns whether any
/// changed. Allocates nothing.
bool contract_fibers(Model& model, double time);

/// Sets the rest shapes that grow to what they are at this time, s. plastic: the plastic flow so
/// far, of the state. Returns whether any changed. Allocates nothing.
bool grow(Model& model, const std::vector<PlasticStrain>& plastic, double time);

/// Writes R^-1 of all tets whose rest shape changes, and updates their lanes if batches have been
/// built.
void write_rest_shapes(Model& model, const std::vector<PlasticStrain>& plastic);

/// The state at time 0: the rest shape, or what `initial` makes of it, and the bodies' velocities.
State initial_state(const Scene& scene, const Model& model);

}  // namespace supple

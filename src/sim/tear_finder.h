#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "base/parallel_for.h"
#include "math/mat3.h"
#include "model/model.h"
#include "sim/numbering.h"
#include "sim/separations.h"

namespace supple {

/// Finds where bodies tear (TearingSettings). As usual in animation, cloth and solids tear around
/// vertices, not face by face, which leaves spikes [O'Brien & Hodgins 1999, sec. 5].
///
/// The load of a tet or of a triangle of a membrane is the larger of two ratios: its largest
/// principal stretch, the square root of the largest eigenvalue of F F^T, over the limit; and its
/// largest principal Cauchy stress over that limit. d is the eigenvector, in the world. The load of
/// a triangle or segment of springs is the largest ratio over the springs between its corners: of
/// the length to rest length times limit, or of the tension to its limit, of which a part of a
/// spring bears its share. d is the spring's direction, since nothing else in a net bears load. The
/// tension of an inextensible spring is its multiplier (model/multipliers.h). A vertex with
/// overloaded elements (load > 1) has
///   A = sum V load d d^T / sum V.
/// The first sum is over those elements, the second over all elements around the vertex; V are
/// volumes, areas or lengths at rest. In the order of the largest eigenvalues of A, at most
/// TearingSettings::per_frame vertices tear: among the elements around such a vertex, those whose
/// centres are on different sides of the plane through the vertex perpendicular to the eigenvector
/// come apart. Vertices in elements of a vertex that tears wait for the next frame, because the
/// tear relieves them.
class TearFinder {
 public:
  /// spring_shares: for the bodies of the scene (see TornBodies), or empty.
  TearFinder(const Scene& scene, const Model& model,
             std::span<const std::vector<double>> spring_shares);

  bool has_limits() const { return !bodies_.empty(); }

  /// Appends the pairs that come apart. is_asked(body): whether the body may tear. Allocates
  /// nothing while nothing is overloaded.
  template <class IsAsked>
  void find(const Scene& scene, const Model& model, const Numbering& numbering,
            const VectorField& x, const Separations& separations, Threads& threads,
            const IsAsked& is_asked, std::vector<BodySeparation>& found) {
    if (needs_stress_) find_stresses(model, x, threads);
    for (const Limits& limits : bodies_) {
      if (!is_asked(limits.body) || !find_loads(limits, model, x, threads)) continue;
      choose(limits, scene, model, numbering, x, separations.apart(limits.body), found);
    }
  }

 private:
  struct Limits {
    int body = 0;
    TearingSettings tearing;
    enum class Kind { tets, sheet, springs } kind = Kind::tets;
    std::size_t first = 0;  ///< first of its tets in the model, or of its elements in sheets_ or
                            ///< nets_
    std::size_t count = 0;
  };
  /// A triangle of a membrane.
  struct Sheet {
    std::array<int, 3> vertex;               ///< of the model
    std::array<std::array<double, 2>, 2> D;  ///< Dm^-1, row-major, 1/m
    double area = 0;                         ///< m^2
  };
  /// A triangle or segment of springs.
  struct Net {
    double measure = 0;               ///< area, m^2, or length, m, at rest
    std::size_t first = 0, last = 0;  ///< its springs in net_springs_
  };
  struct NetSpring {
    int spring = 0;      ///< of the model
    double share = 0;    ///< of the whole spring's stiffness
    double exact = NAN;  ///< the length that it keeps, m; NAN: it stretches
  };
  struct Load {
    double load = 0;
    Vec3 direction{0, 0, 0};
  };
  void add_net(const Body& body, int first_spring, std::span<const double> shares);
  double measure(const Limits& limits, std::size_t element, const Model& model) const;
  Load load_of_net(const Net& net, const TearingSettings& tearing, const Model& model,
                   const VectorField& x) const;
  Mat3<double> gradient_of_tet(const Model& model, std::size_t tet, const VectorField& x) const;
  void find_stresses(const Model& model, const VectorField& x, Threads& threads);
  bool find_loads(const Limits& limits, const Model& model, const VectorField& x, Threads& threads);
  Load load_of(const Limits& limits, std::size_t element, const Model& model, const VectorField& x,
               bool with_direction) const;
  void choose(const Limits& limits, const Scene& scene, const Model& model,
              const Numbering& numbering, const VectorField& x,
              const std::vector<ElementPair>& apart, std::vector<BodySeparation>& found) const;

  std::vector<Limits> bodies_;  ///< those that tear
  std::vector<Sheet> sheets_;
  std::vector<Net> nets_;
  std::vector<NetSpring> net_springs_;
  bool needs_stress_ = false;
  std::vector<Mat3<double>> gradients_, stresses_;   ///< [num_tets], if there is a limit of stress
  std::vector<double> loads_;                        ///< of the elements of a body
  std::vector<std::array<Vec3, 4>> shape_gradient_;  ///< [num_tets] if some may tear; or empty
};

}  // namespace supple

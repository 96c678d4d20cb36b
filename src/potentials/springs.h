#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/body_pieces.h"
#include "base/index.h"
#include "math/vector_field.h"
#include "supple/mesh.h"

namespace supple {

/// How to treat the eigenvalue of a compressed spring's Hessian across its direction, which is
/// negative: k (1 - r/l), l < r.
enum class SpringHessian {
  exact,    ///< left as it is
  clamp,    ///< it becomes zero [Teran et al. 2005; for springs Choi & Ko 2002]
  absolute  ///< it becomes its absolute value
};

/// Springs between vertices of a model [Liu et al. 2013; thesis eqs. 4.2 to 4.4]:
///   E = k/2 (l - r)^2,  l = |x_a - x_b|,
///   dE/dx_a = k (l - r) n = -dE/dx_b,  n = (x_a - x_b)/l.
/// At l = 0 the energy has a kink and no direction; n is then the direction of the spring at rest,
/// so that a spring squeezed to a point pushes apart again.
struct SpringSet {
  struct Spring {
    std::int32_t a, b;   ///< vertices of the model, a != b
    double stiffness;    ///< k, N/m
    double rest_length;  ///< r, m, >= 0; for an inextensible one see `inextensible`
  };

  std::vector<Spring> springs;       ///< [num_springs], in scene order
  std::vector<Vec3> rest_direction;  ///< [num_springs], unit, from b to a
  /// [num_vertices + 1], first entry of each vertex in `incident`; empty if there are no springs.
  std::vector<int> start;
  /// [2 num_springs]: 2 s + e for end e of spring s (0: a, 1: b), ascending at each vertex.
  std::vector<int> incident;
  /// Springs that keep their lengths r exactly, ascending, and these lengths, m. With the tension t
  /// as the multiplier of the constraint, the augmented Lagrangian k/2 (l - r)^2 + t (l - r) is, up
  /// to a constant, the energy of a spring of rest length r - t/k. This is their `rest_length`.
  std::vector<std::int32_t> inextensible{};
  std::vector<double> exact_length{};
  /// [num_bodies + 1], the first of `inextensible` for each body; empty if there are none.
  std::vector<int> first_inextensible{};

  std::size_t size() const { return springs.size(); }
  bool empty() const { return springs.empty(); }

  /// Appends a spring; `rest` holds the rest positions of the model's vertices.
  void add(const Spring& spring, const std::vector<Vec3>& rest);

  /// The first spring of each body, [num_bodies + 1]: springs are in the order of the bodies.
  std::vector<int> first_of_bodies(std::span<const int> body_vertices) const;

  /// Where a spring is in `inextensible`; empty if it is not.
  std::optional<std::size_t> find_inextensible(int spring) const;

  /// Fills `first_inextensible` once all springs are there.
  void index_bodies(std::span<const int> body_vertices);

  /// Fills `start` and `incident` once all springs are there.
  void index_vertices(int num_vertices);

  /// The vertex at the other end of an entry of `incident`.
  int other_end(int entry) const {
    const Spring& spring = springs[static_cast<std::size_t>(entry / 2)];
    return entry % 2 == 0 ? spring.b : spring.a;
  }

  /// The point d nearest to x_a - x_b with |d| = r, m [thesis eq. 5.1]: the local step of
  /// Projective Dynamics. Gradient: k ((x_a - x_b) - d).
  void project(std::size_t s, const double* x_a, const double* x_b, double* d) const;

  /// dE/dx_a = -dE/dx_b in N; returns the energy in J.
  double energy_and_force(std::size_t s, const double* x_a, const double* x_b,
                          double* gradient) const;
};

/// Like SpringSet::energy_and_force, for a single spring.
double energy_and_force(const SpringSet::Spring& spring, const Vec3& rest_direction,
                        const double* x_a, const double* x_b, double* gradient);

/// The 3x3 block H of a spring's Hessian [H, -H; -H, H], N/m, row-major and symmetric [thesis eqs.
/// 4.5 to 4.8]:
///   H = k (n n^T + (1 - r/l) (I - n n^T)).
/// Its eigenvalues are k along the spring and k (1 - r/l) across it; the latter is changed as
/// `mode` says. A spring of length zero with r > 0 has no direction: it gets k I.
void spring_hessian(const SpringSet::Spring& spring, const double* x_a, const double* x_b,
                    SpringHessian mode, double* block);

struct SpringKernels;

/// Energy of all springs and its gradient. It keeps the springs of each body in the order of their
/// vertices, so that what is read and written together is close together in memory. Chunks of a
/// fixed size write forces to places of their own; each vertex then adds those of its springs in
/// their order. So no sum depends on the number of threads.
class SpringEnergy {
 public:
  /// body_vertices: [num_bodies + 1], the first vertex of each body.
  SpringEnergy(const SpringSet& set, std::span<const int> body_vertices);

  /// From now on `evaluate` works only on these bodies, ascending. Allocates nothing.
  void select(std::span<const int> bodies) { pieces_.select(bodies); }

  /// Energy at x, J. The forces keep their values until the next time.
  double evaluate(const VectorField& x, Threads& threads);

  /// Energy of one body in the last `evaluate`, J.
  double energy_of(int body) const;

  /// dE/dx_a of a spring of the set in the last `evaluate`, N.
  PaddedVector& force(std::size_t spring) { return forces_[at(place_[spring])]; }

  /// Adds dE/dx of a vertex from the last `evaluate`, N.
  void add_gradient_of_vertex(int vertex, PaddedVector& sum) const {
    if (set_->empty()) return;
    for (int i = start_[at(vertex)]; i < start_[at(vertex) + 1]; ++i) {
      const int entry = incident_[at(i)];
      const PaddedVector& force = forces_[at(entry / 2)];
      const double sign = entry % 2 == 0 ? 1.0 : -1.0;
      for (int k = 0; k < 4; ++k) sum[k] += sign * force[k];
    }
  }

  /// Forces of the last `evaluate` and which ends of them are at each vertex, as in SpringSet.
  const PaddedVector* forces() const { return forces_.data(); }
  const int* start() const { return start_.data(); }
  const int* incident() const { return incident_.data(); }

 private:
  const SpringSet* set_;
  const SpringKernels* kernels_;
  std::vector<PieceRange> chunks_;
  BodyPieces pieces_;
  std::vector<int> order_;                  ///< [num_springs], of the set, in the order used here
  std::vector<int> place_;                  ///< [num_springs], of each spring of the set
  std::vector<SpringSet::Spring> springs_;  ///< [num_springs]
  std::vector<int> start_, incident_;       ///< as in SpringSet
  VectorField forces_;                      ///< [num_springs], dE/dx_a, N
  std::vector<double> chunk_energy_;        ///< [num_chunks], J
};

}  // namespace supple

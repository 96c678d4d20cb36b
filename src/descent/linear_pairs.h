#pragma once

#include <memory>
#include <span>
#include <vector>

#include "descent/constant_direction.h"

namespace supple {

/// L-BFGS around a matrix A0^-1 that is symmetric and the same for a whole step, so that both loops
/// of the recursion run over numbers alone. Two fields are kept of iterate k, the inner direction
///   z_k = -A0^-1 grad g(x_k)
/// and the direction p_k itself, and with them their products with gradients. With s_k = alpha_k
/// p_k
///   w_k = A0^-1 t_k = z_k - z_{k+1},  t_i . A0^-1 grad g = w_i . grad g,
/// and products of the newest t with older s and w are differences of their products with two
/// gradients. After a short step such differences are small, so products within the newest pair are
/// taken with t itself, number by number. An iteration reads the kept fields once for the products
/// with its gradient and once for the sum
///   p = z + sum zeta_i w_i - sum (zeta_i - eta_i) s_i,
/// and writes two fields. Accepting a step costs nothing.
///
/// Fields of scenes with a large body are kept in floats: they shape the direction only. What
/// rounding takes from the mean of a field, weighted by the masses, is kept beside it for each run
/// of vertices, so that what nothing holds keeps its momentum to the last digit.
class LinearPairs {
 public:
  enum class Kept { by_size, in_doubles, in_floats };

  /// The fields that are kept of iterates. They mean nothing between two steps: several LinearPairs
  /// can share one as long as their steps do not overlap.
  struct Fields {
    std::vector<double> doubles;  ///< [num_fields * stride]: inner directions, directions
    std::vector<float> floats;    ///< the same
  };

  /// history: number of pairs, at least one. fields: shared ones; null: its own.
  LinearPairs(const Model& model, int history, Kept kept = Kept::by_size,
              std::shared_ptr<Fields> fields = nullptr);

  const std::shared_ptr<Fields>& fields() const { return fields_; }

  /// A step begins, without pairs. The first call makes room.
  void begin_step(VectorAlgebra& algebra);
  void clear();
  bool is_empty() const { return count_ == 0; }

  /// Turns p from the inner direction at a point into the direction from there, m. inner: what has
  /// left p unfinished; null: p is finished. Without the gradient before, the step that was
  /// accepted last is forgotten.
  void correct(VectorAlgebra& algebra, const Iterate& at, VectorField& p,
               const ConstantDirection* inner = nullptr);
  /// grad g . p of the last direction, J.
  double slope() const { return slope_; }

  /// Makes p the inner direction z of the last point. Only if there are no pairs.
  void replace_inner(VectorAlgebra& algebra, const VectorField& p);

  /// Number of fields that H - A0^-1 is made of: the most ever, and now.
  int most_learnt() const { return num_fields_; }
  int num_learnt() const { return static_cast<int>(learnt_.size()); }
  /// Field i at a vertex, m.
  Vec3 learnt(int i, int vertex) const;
  /// From the products of these fields with forces f, J: the factors with which the fields make up
  /// (H - A0^-1) f.
  void respond(std::span<const double> products, std::span<double> factors);
  /// Adds the fields with such factors to p.
  void add_learnt(VectorAlgebra& algebra, std::span<const double> factors, VectorField& p);

  /// Makes p the last direction; `gradient` is that at its start.
  void replace(VectorAlgebra& algebra, const VectorField& gradient, const VectorField& p);

  /// A step alpha p along the last direction was taken; the next gradient will be that of its end.
  void accept(double alpha);

 private:
  struct Pair {
    int direction;  ///< slot of p
    int from, to;   ///< slots of z where the step begins and ends
    double alpha;
    double rho;  ///< t . s, J
  };
  /// A field in a slot, by its products.
  struct Products {
    double now = 0, before = 0;  ///< with the gradient, and with the one before it, J
    double factor = 0;           ///< in the direction that is being made
  };
  /// Vertices of one chunk and one part.
  struct Run {
    int first, last;
    double mass;  ///< kg
  };

  int place(int i) const { return (newest_ - i + history_) % history_; }
  Pair& pair(int i) { return pairs_[static_cast<std::size_t>(place(i))]; }
  double& number(std::vector<double>& of, int i, int j) {
    return of[static_cast<std::size_t>(place(i) * history_ + place(j))];
  }
  Products& inner(int slot) { return products_[static_cast<std::size_t>(slot)]; }
  Products& direction(int slot) { return products_[static_cast<std::size_t>(num_inner_ + slot)]; }

  void make_runs(VectorAlgebra& algebra);
  void find_live();
  int free_inner();
  int free_direction();
  template <class T>
  std::vector<T>& storage();
  template <class T>
  void multiply(VectorAlgebra& algebra, const Iterate& at, const ConstantDirection* inner,
                VectorField& p, int kept);
  double sum_of_chunks(const VectorAlgebra& algebra, std::size_t place) const;
  template <class T>
  void combine(VectorAlgebra& algebra, const std::vector<int>& of, const Iterate* at,
               double own_factor, VectorField& p, int kept);
  template <class Work>
  void for_runs(int chunk, const Work& work);
  void keep(const VectorKernels& kernels, const Run& run, std::size_t index, const VectorField& p,
            int field);
  PaddedVector& offset_of(int field, std::size_t run) {
    return offset_[static_cast<std::size_t>(field) * runs_.size() + run];
  }
  void add_pair(int to);
  void recur(int now, double own_factor);
  void keep_all(VectorAlgebra& algebra, const VectorField& p, int field);

  const Model* model_;
  int history_;
  int num_inner_, num_fields_;
  bool in_floats_;
  std::size_t stride_;  ///< numbers of a field
  std::shared_ptr<Fields> fields_;
  std::vector<Run> runs_;             ///< in floats
  std::vector<int> run_of_chunk_;     ///< [num_chunks + 1]
  std::vector<PaddedVector> offset_;  ///< [num_fields * num_runs], m
  std::vector<Products> products_;    ///< [num_fields]
  std::vector<int> live_;             ///< fields that are read
  std::vector<int> learnt_;           ///< fields of pairs
  std::vector<Products> kept_;        ///< products_ while `respond` works
  std::vector<double> partial_;       ///< of the chunks: [num_fields] and three of the newest t
  std::vector<Pair> pairs_;           ///< ring of `history`
  std::vector<double> s_t_;           ///< [history^2], s_i . t_j of an older i and a newer j, J
  std::vector<double> t_w_;           ///< [history^2], t_i . w_j, J
  std::vector<double> zeta_, step_;   ///< [history], step: zeta - eta
  std::vector<double> factors_;       ///< of the fields that are read
  int newest_ = -1, count_ = 0;
  int current_ = -1;         ///< slot of the z of the last direction
  int last_direction_ = -1;  ///< slot of the last direction itself
  bool has_step_ = false;    ///< a step was taken along it
  double alpha_ = 0;
  double t_direction_ = 0, t_from_ = 0, t_to_ = 0;  ///< newest t times p and z at both ends, J
  double slope_ = 0;
};

}  // namespace supple

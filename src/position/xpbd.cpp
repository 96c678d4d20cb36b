#include "position/xpbd.h"

#include <string>
#include <vector>

#include "base/names.h"
#include "position/spring_constraints.h"
#include "position/tet_constraints.h"
#include "position/vertex_constraints.h"
#include "supple/error.h"

namespace supple {

namespace {

/// Which of the known names a setting has. Throws Error{invalid_input} for any other.
std::size_t index_of(const std::string& what, const std::string& name,
                     const std::vector<std::string>& known) {
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] == name) return i;
  }
  throw Error(ErrorKind::invalid_input, "/solver/" + what, unknown_name(what, name, known));
}

TetProjection projection_of_name(const std::string& name) {
  constexpr TetProjection values[] = {TetProjection::stress, TetProjection::sequential,
                                      TetProjection::block};
  return values[index_of("projection", name, {"stress", "sequential", "block"})];
}

/// Are all numbers finite? (0 times infinity is not a number.)
template <class T>
bool are_finite(const Positions<T>& x) {
  T sum[4] = {0, 0, 0, 0};
  for (const PaddedPosition<T>& p : x) {
    for (int k = 0; k < 4; ++k) sum[k] += p[k] * T(0);
  }
  return sum[0] == 0 && sum[1] == 0 && sum[2] == 0;
}

template <class T>
class Xpbd final : public PositionSolver {
 public:
  Xpbd(const Model& model, ContactEnergy* contact, TetProjection projection, bool keep,
       const std::string& order)
      : keep_(keep),
        tets_(model, make_schedule(model.tets, model.num_vertices, order, row_lanes<T>),
              projection),
        springs_(model,
                 projection == TetProjection::stress ? SpringProjection::stress
                                                     : SpringProjection::sequential,
                 keep),
        vertices_(model, contact, keep),
        x_(static_cast<std::size_t>(model.num_vertices)),
        x_start_(keep ? x_.size() : 0) {}

  void begin(const PositionStep& step, Threads& threads) override {
    copy_to(step.y, x_);
    springs_.begin(step);
    vertices_.begin(step);
    const double a2 = 1 / step.inverse_a2;
    if (keep_) {
      springs_.apply_kept(x_);
      copy_to(step.x_start, x_start_);
      tets_.begin_kept(a2, x_start_, x_, threads);
      vertices_.apply_kept(x_);
    } else {
      tets_.begin(a2);
    }
  }

  bool iterate(Threads& threads) override {
    vertices_.detect(x_, threads);
    tets_.project(x_, threads);
    if (!springs_.empty()) springs_.project(x_, threads);
    vertices_.project(x_, threads);
    return are_finite(x_);
  }

  void copy_positions(VectorField& z) const override { copy_to(x_, z); }
  void pins_changed() override { vertices_.pins_changed(); }

  std::vector<ConstraintGroup> groups() const override {
    std::vector<ConstraintGroup> groups = tets_.groups();
    const std::vector<ConstraintGroup> springs = springs_.groups();
    groups.insert(groups.end(), springs.begin(), springs.end());
    return groups;
  }
  int num_contacts() const override { return vertices_.num_contacts(); }
  double worst_violation() const override { return tets_.worst_violation(); }

 private:
  bool keep_;
  TetConstraints<T> tets_;
  SpringConstraints<T> springs_;
  VertexConstraints<T> vertices_;
  Positions<T> x_;
  Positions<T> x_start_;  ///< where multipliers are kept
};

}  // namespace

std::unique_ptr<PositionSolver> make_xpbd(const Model& model, ContactEnergy* contact,
                                          const SolverSettings& settings) {
  const TetProjection projection = projection_of_name(settings.projection);
  const bool keep = index_of("multipliers", settings.multipliers, {"zero", "kept"}) == 1;
  if (index_of("precision", settings.precision, {"double", "float"}) == 1) {
    return std::make_unique<Xpbd<float>>(model, contact, projection, keep, settings.order);
  }
  return std::make_unique<Xpbd<double>>(model, contact, projection, keep, settings.order);
}

}  // namespace supple

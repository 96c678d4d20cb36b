#include "position/xpbd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "base/index.h"
#include "position/bend_constraints.h"
#include "position/bond_constraints.h"
#include "position/rod_constraints.h"
#include "position/sheet_constraints.h"
#include "position/spring_constraints.h"
#include "position/tet_constraints.h"
#include "position/vertex_constraints.h"
#include "position/volume_constraints.h"
#include "supple/error.h"

namespace supple {

namespace {

TetProjection projection_of(XpbdProjection choice) {
  switch (choice) {
    case XpbdProjection::sequential:
      return TetProjection::sequential;
    case XpbdProjection::block:
      return TetProjection::block;
    case XpbdProjection::stress:
      break;
  }
  return TetProjection::stress;
}

/// Whether all numbers are finite. (0 times infinity is not a number.)
template <class T>
bool are_finite(const Positions<T>& x) {
  T sum[4] = {0, 0, 0, 0};
  for (const PaddedPosition<T>& p : x) {
    for (int k = 0; k < 4; ++k) sum[k] += p[k] * T(0);
  }
  return sum[0] == 0 && sum[1] == 0 && sum[2] == 0;
}

/// F of a tet at z. gradients: Model::elastic_gradients.
Mat3<double> deformation_gradient(const Model& model, std::size_t tet,
                                  const std::array<Vec3, 4>& gradients, const VectorField& z) {
  Mat3<double> F = Mat3<double>::zero();
  for (std::size_t c = 0; c < 4; ++c) {
    const PaddedVector& x = z[static_cast<std::size_t>(model.tets[tet][c])];
    const Vec3& b = gradients[c];
    for (int i = 0; i < 9; ++i) F(i / 3, i % 3) += x[i / 3] * b[static_cast<std::size_t>(i % 3)];
  }
  return F;
}

/// A tet of lower quality is poor. Those of lattices have 0.66 and more.
constexpr double poor_quality = 0.3;

/// 6 sqrt(2) V/l^3, where l is the root mean square of the edges: 1 for a regular tet, 0 for a flat
/// one.
double shape_quality(const Model& model, int tet) {
  const std::array<int, 4>& corners = model.tets[static_cast<std::size_t>(tet)];
  double squares = 0;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = a + 1; b < 4; ++b) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double d = model.rest[static_cast<std::size_t>(corners[a])][k] -
                         model.rest[static_cast<std::size_t>(corners[b])][k];
        squares += d * d;
      }
    }
  }
  const double length = std::sqrt(squares / 6);
  return 6 * std::sqrt(2.0) * model.volume[static_cast<std::size_t>(tet)] /
         (length * length * length);
}

template <class T>
class Xpbd final : public PositionSolver {
 public:
  Xpbd(const Model& model, ContactEnergy* contact, TetProjection projection, bool keep,
       XpbdOrder order)
      : model_(&model),
        keep_(keep),
        parts_(split(model, projection, order)),
        tets_(make_parts()),
        sheets_(model, keep),
        bends_(model, keep),
        rods_(model, keep),
        springs_(model,
                 projection == TetProjection::stress ? SpringProjection::stress
                                                     : SpringProjection::sequential,
                 keep, rods_.own_springs()),
        bonds_(model, keep),
        volumes_(model, keep),
        vertices_(model, contact, keep, true, rods_.own_vertices()),
        x_(static_cast<std::size_t>(model.num_vertices)),
        x_start_(keep || model.is_damped() ? x_.size() : 0),
        y_(std::is_same_v<T, double> ? 0 : x_.size()) {}

  void begin(const PositionStep& step, Threads& threads) override {
    copy_to(step.y, x_);
    if constexpr (!std::is_same_v<T, double>) std::copy(step.y.begin(), step.y.end(), y_.begin());
    if (!x_start_.empty()) copy_to(step.x_start, x_start_);
    sheets_.begin(step);
    bends_.begin(step);
    rods_.begin(step);
    springs_.begin(step);
    bonds_.begin(step);
    volumes_.begin(step, threads);
    vertices_.begin(step, threads);
    const double a2 = 1 / step.inverse_a2;
    if (keep_ && !step.first_of_frame) {
      springs_.apply_kept(x_);
      for (TetConstraints<T>& tets : tets_) tets.begin_kept(a2, x_start_, x_, threads);
      sheets_.apply_kept(x_);
      bends_.apply_kept(x_);
      rods_.apply_kept(x_);
      bonds_.apply_kept(x_);
      volumes_.apply_kept(x_);
      vertices_.apply_kept(x_);
    } else {
      for (TetConstraints<T>& tets : tets_) tets.begin(a2, x_start_.data());
    }
  }

  bool iterate(Threads& threads) override {
    for (TetConstraints<T>& tets : tets_) tets.project(x_, threads);
    if (!sheets_.empty()) sheets_.project(x_, threads);
    if (!bends_.empty()) bends_.project(x_, threads);
    if (!rods_.empty()) rods_.project(x_, threads);
    if (!springs_.empty()) springs_.project(x_, threads);
    if (!bonds_.empty()) bonds_.project(x_, threads);
    if (!volumes_.empty()) volumes_.project(x_, threads);
    vertices_.detect(x_, threads);
    vertices_.project(x_, threads);
    return are_finite(x_);
  }

  /// If positions are floats, z is y plus how far they have moved from y in floats: what does not
  /// move keeps its bits.
  void copy_positions(VectorField& z) const override {
    if constexpr (std::is_same_v<T, double>) {
      copy_to(x_, z);
    } else {
      for (std::size_t i = 0; i < x_.size(); ++i) {
        for (int k = 0; k < 3; ++k) {
          const double rounded = static_cast<double>(static_cast<T>(y_[i][k]));
          z[i][k] = y_[i][k] + (static_cast<double>(x_[i][k]) - rounded);
        }
      }
    }
  }
  void pins_changed() override {
    rods_.pins_changed();
    vertices_.pins_changed();
  }
  void bonds_changed() override { bonds_ = BondConstraints<T>(*model_, keep_); }
  void materials_changed(bool same_places) override {
    bool taken = same_places;
    for (TetConstraints<T>& tets : tets_) taken = taken && tets.take_materials();
    if (!taken) tets_ = make_parts();
  }
  void shapes_changed() override {
    for (TetConstraints<T>& tets : tets_) tets.shapes_changed();
  }
  void fibers_changed() override {
    for (TetConstraints<T>& tets : tets_) tets.fibers_changed();
  }
  void contact_changed(ContactEnergy* contact) override { vertices_.contact_changed(contact); }

  std::vector<ConstraintGroup> groups() const override {
    std::vector<ConstraintGroup> groups;
    for (const TetConstraints<T>& tets : tets_) {
      const std::vector<ConstraintGroup> own = tets.groups();
      groups.insert(groups.end(), own.begin(), own.end());
    }
    const auto add = [&](const std::vector<ConstraintGroup>& own) {
      groups.insert(groups.end(), own.begin(), own.end());
    };
    add(sheets_.groups());
    add(bends_.groups());
    add(rods_.groups());
    add(springs_.groups());
    add(bonds_.groups());
    add(volumes_.groups());
    return groups;
  }
  int num_contacts() const override { return vertices_.num_contacts(); }
  double worst_violation() const override {
    double worst = 0;
    for (const TetConstraints<T>& tets : tets_) worst = std::max(worst, tets.worst_violation());
    return worst;
  }

  bool copy_multipliers(const VectorField& z, std::vector<double>& multipliers) const override {
    std::size_t next = 0;
    for (; next < model_->springs.inextensible.size(); ++next) {
      multipliers[next] = tension_of(next, z);
    }
    for (std::size_t c = 0; c < model_->pressures.chambers.size(); ++c) {
      if (model_->pressures.chambers[c].is_exact()) multipliers[next++] = volumes_.pressure(c);
    }
    return true;
  }

  void add_constraint_forces(const VectorField& z, Threads& threads,
                             VectorField& gradient) override {
    const SpringSet& springs = model_->springs;
    for (std::size_t i = 0; i < springs.inextensible.size(); ++i) {
      const SpringSet::Spring& spring = springs.springs[at(springs.inextensible[i])];
      PaddedVector &on_a = gradient[at(spring.a)], &on_b = gradient[at(spring.b)];
      const PaddedVector &a = z[at(spring.a)], &b = z[at(spring.b)];
      const Vec3 d{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
      const double length = std::hypot(d[0], d[1], d[2]);
      if (!(length > 0)) continue;
      const double more =
          (tension_of(i, z) - spring.stiffness * (length - spring.rest_length)) / length;
      for (int k = 0; k < 3; ++k) {
        on_a[k] += more * d[at(k)];
        on_b[k] -= more * d[at(k)];
      }
    }
    volumes_.add_exact_forces(z, threads, gradient);
    if (!tets_.front().any_incompressible()) return;
    read_pressures();
    for (std::size_t t = 0; t < excess_.size(); ++t) {
      if (excess_[t] == 0) continue;
      const std::array<Vec3, 4> gradients = model_->elastic_gradients(t);
      const Mat3<double> P = model_->elastic_volume(t) * excess_[t] *
                             cofactor(deformation_gradient(*model_, t, gradients, z));
      for (std::size_t c = 0; c < 4; ++c) {
        PaddedVector& of_vertex = gradient[static_cast<std::size_t>(model_->tets[t][c])];
        const Vec3& b = gradients[c];
        for (int k = 0; k < 3; ++k) {
          of_vertex[k] += P(k, 0) * b[0] + P(k, 1) * b[1] + P(k, 2) * b[2];
        }
      }
    }
  }

  bool copy_stresses(const VectorField& z, std::vector<MultiplierStress>& stresses) const override {
    Positions<T> x(z.size());
    copy_to(z, x);
    std::vector<Mat3<double>> P, part;
    for (const TetConstraints<T>& tets : tets_) {
      tets.stresses(x, part);
      if (P.empty()) P.assign(part.size(), Mat3<double>::zero());
      for (std::size_t t = 0; t < P.size(); ++t) P[t] = P[t] + part[t];
    }
    read_pressures();
    stresses.assign(P.size(), {});
    for (std::size_t t = 0; t < P.size(); ++t) {
      const Mat3<double> F = deformation_gradient(*model_, t, model_->elastic_gradients(t), z);
      const Mat3<double> c = cofactor(F);
      const double J = dot(F.column(0), c.column(0));
      if (pressure_[t] == 0 || J == 0) continue;
      // Cauchy stress: (P - p cof F) F^T / J. With whole stresses it is symmetric only at the
      // solution.
      const Mat3<double> sigma = (1 / J) * times_transpose(P[t] - pressure_[t] * c, F);
      stresses[t] = {
          .hydrostatic = pressure_[t],
          .deviatoric = {sigma(0, 0), sigma(1, 1), sigma(2, 2), 0.5 * (sigma(0, 1) + sigma(1, 0)),
                         0.5 * (sigma(1, 2) + sigma(2, 1)), 0.5 * (sigma(2, 0) + sigma(0, 2))}};
    }
    return true;
  }

 private:
  /// Tets that are projected in the same way.
  struct Part {
    Schedule schedule;
    TetProjection projection;
  };

  std::vector<TetConstraints<T>> make_parts() const {
    std::vector<TetConstraints<T>> tets;
    for (const Part& part : parts_) tets.emplace_back(*model_, part.schedule, part.projection);
    return tets;
  }

  static std::vector<Part> split(const Model& model, TetProjection projection, XpbdOrder order) {
    if (projection != TetProjection::stress) {
      return {{make_schedule(model.tets, model.num_vertices, order, row_lanes<T>), projection}};
    }
    std::vector<int> good, poor;
    for (int t = 0; t < model.num_tets; ++t) {
      (shape_quality(model, t) < poor_quality ? poor : good).push_back(t);
    }
    std::vector<Part> parts{{schedule_of(model, good, order), TetProjection::stress}};
    if (!poor.empty()) {
      parts.push_back({schedule_of(model, poor, order), TetProjection::careful_stress});
    }
    return parts;
  }

  static Schedule schedule_of(const Model& model, const std::vector<int>& chosen, XpbdOrder order) {
    std::vector<std::array<int, 4>> tets;
    tets.reserve(chosen.size());
    for (const int t : chosen) tets.push_back(model.tets[static_cast<std::size_t>(t)]);
    Schedule schedule = make_schedule(tets, model.num_vertices, order, row_lanes<T>);
    for (int& tet : schedule.tet_of_lane) {
      if (tet >= 0) tet = chosen[static_cast<std::size_t>(tet)];
    }
    return schedule;
  }

  /// number: into SpringSet::inextensible.
  double tension_of(std::size_t number, const VectorField& z) const {
    const std::size_t spring = at(model_->springs.inextensible[number]);
    const bool is_of_rod = !rods_.empty() && rods_.own_springs()[spring] != 0;
    return is_of_rod ? rods_.tension(number) : springs_.tension(spring, z);
  }

  void read_pressures() const {
    pressure_.assign(static_cast<std::size_t>(model_->num_tets), 0.0);
    excess_.assign(pressure_.size(), 0.0);
    for (const TetConstraints<T>& tets : tets_) tets.add_pressures(pressure_, excess_);
  }

  const Model* model_;
  bool keep_;
  std::vector<Part> parts_;
  std::vector<TetConstraints<T>> tets_;  ///< one for each part
  SheetConstraints<T> sheets_;
  BendConstraints<T> bends_;
  RodConstraints<T> rods_;
  SpringConstraints<T> springs_;
  BondConstraints<T> bonds_;
  VolumeConstraints<T> volumes_;
  VertexConstraints<T> vertices_;
  Positions<T> x_;
  Positions<T> x_start_;                           ///< if multipliers are kept or there is damping
  VectorField y_;                                  ///< y of the substep, if T is not double
  mutable std::vector<double> pressure_, excess_;  ///< [num_tets], for measures
};

}  // namespace

std::unique_ptr<PositionSolver> make_xpbd(const Model& model, ContactEnergy* contact,
                                          const SolverSettings& settings) {
  const TetProjection projection = projection_of(settings.projection);
  const bool keep = settings.multipliers == XpbdMultipliers::kept;
  if (settings.precision == XpbdPrecision::float32) {
    return std::make_unique<Xpbd<float>>(model, contact, projection, keep, settings.order);
  }
  return std::make_unique<Xpbd<double>>(model, contact, projection, keep, settings.order);
}

}  // namespace supple

#include "position/constraint_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "base/index.h"
#include "materials/projection.h"
#include "math/mat3.h"
#include "model/range_fibers.h"
#include "position/constraint_forms.h"
#include "supple/error.h"

namespace supple {

namespace {

using Kind = ConstraintRow::Kind;
using Matrix = Mat3<double>;
using Vector = Vector3<double>;

/// Springs of one kind have one stiffness; this allows for its rounding.
constexpr double same_stiffness = 1 - 1e-9;
/// Below these a strain is rounding and has no direction: the first for |F - p(F)|, the second for
/// a shape, which is the root of a difference of numbers of size 4.
constexpr double least_distance = 1e-12;
constexpr double least_shape = 1e-7;

class RowBuilder {
 public:
  explicit RowBuilder(const Model& model) : model_(model) {}

  std::vector<ConstraintRow> build() {
    for (const ElementRange& range : model_.ranges) add_range(range);
    add_springs();
    add_pins();
    return std::move(rows_);
  }

 private:
  void add(const ConstraintRow& row) {
    const bool moves = std::any_of(row.vertex.begin(), row.vertex.end(),
                                   [&](int v) { return v >= 0 && model_.mass[at(v)] > 0; });
    if (moves && std::isfinite(row.compliance)) rows_.push_back(row);
  }

  void add_range(const ElementRange& range) {
    if (!has_constraint_form(range.material)) {
      std::string known;
      for (const std::string& name : materials_with_constraint_form()) known += " " + name;
      const char* found = std::visit([](const auto& m) { return m.name; }, range.material);
      throw Error(ErrorKind::invalid_input, "/solver/method",
                  fmt::format("the material {} has no form as constraints; those that have:{}",
                              found, known));
    }
    for (int i = 0; i < range.num_batches * lanes; ++i) {
      const int tet = model_.tet_of_lane[at(range.first_batch * lanes + i)];
      if (tet >= 0) add_tet(range, at(i), tet);
    }
  }

  void add_tet(const ElementRange& range, std::size_t place, int tet) {
    const std::size_t batch = place / lanes, lane = place % lanes;
    const double volume = model_.volume[at(tet)];
    ConstraintRow row{.kind = Kind::distance, .source = tet, .compliance = 0};
    row.vertex = model_.tets[at(tet)];
    for (std::size_t p = 0; p < std::min(at(range.num_parameters), row.parameter.size()); ++p) {
      row.parameter[p] = range.parameter(place, static_cast<int>(p));
    }
    if (std::holds_alternative<StableNeoHookeanModel>(range.material)) {
      const double mu = row.parameter[0], lambda = row.parameter[1];
      const bool split = 3 * lambda >= mu;
      row.kind = Kind::volume;
      row.offset = split ? 1 : 1 + mu / lambda;
      row.compliance = 1 / ((split ? std::max(lambda - mu, 0.0) : lambda) * volume);
      add(row);
      row.kind = split ? Kind::shape : Kind::norm;
      row.offset = split ? std::min(lambda / mu, 1.0) : 0;
      row.compliance = 1 / (mu * volume);
      add(row);
    } else if (std::holds_alternative<VolumeModel>(range.material)) {
      row.kind = Kind::volume;
      row.offset = 1;
      add(row);
    } else {
      row.material = &range.material;
      row.compliance = 1 / (weight_of(row) * volume);
      add(row);
    }
    for (int k = 0; k < range.num_fibers; ++k) {
      const Fiber<double> fiber = fiber_of(range, batch, lane, k);
      row.kind = Kind::fiber;
      row.direction = {fiber.direction[0], fiber.direction[1], fiber.direction[2]};
      row.compliance = 1 / (fiber.kappa * volume);
      add(row);
    }
  }

  static double weight_of(const ConstraintRow& row) {
    return std::visit(
        [&](const auto& model) {
          const auto material = model.template at<double>(row.parameter.data());
          if constexpr (Projective<std::decay_t<decltype(material)>>) {
            return material.projection_weight();
          } else {
            return 0.0;
          }
        },
        *row.material);
  }

  void add_springs() {
    const std::vector<SpringSet::Spring>& springs = model_.springs.springs;
    const auto body_of = [&](const SpringSet::Spring& spring) {
      return static_cast<std::size_t>(model_.body_of(spring.a));
    };
    std::vector<double> stiffest(static_cast<std::size_t>(model_.num_bodies()));
    for (const SpringSet::Spring& spring : springs) {
      double& most = stiffest[body_of(spring)];
      most = std::max(most, spring.stiffness);
    }
    for (std::size_t s = 0; s < springs.size(); ++s) {
      const SpringSet::Spring& spring = springs[s];
      const bool hard = spring.stiffness >= same_stiffness * stiffest[body_of(spring)];
      add({.kind = Kind::spring,
           .source = static_cast<int>(s),
           .compliance = hard ? 0 : 1 / spring.stiffness,
           .scale = spring.rest_length > 0 ? spring.rest_length : model_.diagonal_length,
           .offset = spring.rest_length,
           .direction = model_.springs.rest_direction[s],
           .vertex = {spring.a, spring.b, -1, -1}});
    }
  }

  void add_pins() {
    for (std::size_t p = 0; p < model_.pins.pins.size(); ++p) {
      const PinnedVertex& pin = model_.pins.pins[p];
      if (pin.point >= 0) continue;
      for (int component = 0; component < 3; ++component) {
        add({.kind = Kind::pin,
             .source = static_cast<int>(p),
             .compliance = 1 / pin.stiffness,
             .scale = model_.diagonal_length,
             .component = component,
             .vertex = {pin.vertex, -1, -1, -1}});
      }
    }
    for (const PinnedPoint& point : model_.pins.points) {
      ConstraintRow row{
          .kind = Kind::pin, .source = point.first, .compliance = 1 / point.stiffness};
      row.scale = model_.diagonal_length;
      row.weight = point.weights;
      for (int i = 0; i < point.count; ++i) {
        row.vertex[at(i)] = model_.pins.pins[at(point.first + i)].vertex;
      }
      for (row.component = 0; row.component < 3; ++row.component) add(row);
    }
  }

  const Model& model_;
  std::vector<ConstraintRow> rows_;
};

Matrix deformation_gradient(const Model& model, int tet, const std::array<Vec3, 4>& gradients,
                            const VectorField& x) {
  Matrix F = Matrix::zero();
  for (std::size_t i = 0; i < 4; ++i) {
    const PaddedVector& corner = x[at(model.tets[at(tet)][i])];
    const Vec3& b = gradients[i];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) F(r, c) += corner[r] * b[at(c)];
    }
  }
  return F;
}

/// F - p(F).
Matrix strain(const ConstraintRow& row, const Matrix& F) {
  return std::visit(
      [&](const auto& model) {
        const auto material = model.template at<double>(row.parameter.data());
        if constexpr (Projective<std::decay_t<decltype(material)>>) {
          return F - project(material, F);
        } else {
          return Matrix::zero();
        }
      },
      *row.material);
}

/// C and dC/dF of a row on a tet.
double evaluate_at(const ConstraintRow& row, const Matrix& F, Matrix& slope) {
  switch (row.kind) {
    case Kind::volume:
      slope = cofactor(F);
      return determinant(F) - row.offset;
    case Kind::fiber: {
      const Vector d{{row.direction[0], row.direction[1], row.direction[2]}};
      const Vector f = F * d;
      const double length = std::sqrt(dot(f, f));
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) slope(r, c) = length > 0 ? f[r] / length * d[c] : 0;
      }
      return length - 1;
    }
    case Kind::shape: {
      const double J = determinant(F);
      const double change = J - 1;
      const double C =
          std::sqrt(std::max(squared_norm(F) - 3 - 2 * change + row.offset * change * change, 0.0));
      slope = (C > least_shape ? 1 / C : 0) * (F + (row.offset * change - 1) * cofactor(F));
      return C;
    }
    default: {
      const Matrix measured = row.kind == Kind::norm ? F : strain(row, F);
      const double norm = std::sqrt(squared_norm(measured));
      slope = (norm > least_distance ? 1 / norm : 0) * measured;
      return norm;
    }
  }
}

}  // namespace

std::vector<ConstraintRow> constraint_rows(const Model& model) { return RowBuilder(model).build(); }

ConstraintValue evaluate(const ConstraintRow& row, const Model& model, const VectorField& x,
                         std::span<const Vec3> pin_target) {
  ConstraintValue result{};
  if (row.kind == Kind::pin) {
    const int k = row.component;
    for (std::size_t i = 0; i < 4 && row.vertex[i] >= 0; ++i) {
      result.value += row.weight[i] * x[at(row.vertex[i])][k];
      result.gradient[i][k] = row.weight[i];
    }
    result.value -= pin_target[at(row.source)][at(k)];
    return result;
  }
  if (row.kind == Kind::spring) {
    const PaddedVector &a = x[at(row.vertex[0])], &b = x[at(row.vertex[1])];
    const double l = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    for (int k = 0; k < 3; ++k) {
      const double n = l > 0 ? (a[k] - b[k]) / l : row.direction[at(k)];
      result.gradient[0][k] = n;
      result.gradient[1][k] = -n;
    }
    result.value = l - row.offset;
    return result;
  }
  const std::array<Vec3, 4> gradients = model.shape_gradients(at(row.source));
  Matrix slope;
  result.value = evaluate_at(row, deformation_gradient(model, row.source, gradients, x), slope);
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3& b = gradients[i];
    const Vector along = slope * Vector{{b[0], b[1], b[2]}};
    for (int k = 0; k < 3; ++k) result.gradient[i][k] = along[k];
  }
  result.is_flat = !(squared_norm(slope) > 0);
  return result;
}

}  // namespace supple

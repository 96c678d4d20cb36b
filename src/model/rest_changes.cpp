#include "model/rest_changes.h"

#include <cmath>

#include "base/index.h"
#include "base/refuse.h"
#include "math/motion.h"
#include "model/material_assignment.h"
#include "model/pin_selection.h"

namespace supple {

namespace {

constexpr double least_growth = 0.1, most_growth = 10;
constexpr double most_plastic_strain = 3;

Mat3<double> growth_along(const Vec3& d, double stretch) {
  Mat3<double> G = Mat3<double>::identity();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) G(r, c) += (stretch - 1) * d[at(r)] * d[at(c)];
  }
  return G;
}

/// Computes G of all tets that grow, from the current stretch of the fields. Several fields can
/// hold one tet.
void find_growth(Model& model) {
  for (const GrowthField& field : model.growth) {
    for (const int tet : field.tets) model.grown[at(tet)] = Mat3<double>::identity();
  }
  for (const GrowthField& field : model.growth) {
    for (std::size_t i = 0; i < field.tets.size(); ++i) {
      Mat3<double>& G = model.grown[at(field.tets[i])];
      G = field.directions.empty() ? field.now * G
                                   : growth_along(field.directions[i], field.now) * G;
      model.grown_volume[at(field.tets[i])] = determinant(G);
    }
  }
}

}  // namespace

void check_plasticity(const PlasticitySettings& settings, const std::string& where) {
  require(std::isfinite(settings.yield) && settings.yield >= 0, where + "/yield",
          "expected a strain of at least 0");
  if (settings.creep) {
    require(std::isfinite(*settings.creep) && *settings.creep > 0, where + "/creep",
            "expected a rate above 0 in 1/s");
  } else {
    require(settings.yield > 0, where + "/yield",
            "a material that bears no strain and flows at once has no shape; expected a strain "
            "above 0, or a creep");
  }
  require(std::isfinite(settings.hardening) && settings.hardening >= 0, where + "/hardening",
          "expected a number of at least 0");
  require(settings.max > 0 && settings.max <= most_plastic_strain, where + "/max",
          "expected a strain above 0 and up to 3");
}

void add_growth(const Body& body, const std::string& where, std::size_t first_tet, Model& model) {
  const std::size_t num_tets = body.mesh.tets.size();
  for (std::size_t g = 0; g < body.growth.size(); ++g) {
    const GrowthSettings& settings = body.growth[g];
    const std::string place = where + "/growth/" + std::to_string(g);
    const std::string fault = validate(settings.stretch, least_growth, most_growth);
    require(fault.empty(), place + "/stretch", fault + "; expected numbers from 0.1 to 10");
    require(!settings.along_fiber || !body.fibers.empty(), place + "/direction",
            "the body has no fiber to grow along");
    require(!settings.along_fiber || !settings.direction, place + "/direction",
            "growth is either along a direction or along fibers");
    GrowthField field{.stretch = settings.stretch, .tets = {}, .directions = {}};
    std::vector<std::array<double, 4>> directions;
    if (settings.along_fiber) {
      directions =
          fibers_of(body.fibers[0], place_of_fiber(body, where, 0), model, first_tet, num_tets);
    } else if (settings.direction) {
      const Vec3& d = *settings.direction;
      const double length = std::hypot(d[0], d[1], d[2]);
      require(std::isfinite(length) && length > 0, place + "/direction",
              "expected a direction that is not zero");
      directions = {{d[0] / length, d[1] / length, d[2] / length, 0}};
    }
    const bool everywhere = settings.box.min == settings.box.max;
    for (std::size_t t = 0; t < num_tets; ++t) {
      if (!everywhere && !contains(settings.box, centroid(model, model.tets[first_tet + t]))) {
        continue;
      }
      field.tets.push_back(static_cast<int>(first_tet + t));
      if (directions.empty()) continue;
      const std::array<double, 4>& d = directions[directions.size() == 1 ? 0 : t];
      field.directions.push_back({d[0], d[1], d[2]});
    }
    require(!field.tets.empty(), place + "/box", "holds the centre of no tet of the body");
    model.growth.push_back(std::move(field));
  }
}

bool grow(Model& model, const std::vector<PlasticStrain>& plastic, double time) {
  bool any = false;
  for (GrowthField& field : model.growth) {
    const double stretch = evaluate(field.stretch, time);
    any = any || stretch != field.now;
    field.now = stretch;
  }
  if (!any) return false;
  find_growth(model);
  write_rest_shapes(model, plastic);
  return true;
}

void begin_rest_changes(Model& model) {
  if (model.growth.empty() && model.plasticity.empty()) return;
  model.inverse_change.assign(model.tets.size(), Mat3<double>::identity());
  model.has_new_rest.assign(model.tets.size(), 0);
  if (!model.growth.empty()) {
    model.grown.assign(model.tets.size(), Mat3<double>::identity());
    model.grown_volume.assign(model.tets.size(), 1.0);
    for (GrowthField& field : model.growth) field.now = evaluate(field.stretch, 0);
    find_growth(model);
  }
  write_rest_shapes(model, {});
}

void change_rest(Model& model, std::size_t tet, const Mat3<double>& plastic) {
  const Mat3<double> next = inverse(model.grown.empty() ? plastic : plastic * model.grown[tet]);
  const Mat3<double>& own = model.inverse_change[tet];
  for (int i = 0; i < 9; ++i) {
    if (next(i / 3, i % 3) != own(i / 3, i % 3)) model.has_new_rest[tet] = 1;
  }
  model.inverse_change[tet] = next;
}

void write_lane(Model& model, std::size_t tet, std::size_t place) {
  std::vector<ElementBatch>& batches = model.derived_batches.value();
  if (batches.empty()) return;
  ElementBatch& batch = batches[place / lanes];
  const std::size_t lane = place % lanes;
  const std::array<Vec3, 4> gradient = model.elastic_gradients(tet);
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t k = 0; k < 3; ++k) {
      batch.inverse_rest[3 * row + k][lane] = gradient[row + 1][k];
    }
  }
  batch.volume[lane] = model.elastic_volume(tet);
}

void write_rest_shapes(Model& model, const std::vector<PlasticStrain>& plastic) {
  for (const ElementRange& range : model.ranges) {
    if (!range.changes_rest) continue;
    for (int i = 0; i < range.num_batches * lanes; ++i) {
      const std::size_t place = at(range.first_batch * lanes + i);
      if (model.tet_of_lane[place] < 0) continue;
      const std::size_t tet = at(model.tet_of_lane[place]);
      change_rest(model, tet, plastic.empty() ? Mat3<double>::identity() : plastic[tet].F);
      write_lane(model, tet, place);
    }
  }
}

}  // namespace supple

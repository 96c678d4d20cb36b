#include "model/material_assignment.h"

#include <cmath>
#include <limits>

#include "base/index.h"
#include "base/refuse.h"
#include "materials/fiber.h"
#include "math/motion.h"
#include "model/pin_selection.h"
#include "model/rest_changes.h"
#include "supple/error.h"

namespace supple {

namespace {

/// settings_at of each tet of the body.
std::vector<int> settings_of_tets(const Body& body, const Model& model, std::size_t first_tet) {
  std::vector<int> choice(body.mesh.tets.size(), 0);
  for (std::size_t i = 0; i < choice.size() && !body.regions.empty(); ++i) {
    choice[i] = settings_at(body, centroid(model, model.tets[first_tet + i]));
  }
  return choice;
}

/// The vector from the axis to x, perpendicular to the axis.
Vec3 away_from(const RadialFibers& radial, const Vec3& x) {
  const Vec3& a = radial.axis;
  const double size = std::hypot(a[0], a[1], a[2]);
  double along = 0;
  Vec3 away;
  for (std::size_t k = 0; k < 3; ++k) {
    away[k] = x[k] - radial.center[k];
    along += away[k] * (a[k] / size);
  }
  for (std::size_t k = 0; k < 3; ++k) away[k] -= along * (a[k] / size);
  return away;
}

/// JSON pointer below the body of its own material (s = 0) or that of region s - 1.
std::string place_of_settings(int s) {
  return (s == 0 ? "" : "/regions/" + std::to_string(s - 1)) + "/material";
}

std::string tet_text(std::size_t tet) { return " in tet " + std::to_string(tet); }

}  // namespace

int settings_at(const Body& body, const Vec3& center) {
  int choice = 0;
  for (std::size_t r = 0; r < body.regions.size(); ++r) {
    if (contains(body.regions[r].box, center)) choice = static_cast<int>(r) + 1;
  }
  return choice;
}

Vec3 centroid(const Model& model, const std::array<int, 4>& tet) {
  Vec3 center{0, 0, 0};
  for (const int vertex : tet) {
    for (std::size_t k = 0; k < 3; ++k) {
      center[k] += 0.25 * model.rest[static_cast<std::size_t>(vertex)][k];
    }
  }
  return center;
}

std::vector<std::array<double, 4>> fibers_of(const FiberSettings& fiber, const std::string& where,
                                             const Model& model, std::size_t first_tet,
                                             std::size_t num_tets) {
  const bool has_curve = !fiber.curve.points.empty();
  require(has_curve || (std::isfinite(fiber.kappa) && fiber.kappa >= 0), where + "/kappa",
          "expected a stiffness of at least 0 Pa");
  const double kappa = has_curve ? 1 : fiber.kappa;
  const auto checked = [&](const Vec3& d, const char* key, const std::string& of_tet) {
    const double length = std::hypot(d[0], d[1], d[2]);
    require(std::isfinite(length) && length > 0, where + key,
            "expected a direction that is not zero" + of_tet);
    return std::array<double, 4>{d[0] / length, d[1] / length, d[2] / length, kappa};
  };
  std::vector<std::array<double, 4>> fibers;
  if (fiber.radial) {
    checked(fiber.radial->axis, "/radial/axis", "");
    for (const double c : fiber.radial->center) {
      require(std::isfinite(c), where + "/radial/center", "expected finite numbers");
    }
    for (std::size_t t = 0; t < num_tets; ++t) {
      const Vec3 away = away_from(*fiber.radial, centroid(model, model.tets[first_tet + t]));
      fibers.push_back(checked(away, "/radial", tet_text(t) + ", but its centre is on the axis"));
    }
  } else if (fiber.laplace || !fiber.directions.empty()) {
    require(fiber.directions.size() == num_tets, where + "/direction",
            "a direction per tet needs " + std::to_string(num_tets) + " values, there are " +
                std::to_string(fiber.directions.size()));
    for (std::size_t t = 0; t < num_tets; ++t) {
      fibers.push_back(checked(fiber.directions[t], "/direction", tet_text(t)));
    }
  } else {
    fibers.push_back(checked(fiber.direction, "/direction", ""));
  }
  return fibers;
}

/// Index of a material model. Tets that differ only in parameters share one.
int MaterialAssignment::find_or_add(const MaterialModel& material) {
  const bool by_parameters =
      std::visit([](const auto& m) { return m.num_parameters > 0; }, material);
  for (std::size_t i = 0; by_parameters && i < materials_.size(); ++i) {
    if (materials_[i].index() == material.index()) return static_cast<int>(i);
  }
  materials_.push_back(material);
  return static_cast<int>(materials_.size()) - 1;
}

void MaterialAssignment::add_body(const Body& body, const std::string& where, const Model& model,
                                  std::size_t first_tet) {
  const std::size_t num_tets = body.mesh.tets.size();
  const std::vector<int> choice = settings_of_tets(body, model, first_tet);
  if (is_rigid(body)) return add_rigid_body(body, where, num_tets);
  const int fibers = add_fibers(body, where, model, first_tet);
  last_source_ = sources_.size();
  last_tet_ = first_tet;
  stiffness_.resize(first_tet + num_tets, 0.0);
  plasticity_of_tet_.resize(first_tet + num_tets, -1);
  std::vector<int> flow;  // one for each of the settings
  for (int s = 0; s <= static_cast<int>(body.regions.size()); ++s) {
    const MaterialSettings& settings = s == 0 ? body.material : body.regions[at(s - 1)].material;
    flow.push_back(add_plasticity(settings, where + place_of_settings(s), body));
  }
  std::vector<char> changes_rest(num_tets, 0);
  for (std::size_t t = 0; t < num_tets; ++t) {
    plasticity_of_tet_[first_tet + t] = flow[at(choice[t])];
    changes_rest[t] = flow[at(choice[t])] >= 0 ? 1 : 0;
  }
  for (const GrowthField& field : model.growth) {
    for (const int tet : field.tets) {
      if (at(tet) >= first_tet && at(tet) < first_tet + num_tets) {
        changes_rest[at(tet) - first_tet] = 1;
      }
    }
  }
  for (int s = 0; s <= static_cast<int>(body.regions.size()); ++s) {
    const MaterialSettings& settings = s == 0 ? body.material : body.regions[at(s - 1)].material;
    add_layer(settings, where + place_of_settings(s), {.fibers = fibers}, changes_rest, first_tet,
              num_tets, [&](std::size_t t) { return choice[t] == s; });
  }
  require(body.layers.size() <= most_layers, where + "/layers",
          "there are " + std::to_string(body.layers.size()) + " layers, expected at most " +
              std::to_string(most_layers));
  for (std::size_t l = 0; l < body.layers.size(); ++l) {
    const std::string place = where + "/layers/" + std::to_string(l);
    require(!body.layers[l].plasticity, place + "/plasticity",
            "layers flow as the body's material does; expected it there");
    add_layer(body.layers[l], place, {.layer = static_cast<int>(l) + 1}, changes_rest, first_tet,
              num_tets, [](std::size_t) { return true; });
  }
}

/// Adds the body's fibers. Returns their index; -1: it has none.
int MaterialAssignment::add_fibers(const Body& body, const std::string& where, const Model& model,
                                   std::size_t first_tet) {
  if (body.fibers.empty()) return -1;
  require(body.fibers.size() <= most_fibers, where + "/fiber",
          "there are " + std::to_string(body.fibers.size()) + " families, expected at most " +
              std::to_string(most_fibers));
  BodyFibers fibers;
  fibers.first_tet = static_cast<int>(first_tet);
  fibers.first_fiber = num_families_;
  for (std::size_t k = 0; k < body.fibers.size(); ++k) {
    const std::string place = place_of_fiber(body, where, k);
    fibers.families.push_back(
        fibers_of(body.fibers[k], place, model, first_tet, body.mesh.tets.size()));
    fibers.curves.push_back(make_fiber_curve(body.fibers[k].curve, place + "/curve"));
    const CubicSpline* const curve = fibers.curves.back().get();
    fibers.curve_stiffness.push_back(
        curve == nullptr ? 0.0 : fit_curve_stiffness(*curve, stiffness_range_));
  }
  num_families_ += static_cast<int>(body.fibers.size());
  fibers_.push_back(std::move(fibers));
  return static_cast<int>(fibers_.size()) - 1;
}

/// Adds a rigid body, which has no elements.
void MaterialAssignment::add_rigid_body(const Body& body, const std::string& where,
                                        std::size_t num_tets) {
  const auto refuse_if = [&](bool is_there, const char* key, const char* what) {
    require(!is_there, where + key, std::string("a rigid body has no ") + what + "; expected none");
  };
  refuse_if(!body.regions.empty(), "/regions", "regions of other materials");
  refuse_if(!body.layers.empty(), "/layers", "layers");
  refuse_if(!body.fibers.empty(), "/fiber", "fibers");
  refuse_if(!body.growth.empty(), "/growth", "growth");
  refuse_if(body.pressure.has_value(), "/pressure", "pressure that deforms it");
  refuse_if(body.volume != BodyVolume::free, "/volume", "volume that changes");
  refuse_if(body.tearing.has_value(), "/tearing", "tears");
  refuse_if(body.material.plasticity.has_value(), "/material/plasticity", "plastic flow");
  refuse_if(body.damping && body.damping->stiffness != 0, "/damping", "damping of its deformation");
  refuse_if(!std::holds_alternative<AtRest>(body.initial), "/initial", "other shape at the start");
  last_source_ = sources_.size();
  last_tet_ = stiffness_.size();
  stiffness_.resize(stiffness_.size() + num_tets, 0.0);
  plasticity_of_tet_.resize(stiffness_.size(), -1);
}

void MaterialAssignment::unfold_last_body() {
  std::vector<char> changes_rest(stiffness_.size() - last_tet_, 0);
  for (std::size_t i = last_source_; i < sources_.size(); ++i) {
    if (sources_[i].changes_rest) changes_rest[at(sources_[i].tet) - last_tet_] = 1;
  }
  sources_.resize(last_source_);
  const int model = find_or_add(ArapModel{});
  for (std::size_t t = last_tet_; t < stiffness_.size(); ++t) {
    sources_.push_back({.tet = static_cast<int>(t),
                        .model = model,
                        .changes_rest = changes_rest[t - last_tet_] != 0,
                        .parameters = {stiffness_[t] / 2}});
  }
  // A yield strain that is never reached replaces the body's own settings.
  const auto settings = plasticity_.size();
  for (std::size_t t = last_tet_; t < stiffness_.size(); ++t) {
    if (plasticity_of_tet_[t] < 0) continue;
    if (plasticity_.size() == settings) {
      plasticity_.push_back({.yield = std::numeric_limits<double>::infinity()});
    }
    plasticity_of_tet_[t] = static_cast<int>(settings);
  }
}

/// Adds the plastic flow of a material. Returns its index; -1: nothing flows.
int MaterialAssignment::add_plasticity(const MaterialSettings& settings, const std::string& place,
                                       const Body& body) {
  if (!settings.plasticity) return -1;
  const std::string where = place + "/plasticity";
  require(body.fibers.empty(), where, "a body with fibers has no plastic flow; expected no fiber");
  check_plasticity(*settings.plasticity, where);
  plasticity_.push_back(*settings.plasticity);
  return static_cast<int>(plasticity_.size()) - 1;
}

/// Adds a material to the tets of the body with takes(tet). `source` holds what they share.
template <class Takes>
void MaterialAssignment::add_layer(const MaterialSettings& settings, const std::string& place,
                                   ElementSource source, const std::vector<char>& changes_rest,
                                   std::size_t first_tet, std::size_t num_tets,
                                   const Takes& takes) {
  const MaterialModel material = make_material(settings, place);
  const std::vector<const Parameter*> parameters = material_parameters(settings);
  for (const Parameter* parameter : parameters) {
    require(parameter->per_tet.empty() || parameter->per_tet.size() == num_tets, place,
            "a parameter per tet needs " + std::to_string(num_tets) + " values, there are " +
                std::to_string(parameter->per_tet.size()));
  }
  const auto* const own = std::get_if<OwnModel>(&material);
  const bool may_flow = own == nullptr || own->is_isotropic;
  source.model = find_or_add(material);
  std::array<double, 4> fitted{};
  double stiffness = -1;
  for (std::size_t t = 0; t < num_tets; ++t) {
    if (!takes(t)) continue;
    require(may_flow || plasticity_of_tet_[first_tet + t] < 0, place,
            "the energy is not isotropic, and plastic flow would turn its directions; expected no "
            "plasticity");
    source.tet = static_cast<int>(first_tet + t);
    source.changes_rest = changes_rest[t] != 0;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      source.parameters[p] = (*parameters[p])[t];
    }
    if (stiffness < 0 || source.parameters != fitted) {
      fitted = source.parameters;
      stiffness = fit(material, fitted, place);
    }
    sources_.push_back(source);
    stiffness_[first_tet + t] += stiffness;
  }
}

double MaterialAssignment::fit(const MaterialModel& material,
                               const std::array<double, 4>& parameters,
                               const std::string& where) const {
  try {
    return fit_stiffness(material, parameters.data(), stiffness_range_);
  } catch (const Error& error) {
    throw Error(error.kind(), where, error.message());
  }
}

namespace {

void add_viscosity(const Model& model, ElementLayout& layout) {
  for (ElementRange& range : layout.ranges) {
    if (range.layer > 0) continue;
    const auto first = static_cast<std::size_t>(range.first_batch) * lanes;
    range.viscosity.assign(static_cast<std::size_t>(range.num_batches) * lanes, 0.0);
    bool any = false;
    for (std::size_t i = 0; i < range.viscosity.size(); ++i) {
      if (layout.tet_of_lane[first + i] < 0) continue;
      const auto tet = static_cast<std::size_t>(layout.tet_of_lane[first + i]);
      range.viscosity[i] = layout.stiffness[tet] * model.damping_of(model.tets[tet][0], 1);
      any = any || range.viscosity[i] > 0;
    }
    if (!any) range.viscosity.clear();
  }
}

/// Writes the fibers of muscles as `contract_fibers` says.
void stretch_fibers(const Model& model, ElementLayout& layout) {
  for (ElementRange& range : layout.ranges) {
    for (std::size_t i = 0; i < range.resting_fibers.size(); ++i) {
      const std::size_t group = i / (4 * lanes), lane = i % lanes;
      const auto num_fibers = static_cast<std::size_t>(range.num_fibers);
      const std::size_t batch = static_cast<std::size_t>(range.first_batch) + group / num_fibers;
      if (layout.tet_of_lane[batch * lanes + lane] < 0) continue;
      const double stretch =
          model.fiber_stretch[static_cast<std::size_t>(range.first_fiber) + group % num_fibers];
      const bool is_kappa = i / lanes % 4 == 3;
      range.fibers[i] = is_kappa ? range.resting_fibers[i] * (stretch * stretch)
                                 : range.resting_fibers[i] / stretch;
    }
  }
}

}  // namespace

ElementLayout MaterialAssignment::lay_out(const Model& model) && {
  ElementLayout layout = lay_out_elements(sources_, materials_, fibers_, model);
  layout.stiffness = TetNumbers(std::move(stiffness_));
  if (!plasticity_.empty()) {
    layout.plasticity = std::move(plasticity_);
    layout.plasticity_of_tet = std::move(plasticity_of_tet_);
  }
  if (model.is_damped()) add_viscosity(model, layout);
  if (!model.activation.empty()) stretch_fibers(model, layout);
  return layout;
}

ElementLayout lay_out_materials(const Scene& scene, const Model& model,
                                std::span<const char> unfolded) {
  MaterialAssignment materials(scene.solver.stiffness_range);
  std::size_t first_tet = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    if (body.mesh.tets.empty()) continue;
    materials.add_body(body, "/bodies/" + std::to_string(b), model, first_tet);
    if (!unfolded.empty() && unfolded[b] != 0) materials.unfold_last_body();
    first_tet += body.mesh.tets.size();
  }
  return std::move(materials).lay_out(model);
}

bool contract_fibers(Model& model, double time) {
  bool any = false;
  for (std::size_t k = 0; k < model.activation.size(); ++k) {
    const double stretch = 1 - evaluate(model.activation[k], time);
    any = any || stretch != model.fiber_stretch[k];
    model.fiber_stretch[k] = stretch;
  }
  if (!any) return false;
  stretch_fibers(model, model);
  return true;
}

}  // namespace supple

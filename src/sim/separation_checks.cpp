#include <algorithm>
#include <cmath>
#include <string>

#include "base/index.h"
#include "base/names.h"
#include "base/refuse.h"
#include "integrate/integrator.h"
#include "math/motion.h"
#include "model/model.h"
#include "sim/separations.h"
#include "sim/stepper.h"

namespace supple {

namespace {

constexpr int most_per_frame = 1'000'000;
/// Largest coordinate, as for motions (math/motion.h), m.
constexpr double farthest_point = 1e100;

void check_tearing(const Scene& scene, std::size_t b) {
  const Body& body = scene.bodies[b];
  const TearingSettings& tearing = *body.tearing;
  const std::string where = "/bodies/" + std::to_string(b) + "/tearing";
  const std::string reason = why_inseparable(scene, b);
  require(reason.empty(), where, "this body " + reason);
  const bool is_solid = !body.mesh.tets.empty(), has_springs = !is_solid && !body.membrane;
  require(tearing.stretch || tearing.stress || tearing.force, where,
          std::string("expected a limit: stretch") + (is_solid      ? " or stress"
                                                      : has_springs ? " or force"
                                                                    : ""));
  require(!tearing.stretch || (std::isfinite(*tearing.stretch) && *tearing.stretch > 1),
          where + "/stretch", "expected a stretch above 1");
  require(tearing.per_frame >= 1 && tearing.per_frame <= most_per_frame, where + "/per_frame",
          "expected a number from 1 to 1000000");
  const bool is_explicit = find_integrator(scene.time.integrator)->is_explicit;
  const SolverMethod method = scene.solver.method;
  if (has_springs && tearing.stretch) {
    require(can_stretch(body), where + "/stretch",
            "is never reached by springs that are inextensible; expected force");
  }
  if (tearing.force) {
    require(std::isfinite(*tearing.force) && *tearing.force > 0, where + "/force",
            "expected a positive force in N");
    require(
        has_springs, where + "/force",
        std::string("is that of springs, but this body is ") +
            (is_solid ? "of tets; expected stretch or stress" : "a membrane; expected stretch"));
    const bool has_tensions =
        is_explicit || (method != SolverMethod::pbd && method != SolverMethod::step_and_project);
    require(has_tensions, where + "/force",
            std::string("needs springs with a tension, and those of ") + to_string(method) +
                " do not stretch; expected stretch, or another method, for example l_bfgs");
  }
  if (!tearing.stress) return;
  require(std::isfinite(*tearing.stress) && *tearing.stress > 0, where + "/stress",
          "expected a positive stress in Pa");
  require(
      is_solid, where + "/stress",
      std::string("is that of tets, but this body is ") +
          (has_springs ? "of springs; expected stretch or force" : "a membrane; expected stretch"));
  const bool has_stress = method != SolverMethod::pbd || is_explicit;
  require(has_stress && !find_material_fault(scene, SolverMethod::newton), where + "/stress",
          "needs a material whose stress follows from its positions; expected stretch");
}

double squared_area(const std::vector<Vec3>& p) {
  const auto edge = [&](std::size_t i, std::size_t k) { return p[i][k] - p[0][k]; };
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    const double c = edge(1, i) * edge(2, j) - edge(1, j) * edge(2, i);
    sum += c * c;
  }
  return sum;
}

void check_blade(const Scene& scene, std::size_t i) {
  const Blade& blade = scene.blades[i];
  const std::string where = "/blades/" + std::to_string(i);
  require(blade.points.size() == 2 || blade.points.size() == 3, where,
          "expected the two ends of a segment or the three corners of a triangle");
  const std::string points = where + (blade.points.size() == 2 ? "/segment" : "/triangle");
  for (const Vec3& point : blade.points) {
    for (const double x : point) {
      require(std::abs(x) <= farthest_point, points, "expected numbers between -1e100 and 1e100");
    }
  }
  require(blade.points.size() == 3 ? squared_area(blade.points) > 0
                                   : blade.points[0] != blade.points[1],
          points, "expected points that are not the same, and not in one line");
  const std::string fault = validate(blade.motion);
  require(fault.empty(), where + "/motion", fault);
  std::vector<std::string> names;
  for (const Body& body : scene.bodies) names.push_back(body.name);
  for (std::size_t n = 0; blade.cuts && n < blade.cuts->size(); ++n) {
    const std::string& name = (*blade.cuts)[n];
    require(std::find(names.begin(), names.end(), name) != names.end(),
            where + "/cuts/" + std::to_string(n), unknown_name("body", name, names));
  }
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (!cuts(blade, scene.bodies[b])) continue;
    const std::string reason = why_inseparable(scene, b);
    require(reason.empty(), where + (blade.cuts ? "/cuts" : ""),
            "body " + std::to_string(b) + " " + reason +
                (blade.cuts ? "" : "; name in `cuts` those that it cuts"));
  }
}

}  // namespace

bool cuts(const Blade& blade, const Body& body) {
  return !blade.cuts ||
         std::find(blade.cuts->begin(), blade.cuts->end(), body.name) != blade.cuts->end();
}

bool separates(const Scene& scene) {
  return !scene.blades.empty() ||
         std::any_of(scene.bodies.begin(), scene.bodies.end(),
                     [](const Body& body) { return body.tearing.has_value(); });
}

bool can_stretch(const Body& body) {
  if (std::none_of(body.springs.begin(), body.springs.end(),
                   [](const Spring& spring) { return spring.inextensible; })) {
    return true;
  }
  // Edges of elements, whose vertices have not been checked yet.
  std::vector<std::pair<int, int>> edges;
  with_elements(body, [&](const auto& elements) {
    for (const auto& element : elements) {
      for (const int a : element) {
        for (const int b : element) edges.emplace_back(a, b);
      }
    }
    return 0;
  });
  std::sort(edges.begin(), edges.end());
  return std::any_of(body.springs.begin(), body.springs.end(), [&](const Spring& spring) {
    return !spring.inextensible &&
           std::binary_search(edges.begin(), edges.end(), std::pair(spring.a, spring.b));
  });
}

std::string why_inseparable(const Scene& scene, std::size_t b) {
  const Body& body = scene.bodies[b];
  const std::string which = "cannot be cut or torn: ";
  if (!find_integrator(scene.time.integrator)->has_inertia) {
    return which + to_string(scene.time.integrator) +
           " has no inertia, and nothing would hold the parts that come off";
  }
  if (scene.contact.mode == ContactMode::barrier && scene.contact.self) {
    return which +
           "the contact mode barrier keeps a body apart from itself, but parts that separate touch";
  }
  if (is_rigid(body)) return which + "it is rigid";
  if (body.mesh.tets.empty() && body.triangles.empty() == body.segments.empty()) {
    return which + "it has springs; expected triangles or segments that they join";
  }
  if (!body.mesh.tets.empty() &&
      !(body.triangles.empty() && body.segments.empty() && body.springs.empty())) {
    return which + "it has triangles, segments or springs beside its tets";
  }
  return "";
}

void check_separations(const Scene& scene) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].tearing) check_tearing(scene, b);
  }
  for (std::size_t i = 0; i < scene.blades.size(); ++i) check_blade(scene, i);
}

}  // namespace supple

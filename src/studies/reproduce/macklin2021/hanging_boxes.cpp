// Figure 2: boxes of growing weight hung from bars.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "studies/reproduce/csv.h"
#include "studies/reproduce/macklin2021/bodies.h"
#include "studies/reproduce/macklin2021/experiments.h"
#include "studies/reproduce/plots.h"

namespace supple::reproduce::macklin2021 {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double poisson = 0.49;
constexpr double gravity = 9.81;                            // m/s^2
constexpr double bar_side = 0.2;                            // m
constexpr double bar_bottom = -0.5;                         // m; its top is at 0.5
constexpr double box_side = 0.6;                            // m, below the bar
constexpr double small = 1e-6;                              // m, much less than a cell
constexpr double densities[] = {200, 400, 600, 800, 1000};  // kg/m^3

/// An upright bar of 0.2 x 1 x 0.2 m that ends in a box of 0.6 m, cut out of a lattice.
TetMesh bar_with_box(int cells_a_side) {
  const double size[3] = {box_side, 1 + box_side, box_side};
  const double cell = bar_side / cells_a_side;
  BoxGenerator whole{.size = {size[0], size[1], size[2]},
                     .center = {0, bar_bottom - box_side + size[1] / 2, 0}};
  for (std::size_t k = 0; k < 3; ++k) {
    whole.cells[k] = static_cast<int>(std::lround(size[k] / cell));
  }
  const TetMesh lattice = generate(whole);
  TetMesh mesh;
  std::vector<int> number(lattice.vertices.size(), -1);
  for (const auto& tet : lattice.tets) {
    const bool kept = std::all_of(tet.begin(), tet.end(), [&](int v) {
      const Vec3& X = lattice.vertices[static_cast<std::size_t>(v)];
      const double side = (X[1] < bar_bottom + small ? box_side : bar_side) / 2 + small;
      return std::abs(X[0]) < side && std::abs(X[2]) < side;
    });
    if (!kept) continue;
    std::array<int, 4> renumbered;
    for (std::size_t i = 0; i < 4; ++i) {
      int& n = number[static_cast<std::size_t>(tet[i])];
      if (n < 0) {
        n = static_cast<int>(mesh.vertices.size());
        mesh.vertices.push_back(lattice.vertices[static_cast<std::size_t>(tet[i])]);
      }
      renumbered[i] = n;
    }
    mesh.tets.push_back(renumbered);
  }
  return mesh;
}

Scene hanging(const TetMesh& mesh, const std::string& model, double ratio, double density) {
  Scene scene = scene_of("hanging box", mesh, ratio);
  scene.gravity = {0, -gravity, 0};
  Body& body = scene.bodies[0];
  body.density = density;
  body.material = material_of(model, ratio);
  body.pins = {hold_face(mesh, 1, 0.5, {})};
  return scene;
}

/// A material and how it is solved.
struct Kind {
  std::string label;
  std::string model;
  double ratio = poisson;
  std::string projection;  ///< of XPBD; if empty, Newton's method in equilibrium
};

/// What hangs from a bar, and the effect on the bar.
struct Hanging {
  MotionRecord motion;
  double load = 0;     ///< weight of the box over the bar's cross-section, Pa
  double stretch = 0;  ///< length of the bar over that at rest
  double volume = 0;   ///< of the bar over that at rest
};

Hanging hang(const Context& context, const TetMesh& mesh, const Kind& kind, double density,
             int frames) {
  Scene scene = hanging(mesh, kind.model, kind.ratio, density);
  int steps = 1;
  if (kind.projection.empty()) {
    scene.time.step = 1;
    scene.time.integrator = TimeIntegrator::quasi_static;
    scene.solver.method = SolverMethod::newton;
    scene.solver.iterations = 400;
    scene.solver.tolerance = 1e-8;
  } else {
    use_xpbd(scene, 60, 1, kind.projection);
    scene.damping.drag = 8;  // The heaviest box swings up and down at about 4/s.
    steps = frames;
  }
  Hanging result;
  result.load = density * gravity * box_side * box_side * box_side / (bar_side * bar_side);
  result.motion =
      record_motion(context, scene, steps, fmt::format("{}, {} kg/m^3", kind.label, density));
  if (result.motion.non_finite_frame) {
    result.stretch = result.volume = infinity;
    return result;
  }
  const std::vector<double>& end = result.motion.positions.back();
  Scene bar = scene;
  auto& tets = bar.bodies[0].mesh.tets;
  std::erase_if(tets, [&](const auto& tet) {
    return std::any_of(tet.begin(), tet.end(), [&](int v) {
      return mesh.vertices[static_cast<std::size_t>(v)][1] < bar_bottom - small;
    });
  });
  result.volume = volume_ratio(bar, end);
  double lowest = 0;
  int count = 0;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Vec3& X = mesh.vertices[i];
    const double side = bar_side / 2 + small;
    if (std::abs(X[1] - bar_bottom) > small || std::abs(X[0]) > side || std::abs(X[2]) > side) {
      continue;
    }
    lowest += end[3 * i + 1];
    ++count;
  }
  result.stretch = 0.5 - lowest / count;
  return result;
}

/// rms distance of the loads from the best line through the rest state, over the largest load.
double bend(const std::vector<Hanging>& row) {
  double xx = 0, xy = 0, largest = 0;
  for (const Hanging& one : row) {
    xx += (one.stretch - 1) * (one.stretch - 1);
    xy += (one.stretch - 1) * one.load;
    largest = std::max(largest, one.load);
  }
  double sum = 0;
  for (const Hanging& one : row) {
    const double away = one.load - xy / xx * (one.stretch - 1);
    sum += away * away;
  }
  return std::sqrt(sum / static_cast<double>(row.size())) / largest;
}

enum Place { corotated, green, newton, xpbd, incompressible };

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> list = {
      {"corotated", "corotated", poisson, ""},
      {"Green strain (stvk)", "stvk", poisson, ""},
      {"Neo-Hookean, Newton", "stable_neo_hookean", poisson, ""},
      {"Neo-Hookean, XPBD", "stable_neo_hookean", poisson, "stress"},
      {"Neo-Hookean, XPBD, ratio 0.5", "stable_neo_hookean", 0.5, "stress"}};
  return list;
}

std::vector<Claim> claims() {
  return {{"The co-rotational model quickly loses volume under strain.",
           {"volume of the bar over that at rest, heaviest box", Relation::below, 0.95},
           {}},
          {"So does Hooke's law with Green strain.",
           {"volume of the bar over that at rest, heaviest box", Relation::below, 0.95},
           {}},
          {"Neo-Hookean bars conserve volume to a high degree.",
           {"largest distance of the bar's volume over that at rest from 1, all boxes",
            Relation::below, 0.03},
           {}},
          {"Their force is close to linear in strain, that of Green strain is not.",
           {"rms distance from the best straight line, Neo-Hookean over Green strain",
            Relation::below, 1},
           {}},
          {"As constraints the material is the same as by its energy.",
           {"largest distance of the bar's stretch from that of Newton's method", Relation::below,
            0.02},
           {}}};
}

void measure(std::vector<Claim>& claims, const std::vector<std::vector<Hanging>>& hung) {
  for (const Place place : {corotated, green}) {
    const Hanging& heaviest = hung[place].back();
    claims[static_cast<std::size_t>(place)].measure(
        kinds()[place].label, heaviest.volume,
        fmt::format("{:.4f} at {:.3g} times its length", heaviest.volume, heaviest.stretch));
  }
  for (const Place place : {newton, xpbd, incompressible}) {
    double farthest = 0;
    for (const Hanging& one : hung[place]) farthest = std::max(farthest, std::abs(one.volume - 1));
    const Hanging& heaviest = hung[place].back();
    claims[2].measure(kinds()[place].label, farthest,
                      fmt::format("{}; {:.4f} at {:.3g} times its length, heaviest box",
                                  number(farthest), heaviest.volume, heaviest.stretch));
    const double ours = bend(hung[place]), theirs = bend(hung[green]);
    claims[3].measure(
        kinds()[place].label, ours / theirs,
        fmt::format("{} of the largest load, Green strain {}", number(ours), number(theirs)));
  }
  double farthest = 0;
  for (std::size_t d = 0; d < hung[xpbd].size(); ++d) {
    farthest = std::max(farthest, std::abs(hung[xpbd][d].stretch - hung[newton][d].stretch));
  }
  claims[4].measure(
      kinds()[xpbd].label, farthest,
      fmt::format("{}; {:.4f} and {:.4f} times its length, heaviest box", number(farthest),
                  hung[xpbd].back().stretch, hung[newton].back().stretch));
}

}  // namespace

void figure_2(Context& context, Finding& finding) {
  const TetMesh mesh = bar_with_box(context.pick(2, 1));
  const int frames = context.pick(240, 60);
  finding.claims = claims();
  finding.scene = fmt::format(
      "Bars of 0.2 x 1 x 0.2 m, held above, that end in a box of 0.6 m, {} tets; Young's modulus "
      "1e5 Pa, Poisson's ratio {} (and 0.5), density of bar and box {} to {} kg/m^3. Corotated "
      "elasticity, Green strain and the Neo-Hookean energy in equilibrium by Newton's method, the "
      "constraints by {} frames of XPBD (60 substeps of one iteration, drag 8/s). Measured is the "
      "bar alone.",
      mesh.tets.size(), poisson, densities[0], densities[std::size(densities) - 1], frames);
  finding.notes.push_back(
      "In the paper the boxes are bodies of their own. Here bar and box are one body of one "
      "density, and the bar grows heavier with the box: by its size the box has 5.4 times the "
      "bar's weight. 'Load' is the weight of the box over the bar's cross-section.");
  std::vector<std::vector<Hanging>> hung;
  finding.data.push_back(
      {"bars.csv", csv_row({"material", "density", "load_Pa", "stretch", "volume", "status"})});
  Table table{.caption = "Volume of the bar over that at rest, and its length",
              .columns = {"density"},
              .rows = {}};
  std::vector<Line> volumes, loads;
  for (const double density : densities) table.rows.push_back({fmt::format("{}", density)});
  for (const Kind& kind : kinds()) {
    std::vector<Hanging> row;
    Line volume{.label = kind.label, .x = {}, .y = {}}, load = volume;
    table.columns.push_back(kind.label);
    for (std::size_t d = 0; d < std::size(densities); ++d) {
      row.push_back(hang(context, mesh, kind, densities[d], frames));
      const Hanging& one = row.back();
      volume.x.push_back(one.load);
      volume.y.push_back(one.volume);
      load.x.push_back(one.stretch);
      load.y.push_back(one.load);
      table.rows[d].push_back(fmt::format("{:.4f}, {:.3f} m", one.volume, one.stretch));
      finding.data[0].content +=
          csv_row({kind.label, fmt::format("{}", densities[d]), fmt::format("{:.6g}", one.load),
                   fmt::format("{:.6f}", one.stretch), fmt::format("{:.6f}", one.volume),
                   one.motion.reports.empty() ? "" : to_string(one.motion.reports.back().status)});
    }
    volumes.push_back(volume);
    loads.push_back(load);
    hung.push_back(std::move(row));
  }
  measure(finding.claims, hung);
  finding.figures.push_back(
      line_plot("Volume of the bar", {.x = "load in Pa", .y = "volume / at rest"}, volumes));
  finding.figures.push_back(
      line_plot("Load and length", {.x = "length / at rest", .y = "load in Pa"}, loads));
  finding.tables.push_back(table);
  for (const Place place : {corotated, green, xpbd}) {
    std::vector<const MotionRecord*> shown;
    std::vector<std::string> labels;
    for (std::size_t d = hung[place].size(); d-- > 0;) {
      shown.push_back(&hung[place][d].motion);
      labels.push_back(fmt::format("{} kg/m^3", densities[d]));
    }
    finding.figures.push_back(
        motion_figure(context, kinds()[place].label, shown, labels, {place == xpbd ? frames : 1}));
  }
}

}  // namespace supple::reproduce::macklin2021

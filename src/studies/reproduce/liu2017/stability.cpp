// Figures 2, 8 and 14: what stays stable and what does not.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "model/model.h"
#include "studies/reproduce/convergence.h"
#include "studies/reproduce/csv.h"
#include "studies/reproduce/liu2017/experiments.h"
#include "studies/reproduce/motion_record.h"
#include "studies/reproduce/plots.h"
#include "studies/reproduce/scenes.h"

namespace supple::reproduce::liu2017 {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Infinite if the motion ended non-finite.
double worst_extent(const MotionRecord& record) {
  return record.non_finite_frame ? infinity : record.largest_extent();
}

std::string extent_text(const MotionRecord& record) {
  std::string text =
      fmt::format("largest size {} of the rest shape's", number(record.largest_extent()));
  if (record.non_finite_frame)
    text += fmt::format(", not finite in frame {}", *record.non_finite_frame);
  return text;
}

Line extents(const std::string& label, const MotionRecord& record) {
  Line line{.label = label, .x = {}, .y = record.extents};
  line.x.resize(line.y.size());
  std::iota(line.x.begin(), line.x.end(), 0.0);
  return line;
}

std::string motion_csv(const std::string& subject, const std::string& label,
                       const MotionRecord& record) {
  std::string text;
  for (std::size_t k = 0; k < record.positions.size(); ++k) {
    const Energies& energy = record.energies[k];
    text += csv_row({subject, label, fmt::format("{}", k), fmt::format("{:.6e}", record.extents[k]),
                     fmt::format("{:.6e}", energy.kinetic), fmt::format("{:.6e}", energy.elastic),
                     fmt::format("{}", record.inverted_tets[k])});
  }
  return text;
}

DataFile motion_data() {
  return {"motion.csv", csv_row({"subject", "solver", "frame", "size", "kinetic_energy",
                                 "elastic_energy", "inverted_tets"})};
}

std::vector<int> evenly_spread(int last, int count) {
  std::vector<int> frames;
  for (int i = 0; i < count; ++i) frames.push_back((i * last + (count - 1) / 2) / (count - 1));
  return frames;
}

/// How far the mass centre of a free body at rest drifts, over its diagonal. Ghost forces (inner
/// forces whose sum is not zero) would move it.
double drift_of_mass_centre(const MotionRecord& record) {
  const Model model = build_model(record.scene);
  const auto centre = [&](const std::vector<double>& x) {
    Vec3 sum{0, 0, 0};
    for (std::size_t i = 0; i < model.mass.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) sum[k] += model.mass[i] * x[3 * i + k];
    }
    return sum;
  };
  const double mass = std::accumulate(model.mass.begin(), model.mass.end(), 0.0);
  const Vec3 start = centre(record.positions.front());
  double largest = 0;
  for (const auto& x : record.positions) {
    const Vec3 now = centre(x);
    const double distance =
        std::hypot(now[0] - start[0], now[1] - start[1], now[2] - start[2]) / mass;
    largest = std::max(largest, distance / model.diagonal_length);
  }
  return largest;
}

}  // namespace

namespace {

/// Adds to the finding of figure_2 how a scene behaves with and without line search.
void stability_of_search(const Context& context, const std::string& subject, Scene scene,
                         int frames, Finding& finding) {
  const MotionRecord with = record_motion(context, scene, frames, subject + ", with line search");
  scene.solver.line_search.type = LineSearchType::none;
  const MotionRecord without =
      record_motion(context, scene, frames, subject + ", without line search");
  double iterations = 0, evaluations = 0;
  for (const StepReport& report : with.reports) {
    iterations += report.iterations;
    evaluations += report.evaluations - 1;  // the one at x_0 belongs to no iteration
  }
  finding.claims[0].measure(subject, worst_extent(without), extent_text(without));
  finding.claims[1].measure(subject, worst_extent(with), extent_text(with));
  finding.claims[2].measure(subject, evaluations / iterations,
                            fmt::format("{} evaluations in {} iterations: {}", evaluations,
                                        iterations, number(evaluations / iterations)));
  finding.figures.push_back(line_plot(
      subject + ": size of the body", {.x = "frame", .y = "size / rest shape's", .log_y = true},
      {extents("with line search", with), extents("without line search", without)}));
  finding.figures.push_back(motion_figure(context, subject, {&with, &without}, {"with", "without"},
                                          evenly_spread(frames, 4)));
  finding.data[0].content += motion_csv(subject, "with line search", with) +
                             motion_csv(subject, "without line search", without);
}

}  // namespace

void figure_2(Context& context, Finding& finding) {
  const int frames = context.pick(60, 20);
  finding.scene = fmt::format(
      "A body of the polynomial material whose base is moved to and fro, gently (0.01 of its size "
      "a "
      "frame) or impulsively (0.04), as in the top and bottom rows of the paper's Figure 1; {} "
      "frames of 10 "
      "iterations "
      "of L-BFGS (m = 5), once with backtracking and once always taking the whole step. Plotted is "
      "the diagonal of the body's box over that of the rest shape.",
      frames);
  finding.claims = {
      {"Without a line search the simulation soon becomes unstable.",
       {"largest size over the rest shape's, without line search", Relation::above, 3},
       {}},
      {"With it, it stays stable.",
       {"largest size over the rest shape's, with line search", Relation::below, 1.5},
       {}},
      {"The line search costs little: 1.07 evaluations an iteration.",
       {"evaluations of g and its gradient an iteration, with line search", Relation::at_most, 1.2},
       {}}};
  finding.data.push_back(motion_data());
  for (const Origin origin : context.origins()) {
    for (const bool impulsive : {false, true}) {
      const std::string subject =
          std::string(to_string(origin)) + (impulsive ? ", impulsive" : ", gentle");
      stability_of_search(context, subject, squirrel(context, origin, impulsive ? 0.04 : 0.01),
                          frames, finding);
    }
  }
}

void figure_8(Context& context, Finding& finding) {
  const int frames = context.pick(200, 40);
  finding.scene = fmt::format(
      "A corotated bar (mu = 80 Pa, lambda = 20 Pa), held in the middle and shaken by 0.2 m a "
      "frame, "
      "{} frames of 10 iterations of L-BFGS (m = 5). Ghost forces, inner forces that do not add up "
      "to zero, would move the mass centre of the same bar when it is free, stretched and at rest.",
      frames);
  finding.claims = {
      {"The method remains stable on a rapidly shaken bar.",
       {"largest size over the rest shape's", Relation::below, 1.5},
       {}},
      {"It introduces no ghost forces.",
       {"drift of the free bar's mass centre in 30 frames, over its size", Relation::below, 1e-9},
       {}}};
  finding.notes.push_back(
      "The paper's other half, the warp-cancelling updates of Hecht et al. 2012, is not part of "
      "this program.");
  finding.data.push_back(motion_data());
  for (const Origin origin : context.origins()) {
    const std::string subject = to_string(origin);
    Scene scene = shaking_bar(context, origin);
    const MotionRecord shaken = record_motion(context, scene, frames, subject + ", shaken");
    finding.claims[0].measure(subject, worst_extent(shaken), extent_text(shaken));
    scene.bodies.front().pins.clear();
    scene.bodies.front().initial = Stretch{{1.5, 0.7, 1}};
    scene.gravity = {0, 0, 0};
    const double drift =
        drift_of_mass_centre(record_motion(context, scene, 30, subject + ", free"));
    finding.claims[1].measure(subject, drift, fmt::format("{} of the bar's size", number(drift)));
    finding.figures.push_back(motion_figure(context, subject, {&shaken}, {"shaken"},
                                            evenly_spread(std::min(frames, 40), 4)));
    finding.figures.push_back(line_plot(subject + ": size of the bar",
                                        {.x = "frame", .y = "size / rest shape's"},
                                        {extents("L-BFGS, m = 5", shaken)}));
    finding.data[0].content += motion_csv(subject, "L-BFGS, m = 5", shaken);
  }
}

void figure_14(Context& context, Finding& finding) {
  const int frames = context.pick(900, 60);
  finding.scene = fmt::format(
      "The body of the hippo's material (corotated, mu = 20 Pa, lambda = 100 Pa) with every vertex "
      "at a random place of the rest shape's box, {} frames of 10 iterations of L-BFGS (m = 5), no "
      "gravity, no damping but the integrator's.",
      frames);
  finding.claims = {{"A body that starts from random positions returns to its rest shape.",
                     {"rms distance to the rest shape after the best rigid motion, over its size",
                      Relation::below, 0.01},
                     {}},
                    {"The many inverted elements recover.",
                     {"inverted tets in the last frame", Relation::at_most, 0},
                     {}}};
  finding.data.push_back(motion_data());
  for (const Origin origin : context.origins()) {
    const std::string subject = to_string(origin);
    Scene scene = hippo(context, origin);
    Body& body = scene.bodies.front();
    body.initial = Randomize{.box = bounding_box(body.mesh.vertices), .seed = 1};
    scene.solver.recovery = Recovery::none;  // as published: the material unfolds itself
    const MotionRecord record = record_motion(context, scene, frames, subject);
    const int before = record.inverted_tets.front(), after = record.inverted_tets.back();
    const double distance =
        record.non_finite_frame ? infinity : distance_from_rest(scene, record.positions.back());
    finding.claims[0].measure(
        subject, distance,
        fmt::format("{} at the start, {} at the end",
                    number(distance_from_rest(scene, record.positions.front())), number(distance)));
    finding.claims[1].measure(
        subject, record.non_finite_frame ? infinity : after,
        fmt::format("{} of {} at the start, {} at the end", before, body.mesh.tets.size(), after));
    finding.figures.push_back(motion_figure(context, subject, {&record}, {"randomised"},
                                            {0, 1, 2, 5, 10, frames / 4, frames / 2, frames}));
    Line inverted = extents("inverted tets", record);
    inverted.y.assign(record.inverted_tets.begin(), record.inverted_tets.end());
    finding.figures.push_back(
        line_plot(subject + ": inverted tets", {.x = "frame", .y = "inverted tets"}, {inverted}));
    finding.data[0].content += motion_csv(subject, "L-BFGS, m = 5", record);
  }
}

}  // namespace supple::reproduce::liu2017

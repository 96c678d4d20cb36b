// Figures that compare solvers on one frame of the twisting bar.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "studies/reproduce/convergence.h"
#include "studies/reproduce/liu2017/experiments.h"
#include "studies/reproduce/scenes.h"

namespace supple::reproduce::liu2017 {

namespace {

/// The frame at which each end has turned by 180 degrees.
constexpr int frame = 90, quick_frame = 10;

const Problem& twisted(Context& context, Origin origin) {
  const std::string subject = to_string(origin);
  return context.problem("twisting bar, " + subject, [&] {
    context.working(subject + ", frames before");
    const Scene scene = twisting_bar(context, origin);
    const int threads = context.settings().threads;
    const SimulationState state = state_before(scene, context.pick(frame, quick_frame), threads);
    context.working(subject + ", converged answer");
    return make_problem(subject, scene, state, threads);
  });
}

std::string setting(const Context& context, const std::string& what) {
  return fmt::format(
      "Frame {} of the twisting bar (Neo-Hookean, mu = 20 Pa, lambda = 100 Pa, ends turned by "
      "2 degrees a frame in opposite senses), every method from the same state with x_0 = y and "
      "backtracking. {}",
      context.pick(frame, quick_frame), what);
}

void run(Context& context, const ConvergenceStudy& what, Finding& finding) {
  finding.claims = claims_of(what.tests);
  for (const Origin origin : context.origins()) {
    study(context, what, twisted(context, origin), finding);
  }
}

// Labels that several figures share.
const std::string newton = "Newton";
const std::string ours = "L-BFGS, m = 5";
const Trial newton_trial{newton, "newton", 12};
const Trial our_trial{ours, "l_bfgs:history=5", 50};

}  // namespace

void figure_6(Context& context, Finding& finding) {
  const std::string plain = "no history (Projective Dynamics' matrix)";
  const std::string chebyshev = "Chebyshev", two = "L-BFGS, m = 2";
  ConvergenceStudy what;
  what.trials = {{plain, "quasi_newton", 50},
                 {chebyshev, "chebyshev", 50},
                 {two, "l_bfgs:history=2", 50},
                 our_trial,
                 newton_trial};
  what.tests = {
      {"Newton's method makes the most of an iteration.",
       {"iterations to a relative error of 1e-6, Newton over the best of the others",
        Relation::below, 1},
       [=](const Curves& curves) {
         return curves.iterations_ratio(newton, curves.fewest_iterations_but(newton, 1e-6), 1e-6);
       }},
      {"An iteration of Newton's method is so expensive that in the same time L-BFGS reduces the "
       "error further.",
       {"relative error of L-BFGS (m = 5) in the time of one Newton iteration, over Newton's",
        Relation::below, 1},
       [=](const Curves& curves) {
         const double time = milliseconds_after(curves[newton], 1);
         return error_ratio(ours, error_at_time(curves[ours], time), newton,
                            error_after(curves[newton], 1));
       }},
      {"L-BFGS also reaches a small error in less time than Newton's method.",
       {"time to a relative error of 1e-6, L-BFGS (m = 5) over Newton", Relation::below, 1},
       [=](const Curves& curves) { return curves.time_ratio(ours, newton, 1e-6); }},
      {"Among the methods with the constant matrix, the one without acceleration is the slowest.",
       {"relative error after 30 iterations, the worst accelerated method over no history",
        Relation::below, 1},
       [=](const Curves& curves) {
         std::string worst = chebyshev;
         for (const std::string& label : {two, ours}) {
           if (error_after(curves[label], 30) > error_after(curves[worst], 30)) worst = label;
         }
         return curves.error_ratio(worst, plain, 30);
       }},
      {"A history of two is already slightly faster than Chebyshev acceleration.",
       {"iterations to a relative error of 1e-8, L-BFGS (m = 2) over Chebyshev", Relation::at_most,
        1},
       [=](const Curves& curves) { return curves.iterations_ratio(two, chebyshev, 1e-8); }},
      {"A history of five is faster still.",
       {"iterations to a relative error of 1e-8, m = 5 over m = 2", Relation::below, 1},
       [=](const Curves& curves) { return curves.iterations_ratio(ours, two, 1e-8); }}};
  finding.scene = setting(
      context, "Compared are histories of none, two and five, Chebyshev acceleration and Newton.");
  run(context, what, finding);
}

void figure_7(Context& context, Finding& finding) {
  const std::string identity = "scaled identity", rest = "rest Hessian";
  const std::string warped = "rest Hessian, warped by vertex", each = "Hessian of the frame";
  const std::string laplacian = "M/h^2 + L";
  ConvergenceStudy what;
  what.trials = {{identity, "l_bfgs:history=5,initial_hessian=identity", 50},
                 {rest, "l_bfgs:history=5,initial_hessian=rest", 50},
                 {warped, "l_bfgs:history=5,initial_hessian=warped_rest", 50},
                 {laplacian, "l_bfgs:history=5", 50},
                 {each, "l_bfgs:history=5,initial_hessian=frame", 50},
                 newton_trial};
  const auto worse_by = [=](const std::string& label) {
    return [=](const Curves& curves) { return curves.error_ratio(label, laplacian, 10); };
  };
  what.tests = {
      {"L-BFGS around M/h^2 + L converges much faster than around a scaled identity.",
       {"relative error after 10 iterations, identity over M/h^2 + L", Relation::above, 10},
       worse_by(identity)},
      {"The Hessian of the rest shape is also a poor start.",
       {"relative error after 10 iterations, rest Hessian over M/h^2 + L", Relation::above, 10},
       worse_by(rest)},
      {"It is slightly better than the identity.",
       {"relative error after 10 iterations, rest Hessian over identity", Relation::below, 1},
       [=](const Curves& curves) { return curves.error_ratio(rest, identity, 10); }},
      {"Rotating the rest Hessian vertex by vertex improves on it.",
       {"relative error after 10 iterations, warped over not warped", Relation::below, 1},
       [=](const Curves& curves) { return curves.error_ratio(warped, rest, 10); }},
      {"Counted by iterations, a Hessian computed at the start of the frame is the best start.",
       {"relative error after 10 iterations, Hessian of the frame over M/h^2 + L", Relation::below,
        1},
       [=](const Curves& curves) { return curves.error_ratio(each, laplacian, 10); }},
      {"Its factorisation costs so much that in time M/h^2 + L wins.",
       {"time to a relative error of 1e-4, M/h^2 + L over Hessian of the frame", Relation::below,
        1},
       [=](const Curves& curves) { return curves.time_ratio(laplacian, each, 1e-4); }}};
  finding.scene = setting(context, "Compared are initial matrices of L-BFGS with m = 5.");
  run(context, what, finding);
}

void figure_11(Context& context, Finding& finding) {
  const std::string five = "Newton, 5 CG", fifteen = "Newton, 15 CG";
  const std::string truncated = "Newton, CG until indefinite", iterative = "L-BFGS, m = 5, 15 CG";
  ConvergenceStudy what;
  what.trials = {
      newton_trial,
      {five, "newton:linear_solver=cg,linear_iterations=5,preconditioner=jacobi", 50},
      {fifteen, "newton:linear_solver=cg,linear_iterations=15,preconditioner=jacobi", 50},
      {truncated,
       "newton:definiteness=none,linear_solver=truncated_cg,linear_iterations=15,"
       "preconditioner=jacobi",
       50},
      {iterative, "l_bfgs:history=5,linear_solver=cg,linear_iterations=15,preconditioner=jacobi",
       50},
      our_trial};
  what.tests = {
      {"With 15 iterations of CG a Newton step is less accurate than with a direct solver.",
       {"relative error after 5 iterations, 15 CG over direct", Relation::above, 1},
       [=](const Curves& curves) { return curves.error_ratio(fifteen, newton, 5); }},
      {"With 5 iterations of CG each step is cheaper ...",
       {"time of 10 iterations, 5 CG over 15 CG", Relation::below, 1},
       [=](const Curves& curves) {
         return ratio(five, milliseconds_after(curves[five], 10), fifteen,
                      milliseconds_after(curves[fifteen], 10), "ms");
       }},
      {"... but the descent directions are worse.",
       {"relative error after 10 iterations, 5 CG over 15 CG", Relation::above, 1},
       [=](const Curves& curves) { return curves.error_ratio(five, fifteen, 10); }},
      {"Newton's method with CG that stops at an indefinite Hessian [Gast et al. 2015] at first "
       "outperforms Newton with CG ...",
       {"relative error after 2 iterations, until indefinite over 15 CG", Relation::below, 1},
       [=](const Curves& curves) { return curves.error_ratio(truncated, fifteen, 2); }},
      {"... and slows down later.",
       {"iterations to a relative error of 1e-8, until indefinite over 15 CG", Relation::above, 1},
       [=](const Curves& curves) { return curves.iterations_ratio(truncated, fifteen, 1e-8); }},
      {"L-BFGS with 15 iterations of CG in place of the direct solver converges about as well ...",
       {"iterations to a relative error of 1e-6, 15 CG over direct", Relation::at_most, 1.5},
       [=](const Curves& curves) { return curves.iterations_ratio(iterative, ours, 1e-6); }},
      {"... but takes more time.",
       {"time of 10 iterations, 15 CG over direct", Relation::above, 1},
       [=](const Curves& curves) {
         return ratio(iterative, milliseconds_after(curves[iterative], 10), ours,
                      milliseconds_after(curves[ours], 10), "ms");
       }},
      {"At this size a prefactored direct solver is hard to beat.",
       {"time to a relative error of 1e-6, L-BFGS (m = 5) over the best of the others",
        Relation::below, 1},
       [=](const Curves& curves) {
         return curves.time_ratio(ours, curves.soonest_but(ours, 1e-6), 1e-6);
       }}};
  finding.scene = setting(context, "Compared are direct solvers and conjugate gradients.");
  run(context, what, finding);
}

void figure_12(Context& context, Finding& finding) {
  const std::vector<int> lengths{0, 1, 2, 5, 10, 20, 100};
  const std::string longest = "m = 100", best = "m = 5";
  ConvergenceStudy what;
  for (const int m : lengths) {
    what.trials.push_back({fmt::format("m = {}", m), fmt::format("l_bfgs:history={}", m), 50});
  }
  what.tests = {
      {"A history of five is the best.",
       {"iterations to a relative error of 1e-8, m = 5 over the best of the others",
        Relation::at_most, 1},
       [=](const Curves& curves) {
         return curves.iterations_ratio(best, curves.fewest_iterations_but(best, 1e-8), 1e-8);
       }},
      {"The choice matters little: a history of 100 is only slightly worse.",
       {"iterations to a relative error of 1e-8, m = 100 over m = 5", Relation::at_most, 1.5},
       [=](const Curves& curves) { return curves.iterations_ratio(longest, best, 1e-8); }}};
  finding.scene = setting(context, "Compared are lengths of the history of L-BFGS.");
  finding.notes.push_back("The thesis calls the length w where the paper calls it m.");
  run(context, what, finding);
}

void figure_13(Context& context, Finding& finding) {
  const std::vector<std::pair<double, double>> intervals{
      {0.99, 1.01}, {0.8, 1.2}, {0.5, 1.5}, {0.5, 2}, {0.1, 1.9}};
  ConvergenceStudy what;
  for (const auto& [start, end] : intervals) {
    what.trials.push_back(
        {fmt::format("[{}, {}]", start, end), "l_bfgs:history=5", 50, std::pair{start, end}});
  }
  what.tests = {{"The interval over which the stiffness is fitted matters little.",
                 {"iterations to a relative error of 1e-6, the slowest interval over the fastest",
                  Relation::at_most, 1.5},
                 [](const Curves& curves) {
                   const Descent *fastest = &curves.all().front(), *slowest = fastest;
                   for (const Descent& descent : curves.all()) {
                     const double iterations = iterations_to(descent, 1e-6);
                     if (iterations < iterations_to(*fastest, 1e-6)) fastest = &descent;
                     if (iterations > iterations_to(*slowest, 1e-6)) slowest = &descent;
                   }
                   return curves.iterations_ratio(slowest->label, fastest->label, 1e-6);
                 }}};
  finding.scene =
      setting(context,
              "Compared are intervals [x_start, x_end] of the fit of the constant stiffness, "
              "L-BFGS with m = 5. The paper does not give its intervals in its text.");
  run(context, what, finding);
}

void thesis_figure_7_8(Context& context, Finding& finding) {
  const std::string direct = "b. Hessian of the frame, direct";
  const std::string a = "a. M/h^2 + L, direct";
  const std::string c = "c. 5 PCG, rest Hessian", d = "d. 15 PCG, rest Hessian";
  const std::string e = "e. 5 PCG, M/h^2 + L", f = "f. 15 PCG, M/h^2 + L";
  const auto pcg = [](int iterations, const char* preconditioner) {
    return fmt::format(
        "l_bfgs:history=5,initial_hessian=frame,linear_solver=cg,linear_iterations={},"
        "preconditioner={}",
        iterations, preconditioner);
  };
  ConvergenceStudy what;
  what.trials = {
      {a, "l_bfgs:history=5", 50},  {direct, "l_bfgs:history=5,initial_hessian=frame", 50},
      {c, pcg(5, "rest"), 50},      {d, pcg(15, "rest"), 50},
      {e, pcg(5, "laplacian"), 50}, {f, pcg(15, "laplacian"), 50}};
  what.tests = {
      {"Solved directly, the Hessian of the frame is a very good start for L-BFGS.",
       {"iterations to a relative error of 1e-8, direct Hessian of the frame over M/h^2 + L",
        Relation::below, 0.5},
       [=](const Curves& curves) { return curves.iterations_ratio(direct, a, 1e-8); }},
      {"Conjugate gradients need no factorisation and are ahead of it at first.",
       {"relative error in the time of the first direct iteration, the worst PCG over direct",
        Relation::below, 1},
       [=](const Curves& curves) {
         const double time = milliseconds_after(curves[direct], 1);
         std::string worst = c;
         for (const std::string& label : {d, e, f}) {
           if (error_at_time(curves[label], time) > error_at_time(curves[worst], time)) {
             worst = label;
           }
         }
         return error_ratio(worst, error_at_time(curves[worst], time), direct,
                            error_after(curves[direct], 1));
       }},
      {"Later they slow down.",
       {"iterations to a relative error of 1e-8, the best PCG over direct", Relation::above, 1},
       [=](const Curves& curves) {
         std::string best = c;
         for (const std::string& label : {d, e, f}) {
           if (iterations_to(curves[label], 1e-8) < iterations_to(curves[best], 1e-8)) best = label;
         }
         return curves.iterations_ratio(best, direct, 1e-8);
       }},
      {"M/h^2 + L is a better preconditioner than the rest Hessian: with 5 iterations ...",
       {"iterations to a relative error of 1e-8, M/h^2 + L over rest Hessian", Relation::below, 1},
       [=](const Curves& curves) { return curves.iterations_ratio(e, c, 1e-8); }},
      {"... and with 15.",
       {"iterations to a relative error of 1e-8, M/h^2 + L over rest Hessian", Relation::below, 1},
       [=](const Curves& curves) { return curves.iterations_ratio(f, d, 1e-8); }}};
  finding.scene =
      setting(context,
              "Compared is L-BFGS (m = 5) around M/h^2 + L with L-BFGS around the Hessian at the "
              "beginning of the frame, solved directly or by PCG with incomplete Cholesky.");
  run(context, what, finding);
}

}  // namespace supple::reproduce::liu2017

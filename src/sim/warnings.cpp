#include "supple/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <variant>

#include "model/model.h"
#include "sim/measures.h"

namespace supple {

namespace {

/// Hanging bodies whose end is off by a tenth of its way have factors above 1.15.
constexpr double soft_factor = 1.1;
/// Share of the last frames. Hanging bodies that act softer in most frames, even if less so in the
/// mean, are up to 16 % off in the end; shaking_bar, which is right, has 0.06.
constexpr double soft_share = 0.5;
/// Share of the largest displacement of a held body. For hanging bodies whose end is off by a tenth
/// of its way it is mostly above 0.048; shaking_bar, which is off by 2.5 %, has 0.036.
constexpr double most_drift = 0.043;
/// Share of the largest speed of a body. Sliding blocks that end a tenth of their way off have 0.06
/// to 0.16, one that is 2 % off has 0.08.
constexpr double most_friction_error = 0.1;
/// A jolt of a frame or two converges worse than everything else and is soon forgotten.
constexpr double frames_of_mean = 32;
constexpr double most_a_frame = 3;
/// If fewer than this share of the mean's frames are known, the others count as converged until the
/// run ends, because a run may begin with a jolt.
constexpr double least_known = 0.5;
constexpr double gain_share = 0.01;
constexpr double depth_share = 0.01;
/// Share of the frames.
constexpr double held_back_share = 0.05;
/// Six volumes over the cube of the longest edge. Below this, methods that go from tet to tet or
/// from vertex to vertex go wrong (supple_elements_bench: the end of a bar with a tet of 1e-4 is 8
/// to 46 % off with them, and 0.3 % off with others down to 1e-12).
constexpr double flat_tet = 3e-4;
/// Share of the length of an inextensible spring or of an exact volume: for the mean over some
/// frames, and the most that each of them counts. A jolt of a frame or two is soon corrected.
constexpr double most_inexact = 1e-3, most_inexact_a_frame = 1e-2;
constexpr double largest_said = 1000;

Vec3 edge_vector(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// Six times the volume of a tet, and its longest edge.
struct TetShape {
  double six_volumes = 0, longest = 0;
};

TetShape shape_of(const TetMesh& mesh, const std::array<int, 4>& tet) {
  std::array<Vec3, 4> x;
  for (std::size_t a = 0; a < 4; ++a) x[a] = mesh.vertices[static_cast<std::size_t>(tet[a])];
  TetShape shape;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const Vec3 e = edge_vector(x[a], x[b]);
      shape.longest = std::max(shape.longest, std::hypot(e[0], e[1], e[2]));
    }
  }
  const Vec3 a = edge_vector(x[1], x[0]), b = edge_vector(x[2], x[0]), c = edge_vector(x[3], x[0]);
  shape.six_volumes =
      std::abs(a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]));
  return shape;
}

/// Side of the cube whose corners are as far from its middle as the farthest point is from the mean
/// of all points: the size of a body in any orientation.
double size_of(const std::vector<Vec3>& points) {
  Vec3 mean{0, 0, 0};
  for (const Vec3& x : points) {
    for (std::size_t k = 0; k < 3; ++k) mean[k] += x[k] / static_cast<double>(points.size());
  }
  double farthest = 0;
  for (const Vec3& x : points) {
    farthest = std::max(farthest, std::hypot(x[0] - mean[0], x[1] - mean[1], x[2] - mean[2]));
  }
  return 2 / std::sqrt(3.0) * farthest;
}

/// Mass of tets, triangles and segments; springs without these count as having none.
double mass_of(const Body& body) {
  if (body.mass) return *body.mass;
  double six_volumes = 0, two_areas = 0, length = 0;
  for (const auto& tet : body.mesh.tets) six_volumes += shape_of(body.mesh, tet).six_volumes;
  const auto edge = [&](int a, int b) {
    const Vec3 &from = body.mesh.vertices[static_cast<std::size_t>(a)],
               &to = body.mesh.vertices[static_cast<std::size_t>(b)];
    return Vec3{to[0] - from[0], to[1] - from[1], to[2] - from[2]};
  };
  for (const auto& [a, b, c] : body.triangles) {
    const Vec3 u = edge(a, b), v = edge(a, c);
    two_areas +=
        std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
  }
  for (const auto& [a, b] : body.segments) {
    const Vec3 u = edge(a, b);
    length += std::hypot(u[0], u[1], u[2]);
  }
  return body.density * (six_volumes / 6 + two_areas / 2 + length);
}

/// Whether F = 0 has less energy than the rest shape, judged by (mu - lambda)/2 [Macklin & Mueller
/// 2021, eqs. 1 and 14].
bool rather_crushed(const Body& body) {
  const MaterialSettings& material = body.material;
  if (material.model != "stable_neo_hookean") return false;
  for (std::size_t t = 0; t < body.mesh.tets.size(); ++t) {
    if (material.lambda[t] < material.mu[t]) return true;
  }
  return false;
}

double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// "about 40 times", "more than 1000 times".
std::string times(double factor) {
  if (factor >= largest_said) return fmt::format("more than {:g} times", largest_said);
  return fmt::format("about {:.2g} times", factor);
}

/// "1 tet is", "3 tets are".
std::string counted(double count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

/// Whether one flat tet can hold up the rest of the body.
bool goes_piece_by_piece(SolverMethod method) {
  constexpr std::array methods{SolverMethod::xpbd, SolverMethod::pbd,
                               SolverMethod::vertex_block_descent, SolverMethod::gauss_seidel,
                               SolverMethod::jacobi};
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

/// Whether a body begins with tets inside out, as far as the scene tells.
bool begins_inverted(const Body& body) {
  if (const auto* stretch = std::get_if<Stretch>(&body.initial)) {
    return stretch->factors[0] * stretch->factors[1] * stretch->factors[2] < 0;
  }
  return std::holds_alternative<Randomize>(body.initial) ||
         std::holds_alternative<Flatten>(body.initial);
}

/// A matrix that includes contacts is worth more than one that tells shear from volume. Newton's
/// method and other matrices do not know rigid bodies. It is what follows thin bodies, cloth and
/// strands, which a matrix with one number for all directions holds up.
std::string remedy(const SolverSettings& solver, bool may_warp, bool has_rigid, bool is_thin) {
  if (has_rigid) return "raise iterations or substeps";
  if (is_thin && solver.method != SolverMethod::newton) {
    return "use newton, which follows cloth and strands in few iterations, or raise iterations or "
           "substeps";
  }
  const bool is_scalar = solver.initial_hessian == InitialHessian::laplacian && may_warp;
  if (solver.method == SolverMethod::l_bfgs && is_scalar) {
    return "raise iterations or substeps, set /solver/initial_hessian to warped_rest, or use "
           "newton";
  }
  if (solver.method == SolverMethod::l_bfgs) return "raise iterations or substeps, or use newton";
  if (solver.method == SolverMethod::newton) return "raise iterations or substeps";
  if (solver.method == SolverMethod::xpbd) return "raise substeps or use l_bfgs";
  return "raise iterations or use l_bfgs";
}

}  // namespace

void RunWatch::Seen::add(std::int64_t frame, double amount) {
  if (count == 0) first = frame;
  last = frame;
  ++count;
  worst = std::max(worst, amount);
}

RunWatch::RunWatch(const Scene& scene)
    : unfolds_(std::any_of(scene.bodies.begin(), scene.bodies.end(), begins_inverted)) {
  scene_changed(scene);
}

void RunWatch::scene_changed(const Scene& scene) {
  solver_ = scene.solver;
  // At rest cloth and strands resist nothing that bends them, and steps of that matrix are too
  // long.
  may_warp_ = scene.colliders.empty() && scene.bodies.size() == 1 &&
              !scene.bodies.front().mesh.tets.empty();
  is_thin_ = suitable_method(scene.bodies) == SolverMethod::newton;
  is_barrier_ = scene.contact.mode == ContactMode::barrier;
  has_rigid_ = std::any_of(scene.bodies.begin(), scene.bodies.end(), is_rigid);
  size_ = std::numeric_limits<double>::infinity();
  double mass = 0;
  energy_at_rest_ = 0;
  num_flat_tets_ = 0;
  is_crushable_ = false;
  for (const Body& body : scene.bodies) {
    is_crushable_ = is_crushable_ || rather_crushed(body);
    size_ = std::min(size_, size_of(body.mesh.vertices));
    mass += mass_of(body);
    energy_at_rest_ += energy_at_rest(body);
    if (!goes_piece_by_piece(solver_.method)) continue;
    for (const auto& tet : body.mesh.tets) {
      const TetShape shape = shape_of(body.mesh, tet);
      const double cube = shape.longest * shape.longest * shape.longest;
      if (shape.six_volumes < flat_tet * cube) ++num_flat_tets_;
    }
  }
  if (scene.bodies.empty()) size_ = 0;
  weight_size_ = mass * std::hypot(scene.gravity[0], scene.gravity[1], scene.gravity[2]) * size_;
}

void RunWatch::add(std::int64_t frame, const StepReport& report, const Energies& energies) {
  if (frames_ == 0) first_frame_ = frame;
  last_frame_ = frame;
  ++frames_;
  drift_ = report.drift;
  friction_error_ = report.friction_error;
  const double away = std::abs(std::log(report.unconverged));
  mean_ += (std::min(away, std::log(most_a_frame)) - mean_) / frames_of_mean;
  share_ += ((away > std::log(soft_factor) ? 1 : 0) - share_) / frames_of_mean;
  not_known_ *= 1 - 1 / frames_of_mean;
  const double known = std::max(1 - not_known_, least_known);
  worst_mean_ = std::max(worst_mean_, mean_ / known);
  worst_share_ = std::max(worst_share_, share_ / known);
  inexact_mean_ +=
      (std::min(report.constraint_error, most_inexact_a_frame) - inexact_mean_) / frames_of_mean;
  worst_inexact_ = std::max(worst_inexact_, inexact_mean_ / known);
  if (report.constraint_error > most_inexact) inexact_.add(frame, report.constraint_error);
  if (report.unconverged > soft_factor || report.unconverged < 1 / soft_factor) {
    (report.unconverged > 1 ? soft_ : stiff_).add(frame, report.unconverged);
    factors_.push_back(report.unconverged);
  }
  if (reads_energies(report)) {
    most_energy_ = std::max(most_energy_, energies.kinetic + energies.elastic - energy_at_rest_);
    const double at_hand = std::max(most_energy_ - report.energy_gain, weight_size_);
    if (report.energy_gain > gain_share * at_hand) gain_.add(frame, report.energy_gain / at_hand);
  }
  inverted_now_ = report.inverted_tets;
  unfolds_ = unfolds_ && report.inverted_tets > 0;
  if (report.inverted_tets > 0)
    (unfolds_ ? unfolding_ : inverted_).add(frame, report.inverted_tets);
  if (report.unfolding_bodies > 0) arap_.add(frame, report.unfolding_bodies);
  if (report.deepest_penetration > depth_share * size_) {
    deep_.add(frame, report.deepest_penetration);
  }
  if (report.tunnelled > 0) tunnelled_.add(frame, report.tunnelled);
  if (report.overlaps > 0) overlaps_.add(frame, report.overlaps);
  if (report.held_back > 0) held_back_.add(frame, report.held_back);
  if (report.steady_substeps > 0) steady_.add(frame, report.steady_substeps);
  if (report.force_scale > 0) {
    unbalanced_.push_back(report.gradient_norm);
    force_scales_.push_back(report.force_scale);
  }
}

double RunWatch::unbalanced_share() const {
  if (force_scales_.empty()) return 0;
  constexpr double of_largest = 0.01;
  const double least = of_largest * *std::max_element(force_scales_.begin(), force_scales_.end());
  std::vector<double> shares;
  for (std::size_t i = 0; i < force_scales_.size(); ++i) {
    shares.push_back(unbalanced_[i] / std::max(force_scales_[i], least));
  }
  return middle_of(std::move(shares));
}

void RunWatch::warn_unconverged(std::vector<Warning>& list) const {
  const auto warn = [&](const std::string& what, std::int64_t first, std::int64_t last) {
    list.push_back({"unconverged",
                    "the steps are not converged: " + what + "; " +
                        remedy(solver_, may_warp_, has_rigid_, is_thin_),
                    first, last});
  };
  const double known = 1 - not_known_;
  const bool is_short = known < least_known;
  const double mean = is_short ? mean_ / known : worst_mean_;
  const double share = is_short ? share_ / known : worst_share_;
  const bool is_soft = mean > std::log(soft_factor) || share > soft_share;
  if (factors_.empty() || !is_soft) {
    if (drift_ > most_drift) {
      warn(fmt::format("a held body is off its motion by {:.2g} % of its largest displacement",
                       100 * drift_),
           first_frame_, last_frame_);
    } else if (friction_error_ > most_friction_error) {
      warn(fmt::format("contact forces are off, and friction has wrongly changed a body's speed by "
                       "{:.2g} % of its largest",
                       100 * friction_error_),
           first_frame_, last_frame_);
    }
    return;
  }
  const double factor = middle_of(factors_);
  const std::string acted = factor > 1
                                ? times(factor) + " softer than its material"
                                : times(1 / factor) + " stiffer than its material, as if held back";
  const Seen& one = soft_.count > 0 ? soft_ : stiff_;
  const Seen& other = stiff_.count > 0 ? stiff_ : soft_;
  warn("the body acted " + acted, std::min(one.first, other.first), std::max(one.last, other.last));
}

void RunWatch::warn_inverted(std::vector<Warning>& list) const {
  if (arap_.count > 0) {
    list.push_back({"inverted",
                    fmt::format("in {} {} inside out and made of arap until unfolded, as "
                                "/solver/recovery says; energies of these frames are not those of "
                                "the material",
                                counted(static_cast<double>(arap_.count), "frame", "frames"),
                                counted(arap_.worst, "body was", "bodies were")),
                    arap_.first, arap_.last});
  }
  const Seen& seen = unfolds_ ? unfolding_ : inverted_;
  if (seen.count == 0) return;
  std::string text = inverted_now_ > 0
                         ? fmt::format("{} inside out at the end (at most {})",
                                       counted(inverted_now_, "tet is", "tets are"), seen.worst)
                         : fmt::format("up to {} inside out, none at the end",
                                       counted(seen.worst, "tet was", "tets were"));
  if (is_crushable_) {
    text +=
        "; stable_neo_hookean with lambda below mu, Poisson's ratio below 1/4, has less energy "
        "crushed than at rest: use neo_hookean or a larger ratio";
  }
  list.push_back({"inverted", text, seen.first, seen.last});
}

std::vector<Warning> RunWatch::warnings() const {
  std::vector<Warning> list;
  warn_unconverged(list);
  if (gain_.count > 0) {
    list.push_back({"energy_gain",
                    fmt::format("a frame gained up to {:.2g} % of the available energy out of "
                                "nothing; raise iterations or substeps",
                                100 * gain_.worst),
                    gain_.first, gain_.last});
  }
  warn_inverted(list);
  if (deep_.count > 0) {
    list.push_back({"deep_contact",
                    fmt::format("the surface is up to {:.3g} m deep in a collider, {:.2g} % of the "
                                "size of the smallest body; raise /contact/stiffness or substeps",
                                deep_.worst, 100 * deep_.worst / size_),
                    deep_.first, deep_.last});
  }
  if (tunnelled_.count > 0) {
    list.push_back(
        {"tunnelled",
         is_barrier_
             ? fmt::format("a moving collider left bodies no way out and intersects up to {} "
                           "per frame; move it less far, or more slowly",
                           counted(tunnelled_.worst, "triangle", "triangles"))
             : fmt::format("up to {} per frame passed through a collider; raise substeps",
                           counted(tunnelled_.worst, "point", "points")),
         tunnelled_.first, tunnelled_.last});
  }
  if (overlaps_.count > 0) {
    list.push_back({"self_intersection",
                    fmt::format("{} each other, or themselves, and so did not touch there; start "
                                "bodies apart, or set /contact/bodies or /contact/self to false",
                                counted(overlaps_.worst, "pair of bodies intersects",
                                        "pairs of bodies intersect")),
                    overlaps_.first, overlaps_.last});
  }
  if (static_cast<double>(held_back_.count) > held_back_share * static_cast<double>(frames_)) {
    list.push_back({"self_intersection",
                    fmt::format("in {} bodies were held back so that their surfaces meet nothing, "
                                "which slows them; raise iterations or substeps",
                                counted(static_cast<double>(held_back_.count), "frame", "frames")),
                    held_back_.first, held_back_.last});
  }
  if (num_flat_tets_ > 0 && frames_ > 0) {
    list.push_back({"poor_elements",
                    fmt::format("{} nearly flat at rest (six volumes below {:g} of the cube of "
                                "the longest edge), which {} cannot handle; remesh the body or "
                                "use l_bfgs",
                                counted(num_flat_tets_, "tet is", "tets are"), flat_tet,
                                to_string(solver_.method)),
                    first_frame_, last_frame_});
  }
  if (const double share = unbalanced_share(); share > too_large_share) {
    const bool can_choose =
        solver_.method == SolverMethod::xpbd && solver_.projection != XpbdProjection::stress;
    list.push_back({"step_too_large",
                    fmt::format("the step is too large for this solver: forces {:.3g} times those "
                                "on the body are left unbalanced (median frame; expected at most "
                                "{:g}), so that it may look stiff, soft or shrunken; take {}",
                                share, too_large_share,
                                can_choose ? "the projection stress or more substeps"
                                           : "more substeps or more iterations"),
                    first_frame_, last_frame_});
  }
  if (steady_.count > 0) {
    list.push_back({"step_too_large",
                    fmt::format("the step is too large: {} would have gained energy and went on "
                                "in parts by backward Euler, which damps; raise substeps or "
                                "iterations",
                                counted(static_cast<double>(steady_.count), "frame", "frames")),
                    steady_.first, steady_.last});
  }
  const double known = 1 - not_known_;
  const double inexact = known < least_known ? inexact_mean_ / known : worst_inexact_;
  if (inexact_.count > 0 && inexact > most_inexact) {
    list.push_back(
        {"constraint",
         fmt::format("lengths or volumes that should be exact were off by up to {:.2g} %; "
                     "raise iterations, substeps or the stiffness of the inextensible "
                     "springs",
                     100 * inexact_.worst),
         inexact_.first, inexact_.last});
  }
  return list;
}

}  // namespace supple

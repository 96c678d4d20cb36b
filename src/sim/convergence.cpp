#include "sim/convergence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <optional>

#include "base/index.h"
#include "descent/contact_matrix.h"
#include "descent/warped_rest.h"
#include "sim/affine_motions.h"
#include "sim/measures.h"
#include "sim/stepper.h"
#include "supple/error.h"

namespace supple {

namespace {

/// A factor above this says nothing more.
constexpr double largest_factor = 1000;
/// What can be seen of a body: see ConvergenceProbe.
constexpr double visible_deflection = 1e-4;
constexpr double visible_acceleration = 2e-3;  ///< 1/s^2

/// A mean acceleration below this share of gravity counts as this share.
constexpr double least_slide = 0.05;
/// An acceleration that would move a body by less than this share of its size in a step counts as
/// the one that moves it so far. If free fall covers many sizes in a step, a hundredth of the
/// weight decides where a body goes.
constexpr double least_way = 0.1;
/// If more than this share of p is rigid, p is a motion that is held back or let go. Half a bar of
/// 1e6 times the stiffness that should turn leaves 0.17 and more; the twisting bar of a polynomial
/// material, whose steps act 5 % too soft, leaves 0.004 and less.
constexpr double least_rigid = 0.1;

constexpr int probe_history = 5;
/// Iterations of the probe. It goes on only if the factor moved by a tenth of its distance from 1
/// and lies between these bounds: nearer to 1 it stays below 1.1, and farther away nobody wants its
/// digits. The third and fourth count are for graded bodies; they move the factor of others by at
/// most 3 % (on the shaking bar).
constexpr std::array<int, 4> probe_iterations{6, 12, 24, 48};
constexpr int most_if_even = 12;
constexpr double near_factor = 1.03, far_factor = 3;
/// While the last direction promises more than this share of what the probe has found, the factor
/// is not known yet, whatever it is. Around M/a^2 + L, a body of flat, nearly incompressible tets
/// gives up its energy slowly: a plate of them gives up nothing that shows in 6 iterations and four
/// times its deflection in 48.
constexpr double settled_share = 0.02;

/// Forces that balance no better than to this share of the weight are no equilibrium, however
/// slowly the method moves.
constexpr double most_unbalanced = 0.5;

/// Looks may cost this share of the frames since the last look. Until that holds, each look lies
/// `growth` times as far from the start as the last one. With methods whose directions tell
/// nothing, each wait is `blind_growth` times as long as the one before.
constexpr double share_of_cost = 0.01;
constexpr std::int64_t growth = 4, blind_growth = 3;
/// A factor beyond this is looked at again in the next frame if the last look found none.
constexpr double conspicuous_factor = 1.1;
/// If the last direction of a step promised at least this share of the step's way, the next look
/// comes early: after a quarter of the wait, but not before `least_wait` frames.
constexpr double promised_share = 0.2;
constexpr std::int64_t least_wait = 8, shorter_wait = 4;
/// Steps in which bodies would fall far, and which touch something, are looked at after this part
/// of all frames: contacts cut their way short, about which the last direction says little.
constexpr std::int64_t long_wait = 16;
/// Steps in which something begins to touch are looked at after this part of all frames: many are
/// worse than those before and after them.
constexpr std::int64_t impact_wait = 8;
/// If the promise, as an energy, is less than this share of the inertia's energy, there is nothing
/// to look at. No frame of scenes/ that acts 1.1 times too soft or too stiff is below 5e-4.
constexpr double quiet_share = 1e-4;
/// The same holds if it is less than this share of what could be seen, because the last direction
/// can be a tenth of the way that is left.
constexpr double quiet_visible = 0.01;

/// Cost of an iteration, in evaluations of the objective (docs/solvers.md has the times).
double cost_of_iteration(SolverMethod method) {
  if (method == SolverMethod::newton || method == SolverMethod::step_and_project) return 15;
  if (method == SolverMethod::vertex_block_descent) return 8;
  if (method == SolverMethod::xpbd) return 0.6;
  return 1.2;
}

/// Whether a part of a body is so much stiffer than another that L-BFGS around M/a^2 + L, which
/// does not turn with the body, creeps when the stiff part turns. At 1e6 times the stiffness it is
/// 17 % behind after ten iterations a frame and finds next to nothing in 90 more.
bool is_graded(const Model& model) {
  constexpr double much = 30;
  if (!model.rods.empty()) return true;
  if (model.stiffness.empty() || !model.is_rigid.empty()) return false;
  const std::vector<double>& stiffness = model.stiffness.kept();
  const auto [least, most] = std::minmax_element(stiffness.begin(), stiffness.end());
  return *most > much * *least;
}

/// Null if the rest Hessian is not positive definite.
std::unique_ptr<Direction> make_turned(const Model& model, double inverse_a2) {
  try {
    return std::make_unique<WarpedRest>(model, inverse_a2);
  } catch (const Error&) {
    return nullptr;
  }
}

/// How far a factor is from 1, in either direction.
double distance_from_one(double factor) { return std::max(factor, 1 / factor); }

}  // namespace

/// What a measurement needs.
struct ConvergenceProbe::Room {
  Room(const Model& model, double inverse_a2, std::unique_ptr<Laplacian> own, Laplacian& used,
       bool graded, std::shared_ptr<LinearPairs::Fields> fields, Minimiser& minimiser,
       VectorField& place)
      : own_matrix(std::move(own)),
        matrix(used),
        descent(model, std::make_unique<ContactMatrix>(model, used), probe_history,
                std::move(fields)),
        z(place),
        gradient(*minimiser.spare()[0]),
        p(*minimiser.spare()[1]),
        q(*minimiser.spare()[2]) {
    if (!graded) return;
    if (auto inner = make_turned(model, inverse_a2)) {
      turned.emplace(model, std::move(inner), probe_history);
    }
  }

  std::unique_ptr<Laplacian> own_matrix;  ///< if the simulation has none
  Laplacian& matrix;                      ///< -(M/a^2 + L)^-1
  LBfgs descent;
  std::optional<LBfgs> turned;  ///< around a matrix that turns with the body, if needed
  VectorField& z;               ///< position of the probe, m
  // Valid between two runs of the minimiser:
  VectorField& gradient;  ///< of the elastic energy there, with damping, N
  VectorField &p, &q;     ///< m
  std::optional<Objective> without_contact;
  std::optional<AffineMotions> affine;  ///< if all bodies are thin
};

ConvergenceProbe::ConvergenceProbe(const Model& model, const Scene& scene, double inverse_a2,
                                   Minimiser& minimiser, VectorField& z)
    : model_(&model),
      minimiser_(&minimiser),
      z_(&z),
      solver_(scene.solver),
      substeps_(scene.time.substeps),
      inverse_a2_(inverse_a2),
      gravity_(scene.gravity),
      guard_(model) {
  find_material(scene);
  for (std::size_t b = 0; b + 1 < model.body_vertices.size(); ++b) {
    size_.push_back(box_diagonal(model, b));
    mass_.push_back(std::accumulate(model.mass.begin() + model.body_vertices[b],
                                    model.mass.begin() + model.body_vertices[b + 1], 0.0));
  }
  mass_norm_ =
      std::sqrt(std::inner_product(model.mass.begin(), model.mass.end(), model.mass.begin(), 0.0));
  find_long_steps();
}

ConvergenceProbe::~ConvergenceProbe() = default;

/// Finds whether bodies would fall so far in a step, compared with their size, that less than
/// least_slide of the weight moves them on.
void ConvergenceProbe::find_long_steps() {
  const double gravity = std::hypot(gravity_[0], gravity_[1], gravity_[2]);
  is_long_ = std::any_of(size_.begin(), size_.end(), [&](double size) {
    return inverse_a2_ > 0 && least_way * size * inverse_a2_ < least_slide * gravity;
  });
}

void ConvergenceProbe::settings_changed(const Scene& scene) {
  solver_ = scene.solver;
  gravity_ = scene.gravity;
  find_long_steps();
}

void ConvergenceProbe::pins_changed(const PinChange& change) {
  if (!room_) return;
  if (room_->without_contact) room_->without_contact->pins_changed();
  try {
    if (room_->own_matrix) room_->own_matrix->pins_changed(change);
    if (room_->turned) room_->turned->pins_changed(change);
  } catch (const Error&) {
    room_.reset();
  }
}

/// Finds whether the method minimises an energy that can be evaluated.
void ConvergenceProbe::find_material(const Scene& scene) {
  is_defined_ =
      solver_.method != SolverMethod::pbd && !find_material_fault(scene, SolverMethod::newton);
  is_graded_ = is_graded(*model_);
  is_thin_ = model_->num_tets == 0;
  is_tied_.assign(model_->body_vertices.size() - 1, 0);
  ties_rigid_ = false;
  const std::vector<int> groups = model_->bonds.groups(model_->body_vertices);
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    if (groups[g + 1] == groups[g] + 1) continue;
    bool is_rigid = false;
    for (int body = groups[g]; body < groups[g + 1]; ++body) {
      is_rigid = is_rigid || model_->is_rigid_body(body);
    }
    ties_rigid_ = ties_rigid_ || is_rigid;
    std::fill(is_tied_.begin() + groups[g], is_tied_.begin() + groups[g + 1], is_rigid ? 2 : 1);
  }
}

void ConvergenceProbe::materials_changed(const Scene& scene) {
  find_material(scene);
  room_.reset();
  schedule_ = {};
}

void ConvergenceProbe::contact_changed() {
  if (room_) room_->without_contact.reset();
  schedule_ = {};
}

void ConvergenceProbe::make_room(Objective& objective, Direction* direction) {
  if (!room_) {
    Laplacian* matrix = direction != nullptr ? direction->constant_matrix() : nullptr;
    std::unique_ptr<Laplacian> own;
    if (matrix == nullptr) {
      own = std::make_unique<Laplacian>(*model_, inverse_a2_);
      matrix = own.get();
    }
    const auto* const used = dynamic_cast<const LBfgs*>(direction);
    room_ = std::make_unique<Room>(*model_, inverse_a2_, std::move(own), *matrix, is_graded_,
                                   used != nullptr ? used->fields() : nullptr, *minimiser_, *z_);
  }
  if (is_thin_ && !room_->affine) room_->affine.emplace(*model_);
  if (objective.contact() != nullptr && !room_->without_contact) {
    room_->without_contact.emplace(*model_, nullptr, objective.threads());
  }
}

/// dE_elastic/dz with damping at the position of the probe, N. Without contacts it is what balances
/// inertia and pins. Contacts do not tell their forces, so with them the elements themselves are
/// evaluated.
void ConvergenceProbe::find_elastic_gradient(Objective& objective) {
  VectorField& gradient = room_->gradient;
  const VectorField& z = room_->z;
  Objective* const elastic = room_->without_contact ? &*room_->without_contact : nullptr;
  if (elastic != nullptr) {
    elastic->shapes_changed(true);
    elastic->begin_step({.y = z,  // no inertia; the rest is for damping
                         .inverse_a2 = objective.inverse_a2(),
                         .x_start = objective.x_start(),
                         .time = 0,
                         .h = 1});
    elastic->value_and_gradient(z, gradient);
  } else {
    const VectorField& y = objective.inertial_target();
    for (std::size_t i = 0; i < z.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        const double pull = objective.weight()[static_cast<std::size_t>(k)];
        gradient[i][k] = model_->mass[i] * (pull - (z[i][k] - y[i][k]) * objective.inverse_a2());
      }
    }
  }
  Objective& evaluated = elastic != nullptr ? *elastic : objective;
  if (PressureEnergy* const pressure = evaluated.pressure()) {
    pressure->add(z, evaluated.threads(), gradient, -1);
  }
  const std::vector<Vec3>& targets = evaluated.pin_targets();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const PinnedVertex& pin = model_->pins.pins[i];
    const Vec3 stretch = model_->pins.stretch(i, z, targets);
    PaddedVector& of_vertex = gradient[static_cast<std::size_t>(pin.vertex)];
    for (int k = 0; k < 3; ++k) {
      of_vertex[k] -= pin.stiffness * stretch[static_cast<std::size_t>(k)];
    }
  }
  const BondSet& bonds = model_->bonds;
  for (std::size_t b = 0; b < bonds.size(); ++b) {
    const Vec3 pull = bonds.pull(b, evaluated.bond_lengths()[b], z);
    for (std::size_t c = 0; c < static_cast<std::size_t>(bonds.bonds[b].count); ++c) {
      PaddedVector& of_vertex = gradient[static_cast<std::size_t>(bonds.bonds[b].vertices[c])];
      for (int k = 0; k < 3; ++k) {
        of_vertex[k] += bonds.bonds[b].weights[c] * pull[static_cast<std::size_t>(k)];
      }
    }
  }
}

/// How much softer than its material one body acted, from p, q and c = z* - y.
double ConvergenceProbe::factor_of(std::size_t body, const Objective& objective) const {
  const VectorField& y = objective.inertial_target();
  const double inverse_a2 = objective.inverse_a2();
  double mass = 0, pq = 0, qq = 0, qf = 0, pp = 0, pc = 0, cc = 0;
  for (int v = model_->body_vertices[body]; v < model_->body_vertices[body + 1]; ++v) {
    const auto i = static_cast<std::size_t>(v);
    const double m = model_->mass[i];
    mass += m;
    for (int k = 0; k < 3; ++k) {
      const double end = room_->z[i][k], q = room_->q[i][k];
      const double p = room_->p[i][k], c = end - y[i][k];
      pq += m * p * q;
      qq += m * q * q;
      qf -= q * room_->gradient[i][k];
      pp += m * p * p;
      pc += m * p * c;
      cc += m * c * c;
    }
  }
  const double least = 1 / largest_factor;
  // |.|_M of a body that moves by its size.
  const double size = size_[body] * std::sqrt(mass);
  double factor = 1;
  if (qq > 0 && !model_->is_rigid_body(static_cast<int>(body))) {
    const double first_order = pq / qq;
    double one_and_kappa = 1, kappa_share = 1;  // kappa/(1 + kappa)
    if (inverse_a2 > 0) {
      one_and_kappa = std::max(qf / (qq * inverse_a2), 1.0);
      const double missing = first_order / one_and_kappa;
      kappa_share = 1 - 1 / one_and_kappa;
      factor = std::max(1 + first_order * kappa_share, least) / std::max(1 - missing, least);
    } else {
      factor = 1 + first_order;  // kappa is infinite
    }
    factor = std::clamp(factor, least, largest_factor);
    const double deflection = std::abs(first_order) * std::sqrt(qq);
    if (!(deflection >= visible_deflection * size * kappa_share)) factor = 1;
  }
  const double held = held_factor(body, pp, pc, cc);
  return distance_from_one(held) > distance_from_one(factor) ? held : factor;
}

/// How much less a body should be held back than it was, from |p|_M^2, <p, c>_M and |c|_M^2; 1 if p
/// is no motion of the body that anybody would see.
double ConvergenceProbe::held_factor(std::size_t body, double pp, double pc, double cc) const {
  const double rigid = std::sqrt(guard_.rigid_square(body, room_->z, room_->p));
  // A body that is tied to another one is moved by the other's deformation.
  const bool is_motion =
      is_tied_[body] == 2 || (rigid > least_rigid * std::sqrt(pp) && is_tied_[body] == 0);
  const double size = size_[body] * std::sqrt(mass_[body]);
  if (!(cc > 0 && is_motion && std::sqrt(pp) * inverse_a2_ > visible_acceleration * size)) return 1;
  const double made = std::max(1 - std::sqrt(pp / cc), 1 / largest_factor);
  return pc > 0 ? 1 / made : made;
}

/// The factor of the bodies by a step of Newton's method among the affine motions of each.
double ConvergenceProbe::affine_factor(Objective& objective, const VectorField& z) {
  room_->affine->find_step(objective, z, size_, {room_->z, room_->gradient, room_->p});
  const VectorField& y = objective.inertial_target();
  double worst = 1;
  for (std::size_t b = 0; b < size_.size(); ++b) {
    double pp = 0, pc = 0, cc = 0;
    for (auto i = at(model_->body_vertices[b]); i < at(model_->body_vertices[b + 1]); ++i) {
      for (int k = 0; k < 3; ++k) {
        const double p = room_->p[i][k], c = z[i][k] + p - y[i][k], mass = model_->mass[i];
        pp += mass * p * p;
        pc += mass * p * c;
        cc += mass * c * c;
      }
    }
    const double held = held_factor(b, pp, pc, cc);
    if (std::isfinite(held) && distance_from_one(held) > distance_from_one(worst)) worst = held;
  }
  return worst;
}

/// The factor by which the mean acceleration of one body should be smaller. It is 1 for a body that
/// pins or bonds hold or that touches nothing.
double ConvergenceProbe::sliding_factor(std::size_t body, const Objective& objective,
                                        const VectorField& z) const {
  const int first = model_->body_vertices[body], last = model_->body_vertices[body + 1];
  const auto is_own = [&](int vertex) { return vertex >= first && vertex < last; };
  const auto& pins = model_->pins.pins;
  const auto holds = [&](const PinnedVertex& pin) { return is_own(pin.vertex); };
  if (objective.contact() == nullptr || std::any_of(pins.begin(), pins.end(), holds)) return 1;
  const auto& bonds = model_->bonds.bonds;
  const auto ties = [&](const PointBond& bond) {
    return std::any_of(bond.vertices.begin(), bond.vertices.begin() + bond.count, is_own);
  };
  if (std::any_of(bonds.begin(), bonds.end(), ties)) return 1;
  const auto contacts = objective.contact()->contacts();
  const auto touches = [&](const Contact& own) {
    return std::any_of(own.point.vertices, own.point.vertices + own.point.count, is_own);
  };
  if (std::none_of(contacts.begin(), contacts.end(), touches)) return 1;
  const VectorField& y = objective.inertial_target();
  const double inverse_a2 = objective.inverse_a2();
  double mass = 0, missing[3] = {}, right[3] = {};
  for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
    mass += model_->mass[i];
    for (int k = 0; k < 3; ++k) {
      missing[k] += model_->mass[i] * (room_->z[i][k] - z[i][k]) * inverse_a2;
      right[k] += model_->mass[i] * (room_->z[i][k] - y[i][k]) * inverse_a2;
    }
  }
  double error2 = 0, slide2 = 0, along = 0;
  for (int k = 0; k < 3; ++k) {
    right[k] += mass * gravity_[static_cast<std::size_t>(k)];
    error2 += missing[k] * missing[k];
    slide2 += right[k] * right[k];
    along += missing[k] * right[k];
  }
  const double gravity = std::hypot(gravity_[0], gravity_[1], gravity_[2]);
  const double least = std::min(least_slide * gravity, least_way * size_[body] * inverse_a2);
  const double slide = std::max(std::sqrt(slide2), least * mass);
  if (!(slide > 0)) return 1;
  const double made = std::max(1 - std::sqrt(error2) / slide, 1 / largest_factor);
  return along > 0 ? made : 1 / made;
}

double ConvergenceProbe::estimate(Objective& objective, const VectorField& z) {
  find_elastic_gradient(objective);
  room_->matrix.compute(objective, {room_->z, room_->gradient, 0}, room_->q);
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (int k = 0; k < 3; ++k) room_->p[i][k] = room_->z[i][k] - z[i][k];
  }
  double worst = 1;
  for (std::size_t b = 0; b < size_.size(); ++b) {
    for (const double factor : {factor_of(b, objective), sliding_factor(b, objective, z)}) {
      if (distance_from_one(factor) > distance_from_one(worst)) worst = factor;
    }
  }
  return worst;
}

void ConvergenceProbe::look(Objective& objective, Direction* direction, const VectorField& z) {
  make_room(objective, direction);
  if (room_->own_matrix) room_->own_matrix->begin_step(objective);  // it may take other pins over
  std::optional<double> factor = go_on(objective, room_->descent, z);
  if (room_->turned) {
    const std::optional<double> other = go_on(objective, *room_->turned, z);
    const double known = distance_from_one(factor.value_or(1));
    if (other && distance_from_one(*other) > known) factor = other;
  }
  if (is_thin_ && inverse_a2_ > 0 && solver_.budget_ms == 0) {
    const double affine = affine_factor(objective, z);
    if (distance_from_one(affine) > distance_from_one(factor.value_or(1))) factor = affine;
  }
  if (factor) schedule_.softness = *factor;
}

std::optional<double> ConvergenceProbe::go_on(Objective& objective, LBfgs& descent,
                                              const VectorField& z) {
  objective.algebra().copy(z, room_->z);
  SolverSettings settings;
  double last = 1;
  std::optional<double> start;
  for (const int iterations : probe_iterations) {
    // A user who asks for frames within a time does not want to wait longer for a mere report.
    settings.iterations = solver_.budget_ms > 0 ? 1 : iterations;
    const MinimiseReport result = minimiser_->run(objective, descent, settings, room_->z);
    if (result.status == StepStatus::non_finite) return {};
    const double factor = estimate(objective, z);
    if (!std::isfinite(factor)) return {};
    const bool moves = std::abs(factor - last) > 0.1 * std::abs(factor - 1);
    last = factor;
    const double away = distance_from_one(factor);
    // An iteration during an impact costs as much as a frame at rest.
    const bool touches = objective.contact() != nullptr && !objective.contact()->touching().empty();
    if (touches || solver_.budget_ms > 0 || away > far_factor) break;
    const double promised = result.expected_decrease;
    if (!start) start = result.start_value;
    const bool is_settled = promised <= settled_share * (*start - result.value) ||
                            is_quiet(promised, std::abs(objective.inertia_energy(room_->z)));
    if (!is_settled || ties_rigid_) continue;
    if (away < near_factor || !moves || (!is_graded_ && iterations >= most_if_even)) break;
  }
  return last;
}

/// Whether the directions of the method tell what is left to do for the body as a whole, contacts
/// included. Directions from vertex to vertex or from few conjugate gradients do not, nor do those
/// of M/a^2 + L when a stiff part or a thin body turns.
bool ConvergenceProbe::sees_all(Direction* direction) const {
  if (direction == nullptr || is_graded_ || ties_rigid_ || solver_.budget_ms > 0) return false;
  if (solver_.method == SolverMethod::newton) return solver_.linear_solver == LinearSolver::direct;
  if (is_thin_) return false;
  return (solver_.method == SolverMethod::l_bfgs || solver_.method == SolverMethod::quasi_newton) &&
         direction->constant_matrix() != nullptr;
}

/// Whether a method that sees all promised too little for anybody to notice. The remainder p of a
/// step holds at least |p|_M^2/(2 a^2) of g.
bool ConvergenceProbe::is_quiet(double promised, double inertia) const {
  if (promised <= quiet_share * inertia) return true;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < size_.size(); ++b) {
    least = std::min(least, mass_[b] * size_[b] * size_[b]);
  }
  if (!(inverse_a2_ > 0)) return false;
  return promised <=
         quiet_visible * 0.5 * visible_acceleration * visible_acceleration * least / inverse_a2_;
}

/// The largest acceleration of a body that nobody would see, m/s^2.
double ConvergenceProbe::unseen_acceleration() const {
  return visible_acceleration * *std::min_element(size_.begin(), size_.end());
}

bool ConvergenceProbe::is_due(std::int64_t frame, bool promises_much, bool touches) const {
  if (frame >= schedule_.next || schedule_.interval == 0) return true;
  const std::int64_t last = schedule_.next - schedule_.interval;
  if (touches && is_long_ && frame >= last + frame / long_wait) return true;
  return promises_much && distance_from_one(schedule_.softness) <= conspicuous_factor &&
         frame >= last + std::max(least_wait, schedule_.interval / shorter_wait);
}

/// Whether a step in which something begins to touch is looked at.
bool ConvergenceProbe::is_impact(std::int64_t frame) const {
  const std::int64_t last = schedule_.next - schedule_.interval;
  return solver_.budget_ms == 0 && frame >= last + std::max<std::int64_t>(1, frame / impact_wait);
}

void ConvergenceProbe::plan_next(std::int64_t frame, bool is_blind, double softness_before,
                                 int iterations) {
  const double frame_cost = substeps_ * std::max(iterations, 1) * cost_of_iteration(solver_.method);
  const auto paid =
      static_cast<std::int64_t>(std::ceil(evaluations_ / (share_of_cost * frame_cost)));
  const bool was = distance_from_one(softness_before) > conspicuous_factor;
  const bool is = distance_from_one(schedule_.softness) > conspicuous_factor;
  std::int64_t interval = (growth - 1) * frame;
  if (is_blind) {
    // A factor near the bound must not cost much in the long run.
    interval = std::max<std::int64_t>(2, blind_growth * schedule_.interval);
    if (was && is) interval = std::min(interval, std::max(frame / 16, least_wait));
    if (was && !is) interval = frame / 16;
  }
  // One frame's jolt must not stand for all frames until the next look.
  if (is && !was) interval = 1;
  schedule_.interval = std::clamp<std::int64_t>(interval, 1, std::max<std::int64_t>(paid, 1));
  schedule_.next = frame + schedule_.interval;
}

void ConvergenceProbe::frame_done(std::int64_t frame, Objective& objective, Direction* direction,
                                  const VectorField& z, const MinimiseReport& result,
                                  bool begins_to_touch) {
  evaluations_ = 0;
  if (!is_defined_) return;
  // Rigid bodies do not deform, so a look cannot tell how far a step has come. If contacts hold the
  // descent up before it reaches its minimum, only the promise tells.
  if (!model_->is_rigid.empty()) {
    const double promised = std::abs(result.expected_decrease);
    const double inertia = std::abs(objective.inertia_energy(z));
    if (promised > promised_share * promised_share * inertia && !is_quiet(promised, inertia)) {
      schedule_.softness = largest_factor;
      schedule_.next = frame + 1;
      return;
    }
  }
  const double weight = mass_norm_ * std::hypot(gravity_[0], gravity_[1], gravity_[2]);
  // The descent is stuck.
  if (inverse_a2_ > 0 && result.status == StepStatus::stalled &&
      result.gradient_norm >
          most_unbalanced * std::max(weight, mass_norm_ * unseen_acceleration())) {
    schedule_.softness = 1 / largest_factor;
    schedule_.interval = std::max<std::int64_t>(schedule_.interval, 1);
    schedule_.next = frame + 1;
    return;
  }
  const bool is_unbalanced =
      inverse_a2_ == 0 && weight > 0 && result.gradient_norm > most_unbalanced * weight;
  if (is_unbalanced && schedule_.interval > 0) {
    schedule_.softness = 1 / largest_factor;
    return;
  }
  bool promises_much = false;
  const bool touches = objective.contact() != nullptr && !objective.contact()->touching().empty();
  const bool is_blind = !sees_all(direction);
  const bool is_wanted = begins_to_touch && touches && is_impact(frame);
  if (!is_blind) {
    const double inertia = std::abs(objective.inertia_energy(z));
    // The first look is taken all the same: it allocates what later ones need.
    const bool is_known = schedule_.interval > 0 && !(is_long_ && touches) && !is_wanted;
    if (is_known && is_quiet(result.expected_decrease, inertia)) {
      schedule_.softness = 1;
      return;
    }
    promises_much = result.expected_decrease > promised_share * promised_share * inertia;
  }
  if (!is_wanted && !is_due(frame, promises_much, touches)) return;
  const double before = schedule_.softness;
  const int evaluations = objective.num_evaluations();
  try {
    look(objective, direction, z);
    // Find the contacts at z again.
    if (objective.contact() != nullptr) objective.value_and_gradient(z, room_->gradient);
  } catch (const Error&) {
    room_.reset();  // there is no matrix: stiffnesses are out of what double precision holds
  } catch (const std::bad_alloc&) {
    room_.reset();
  }
  evaluations_ = objective.num_evaluations() - evaluations;
  plan_next(frame, is_blind, before, result.iterations);
  if (is_unbalanced) schedule_.softness = 1 / largest_factor;
}

}  // namespace supple

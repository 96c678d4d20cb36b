#include "studies/performance/yardstick.h"

#include <cmath>
#include <limits>

#include "materials/material.h"
#include "math/motion.h"
#include "supple/error.h"

namespace supple::bench {

namespace {

void require(bool condition, const char* what) {
  if (!condition) throw Error(ErrorKind::invalid_input, "yardstick", what);
}

void check(const Scene& scene) {
  require(scene.bodies.size() == 1, "expected one body");
  const Body& body = scene.bodies[0];
  require(body.layers.empty() && body.regions.empty() && body.fibers.empty(),
          "expected one material and no fibers");
  require(body.mesh.tets.empty() || body.springs.empty(), "expected tets or springs, not both");
  require(!std::holds_alternative<Randomize>(body.initial) &&
              !std::holds_alternative<Flatten>(body.initial) && body.velocity == Vec3{0, 0, 0},
          "expected a body that starts at rest or stretched, without velocity");
  require(scene.time.integrator == TimeIntegrator::backward_euler && scene.time.substeps == 1,
          "expected backward Euler without substeps");
  require(scene.damping.drag == 0 && scene.damping.stiffness == 0 && !body.damping &&
              scene.contact.friction == 0,
          "expected no damping or friction");
  require(scene.solver.method == SolverMethod::l_bfgs &&
              scene.solver.initial_hessian == InitialHessian::laplacian,
          "expected L-BFGS around M/h^2 + L");
}

Eigen::RowVector3d row(const Vec3& v) { return {v[0], v[1], v[2]}; }

Eigen::Matrix3d edges(const Eigen::MatrixX3d& x, const std::array<int, 4>& tet) {
  Eigen::Matrix3d D;
  for (int c = 0; c < 3; ++c) {
    D.col(c) = (x.row(tet[static_cast<std::size_t>(c) + 1]) - x.row(tet[0])).transpose();
  }
  return D;
}

double area(const Eigen::MatrixX3d& x, const std::array<int, 3>& triangle) {
  const Eigen::RowVector3d u = x.row(triangle[1]) - x.row(triangle[0]);
  const Eigen::RowVector3d v = x.row(triangle[2]) - x.row(triangle[0]);
  return 0.5 * u.cross(v).norm();
}

}  // namespace

Yardstick::Yardstick(const Scene& scene) : scene_(scene), h_(scene.time.step) {
  check(scene);
  const Body& body = scene_.bodies[0];
  const auto n = static_cast<Eigen::Index>(body.mesh.vertices.size());
  x_.resize(n, 3);
  for (Eigen::Index i = 0; i < n; ++i) {
    x_.row(i) = row(body.mesh.vertices[static_cast<std::size_t>(i)]);
  }
  v_ = Eigen::MatrixX3d::Zero(n, 3);
  mass_ = Eigen::VectorXd::Zero(n);
  Entries entries;
  add_tets(body, entries);
  add_springs(body, entries);
  if (body.mass) mass_ *= *body.mass / mass_.sum();
  for (Eigen::Index i = 0; i < n; ++i) {
    // A vertex that nothing uses stays where it is.
    entries.emplace_back(i, i, mass_(i) > 0 ? mass_(i) / (h_ * h_) : 1);
  }
  add_pins(body, entries);
  for (const Collider& collider : scene_.colliders) {
    const auto* ring = std::get_if<TorusShape>(&collider.shape);
    const Motion& motion = collider.motion;
    require(ring != nullptr && !motion.rotate && !motion.velocity && motion.keyframes.empty(),
            "expected no colliders but rings that stand still");
    rings_.push_back({row(ring->center), row(ring->axis).normalized(), ring->major, ring->minor});
  }
  Eigen::SparseMatrix<double> A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  cholesky_.compute(A);
  require(cholesky_.info() == Eigen::Success, "M/h^2 + L is not positive definite");
  energy_scale_ = std::sqrt(energy_scale_);
  if (const auto* stretch = std::get_if<Stretch>(&body.initial)) {
    const Eigen::RowVector3d center = 0.5 * (x_.colwise().minCoeff() + x_.colwise().maxCoeff());
    x_ = ((x_.rowwise() - center) * row(stretch->factors).asDiagonal()).rowwise() + center;
  }
}

void Yardstick::add_tets(const Body& body, Entries& entries) {
  tets_ = body.mesh.tets;
  if (tets_.empty()) return;
  material_.emplace_back(body.material);
  const double parameters[2] = {body.material.mu.value, body.material.lambda.value};
  const double k = fit_stiffness(make_material(body.material, "yardstick"), parameters,
                                 scene_.solver.stiffness_range);
  for (const auto& tet : tets_) {
    const Eigen::Matrix3d Dm = edges(x_, tet);
    volume_.push_back(Dm.determinant() / 6);
    inverse_rest_.push_back(Dm.inverse());
    energy_scale_ += std::pow(k * volume_.back(), 2);
    Eigen::Matrix<double, 4, 3> G;
    G.bottomRows<3>() = inverse_rest_.back();
    G.row(0) = -G.bottomRows<3>().colwise().sum();
    const Eigen::Matrix4d L = k * volume_.back() * G * G.transpose();
    for (std::size_t a = 0; a < 4; ++a) {
      mass_(tet[a]) += body.density * volume_.back() / 4;
      for (std::size_t b = 0; b < 4; ++b) {
        entries.emplace_back(tet[a], tet[b],
                             L(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)));
      }
    }
  }
}

void Yardstick::add_springs(const Body& body, Entries& entries) {
  if (body.springs.empty()) return;
  require(!body.triangles.empty(), "expected springs with triangles, which carry the mass");
  for (const auto& triangle : body.triangles) {
    for (const int vertex : triangle) mass_(vertex) += body.density * area(x_, triangle) / 3;
  }
  for (const Spring& spring : body.springs) {
    entries.emplace_back(spring.a, spring.a, spring.stiffness);
    entries.emplace_back(spring.b, spring.b, spring.stiffness);
    entries.emplace_back(spring.a, spring.b, -spring.stiffness);
    entries.emplace_back(spring.b, spring.a, -spring.stiffness);
    energy_scale_ += std::pow(spring.stiffness * spring.rest_length * spring.rest_length / 10, 2);
  }
}

void Yardstick::add_pins(const Body& body, Entries& entries) {
  for (const Pin& pin : body.pins) {
    std::vector<bool> held(static_cast<std::size_t>(x_.rows()), false);
    for (const int vertex : pin.vertices) held[static_cast<std::size_t>(vertex)] = true;
    for (Eigen::Index i = 0; i < x_.rows() && pin.vertices.empty(); ++i) {
      held[static_cast<std::size_t>(i)] = ((x_.row(i) - row(pin.box.min)).array() >= 0).all() &&
                                          ((row(pin.box.max) - x_.row(i)).array() >= 0).all();
    }
    for (Eigen::Index i = 0; i < x_.rows(); ++i) {
      if (!held[static_cast<std::size_t>(i)]) continue;
      targets_.push_back({static_cast<int>(i), pin.stiffness, x_.row(i), x_.row(i), &pin.motion});
      entries.emplace_back(i, i, pin.stiffness);
    }
  }
}

double Yardstick::elastic(const Eigen::MatrixX3d& x, Eigen::MatrixX3d& gradient) const {
  gradient.setZero(x.rows(), 3);
  double energy = 0;
  for (std::size_t t = 0; t < tets_.size(); ++t) {
    Eigen::Matrix3d P;
    const Eigen::Matrix3d F = edges(x, tets_[t]) * inverse_rest_[t];
    energy += volume_[t] * material_[0].density_and_stress(F, P);
    const Eigen::Matrix3d H = volume_[t] * P * inverse_rest_[t].transpose();
    for (int c = 0; c < 3; ++c) {
      gradient.row(tets_[t][static_cast<std::size_t>(c) + 1]) += H.col(c).transpose();
      gradient.row(tets_[t][0]) -= H.col(c).transpose();
    }
  }
  for (const Spring& spring : scene_.bodies[0].springs) {
    const Eigen::RowVector3d d = x.row(spring.a) - x.row(spring.b);
    const double length = d.norm(), stretch = length - spring.rest_length;
    energy += 0.5 * spring.stiffness * stretch * stretch;
    const Eigen::RowVector3d force = spring.stiffness * stretch / length * d;
    gradient.row(spring.a) += force;
    gradient.row(spring.b) -= force;
  }
  return energy;
}

double Yardstick::value_and_gradient(const Eigen::MatrixX3d& x, Eigen::MatrixX3d& gradient) const {
  double value = elastic(x, gradient);
  const Eigen::MatrixX3d d = x - y_;
  const Eigen::MatrixX3d inertia = mass_.asDiagonal() * d / (h_ * h_);
  gradient += inertia;
  value += 0.5 * d.cwiseProduct(inertia).sum();
  for (const Target& target : targets_) {
    const Eigen::RowVector3d offset = x.row(target.vertex) - target.at;
    value += 0.5 * target.stiffness * offset.squaredNorm();
    gradient.row(target.vertex) += target.stiffness * offset;
  }
  return value;
}

void Yardstick::choose_contacts(const Eigen::MatrixX3d& x) {
  touches_.clear();
  for (const Ring& ring : rings_) {
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      const Eigen::RowVector3d q = x.row(i) - ring.center;
      const double height = q.dot(ring.axis);
      const Eigen::RowVector3d across = q - height * ring.axis;
      const double distance = std::hypot(across.norm() - ring.major, height);
      if (distance >= ring.minor || mass_(i) == 0) continue;
      const Eigen::RowVector3d from_circle = q - ring.major * across.normalized();
      const Eigen::RowVector3d normal = from_circle.normalized();
      touches_.push_back(
          {static_cast<int>(i), x.row(i) + (ring.minor - distance) * normal, normal});
    }
  }
}

void Yardstick::add_contacts(Place& place) const {
  place.gradient = place.smooth_gradient;
  place.value = place.smooth_value;
  const double k = scene_.contact.stiffness;
  for (const Touch& touch : touches_) {
    const double gap = (place.x.row(touch.vertex) - touch.surface).dot(touch.normal);
    if (gap >= 0) continue;
    place.value += 0.5 * k * gap * gap;
    place.gradient.row(touch.vertex) += k * gap * touch.normal;
  }
}

void Yardstick::evaluate_at(Place& place) {
  ++evaluations_;
  place.smooth_value = value_and_gradient(place.x, place.smooth_gradient);
  add_contacts(place);
}

Eigen::MatrixX3d Yardstick::direction(const Eigen::MatrixX3d& gradient) const {
  Eigen::MatrixX3d q = gradient;
  std::vector<double> zeta(pairs_.size());
  for (std::size_t i = pairs_.size(); i-- > 0;) {
    zeta[i] = pairs_[i].s.cwiseProduct(q).sum() / pairs_[i].rho;
    q -= zeta[i] * pairs_[i].t;
  }
  Eigen::MatrixX3d r = cholesky_.solve(q);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    r += (zeta[i] - pairs_[i].t.cwiseProduct(r).sum() / pairs_[i].rho) * pairs_[i].s;
  }
  return -r;
}

bool Yardstick::search_line(const Place& from, Place& to) {
  const LineSearchSettings& settings = scene_.solver.line_search;
  const Eigen::MatrixX3d p = direction(from.gradient);
  const double slope = from.gradient.cwiseProduct(p).sum();
  const double rounding =
      4 * std::numeric_limits<double>::epsilon() * (std::abs(from.value) + energy_scale_);
  if (!(-slope > rounding)) return false;
  double alpha = 1;
  for (int i = 0; i < 40; ++i) {
    to.x = from.x + alpha * p;
    evaluate_at(to);
    if (to.value <= from.value + rounding + settings.sufficient_decrease * alpha * slope) {
      return true;
    }
    // As in descent/line_search.h: from the third trial on, shrink more if a parabola suggests it.
    double next = settings.shrink * alpha;
    const double bend = to.value - from.value - slope * alpha;
    if (i >= 2 && std::isfinite(bend) && bend > 0) {
      next = std::min(next, std::max(0.1 * alpha, -slope * alpha * alpha / (2 * bend)));
    }
    alpha = next;
  }
  return false;
}

void Yardstick::set_state(const SimulationState& state) {
  require(state.positions.size() == static_cast<std::size_t>(x_.size()),
          "the state is of another scene");
  using Rows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>>;
  x_ = Rows(state.positions.data(), x_.rows(), 3);
  v_ = Rows(state.velocities.data(), v_.rows(), 3);
  time_ = state.time;
}

void Yardstick::step() {
  time_ += h_;
  y_ = x_ + h_ * v_;
  for (Eigen::Index i = 0; i < y_.rows(); ++i) {
    if (mass_(i) > 0) y_.row(i) += h_ * h_ * row(scene_.gravity);
  }
  for (Target& target : targets_) {
    const Vec3 at =
        evaluate(*target.motion, time_).apply({target.rest(0), target.rest(1), target.rest(2)});
    target.at = row(at);
  }
  pairs_.clear();
  touches_.clear();
  evaluations_ = 0;
  Place z, trial;
  z.x = y_;
  evaluate_at(z);
  for (int k = 0; k < scene_.solver.iterations; ++k) {
    if (!rings_.empty()) {
      choose_contacts(z.x);
      add_contacts(z);
    }
    bool moved = search_line(z, trial);
    if (!moved && !pairs_.empty()) {
      pairs_.clear();
      moved = search_line(z, trial);
    }
    if (!moved) break;
    if (scene_.solver.history > 0) {
      Pair pair{trial.x - z.x, trial.gradient - z.gradient, 0};
      pair.rho = pair.s.cwiseProduct(pair.t).sum();
      if (static_cast<int>(pairs_.size()) == scene_.solver.history) pairs_.pop_front();
      if (pair.rho > 1e-14 * pair.s.norm() * pair.t.norm()) pairs_.push_back(std::move(pair));
    }
    std::swap(z, trial);
  }
  v_ = (z.x - x_) / h_;
  x_ = z.x;
}

}  // namespace supple::bench

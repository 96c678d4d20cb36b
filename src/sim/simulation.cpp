#include "supple/simulation.h"

#include <exception>
#include <utility>

#include "base/refuse.h"
#include "base/stopwatch.h"
#include "sim/simulation_implementation.h"

namespace supple {

Simulation::Simulation(const Scene& scene, const SimulationOptions& options)
    : implementation_(std::make_unique<Implementation>()) {
  implementation_->options = options;
  implementation_->running =
      std::make_unique<RunningScene>(scene, options, RunningScene::Begin::at_start);
  implementation_->bodies = BodyTable(scene.bodies.size());
  implementation_->separations = Separations(scene.bodies.size());
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

Simulation::Implementation& Simulation::self() {
  if (!implementation_) refuse("simulation", "was moved from");
  implementation_->mend();
  return *implementation_;
}
const Simulation::Implementation& Simulation::self() const {
  if (!implementation_) refuse("simulation", "was moved from");
  return *implementation_;
}

StepReport Simulation::step() noexcept {
  const Stopwatch watch;
  StepReport report;
  if (!implementation_) {
    report.status = StepStatus::failed;
    return report;
  }
  Implementation& own = *implementation_;
  const SceneChange change = own.advance_change();
  own.step_failure = nullptr;
  int separated = 0;
  try {
    own.mend();
    separated = own.separate();
    report = own.running->step();
  } catch (...) {
    own.step_failure = std::current_exception();
    own.is_broken = true;
    report.status = StepStatus::failed;
  }
  report.change = change;
  report.separated = separated;
  report.total_milliseconds = watch.milliseconds();
  return report;
}

void Simulation::check_step() {
  if (!implementation_) refuse("simulation", "was moved from");
  std::exception_ptr& failure = implementation_->step_failure;
  if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
}

void Simulation::set_pins(int body, std::vector<Pin> pins) {
  self().set_pins(body, std::move(pins));
}
void Simulation::set_colliders(std::vector<Collider> colliders) {
  self().set_colliders(std::move(colliders));
}

void Simulation::set_material(int body, const MaterialSettings& material) {
  check_body(scene(), body);
  if (scene().bodies[static_cast<std::size_t>(body)].mesh.tets.empty()) {
    refuse(place_of_body(static_cast<std::size_t>(body)) + "/material",
           scene().bodies[static_cast<std::size_t>(body)].membrane
               ? "the material of a membrane changes only with the scene (Simulation::change)"
               : "a material needs tets, but this body has only springs");
  }
  self().set_material(body, material);
}

void Simulation::set_gravity(const Vec3& gravity) {
  self().adjust([gravity](Scene& scene) { scene.gravity = gravity; });
}
void Simulation::set_drag(double drag) {
  self().adjust([drag](Scene& scene) { scene.damping.drag = drag; });
}
void Simulation::set_friction(double friction) {
  self().adjust([friction](Scene& scene) { scene.contact.friction = friction; });
}
void Simulation::set_iterations(int iterations) {
  self().adjust([iterations](Scene& scene) { scene.solver.iterations = iterations; });
}
void Simulation::set_tolerance(double tolerance) {
  self().adjust([tolerance](Scene& scene) { scene.solver.tolerance = tolerance; });
}
void Simulation::set_budget(double milliseconds) {
  self().adjust([milliseconds](Scene& scene) { scene.solver.budget_ms = milliseconds; });
}
void Simulation::set_line_search(const LineSearchSettings& line_search) {
  self().adjust([line_search](Scene& scene) { scene.solver.line_search = line_search; });
}

void Simulation::add_force(int body, const Vec3& force) {
  check_body(scene(), body);
  self().add_forces([&](const Pushes& pushes) { return pushes.of_body(body, force); });
}
void Simulation::add_force(const SurfaceHit& hit, const Vec3& force) {
  self().add_forces([&](const Pushes& pushes) { return pushes.at_hit(hit, force); });
}
void Simulation::add_force(std::span<const int> vertices, std::span<const Vec3> forces) {
  self().add_forces([&](const Pushes& pushes) { return pushes.of_vertices(vertices, forces); });
}
bool Simulation::is_asleep(int body) const {
  check_body(scene(), body);
  return self().running->is_asleep(body);
}
void Simulation::wake(int body) {
  check_body(scene(), body);
  self().running->wake(body);
}

void Simulation::clear_forces() { self().running->clear_forces(); }

void Simulation::add_impulse(int body, const Vec3& impulse) {
  check_body(scene(), body);
  self().add_impulses([&](const Pushes& pushes) { return pushes.of_body(body, impulse); });
}
void Simulation::add_impulse(const SurfaceHit& hit, const Vec3& impulse) {
  self().add_impulses([&](const Pushes& pushes) { return pushes.at_hit(hit, impulse); });
}
void Simulation::add_impulse(std::span<const int> vertices, std::span<const Vec3> impulses) {
  self().add_impulses([&](const Pushes& pushes) { return pushes.of_vertices(vertices, impulses); });
}

void Simulation::set_velocity(int body, const Vec3& velocity) {
  check_body(scene(), body);
  require_finite(velocity, "velocity");
  self().running->require_inertia("velocities");
  self().running->set_velocity(body, velocity);
}

Attachment Simulation::attach(int body, std::span<const int> vertices,
                              std::span<const Vec3> targets, double stiffness) {
  RunningScene& running = *self().running;
  check_body(scene(), body);
  return running.attach(
      Attachments::of_vertices(running.model(), body, vertices, targets, stiffness));
}
Attachment Simulation::attach(const SurfaceHit& hit, const Vec3& target, double stiffness) {
  RunningScene& running = *self().running;
  return running.attach(
      Attachments::of_hit(running.model(), running.numbering(), hit, target, stiffness));
}
Attachment Simulation::attach(int tet, const std::array<double, 4>& weights, const Vec3& target,
                              double stiffness) {
  RunningScene& running = *self().running;
  return running.attach(Attachments::of_tet(scene(), running.model(), running.numbering(), tet,
                                            weights, target, stiffness));
}
Attachment Simulation::attach(int body, std::span<const int> vertices, int to, double stiffness) {
  check_body(scene(), body);
  return self().running->attach(body, vertices, to, stiffness);
}
void Simulation::set_targets(Attachment attachment, std::span<const Vec3> targets) {
  self().running->set_targets(attachment, targets);
}
void Simulation::set_targets(Attachment attachment, const Pose& pose) {
  self().running->set_targets(attachment, pose);
}
void Simulation::set_target(Attachment attachment, const Vec3& target) {
  self().running->set_targets(attachment, std::span<const Vec3>(&target, 1));
}
void Simulation::detach(Attachment attachment) { self().running->detach(attachment); }
bool Simulation::is_attached(Attachment attachment) const {
  return self().running->attachments().contains(attachment);
}
std::vector<Vec3> Simulation::forces(Attachment attachment) const {
  return self().running->forces(attachment);
}
Vec3 Simulation::force(Attachment attachment) const { return self().running->force(attachment); }

void Simulation::body_positions(int body, std::span<double> out, int stride) const {
  self().read(body, &RunningScene::positions, out, stride);
}
void Simulation::body_positions(int body, std::span<float> out, int stride) const {
  self().read(body, &RunningScene::positions, out, stride);
}
void Simulation::body_velocities(int body, std::span<double> out, int stride) const {
  self().read(body, &RunningScene::velocities, out, stride);
}
void Simulation::body_velocities(int body, std::span<float> out, int stride) const {
  self().read(body, &RunningScene::velocities, out, stride);
}
void Simulation::body_normals(int body, std::span<double> out, int stride) const {
  self().read_normals(body, out, stride);
}
void Simulation::body_normals(int body, std::span<float> out, int stride) const {
  self().read_normals(body, out, stride);
}
Box Simulation::body_bounds(int body) const {
  const RunningScene& running = *self().running;
  check_body(running.scene(), body);
  return bounds_of(running.positions(), running.model(), body);
}
Simulation::TriangleRange Simulation::body_triangles(int body) const {
  const RunningScene& running = *self().running;
  check_body(running.scene(), body);
  const int* const first = &running.surface().body_triangles[static_cast<std::size_t>(body)];
  return {first[0], first[1] - first[0]};
}

std::vector<BodyHandle> Simulation::change_bodies(std::span<const BodyHandle> removed,
                                                  std::span<const Body> added) {
  return self().change_bodies(removed, added);
}
BodyHandle Simulation::add_body(const Body& body) {
  return self().change_bodies({}, {&body, 1}).front();
}
void Simulation::remove_body(BodyHandle body) { self().change_bodies({&body, 1}, {}); }
bool Simulation::is_alive(BodyHandle body) const { return self().bodies.contains(body); }
int Simulation::index(BodyHandle body) const { return self().bodies.index(body); }
BodyHandle Simulation::handle(int body) const {
  check_body(scene(), body);
  return self().bodies.handle(body);
}
void Simulation::set_user_data(BodyHandle body, std::uint64_t data) {
  self().bodies.set_user_data(body, data);
}
std::uint64_t Simulation::user_data(BodyHandle body) const { return self().bodies.user_data(body); }

void Simulation::change(const Scene& scene, int after_frames) {
  self().change(scene, after_frames);
}

bool Simulation::change_is_waiting() const { return self().waiting.has_value(); }

void Simulation::check_change() {
  if (!self().failure) return;
  std::rethrow_exception(std::exchange(self().failure, nullptr));
}

int Simulation::num_vertices() const { return self().running->model().num_vertices; }
int Simulation::num_tets() const { return self().running->model().num_tets; }
int Simulation::num_threads() const { return self().running->num_threads(); }
double Simulation::time() const { return self().running->time(); }
std::int64_t Simulation::frame() const { return self().running->frame(); }

void Simulation::copy_positions(std::span<double> out) const {
  self().running->copy_positions(out);
}
void Simulation::copy_velocities(std::span<double> out) const {
  self().running->copy_velocities(out);
}

SimulationState Simulation::state() const { return self().state(); }
void Simulation::set_state(const SimulationState& state) { self().set_state(state); }

int Simulation::cut(std::span<const std::array<Vec3, 3>> triangles, std::span<const int> bodies) {
  return self().cut(triangles, bodies);
}
int Simulation::separate(int body, std::span<const std::array<int, 2>> elements) {
  return self().separate(body, elements);
}

std::optional<SurfaceHit> Simulation::raycast(const Vec3& origin, const Vec3& direction,
                                              double max_distance) const {
  return self().running->queries().raycast(origin, direction, max_distance);
}
std::optional<SurfaceHit> Simulation::closest_point(const Vec3& point, double max_distance) const {
  return self().running->queries().closest_point(point, max_distance);
}
std::vector<int> Simulation::overlap(const Box& box) const {
  return self().running->queries().overlap(box);
}
std::vector<int> Simulation::overlap(const SphereShape& sphere) const {
  return self().running->queries().overlap(sphere);
}
std::vector<int> Simulation::vertices_in(const Box& box) const {
  return self().running->queries().vertices_in(box);
}
std::vector<int> Simulation::vertices_in(const SphereShape& sphere) const {
  return self().running->queries().vertices_in(sphere);
}

Energies Simulation::energies() const { return self().running->energies(); }
ElementMeasures Simulation::measure(std::span<const double> positions) const {
  return self().running->measure(positions);
}

std::vector<MultiplierStress> Simulation::multiplier_stresses() const {
  return self().running->multiplier_stresses();
}
std::vector<BodyContact> Simulation::contacts() const { return self().running->contacts(); }
std::vector<ColliderForce> Simulation::collider_forces() const {
  return self().running->collider_forces();
}
void Simulation::copy_contact_forces(std::span<double> out) const {
  self().running->copy_contact_forces(out);
}
std::vector<ContactEvent> Simulation::contact_events() const {
  return self().running->contact_events();
}
std::vector<ConstraintGroup> Simulation::constraint_groups() const {
  return self().running->constraint_groups();
}

const std::vector<std::array<int, 3>>& Simulation::surface() const {
  return self().running->surface().triangles;
}
const std::vector<int>& Simulation::body_vertices() const {
  return self().running->model().body_vertices;
}
const Scene& Simulation::scene() const { return self().running->scene(); }

}  // namespace supple

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/index.h"
#include "sim/body_reads.h"
#include "sim/running_scene.h"

namespace supple {

namespace {

/// Whether the boxes of two bodies, each a twentieth larger, meet; that is beyond the layers of
/// contact.
bool are_near(const Box& a, const Box& b) {
  constexpr double margin = 0.025;
  for (std::size_t k = 0; k < 3; ++k) {
    const double gap = std::max(a.min[k] - b.max[k], b.min[k] - a.max[k]);
    const auto size = [](const Box& box) {
      return std::hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]);
    };
    if (gap > margin * (size(a) + size(b))) return false;
  }
  return true;
}

}  // namespace

SimulationState RunningScene::state() const {
  SimulationState state = save_state(numbering_.to_scene(state_));
  const ConvergenceProbe::Schedule& schedule = convergence_.schedule();
  state.unconverged = schedule.softness;
  state.next_look = schedule.next;
  state.look_interval = schedule.interval;
  if (const FollowingWeights* const weights = following_weights()) {
    FollowingWeights::Memory memory = weights->memory();
    state.weights = std::move(memory.weights);
    state.weights_spent = memory.spent;
    state.weights_worked = memory.worked;
  }
  // Useless if the next frame has nothing to look at.
  if (may_be_inverted_ || unfolding_.has_unfolded()) state.unfolding = unfolding_.memory();
  state.rested = sleep_.memory();
  return state;
}

void RunningScene::set_state(const SimulationState& state) {
  State loaded = numbering_.to_model(load_state(model_, state));
  require_apart(contact_.get(), loaded.x, loaded.time, std::vector<char>(scene_.bodies.size(), 0));
  Unfolding unfolding(scene_.bodies.size());
  unfolding.set_memory(state.unfolding);
  if (!unfolds()) unfolding = Unfolding(scene_.bodies.size());
  const auto before = unfolding_.bodies(), after = unfolding.bodies();
  const bool is_other = !std::equal(before.begin(), before.end(), after.begin(), after.end());
  sleep_.check_memory(state.rested);
  std::swap(unfolding_, unfolding);
  try {
    if (is_other) use_unfolded();
    if (Laplacian* const matrix = direction_ ? direction_->constant_matrix() : nullptr) {
      matrix->set_memory({state.weights, state.weights_spent, state.weights_worked}, model_,
                         threads_);
    }
  } catch (...) {
    std::swap(unfolding_, unfolding);
    if (is_other) use_unfolded();
    throw;
  }
  may_be_inverted_ = true;
  state_ = std::move(loaded);
  if (!remembers_friction()) state_.friction = {};
  sleep_.set_memory(state.rested);
  find_layers();
  if (pairs()) pairs()->find_overlaps(state_.x[0].v);
  queries_.moved();
  elastic_is_known_ = false;
  has_multipliers_ = has_contacts_ = false;
  touching_.reset(scene_.bodies.size(), scene_.colliders.size());
  convergence_.set_schedule({state.unconverged, state.next_look, state.look_interval});
  drift_.begin();
  friction_error_.begin();
  clock_ = clock_of(state.time, state.frame, scene_.time);
  follow(state_.time);
  use_plastic();
  use_rods();
  use_multipliers();
  clear_forces();
}

/// The plastic flow of another scene with the same vertices, for the tets that both scenes have.
std::vector<double> RunningScene::plastic_of(const RunningScene& other) const {
  if (state_.plastic.empty() || other.state_.plastic.empty()) return {};
  const auto corners = [](const RunningScene& scene, std::size_t tet) {
    std::array<int, 4> vertices = scene.model_.tets[tet];
    for (int& v : vertices) v = scene.numbering_.to_scene(v);
    std::sort(vertices.begin(), vertices.end());
    return vertices;
  };
  std::map<std::array<int, 4>, std::size_t> known;
  for (std::size_t t = 0; t < other.model_.tets.size(); ++t) known[corners(other, t)] = t;
  State next;
  next.plastic.resize(model_.tets.size());
  for (std::size_t t = 0; t < model_.tets.size(); ++t) {
    const auto found = known.find(corners(*this, t));
    if (model_.plasticity_of_tet[t] < 0 || found == known.end()) continue;
    next.plastic[t] = other.state_.plastic[found->second];
  }
  return save_state(next).plastic;
}

/// The rod frames of another scene with the same vertices, if it has the same rods.
std::vector<double> RunningScene::rods_of(const RunningScene& other) const {
  const std::vector<RodSet::Segment>&own = model_.rods.segments,
        &others = other.model_.rods.segments;
  const auto is_same = [&](const RodSet::Segment& a, const RodSet::Segment& b) {
    return numbering_.to_scene(a.a) == other.numbering_.to_scene(b.a) &&
           numbering_.to_scene(a.b) == other.numbering_.to_scene(b.b);
  };
  if (!std::equal(own.begin(), own.end(), others.begin(), others.end(), is_same)) return {};
  return save_state(other.state_).rods;
}

/// Copies the frames of rods that have come apart from the state before.
void RunningScene::follow_rods(const RunningScene& before, const Survivors& survivors,
                               const std::vector<double>& from, std::vector<double>& to) const {
  if (model_.rods.empty()) return;
  const std::size_t width = to.size() / model_.rods.segments.size();
  const auto for_segments = [](const RodSet& set, int body, const auto& visit) {
    for (int c = set.first_chain[at(body)]; c < set.first_chain[at(body) + 1]; ++c) {
      const RodSet::Chain& chain = set.chains[at(c)];
      for (int s = 0; s < chain.num_segments; ++s) {
        visit(at(chain.first_segment + s), s == 0 && !chain.is_closed());
      }
    }
  };
  for (int body = 0; body < model_.num_bodies(); ++body) {
    if (survivors.is_added(at(body)) || survivors.is_as_it_was(at(body))) continue;
    std::map<std::pair<int, int>, std::size_t> known;
    for_segments(before.model_.rods, survivors.origin()[at(body)], [&](std::size_t s, bool) {
      const RodSet::Segment& segment = before.model_.rods.segments[s];
      known[{before.numbering_.to_scene(segment.a), before.numbering_.to_scene(segment.b)}] = s;
    });
    const auto source = [&](std::int32_t vertex) {
      return survivors.sources()[at(numbering_.to_scene(vertex))];
    };
    for_segments(model_.rods, body, [&](std::size_t s, bool is_first) {
      const RodSet::Segment& segment = model_.rods.segments[s];
      const std::size_t there = known.at({source(segment.a), source(segment.b)});
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(width * there), width,
                  to.begin() + static_cast<std::ptrdiff_t>(width * s));
      // The last number, the angle from the segment before, if there is no such segment any more.
      if (is_first) to[width * (s + 1) - 1] = 0;
    });
  }
}

/// The multipliers of another scene with the same vertices, if the same springs and volumes are
/// exact.
std::vector<double> RunningScene::multipliers_of(const RunningScene& other) const {
  const SpringSet &own = model_.springs, &others = other.model_.springs;
  const auto is_same = [&](std::int32_t a, std::int32_t b) {
    const SpringSet::Spring &one = own.springs[at(a)], &two = others.springs[at(b)];
    return numbering_.to_scene(one.a) == other.numbering_.to_scene(two.a) &&
           numbering_.to_scene(one.b) == other.numbering_.to_scene(two.b);
  };
  const bool has_same_springs =
      std::equal(own.inextensible.begin(), own.inextensible.end(), others.inextensible.begin(),
                 others.inextensible.end(), is_same);
  const auto keep_volumes = [](const Body& a, const Body& b) { return a.volume == b.volume; };
  const bool has_same_volumes =
      std::equal(scene_.bodies.begin(), scene_.bodies.end(), other.scene_.bodies.begin(),
                 other.scene_.bodies.end(), keep_volumes) &&
      state_.multipliers.size() == other.state_.multipliers.size();
  return has_same_springs && has_same_volumes ? other.state_.multipliers : std::vector<double>{};
}

/// The multipliers of another scene for the bodies that stay in this one; 0 for others. If a spring
/// has been divided, each part has a share of its tension in proportion to the part's stiffness.
std::vector<double> RunningScene::multipliers_of(const RunningScene& before,
                                                 const Survivors& survivors) const {
  const auto first_of = [](const RunningScene& scene, int body) {
    const std::vector<int>& first = scene.model_.springs.first_inextensible;
    return first.empty() ? std::size_t{0} : at(first[at(body)]);
  };
  std::vector<double> multipliers(state_.multipliers.size(), 0.0);
  const auto copy = [&](std::size_t from, std::size_t to, std::size_t end) {
    std::copy_n(before.state_.multipliers.begin() + static_cast<std::ptrdiff_t>(from), end - to,
                multipliers.begin() + static_cast<std::ptrdiff_t>(to));
  };
  for (int body = 0; body < model_.num_bodies(); ++body) {
    const int origin = survivors.origin()[at(body)];
    if (origin < 0) continue;
    if (const std::vector<int>& parents = survivors.spring_parents(body); parents.empty()) {
      copy(first_of(before, origin), first_of(*this, body), first_of(*this, body + 1));
    } else {
      share_tensions(before, origin, body, parents, multipliers);
    }
    share_pressures(before, survivors, body, multipliers);
  }
  return multipliers;
}

/// Each volume of a body has the pressure of the earlier volume from whose surface its own comes:
/// parts that separate have that of the whole.
void RunningScene::share_pressures(const RunningScene& before, const Survivors& survivors, int body,
                                   std::vector<double>& multipliers) const {
  if (first_volume_multiplier(model_, body) == first_volume_multiplier(model_, body + 1)) return;
  const auto visit = [](const Model& model, int of, const auto& work) {
    std::size_t i = first_volume_multiplier(model, of);
    for (const PressureSet::Chamber& chamber : model.pressures.chambers) {
      const int first = chamber.first_face;
      if (!chamber.is_exact() || model.body_of(model.pressures.faces[at(first)][0]) != of) continue;
      for (int f = first; f < first + chamber.num_faces; ++f) {
        for (const int vertex : model.pressures.faces[at(f)]) work(i, vertex);
      }
      ++i;
    }
  };
  std::vector<std::ptrdiff_t> earlier(before.state_.x.size(), -1);
  visit(before.model_, survivors.origin()[at(body)],
        [&](std::size_t i, int vertex) { earlier[at(vertex)] = static_cast<std::ptrdiff_t>(i); });
  visit(model_, body, [&](std::size_t i, int vertex) {
    const int source = survivors.sources()[at(numbering_.to_scene(vertex))];
    const std::ptrdiff_t from = earlier[at(before.numbering_.to_model(source))];
    if (from >= 0) multipliers[i] = before.state_.multipliers[at(from)];
  });
}

/// parents: for each spring of a body, its spring in `origin` before.
void RunningScene::share_tensions(const RunningScene& before, int origin, int body,
                                  const std::vector<int>& parents,
                                  std::vector<double>& multipliers) const {
  const SpringSet &own = model_.springs, &others = before.model_.springs;
  if (own.inextensible.empty()) return;
  const auto count_before = [](const Scene& scene, int end) {
    std::size_t count = 0;
    for (int b = 0; b < end; ++b) count += scene.bodies[at(b)].springs.size();
    return count;
  };
  const std::size_t first = count_before(scene_, body), old = count_before(before.scene_, origin);
  for (int i = own.first_inextensible[at(body)]; i < own.first_inextensible[at(body) + 1]; ++i) {
    const std::size_t spring = at(own.inextensible[at(i)]) - first;
    const std::size_t parent = at(parents[spring]);
    const auto there = std::lower_bound(others.inextensible.begin(), others.inextensible.end(),
                                        static_cast<std::int32_t>(old + parent));
    const double tension =
        before.state_.multipliers[static_cast<std::size_t>(there - others.inextensible.begin())];
    multipliers[at(i)] = tension * (scene_.bodies[at(body)].springs[spring].stiffness /
                                    before.scene_.bodies[at(origin)].springs[parent].stiffness);
  }
}

void RunningScene::take_over(const RunningScene& other) {
  SimulationState state = other.state();
  state.accelerations.clear();
  state.look_interval = 0;
  state.plastic = plastic_of(other);
  state.rods = rods_of(other);
  state.multipliers = multipliers_of(other);
  state.rested.clear();
  // Another scene has other weights.
  state.weights.clear();
  state.weights_spent = state.weights_worked = 0;
  // This scene may not keep these up to date; they must not wait for a scene that reads them.
  if (setup_.length() != other.setup_.length() || !setup_.looks_back()) {
    state.previous_positions.clear();
    state.previous_velocities.clear();
  }
  set_state(state);
  use_all_attachments(other.attachments_);
  std::vector<int> same(state_.x.size());
  std::iota(same.begin(), same.end(), 0);
  carry_forces(other, same);
}

/// sources: for each vertex of this scene the vertex of the other, -1: none. Copies share a force
/// in proportion to their masses.
void RunningScene::carry_forces(const RunningScene& other, const std::vector<int>& sources) {
  if (!setup_.integrator().has_inertia || other.setup_.given_loads().empty()) return;
  std::vector<std::vector<int>> next(other.state_.x.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] >= 0) next[at(sources[i])].push_back(numbering_.to_model(static_cast<int>(i)));
  }
  other.setup_.given_loads().for_each([&](std::size_t i, const PaddedVector& force) {
    const std::vector<int>& own = next[at(other.numbering_.to_scene(static_cast<int>(i)))];
    double sum = 0;
    for (const int vertex : own) sum += model_.mass[at(vertex)];
    for (const int vertex : own) {
      if (!(model_.mass[at(vertex)] > 0)) continue;
      const double share = model_.mass[at(vertex)] / sum;
      setup_.given_loads().add(vertex, {share * force[0], share * force[1], share * force[2]},
                               model_.num_vertices);
    }
  });
}

/// Finds the positions at time 0 while layers grow from what they were then.
void RunningScene::find_layers() {
  if (start_.empty() || !BodyPairs::are_growing(state_.time)) return;
  start_apart(start_);
  start_.clear();
}

/// The state in which this scene starts, with everything that a state like `before` remembers.
SimulationState RunningScene::start_of_added(const SimulationState& before) const {
  State start = state_;
  if (!before.previous_positions.empty()) {
    start.x_previous = start.x;
    start.v_previous = start.v;
    setup_.free_flight(start.x, start.v, start.x_previous, start.v_previous);
  }
  // They are found at the present state.
  if (!before.accelerations.empty()) start.acceleration.resize(start.x.size());
  SimulationState saved = save_state(numbering_.to_scene(start));
  if (!before.weights.empty()) saved.weights = model_.stiffness.all();
  return saved;
}

std::vector<char> RunningScene::which_are_added(const Survivors& survivors) const {
  std::vector<char> is_added(scene_.bodies.size());
  for (std::size_t b = 0; b < is_added.size(); ++b) is_added[b] = survivors.is_added(b) ? 1 : 0;
  return is_added;
}

void RunningScene::move_added_apart(const Survivors& survivors) {
  const std::vector<char> is_added = which_are_added(survivors);
  const VectorField before = state_.x;
  pairs()->add_apart(state_.x[0].v, is_added, state_.time);
  if (state_.x_previous.empty()) return;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (int k = 0; k < 3; ++k) state_.x_previous[i][k] += state_.x[i][k] - before[i][k];
  }
}

/// Wakes bodies whose neighbour has been removed.
void RunningScene::wake_left_alone(const RunningScene& before, const Survivors& survivors) {
  std::vector<char> is_gone(before.scene_.bodies.size(), 1);
  for (const int origin : survivors.origin()) {
    if (origin >= 0) is_gone[at(origin)] = 0;
  }
  for (std::size_t gone = 0; sleep_.count() > 0 && gone < is_gone.size(); ++gone) {
    if (is_gone[gone] == 0) continue;
    const Box box = bounds_of(before.state_.x, before.model_, static_cast<int>(gone));
    for (int body = 0; body < model_.num_bodies(); ++body) {
      if (is_asleep(body) && are_near(box, bounds_of(state_.x, model_, body))) wake(body);
    }
  }
}

void RunningScene::go_on_from(const RunningScene& before, const Survivors& survivors) {
  const SimulationState state = before.state();
  SimulationState next = survivors.join(state, start_of_added(state));
  next.multipliers = multipliers_of(before, survivors);
  follow_rods(before, survivors, state.rods, next.rods);
  set_state(next);
  if (pairs() && survivors.adds()) move_added_apart(survivors);
  if (scene_.contact.self) open_tears(before, survivors);
  require_apart(contact_.get(), state_.x, state_.time, which_are_added(survivors));
  if (!state.accelerations.empty() && survivors.adds()) {
    const VectorField found = setup_.find_accelerations(state_, clock_, objective_);
    for (int i = 0; i < model_.num_vertices; ++i) {
      if (survivors.is_added(at(model_.body_of(i)))) state_.acceleration[at(i)] = found[at(i)];
    }
  }
  carry_forces(before, survivors.sources());
  touching_.go_on_from(before.touching_, survivors.origin());
  wake_left_alone(before, survivors);
}

}  // namespace supple

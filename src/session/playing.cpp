#include <algorithm>
#include <cmath>

#include "base/stopwatch.h"
#include "session/command_list.h"
#include "session/session_state.h"
#include "supple/error.h"

namespace supple {

namespace {

constexpr double measured_seconds = 1;  // the time over which speeds are measured

bool colliders_change_with_time(const Setup& setup) {
  const std::vector<Collider>& colliders = setup.scene().colliders;
  for (std::size_t i = 0; i < std::min(colliders.size(), setup.edit.colliders.size()); ++i) {
    if (changes_with_time(colliders[i].motion) && !setup.edit.colliders[i].is_identity()) {
      return true;
    }
  }
  return false;
}

/// Applies what hands have moved for the coming frame.
void use_hands(SessionState& s) {
  const double end = s.simulation->time() + s.running->scene().time.step;
  const std::vector<Body>& bodies = s.asked->scene().bodies;
  if (!s.grabs.empty()) refresh_positions(s);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const bool is_held = std::any_of(s.grabs.begin(), s.grabs.end(), [&](const Grab& grab) {
      return static_cast<std::size_t>(grab.body) == b;
    });
    if (!s.pins_are_new && !is_held && !change_with_time(bodies[b], s.asked->edit.pins[b])) {
      continue;
    }
    s.simulation->set_pins(static_cast<int>(b), pins_of_body(s, *s.asked, b, end));
  }
  s.pins_are_new = false;
  const bool moved = hands_move_colliders(s);
  if (moved || s.colliders_are_new || colliders_change_with_time(*s.asked)) use_colliders(s, end);
  s.colliders_are_new = moved;  // a collider that was moved stands still unless it is moved again
}

/// Called when a change that was built beside the steps has taken effect or has failed.
void end_change(SessionState& s, SceneChange change) {
  if (change == SceneChange::done) {
    s.topology_is_new = true;
    s.running = s.given;
    if (s.asked != s.given) adopt(s, s.asked);
  } else if (change == SceneChange::failed) {
    s.asked = s.given = s.running;
    s.scene_is_new = s.pins_are_new = s.colliders_are_new = true;
    s.simulation->check_change();
  }
}

void note_moment(SessionState& s) {
  s.last_second.push_back({s.now, s.simulation->time()});
  constexpr std::size_t most = 100'000;
  while (s.last_second.size() > 2 &&
         (s.last_second.size() > most || s.last_second.front().now < s.now - measured_seconds)) {
    s.last_second.pop_front();
  }
}

}  // namespace

void end_separation(SessionState& s) {
  s.topology_is_new = s.pin_lists_are_new = true;
  for (Grab& grab : s.grabs) {
    grab.vertex =
        s.simulation->body_vertices()[static_cast<std::size_t>(grab.body)] + grab.vertices.front();
  }
  end_recording(s, "something has come apart, and a recording has one mesh");
  s.converged.reset();
  s.distances.clear();
  end_race_apart(s);
}

void restart_clock(SessionState& s) {
  s.last_second.clear();
  s.pace.due = -std::numeric_limits<double>::infinity();
}

namespace {

/// Collects warnings about the steps since the scene was built, changed or reset.
void watch_step(SessionState& s) {
  const bool is_new = s.report->change == SceneChange::done || s.watched != s.running;
  if (!s.watch || is_new) {
    s.watch.emplace(s.simulation->scene());
    s.watched = s.running;
  }
  const bool reads = RunWatch::reads_energies(*s.report);
  s.watch->add(s.simulation->frame(), *s.report, reads ? s.simulation->energies() : Energies{});
}

}  // namespace

void step(SessionState& s) {
  const Stopwatch watch;
  try {
    use_hands(s);
    before_step(s);
    s.stepped.reset();
    s.report = s.simulation->step();
    if (s.report->separated > 0) end_separation(s);
    end_change(s, s.report->change);
    s.simulation->check_step();
    if (s.report->status == StepStatus::non_finite) {
      s.pace.playing = false;
      s.pace.steps_left = 0;
      s.out.note({}, "error",
                 "frame " + std::to_string(s.simulation->frame() + 1) +
                     " is not finite: paused at the frame before it");
    } else {
      watch_step(s);
      after_step(s);
      s.colliders_before = s.asked->edit.colliders;
      s.stepped = s.asked;
    }
  } catch (const Error& error) {
    s.out.note({}, "error", error.what());
  }
  s.frame_ms = watch.milliseconds();
  note_moment(s);
  if (!s.pace.playing || s.simulation->frame() % s.show.every == 0) s.frame_is_new = true;
}

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double job_interval = 0.01;  // s, between checks whether a job is done

/// Steps if a frame is due. Returns when the next one is due.
double keep_pace(SessionState& s) {
  Pace& pace = s.pace;
  if (pace.steps_left > 0) {
    --pace.steps_left;
    step(s);
    return pace.steps_left > 0 ? s.now : never;
  }
  if (!pace.playing) return never;
  if (s.now < pace.due) return pace.due;
  if (std::isinf(pace.due)) pace.due = s.now;
  step(s);
  if (pace.speed == 0) return s.now;
  // Frames that are too late are dropped, so that there are no bursts to catch up.
  const double interval = s.running->scene().time.step / pace.speed;
  pace.due = std::max(pace.due + interval, s.now);
  return pace.playing ? pace.due : never;
}

}  // namespace

double advance_to(SessionState& s, double now) {
  if (now < s.now) restart_clock(s);
  if (std::isfinite(now)) s.now = now;
  double next = s.now;
  s.welcome.frame.reset();
  if (end_job(s) || run_queue(s)) {
    send_news(s);
    return next;
  }
  const bool steps = s.pace.playing || s.pace.steps_left > 0;
  if (!steps && has_unsettled(s) && may_begin(s)) {
    // The page is told first, so the work begins with the next call.
    if (s.told_unsettled) begin(s, {}, "factorising", false, settling(s));
    s.told_unsettled = !s.told_unsettled;
  } else {
    s.told_unsettled = false;
    next = s.job && s.job->alone ? never : keep_pace(s);
  }
  send_news(s);
  const bool waits = s.job || !s.queue.empty();
  return waits ? std::min(next, s.now + job_interval) : next;
}

// ----------------------------------------------------------------------------------- commands

namespace {

/// Colliders that hands moved while nothing stepped start from their new place and drag nothing
/// along.
void begin_steps(SessionState& s) {
  if (!s.pace.playing && s.pace.steps_left == 0) s.colliders_before = s.asked->edit.colliders;
}

}  // namespace

Answer do_play(SessionState& s, Command&, ObjectReader& keys) {
  keys.finish();
  begin_steps(s);
  s.pace.playing = true;
  restart_clock(s);
  return {};
}

Answer do_pause(SessionState& s, Command&, ObjectReader& keys) {
  keys.finish();
  s.pace.playing = false;
  s.pace.steps_left = 0;
  s.frame_is_new = true;
  return {};
}

Answer do_step(SessionState& s, Command&, ObjectReader& keys) {
  constexpr int most = 1000;
  const auto frames = static_cast<int>(keys.whole("frames", 1, most, 1));
  keys.finish();
  begin_steps(s);
  s.pace.playing = false;
  s.pace.steps_left = std::min(most, s.pace.steps_left + frames);
  return {};
}

Answer do_speed(SessionState& s, Command&, ObjectReader& keys) {
  const Range range{.low = 0, .high = 1000, .low_included = true, .high_included = true};
  const double factor = keys.number("factor", range);
  keys.finish();
  s.pace.speed = factor;
  restart_clock(s);
  return {};
}

namespace {

Answer reset(SessionState& s) {
  if (has_come_apart(s)) {
    s.topology_is_new = s.pin_lists_are_new = true;
    s.grabs.clear();  // they may hold vertices that no longer exist
  }
  s.simulation->set_state(s.initial);
  s.report.reset();
  s.watch.reset();
  s.pins_are_new = s.colliders_are_new = true;
  s.frame_is_new = true;
  after_jump(s);
  restart_clock(s);
  return {};
}

}  // namespace

Work begin_reset(SessionState& s, Command&, ObjectReader& keys) {
  keys.finish();
  if (!s.initial_is_stale) return []() -> Finish { return reset; };
  return [asked = s.asked, threads = s.options.threads]() -> Finish {
    // Only building a simulation gives the state at time 0.
    const Simulation other(asked->scene(), {.threads = threads});
    return [initial = other.state()](SessionState& session) {
      session.initial = initial;
      session.initial_is_stale = false;
      return reset(session);
    };
  };
}

Answer do_show(SessionState& s, Command& command, ObjectReader& keys) {
  Show show = s.show;
  const bool wants_all = s.show.wants_all.contains(command.client);
  if (keys.choice("vertices", "choice of vertices", {"surface", "all"},
                  wants_all ? "all" : "surface") == "all") {
    show.wants_all.insert(command.client);
  } else {
    show.wants_all.erase(command.client);
  }
  if (keys.boolean("forces", s.show.wants_forces.contains(command.client))) {
    show.wants_forces.insert(command.client);
  } else {
    show.wants_forces.erase(command.client);
  }
  show.colour = keys.choice("colour", "colour", colour_names(), s.show.colour);
  show.every = static_cast<int>(keys.whole("every", 1, 1000, s.show.every));
  keys.finish();
  check_colour(s, show.colour);
  s.show = show;
  s.frame_is_new = true;
  s.colour_is_new = true;
  return {};
}

}  // namespace supple

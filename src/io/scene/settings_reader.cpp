#include <algorithm>
#include <numbers>
#include <string_view>
#include <type_traits>

#include "io/scene/readers.h"
#include "sim/separations.h"
#include "sim/stepper.h"

namespace supple {

namespace {

/// Reads the options of /solver, or those of its line search.
void read_options(ObjectReader& reader, SolverSettings& settings, bool of_search) {
  for (const SolverOption& option : solver_options()) {
    const std::string_view key = option.key;
    const std::size_t slash = key.find('/');
    if ((slash != std::string_view::npos) != of_search) continue;
    const std::string_view own = key.substr(of_search ? slash + 1 : 0);
    if (const std::string why = unused_because(option, settings); !why.empty()) {
      reader.reject(own, why);
      continue;
    }
    const Range range = range_of(option, settings);
    const auto read = [&]<class T>(T* value) {
      if constexpr (Choice<T>) {
        *value = reader.choice(own, *value, solver_choices(settings.method, key));
      } else if constexpr (std::is_same_v<T, int>) {
        *value = static_cast<int>(
            reader.whole(own, static_cast<int>(range.low), static_cast<int>(range.high), *value));
      } else if constexpr (std::is_same_v<T, double>) {
        *value = reader.number(own, range, *value);
      } else {
        *value = reader.pair(own, range, *value);
        if (!(value->first < value->second)) {
          reader.fail(own, "expected two stretches, the smaller one first");
        }
      }
    };
    std::visit(read, option.value(settings));
    reader.explain(option.text);
  }
}

}  // namespace

TimeSettings read_time(ObjectReader& time) {
  TimeSettings settings;
  settings.step = time.number("step", above_zero("s"), settings.step);
  settings.frames = static_cast<int>(time.whole("frames", 0, 10'000'000, settings.frames));
  settings.substeps = static_cast<int>(time.whole("substeps", 1, 100'000, settings.substeps));
  settings.sleep_after = time.number("sleep_after", from_zero("s"), settings.sleep_after);
  settings.separate_after = static_cast<int>(
      time.whole("separate_after", 0, most_separate_after, settings.separate_after));
  settings.integrator = time.choice("integrator", settings.integrator);
  return settings;
}

double read_damping_time(ObjectReader& damping, std::optional<double> usual) {
  if (!damping.has("loss_factor")) {
    damping.know("loss_factor");
    damping.reject("frequency", "is that at which a loss_factor holds, and there is none");
    return damping.number("stiffness", from_zero("s"), usual);
  }
  damping.reject("stiffness", "follows from the loss_factor; expected one of the two");
  const double factor = damping.number("loss_factor", from_zero(""));
  const double frequency = damping.number("frequency", above_zero("Hz"));
  return factor / (2 * std::numbers::pi * frequency);
}

SolverSettings read_solver(ObjectReader& solver, SolverMethod usual) {
  SolverSettings settings;
  const bool all_used = std::all_of(solver_options().begin(), solver_options().end(),
                                    [&](const SolverOption& option) {
                                      return option.is_used_by(usual) || !solver.has(option.key);
                                    });
  settings.method = solver.choice("method", all_used ? usual : settings.method);
  read_options(solver, settings, false);
  if (const auto conflict = find_conflict(settings)) {
    solver.fail(conflict->key, conflict->message);
  }
  if (const std::string why = unused_because(solver_option("line_search/type"), settings);
      !why.empty()) {
    solver.reject("line_search", why);
    return settings;
  }
  solver.object("line_search", [&](ObjectReader& reader) { read_options(reader, settings, true); });
  return settings;
}

ContactSettings read_contact(ObjectReader& contact) {
  ContactSettings settings;
  settings.stiffness = contact.number("stiffness", from_zero("N/m"), settings.stiffness);
  settings.friction = contact.number("friction", from_zero(""), settings.friction);
  settings.mode = contact.choice("mode", settings.mode);
  settings.bodies = contact.boolean("bodies", settings.bodies);
  settings.self = contact.boolean("self", settings.self);
  return settings;
}

WindSettings read_wind(ObjectReader& wind) {
  WindSettings settings;
  wind.expect({"velocity", "density", "drag", "lift"});
  settings.velocity = wind.vector("velocity", any_number("m/s"));
  settings.density = wind.number("density", above_zero("kg/m^3"), settings.density);
  settings.drag = wind.number("drag", from_zero(""), settings.drag);
  settings.lift = wind.number("lift", from_zero(""), settings.lift);
  return settings;
}

}  // namespace supple

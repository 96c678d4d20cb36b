#include "io/scene/readers.h"

namespace supple {

namespace {

constexpr double atmosphere = 101325;  // Pa

PressureSettings read_settings(ObjectReader& reader) {
  PressureSettings settings;
  reader.expect({"overpressure", "gas", "ambient", "surface"});
  if (reader.one_of("pressure", {"overpressure", "gas"}) == "gas") {
    settings.pressure = read_timed_number(reader, "gas", from_zero("Pa"));
    settings.ambient = reader.number("ambient", from_zero("Pa"), atmosphere);
  } else {
    reader.reject("ambient", "belongs to a gas; an overpressure is relative to the outside");
    settings.pressure = read_timed_number(reader, "overpressure", any_number("Pa"));
  }
  settings.surface = reader.choice("surface", settings.surface);
  return settings;
}

}  // namespace

PressureSettings read_pressure(ObjectReader& body) {
  PressureSettings settings;
  if (!body.is_object("pressure")) {
    settings.pressure = body.number("pressure", any_number("Pa"));
    return settings;
  }
  body.object("pressure", [&](ObjectReader& reader) { settings = read_settings(reader); });
  return settings;
}

}  // namespace supple

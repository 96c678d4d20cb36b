#include <fmt/format.h>

#include "io/scene/readers.h"

namespace supple {

TearingSettings read_tearing(ObjectReader& reader, const Body& body) {
  const bool has_tets = !body.mesh.tets.empty(), has_springs = !has_tets && !body.membrane;
  TearingSettings tearing;
  reader.expect({"stretch", "stress", "force", "per_frame"});
  if (reader.has("stretch")) {
    tearing.stretch = reader.number("stretch", {.low = 1, .unit = ""});
  } else {
    reader.know("stretch");
  }
  if (!has_tets) {
    reader.reject("stress", fmt::format("is that of tets, but this body is {}",
                                        has_springs ? "of springs; expected stretch or force"
                                                    : "a membrane; expected stretch"));
  } else if (reader.has("stress")) {
    tearing.stress = reader.number("stress", above_zero("Pa"));
  } else {
    reader.know("stress");
  }
  if (!has_springs) {
    reader.reject("force", fmt::format("is that of springs, but this body is {}",
                                       has_tets ? "of tets; expected stretch or stress"
                                                : "a membrane; expected stretch"));
  } else if (reader.has("force")) {
    tearing.force = reader.number("force", above_zero("N"));
  } else {
    reader.know("force");
  }
  if (!tearing.stretch && !tearing.stress && !tearing.force) {
    reader.fail(fmt::format("expected a limit: stretch{}", has_tets      ? " or stress"
                                                           : has_springs ? " or force"
                                                                         : ""));
  }
  tearing.per_frame = static_cast<int>(reader.whole("per_frame", 1, 1'000'000, tearing.per_frame));
  return tearing;
}

Blade read_blade(ObjectReader& reader, std::size_t index) {
  Blade blade;
  reader.expect({"name", "segment", "triangle", "motion", "cuts"});
  blade.name = reader.text("name", fmt::format("blade_{}", index));
  const std::string kind = reader.one_of("blade", {"segment", "triangle"});
  blade.points = reader.vectors(kind, any_number("m"));
  const std::size_t expected = kind == "segment" ? 2 : 3;
  if (blade.points.size() != expected) {
    reader.fail(kind,
                fmt::format("expected {} points, there are {}", expected, blade.points.size()));
  }
  reader.optional_object("motion",
                         [&](ObjectReader& motion) { blade.motion = read_motion(motion); });
  blade.cuts = reader.optional_texts("cuts");
  return blade;
}

}  // namespace supple

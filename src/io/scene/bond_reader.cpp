#include <algorithm>

#include "base/names.h"
#include "io/scene/readers.h"

namespace supple {

namespace {

/// The body whose name is given under `key`.
const Body& read_body_name(ObjectReader& reader, const char* key, const std::vector<Body>& bodies) {
  const std::string name = reader.text(key);
  const auto found = std::find_if(bodies.begin(), bodies.end(),
                                  [&](const Body& body) { return body.name == name; });
  if (found != bodies.end()) return *found;
  std::vector<std::string> names;
  for (const Body& body : bodies) names.push_back(body.name);
  reader.fail(key, unknown_name("body", name, names));
}

SeamSide read_side(ObjectReader& reader, const std::vector<Body>& bodies) {
  SeamSide side;
  reader.expect({"body", "select"});
  const Body& body = read_body_name(reader, "body", bodies);
  side.body = body.name;
  reader.object("select",
                [&](ObjectReader& select) { side.select = read_selection(select, body.mesh); });
  return side;
}

}  // namespace

Bond read_bond(ObjectReader& reader, const std::vector<Body>& bodies) {
  Bond bond;
  reader.expect({"body", "select", "to", "stiffness", "distance"});
  const Body& body = read_body_name(reader, "body", bodies);
  bond.body = body.name;
  reader.object("select",
                [&](ObjectReader& select) { bond.select = read_selection(select, body.mesh); });
  bond.to = read_body_name(reader, "to", bodies).name;
  bond.stiffness = reader.number("stiffness", from_zero("N/m"), bond.stiffness);
  if (reader.has("distance")) {
    bond.distance = reader.number("distance", from_zero("m"));
  } else {
    reader.know("distance");
  }
  return bond;
}

Seam read_seam(ObjectReader& reader, const std::vector<Body>& bodies) {
  Seam seam;
  reader.expect({"a", "b", "close", "stiffness"});
  reader.object("a", [&](ObjectReader& side) { seam.a = read_side(side, bodies); });
  reader.object("b", [&](ObjectReader& side) { seam.b = read_side(side, bodies); });
  seam.close = reader.number("close", from_zero("s"), seam.close);
  seam.stiffness = reader.number("stiffness", from_zero("N/m"), seam.stiffness);
  return seam;
}

}  // namespace supple

#include <cmath>
#include <string>

#include "math/random.h"
#include "model/model.h"
#include "model/multipliers.h"
#include "supple/error.h"

namespace supple {

namespace {

Vec3 center_of(const Box& box) {
  Vec3 center{};
  for (std::size_t k = 0; k < 3; ++k) center[k] = 0.5 * (box.min[k] + box.max[k]);
  return center;
}

void check(bool condition, const std::string& where, const std::string& message) {
  if (!condition) throw Error(ErrorKind::invalid_input, where, message);
}

/// Writes one body's initial positions; `x` points to its first vertex.
struct Place {
  const std::vector<Vec3>& rest;
  PaddedVector* x;
  std::string where;

  void operator()(const AtRest&) const {
    for (std::size_t i = 0; i < rest.size(); ++i) set(i, rest[i]);
  }
  void operator()(const Randomize& randomize) const {
    for (std::size_t k = 0; k < 3; ++k) {
      check(std::isfinite(randomize.box.min[k]) && std::isfinite(randomize.box.max[k]) &&
                randomize.box.min[k] <= randomize.box.max[k],
            where + "/randomize/box", "expected finite corners, the lower one first");
    }
    Random random(randomize.seed);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      Vec3 place{};
      for (std::size_t k = 0; k < 3; ++k) {
        const double low = randomize.box.min[k], high = randomize.box.max[k];
        place[k] = low + (high - low) * random.uniform();
      }
      set(i, place);
    }
  }
  void operator()(const Flatten& flatten) const {
    check(flatten.axis >= 0 && flatten.axis < 3, where + "/flatten/axis", "expected x, y or z");
    const Vec3 center = center_of(bounding_box(rest));
    for (std::size_t i = 0; i < rest.size(); ++i) {
      Vec3 place = rest[i];
      const auto axis = static_cast<std::size_t>(flatten.axis);
      place[axis] = center[axis];
      set(i, place);
    }
  }
  void operator()(const Stretch& stretch) const {
    const Vec3 center = center_of(bounding_box(rest));
    for (std::size_t k = 0; k < 3; ++k) {
      check(std::isfinite(stretch.factors[k]), where + "/stretch", "expected finite factors");
    }
    for (std::size_t i = 0; i < rest.size(); ++i) {
      Vec3 place{};
      for (std::size_t k = 0; k < 3; ++k) {
        place[k] = center[k] + stretch.factors[k] * (rest[i][k] - center[k]);
      }
      set(i, place);
    }
  }

 private:
  void set(std::size_t i, const Vec3& place) const {
    for (int k = 0; k < 3; ++k) x[i][k] = place[static_cast<std::size_t>(k)];
  }
};

}  // namespace

State initial_state(const Scene& scene, const Model& model) {
  State state;
  if (!model.plasticity.empty()) state.plastic.resize(model.tets.size());
  state.rods = model.rods.rest_frames;
  state.multipliers.assign(count_multipliers(model), 0.0);
  state.x.resize(static_cast<std::size_t>(model.num_vertices));
  state.v.resize(static_cast<std::size_t>(model.num_vertices));
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    const std::string where = "/bodies/" + std::to_string(b);
    const auto first = static_cast<std::size_t>(model.body_vertices[b]);
    const auto last = static_cast<std::size_t>(model.body_vertices[b + 1]);
    const std::vector<Vec3> rest(model.rest.begin() + static_cast<std::ptrdiff_t>(first),
                                 model.rest.begin() + static_cast<std::ptrdiff_t>(last));
    std::visit(Place{rest, &state.x[first], where + "/initial"}, body.initial);
    for (double speed : body.velocity) {
      check(std::isfinite(speed), where + "/velocity", "expected a finite velocity");
    }
    for (std::size_t i = first; i < last; ++i) {
      // A vertex that nothing uses has no mass and stays where it is.
      for (int k = 0; k < 3 && model.mass[i] > 0; ++k) {
        state.v[i][k] = body.velocity[static_cast<std::size_t>(k)];
      }
    }
  }
  return state;
}

}  // namespace supple

// The scenes of scenes/ in which bodies touch. Tests that nothing passes through anything, measured
// without the library; that friction lifts; and that a stack stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "math/motion.h"
#include "math/vec3.h"
#include "supple/io.h"
#include "supple/simulation.h"

namespace supple {
namespace {

using vec3::operator-;
using vec3::cross;
using vec3::dot;
using Triangle = std::array<Vec3, 3>;

Vec3 operator+(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vec3 operator*(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }
/// Six times the volume of a tet.
double volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return dot(cross(b - a, c - a), d - a);
}
Vec3 clamped(const Vec3& a, const Vec3& b, double s) {
  return a + std::clamp(s, 0.0, 1.0) * (b - a);
}

/// Does an edge pass through a triangle? Its ends lie on two sides of it, and the line passes all
/// three edges on the same side.
bool pierces(const Vec3& a, const Vec3& b, const Triangle& t) {
  if (!(volume(t[0], t[1], t[2], a) * volume(t[0], t[1], t[2], b) < 0)) return false;
  const double u = volume(a, b, t[0], t[1]), v = volume(a, b, t[1], t[2]),
               w = volume(a, b, t[2], t[0]);
  return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

double distance_to_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const double length = dot(b - a, b - a);
  const Vec3 d = p - clamped(a, b, length > 0 ? dot(p - a, b - a) / length : 0);
  return std::sqrt(dot(d, d));
}

/// The distance to a triangle, which can be a segment: one corner twice.
double distance_to_triangle(const Vec3& p, const Triangle& t) {
  double least = 1e300;
  for (std::size_t i = 0; i < 3; ++i) {
    least = std::min(least, distance_to_segment(p, t[i], t[(i + 1) % 3]));
  }
  const Vec3 n = cross(t[1] - t[0], t[2] - t[0]);
  if (!(dot(n, n) > 0)) return least;
  bool is_over = true;
  for (std::size_t i = 0; i < 3; ++i) {
    is_over = is_over && dot(cross(t[(i + 1) % 3] - t[i], p - t[i]), n) > 0;
  }
  return is_over ? std::min(least, std::abs(dot(p - t[0], n)) / std::sqrt(dot(n, n))) : least;
}

/// The distance from a segment, sampled so densely that no point in between is nearer by more than
/// the 1e-4 of its length that are subtracted.
double distance_of_segment(const Vec3& a, const Vec3& b, const Triangle& t) {
  // The distance to a convex set is convex along a segment, so the search divides it into thirds.
  double low = 0, high = 1;
  for (int i = 0; i < 40; ++i) {
    const double s = low + (high - low) / 3, r = high - (high - low) / 3;
    if (distance_to_triangle(clamped(a, b, s), t) < distance_to_triangle(clamped(a, b, r), t)) {
      high = r;
    } else {
      low = s;
    }
  }
  return distance_to_triangle(clamped(a, b, 0.5 * (low + high)), t);
}

/// The triangles of a box.
std::vector<Triangle> sides_of(const BoxShape& box) {
  std::vector<Triangle> sides;
  for (std::size_t k = 0; k < 3; ++k) {
    for (const double side : {-0.5, 0.5}) {
      const auto corner = [&](double u, double v) {
        Vec3 x = box.center;
        x[k] += side * box.size[k];
        x[(k + 1) % 3] += u * box.size[(k + 1) % 3];
        x[(k + 2) % 3] += v * box.size[(k + 2) % 3];
        return x;
      };
      sides.push_back({corner(-0.5, -0.5), corner(0.5, -0.5), corner(0.5, 0.5)});
      sides.push_back({corner(-0.5, -0.5), corner(0.5, 0.5), corner(-0.5, 0.5)});
    }
  }
  return sides;
}

/// Does a triangle, or a segment with one corner twice, have a point in a collider?
bool enters(const Triangle& own, const Collider& collider, double time) {
  const Pose pose = evaluate(collider.motion, time);
  if (const auto* plane = std::get_if<PlaneShape>(&collider.shape)) {
    return std::any_of(own.begin(), own.end(), [&](const Vec3& x) {
      return dot(plane->normal, x) < plane->offset * std::sqrt(dot(plane->normal, plane->normal));
    });
  }
  if (const auto* sphere = std::get_if<SphereShape>(&collider.shape)) {
    return distance_to_triangle(pose.apply(sphere->center), own) < sphere->radius;
  }
  if (const auto* capsule = std::get_if<CapsuleShape>(&collider.shape)) {
    const Vec3 a = pose.apply(capsule->a), b = pose.apply(capsule->b);
    return distance_of_segment(a, b, own) < capsule->radius;
  }
  const BoxShape& box = std::get<BoxShape>(collider.shape);
  EXPECT_TRUE(collider.motion == Motion{} && box.degrees == 0);
  for (const Triangle& side : sides_of(box)) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (pierces(own[i], own[(i + 1) % 3], side)) return true;
      if (pierces(side[i], side[(i + 1) % 3], own)) return true;
    }
  }
  return std::any_of(own.begin(), own.end(), [&](const Vec3& x) {
    const Vec3 d = x - box.center;
    return std::abs(d[0]) < 0.5 * box.size[0] && std::abs(d[1]) < 0.5 * box.size[1] &&
           std::abs(d[2]) < 0.5 * box.size[2];
  });
}

/// Do two segments pass through each other on straight paths? At some time they lie in one plane,
/// which the sign of a volume shows between two of 16 times, and cross there.
bool pass(const std::array<Vec3, 4>& before, const std::array<Vec3, 4>& after) {
  const auto at = [&](double t) {
    std::array<Vec3, 4> x;
    for (std::size_t i = 0; i < 4; ++i) x[i] = before[i] + t * (after[i] - before[i]);
    return x;
  };
  const auto side = [](const std::array<Vec3, 4>& x) { return volume(x[0], x[1], x[2], x[3]); };
  for (int k = 0; k < 16; ++k) {
    double low = k / 16.0, high = (k + 1) / 16.0;
    const double first = side(at(low));
    if (!(first * side(at(high)) < 0)) continue;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (side(at(middle)) * first > 0 ? low : high) = middle;
    }
    const auto x = at(low);
    const Vec3 n = cross(x[1] - x[0], x[3] - x[2]);
    const double u = dot(cross(x[2] - x[0], x[1] - x[0]), n),
                 v = dot(cross(x[3] - x[0], x[1] - x[0]), n),
                 s = dot(cross(x[0] - x[2], x[3] - x[2]), n),
                 t = dot(cross(x[1] - x[2], x[3] - x[2]), n);
    if (u * v < 0 && s * t < 0) return true;
  }
  return false;
}

struct Bounds {
  Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  void add(const Vec3& x) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], x[k]);
      high[k] = std::max(high[k], x[k]);
    }
  }
  bool meets(const Bounds& other) const {
    for (std::size_t k = 0; k < 3; ++k) {
      if (low[k] > other.high[k] || other.low[k] > high[k]) return false;
    }
    return true;
  }
};

/// Everything in a scene that must not meet.
class Witness {
 public:
  explicit Witness(const Simulation& simulation) : scene_(simulation.scene()) {
    const std::vector<int>& first = simulation.body_vertices();
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
      for (int v = first[b]; v < first[b + 1]; ++v) body_of_.push_back(static_cast<int>(b));
      for (const auto& [i, j] : scene_.bodies[b].segments) {
        if (scene_.bodies[b].triangles.empty()) segments_.push_back({first[b] + i, first[b] + j});
      }
    }
    triangles_ = simulation.surface();
    for (const auto& t : triangles_) {
      for (std::size_t i = 0; i < 3; ++i) edges_.push_back(std::minmax(t[i], t[(i + 1) % 3]));
    }
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    // Features with a vertex that is sewn to another body do not touch it (docs/bonds.md).
    is_sewn_.assign(body_of_.size(), false);
    const std::vector<double> x = simulation.state().positions;
    for (const Seam& seam : scene_.seams) {
      for (const SeamSide& side : {seam.a, seam.b}) {
        for (std::size_t v = 0; v < body_of_.size(); ++v) {
          if (scene_.bodies[at(body_of_[v])].name != side.body) continue;
          bool is_in = true;
          for (std::size_t k = 0; k < 3; ++k) {
            is_in = is_in && x[3 * v + k] >= side.select.box.min[k] &&
                    x[3 * v + k] <= side.select.box.max[k];
          }
          if (is_in) is_sewn_[v] = true;
        }
      }
    }
    look(simulation);
  }

  /// The number of collisions in the state: edges that pass through triangles, features in
  /// colliders, and segments that have passed each other since the last call.
  int look(const Simulation& simulation) {
    const std::vector<double> x = simulation.state().positions;
    const std::vector<Vec3> before = std::exchange(x_, {});
    for (std::size_t v = 0; v < x.size() / 3; ++v) {
      x_.push_back({x[3 * v], x[3 * v + 1], x[3 * v + 2]});
    }
    return in_surfaces() + in_colliders(simulation.time()) + (before.empty() ? 0 : passed(before));
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Triangle corners(const std::array<int, 3>& t) const {
    return {x_[at(t[0])], x_[at(t[1])], x_[at(t[2])]};
  }

  int in_surfaces() const {
    std::vector<Bounds> of_triangles(triangles_.size());
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      for (const int v : triangles_[t]) of_triangles[t].add(x_[at(v)]);
    }
    int count = 0;
    std::vector<std::pair<int, int>> edges = edges_;
    edges.insert(edges.end(), segments_.begin(), segments_.end());
    for (const auto& [a, b] : edges) {
      Bounds of_edge;
      of_edge.add(x_[at(a)]);
      of_edge.add(x_[at(b)]);
      for (std::size_t i = 0; i < triangles_.size(); ++i) {
        if (!of_edge.meets(of_triangles[i])) continue;
        const auto& t = triangles_[i];
        const bool is_own = body_of_[at(a)] == body_of_[at(t[0])];
        if (is_own && (!scene_.contact.self || std::count(t.begin(), t.end(), a) > 0 ||
                       std::count(t.begin(), t.end(), b) > 0)) {
          continue;
        }
        if (!is_own && (is_sewn_[at(a)] || is_sewn_[at(b)] || is_sewn_[at(t[0])] ||
                        is_sewn_[at(t[1])] || is_sewn_[at(t[2])])) {
          continue;
        }
        count += pierces(x_[at(a)], x_[at(b)], corners(t)) ? 1 : 0;
      }
    }
    return count;
  }

  int in_colliders(double time) const {
    int count = 0;
    for (const Collider& collider : scene_.colliders) {
      for (const auto& t : triangles_) count += enters(corners(t), collider, time) ? 1 : 0;
      for (const auto& [a, b] : segments_) {
        count += enters(corners({a, b, b}), collider, time) ? 1 : 0;
      }
    }
    return count;
  }

  int passed(const std::vector<Vec3>& before) const {
    std::vector<Bounds> swept(segments_.size());
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      for (const int v : {segments_[s].first, segments_[s].second}) {
        swept[s].add(before[at(v)]);
        swept[s].add(x_[at(v)]);
      }
    }
    int count = 0;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      for (std::size_t t = 0; t < s; ++t) {
        const auto& [a, b] = segments_[s];
        const auto& [c, d] = segments_[t];
        if (body_of_[at(a)] == body_of_[at(c)] || !swept[s].meets(swept[t])) continue;
        count += pass({before[at(a)], before[at(b)], before[at(c)], before[at(d)]},
                      {x_[at(a)], x_[at(b)], x_[at(c)], x_[at(d)]})
                     ? 1
                     : 0;
      }
    }
    return count;
  }

  const Scene& scene_;
  std::vector<int> body_of_{};
  std::vector<std::array<int, 3>> triangles_{};
  std::vector<std::pair<int, int>> edges_{}, segments_{};
  std::vector<bool> is_sewn_{};
  std::vector<Vec3> x_{};
};

/// A scene of scenes/, made smaller, and a number of its frames.
struct Sample {
  std::string name{};
  std::vector<Override> smaller{};
  int frames = 0;
};

/// If the environment variable SUPPLE_WHOLE_SCENES is set, nothing is made smaller.
Scene scene_of(const Sample& sample) {
  const bool whole = std::getenv("SUPPLE_WHOLE_SCENES") != nullptr;
  return load_scene(SUPPLE_SOURCE_DIR "/scenes/" + sample.name + ".json",
                    whole ? std::vector<Override>{} : sample.smaller);
}

int frames_of(const Sample& sample, const Scene& scene) {
  return std::getenv("SUPPLE_WHOLE_SCENES") != nullptr ? scene.time.frames : sample.frames;
}

/// Gives every vertex a velocity that moves it by up to a thousandth of its body's size in the
/// first step.
void jitter(Simulation& simulation, unsigned seed) {
  std::mt19937 random(seed);
  SimulationState state = simulation.state();
  const std::vector<int>& first = simulation.body_vertices();
  for (std::size_t b = 0; b + 1 < first.size(); ++b) {
    Bounds bounds;
    for (int v = first[b]; v < first[b + 1]; ++v) {
      const std::size_t i = 3 * static_cast<std::size_t>(v);
      bounds.add({state.positions[i], state.positions[i + 1], state.positions[i + 2]});
    }
    const Vec3 sides = bounds.high - bounds.low;
    const double speed = 1e-3 * std::sqrt(dot(sides, sides)) / simulation.scene().time.step;
    for (int i = 3 * first[b]; i < 3 * first[b + 1]; ++i) {
      state.velocities[static_cast<std::size_t>(i)] += speed * (2 * (random() / 4294967296.0) - 1);
    }
  }
  simulation.set_state(state);
}

class TouchingScenes : public testing::TestWithParam<Sample> {};

TEST_P(TouchingScenes, NothingMeetsFromTenJitteredStarts) {
  const Scene scene = scene_of(GetParam());
  ASSERT_EQ(scene.contact.mode, ContactMode::barrier);
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Simulation simulation(scene, {.threads = 1});
    Witness witness(simulation);
    jitter(simulation, seed);
    for (int frame = 0; frame < frames_of(GetParam(), scene); ++frame) {
      const StepReport report = simulation.step();
      ASSERT_NE(report.status, StepStatus::non_finite) << seed << " " << frame;
      ASSERT_EQ(witness.look(simulation), 0) << seed << " " << frame;
      EXPECT_EQ(report.tunnelled, 0) << seed << " " << frame;
    }
  }
}

TEST_P(TouchingScenes, HaveTheSameBitsAtAnyNumberOfThreads) {
  const Scene scene = scene_of(GetParam());
  const auto end = [&](int threads) {
    Simulation simulation(scene, {.threads = threads});
    for (int frame = 0; frame < frames_of(GetParam(), scene); ++frame) simulation.step();
    return simulation.state();
  };
  const SimulationState one = end(1);
  for (const int threads : {2, 3, 8}) {
    const SimulationState other = end(threads);
    EXPECT_EQ(one.positions, other.positions) << threads;
    EXPECT_EQ(one.velocities, other.velocities) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, TouchingScenes,
    testing::Values(Sample{.name = "stack", .frames = 25},
                    Sample{.name = "gripper",
                           .smaller = {{"/bodies/0/mesh/sphere/cells", "6"},
                                       {"/bodies/1/mesh/box/cells", "[2, 4, 4]"},
                                       {"/bodies/2/mesh/box/cells", "[2, 4, 4]"},
                                       {"/solver/iterations", "10"}},
                           .frames = 110},
                    Sample{.name = "layers",
                           .smaller = {{"/bodies/9", "null"},
                                       {"/bodies/8", "null"},
                                       {"/bodies/7", "null"},
                                       {"/bodies/6", "null"},
                                       {"/bodies/5", "null"},
                                       {"/solver/iterations", "10"}},
                           .frames = 30},
                    Sample{.name = "sock",
                           .smaller = {{"/bodies/0/mesh/cloth/cells", "[6, 9]"},
                                       {"/bodies/1/mesh/cloth/cells", "[6, 9]"},
                                       {"/time/substeps", "1"}},
                           .frames = 120},
                    Sample{.name = "brush",
                           .smaller = {{"/time/substeps", "1"}, {"/solver/iterations", "10"}},
                           .frames = 90}),
    [](const auto& sample) { return sample.param.name; });

TEST(TouchingScenesWitness, SeesWhatPasses) {
  for (const auto& [name, change] : std::vector<std::pair<std::string, Override>>{
           {"gripper", {"/contact/bodies", "false"}},
           {"brush", {"/contact/bodies", "false"}},
           {"gripper", {"/contact", R"({"stiffness": 1e3})"}},
           {"sock", {"/contact", R"({"stiffness": 1})"}},
           {"layers", {"/contact", R"({"stiffness": 1, "bodies": false})"}}}) {
    const Scene scene = load_scene(SUPPLE_SOURCE_DIR "/scenes/" + name + ".json", {change});
    Simulation simulation(scene, {.threads = 1});
    Witness witness(simulation);
    int seen = 0;
    for (int frame = 0; frame < 60 && seen == 0; ++frame) {
      simulation.step();
      seen = witness.look(simulation);
    }
    EXPECT_GT(seen, 0) << name << change.value;
  }
}

// ------------------------------------------------------------------------------------ gripper

/// The mean height of all vertices of a body, m.
double height(const Simulation& simulation, std::size_t body) {
  const std::vector<double> x = simulation.state().positions;
  const int first = simulation.body_vertices()[body], last = simulation.body_vertices()[body + 1];
  double sum = 0;
  for (int v = first; v < last; ++v) sum += x[3 * static_cast<std::size_t>(v) + 1];
  return sum / (last - first);
}

double mass_of(const Body& body) {
  double mass = 0;
  for (const auto& tet : body.mesh.tets) {
    const auto x = [&](std::size_t i) {
      return body.mesh.vertices[static_cast<std::size_t>(tet[i])];
    };
    mass += body.density * std::abs(volume(x(0), x(1), x(2), x(3))) / 6;
  }
  return mass;
}

TEST(GripperScene, LiftsWhereFrictionBearsTheWeight) {
  // The ball is held up by the friction of two pads, no more than 2 mu N.
  for (const double friction : {0.8, 0.05}) {
    Scene scene = scene_of({"gripper"});
    scene.contact.friction = friction;
    Simulation simulation(scene, {.threads = 1});
    const double start = height(simulation, 0);
    double squeezed = 0, lifted = 0;
    const double weight = 9.81 * mass_of(scene.bodies[0]);
    for (int frame = 0; frame < 150; ++frame) {
      simulation.step();
      if (frame == 47) {  // closed, not yet lifted
        for (const BodyContact& contact : simulation.contacts()) {
          if (contact.collider == -1) squeezed += std::abs(dot(contact.force, contact.normal));
        }
      }
      if (frame == 119) lifted = height(simulation, 0);
    }
    SCOPED_TRACE(friction);
    EXPECT_EQ(friction * squeezed >= weight, friction == 0.8) << squeezed << " " << weight;
    // The pads rise by 0.7 m, and the grip gives way a little.
    EXPECT_EQ(lifted - start > 0.5, friction == 0.8) << lifted;
    EXPECT_NEAR(height(simulation, 0), lifted, 0.05);
  }
}

// -------------------------------------------------------------------------------------- stack

TEST(StackScene, StaysWhereItIs) {
  for (const ContactMode mode : {ContactMode::barrier, ContactMode::soft}) {
    Scene scene = scene_of({"stack"});
    scene.contact.mode = mode;
    Simulation simulation(scene, {.threads = 1});
    for (int frame = 0; frame < 240; ++frame) simulation.step();
    const std::vector<double> early = simulation.state().positions;
    for (int frame = 0; frame < 600; ++frame) simulation.step();
    const std::vector<double> late = simulation.state().positions;
    double creep = 0;
    for (std::size_t i = 0; i < early.size(); ++i) {
      creep = std::max(creep, std::abs(late[i] - early[i]));
    }
    EXPECT_LT(creep, 1e-6 * 0.5);
    for (int body = 0; body < 3; ++body) EXPECT_TRUE(simulation.is_asleep(body)) << body;
    // The upper block still lies on the middle one.
    EXPECT_NEAR(height(simulation, 2), 1.25, 0.02);
    // Twenty iterations leave up to a hundredth of the weight unbalanced.
    std::vector<double> forces(3 * static_cast<std::size_t>(simulation.num_vertices()));
    simulation.copy_contact_forces(forces);
    for (std::size_t body = 0; body < 3; ++body) {
      double up = 0;
      for (int i = simulation.body_vertices()[body]; i < simulation.body_vertices()[body + 1];
           ++i) {
        up += forces[3 * static_cast<std::size_t>(i) + 1];
      }
      EXPECT_NEAR(up, 9.81 * 125, 0.04 * 9.81 * 125) << body;
    }
  }
}

}  // namespace
}  // namespace supple

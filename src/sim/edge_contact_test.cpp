#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "contact/collider.h"
#include "sim/stepper.h"
#include "sim/test_scenes.h"
#include "supple/compare.h"

/// Colliders that fit between the vertices of a coarse body.
namespace supple {
namespace {

/// A cube of 1 m in 2 x 2 x 2 cells around the origin.
Scene coarse_block() {
  Scene scene;
  Body block{
      .mesh = generate(BoxGenerator{.size = {1, 1, 1}, .cells = {2, 2, 2}, .center = {0, 0, 0}})};
  const auto [mu, lambda] = lame_parameters(1e6, 0.3);
  block.material = {.model = "stable_neo_hookean", .mu = mu, .lambda = lambda};
  scene.bodies.push_back(std::move(block));
  scene.gravity = {0, -9.81, 0};
  return scene;
}

struct Support {
  std::string name;
  std::vector<Collider> colliders;
};

/// Supports of the block that touch none of its vertices, with tops at y = -0.5. Rows of vertices
/// are at -0.5, 0 and 0.5.
std::vector<Support> supports() {
  std::vector<Support> list;
  std::vector<Collider> poles, spheres, boxes, cylinders;
  for (const double side : {-1.0, 1.0}) {
    const double x = 0.27 * side;
    poles.push_back({"pole", CapsuleShape{{x, -0.53, -2}, {x, -0.53, 2}, 0.03}, {}});
    boxes.push_back(
        {"box", BoxShape{{x, -0.5 - 0.05 * std::sqrt(2.0), 0}, {0.1, 0.1, 4}, {0, 0, 1}, 45}, {}});
    cylinders.push_back({"post", CylinderShape{{x, -1, 0.21 * side}, {0, 1, 0}, 0.04, 1}, {}});
    cylinders.push_back({"post", CylinderShape{{x, -1, -0.33 * side}, {0, 1, 0}, 0.04, 1}, {}});
    for (const double across : {-0.21, 0.34}) {
      spheres.push_back({"sphere", SphereShape{{x, -0.56, across}, 0.06}, {}});
    }
  }
  std::vector<Collider> spikes;
  for (const auto& [x, z] : {std::pair{0.27, 0.21}, {0.27, -0.34}, {-0.27, 0.34}, {-0.27, -0.21}}) {
    MeshShape spike;
    spike.mesh.vertices = {
        {x, -0.5, z}, {x + 0.1, -1, z}, {x - 0.06, -1, z + 0.1}, {x - 0.06, -1, z - 0.1}};
    spike.mesh.triangles = {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}};
    spikes.push_back({"spike", spike, {}});
  }
  list.push_back({"poles", poles});
  list.push_back({"spikes", spikes});
  list.push_back({"a ring", {{"ring", TorusShape{{0, -0.55, 0}, {0, 1, 0}, 0.3, 0.05}, {}}}});
  list.push_back({"spheres", spheres});
  list.push_back({"edges of boxes", boxes});
  list.push_back({"posts", cylinders});
  return list;
}

/// Deepest sample of the whole surface of the block, m.
double deepest(const Simulation& simulation, const std::vector<ColliderObject>& colliders,
               const std::vector<std::array<int, 3>>& surface) {
  constexpr int parts = 24;
  const std::vector<Vec3> x = test::positions_of(simulation);
  double depth = 0;
  for (const auto& [a, b, c] : surface) {
    for (int i = 0; i <= parts; ++i) {
      for (int j = 0; i + j <= parts; ++j) {
        const double u = static_cast<double>(i) / parts, v = static_cast<double>(j) / parts;
        Vec3 p;
        for (std::size_t k = 0; k < 3; ++k) {
          p[k] = (1 - u - v) * x[static_cast<std::size_t>(a)][k] +
                 u * x[static_cast<std::size_t>(b)][k] + v * x[static_cast<std::size_t>(c)][k];
        }
        for (const ColliderObject& collider : colliders) {
          depth = std::max(depth, -collider.surface(p).distance);
        }
      }
    }
  }
  return depth;
}

Vec3 middle(const Simulation& simulation) {
  Vec3 sum{0, 0, 0};
  const std::vector<Vec3> x = test::positions_of(simulation);
  for (const Vec3& p : x) {
    for (std::size_t k = 0; k < 3; ++k) sum[k] += p[k] / static_cast<double>(x.size());
  }
  return sum;
}

TEST(EdgeContact, ACoarseBlockStaysOnWhatFitsBetweenItsVertices) {
  for (const Support& support : supports()) {
    for (const char* method : {"l_bfgs", "newton", "xpbd"}) {
      SCOPED_TRACE(support.name + ", " + method);
      // Each of the many substeps asks the distances of meshes, which takes seconds.
      if (support.name == "spikes" && std::string(method) == "xpbd") continue;
      Scene scene = coarse_block();
      for (Vec3& p : scene.bodies[0].mesh.vertices) p[1] += 0.05;
      scene.colliders = support.colliders;
      scene.solver.method = from_string<SolverMethod>(method);
      if (scene.solver.method == SolverMethod::xpbd) {
        scene.time.substeps = 20;
        scene.solver.iterations = 1;
      }
      std::vector<ColliderObject> colliders;
      for (const Collider& collider : scene.colliders) colliders.emplace_back(collider, "");
      const auto surface = surface_triangles(scene.bodies[0].mesh);
      Simulation simulation(scene, {.threads = 1});
      double depth = 0;
      for (int frame = 0; frame < 30; ++frame) {
        const StepReport report = simulation.step();
        ASSERT_NE(report.status, StepStatus::non_finite);
        depth = std::max(depth, deepest(simulation, colliders, surface));
      }
      EXPECT_LT(depth, 0.01);
      // On points without friction it comes to rest 0.062 m lower, however stiff the contacts are.
      EXPECT_NEAR(middle(simulation)[1], 0, support.name == "spikes" ? 0.08 : 0.01);
    }
  }
}

TEST(EdgeContact, AFastBlockDoesNotPassAThinPole) {
  for (const char* method : {"l_bfgs", "newton", "xpbd"}) {
    for (const double speed : {5.0, 50.0}) {
      SCOPED_TRACE(std::string(method) + " at " + std::to_string(speed) + " m/s");
      Scene scene = coarse_block();
      // At 50 m/s a softer block would be squeezed round the poles.
      const auto [mu, lambda] = lame_parameters(1e7, 0.3);
      scene.bodies[0].material.mu = mu;
      scene.bodies[0].material.lambda = lambda;
      scene.gravity = {0, 0, 0};
      scene.bodies[0].velocity = {speed, 0, 0};
      scene.solver.method = from_string<SolverMethod>(method);
      if (scene.solver.method == SolverMethod::xpbd) {
        scene.time.substeps = 20;
        scene.solver.iterations = 1;
      }
      // In the middle of the lower cells and of the upper ones.
      for (const double y : {-0.23, 0.27}) {
        scene.colliders.push_back({"pole", CapsuleShape{{2, y, -3}, {2, y, 3}, 0.03}, {}});
      }
      Simulation simulation(scene, {.threads = 1});
      double farthest = 0;
      int tunnelled = 0;
      for (int frame = 0; frame < 30; ++frame) {
        const StepReport report = simulation.step();
        tunnelled += report.tunnelled;
        ASSERT_NE(report.status, StepStatus::non_finite);
        farthest = std::max(farthest, middle(simulation)[0]);
      }
      // Its middle would be at 1.47 if it stopped there at once.
      EXPECT_LT(farthest, 1.65);
      EXPECT_EQ(tunnelled, 0);
    }
  }
}

/// A cloth of 1 m in 3 x 3 cells, flat, or a strand of three segments along x.
Body coarse_springs(bool is_cloth) {
  Body body;
  const SpringMesh mesh = is_cloth ? generate(ClothGenerator{.cells = {3, 3}})
                                   : generate(StrandGenerator{{-0.5, 0, 0}, {0.5, 0, 0}, 3});
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.segments = mesh.segments;
  body.springs = make_springs(mesh, {.stiffness = 1e4, .shear = 1e4, .bending = 1e3});
  body.density = 1;
  return body;
}

TEST(EdgeContact, ClothAndStrandsRestOnWhatFitsBetweenTheirVertices) {
  for (const char* method : {"l_bfgs", "newton", "xpbd"}) {
    for (const bool is_cloth : {true, false}) {
      SCOPED_TRACE(std::string(method) + (is_cloth ? ", cloth" : ", strand"));
      Scene scene;
      scene.bodies.push_back(coarse_springs(is_cloth));
      scene.solver.method = from_string<SolverMethod>(method);
      if (scene.solver.method == SolverMethod::xpbd) {
        scene.time.substeps = 20;
        scene.solver.iterations = 1;
      }
      // Under the middle of edges and, for the cloth, of faces.
      for (const double x : {-0.3, 0.3}) {
        if (is_cloth) {
          for (const double z : {-0.27, 0.24}) {
            scene.colliders.push_back({"ball", SphereShape{{x, -0.08, z}, 0.05}, {}});
          }
        } else {
          scene.colliders.push_back(
              {"pole", CapsuleShape{{x, -0.08, -2}, {x, -0.08, 2}, 0.05}, {}});
        }
      }
      Simulation simulation(scene, {.threads = 1});
      double lowest = 0;
      for (int frame = 0; frame < 30; ++frame) {
        const StepReport report = simulation.step();
        ASSERT_NE(report.status, StepStatus::non_finite);
        EXPECT_EQ(report.tunnelled, 0) << "frame " << frame;
        lowest = std::min(lowest, middle(simulation)[1]);
      }
      // Freely it would be at -4.9 by then. It rests on tops at -0.03, and overhanging parts sag.
      EXPECT_GT(lowest, -0.2);
    }
  }
}

TEST(EdgeContact, AFastClothOrStrandDoesNotPassAThinPole) {
  for (const char* method : {"l_bfgs", "newton", "xpbd"}) {
    for (const bool is_cloth : {true, false}) {
      for (const double speed : {5.0, 50.0}) {
        SCOPED_TRACE(std::string(method) + (is_cloth ? ", cloth" : ", strand") + " at " +
                     std::to_string(speed) + " m/s");
        Scene scene;
        scene.bodies.push_back(coarse_springs(is_cloth));
        scene.bodies[0].velocity = {0, speed, 0};
        scene.gravity = {0, 0, 0};
        scene.solver.method = from_string<SolverMethod>(method);
        if (scene.solver.method == SolverMethod::xpbd) {
          scene.time.substeps = 20;
          scene.solver.iterations = 1;
        }
        scene.colliders.push_back({"pole", CapsuleShape{{0.03, 2, -3}, {0.03, 2, 3}, 0.02}, {}});
        Simulation simulation(scene, {.threads = 1});
        // Parts under the pole at the start are folded around it and stay below.
        const std::vector<Vec3>& rest = scene.bodies[0].mesh.vertices;
        const auto height_at_pole = [&] {
          double height = -1;
          const std::vector<Vec3> x = test::positions_of(simulation);
          const auto look = [&](int i, int j) {
            const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
            if ((rest[a][0] - 0.03) * (rest[b][0] - 0.03) > 0) return;
            const double t = (0.03 - x[a][0]) / (x[b][0] - x[a][0]);
            if (t >= 0 && t <= 1) height = std::max(height, x[a][1] + t * (x[b][1] - x[a][1]));
          };
          for (const auto& [a, b] : scene.bodies[0].segments) look(a, b);
          for (const auto& [a, b, c] : scene.bodies[0].triangles) {
            look(a, b);
            look(b, c);
            look(c, a);
          }
          return height;
        };
        int frames = 0;
        for (; simulation.time() < 3 / speed; ++frames) {
          const StepReport report = simulation.step();
          ASSERT_NE(report.status, StepStatus::non_finite);
          EXPECT_EQ(report.tunnelled, 0) << "frame " << frames;
          EXPECT_LT(height_at_pole(), 2) << "frame " << frames;
        }
      }
    }
  }
}

/// "No accepted iterate raises g" with points of edges and faces.
TEST(EdgeContact, NoIterateOfADescentRaisesTheObjective) {
  Scene scene = coarse_block();
  scene.colliders = supports()[1].colliders;
  scene.contact.friction = 0.4;
  for (Vec3& p : scene.bodies[0].mesh.vertices) p[1] += 0.02;
  int checked = 0;
  for (const SolverMethod method : all_choices<SolverMethod>()) {
    if (is_position_based(method)) continue;
    SCOPED_TRACE(method);
    Scene own = scene;
    own.solver.method = method;
    own.solver.iterations = 25;
    own.bodies[0].material = test::soft_material(test::material_of(to_string(method)));
    Simulation simulation(own, {.threads = 1});
    for (int frames = 0; frames < 5; ++frames) {
      const SimulationState state = simulation.state();
      const ConvergedStep reference = solve_converged(own, state, 1);
      const ConvergenceCurve curve = record_descent(own, state, reference, 1);
      for (std::size_t k = 1; k < curve.points.size(); ++k) {
        const double last = curve.points[k - 1].objective;
        // Rounding errors of g and its terms.
        EXPECT_LE(curve.points[k].objective, last + 1e-13 * (std::abs(last) + curve.energy_scale));
        ++checked;
      }
      test::run(simulation, 1);
    }
  }
  EXPECT_GT(checked, 200);
}

/// On a flat collider the vertices are deepest, so nothing is found between them.
TEST(EdgeContact, OnAFlatBoxABlockMovesAsOnAPlane) {
  for (const char* method : {"l_bfgs", "newton", "xpbd"}) {
    SCOPED_TRACE(method);
    Scene scene = coarse_block();
    scene.solver.method = from_string<SolverMethod>(method);
    scene.colliders = {{"box", BoxShape{{0, -1.6, 0}, {8, 2, 8}, {0, 1, 0}, 0}, {}}};
    Simulation on_box(scene, {.threads = 1});
    scene.colliders = {{"ground", PlaneShape{{0, 1, 0}, -0.6}, {}}};
    Simulation on_plane(scene, {.threads = 1});
    int contacts = 0;
    for (int frame = 0; frame < 20; ++frame) {
      contacts += on_box.step().contacts;
      contacts -= on_plane.step().contacts;
    }
    EXPECT_EQ(contacts, 0);
    const std::vector<Vec3> a = test::positions_of(on_box), b = test::positions_of(on_plane);
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[i][k], b[i][k], 1e-9);  // roundings differ
    }
  }
}

/// Tets that move what lies on a collider are visited before contacts.
TEST(EdgeContact, WithXpbdABallFallsOnABallAndStaysOutsideInEveryFrame) {
  Scene scene;
  Body ball{.mesh = generate(SphereGenerator{.radius = 0.5, .cells = 6, .center = {0, 1.3, 0}})};
  const auto [mu, lambda] = lame_parameters(1.1e5, 0.4);
  ball.material = {.model = "stable_neo_hookean", .mu = mu, .lambda = lambda};
  scene.bodies.push_back(std::move(ball));
  scene.gravity = {0, -9.81, 0};
  scene.colliders = {{"ground", PlaneShape{{0, 1, 0}, -0.2}, {}},
                     {"ball", SphereShape{{0.1, 0.3, -0.17}, 0.18}, {}}};
  scene.time.step = 1.0 / 30;
  scene.time.substeps = 5;
  scene.solver.method = SolverMethod::xpbd;
  scene.solver.iterations = 5;
  Simulation simulation(scene, {.threads = 1});
  double deepest = 0;
  bool touched = false;
  for (int frame = 0; frame < 45; ++frame) {
    const StepReport report = simulation.step();
    deepest = std::max(deepest, report.deepest_penetration);
    touched = touched || report.contacts > 0;
  }
  EXPECT_TRUE(touched);
  // Contacts are soft to a depth of 3.5 mm, 0.2 % of its size.
  EXPECT_LT(deepest, 4e-3);
}

}  // namespace
}  // namespace supple

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "sim/test_scenes.h"

// Counts what the whole program takes from the heap while a step runs, and what it holds.
// Sanitizers have their own allocator, so the counts exist only without them.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SUPPLE_COUNTS_ALLOCATIONS 1
#include <malloc.h>
#else
#define SUPPLE_COUNTS_ALLOCATIONS 0
#endif

namespace {
std::atomic<bool> counting{false};
std::atomic<int> allocations{0};
std::atomic<std::size_t> bytes{0};
std::atomic<long long> held{0};  ///< bytes

void note(std::size_t size) {
  if (!counting.load(std::memory_order_relaxed)) return;
  allocations.fetch_add(1);
  bytes.fetch_add(size);
}
}  // namespace

#if SUPPLE_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* p, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* p);

static void* kept(void* p) {
  held.fetch_add(static_cast<long long>(malloc_usable_size(p)), std::memory_order_relaxed);
  return p;
}
static void dropped(void* p) {
  held.fetch_sub(static_cast<long long>(malloc_usable_size(p)), std::memory_order_relaxed);
}

void* malloc(std::size_t size) {
  note(size);
  return kept(__libc_malloc(size));
}
void* calloc(std::size_t count, std::size_t size) {
  note(count * size);
  return kept(__libc_calloc(count, size));
}
void* realloc(void* p, std::size_t size) {
  note(size);
  dropped(p);
  return kept(__libc_realloc(p, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  note(size);
  return kept(__libc_memalign(alignment, size));
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  note(size);
  *out = kept(__libc_memalign(alignment, size));
  return *out == nullptr ? 12 : 0;  // ENOMEM
}
void free(void* p) {
  dropped(p);
  __libc_free(p);
}
}
#endif

namespace supple {
namespace {

int allocations_of_a_step(const Scene& scene, int threads) {
  Simulation simulation(scene, {.threads = threads});
  simulation.step();
  simulation.step();
  allocations = 0;
  counting = true;
  for (int i = 0; i < 3; ++i) simulation.step();
  counting = false;
  return allocations;
}

TEST(Allocation, TheCounterCounts) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  allocations = 0;
  counting = true;
  void* volatile p = std::malloc(100);
  counting = false;
  std::free(p);
  EXPECT_EQ(allocations, 1);
}

/// Bytes that a simulation holds after its first frame, per tet.
double bytes_a_tet(const Scene& scene) {
  const long long before = held;
  Simulation simulation(scene, {.threads = 1});
  simulation.step();
  return static_cast<double>(held - before) / simulation.num_tets();
}

TEST(Allocation, LBfgsHoldsHalfAKilobyteATet) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  const Scene scene = test::twisting_bar({28, 7, 7}, "neo_hookean");
  const double held_a_tet = bytes_a_tet(scene);
  // 470, scene included. Batches of all tets, their rest gradients or a second history would each
  // add 94 or more.
  EXPECT_LT(held_a_tet, 500);
  EXPECT_GT(held_a_tet, 200);
}

TEST(Allocation, AStepAllocatesNothingAfterTheFirst) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const char* method :
       {"l_bfgs", "quasi_newton", "gradient_descent", "projective_dynamics", "chebyshev", "jacobi",
        "gauss_seidel", "vertex_block_descent", "xpbd", "pbd"}) {
    for (const Description& material : list_materials()) {
      if (!test::runs(method, material.name)) continue;
      Scene scene = test::twisting_bar({8, 3, 3}, material.name);
      scene.gravity = {0, -9.81, 0};
      scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.5}, {}});
      scene.solver.method = from_string<SolverMethod>(method);
      EXPECT_EQ(allocations_of_a_step(scene, 1), 0) << method << ", " << material.name;
    }
  }
}

TEST(Allocation, NeitherDoesAStepOfARodThatIsTwisted) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const char* method : {"l_bfgs", "quasi_newton", "gradient_descent", "chebyshev", "jacobi",
                             "gauss_seidel", "xpbd"}) {
    Scene scene = test::hanging_curl();
    Pin pin;
    pin.vertices = {47, 48};
    pin.motion.rotate = Rotation{{0, 1, 0}, {}, 100};
    scene.bodies[0].pins.push_back(pin);
    scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.1}, {}});
    scene.solver.method = from_string<SolverMethod>(method);
    EXPECT_EQ(allocations_of_a_step(scene, 1), 0) << method;
  }
}

TEST(Allocation, NeitherDoesAStepOfRigidBodies) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  Scene scene = test::free_block("neo_hookean");
  scene.bodies.push_back(scene.bodies[0]);
  scene.bodies[0].material = {.model = "rigid"};
  for (Vec3& x : scene.bodies[1].mesh.vertices) x[1] += 0.5005;
  scene.gravity = {0, -9.81, 0};
  scene.contact.friction = 0.3;
  scene.colliders = {{"floor", PlaneShape{.offset = -0.2495}, {}}};
  for (const char* method : {"l_bfgs", "quasi_newton"}) {
    scene.solver.method = from_string<SolverMethod>(method);
    EXPECT_EQ(allocations_of_a_step(scene, 1), 0) << method;
  }
}

TEST(Allocation, NeitherDoesAStepOfInextensibleSprings) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const char* method : {"l_bfgs", "projective_dynamics", "gauss_seidel"}) {
    Scene scene = test::hanging_cloth();
    for (Spring& spring : scene.bodies[0].springs) spring.inextensible = true;
    scene.solver.method = from_string<SolverMethod>(method);
    EXPECT_EQ(allocations_of_a_step(scene, 1), 0) << method;
  }
}

TEST(Allocation, NeitherDoesAStepOfExactVolumes) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const SolverMethod method : {SolverMethod::newton, SolverMethod::l_bfgs}) {
    Scene scene = test::free_block("neo_hookean");
    scene.gravity = {0, -9.81, 0};
    scene.bodies[0].volume = BodyVolume::exact;
    scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.25}, {}});
    scene.solver.method = method;
    EXPECT_EQ(allocations_of_a_step(scene, 2), 0) << to_string(method);
  }
}

TEST(Allocation, NeitherDoesAStepOnHullsFieldsAndFunctions) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  HeightFieldShape field{.nx = 9, .nz = 9, .cell = 1};
  for (int i = 0; i < 81; ++i) field.heights.push_back(-0.5 + 0.02 * (i % 5));
  for (const char* method : {"l_bfgs", "gauss_seidel", "xpbd", "pbd"}) {
    Scene scene = test::twisting_bar({8, 3, 3}, "arap");
    scene.gravity = {0, -9.81, 0};
    scene.contact.friction = 0.2;
    scene.colliders.push_back({.shape = field, .friction = 0.5});
    scene.colliders.push_back(
        {.shape = ConvexHullShape{{{0, -0.4, 0}, {1, -1, 0}, {0, -1, 1}, {-1, -1, -1}}}});
    scene.colliders.push_back({.shape = DistanceShape{[](const Vec3& x, Vec3& gradient) {
                                 gradient = {0, 1, 0};
                                 return x[1] + 0.45;
                               }}});
    scene.solver.method = from_string<SolverMethod>(method);
    EXPECT_EQ(allocations_of_a_step(scene, 1), 0) << method;
  }
}

TEST(Allocation, NeitherDoesAStepWithBarriersOnFieldsAndWhatMoves) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  HeightFieldShape field{.nx = 19, .nz = 19, .cell = 0.5};
  for (int i = 0; i < 361; ++i) field.heights.push_back(-0.585 + 0.02 * (i % 5));
  // With pbd more pairs come near in these steps than in any step before (CloseFeatures::find).
  for (const char* method : {"l_bfgs", "gauss_seidel", "xpbd"}) {
    Scene scene = test::twisting_bar({8, 3, 3}, "arap");
    scene.gravity = {0, -9.81, 0};
    scene.contact = {.friction = 0.2, .self = true, .mode = ContactMode::barrier};
    scene.colliders.push_back({.shape = field});
    scene.colliders.push_back({.shape = BoxShape{.center = {0, 0.76, 0}, .size = {0.5, 0.5, 2}},
                               .motion = {.velocity = Vec3{0, -0.5, 0}}});
    scene.solver.method = from_string<SolverMethod>(method);
    EXPECT_EQ(allocations_of_a_step(scene, 1), 0) << method;
  }
}

TEST(Allocation, AStepOfAMembraneInTheWindAllocatesNothingAfterTheFirst) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const char* method :
       {"l_bfgs", "quasi_newton", "gradient_descent", "projective_dynamics", "chebyshev", "jacobi",
        "gauss_seidel", "vertex_block_descent", "xpbd"}) {
    for (const char* material : {"arap", "neo_hookean", "orthotropic_stvk"}) {
      const bool is_projective = std::string(material) == "arap";
      if (std::string(method) == "projective_dynamics" && !is_projective) continue;
      const bool is_folded = std::string(material) == "neo_hookean";
      Scene scene = is_folded ? test::folded_membrane(material) : test::hanging_membrane(material);
      scene.wind = WindSettings{.velocity = {1, 0, 3}};
      scene.solver.method = from_string<SolverMethod>(method);
      EXPECT_EQ(allocations_of_a_step(scene, 1), 0) << method << ", " << material;
    }
  }
}

TEST(Allocation, NeitherDoesOneThatLooksForTearsAndCuts) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  Scene scene = test::free_block("neo_hookean");
  scene.bodies[0].tearing = TearingSettings{.stretch = 9, .stress = 1e9};
  scene.blades = {{.points = {{0.7, 1, -1}, {0.7, 1, 1}}, .motion = {.velocity = Vec3{0, -1, 0}}}};
  for (const int threads : {1, 2}) EXPECT_EQ(allocations_of_a_step(scene, threads), 0);
  Scene springs = test::hanging_cloth();
  springs.bodies[0].tearing = TearingSettings{.stretch = 9};
  springs.blades = {{.points = {{7, 1, -1}, {7, 1, 1}}, .motion = {.velocity = Vec3{0, -1, 0}}}};
  for (const int threads : {1, 2}) EXPECT_EQ(allocations_of_a_step(springs, threads), 0);
}

TEST(Allocation, NeitherDoesAStepOfAMuscleWithPressure) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const char* method : {"l_bfgs", "quasi_newton", "gradient_descent", "chebyshev", "jacobi",
                             "gauss_seidel", "vertex_block_descent", "xpbd"}) {
    const std::string name = method;
    Scene scene = test::twisting_bar({8, 3, 3}, name == "xpbd" ? "arap" : "neo_hookean");
    FiberSettings fiber{.direction = {1, 0, 0}, .kappa = 1e5};
    fiber.activation.keyframes = {{0, 0}, {1, 0.5}};
    FiberSettings across{.direction = {0, 1, 0}};
    across.curve.points = {{1, 0}, {1.1, 1e3}, {1.3, 4e4}};
    scene.bodies[0].fibers = {fiber};
    if (name != "xpbd") scene.bodies[0].fibers.push_back(across);
    scene.bodies[0].pressure = PressureSettings{.pressure = 1e3};
    if (name != "jacobi" && name != "gauss_seidel" && name != "vertex_block_descent") {
      scene.bodies[0].pressure->ambient = 1e3;
    }
    scene.solver.method = from_string<SolverMethod>(method);
    EXPECT_EQ(allocations_of_a_step(scene, 1), 0) << method;
  }
}

TEST(Allocation, NeitherDoesAStepOfWhatFlowsAndGrows) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const char* method :
       {"l_bfgs", "quasi_newton", "gradient_descent", "chebyshev", "jacobi", "gauss_seidel",
        "vertex_block_descent", "projective_dynamics", "xpbd"}) {
    Scene scene = test::twisting_bar({8, 3, 3}, "arap");
    scene.bodies[0].material.plasticity = PlasticitySettings{.yield = 0.001};
    scene.bodies[0].growth.push_back({.stretch = {}});
    scene.bodies[0].growth[0].stretch.keyframes = {{0, 1}, {1, 1.5}};
    scene.solver.method = from_string<SolverMethod>(method);
    EXPECT_EQ(allocations_of_a_step(scene, 1), 0) << method;
  }
}

TEST(Allocation, NeitherDoesAStepOfDampedBodies) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const char* method :
       {"l_bfgs", "quasi_newton", "gradient_descent", "projective_dynamics", "chebyshev", "jacobi",
        "gauss_seidel", "vertex_block_descent", "xpbd"}) {
    Scene scene = test::twisting_bar({8, 3, 3}, "arap");
    scene.bodies.push_back(test::hanging_cloth().bodies[0]);
    scene.bodies.push_back(test::hanging_membrane("arap").bodies[0]);
    scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.5}, {}});
    scene.solver.method = from_string<SolverMethod>(method);
    scene.damping.stiffness = 0.02;
    EXPECT_EQ(allocations_of_a_step(scene, 1), 0) << method;
  }
}

TEST(Allocation, NeitherDoesAStepOfDampedRods) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const char* method : {"newton", "l_bfgs", "jacobi", "xpbd"}) {
    Scene scene = test::hanging_curl();
    scene.damping.stiffness = 0.02;
    scene.solver.method = from_string<SolverMethod>(method);
    EXPECT_EQ(allocations_of_a_step(scene, 1), 0) << method;
  }
}

TEST(Allocation, NeitherDoesAStepOfBodiesThatAreTiedAndSewn) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const char* method :
       {"l_bfgs", "quasi_newton", "gradient_descent", "chebyshev", "projective_dynamics", "xpbd"}) {
    Scene scene = test::twisting_bar({8, 3, 3}, "arap");
    scene.solver.method = from_string<SolverMethod>(method);
    scene.bodies[0].name = "bar";
    scene.bodies.push_back(scene.bodies[0]);
    scene.bodies[1].name = "other";
    scene.bodies[1].pins.clear();
    for (Vec3& x : scene.bodies[1].mesh.vertices) x[1] += 1;
    scene.bonds = {{.body = "other", .select = {.vertices = {0, 1, 2, 3}}, .to = "bar"}};
    scene.seams = {{.a = {"other", {.vertices = {20, 21}}}, .b = {"bar", {.vertices = {30, 31}}}}};
    EXPECT_EQ(allocations_of_a_step(scene, 1), 0) << method;
  }
}

TEST(Allocation, NeitherDoTheOtherMatrices) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  struct Variant {
    const char *method, *initial_hessian, *linear_solver, *preconditioner;
  };
  for (const Variant& variant : {Variant{"l_bfgs", "identity", "direct", "jacobi"},
                                 {"l_bfgs", "rest", "direct", "jacobi"},
                                 {"l_bfgs", "warped_rest", "direct", "jacobi"},
                                 {"l_bfgs", "laplacian", "cg", "jacobi"},
                                 {"quasi_newton", "laplacian", "cg", "incomplete_cholesky"},
                                 {"l_bfgs", "frame", "cg", "incomplete_cholesky"},
                                 {"l_bfgs", "frame", "cg", "laplacian"},
                                 {"newton", "laplacian", "direct", "jacobi"},
                                 {"l_bfgs", "frame", "direct", "jacobi"},
                                 {"newton", "laplacian", "cg", "jacobi"},
                                 {"newton", "laplacian", "truncated_cg", "rest"}}) {
    Scene scene = test::twisting_bar({8, 3, 3}, "neo_hookean");
    scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.5}, {}});
    scene.solver.method = from_string<SolverMethod>(variant.method);
    scene.solver.initial_hessian = from_string<InitialHessian>(variant.initial_hessian);
    scene.solver.linear_solver = from_string<LinearSolver>(variant.linear_solver);
    scene.solver.preconditioner = from_string<PreconditionerType>(variant.preconditioner);
    EXPECT_EQ(allocations_of_a_step(scene, 1), 0)
        << variant.method << ", " << variant.initial_hessian << ", " << variant.linear_solver
        << ", " << variant.preconditioner;
  }
}

TEST(Allocation, NeitherDoTheOtherWaysOfXpbd) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const char* projection : {"stress", "block", "sequential"}) {
    for (const char* multipliers : {"zero", "kept"}) {
      for (const char* precision : {"double", "float"}) {
        Scene scene = test::twisting_bar({8, 3, 3}, "stable_neo_hookean");
        const auto [mu, lambda] = lame_parameters(1e5, 0.5);
        scene.bodies[0].material.mu = mu;
        scene.bodies[0].material.lambda = lambda;
        scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.5}, {}});
        scene.time.substeps = 3;
        scene.solver.method = SolverMethod::xpbd;
        scene.solver.projection = from_string<XpbdProjection>(projection);
        scene.solver.multipliers = from_string<XpbdMultipliers>(multipliers);
        scene.solver.precision = from_string<XpbdPrecision>(precision);
        EXPECT_EQ(allocations_of_a_step(scene, 1), 0)
            << projection << ", " << multipliers << ", " << precision;
      }
    }
  }
}

TEST(Allocation, NeitherDoesAStepAfterOtherCollidersAndMaterials) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  const Collider ground{"ground", PlaneShape{{0, 1, 0}, -0.45}, {}};
  const Collider ball{"ball", SphereShape{{0, 0.6, 0}, 0.3}, {}};
  for (const char* method :
       {"l_bfgs", "quasi_newton", "gradient_descent", "projective_dynamics", "chebyshev", "jacobi",
        "gauss_seidel", "vertex_block_descent", "xpbd", "pbd"}) {
    Scene scene = test::twisting_bar({8, 3, 3}, "arap");
    scene.gravity = {0, -9.81, 0};
    scene.bodies[0].regions.push_back({{{-1, -1, -1}, {1, 1, 1}}, test::soft_material("arap")});
    scene.solver.method = from_string<SolverMethod>(method);
    Simulation simulation(scene, {.threads = 1});
    simulation.step();
    const std::vector<std::vector<Collider>> sets = {{ground}, {ground, ball}, {}};
    for (const char* material : {"strain_limit", "volume", "arap"}) {
      simulation.set_material(0, test::soft_material(material));
      for (const std::vector<Collider>& colliders : sets) {
        simulation.set_colliders(colliders);
        simulation.step();  // the first step may allocate
        allocations = 0;
        counting = true;
        for (int i = 0; i < 2; ++i) simulation.step();
        counting = false;
        EXPECT_EQ(allocations, 0) << method << ", " << material << ", " << colliders.size();
      }
    }
  }
}

TEST(Allocation, NoIntegratorAllocatesInAStepAfterTheFirst) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const Description& integrator : list_integrators()) {
    Scene scene = test::twisting_bar({8, 3, 3}, "neo_hookean");
    scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.5}, {}});
    scene.time.integrator = from_string<TimeIntegrator>(integrator.name);
    scene.time.step = 1e-3;
    EXPECT_EQ(allocations_of_a_step(scene, 1), 0) << integrator.name;
  }
  Scene scene = test::twisting_bar({8, 3, 3}, "neo_hookean");
  scene.solver.start = DescentStart::extrapolated;
  EXPECT_EQ(allocations_of_a_step(scene, 1), 0);
}

TEST(Allocation, ForcesAreNothingNewAfterTheFirst) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const Description& integrator : list_integrators()) {
    if (integrator.name == "quasi_static") continue;
    Scene scene = test::twisting_bar({8, 3, 3}, "neo_hookean");
    scene.time.integrator = from_string<TimeIntegrator>(integrator.name);
    scene.time.step = 1e-3;
    Simulation simulation(scene, {.threads = 1});
    allocations = 0;
    for (int frame = 0; frame < 4; ++frame) {
      simulation.add_force(0, {1, 2, 3});
      simulation.add_impulse(0, {1e-3, 0, 0});
      counting = frame >= 2;
      simulation.step();
      counting = false;
    }
    EXPECT_EQ(allocations, 0) << integrator.name;
  }
}

TEST(Allocation, DraggingAllocatesNothing) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const char* method :
       {"l_bfgs", "quasi_newton", "gradient_descent", "projective_dynamics", "chebyshev", "jacobi",
        "gauss_seidel", "vertex_block_descent", "xpbd", "pbd"}) {
    Scene scene = test::twisting_bar({8, 3, 3}, test::material_of(method));
    scene.solver.method = from_string<SolverMethod>(method);
    scene.time.substeps = 2;
    Simulation simulation(scene, {.threads = 1});
    const auto hit = simulation.raycast({0.1, 5, 0.2}, {0, -1, 0});
    ASSERT_TRUE(hit);
    const Attachment point = simulation.attach(*hit, hit->point, 1e4);
    const std::vector<int> vertices{1, 2, 3};
    std::vector<Vec3> targets;
    for (const int v : vertices) {
      targets.push_back(scene.bodies[0].mesh.vertices[static_cast<std::size_t>(v)]);
    }
    const Attachment side = simulation.attach(0, vertices, targets, 1e4);
    allocations = 0;
    for (int frame = 0; frame < 5; ++frame) {
      counting = frame >= 2;
      simulation.set_target(point, {0.1, 0.5 + 0.01 * frame, 0.2});
      simulation.set_targets(side, targets);
      simulation.set_targets(side, Pose{.translation = {0, 0.01 * frame, 0}});
      simulation.step();
      simulation.force(point);
      counting = false;
    }
    EXPECT_EQ(allocations, 0) << method;
  }
}

TEST(Allocation, SettingsTakeNoMemoryThatAFactorWould) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const char* hessian : {"laplacian", "rest", "warped_rest"}) {
    Scene scene = test::twisting_bar({16, 6, 6}, "neo_hookean");
    scene.solver.initial_hessian = from_string<InitialHessian>(hessian);
    Simulation simulation(scene, {.threads = 1});
    simulation.step();
    bytes = 0;
    counting = true;
    simulation.set_gravity({0, -1, 0});
    simulation.set_drag(1);
    simulation.set_friction(0.5);
    simulation.set_iterations(5);
    simulation.set_tolerance(1e-3);
    simulation.set_budget(1e6);
    simulation.set_line_search({});
    simulation.step();
    counting = false;
    // The lists of names that values are checked against. One number for each of the 833 vertices
    // would take 6,664; the factor has some hundred times as many.
    EXPECT_LT(bytes, 100000U) << hessian;
    EXPECT_GT(bytes, 0U);
    bytes = 0;
    counting = true;
    const Simulation another(scene, {.threads = 1});
    counting = false;
    EXPECT_GT(bytes, 1000000U) << "what is built would be seen";
  }
}

TEST(Allocation, AStepOfSpringsAllocatesNothingAfterTheFirst) {
  if (!SUPPLE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const char* method :
       {"l_bfgs", "quasi_newton", "gradient_descent", "projective_dynamics", "chebyshev", "jacobi",
        "gauss_seidel", "vertex_block_descent", "xpbd", "pbd"}) {
    Scene scene = test::hanging_cloth();
    scene.solver.method = from_string<SolverMethod>(method);
    EXPECT_EQ(allocations_of_a_step(scene, 1), 0) << method;
  }
}

}  // namespace
}  // namespace supple

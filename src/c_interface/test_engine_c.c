#include "c_interface/test_engine_c.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supple/supple_c.h"

#define TEXT_OF(x) #x
#define LINE_OF(x) TEXT_OF(x)
#define CHECK(condition) \
  if (!(condition)) return "line " LINE_OF(__LINE__) ": " #condition
#define OK(call) CHECK((call) == supple_ok)
#define REFUSED(call) CHECK((call) == supple_invalid_input)

/// Scenes are small: what they leak when a check fails ends with the program.
static SuppleScene* parse(const char* text, const SuppleMeshes* meshes) {
  return supple_scene_parse_with(text, strlen(text), "scene", NULL, NULL, 0, meshes);
}

static SuppleSimulation* simulate(const char* text, const SuppleMeshes* meshes) {
  SuppleScene* scene = parse(text, meshes);
  SuppleSimulation* simulation = scene != NULL ? supple_simulation_create(scene, 1) : NULL;
  supple_scene_destroy(scene);
  return simulation;
}

static SuppleCounts counts_of(const SuppleSimulation* simulation) {
  SuppleCounts counts = {.struct_size = sizeof counts};
  supple_simulation_counts(simulation, &counts);
  return counts;
}

static double* positions_of(const SuppleSimulation* simulation) {
  const size_t size = 3 * (size_t)counts_of(simulation).vertices;
  double* x = malloc(size * sizeof *x);
  supple_simulation_copy_positions(simulation, x, size);
  return x;
}

static SuppleError step(SuppleSimulation* simulation, int frames) {
  SuppleError error = supple_ok;
  for (int i = 0; i < frames && error == supple_ok; ++i) {
    error = supple_simulation_step(simulation, NULL);
  }
  return error;
}

static int same_positions(const SuppleSimulation* one, const SuppleSimulation* other) {
  const size_t size = 3 * (size_t)counts_of(one).vertices;
  if (counts_of(one).vertices != counts_of(other).vertices) return 0;
  double* x = positions_of(one);
  double* y = positions_of(other);
  const int same = memcmp(x, y, size * sizeof *x) == 0;
  free(x);
  free(y);
  return same;
}

/// The first body of a simulation, as a mesh in memory.
static SuppleError add_mesh_of(const SuppleSimulation* simulation, SuppleMeshes* meshes) {
  const SuppleCounts counts = counts_of(simulation);
  const size_t vertices = (size_t)counts.vertices;
  double* x = positions_of(simulation);
  SuppleError error = supple_ok;
  if (counts.tets > 0) {
    const size_t tets = (size_t)counts.tets;
    int32_t* own = malloc(4 * tets * sizeof *own);
    error = supple_simulation_copy_tets(simulation, own, 4 * tets);
    if (error == supple_ok) {
      error = supple_meshes_add_tets(meshes, "mine", x, vertices, own, tets);
    }
    free(own);
  } else if (counts.segments > 0) {
    const size_t segments = (size_t)counts.segments;
    int32_t* own = malloc(2 * segments * sizeof *own);
    error = supple_simulation_copy_segments(simulation, own, 2 * segments);
    if (error == supple_ok) {
      error = supple_meshes_add_strands(meshes, "mine", x, vertices, own, segments);
    }
    free(own);
  } else {
    const size_t triangles = (size_t)counts.triangles;
    int32_t* own = malloc(3 * triangles * sizeof *own);
    error = supple_simulation_copy_triangles(simulation, own, 3 * triangles);
    if (error == supple_ok) {
      error = supple_meshes_add_triangles(meshes, "mine", x, vertices, own, triangles);
    }
    free(own);
  }
  free(x);
  return error;
}

#define SOFT "\"material\": {\"model\": \"neo_hookean\", \"young\": 1e5, \"poisson\": 0.4"
#define PINS ", \"pins\": [{\"select\": {\"vertices\": [0, 1]}}]"

const char* test_meshes_from_arrays(void) {
  // Meshes of generators, and the rest of their bodies.
  static const char* const bodies[][2] = {
      {"{\"box\": {\"cells\": [3, 2, 2]}}", SOFT "}" PINS},
      {"{\"cloth\": {\"cells\": [5, 4]}}",
       "\"density\": 0.3, " SOFT ", \"thickness\": 0.001}" PINS},
      {"{\"icosphere\": {\"subdivisions\": 1}}",
       "\"material\": {\"model\": \"spring\", \"stiffness\": 100}" PINS},
      {"{\"strand\": {\"segments\": 7, \"end\": [1, 0, 0]}}",
       "\"material\": {\"model\": \"spring\", \"stiffness\": 100}" PINS},
      {"{\"helix\": {\"segments\": 20, \"turns\": 1}}",
       "\"material\": {\"model\": \"rod\", \"young\": 1e8, \"poisson\": 0.3, \"radius\": 0.002}" PINS},
  };
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
    char text[2][800];
    const char* const meshes_of[2] = {bodies[i][0], "{\"file\": \"mine\"}"};
    for (int k = 0; k < 2; ++k) {
      snprintf(text[k], sizeof text[k], "{\"supple\": 1, \"bodies\": [{\"mesh\": %s, %s}]}",
               meshes_of[k], bodies[i][1]);
    }
    SuppleSimulation* generated = simulate(text[0], NULL);
    CHECK(generated != NULL);
    SuppleMeshes* meshes = supple_meshes_create();
    CHECK(meshes != NULL);
    OK(add_mesh_of(generated, meshes));
    SuppleSimulation* own = simulate(text[1], meshes);
    CHECK(own != NULL);
    supple_meshes_destroy(meshes);
    OK(step(generated, 4));
    OK(step(own, 4));
    CHECK(same_positions(generated, own));
    supple_simulation_destroy(generated);
    supple_simulation_destroy(own);
  }
  return NULL;
}

static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int32_t corner_tet[] = {0, 1, 2, 3};
static const char lone_tet[] =
    "{\"supple\": 1, \"bodies\": [{\"mesh\": {\"file\": \"tet\"}, \"material\": {\"model\": "
    "\"neo_hookean\", \"young\": {\"field\": \"stiff\"}, \"poisson\": 0.3}}]}";

const char* test_faulty_meshes(void) {
  SuppleMeshes* meshes = supple_meshes_create();
  const int32_t beyond[] = {0, 1, 2, 4}, twice[] = {0, 1, 2, 2}, below[] = {0, -1, 2};
  const double flat[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  const double nowhere[] = {0, 0, 0, 1, 0, 0, 0, NAN, 0, 0, 0, 1};
  REFUSED(supple_meshes_add_tets(NULL, "tet", corners, 4, corner_tet, 1));
  REFUSED(supple_meshes_add_tets(meshes, NULL, corners, 4, corner_tet, 1));
  REFUSED(supple_meshes_add_tets(meshes, "", corners, 4, corner_tet, 1));
  REFUSED(supple_meshes_add_tets(meshes, "tet", NULL, 4, corner_tet, 1));
  REFUSED(supple_meshes_add_tets(meshes, "tet", corners, 4, NULL, 1));
  REFUSED(supple_meshes_add_tets(meshes, "tet", corners, 4, corner_tet, 0));
  REFUSED(supple_meshes_add_tets(meshes, "tet", corners, SIZE_MAX / 2, corner_tet, 1));
  REFUSED(supple_meshes_add_tets(meshes, "tet", corners, 4, corner_tet, SIZE_MAX / 4));
  REFUSED(supple_meshes_add_tets(meshes, "tet", corners, 4, beyond, 1));
  CHECK(strcmp(supple_last_error_where(), "tets: 0") == 0);
  REFUSED(supple_meshes_add_tets(meshes, "tet", corners, 4, twice, 1));
  REFUSED(supple_meshes_add_tets(meshes, "tet", flat, 4, corner_tet, 1));
  CHECK(strcmp(supple_last_error_where(), "tet") == 0);
  REFUSED(supple_meshes_add_tets(meshes, "tet", nowhere, 4, corner_tet, 1));
  REFUSED(supple_meshes_add_triangles(meshes, "tet", corners, 4, below, 1));
  REFUSED(supple_meshes_add_strands(meshes, "tet", corners, 4, below, 1));
  const double one_place[] = {1, 1, 1, 1, 1, 1};
  REFUSED(supple_meshes_add_strands(meshes, "tet", one_place, 2, corner_tet, 1));
  REFUSED(supple_meshes_add_heights(meshes, "tet", corners, 1, 2));
  REFUSED(supple_meshes_add_heights(meshes, "tet", corners, 1 << 20, 1 << 20));
  REFUSED(supple_meshes_add_heights(meshes, "tet", nowhere, 3, 3));
  const double stiff[] = {1e5, 2e5};
  REFUSED(supple_meshes_add_tet_field(meshes, "tet", "stiff", stiff, 1));
  // After all of that the name is free.
  OK(supple_meshes_add_tets(meshes, "tet", corners, 4, corner_tet, 1));
  REFUSED(supple_meshes_add_tets(meshes, "tet", corners, 4, corner_tet, 1));
  CHECK(parse(lone_tet, meshes) == NULL);  // no field yet
  REFUSED(supple_meshes_add_tet_field(meshes, "tet", "stiff", stiff, 2));
  OK(supple_meshes_add_tet_field(meshes, "tet", "stiff", stiff, 1));
  REFUSED(supple_meshes_add_tet_field(meshes, "tet", "stiff", stiff, 1));
  SuppleScene* scene = parse(lone_tet, meshes);
  CHECK(scene != NULL);
  // A name that is not there is a file's, and there is none.
  CHECK(parse(lone_tet, NULL) == NULL && supple_last_error() == supple_bad_file);
  const int32_t ends[] = {0, 1};
  REFUSED(supple_scene_set_springs(scene, 0, ends, stiff, NULL, 1));
  supple_scene_destroy(scene);
  supple_meshes_destroy(meshes);
  supple_meshes_destroy(NULL);
  return NULL;
}

const char* test_springs_of_its_own(void) {
  static const char text[] =
      "{\"supple\": 1, \"gravity\": [0, -10, 0], \"damping\": {\"drag\": 3}, \"bodies\": [{"
      "\"mesh\": {\"strand\": {\"segments\": 1}}, \"mass\": 0.2,"
      "\"material\": {\"model\": \"spring\", \"stiffness\": 1000},"
      "\"pins\": [{\"select\": {\"vertices\": [0]}, \"stiffness\": 1e9}]}]}";
  SuppleScene* scene = parse(text, NULL);
  const int32_t ends[] = {0, 1}, beyond[] = {0, 2};
  const double stiffness = 10, length = 0.5;
  REFUSED(supple_scene_set_springs(scene, 1, ends, &stiffness, &length, 1));
  REFUSED(supple_scene_set_springs(scene, 0, beyond, &stiffness, &length, 1));
  REFUSED(supple_scene_set_springs(scene, 0, NULL, &stiffness, &length, 1));
  OK(supple_scene_set_springs(scene, 0, ends, &stiffness, &length, 1));
  SuppleSimulation* simulation = supple_simulation_create(scene, 1);
  CHECK(simulation != NULL);
  OK(step(simulation, 600));
  double* x = positions_of(simulation);
  // Half of the mass hangs on the spring: it is longer by m g / k.
  CHECK(fabs(x[4] - -(0.5 + 0.1 * 10 / 10)) < 1e-4);
  free(x);
  const int32_t kept[] = {0}, none[] = {1};
  REFUSED(supple_scene_set_inextensible(scene, 0, none, 1));
  REFUSED(supple_scene_set_inextensible(scene, 0, NULL, 1));
  OK(supple_scene_set_inextensible(scene, 0, kept, 1));
  SuppleSimulation* exact = supple_simulation_create(scene, 1);
  CHECK(exact != NULL);
  OK(step(exact, 600));
  x = positions_of(exact);
  CHECK(fabs(x[4] - -0.5) < 1e-6);
  free(x);
  supple_simulation_destroy(exact);
  supple_simulation_destroy(simulation);
  supple_scene_destroy(scene);
  return NULL;
}

const char* test_colliders_from_arrays(void) {
  // A wide pyramid, and a field of heights, under a tet that falls.
  static const double points[] = {-5, -1, -5, 5, -1, -5, 5, -1, 5, -5, -1, 5, 0, -2, 0};
  static const int32_t faces[] = {0, 3, 2, 0, 2, 1, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
  static const double flat[] = {-1, -1, -1, -1};
  static const char* const shapes[] = {
      "{\"mesh\": {\"file\": \"ground\"}}", "{\"convex_hull\": {\"file\": \"ground\"}}",
      "{\"height_field\": {\"file\": \"field\", \"cell\": 10}}", "{\"plane\": {\"offset\": -1}}"};
  SuppleMeshes* meshes = supple_meshes_create();
  OK(supple_meshes_add_triangles(meshes, "ground", points, 5, faces, 6));
  OK(supple_meshes_add_heights(meshes, "field", flat, 2, 2));
  OK(supple_meshes_add_tets(meshes, "tet", corners, 4, corner_tet, 1));
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    char text[600];
    snprintf(text, sizeof text,
             "{\"supple\": 1, \"bodies\": [{\"mesh\": {\"file\": \"tet\"}, " SOFT
             "}}], \"colliders\": [%s]}",
             shapes[i]);
    SuppleSimulation* simulation = simulate(text, meshes);
    CHECK(simulation != NULL);
    OK(step(simulation, 60));
    double* x = positions_of(simulation);
    CHECK(fabs(x[1] - -1) < 0.01);
    free(x);
    supple_simulation_destroy(simulation);
  }
  // Tets are no surface, and a surface is no body of tets.
  CHECK(parse("{\"supple\": 1, \"bodies\": [{\"mesh\": {\"file\": \"tet\"}, " SOFT
              "}}], \"colliders\": [{\"mesh\": {\"file\": \"tet\"}}]}",
              meshes) == NULL);
  CHECK(parse("{\"supple\": 1, \"bodies\": [{\"mesh\": {\"file\": \"ground\"}, " SOFT "}}]}",
              meshes) == NULL);
  CHECK(supple_last_error() == supple_invalid_input);
  supple_meshes_destroy(meshes);
  return NULL;
}

#define BLOCK(pins, young)                                                                    \
  "{\"supple\": 1, \"solver\": {\"method\": \"newton\"}, \"bodies\": [{\"name\": \"block\","   \
  "\"mesh\": {\"box\": {\"cells\": [2, 2, 2]}}, \"pins\": " pins ", \"material\": {\"model\":" \
  "\"neo_hookean\", \"young\": " young ", \"poisson\": 0.4}}]}"
static const char side[] = "[{\"select\": {\"box\": [[-0.5, -1, -1], [-0.4, 1, 1]]}}]";

static double neo_hookean(void* user, const double F[9]) {
  const double* young = user;
  const double mu = *young / 2.8, lambda = *young * 0.4 / (1.4 * 0.2);
  const double J = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
                   F[2] * (F[3] * F[7] - F[4] * F[6]);
  double squares = 0;
  for (int i = 0; i < 9; ++i) squares += F[i] * F[i];
  return mu / 2 * (squares - 3 - 2 * log(J)) + lambda / 2 * log(J) * log(J);
}

static void stress_of_it(void* user, const double F[9], double P[9]) {
  const double* young = user;
  const double mu = *young / 2.8, lambda = *young * 0.4 / (1.4 * 0.2);
  double cofactor[9];
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (k + 1) % 3, d = (k + 2) % 3;
      cofactor[3 * i + k] = F[3 * a + c] * F[3 * b + d] - F[3 * a + d] * F[3 * b + c];
    }
  }
  const double J = F[0] * cofactor[0] + F[1] * cofactor[1] + F[2] * cofactor[2];
  for (int i = 0; i < 9; ++i) {
    P[i] = mu * F[i] + (lambda * log(J) - mu) / J * cofactor[i];
  }
}

static double greatest_difference(const SuppleSimulation* one, const SuppleSimulation* other) {
  double* x = positions_of(one);
  double* y = positions_of(other);
  double worst = 0;
  for (int i = 0; i < 3 * counts_of(one).vertices; ++i) worst = fmax(worst, fabs(x[i] - y[i]));
  free(x);
  free(y);
  return worst;
}

const char* test_pins_and_materials(void) {
  SuppleSimulation* changed = simulate(BLOCK("[]", "1e5"), NULL);
  SuppleSimulation* built =
      simulate(BLOCK("[{\"select\": {\"box\": [[-0.5, -1, -1], [-0.4, 1, 1]]}}]", "2e4"), NULL);
  CHECK(changed != NULL && built != NULL);
  REFUSED(supple_simulation_set_pins(changed, 1, side));
  REFUSED(supple_simulation_set_pins(changed, 0, "[{\"select\": {\"vertices\": [99]}}]"));
  CHECK(strcmp(supple_last_error_where(), "pins: /pins/0/select/vertices/0") == 0);
  REFUSED(supple_simulation_set_pins(changed, 0, "[{"));
  REFUSED(supple_simulation_set_pins(changed, 0, "7"));
  REFUSED(supple_simulation_set_pins(changed, 0, NULL));
  OK(supple_simulation_set_pins(changed, 0, side));
  REFUSED(supple_simulation_set_material(changed, 0, "{\"model\": \"neo_hookean\"}"));
  REFUSED(supple_simulation_set_material(changed, 0, "{\"model\": \"steel\", \"young\": 1}"));
  REFUSED(supple_simulation_set_material(changed, 0, "[]"));
  REFUSED(supple_simulation_set_material(changed, 1, side));
  OK(supple_simulation_set_material(
      changed, 0, "{\"model\": \"neo_hookean\", \"young\": 2e4, \"poisson\": 0.4}"));
  OK(step(changed, 5));
  OK(step(built, 5));
  CHECK(same_positions(changed, built));
  // The same energy in other words, which round otherwise.
  double young = 2e4;
  REFUSED(supple_simulation_set_energy(changed, 0, neo_hookean, NULL, NULL, &young));
  OK(supple_simulation_set_energy(changed, 0, neo_hookean, stress_of_it, NULL, &young));
  OK(step(changed, 20));
  OK(step(built, 20));
  CHECK(!same_positions(changed, built));
  CHECK(greatest_difference(changed, built) < 1e-4);
  REFUSED(supple_simulation_set_line_search(changed, "{\"type\": \"exact\", \"shrink\": 0.2}"));
  OK(supple_simulation_set_line_search(changed, "{\"type\": \"backtracking\", \"shrink\": 0.2}"));
  OK(supple_simulation_set_line_search(changed, "wolfe"));
  int32_t waits = 7;
  OK(supple_simulation_change_is_waiting(changed, &waits));
  CHECK(waits == 0);
  SuppleScene* next = parse(BLOCK("[]", "1e5"), NULL);
  OK(supple_simulation_change(changed, next, 2));
  OK(supple_simulation_change_is_waiting(changed, &waits));
  CHECK(waits == 1);
  supple_scene_destroy(next);
  supple_simulation_destroy(changed);
  supple_simulation_destroy(built);
  return NULL;
}

#define ON_A_BELT(motion)                                                                     \
  "{\"supple\": 1, \"contact\": {\"friction\": 0.8}, \"bodies\": [{\"mesh\": {\"box\": "       \
  "{\"cells\": [2, 2, 2], \"center\": [0, 0.5, 0]}}, " SOFT "}}], \"colliders\": [{\"name\": "  \
  "\"belt\", \"box\": {\"center\": [0, -0.5, 0], \"size\": [20, 1, 20]}" motion "}]}"

const char* test_moving_a_collider(void) {
  SuppleSimulation* moved = simulate(ON_A_BELT(""), NULL);
  SuppleSimulation* built = simulate(
      ON_A_BELT(", \"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": 1, \"translate\": "
                "[0.5, 0, 0], \"rotate\": {\"axis\": [0, 1, 0], \"degrees\": 20}}]}"),
      NULL);
  CHECK(moved != NULL && built != NULL);
  CHECK(strcmp(supple_simulation_collider_name(moved, 0), "belt") == 0);
  CHECK(supple_simulation_collider_name(moved, 1) == NULL);
  const SuppleKeyframe way[] = {
      {.time = 0}, {.time = 1, .translate = {0.5, 0, 0}, .axis = {0, 1, 0}, .degrees = 20}};
  const SuppleKeyframe no_axis[] = {{.time = 0, .degrees = 20}};
  const SuppleKeyframe back[] = {{.time = 1}, {.time = 0}};
  REFUSED(supple_simulation_move_collider(moved, 1, way, 2, 0));
  REFUSED(supple_simulation_move_collider(moved, 0, NULL, 2, 0));
  REFUSED(supple_simulation_move_collider(moved, 0, no_axis, 1, 0));
  REFUSED(supple_simulation_move_collider(moved, 0, back, 2, 0));
  OK(supple_simulation_move_collider(moved, 0, way, 2, 0));
  OK(step(moved, 25));
  OK(step(built, 25));
  CHECK(same_positions(moved, built));
  double* x = positions_of(moved);
  CHECK(x[0] > -0.4);  // it went along
  free(x);
  // Colliders of a scene in place of these: none, and the block falls.
  SuppleScene* empty = parse("{\"supple\": 1, \"bodies\": [{\"mesh\": {\"box\": {}}, " SOFT "}}]}",
                             NULL);
  REFUSED(supple_simulation_set_colliders(moved, NULL));
  OK(supple_simulation_set_colliders(moved, empty));
  CHECK(counts_of(moved).colliders == 0);
  OK(step(moved, 30));
  x = positions_of(moved);
  CHECK(x[1] < -3);
  free(x);
  supple_scene_destroy(empty);
  supple_simulation_destroy(moved);
  supple_simulation_destroy(built);
  return NULL;
}

const char* test_state_as_bytes(void) {
  SuppleSimulation* one = simulate(BLOCK("[]", "1e5"), NULL);
  OK(step(one, 3));
  size_t size = 0;
  OK(supple_simulation_state(one, NULL, 0, &size));
  CHECK(size > 0);
  unsigned char* bytes = malloc(size);
  memset(bytes, 7, size);
  OK(supple_simulation_state(one, bytes, size - 1, &size));
  CHECK(bytes[0] == 7);  // nothing is written unless all fits
  OK(supple_simulation_state(one, bytes, size, &size));
  OK(step(one, 3));
  // As a save that is loaded later: a simulation of the same scene.
  SuppleScene* scene = supple_simulation_scene(one);
  CHECK(scene != NULL && strcmp(supple_scene_settings(scene), "") == 0);
  SuppleSimulation* other = supple_simulation_create(scene, 1);
  supple_scene_destroy(scene);
  OK(supple_simulation_set_state(other, bytes, size));
  OK(step(other, 3));
  CHECK(same_positions(one, other));
  int64_t frame = 0;
  OK(supple_simulation_clock(other, NULL, &frame));
  CHECK(frame == 6);
  CHECK(supple_simulation_set_state(other, bytes, size - 1) == supple_bad_file);
  CHECK(supple_simulation_set_state(other, NULL, 0) == supple_bad_file);
  REFUSED(supple_simulation_set_state(other, NULL, size));
  bytes[size / 2] ^= 1;
  CHECK(supple_simulation_set_state(other, bytes, size) == supple_bad_file);
  bytes[size / 2] ^= 1;
  SuppleSimulation* third = simulate(
      "{\"supple\": 1, \"bodies\": [{\"mesh\": {\"box\": {}}, " SOFT "}}]}", NULL);
  REFUSED(supple_simulation_set_state(third, bytes, size));
  CHECK(same_positions(one, other));
  free(bytes);
  supple_simulation_destroy(one);
  supple_simulation_destroy(other);
  supple_simulation_destroy(third);
  return NULL;
}

const char* test_positions_anywhere(void) {
  SuppleSimulation* simulation = simulate(BLOCK("[]", "1e5"), NULL);
  OK(step(simulation, 3));
  const size_t size = 3 * (size_t)counts_of(simulation).vertices;
  double* x = positions_of(simulation);
  double* v = calloc(size, sizeof *v);
  for (size_t i = 1; i < size; i += 3) x[i] += 10, v[i] = 4;
  const double height = x[1];
  REFUSED(supple_simulation_set_positions(simulation, x, v, size - 1));
  REFUSED(supple_simulation_set_positions(simulation, NULL, v, size));
  v[1] = NAN;
  REFUSED(supple_simulation_set_positions(simulation, x, v, size));
  v[1] = 4;
  OK(supple_simulation_set_positions(simulation, x, v, size));
  OK(step(simulation, 1));
  free(x);
  x = positions_of(simulation);
  // v + h g for h = 1/30 s.
  CHECK(fabs(x[1] - (height + (4 - 9.81 / 30) / 30)) < 1e-9);
  int64_t frame = 0;
  OK(supple_simulation_clock(simulation, NULL, &frame));
  CHECK(frame == 4);
  free(x);
  free(v);
  supple_simulation_destroy(simulation);
  return NULL;
}

const char* test_measures(void) {
  SuppleSimulation* simulation = simulate(BLOCK("[]", "1e5"), NULL);
  const size_t tets = (size_t)counts_of(simulation).tets;
  const size_t size = 3 * (size_t)counts_of(simulation).vertices;
  double* x = positions_of(simulation);
  double* of_tets = malloc(6 * tets * sizeof *of_tets);
  double *J = of_tets, *stress = J + tets, *stretches = stress + tets, *plastic = stretches + 3 * tets;
  REFUSED(supple_simulation_measure(simulation, NULL, 0, J, NULL, NULL, NULL, tets + 1));
  REFUSED(supple_simulation_measure(simulation, x, 3, J, NULL, NULL, NULL, tets));
  OK(supple_simulation_measure(simulation, NULL, 0, NULL, NULL, NULL, NULL, tets));
  OK(supple_simulation_measure(simulation, NULL, 0, J, stress, NULL, NULL, tets));
  for (size_t t = 0; t < tets; ++t) CHECK(fabs(J[t] - 1) < 1e-12 && stress[t] < 1e-6);
  for (size_t i = 0; i < size; i += 3) x[i] *= 2;
  OK(supple_simulation_measure(simulation, x, size, J, stress, stretches, plastic, tets));
  for (size_t t = 0; t < tets; ++t) {
    CHECK(fabs(J[t] - 2) < 1e-12 && stress[t] > 1e4 && plastic[t] == 0);
    CHECK(fabs(stretches[3 * t] - 2) < 1e-9 && fabs(stretches[3 * t + 2] - 1) < 1e-9);
  }
  free(x);
  free(of_tets);
  size_t count = 7;
  OK(supple_simulation_multiplier_stresses(simulation, NULL, 0, &count));
  CHECK(count == 0);  // newton has none
  supple_simulation_destroy(simulation);
  simulation = simulate(
      "{\"supple\": 1, \"solver\": {\"method\": \"xpbd\", \"projection\": \"block\"}, \"bodies\": "
      "[{\"mesh\": {\"box\": {\"cells\": [2, 2, 2]}}, \"material\": {\"model\": "
      "\"stable_neo_hookean\", \"mu\": 1000, \"lambda\": 5000}}]}",
      NULL);
  CHECK(simulation != NULL);
  OK(step(simulation, 1));
  SuppleMultiplierStress found[2];
  OK(supple_simulation_multiplier_stresses(simulation, found, 2, &count));
  CHECK((int32_t)count == counts_of(simulation).tets);
  // In free fall it is at rest: -mu and mu.
  CHECK(fabs(found[1].hydrostatic + 1000) < 1 && fabs(found[1].deviatoric[0] - 1000) < 1);
  supple_simulation_destroy(simulation);
  return NULL;
}

const char* test_names_and_elements(void) {
  SuppleSimulation* simulation = simulate(
      "{\"supple\": 1, \"bodies\": [{\"name\": \"block\", \"mesh\": {\"tetrahedron\": {}}, " SOFT
      "}}, {\"name\": \"hair\", \"mesh\": {\"strand\": {\"segments\": 2}}, \"material\": "
      "{\"model\": \"spring\", \"stiffness\": 10}}]}",
      NULL);
  CHECK(simulation != NULL);
  CHECK(strcmp(supple_simulation_body_name(simulation, 1), "hair") == 0);
  CHECK(supple_simulation_body_name(simulation, 2) == NULL);
  CHECK(supple_simulation_body_name(simulation, -1) == NULL);
  const SuppleCounts counts = counts_of(simulation);
  CHECK(counts.segments == 2 && counts.tets == 1 && counts.colliders == 0);
  int32_t segments[4], tets[4];
  OK(supple_simulation_copy_segments(simulation, segments, 4));
  REFUSED(supple_simulation_copy_segments(simulation, segments, 3));
  // Vertices are those of the scene: the tet has the first four.
  CHECK(segments[0] == 4 && segments[1] == 5 && segments[2] == 5 && segments[3] == 6);
  OK(supple_simulation_copy_tets(simulation, tets, 4));
  REFUSED(supple_simulation_copy_tets(simulation, NULL, 4));
  CHECK(tets[0] + tets[1] + tets[2] + tets[3] == 6);
  supple_simulation_destroy(simulation);
  return NULL;
}

const char* test_warnings(void) {
  // One iteration of gradient descent holds nothing.
  SuppleSimulation* simulation = simulate(
      "{\"supple\": 1, \"solver\": {\"method\": \"gradient_descent\", \"iterations\": 1}, "
      "\"bodies\": [{\"mesh\": {\"bar\": {}}, " SOFT "}, \"pins\": [{\"select\": {\"box\": [[-2, "
      "-9, -9], [-1.9, 9, 9]]}}]}]}",
      NULL);
  CHECK(simulation != NULL);
  SuppleWatch* watch = supple_watch_create(simulation);
  CHECK(watch != NULL && supple_watch_create(NULL) == NULL);
  size_t count = 7;
  OK(supple_watch_warnings(watch, NULL, 0, &count));
  CHECK(count == 0);
  for (int i = 0; i < 40; ++i) {
    SuppleStepReport report = {.struct_size = sizeof report};
    OK(supple_simulation_step(simulation, &report));
    OK(supple_watch_add(watch, simulation, &report));
  }
  SuppleWarning warnings[8];
  OK(supple_watch_warnings(watch, warnings, 8, &count));
  CHECK(count >= 1);
  CHECK(strcmp(warnings[0].code, "unconverged") == 0 && strlen(warnings[0].text) > 20);
  CHECK(warnings[0].first_frame >= 1 && warnings[0].last_frame <= 40);
  REFUSED(supple_watch_add(watch, simulation, NULL));
  double share = 7;
  OK(supple_watch_unbalanced_share(watch, &share));
  CHECK(share == 0);
  supple_watch_destroy(watch);
  supple_simulation_destroy(simulation);
  return NULL;
}

static int lists_name(SuppleList list, const char* name) {
  const SuppleDescription* entries = NULL;
  size_t count = 0;
  if (supple_list(list, &entries, &count) != supple_ok) return 0;
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(entries[i].name, name) == 0 && strlen(entries[i].text) > 3) return 1;
  }
  return 0;
}

const char* test_lists(void) {
  CHECK(lists_name(supple_list_materials, "neo_hookean"));
  CHECK(lists_name(supple_list_membrane_materials, "orthotropic_stvk"));
  CHECK(lists_name(supple_list_spring_materials, "rod"));
  CHECK(lists_name(supple_list_bending_models, "dihedral"));
  CHECK(lists_name(supple_list_fabrics, "gray_interlock"));
  CHECK(lists_name(supple_list_solvers, "l_bfgs"));
  CHECK(lists_name(supple_list_solver_options, "iterations"));
  CHECK(lists_name(supple_list_integrators, "bdf2"));
  CHECK(lists_name(supple_list_rigid_materials, "rigid"));
  const SuppleDescription* entries = NULL;
  size_t count = 0;
  REFUSED(supple_list((SuppleList)9, &entries, &count));
  REFUSED(supple_list(supple_list_solvers, NULL, &count));
  CHECK(strstr(supple_scene_schema(), "\"bodies\"") != NULL);
  CHECK(strlen(supple_simd_level()) > 3);
  return NULL;
}

static void count_calls(void* user, int32_t done, int32_t total, const char* label) {
  int* calls = user;
  if (done == *calls && total == 3 && label != NULL) ++*calls;
}

const char* test_comparing(void) {
  SuppleScene* scene = parse(
      BLOCK("[{\"select\": {\"box\": [[-0.5, -1, -1], [-0.4, 1, 1]]}}]", "2e4"), NULL);
  SuppleSimulation* simulation = supple_simulation_create(scene, 1);
  OK(step(simulation, 5));
  size_t size = 0;
  OK(supple_simulation_state(simulation, NULL, 0, &size));
  void* state = malloc(size);
  OK(supple_simulation_state(simulation, state, size, &size));
  int calls = 0;
  const char* const solvers[] = {"newton", "l_bfgs:history=3"};
  const char* const unknown[] = {"newtons"};
  const SuppleCompareOptions options = {
      .struct_size = sizeof options, .iterations = 8, .progress = count_calls, .user = &calls};
  CHECK(supple_compare(scene, state, size, unknown, 1, &options) == NULL);
  CHECK(supple_compare(scene, state, size - 1, solvers, 2, &options) == NULL);
  CHECK(supple_compare(NULL, state, size, solvers, 2, &options) == NULL);
  SuppleComparison* comparison = supple_compare(scene, state, size, solvers, 2, &options);
  CHECK(comparison != NULL && calls == 4);
  SuppleConvergedStep best = {.struct_size = sizeof best};
  OK(supple_comparison_reference(comparison, &best));
  CHECK(best.converged == 1 && best.iterations > 0 && best.objective < best.start_objective);
  for (size_t i = 0; i < 2; ++i) {
    SuppleConvergenceCurve curve = {.struct_size = sizeof curve};
    OK(supple_comparison_curve(comparison, i, &curve));
    CHECK(strcmp(curve.label, solvers[i]) == 0 && curve.num_points >= 2);
    const SuppleConvergencePoint last = curve.points[curve.num_points - 1];
    CHECK(last.relative_error < curve.points[0].relative_error);
    CHECK(curve.num_positions == 3 * (size_t)counts_of(simulation).vertices);
    if (i > 0) continue;
    CHECK(last.relative_error < 1e-6);
    SuppleApparentStiffness stiffness = {.struct_size = sizeof stiffness};
    OK(supple_apparent_stiffness(scene, state, size, curve.positions, curve.num_positions, 1,
                                 &stiffness));
    CHECK(stiffness.defined == 1 && fabs(stiffness.ratio - 1) < 1e-3);
    REFUSED(supple_apparent_stiffness(scene, state, size, curve.positions, 3, 1, &stiffness));
  }
  SuppleConvergenceCurve none = {.struct_size = sizeof none};
  REFUSED(supple_comparison_curve(comparison, 2, &none));
  supple_comparison_destroy(comparison);
  // Without a state: the scene's start.
  comparison = supple_compare(scene, NULL, 0, solvers, 1, NULL);
  CHECK(comparison != NULL);
  supple_comparison_destroy(comparison);
  free(state);
  supple_simulation_destroy(simulation);
  supple_scene_destroy(scene);
  return NULL;
}

/* The loop of a game engine at 60 Hz, in C: soft cubes are dropped on the ground one after the
   other, and from the seventh on the oldest goes; the mouse picks one up, drags it and lets go;
   another is kicked, a third is shot at. supple gets 4 ms of each frame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <supple/supple_c.h>
#include <time.h>

#define MOST_CUBES 6
#define FRAMES_BETWEEN 24
#define NUM_FRAMES 240
#define BUDGET_MS 4.0

static const char playground[] =
    "{\"supple\": 1, \"time\": {\"step\": 0.016666666666666666}, \"solver\": {\"budget_ms\": 4},"
    " \"colliders\": [{\"plane\": {}}], \"contact\": {\"friction\": 0.5},"
    " \"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.5, 0.5, 0.5], \"cells\": [3, 3, 3]}},"
    "              \"transform\": {\"translate\": [0, 1, 0]},"
    "              \"material\": {\"model\": \"stable_neo_hookean\", \"young\": 2e5, "
    "\"poisson\": 0.4},"
    "              \"velocity\": [0, -1, 0]}]}";

static int fail(void) {
  fprintf(stderr, "%s: %s\n", supple_last_error_where(), supple_last_error_message());
  return EXIT_FAILURE;
}

/* A ring of the bodies that are there. */
static SuppleBody cubes[MOST_CUBES];
static int num_dropped = 0;

/* The scene again, with its cube over a place of its own among six. */
static SuppleScene* cube_over_place(int place) {
  char where[64];
  snprintf(where, sizeof where, "{\"translate\": [%d, 1, %d]}", place % 3, place / 3);
  const SuppleOverride moved = {"/bodies/0/transform", where};
  return supple_scene_parse(playground, strlen(playground), "cube", NULL, &moved, 1);
}

/* Adds a cube, and removes the oldest of six by the same call: each builds the simulation anew. */
static SuppleError drop_another(SuppleSimulation* simulation) {
  SuppleBody* const slot = &cubes[num_dropped % MOST_CUBES];
  SuppleScene* const scene = cube_over_place(num_dropped % MOST_CUBES);
  if (scene == NULL) return supple_last_error();
  SuppleBody added = 0;
  SuppleError error = supple_simulation_change_bodies(
      simulation, slot, num_dropped >= MOST_CUBES ? 1 : 0, scene, &added, 1);
  supple_scene_destroy(scene);
  if (error != supple_ok) return error;
  *slot = added;
  return supple_simulation_set_user_data(simulation, added, (uint64_t)num_dropped++);
}

/* The number of the cube that has this index among the bodies now. */
static int number_of(const SuppleSimulation* simulation, int32_t index) {
  SuppleBody body = 0;
  uint64_t number = 0;
  supple_simulation_body_handle(simulation, index, &body);
  supple_simulation_user_data(simulation, body, &number);
  return (int)number;
}

/* What the player does in a frame. */
static SuppleError play(int frame, SuppleSimulation* simulation, SuppleAttachment* hand) {
  const double camera[3] = {1, 0.3, 5}, forwards[3] = {0, 0, -1};
  SuppleSurfaceHit hit = {.struct_size = sizeof hit};
  SuppleError error = supple_ok;
  if (frame == 60) {
    error = supple_simulation_raycast(simulation, camera, forwards, INFINITY, &hit);
    if (error == supple_ok && hit.body >= 0) {
      error = supple_simulation_attach_at(simulation, &hit, hit.point, 1e4, hand);
      printf("frame %d: the mouse takes cube %d at %.2f %.2f %.2f m\n", frame,
             number_of(simulation, hit.body), hit.point[0], hit.point[1], hit.point[2]);
    }
  }
  if (error == supple_ok && *hand != 0) {
    const double target[3] = {1, 0.3 + 0.02 * (frame - 60), 0.25};
    error = supple_simulation_set_targets(simulation, *hand, target, 1);
  }
  if (error == supple_ok && frame == 120 && *hand != 0) {
    error = supple_simulation_detach(simulation, *hand);
    *hand = 0;
    printf("frame %d: the mouse lets go\n", frame);
  }
  if (error == supple_ok && frame == 150) {
    const double upwards[3] = {0, 400, 0};
    error = supple_simulation_add_impulse(simulation, 0, upwards);
    printf("frame %d: cube %d is kicked upwards\n", frame, number_of(simulation, 0));
  }
  if (error == supple_ok && frame == 180) {
    const double from[3] = {9, 0.3, 0}, left[3] = {-1, 0, 0}, impulse[3] = {-150, 0, 0};
    error = supple_simulation_raycast(simulation, from, left, INFINITY, &hit);
    if (error == supple_ok && hit.body >= 0) {
      printf("frame %d: cube %d is shot at, from %.2f m\n", frame, number_of(simulation, hit.body),
             hit.distance);
      error = supple_simulation_add_impulse_at(simulation, &hit, impulse);
    }
  }
  return error;
}

static double now_ms(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static int run(SuppleSimulation* simulation) {
  static double milliseconds[NUM_FRAMES];
  static float x[MOST_CUBES][3 * 4 * 4 * 4];
  double longest_drop = 0;
  SuppleAttachment hand = 0; /* the mouse holds nothing */
  for (int frame = 1; frame <= NUM_FRAMES; ++frame) {
    const double start = now_ms();
    SuppleStepReport report = {.struct_size = sizeof report};
    SuppleCounts counts = {.struct_size = sizeof counts};
    if (frame % FRAMES_BETWEEN == 0) {
      if (drop_another(simulation) != supple_ok) return fail();
      longest_drop = fmax(longest_drop, now_ms() - start);
    }
    if (play(frame, simulation, &hand) != supple_ok) return fail();
    if (supple_simulation_step(simulation, &report) != supple_ok) return fail();
    if (supple_simulation_counts(simulation, &counts) != supple_ok) return fail();
    for (int body = 0; body < counts.bodies; ++body) {
      if (supple_simulation_body_positions_float(simulation, body, x[body],
                                                 sizeof x[body] / sizeof x[body][0],
                                                 3) != supple_ok) {
        return fail();
      }
    }
    milliseconds[frame - 1] = now_ms() - start;
    if (frame % 30 == 0) {
      printf("frame %d: %d cubes, %d contacts, deepest %.1f mm\n", frame, (int)counts.bodies,
             (int)report.contacts, 1000 * report.deepest_penetration);
    }
  }
  qsort(milliseconds, NUM_FRAMES, sizeof *milliseconds, by_size);
  int late = 0;
  while (late < NUM_FRAMES && milliseconds[NUM_FRAMES - 1 - late] > BUDGET_MS) ++late;
  printf(
      "%d frames of up to %d cubes: median %.2f ms, longest %.2f ms, %d above %g ms; a cube that "
      "comes: longest %.2f ms\n",
      NUM_FRAMES, MOST_CUBES, milliseconds[NUM_FRAMES / 2], milliseconds[NUM_FRAMES - 1], late,
      BUDGET_MS, longest_drop);
  return EXIT_SUCCESS;
}

int main(void) {
  if (supple_version_number() != SUPPLE_VERSION_NUMBER) {
    fprintf(stderr, "compiled for another version than %s\n", supple_version());
    return EXIT_FAILURE;
  }
  SuppleScene* scene = cube_over_place(0);
  if (scene == NULL) return fail();
  SuppleSimulation* simulation = supple_simulation_create(scene, 0); /* on all cores */
  supple_scene_destroy(scene);
  if (simulation == NULL) return fail();
  num_dropped = 1;
  int code = EXIT_FAILURE;
  if (supple_simulation_body_handle(simulation, 0, &cubes[0]) == supple_ok) {
    code = run(simulation);
  }
  supple_simulation_destroy(simulation);
  return code;
}

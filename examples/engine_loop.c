/* The loop of a game engine at 60 Hz, in C: soft bodies fall to the ground; the mouse picks one up,
   drags it and lets go; another is kicked, a third is shot at. supple gets 4 ms of each frame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <supple/supple_c.h>
#include <time.h>

#define NUM_BODIES 3
#define NUM_FRAMES 240
#define BUDGET_MS 4.0

#define CUBE(x, y)                                                          \
  "{\"mesh\": {\"box\": {\"size\": [0.5, 0.5, 0.5], \"cells\": [3, 3, 3], " \
  "\"center\": [" x ", " y ", 0]}}, "                                       \
  "\"material\": {\"model\": \"stable_neo_hookean\", \"young\": 2e5, \"poisson\": 0.4}}"

static const char playground[] =
    "{\"supple\": 1, \"time\": {\"step\": 0.016666666666666666}, \"solver\": {\"budget_ms\": 4},"
    " \"colliders\": [{\"plane\": {}}], \"contact\": {\"friction\": 0.5},"
    " \"bodies\": [" CUBE("0", "0.4") ", " CUBE("0.8", "0.5") ", " CUBE("1.6", "0.6") "]}";

static int fail(void) {
  fprintf(stderr, "%s: %s\n", supple_last_error_where(), supple_last_error_message());
  return EXIT_FAILURE;
}

/* What the player does in a frame. */
static SuppleError play(int frame, SuppleSimulation* simulation, SuppleAttachment* hand) {
  const double camera[3] = {0.8, 0.3, 5}, forwards[3] = {0, 0, -1};
  SuppleSurfaceHit hit = {.struct_size = sizeof hit};
  SuppleError error = supple_ok;
  if (frame == 60) {
    error = supple_simulation_raycast(simulation, camera, forwards, INFINITY, &hit);
    if (error == supple_ok && hit.body >= 0) {
      error = supple_simulation_attach_at(simulation, &hit, hit.point, 1e4, hand);
      printf("frame %d: the mouse takes cube %d at %.2f %.2f %.2f m\n", frame, (int)hit.body,
             hit.point[0], hit.point[1], hit.point[2]);
    }
  }
  if (error == supple_ok && *hand != 0) {
    const double target[3] = {0.8, 0.3 + 0.02 * (frame - 60), 0.25};
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
    printf("frame %d: cube 0 is kicked upwards\n", frame);
  }
  if (error == supple_ok && frame == 180) {
    const double from[3] = {9, 0.3, 0}, left[3] = {-1, 0, 0}, impulse[3] = {-150, 0, 0};
    error = supple_simulation_raycast(simulation, from, left, INFINITY, &hit);
    if (error == supple_ok && hit.body >= 0) {
      printf("frame %d: cube %d is shot at, from %.2f m\n", frame, (int)hit.body, hit.distance);
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

static int run(SuppleSimulation* simulation, float* x, size_t size) {
  static double milliseconds[NUM_FRAMES];
  SuppleAttachment hand = 0; /* the mouse holds nothing */
  for (int frame = 1; frame <= NUM_FRAMES; ++frame) {
    const double start = now_ms();
    SuppleStepReport report = {.struct_size = sizeof report};
    if (play(frame, simulation, &hand) != supple_ok) return fail();
    if (supple_simulation_step(simulation, &report) != supple_ok) return fail();
    if (supple_simulation_copy_positions_float(simulation, x, size) != supple_ok) return fail();
    milliseconds[frame - 1] = now_ms() - start;
    if (frame % 30 == 0) {
      printf("frame %d: %d contacts, deepest %.1f mm\n", frame, (int)report.contacts,
             1000 * report.deepest_penetration);
    }
  }
  qsort(milliseconds, NUM_FRAMES, sizeof *milliseconds, by_size);
  int late = 0;
  while (late < NUM_FRAMES && milliseconds[NUM_FRAMES - 1 - late] > BUDGET_MS) ++late;
  printf("%d frames of %d bodies: median %.2f ms, longest %.2f ms, %d above %g ms\n", NUM_FRAMES,
         NUM_BODIES, milliseconds[NUM_FRAMES / 2], milliseconds[NUM_FRAMES - 1], late, BUDGET_MS);
  return EXIT_SUCCESS;
}

int main(void) {
  if (supple_version_number() != SUPPLE_VERSION_NUMBER) {
    fprintf(stderr, "compiled for another version than %s\n", supple_version());
    return EXIT_FAILURE;
  }
  SuppleScene* scene =
      supple_scene_parse(playground, strlen(playground), "playground", NULL, NULL, 0);
  if (scene == NULL) return fail();
  SuppleSimulation* simulation = supple_simulation_create(scene, 0); /* on all cores */
  supple_scene_destroy(scene);
  if (simulation == NULL) return fail();
  SuppleCounts counts = {.struct_size = sizeof counts};
  if (supple_simulation_counts(simulation, &counts) != supple_ok) return fail();
  const size_t size = 3 * (size_t)counts.vertices;
  float* x = malloc(size * sizeof *x);
  const int code = x != NULL ? run(simulation, x, size) : EXIT_FAILURE;
  free(x);
  supple_simulation_destroy(simulation);
  return code;
}

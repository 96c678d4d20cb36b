#include <stdio.h>
#include <stdlib.h>
#include <supple/supple_c.h>

static const char block[] =
    "{\"supple\": 1,"
    " \"bodies\": [{\"mesh\": {\"box\": {\"size\": [2, 1, 1], \"cells\": [8, 4, 4]}},"
    "              \"material\": {\"model\": \"stable_neo_hookean\", \"young\": 1e5, \"poisson\": "
    "0.4},"
    "              \"pins\": [{\"select\": {\"box\": [[-1.01, -1, -1], [-0.99, 1, 1]]}}]}]}";

static int fail(void) {
  fprintf(stderr, "%s: %s\n", supple_last_error_where(), supple_last_error_message());
  return EXIT_FAILURE;
}

int main(void) {
  SuppleScene* scene = supple_scene_parse(block, sizeof block - 1, "block", NULL, NULL, 0);
  if (scene == NULL) return fail();
  SuppleSimulation* simulation = supple_simulation_create(scene, 0); /* on all cores */
  supple_scene_destroy(scene);
  if (simulation == NULL) return fail();

  SuppleCounts counts = {.struct_size = sizeof counts};
  supple_simulation_counts(simulation, &counts);
  const int32_t corner = counts.vertices - 1;
  const double target[3] = {1.5, 1, 0.5}; /* m */
  for (int frame = 0; frame < 60; ++frame) {
    if (frame == 0) supple_simulation_hold(simulation, 0, &corner, target, 1, 1e5);
    if (frame == 30) supple_simulation_hold(simulation, 0, NULL, NULL, 0, 0); /* let go */
    SuppleStepReport report = {.struct_size = sizeof report};
    if (supple_simulation_step(simulation, &report) != supple_ok) return fail();
    if (frame % 10 == 9) {
      const size_t size = 3 * (size_t)counts.vertices;
      float* x = malloc(size * sizeof *x);
      if (supple_simulation_copy_positions_float(simulation, x, size) != supple_ok) return fail();
      printf("frame %d: the corner is at %.2f %.2f %.2f m\n", frame + 1, x[size - 3], x[size - 2],
             x[size - 1]);
      free(x);
    }
  }
  supple_simulation_destroy(simulation);
  return EXIT_SUCCESS;
}

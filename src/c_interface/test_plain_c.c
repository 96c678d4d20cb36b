#include "c_interface/test_plain_c.h"

#include <stdlib.h>
#include <string.h>

#include "supple/supple_c.h"

static const char scene_text[] =
    "{\"supple\": 1, \"bodies\": [{\"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\": [2, 2, "
    "2]}},"
    " \"material\": {\"model\": \"neo_hookean\", \"young\": 1e5, \"poisson\": 0.4}}]}";

static double lowest_of(const double* positions, size_t size) {
  double lowest = positions[1];
  for (size_t i = 4; i < size; i += 3) {
    if (positions[i] < lowest) lowest = positions[i];
  }
  return lowest;
}

static int drop(SuppleSimulation* simulation, int frames, double* lowest) {
  SuppleCounts counts = {.struct_size = sizeof counts};
  SuppleError error = supple_simulation_counts(simulation, &counts);
  size_t size = (size_t)counts.vertices * 3;
  double* positions = malloc(size * sizeof *positions);
  for (int i = 0; i < frames && error == supple_ok; ++i) {
    SuppleStepReport report = {.struct_size = sizeof report};
    error = supple_simulation_step(simulation, &report);
  }
  if (error == supple_ok) error = supple_simulation_copy_positions(simulation, positions, size);
  if (error == supple_ok) *lowest = lowest_of(positions, size);
  free(positions);
  return (int)error;
}

int drop_in_plain_c(int frames, double* lowest) {
  SuppleOverride still = {"/time/step", "0.01"};
  SuppleScene* scene = supple_scene_parse(scene_text, strlen(scene_text), "cube", NULL, &still, 1);
  SuppleSimulation* simulation = supple_simulation_create(scene, 1);
  int error = (int)supple_last_error();
  if (simulation != NULL) error = drop(simulation, frames, lowest);
  supple_simulation_destroy(simulation);
  supple_scene_destroy(scene);
  return error;
}

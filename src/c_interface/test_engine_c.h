#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// What an engine written in C does, using nothing but C. Each returns NULL, or the check that
/// failed with its line.
const char* test_meshes_from_arrays(void);
const char* test_faulty_meshes(void);
const char* test_springs_of_its_own(void);
const char* test_colliders_from_arrays(void);
const char* test_pins_and_materials(void);
const char* test_moving_a_collider(void);
const char* test_state_as_bytes(void);
const char* test_positions_anywhere(void);
const char* test_measures(void);
const char* test_names_and_elements(void);
const char* test_warnings(void);
const char* test_lists(void);
const char* test_comparing(void);

#ifdef __cplusplus
}
#endif

#include <gtest/gtest.h>

#include "c_interface/test_engine_c.h"
#include "supple/supple_c.h"

namespace {

/// Runs a test that is plain C.
void run(const char* (*test)(void)) {
  const char* const failed = test();
  EXPECT_EQ(failed, nullptr) << "test_engine_c.c, " << failed
                             << "\nlast error: " << supple_last_error_where() << ": "
                             << supple_last_error_message();
}

TEST(EngineInC, MeshesFromArraysHaveTheBitsOfGeneratedOnes) { run(test_meshes_from_arrays); }
TEST(EngineInC, FaultyMeshesAreRefused) { run(test_faulty_meshes); }
TEST(EngineInC, SpringsOfItsOwnCarryTheirLoad) { run(test_springs_of_its_own); }
TEST(EngineInC, CollidersFromArraysHoldUp) { run(test_colliders_from_arrays); }
TEST(EngineInC, PinsAndMaterialsChangeToThoseOfAScene) { run(test_pins_and_materials); }
TEST(EngineInC, AMovedColliderTakesAlongWhatLiesOnIt) { run(test_moving_a_collider); }
TEST(EngineInC, AStateIsKeptAsBytes) { run(test_state_as_bytes); }
TEST(EngineInC, PositionsAreSetAnywhere) { run(test_positions_anywhere); }
TEST(EngineInC, MeasuresAreThoseOfTheDeformation) { run(test_measures); }
TEST(EngineInC, BodiesAreNamedAndTheirElementsRead) { run(test_names_and_elements); }
TEST(EngineInC, ARunThatIsNotConvergedIsWarnedOf) { run(test_warnings); }
TEST(EngineInC, ListsNameWhatThereIs) { run(test_lists); }
TEST(EngineInC, SolversAreCompared) { run(test_comparing); }

}  // namespace

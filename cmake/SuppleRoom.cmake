# A room is a folder of src/. It links only the rooms to its right in the layering (docs/architecture.md), so that a
# forbidden call does not even link.

add_library(supple_flags INTERFACE)
target_compile_features(supple_flags INTERFACE cxx_std_20)
target_compile_definitions(supple_flags INTERFACE EIGEN_MPL2_ONLY)
target_compile_options(supple_flags INTERFACE
  -Wall -Wextra -Wshadow
  # Designated initialisers leave out what keeps its default.
  -Wno-missing-field-initializers
  # Nothing is contracted behind our back, so that a batch and a scalar agree bit for bit.
  -ffp-contract=off -fno-math-errno
  # Passing wide vectors by value inside one binary is safe: all of it is compiled with the same flags.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>
  # g++ 12 finds faults of these two kinds in its own headers (GCC bugs 105593 and 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CONFIG:Release>:-O3>)
if(SUPPLE_NATIVE)
  target_compile_options(supple_flags INTERFACE -march=native -mprefer-vector-width=512)
endif()
if(SUPPLE_WERROR)
  target_compile_options(supple_flags INTERFACE -Werror)
endif()
if(SUPPLE_SANITIZE)
  target_compile_options(supple_flags INTERFACE
    -fsanitize=${SUPPLE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(supple_flags INTERFACE -fsanitize=${SUPPLE_SANITIZE})
endif()

# What SuppleLibrary.cmake puts together: the rooms' targets and what they link from outside.
set_property(GLOBAL PROPERTY SUPPLE_ROOMS "")
set_property(GLOBAL PROPERTY SUPPLE_LIBRARIES "")

# supple_room(NAME [PROGRAM] SOURCES ... [ROOMS other rooms ...] [LIBRARIES ...] [TESTS ...])
# Defines supple_NAME and, with tests, the program supple_NAME_test. PROGRAM: a room that the programs alone use; it and
# what it links from outside are no part of the installed library.
function(supple_room name)
  cmake_parse_arguments(ARG "PROGRAM" "" "SOURCES;ROOMS;LIBRARIES;TESTS" ${ARGN})
  set(target supple_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:supple_flags>)
  foreach(room ${ARG_ROOMS})
    target_link_libraries(${target} PUBLIC supple_${room})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ARG_LIBRARIES})
  if(NOT ARG_PROGRAM)
    set_property(GLOBAL APPEND PROPERTY SUPPLE_ROOMS ${target})
    set_property(GLOBAL APPEND PROPERTY SUPPLE_LIBRARIES ${ARG_LIBRARIES})
  endif()
  if(SUPPLE_TESTS AND ARG_TESTS)
    supple_test(${target}_test SOURCES ${ARG_TESTS} LIBRARIES ${target})
  endif()
endfunction()

# supple_test(NAME SOURCES ... LIBRARIES ...): a GoogleTest program whose tests ctest knows one by one.
function(supple_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  include(GoogleTest)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} supple_flags GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE SUPPLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             SUPPLE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600)
endfunction()

# A room is a folder of src/. It links only the rooms to its right in the layering (docs/architecture.md), so that a
# forbidden call does not even link.

add_library(supple_flags INTERFACE)
target_compile_features(supple_flags INTERFACE cxx_std_20)
target_compile_definitions(supple_flags INTERFACE EIGEN_MPL2_ONLY)
target_compile_options(supple_flags INTERFACE
  -Wall -Wextra -Wshadow
  # Designated initialisers omit members that keep their default.
  -Wno-missing-field-initializers
  # No fused multiply-adds unless we write them, so that a batch and a scalar agree bit for bit.
  -ffp-contract=off -fno-math-errno
  # Passing wide vectors by value inside one binary is safe, because all of it is compiled with the same flags.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>
  # g++ 12 reports false warnings of these two kinds in its own headers (GCC bugs 105593 and 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<AND:$<CONFIG:Release>,$<NOT:$<BOOL:${EMSCRIPTEN}>>>:-O3>)
# Levels of vectors beside the baseline for which the kernel units are compiled (src/base/simd_level.h asks the
# processor for exactly these instructions). Only the baseline is built without optimisation and under sanitizers, where
# speed does not matter, and with -Os, which can leave functions of the standard library out of line;
# tests/tools/simd_symbols_test.py rejects those.
set(SUPPLE_SIMD_LEVELS "")
set(supple_is_x86 FALSE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(supple_is_x86 TRUE)
endif()
if(SUPPLE_NATIVE)
  target_compile_options(supple_flags INTERFACE
    -march=native $<$<BOOL:${supple_is_x86}>:-mprefer-vector-width=512>)
  target_compile_definitions(supple_flags INTERFACE SUPPLE_SIMD_NATIVE)
elseif(supple_is_x86 AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT SUPPLE_SANITIZE
       AND CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo)$")
  set(SUPPLE_SIMD_LEVELS avx2 avx512)
  set(SUPPLE_SIMD_FLAGS_avx2 -mavx2 -mfma)
  set(SUPPLE_SIMD_FLAGS_avx512 -mavx2 -mfma -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl
    -mprefer-vector-width=512)
  target_compile_definitions(supple_flags INTERFACE SUPPLE_SIMD_LEVELS)
endif()
if(SUPPLE_WERROR)
  target_compile_options(supple_flags INTERFACE -Werror)
endif()
if(SUPPLE_SANITIZE)
  target_compile_options(supple_flags INTERFACE
    -fsanitize=${SUPPLE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(supple_flags INTERFACE -fsanitize=${SUPPLE_SANITIZE})
endif()

# The input of SuppleLibrary.cmake: the rooms' targets and the external libraries that they link.
set_property(GLOBAL PROPERTY SUPPLE_ROOMS "")
set_property(GLOBAL PROPERTY SUPPLE_LIBRARIES "")

# supple_simd_copies(OUT sources ...): for each level beside the baseline, a file that includes the source, with the
# level's flags after the source's own.
function(supple_simd_copies out)
  set(copies "")
  foreach(source ${ARGN})
    get_filename_component(stem ${source} NAME_WE)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(NOT options)
      set(options "")
    endif()
    foreach(level ${SUPPLE_SIMD_LEVELS})
      set(copy ${CMAKE_CURRENT_BINARY_DIR}/${stem}.${level}.cpp)
      file(CONFIGURE OUTPUT ${copy} CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n" @ONLY)
      set_source_files_properties(${copy} PROPERTIES
        COMPILE_OPTIONS "${options};${SUPPLE_SIMD_FLAGS_${level}}" COMPILE_DEFINITIONS SUPPLE_SIMD=simd_${level})
      list(APPEND copies ${copy})
    endforeach()
  endforeach()
  set(${out} ${copies} PARENT_SCOPE)
endfunction()

# supple_room(NAME [PROGRAM] SOURCES ... [KERNELS ...] [ALONE ...] [FOR_READERS ...] [ROOMS other rooms ...]
#             [LIBRARIES ...] [TESTS ...])
# Defines supple_NAME and, with tests, the program supple_NAME_test. PROGRAM: a room that only the programs use; it and
# its external libraries are not part of the installed library. KERNELS: sources that are compiled once for each level
# of vectors. ALONE: sources that are not joined with others (CMAKE_UNITY_BUILD), because others define the same local
# names. FOR_READERS: the sources of a simulating room that the readers of files need; with SUPPLE_READERS_ONLY, only
# these are compiled, without tests.
function(supple_room name)
  cmake_parse_arguments(ARG "PROGRAM" "" "SOURCES;KERNELS;ALONE;FOR_READERS;ROOMS;LIBRARIES;TESTS" ${ARGN})
  set(target supple_${name})
  if(SUPPLE_READERS_ONLY AND ARG_FOR_READERS)
    set(ARG_SOURCES ${ARG_FOR_READERS})
    set(ARG_KERNELS "")
    set(ARG_TESTS "")
  endif()
  supple_simd_copies(copies ${ARG_KERNELS})
  add_library(${target} STATIC ${ARG_SOURCES} ${ARG_KERNELS} ${copies})
  set_source_files_properties(${ARG_KERNELS} ${copies} ${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(ARG_KERNELS)
    set_property(GLOBAL APPEND PROPERTY SUPPLE_ROOMS_WITH_KERNELS ${target})
  endif()
  if(NOT EMSCRIPTEN)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include
                                              ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:supple_flags>)
  foreach(room ${ARG_ROOMS})
    if(TARGET supple_${room} OR NOT SUPPLE_READERS_ONLY)
      target_link_libraries(${target} PUBLIC supple_${room})
    endif()
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

# supple_test(NAME [PREFIX text] SOURCES ... LIBRARIES ...): a GoogleTest program whose tests ctest knows one by one.
# PREFIX is put before their names if another program has tests with the same names.
function(supple_test name)
  cmake_parse_arguments(ARG "" "PREFIX" "SOURCES;LIBRARIES" ${ARGN})
  include(GoogleTest)
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  # The tested code is in the rooms. At -O1 the tests' own code compiles a third faster and runs as fast.
  set_property(SOURCE ${ARG_SOURCES} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} supple_flags GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE SUPPLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             SUPPLE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  gtest_discover_tests(${name} TEST_PREFIX "${ARG_PREFIX}" DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600)
endfunction()

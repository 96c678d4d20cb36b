# The page's engine: the library compiled once more, by Emscripten, in a separate build below this one. Everything else
# is built even if Emscripten is not found.
#   supple_wasm          build/release/engine/supple.js with supple.wasm, and a copy in web/dist/engine
#   supple_wasm_threads  supple_threads.js beside it, for pages that are cross-origin isolated
# Neither is part of `all`, because it compiles everything a second time. scripts/test builds the first one.
option(SUPPLE_WASM "Build the page's engine, where there are emcc and node" ON)
find_program(SUPPLE_EMCC emcc)
find_program(SUPPLE_NODE NAMES node nodejs)
mark_as_advanced(SUPPLE_EMCC SUPPLE_NODE)
set(SUPPLE_ENGINE_DIR ${PROJECT_BINARY_DIR}/engine)
if(NOT SUPPLE_WASM OR NOT SUPPLE_EMCC OR NOT SUPPLE_NODE)
  message(STATUS "The page's engine needs emcc and node: left out")
  return()
endif()

# supple_engine(TARGET options of cmake ...): the build in ${PROJECT_BINARY_DIR}/TARGET.
function(supple_engine target)
  set(build ${PROJECT_BINARY_DIR}/${target})
  set(toolchain ${PROJECT_SOURCE_DIR}/cmake/wasm.cmake)
  add_custom_command(OUTPUT ${build}/build.ninja
    COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${build} -G Ninja -DCMAKE_BUILD_TYPE=Release
            -DCMAKE_TOOLCHAIN_FILE=${toolchain} -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12
            -DSUPPLE_ENGINE_DIR=${SUPPLE_ENGINE_DIR} ${ARGN}
    DEPENDS ${toolchain}
    COMMENT "Configuring the page's engine" VERBATIM)
  # Runs Ninja in that build each time, because only it knows whether something has changed. This counts as one job
  # here, so it uses only half of the cores.
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  math(EXPR jobs "(${cores} + 1) / 2")
  add_custom_target(${target}
    COMMAND ${CMAKE_COMMAND} --build ${build} --target supple_engine --parallel ${jobs}
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${SUPPLE_ENGINE_DIR} ${PROJECT_BINARY_DIR}/web/dist/engine
    DEPENDS ${build}/build.ninja
    COMMENT "Building the page's engine" VERBATIM)
endfunction()

supple_engine(supple_wasm)
supple_engine(supple_wasm_threads -DSUPPLE_WASM_THREADS=ON)

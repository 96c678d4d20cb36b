# Toolchain of the page's engine: Debian's Emscripten.
#   cmake -S . -B build/wasm -DCMAKE_TOOLCHAIN_FILE=cmake/wasm.cmake [-DSUPPLE_WASM_THREADS=ON]
# Emscripten's optimiser needs a JavaScript parser from node, which Debian keeps in /usr/share/nodejs.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SUPPLE_WASM_THREADS)
find_program(SUPPLE_EM_CONFIG em-config REQUIRED)
execute_process(COMMAND ${SUPPLE_EM_CONFIG} EMSCRIPTEN_ROOT
  OUTPUT_VARIABLE supple_emscripten OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
include(${supple_emscripten}/cmake/Modules/Platform/Emscripten.cmake)

if(SUPPLE_WASM_THREADS)
  # With threads, Debian's libraries lose the type of WebAssembly exceptions, so JavaScript exceptions are used.
  set(supple_wasm_flags "-fexceptions -msimd128 -pthread")
else()
  set(supple_wasm_flags "-fwasm-exceptions -msimd128")
endif()
set(CMAKE_C_FLAGS_INIT "${supple_wasm_flags}")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "")
set(CMAKE_CXX_FLAGS_INIT "${supple_wasm_flags} -include ${CMAKE_CURRENT_LIST_DIR}/../apps/wasm/libcxx_13.h")
find_program(SUPPLE_CCACHE ccache)
mark_as_advanced(SUPPLE_CCACHE)
if(SUPPLE_CCACHE)
  # ccache runs below emcc, which itself spends a third of a second on each file.
  set_property(GLOBAL PROPERTY RULE_LAUNCH_COMPILE "${CMAKE_COMMAND} -E env EM_COMPILER_WRAPPER=${SUPPLE_CCACHE}")
endif()
set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs")

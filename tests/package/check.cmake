# Installs the build into an empty prefix, builds this folder's programs against that copy alone and runs them.
#   cmake -DBUILD=build of supple -DSCRATCH=folder -DGENERATOR=... -DCOMPILER=... -P check.cmake
file(REMOVE_RECURSE ${SCRATCH})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${code}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${SCRATCH}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror" "-DCMAKE_C_FLAGS=-std=c11 -pedantic -Wall -Wextra -Werror")
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/falling_block)
message("${output}")
# After a second the block has left its place and stands on the ground: 0.5 m below, less what it gives way.
if(NOT output MATCHES "1\\.00 s: the first corner is at height (-?[0-9.]+) m")
  message(FATAL_ERROR "there is no line for the time of 1 s")
endif()
if(CMAKE_MATCH_1 GREATER 0.3 OR CMAKE_MATCH_1 LESS -0.2)
  message(FATAL_ERROR "the corner should be near the ground, not at ${CMAKE_MATCH_1} m")
endif()

run(${SCRATCH}/build/dragged_block)
message("${output}")
# The body flew 1 m along x before its corner was taken; a spring of 1e5 N/m then gives way by centimetres at most.
if(NOT output MATCHES "the hand is at (-?[0-9.]+) (-?[0-9.]+) (-?[0-9.]+) m, what it holds at (-?[0-9.]+) (-?[0-9.]+) (-?[0-9.]+) m")
  message(FATAL_ERROR "there is no line about the hand")
endif()
string(REPLACE "." "" hand "${CMAKE_MATCH_1};${CMAKE_MATCH_2};${CMAKE_MATCH_3}")
string(REPLACE "." "" held "${CMAKE_MATCH_4};${CMAKE_MATCH_5};${CMAKE_MATCH_6}")
foreach(a b IN ZIP_LISTS hand held)
  # In centimetres, without zeros in front.
  string(REGEX REPLACE "^(-?)0+([0-9])" "\\1\\2" a "${a}")
  string(REGEX REPLACE "^(-?)0+([0-9])" "\\1\\2" b "${b}")
  math(EXPR away "${a} - (${b})")
  if(away GREATER 10 OR away LESS -10)
    message(FATAL_ERROR "the corner should follow the hand")
  endif()
endforeach()

run(${SCRATCH}/build/pulled_block)
message("${output}")
# Held by a stiff spring, the corner comes near its target; let go, it leaves it.
if(NOT output MATCHES "frame 30: the corner is at 1\\.[45][0-9] [01]\\.[019][0-9] 0\\.[45][0-9] m")
  message(FATAL_ERROR "the corner should have been pulled to 1.5 1 0.5")
endif()
if(NOT output MATCHES "frame 40: the corner is at ([01]\\.[0-9]+) " OR CMAKE_MATCH_1 GREATER 1.35)
  message(FATAL_ERROR "the corner should have sprung back")
endif()

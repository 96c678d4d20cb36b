# The library as other projects see it: all rooms as supple::supple, and those that simulate as supple::core. Each is
# one archive or one shared library with its CMake package and pkg-config file. The public headers include only the
# standard library and each other, so a consumer compiles against include/ alone and links only the libraries that the
# objects call. A program links one of the two.

get_property(supple_rooms GLOBAL PROPERTY SUPPLE_ROOMS)
get_property(supple_libraries GLOBAL PROPERTY SUPPLE_LIBRARIES)
foreach(list supple_libraries supple_core_libraries)
  list(REMOVE_DUPLICATES ${list})
  # Header-only libraries are compiled into the objects.
  list(REMOVE_ITEM ${list} Eigen3::Eigen nlohmann_json::nlohmann_json)
endforeach()

# The names of these libraries for pkg-config: modules, or flags if there is no module.
set(supple_pc_PNG::PNG libpng)
set(supple_pc_ZLIB::ZLIB zlib)
set(supple_pc_fmt::fmt fmt)
set(supple_pc_pugixml::pugixml pugixml)
set(supple_pc_METIS::METIS -lmetis)
set(supple_pc_Threads::Threads -pthread)

# Before 1.0, a minor version may change the binary interface.
set(supple_soversion ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(supple_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()
set(supple_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/supple)
set(supple_exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
include(CheckLinkerFlag)
check_linker_flag(CXX -Wl,--version-script=${supple_exports} supple_has_version_scripts)

# supple_package(TARGET NAME STATIC|SHARED LIBRARIES ... [INSTALL options of install() ...]): installs a library, its
# targets for CMake with their dependencies, and NAME.pc.
function(supple_package target name kind)
  cmake_parse_arguments(ARG "" "" "LIBRARIES;INSTALL" ${ARGN})
  set(dependencies "")
  set(SUPPLE_PC_MODULES "")
  set(SUPPLE_PC_FLAGS "")
  if(kind STREQUAL STATIC)
    foreach(library ${ARG_LIBRARIES})
      # PNG::PNG comes from the package PNG, and so on.
      string(REGEX REPLACE "::.*" "" package ${library})
      string(APPEND dependencies "find_dependency(${package})\n")
      if(NOT DEFINED supple_pc_${library})
        message(FATAL_ERROR "cmake/SuppleLibrary.cmake does not know what pkg-config calls ${library}")
      elseif(supple_pc_${library} MATCHES "^-")
        string(APPEND SUPPLE_PC_FLAGS " ${supple_pc_${library}}")
      else()
        string(APPEND SUPPLE_PC_MODULES " ${supple_pc_${library}}")
      endif()
    endforeach()
    # A program in C does not link the C++ library by itself.
    foreach(library ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
      if(library MATCHES "^(std)?c\\+\\+$|^m$")
        string(APPEND SUPPLE_PC_FLAGS " -l${library}")
      endif()
    endforeach()
  endif()
  set(SUPPLE_PC_NAME ${name})
  file(RELATIVE_PATH SUPPLE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  set(dir ${PROJECT_BINARY_DIR}/cmake/${kind})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/supple.pc.in ${dir}/${name}.pc @ONLY)
  # Targets of both kinds are exported here under one name, but their files must have different names.
  file(CONFIGURE OUTPUT ${dir}/${name}Dependencies.cmake CONTENT "${dependencies}set(supple_kind ${kind})\n" @ONLY)

  install(TARGETS ${target} EXPORT ${target}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} ${ARG_INSTALL}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ${ARG_INSTALL})
  install(EXPORT ${target} FILE ${name}_${kind}.cmake NAMESPACE supple:: DESTINATION ${supple_package_dir} ${ARG_INSTALL})
  install(FILES ${dir}/${name}Dependencies.cmake DESTINATION ${supple_package_dir} ${ARG_INSTALL})
  install(FILES ${dir}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${ARG_INSTALL})
endfunction()

# supple_library(TARGET NAME EXPORT_NAME STATIC|SHARED ROOMS ... LIBRARIES ... [INSTALL ...])
function(supple_library target name export kind)
  cmake_parse_arguments(ARG "" "" "ROOMS;LIBRARIES;INSTALL" ${ARGN})
  add_library(${target} ${kind})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${export} LINKER_LANGUAGE CXX
    POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION} SOVERSION ${supple_soversion})
  foreach(room ${ARG_ROOMS})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${room}>)
  endforeach()
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE ${ARG_LIBRARIES})  # exported with an archive, as $<LINK_ONLY:...>
  if(kind STREQUAL SHARED AND supple_has_version_scripts)
    target_link_options(${target} PRIVATE -Wl,--version-script=${supple_exports})
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${supple_exports})
  endif()
  if(SUPPLE_SANITIZE)
    target_link_options(${target} PUBLIC -fsanitize=${SUPPLE_SANITIZE})
  endif()
  if(PROJECT_IS_TOP_LEVEL)
    supple_package(${target} ${name} ${kind} LIBRARIES ${ARG_LIBRARIES} INSTALL ${ARG_INSTALL})
  endif()
endfunction()

# supple_both_libraries(SUFFIX of the targets, STATIC|SHARED, options of install() ...)
function(supple_both_libraries suffix kind)
  supple_library(supple${suffix} supple supple ${kind}
    ROOMS ${supple_rooms} LIBRARIES ${supple_libraries} INSTALL ${ARGN})
  supple_library(supple_core${suffix} supple_core core ${kind}
    ROOMS ${supple_core_rooms} LIBRARIES ${supple_core_libraries} INSTALL ${ARGN})
endfunction()

set(kind STATIC)
set(other_kind SHARED)
if(BUILD_SHARED_LIBS)
  set(kind SHARED)
  set(other_kind STATIC)
endif()
supple_both_libraries("" ${kind} COMPONENT libraries)
add_library(supple::supple ALIAS supple)
add_library(supple::core ALIAS supple_core)
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
if(SUPPLE_TESTS AND NOT SUPPLE_SANITIZE)
  # The other kind, made of the same objects, only for the test of the package.
  supple_both_libraries(_of_other_kind ${other_kind} COMPONENT other_kind EXCLUDE_FROM_ALL)
  set_target_properties(supple_of_other_kind supple_core_of_other_kind PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/other_kind ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/other_kind)
endif()

include(CMakePackageConfigHelpers)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/suppleConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/suppleConfig.cmake INSTALL_DESTINATION ${supple_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/suppleConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/suppleConfig.cmake ${PROJECT_BINARY_DIR}/cmake/suppleConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake DESTINATION ${supple_package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/supple ${PROJECT_BINARY_DIR}/include/supple
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/supple
        FILES_MATCHING PATTERN "*.json" PATTERN "*.png")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/supple)
# The command line, if it was built.
install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/supple DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)

# The library as other projects see it: one archive made of the objects of all rooms, `supple::supple`, and its CMake
# package. The public headers include nothing but the standard library and each other, so that a consumer compiles
# against include/ alone; what the objects call is linked and no more.

get_property(rooms GLOBAL PROPERTY SUPPLE_ROOMS)
get_property(libraries GLOBAL PROPERTY SUPPLE_LIBRARIES)
list(REMOVE_DUPLICATES libraries)
# Headers only: they are compiled into the objects.
list(REMOVE_ITEM libraries Eigen3::Eigen nlohmann_json::nlohmann_json)

add_library(supple STATIC)
add_library(supple::supple ALIAS supple)
set_target_properties(supple PROPERTIES LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON)
foreach(room ${rooms})
  target_sources(supple PRIVATE $<TARGET_OBJECTS:${room}>)
endforeach()
target_compile_features(supple PUBLIC cxx_std_20)
target_include_directories(supple PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(supple PRIVATE ${libraries})  # exported as $<LINK_ONLY:...>
if(SUPPLE_SANITIZE)
  target_link_options(supple PUBLIC -fsanitize=${SUPPLE_SANITIZE})
endif()

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

include(CMakePackageConfigHelpers)
# PNG::PNG comes from the package PNG, and so on.
list(TRANSFORM libraries REPLACE "::.*" "" OUTPUT_VARIABLE packages)
list(REMOVE_DUPLICATES packages)
set(SUPPLE_FIND_DEPENDENCIES "")
foreach(package ${packages})
  string(APPEND SUPPLE_FIND_DEPENDENCIES "find_dependency(${package})\n")
endforeach()
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/supple)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/suppleConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/suppleConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/suppleConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)

install(TARGETS supple EXPORT suppleTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT suppleTargets NAMESPACE supple:: DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/cmake/suppleConfig.cmake ${PROJECT_BINARY_DIR}/cmake/suppleConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/supple DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/supple
        FILES_MATCHING PATTERN "*.json" PATTERN "*.png")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/supple)
# The command line, where it was built.
install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/supple DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)

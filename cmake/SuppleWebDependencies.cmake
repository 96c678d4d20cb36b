# The header-only libraries that the page's engine is compiled with. They are the system's own. The engine sees them
# through links in a folder of the build, so that it finds no header of the system's C library.
set(supple_headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${supple_headers})

# supple_header_library(TARGET file.h folder that is linked [suffix of the folder to search])
function(supple_header_library target header folder)
  string(MAKE_C_IDENTIFIER "SUPPLE_HEADERS_${folder}" found)
  find_path(${found} ${header} PATHS /usr/include /usr/local/include PATH_SUFFIXES ${ARGN}
            NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  file(CREATE_LINK ${${found}}/${folder} ${supple_headers}/${folder} SYMBOLIC)
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} SYSTEM INTERFACE ${supple_headers})
endfunction()

supple_header_library(Eigen3::Eigen Eigen/Core Eigen eigen3)
supple_header_library(nlohmann_json::nlohmann_json nlohmann/json.hpp nlohmann)
supple_header_library(fmt::fmt fmt/format.h fmt)

# The parts of fmt that its headers leave to its library, compiled once: FMT_HEADER_ONLY would compile them in every
# source.
add_library(supple_fmt STATIC ${PROJECT_SOURCE_DIR}/apps/wasm/fmt_library.cpp)
target_include_directories(supple_fmt SYSTEM PRIVATE ${supple_headers})
target_link_libraries(fmt::fmt INTERFACE supple_fmt)

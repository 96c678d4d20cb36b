# shellcheck shell=bash disable=SC2034,SC2154  # the scripts that source this use the lists and set root
# Sourced by scripts/run, scripts/view and scripts/test: the Debian packages that they need, and how to install them.

# Packages to build and run. An entry with a colon is a program and the package that contains it: a program that is
# already there is used, wherever it comes from.
build_packages=(
  c++:g++ cmake:cmake ninja:ninja-build
  libboost-dev libcairo2-dev libcli11-dev libeigen3-dev libfmt-dev libmetis-dev libpng-dev libpugixml-dev
  nlohmann-json3-dev zlib1g-dev)
# Packages to build the viewer's page.
page_packages=(node:nodejs npm:npm)
# Further packages for the tests.
test_packages=(
  clang++:clang clang-format:clang-format clang-tidy:clang-tidy python3:python3
  libbenchmark-dev libclang-rt-14-dev libgtest-dev)
# Programs that read our exports, compilers for the page and its engine, and a browser to run them in: a test that lacks
# one says so and is skipped.
optional_packages=(assimp:assimp-utils chromium:chromium emcc:emscripten ffmpeg:ffmpeg "${page_packages[@]}" python3-numpy
  python3-vtk9)

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Prints the packages of "$@" that are missing, one per line.
missing_packages() {
  local entry
  for entry in "$@"; do
    if [[ $entry == *:* ]] && command -v "${entry%%:*}" >/dev/null; then continue; fi
    is_installed "${entry##*:}" || printf '%s\n' "${entry##*:}"
  done
}

# install_packages LIST...: installs the missing packages. If it fails, it says what to do.
install_packages() {
  local missing=() as_root=()
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    echo "These Debian packages are missing, and there is no apt-get to install them: ${missing[*]}" >&2
    return 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "As root, please run: apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}"
  if [ -z "${apt_is_up_to_date:-}" ]; then
    "${as_root[@]}" apt-get update -q >/dev/null || echo "apt-get update failed; trying with the lists at hand" >&2
    apt_is_up_to_date=1
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}" >"${TMPDIR:-/tmp}/supple-apt.$$" 2>&1 || {
    tail -n 20 "${TMPDIR:-/tmp}/supple-apt.$$" >&2
    rm -f "${TMPDIR:-/tmp}/supple-apt.$$"
    echo "The packages above could not be installed." >&2
    return 1
  }
  rm -f "${TMPDIR:-/tmp}/supple-apt.$$"
}

# configure PRESET [options of cmake]: quiet unless it fails.
configure() {
  local log="$root/build/$1-configure.log" launcher=()
  mkdir -p "$root/build"
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  (cd "$root" && cmake --preset "$@" "${launcher[@]}") >"$log" 2>&1 || { cat "$log" >&2; return 1; }
}

# Number of jobs for a build or test run: the number of cores, limited by memory (a test with many templates takes a
# gigabyte to compile).
num_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}

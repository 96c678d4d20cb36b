#!/bin/sh
#   fuzz/run.sh [SECONDS [TARGET ...]]
# Fuzzes every target, or those named, for SECONDS (60 unless told), starting from fuzz/corpus. Inputs that crash lie in
# build/fuzz/crashes; found ones stay in build/fuzz/found for the next run. Exits 1 upon a crash. The target session
# needs the library: $SUPPLE_LIBRARY, or the one of build/release; without one it is left out.
set -eu
case "${1:-60}" in
  *[!0-9]* | "")
    echo "usage: fuzz/run.sh [SECONDS [TARGET ...]]" >&2
    exit 2
    ;;
esac
seconds=${1:-60}
[ $# -eq 0 ] || shift
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=$root/build/fuzz

library=${SUPPLE_LIBRARY:-$root/build/release/libsupple.a}
if [ ! -f "$library" ]; then
  echo "there is no $library: the target session is left out"
  library=""
fi
launcher=""
if command -v ccache >/dev/null; then launcher=ccache; fi
cmake -S "$root/fuzz" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="${CXX_FUZZ:-clang++}" \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSUPPLE_FUZZ=ON -DSUPPLE_LIBRARY="$library" \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" >/dev/null
if [ $# -eq 0 ]; then
  set -- scene serve surface tet_mesh ${library:+session}
fi
for name; do
  cmake --build "$build" --target "fuzz_$name"
done
mkdir -p "$build/crashes"
failed=""
for name; do
  program=$build/bin/fuzz_$name
  mkdir -p "$build/found/$name"
  echo "fuzzing $name for $seconds s"
  if ! "$program" "$build/found/$name" "$root/fuzz/corpus/$name" -max_total_time="$seconds" \
    -max_len=4096 -timeout=5 -rss_limit_mb=1024 -print_funcs=0 -verbosity=0 \
    -artifact_prefix="$build/crashes/$name-"; then
    failed="$failed $name"
  fi
done
if [ -n "$failed" ]; then
  echo "crashes in:$failed (see $build/crashes)" >&2
  exit 1
fi

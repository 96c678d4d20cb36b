#!/bin/sh
# Fuzzes every target for SECONDS (60 unless told), starting from fuzz/corpus. Inputs that crash lie in
# build/fuzz/crashes; found ones stay in build/fuzz/found for the next run. Exits 1 upon a crash.
set -eu
case "${1:-60}" in
  *[!0-9]* | "")
    echo "usage: fuzz/run.sh [SECONDS]" >&2
    exit 2
    ;;
esac
seconds=${1:-60}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=$root/build/fuzz

cmake -S "$root/fuzz" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="${CXX_FUZZ:-clang++}" \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSUPPLE_FUZZ=ON >/dev/null
cmake --build "$build"
mkdir -p "$build/crashes"
failed=""
for program in "$build"/bin/fuzz_*; do
  name=${program##*/fuzz_}
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

#!/bin/sh
# test/run.sh SOURCE PLACE unit
# test/run.sh SOURCE PLACE native PROGRAM
# test/run.sh SOURCE PLACE wasm|wasm_threads ENGINE_FOLDER
# Tests of the page, on a copy in PLACE. Ends with 77 where what they need cannot be had, and says what.
set -u
source=$1
place=$2
kind=$3

skip() {
  echo "skipped: $1"
  exit 77
}
for tool in "$SUPPLE_NPM" "$SUPPLE_NODE"; do
  [ -x "$tool" ] || skip "node and npm are not installed"
done
cmake_build() {
  "$SUPPLE_CMAKE" "-DSOURCE=$source" "-DPLACE=$place" "-DNPM=$SUPPLE_NPM" \
    "-DPICTURES=$source/../scenes/pictures" "$@" -P "$source/build.cmake"
}
log=$place/test.log
mkdir -p "$place"
cmake_build -DONLY_INSTALL=ON >"$log" 2>&1 || {
  cat "$log"
  skip "npm could not install what the page needs"
}
cd "$place/src" || exit 1

if [ "$kind" = unit ]; then
  exec "$SUPPLE_NPM" test
fi
[ -x "$SUPPLE_CHROMIUM" ] || skip "there is no chromium"
if [ "$kind" = wasm ]; then
  [ -f "$4/supple.js" ] || skip "there is no engine in $4 (it is built with emscripten)"
fi
if [ "$kind" = wasm_threads ]; then
  for engine in supple supple_threads; do
    [ -f "$4/$engine.js" ] || skip "there is no $engine.js in $4 (supple_wasm and supple_wasm_threads build it, with emscripten)"
  done
  [ -z "$(find "$4/supple.wasm" -newer "$4/supple_threads.wasm")" ] || skip "supple_threads is older than supple: supple_wasm_threads builds it again"
fi
if [ ! -f "$place/dist/index.html" ] || [ -n "$(find "$source/src" "$source/index.html" -newer "$place/dist/index.html")" ]; then
  cmake_build >"$log" 2>&1 || {
    cat "$log"
    exit 1
  }
fi
exec "$SUPPLE_NODE" test/end_to_end/run.mjs --kind "$kind" --page "$place/dist" --chromium "$SUPPLE_CHROMIUM" --use "$4" \
  --out "$place/end_to_end"

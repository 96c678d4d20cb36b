#!/bin/sh
# not_in_all.sh NINJA BUILD_FOLDER: without a target, ninja does not build the page's engine, but it has a target for
# it.
set -eu
"$1" -C "$2" -t query supple_wasm >/dev/null
if "$1" -C "$2" -t query all | grep supple_wasm; then exit 1; fi

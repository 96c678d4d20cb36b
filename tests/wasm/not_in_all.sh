#!/bin/sh
# not_in_all.sh NINJA BUILD_FOLDER: ninja without a target leaves the page's engine alone, and has a target for it.
set -eu
"$1" -C "$2" -t query supple_wasm >/dev/null
if "$1" -C "$2" -t query all | grep supple_wasm; then exit 1; fi

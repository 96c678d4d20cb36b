#!/usr/bin/env python3
"""Checks the units that were compiled for a level of vectors of their own (src/base/simd_level.h).

    simd_symbols_test.py [--fused NAME,NAME,...] OBJECT ...

A function that two levels define under one name would be one function to the linker, and a machine without AVX-512
could meet its instructions. So an object named NAME.LEVEL.cpp.o may define no symbol for others to see unless the
symbol's name carries the level's; numbers that nothing writes to are free. Other objects must not carry the name of a
level. And no object but those named by --fused may hold a fused multiply-add, which the compiler's vectoriser can form
against -ffp-contract=off: all levels are to give the same bits. Returns 1 when there is a fault, 77 when no object has
a level (a build for one level).
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

LEVEL = re.compile(r"^(.+)\.(avx2|avx512)\.cpp\.o(?:bj)?$")
# Address, seven flags (g: global, u: unique, w: weak, O: object, F: function), section, size, name.
SYMBOL = re.compile(r"^[0-9a-f]+ (.{7}) (\S+)\t[0-9a-f]+ +(?:\.hidden )?(\S+)$")
# A pointer through which unwinding finds a function of the C++ runtime: the same at any level.
RUNTIME = "DW.ref.__gxx_personality_v0"
FUSED = re.compile(r"\bvfn?m(?:add|sub)\w*")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def symbols(path):
    """(Name, section) of what an object defines for others to see."""
    for line in output_of("objdump", "-t", str(path)).splitlines():
        found = SYMBOL.match(line)
        if found and found[2] != "*UND*" and set(found[1]) & set("guw!"):
            yield found[3], found[2]


def faults(path, name, level, may_fuse):
    """Of an object NAME.LEVEL.cpp.o; level None: of one for the baseline."""
    defined = list(symbols(path))
    for symbol, section in defined:
        if level is None:
            if re.search(r"simd_avx\d", symbol):
                yield f"{path.name}: {symbol} says that it is compiled for another level"
        elif f"simd_{level}" not in symbol and not section.startswith(".rodata") and symbol != RUNTIME:
            yield f"{path.name}: {symbol} does not say that it is compiled for {level}"
    if level is None:
        return
    if not any(f"simd_{level}" in symbol for symbol, _ in defined):
        yield f"{path.name}: defines nothing for {level}"
    if not may_fuse:
        for instruction in sorted(set(FUSED.findall(output_of("objdump", "-d", "--no-show-raw-insn", str(path))))):
            yield f"{path.name}: {instruction}: its bits are not those of the other levels"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fused", default="")
    parser.add_argument("objects", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if shutil.which("objdump") is None:
        print("skipped: objdump is not installed")
        return 77
    fused, found, checked = set(options.fused.split(",")), [], set()
    for path in options.objects:
        match = LEVEL.match(path.name)
        name, level = (match[1], match[2]) if match else (path.name, None)
        if level:
            checked.add(name)
        found += faults(path, name, level, name in fused)
    if not checked:
        print("skipped: compiled for one level")
        return 77
    found += [f"{name}: named by --fused, but there is no such unit" for name in sorted(fused - checked - {""})]
    for fault in found:
        print(fault)
    print(f"levels of vectors: {len(options.objects)} objects, units with levels: {', '.join(sorted(checked))}; "
          f"{len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks that simd_symbols_test.py finds what it is there for.

    simd_symbols_breach_test.py COMPILER FOLDER

Compiles small sources into FOLDER, each with one fault or none, as units for AVX2. Returns 77 where the compiler does not
know AVX2.
"""
import pathlib
import subprocess
import sys

CHECK = pathlib.Path(__file__).resolve().parent / "simd_symbols_test.py"
GOOD = "namespace simd_avx2 { extern const double table; const double table = 1; %s }"
# Source, options, and the text of the expected fault (None if there is none).
CASES = {
    "clean": (GOOD % "template <class T> [[gnu::noinline]] T twice(T x) { return x + x; } double f() { return twice(2.0); }",
              [], None),
    "template": ("template <class T> [[gnu::noinline]] T twice(T x) { return x + x; }\n"
                 + GOOD % "double f(double x) { return twice(x); }", [], "twiceIdET_"),
    "inline": ("[[gnu::noinline]] inline int next(int i) { return i + 1; }\n" + GOOD % "int f(int i) { return next(i); }",
               [], "4nexti"),
    "constant": ("inline constexpr int numbers[3] = {1, 2, 3};\n" + GOOD % "const int* f() { return numbers; }", [], None),
    "pointer": ("inline int (*chosen)(int) = nullptr;\n" + GOOD % "int f(int i) { return chosen(i); }", [], "chosen"),
    "fused": (GOOD % "double f(double a, double b, double c) { return a * b + c; }", ["-ffp-contract=fast"], "vfmadd"),
    "nothing": ("", [], "defines nothing"),
}


def main():
    compiler, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    failures = 0
    for name, (source, options, expected) in CASES.items():
        text, built = folder / f"{name}.avx2.cpp", folder / f"{name}.avx2.cpp.o"
        text.write_text(source + "\n")
        command = [compiler, "-std=c++20", "-O2", "-fPIC", "-mavx2", "-mfma", "-ffp-contract=off", *options, "-c",
                   str(text), "-o", str(built)]
        if subprocess.run(command, capture_output=True).returncode != 0:
            print("skipped: the compiler does not know AVX2")
            return 77
        result = subprocess.run([sys.executable, str(CHECK), str(built)], capture_output=True, text=True)
        found = result.returncode == 1 and expected is not None and expected in result.stdout
        if not (found or (expected is None and result.returncode == 0)):
            print(f"{name}: expected {expected or 'no fault'}, got {result.returncode}: {result.stdout}{result.stderr}")
            failures += 1
    print(f"{len(CASES)} cases, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

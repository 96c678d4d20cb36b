#!/usr/bin/env python3
"""Checks a .usda file strictly, for the part of the language that supple writes.

usage: usda_check.py FILE [--json]

The grammar is taken whole for what is accepted (a layer's metadata, prims with `def`, attributes with
a type and default values or time samples, attribute metadata); anything else is an error with its
line, although USD may know it. Beyond the grammar it is checked that values have their declared type
and shape, that names are identifiers and differ, and that meshes hold together: counts add up to the
indices, indices are in range, samples have one length and lie at increasing whole times within the
layer's range, an extent is the box of the points.

--json prints what was read: {"layer": {...}, "prims": [{"path", "type", "attributes"}]}.
"""

import json
import re
import struct
import sys

TOKENS = re.compile(
    r"""(?P<space>[ \t\r\n]+|\#(?!usda)[^\n]*)
      |(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]))
      |(?P<name>[A-Za-z_][A-Za-z0-9_]*(?::[A-Za-z_][A-Za-z0-9_]*)*(?:\.timeSamples)?)
      |(?P<string>"(?:[^"\\\n]|\\.)*")
      |(?P<sign>[()\[\]{}=:,])""",
    re.VERBOSE,
)
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

# Base types: the number of components of a value (0: one, without parentheses), and their kind.
TYPES = {
    "bool": (0, int), "int": (0, int), "token": (0, str), "string": (0, str),
    "float": (0, float), "double": (0, float),
    "float3": (3, float), "point3f": (3, float), "color3f": (3, float), "normal3f": (3, float),
}
LAYER = {
    "defaultPrim": str, "doc": str, "upAxis": str, "metersPerUnit": float,
    "startTimeCode": float, "endTimeCode": float, "timeCodesPerSecond": float,
    "framesPerSecond": float,
}


class Bad(Exception):
    pass


class Scanner:
    def __init__(self, text):
        self.tokens = []  # (kind, text, line)
        line, at = 1, 0
        while at < len(text):
            match = TOKENS.match(text, at)
            if not match:
                raise Bad(f"line {line}: unexpected {text[at:at + 20]!r}")
            if match.lastgroup != "space":
                self.tokens.append((match.lastgroup, match.group(), line))
            line += match.group().count("\n")
            at = match.end()
        self.tokens.append(("end", "", line))
        self.next = 0

    def peek(self):
        return self.tokens[self.next][1]

    def kind(self):
        return self.tokens[self.next][0]

    def fail(self, message):
        _, text, line = self.tokens[self.next]
        raise Bad(f"line {line}: {message}, found {text!r}")

    def take(self, expected=None, kind=None):
        if expected is not None and self.peek() != expected:
            self.fail(f"expected {expected!r}")
        if kind is not None and self.kind() != kind:
            self.fail(f"expected a {kind}")
        text = self.tokens[self.next][1]
        self.next += 1
        return text

    def accept(self, text):
        if self.kind() in ("sign", "name") and self.peek() == text:
            self.next += 1
            return True
        return False


def scalar(scanner, kind):
    if kind is str:
        return json.loads(scanner.take(kind="string"))
    text = scanner.take(kind="number")
    if kind is int:
        if not re.fullmatch(r"[-+]?\d+", text):
            raise Bad(f"{text} is not a whole number")
        return int(text)
    return float(text)


def value(scanner, base):
    size, kind = TYPES[base]
    if size == 0:
        result = scalar(scanner, kind)
        if base == "bool" and result not in (0, 1):
            scanner.fail("a bool must be 0 or 1")
        return result
    scanner.take("(")
    parts = [scalar(scanner, kind)]
    for _ in range(size - 1):
        scanner.take(",")
        parts.append(scalar(scanner, kind))
    scanner.take(")")
    return parts


def typed(scanner, base, is_array):
    if not is_array:
        return value(scanner, base)
    scanner.take("[")
    values = []
    while not scanner.accept("]"):
        if values:
            scanner.take(",")
        values.append(value(scanner, base))
    return values


def metadata(scanner, known):
    result = {}
    scanner.take("(")
    while not scanner.accept(")"):
        key = scanner.take(kind="name")
        if key not in known:
            raise Bad(f"unknown metadata {key}")
        if key in result:
            raise Bad(f"metadata {key} twice")
        scanner.take("=")
        result[key] = scalar(scanner, known[key])
    return result


def time_samples(scanner, base, is_array):
    samples = []
    scanner.take("{")
    while not scanner.accept("}"):
        time = scalar(scanner, float)
        if samples and time <= samples[-1][0]:
            scanner.fail(f"time {time} does not come after {samples[-1][0]}")
        scanner.take(":")
        samples.append((time, typed(scanner, base, is_array)))
        if not scanner.accept(","):
            scanner.take("}")
            break
    if not samples:
        scanner.fail("no time samples")
    return samples


def attribute(scanner, prim):
    uniform = scanner.accept("uniform")
    base = scanner.take(kind="name")
    if base not in TYPES:
        raise Bad(f"{prim['path']}: unknown type {base}")
    is_array = scanner.accept("[")
    if is_array:
        scanner.take("]")
    name = scanner.take(kind="name")
    sampled = name.endswith(".timeSamples")
    name = name.removesuffix(".timeSamples")
    if name in prim["attributes"]:
        raise Bad(f"{prim['path']}: {name} twice")
    if uniform and sampled:
        raise Bad(f"{prim['path']}: {name} is uniform and has time samples")
    scanner.take("=")
    entry = {"type": base + ("[]" if is_array else ""), "uniform": uniform, "metadata": {}}
    if sampled:
        entry["samples"] = time_samples(scanner, base, is_array)
    else:
        entry["value"] = typed(scanner, base, is_array)
        if scanner.peek() == "(":
            entry["metadata"] = metadata(scanner, {"interpolation": str})
    prim["attributes"][name] = entry


def prims(scanner, parent, found):
    names = set()
    while scanner.accept("def"):
        kind = scanner.take(kind="name")
        name = scalar(scanner, str)
        if not IDENTIFIER.match(name):
            raise Bad(f"{name!r} is not an identifier")
        if name in names:
            raise Bad(f"two prims {parent}/{name}")
        names.add(name)
        prim = {"path": f"{parent}/{name}", "type": kind, "attributes": {}}
        found.append(prim)
        scanner.take("{")
        while scanner.peek() not in ("}", "def"):
            attribute(scanner, prim)
        prims(scanner, prim["path"], found)
        scanner.take("}")


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def required(prim, name, kind):
    entry = prim["attributes"].get(name)
    if entry is None or entry["type"] != kind:
        raise Bad(f"{prim['path']}: no {kind} {name}")
    return entry


def check_points(prim, layer):
    """Checks points, extent and colour; returns the number of points."""
    points = required(prim, "points", "point3f[]")["samples"]
    extent = required(prim, "extent", "float3[]")["samples"]
    if [t for t, _ in points] != [t for t, _ in extent]:
        raise Bad(f"{prim['path']}: points and extent have different times")
    for (time, sample), (_, box) in zip(points, extent):
        if not layer["startTimeCode"] <= time <= layer["endTimeCode"] or time != int(time):
            raise Bad(f"{prim['path']}: a sample at {time}")
        if len(sample) != len(points[0][1]):
            raise Bad(f"{prim['path']}: {len(sample)} points at {time}, {len(points[0][1])} before")
        if len(box) != 2:
            raise Bad(f"{prim['path']}: an extent of {len(box)} corners")
        for axis in range(3):
            axis_values = [single(p[axis]) for p in sample]
            if [min(axis_values), max(axis_values)] != [single(box[0][axis]), single(box[1][axis])]:
                raise Bad(f"{prim['path']}: the extent at {time} is not the box of the points")
    colour = prim["attributes"].get("primvars:displayColor")
    if colour and len(colour["value"]) != 1:
        raise Bad(f"{prim['path']}: a constant colour has one value")
    return len(points[0][1])


def check_mesh(prim, layer):
    counts = required(prim, "faceVertexCounts", "int[]")["value"]
    indices = required(prim, "faceVertexIndices", "int[]")["value"]
    if any(n < 3 for n in counts) or sum(counts) != len(indices):
        raise Bad(f"{prim['path']}: faceVertexCounts do not match faceVertexIndices")
    scheme = required(prim, "subdivisionScheme", "token")["value"]
    if scheme not in ("none", "catmullClark", "loop", "bilinear"):
        raise Bad(f"{prim['path']}: unknown subdivisionScheme")
    num_points = check_points(prim, layer)
    if indices and not (0 <= min(indices) and max(indices) < num_points):
        raise Bad(f"{prim['path']}: an index out of range")


def check_curves(prim, layer):
    counts = required(prim, "curveVertexCounts", "int[]")["value"]
    if required(prim, "type", "token")["value"] != "linear":
        raise Bad(f"{prim['path']}: curves that are not linear")
    widths = required(prim, "widths", "float[]")["value"]
    if len(widths) != 1 or not widths[0] > 0:
        raise Bad(f"{prim['path']}: expected one width above 0")
    if any(n < 2 for n in counts) or sum(counts) != check_points(prim, layer):
        raise Bad(f"{prim['path']}: curveVertexCounts do not match the points")


def check(text):
    if not text.startswith("#usda 1.0\n"):
        raise Bad("line 1: expected '#usda 1.0'")
    scanner = Scanner("\n" + text.split("\n", 1)[1])
    layer = metadata(scanner, LAYER)
    for key in ("defaultPrim", "upAxis", "metersPerUnit", "timeCodesPerSecond", "startTimeCode",
                "endTimeCode"):
        if key not in layer:
            raise Bad(f"the layer has no {key}")
    if layer["upAxis"] not in ("Y", "Z") or layer["timeCodesPerSecond"] <= 0:
        raise Bad("the layer's metadata has a value out of range")
    found = []
    prims(scanner, "", found)
    scanner.take("", kind="end")
    if "/" + layer["defaultPrim"] not in [p["path"] for p in found]:
        raise Bad("the defaultPrim does not exist")
    for prim in found:
        if prim["type"] not in ("Xform", "Scope", "Mesh", "BasisCurves"):
            raise Bad(f"{prim['path']}: unknown type {prim['type']}")
        if prim["type"] == "Mesh":
            check_mesh(prim, layer)
        if prim["type"] == "BasisCurves":
            check_curves(prim, layer)
    return {"layer": layer, "prims": found}


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        text = file.read()
    try:
        result = check(text)
    except Bad as error:
        print(f"{sys.argv[1]}: {error}", file=sys.stderr)
        sys.exit(1)
    if "--json" in sys.argv[2:]:
        json.dump(result, sys.stdout)
    else:
        print("ok")


if __name__ == "__main__":
    main()

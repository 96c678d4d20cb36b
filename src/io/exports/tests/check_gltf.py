"""Plays a glTF animation by the specification and compares it with positions.npy.

usage: check_gltf.py FOLDER POSITIONS.npy FRAME_STEP FRAME_STRIDE SURFACE ...

SURFACE: the scene's vertices that a body's surface uses, with commas.
"""

import json
import sys

import numpy

DTYPES = {5125: numpy.dtype("<u4"), 5126: numpy.dtype("<f4")}
SIZES = {"SCALAR": 1, "VEC3": 3}


def accessor(root, data, index, target=None):
    entry = root["accessors"][index]
    view = root["bufferViews"][entry["bufferView"]]
    assert view["buffer"] == 0 and view.get("target") == target
    assert view["byteOffset"] % 4 == 0 and view["byteOffset"] + view["byteLength"] <= len(data)
    dtype, size = DTYPES[entry["componentType"]], SIZES[entry["type"]]
    assert entry["count"] >= 1
    assert entry["count"] * size * dtype.itemsize == view["byteLength"]
    values = numpy.frombuffer(data, dtype, entry["count"] * size, view["byteOffset"])
    values = values.reshape(-1, size)
    if dtype == numpy.dtype("<f4"):  # exact: a validator compares them as single precision
        assert (values.min(axis=0) == numpy.array(entry["min"], "<f4")).all()
        assert (values.max(axis=0) == numpy.array(entry["max"], "<f4")).all()
    return values


def main():
    folder, positions = sys.argv[1], numpy.load(sys.argv[2])
    step, stride = float(sys.argv[3]), int(sys.argv[4])
    surfaces = [[int(v) for v in s.split(",")] for s in sys.argv[5:]]
    with open(folder + "/animation.gltf", encoding="utf-8") as file:
        root = json.load(file)
    assert root["asset"]["version"] == "2.0"
    assert root["buffers"] == [{"uri": "animation.bin", "byteLength": root["buffers"][0]["byteLength"]}]
    with open(folder + "/animation.bin", "rb") as file:
        data = file.read()
    assert len(data) == root["buffers"][0]["byteLength"]

    expected = positions[::stride]
    nodes = root["scenes"][root["scene"]]["nodes"]
    assert len(nodes) == len(surfaces)
    animation = root.get("animations", [None])[0]
    assert (animation is not None) == (len(expected) > 1)

    for node, vertices in zip(nodes, surfaces):
        mesh = root["meshes"][root["nodes"][node]["mesh"]]
        (primitive,) = mesh["primitives"]
        assert root["materials"][primitive["material"]]["name"] == mesh["name"]
        base = accessor(root, data, primitive["attributes"]["POSITION"], 34962)
        indices = accessor(root, data, primitive["indices"], 34963)
        assert len(indices) % 3 == 0 and set(indices[:, 0]) == set(range(len(vertices)))
        assert (base == expected[0][vertices].astype("<f4")).all()
        if animation is None:
            assert "targets" not in primitive
            continue
        targets = [accessor(root, data, t["POSITION"], 34962) for t in primitive["targets"]]
        assert mesh["weights"] == [0] * len(targets)
        (channel,) = [c for c in animation["channels"] if c["target"]["node"] == node]
        assert channel["target"]["path"] == "weights"
        sampler = animation["samplers"][channel["sampler"]]
        assert sampler["interpolation"] == "LINEAR"
        times = accessor(root, data, sampler["input"])[:, 0]
        weights = accessor(root, data, sampler["output"])[:, 0].reshape(len(times), len(targets))
        assert len(times) == len(expected)
        assert numpy.allclose(times, numpy.arange(len(times)) * stride * step, rtol=1e-6)
        assert (numpy.diff(times) > 0).all()
        for frame in range(len(times)):
            shown = base + sum(w * t for w, t in zip(weights[frame], targets) if w != 0)
            # Differences in single precision: a few roundings of coordinates of about 3.
            assert numpy.allclose(shown, expected[frame][vertices], atol=1e-6)
    print("ok", len(expected), "frames")


main()

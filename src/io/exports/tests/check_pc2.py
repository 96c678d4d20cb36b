"""Reads one body's PC2 cache and rest OBJ by the formats' own descriptions.

usage: check_pc2.py FILE.pc2 FILE.obj POSITIONS.npy REST.npy VERTEX ...

VERTEX: the scene's vertices that the body's surface uses, in order.
"""

import struct
import sys

import numpy


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    positions, rest = numpy.load(sys.argv[3]), numpy.load(sys.argv[4])[0]
    vertices = [int(v) for v in sys.argv[5:]]

    signature, version, num_points, start, rate, num_samples = struct.unpack_from("<12siiffi", data)
    assert signature == b"POINTCACHE2\0", signature
    assert version == 1
    assert num_points == len(vertices)
    assert (start, rate) == (0.0, 1.0)
    assert num_samples == len(positions)
    assert len(data) == 32 + 12 * num_points * num_samples
    samples = numpy.frombuffer(data, dtype="<f4", offset=32).reshape(num_samples, num_points, 3)
    assert (samples == positions[:, vertices].astype("<f4")).all()

    points, faces = [], []
    with open(sys.argv[2], encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words[0] == "v":
                points.append([float(w) for w in words[1:]])
            elif words[0] == "f":
                faces.append([int(w) for w in words[1:]])
            else:
                assert words[0] == "o", line
    assert len(points) == num_points
    assert (numpy.array(points, dtype="<f4") == rest[vertices].astype("<f4")).all()
    assert faces and all(len(f) == 3 and 1 <= min(f) and max(f) <= num_points for f in faces)
    # Every vertex is used: an importer drops none and the order stays that of the cache.
    assert {v for f in faces for v in f} == set(range(1, num_points + 1))
    print("ok")


main()

"""Loads an array with NumPy. usage: check_npy.py FILE FRAMES VERTICES

The values must be those of npy_test.cpp: frame + vertex/8 + component/64.
"""

import sys

import numpy

array = numpy.load(sys.argv[1], allow_pickle=False)
frames, vertices = int(sys.argv[2]), int(sys.argv[3])
assert array.dtype == numpy.float64 and array.flags["C_CONTIGUOUS"]
assert array.shape == (frames, vertices, 3), array.shape
f, v, c = numpy.indices(array.shape)
assert (array == f + v / 8 + c / 64).all()
print("ok")

"""Reads the VTU, OBJ and PLY files of a ball of tets, a cloth and a strand with VTK and compares them with positions.npy.

usage: check_springs.py FOLDER POSITIONS.npy FIRST_VERTEX_OF_CLOTH FIRST_VERTEX_OF_STRAND NUM_TETS CELLS SEGMENTS

The cloth has CELLS x CELLS cells. FOLDER holds vtu/, obj/ and ply/.
"""

import sys

import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy


def read(reader, path):
    errors = []
    reader.AddObserver("ErrorEvent", lambda *args: errors.append(args))
    reader.SetFileName(path)
    reader.Update()
    assert not errors, errors
    return reader.GetOutput()


def cells_of(grid, kind):
    return [[grid.GetCell(c).GetPointId(k) for k in range(grid.GetCell(c).GetNumberOfPoints())]
            for c in range(grid.GetNumberOfCells()) if grid.GetCellType(c) == kind]


def check_surface(points, triangles, lines, cloth, strand, cells, segments):
    """Of the cloth and the strand, by the points themselves."""
    row = cells + 1
    expected = [strand + numpy.array([k, k + 1]) for k in range(segments)]
    assert len(lines) == segments
    for line, ends in zip(lines, expected):
        assert (points[line] == numpy.float32(POSITIONS[-1][ends])).all()
    assert len(triangles) == 2 * cells * cells
    area = 0
    for a, b, c in triangles:
        area += numpy.linalg.norm(numpy.cross(points[b] - points[a], points[c] - points[a])) / 2
    corners = POSITIONS[-1][[cloth, cloth + cells, cloth + row * cells]]
    whole = numpy.linalg.norm(numpy.cross(corners[1] - corners[0], corners[2] - corners[0]))
    assert abs(area - whole) < 1e-5 * whole, (area, whole)  # the test's motion keeps it flat


def main():
    folder = sys.argv[1]
    cloth, strand, num_tets, cells, segments = (int(a) for a in sys.argv[3:8])
    last = f"frame_{len(POSITIONS) - 1:04}"
    grid = read(vtk.vtkXMLUnstructuredGridReader(), f"{folder}/vtu/{last}.vtu")
    points = vtk_to_numpy(grid.GetPoints().GetData())
    assert (points == POSITIONS[-1]).all()
    assert len(cells_of(grid, vtk.VTK_TETRA)) == num_tets
    triangles, lines = cells_of(grid, vtk.VTK_TRIANGLE), cells_of(grid, vtk.VTK_LINE)
    assert grid.GetNumberOfCells() == num_tets + len(triangles) + len(lines)
    assert all(cloth <= v < strand for t in triangles for v in t)
    assert lines == [[strand + k, strand + k + 1] for k in range(segments)]
    check_surface(numpy.float32(points), triangles, lines, cloth, strand, cells, segments)
    J = vtk_to_numpy(grid.GetCellData().GetArray("J"))
    assert numpy.isfinite(J[:num_tets]).all() and numpy.isnan(J[num_tets:]).all()
    body = vtk_to_numpy(grid.GetCellData().GetArray("body"))
    assert (body == numpy.repeat([0, 1, 2], [num_tets, len(triangles), len(lines)])).all()

    # Vertices inside the ball are left out, so the cloth begins earlier.
    obj = read(vtk.vtkOBJReader(), f"{folder}/obj/{last}.obj")
    points = vtk_to_numpy(obj.GetPoints().GetData())
    polygons = cells_of(obj, vtk.VTK_TRIANGLE)
    lines = cells_of(obj, vtk.VTK_LINE) + cells_of(obj, vtk.VTK_POLY_LINE)
    check_surface(points, polygons[-2 * cells * cells:], lines, cloth, strand, cells, segments)

    ply = read(vtk.vtkPLYReader(), f"{folder}/ply/{last}.ply")
    points = vtk_to_numpy(ply.GetPoints().GetData())
    polygons = cells_of(ply, vtk.VTK_TRIANGLE)
    assert ply.GetNumberOfCells() == len(polygons)
    assert all(b == c for a, b, c in polygons[-segments:])
    lines = [polygon[:2] for polygon in polygons[-segments:]]
    check_surface(points, polygons[-segments - 2 * cells * cells:-segments], lines, cloth, strand, cells, segments)
    print("ok")


POSITIONS = numpy.load(sys.argv[2])
main()

"""Reads animation.pvd and its VTU files with VTK and compares them with positions.npy.

usage: check_vtu.py FOLDER POSITIONS.npy FRAME_STEP NUM_TETS FIRST_TET_OF_BODY_1 FIRST_VERTEX_OF_BODY_1

The measures must be those of formats_test.cpp: J = 1 + t/1000 + frame, von_mises = 10 t + frame,
stretches (3, 2, 1) + t/1000; with s = t + 1000 frame hydrostatic_stress = -s, deviatoric_stress = s +
(0.1, ..., 0.6), none in frame 0.
"""

import sys
import xml.etree.ElementTree

import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy


def main():
    folder, positions_file, step = sys.argv[1], sys.argv[2], float(sys.argv[3])
    num_tets, body_1_tet, body_1_vertex = (int(a) for a in sys.argv[4:7])
    positions = numpy.load(positions_file)

    collection = xml.etree.ElementTree.parse(folder + "/animation.pvd").getroot()
    assert collection.get("type") == "Collection"
    sets = collection.findall("./Collection/DataSet")
    assert len(sets) == len(positions), (len(sets), len(positions))

    for frame, entry in enumerate(sets):
        assert abs(float(entry.get("timestep")) - frame * step) < 1e-12
        reader = vtk.vtkXMLUnstructuredGridReader()
        errors = []
        reader.AddObserver("ErrorEvent", lambda *args: errors.append(args))
        reader.SetFileName(folder + "/" + entry.get("file"))
        reader.Update()
        assert not errors, errors
        grid = reader.GetOutput()

        points = vtk_to_numpy(grid.GetPoints().GetData())
        assert points.dtype == numpy.float64
        assert (points == positions[frame]).all()
        assert (vtk_to_numpy(grid.GetPointData().GetArray("vertex")) == numpy.arange(len(points))).all()

        assert grid.GetNumberOfCells() == num_tets
        for t in range(num_tets):
            assert grid.GetCellType(t) == vtk.VTK_TETRA
            corners = [grid.GetCell(t).GetPointId(k) for k in range(4)]
            body = 1 if t >= body_1_tet else 0
            assert all((c >= body_1_vertex) == (body == 1) for c in corners)
            # Right-handed tets of the rest shape stay right-handed under the test's motion.
            assert numpy.linalg.det(points[corners[1:]] - points[corners[0]]) > 0

        t = numpy.arange(num_tets)
        cells = grid.GetCellData()
        assert numpy.allclose(vtk_to_numpy(cells.GetArray("J")), 1 + t / 1000 + frame, rtol=1e-14)
        assert numpy.allclose(vtk_to_numpy(cells.GetArray("von_mises")), 10 * t + frame, rtol=1e-14)
        stretches = vtk_to_numpy(cells.GetArray("principal_stretches"))
        assert numpy.allclose(stretches, numpy.array([3, 2, 1]) + t[:, None] / 1000, rtol=1e-14)
        hydrostatic = vtk_to_numpy(cells.GetArray("hydrostatic_stress"))
        deviatoric = vtk_to_numpy(cells.GetArray("deviatoric_stress"))
        assert deviatoric.shape == (num_tets, 6)
        names = [cells.GetArray("deviatoric_stress").GetComponentName(k) for k in range(6)]
        assert names == ["xx", "yy", "zz", "xy", "yz", "zx"], names
        if frame == 0:
            assert numpy.isnan(hydrostatic).all() and numpy.isnan(deviatoric).all()
        else:
            s = t + 1000 * frame
            assert (hydrostatic == -s).all()
            tenths = numpy.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
            assert numpy.allclose(deviatoric, s[:, None] + tenths, rtol=1e-14)
        assert (vtk_to_numpy(cells.GetArray("body")) == (t >= body_1_tet)).all()
        time = vtk_to_numpy(grid.GetFieldData().GetArray("TimeValue"))
        assert abs(time[0] - frame * step) < 1e-12
    print("ok", len(sets), "frames")


main()

#!/usr/bin/env python3
"""Gives scripts/check_layering small trees that break the layering, one way each: every one must be caught."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_layering"


def run(files):
    """Exit code and output of the check on a tree of these files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        result = subprocess.run([sys.executable, SCRIPT, "--root", folder], capture_output=True, text=True)
        return result.returncode, result.stdout


class CheckLayering(unittest.TestCase):
    def caught(self, name, text, message):
        code, output = run({name: text})
        self.assertEqual(code, 1, output)
        self.assertIn(f"{name}:", output)
        self.assertIn(message, output)

    def test_what_stands_to_the_right_is_fine(self):
        for name, text in {
            "src/math/svd.h": '#include "base/names.h"\n#include "math/mat3.h"\n#include <cmath>\n',
            "src/descent/newton.cpp": '#include "linear/spd_solver.h"\n#include <Eigen/SparseCore>\n',
            "src/base/parallel_for.cpp": "#include <oneapi/tbb/parallel_for.h>\n",
            "src/io/run/run.cpp": '#include "io/exports/obj.h"\n#include "render/image.h"\n#include <nlohmann/json.hpp>\n',
            "src/mesh/surface_test.cpp": "#include <Eigen/SparseCore>\n#include <thread>\n",
            "apps/supple/main.cpp": '#include "io/run/run.h"\n#include "supple/supple.h"\n#include "supple_cli/list.h"\n',
            "include/supple/scene.h": '#include <vector>\n#include "supple/mesh.h"\n',
            "include/supple/supple_c.h": "#include <stddef.h>\n#include <stdint.h>\n",
            "src/serve/a.cpp": '#include "base/names.h"\n#include <thread>\n',
            "apps/supple/view.cpp": '#include "serve/web_server.h"\n',
            "src/c_interface/a.cpp": '#include "io/scene/reader.h"\n#include "supple/supple_c.h"\n',
            "src/sim/CMakeLists.txt": "supple_room(sim SOURCES a.cpp ROOMS descent model base LIBRARIES fmt::fmt)\n",
        }.items():
            with self.subTest(name):
                extra = {"src/base/error.cpp": ""}  # a tree without any source is an error too
                code, output = run({**extra, name: text})
                self.assertEqual(code, 0, output)

    def test_a_room_to_the_left_is_caught(self):
        for name, header, message in [
            ("src/base/a.h", "math/mat3.h", "base may not see math"),
            ("src/math/a.h", "mesh/surface.h", "math may not see mesh"),
            ("src/mesh/a.cpp", "materials/stvk.h", "mesh may not see materials"),
            ("src/model/a.cpp", "contact/collider.h", "model may not see contact"),
            ("src/integrate/a.cpp", "contact/collider.h", "integrate may not see contact"),
            ("src/descent/a.cpp", "position/xpbd.h", "descent may not see position"),
            ("src/position/a.cpp", "descent/newton.h", "position may not see descent"),
            ("src/linear/a.cpp", "math/mat3.h", "linear may not see math"),
            ("src/sim/a.cpp", "linear/spd_solver.h", "sim may not see linear"),
            ("src/sim/a.cpp", "render/image.h", "sim may not see render"),
            ("src/render/a.cpp", "io/exports/obj.h", "render may not see io/exports"),
            ("src/io/scene/a.cpp", "io/exports/obj.h", "io/scene may not see io/exports"),
            ("src/io/meshes/a.cpp", "io/scene/reader.h", "io/meshes may not see io/scene"),
            ("src/io/run/a.cpp", "c_interface/fault.h", "io/run may not see c_interface"),
            ("apps/supple/a.cpp", "linear/spd_solver.h", "apps may not see linear"),
            ("src/serve/a.cpp", "io/scene/reader.h", "serve may not see io/scene"),
            ("src/serve/a.cpp", "math/mat3.h", "serve may not see math"),
            ("src/sim/a_test.cpp", "io/scene/reader.h", "sim may not see io/scene"),
        ]:
            with self.subTest(name):
                self.caught(name, f'#pragma once\n#include "{header}"\n', message)

    def test_a_room_nobody_placed_is_caught(self):
        self.caught("src/extra/a.h", "", "has no place")
        self.caught("src/sim/a.cpp", '#include "extra/a.h"\n', "known room")
        self.caught("src/sim/a.cpp", '#include "stepper.h"\n', "known room")

    def test_a_library_out_of_its_place_is_caught(self):
        for name, header in [
            ("src/sim/a.cpp", "nlohmann/json.hpp"),
            ("src/render/a.cpp", "thread"),
            ("src/io/run/a.cpp", "future"),
            ("src/base/names.cpp", "tbb/task_arena.h"),
            ("src/model/a.cpp", "oneapi/tbb/parallel_for.h"),
            ("src/model/a.cpp", "Eigen/SparseCore"),
            ("src/position/a.cpp", "Eigen/SparseCholesky"),
        ]:
            with self.subTest(header):
                self.caught(name, f"  #  include <{header}>\n", "belong in")

    def test_a_public_header_sees_only_public_headers(self):
        self.caught("include/supple/a.h", '#include "math/mat3.h"\n', "only public headers")
        self.caught("include/supple/a.h", "#include <Eigen/Dense>\n", "only the standard library")
        self.caught("include/supple/a.h", "#include <stdint.h>\n", "only the standard library")
        self.caught("include/supple/supple_c.h", "#include <unistd.h>\n", "only the standard library")

    def test_a_link_to_the_left_is_caught(self):
        code, output = run({
            "src/base/a.cpp": "",
            "src/mesh/CMakeLists.txt": "supple_room(mesh\n  SOURCES a.cpp\n  ROOMS base model\n  TESTS t.cpp)\n",
            "src/io/scene/CMakeLists.txt": "supple_room(io_scene SOURCES a.cpp ROOMS io_run)\n",
        })
        self.assertEqual(code, 1, output)
        self.assertIn("mesh may not link model", output)
        self.assertIn("io/scene may not link io/run", output)

    def test_a_room_that_is_too_large_is_caught(self):
        text = "int a;\n" * 3000
        rooms = {f"src/{room}/a.cpp": text for room in ("base", "math", "mesh", "model", "sim")}
        self.assertEqual(run(rooms)[0], 0)
        code, output = run({**rooms, "src/sim/b.cpp": "int b;\n" * 100})
        self.assertEqual(code, 1, output)
        self.assertIn("src/sim: 3100 of 15100 lines", output)
        # Tests do not count.
        self.assertEqual(run({**rooms, "src/sim/b_test.cpp": "int b;\n" * 100})[0], 0)

    def test_an_empty_tree_is_no_success(self):
        code, output = run({"src/readme.md": ""})
        self.assertEqual(code, 1, output)
        self.assertIn("no source file", output)


if __name__ == "__main__":
    unittest.main()

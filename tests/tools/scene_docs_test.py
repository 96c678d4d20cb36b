#!/usr/bin/env python3
"""Holds docs/scene.md against the program: its examples run, and every key of a scene stands in it.

    scene_docs_test.py PROGRAM ROOT
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, ROOT = pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
TEXT = (ROOT / "docs" / "scene.md").read_text(encoding="utf-8")
# The scene around an example of a single key.
AROUND = {
    "mesh": '{{"supple": 1, "bodies": [{{ {} }}]}}',
    "material": '{{"supple": 1, "bodies": [{{"mesh": {{"box": {{}}}}, {} }}]}}',
    "fiber": '{{"supple": 1, "bodies": [{{"mesh": {{"box": {{}}}}, "material": {{"model": "arap", "mu": 1e4}}, {} }}]}}',
    "motion": '{{"supple": 1, "bodies": [{{"mesh": {{"box": {{}}}}, "material": {{"model": "arap", "mu": 1e4}}, '
              '"pins": [{{"select": {{"vertices": [0]}}, {} }}]}}]}}',
    "bonds": '{{"supple": 1, "bodies": ['
             '{{"name": "head", "mesh": {{"box": {{}}}}, "material": {{"model": "arap", "mu": 1e4}}}}, '
             '{{"name": "hair", "mesh": {{"strand": {{"start": [0, 0.5, 0], "end": [0, 1, 0]}}}}, '
             '"material": {{"model": "spring", "stiffness": 10}}}}], {} }}',
    "seams": '{{"supple": 1, "bodies": ['
             '{{"name": "front", "mesh": {{"cloth": {{"center": [0, 0.5, 0.1], "u": [1, 0, 0], "v": [0, 1, 0]}}}}, '
             '"material": {{"model": "spring", "stiffness": 10}}}}, '
             '{{"name": "back", "mesh": {{"cloth": {{"center": [0, 0.5, -0.1], "u": [1, 0, 0], "v": [0, 1, 0]}}}}, '
             '"material": {{"model": "spring", "stiffness": 10}}}}], {} }}',
    "colliders": '{{"supple": 1, "bodies": [{{"mesh": {{"box": {{}}}}, "material": {{"model": "arap", "mu": 1e4}}}}], {} }}',
}


def keys_of(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


def run(scene, *options):
    """The scene as run.json gives it back, after a frame."""
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run([PROGRAM, "run", scene, "--frames", "1", "-o", folder, *options],
                                capture_output=True, text=True)
        if result.returncode != 0:
            raise AssertionError(f"{scene}: {result.stderr}")
        return json.loads((pathlib.Path(folder) / "run.json").read_text())["scene"]


class SceneDocs(unittest.TestCase):
    def test_the_examples_run(self):
        count = 0
        for text in re.findall(r"^```jsonc?\n(.*?)^```", TEXT, re.M | re.S):
            if '{ "field"' in text:
                continue  # needs a mesh file with that field
            key = re.match(r'"(\w+)"', text)
            scene = AROUND[key.group(1)].format(text) if key else text
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "example.json"
                path.write_text(scene)
                run(path)
                count += 1
        self.assertGreaterEqual(count, 4)

    def test_every_key_of_the_scenes_is_explained(self):
        known = set(re.findall(r"\w+", TEXT))
        scenes = sorted((ROOT / "scenes").glob("*.json"))
        self.assertGreater(len(scenes), 0)
        for scene in scenes:
            with self.subTest(scene.name):
                missing = sorted(set(keys_of(run(scene))) - known)
                self.assertEqual(missing, [])

    def test_materials_are_those_of_the_program(self):
        listed = subprocess.run([PROGRAM, "list", "materials"], capture_output=True, text=True, check=True).stdout
        rows = {}
        for names, keys in re.findall(r"^\| (`[\w`, ]+`) \| (.*) \|$",
                                      TEXT[TEXT.index("### Material"):TEXT.index("#### Membranes")], re.M):
            for name in re.findall(r"`(\w+)`", names):
                rows[name] = set(re.findall(r"`(\w+)`", keys))
        rows["spline"] -= {"preset", "young", "poisson", "mu", "lambda"}
        # Drop the table's header, strands and springs, which have tables of their own, and rigid, which reads nothing.
        del rows["model"], rows["rod"], rows["spring"], rows["rigid"]
        for line in listed.splitlines():
            name = line.split()[0]
            if name in ("rod", "spring", "rigid"):
                continue
            keys = set(re.findall(r"\w+", line.rsplit("; ", 1)[1]))
            keys -= {"or", "and", "control", "points", "terms", "of", "functions", "in", "code"}
            with self.subTest(name):
                self.assertEqual(rows.pop(name), keys)
        self.assertEqual(rows, {})

    def test_options_of_solvers_are_those_of_the_program(self):
        listed = subprocess.run([PROGRAM, "list", "options"], capture_output=True, text=True, check=True).stdout
        rows = {}
        for row in re.findall(r"^\| `([\w/]+)` \| (.*?) \| (.*) \|$", TEXT[TEXT.index("## Solver"):TEXT.index("## Bodies")], re.M):
            rows[row[0]] = [re.sub(r"\]\([^)]*\)|[`\[]", "", cell) for cell in row[1:]]
        rows.pop("method")
        for line in listed.splitlines():
            key, default, values, _, text = re.match(r"(\S+) +(.*?); (.*?); (.*?); (.*)", line).groups()
            with self.subTest(key):
                documented = rows.pop(key)
                self.assertEqual(documented[0], default.replace("[", ""))
                self.assertIn(text, documented[1])
                if default.startswith('"'):
                    self.assertEqual([v for v in values.split(", ") if v not in " ".join(documented)], [])
        self.assertEqual(rows, {})


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Holds the JSON Schema that the program prints against scenes: those that come with it are valid, spoilt ones are not.

    schema_test.py PROGRAM ROOT
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import unittest

PROGRAM, ROOT = pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
SCHEMA = json.loads(subprocess.run([PROGRAM, "schema"], capture_output=True, text=True, check=True).stdout)
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "number": (int, float), "integer": (int, float)}
# The words that the schema uses: a word that this validator did not know would accept everything.
KNOWN = {"$schema", "title", "description", "default", "definitions", "type", "enum", "const", "minimum", "maximum",
         "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "items", "required", "properties",
         "additionalProperties", "propertyNames", "anyOf", "allOf", "if", "then", "$ref"}


def is_valid(value, schema):
    """Draft 7, as far as the schema uses it."""
    if set(schema) - KNOWN:
        raise AssertionError(f"unknown words: {set(schema) - KNOWN}")
    if "$ref" in schema:
        return is_valid(value, SCHEMA["definitions"][schema["$ref"].removeprefix("#/definitions/")])
    if "type" in schema:
        kind = schema["type"]
        if not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
            return False
        if kind == "integer" and value != int(value):
            return False
    if "enum" in schema and value not in schema["enum"] or "const" in schema and value != schema["const"]:
        return False
    if isinstance(value, (int, float)) and (
            value < schema.get("minimum", value) or value > schema.get("maximum", value) or
            "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"] or
            "exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"]):
        return False
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return False
        if not all(is_valid(item, schema.get("items", {})) for item in value):
            return False
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        if any(key not in value for key in schema.get("required", [])):
            return False
        if schema.get("additionalProperties", True) is False and any(key not in properties for key in value):
            return False
        if not all(is_valid(item, properties[key]) for key, item in value.items() if key in properties):
            return False
        if "propertyNames" in schema and not all(is_valid(key, schema["propertyNames"]) for key in value):
            return False
    if "if" in schema and is_valid(value, schema["if"]) and not is_valid(value, schema["then"]):
        return False
    return (all(is_valid(value, one) for one in schema.get("allOf", [])) and
            ("anyOf" not in schema or any(is_valid(value, one) for one in schema["anyOf"])))


def read(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*', lambda found: found.group(1) or "", text))


class Schema(unittest.TestCase):
    def test_the_scenes_are_valid(self):
        paths = sorted((ROOT / "scenes").glob("*.json")) + [ROOT / "fuzz/corpus/scene/every_key"]
        self.assertGreater(len(paths), 20)
        for path in paths:
            with self.subTest(path.name):
                self.assertTrue(is_valid(read(path), SCHEMA))

    def test_spoilt_scenes_are_not(self):
        scene = read(ROOT / "fuzz/corpus/scene/every_key")
        solver, bar, cloth = "solver", ("bodies", 0), {"model": "orthotropic_stvk", "warp": 1, "weft": 1, "shear": 1}
        spoilt = [
            (("gravty",), [0, 0, 0]), (("gravity",), [0, 0]), (("gravity",), "down"), (("supple",), "1"),
            (("$schema",), 1), (("bodies",), {}), (("time", "substeps"), 0), (("time", "substeps"), 1.5),
            (("time", "integrator"), "euler"), (("time", "step"), 0), ((solver, "method"), "lbfgs"),
            ((solver, "iterations"), "many"), ((solver, "refresh"), 3), ((solver, "line_search", "kind"), "wolfe"),
            ((*bar, "mesh", "box", "cells"), [1, 1]), ((*bar, "mesh", "cube"), {}), ((*bar, "density"), -1),
            ((*bar, "material"), {"model": "neo_hookan", "young": 1, "poisson": 0}),
            ((*bar, "material"), {"young": 1, "poisson": 0}), ((*bar, "material", "bulk"), 3),
            ((*bar, "material"), {**cloth, "mu": 1}), ((*bar, "material", "young"), True),
            ((*bar, "regions", 0, "material", "plasticity", "yeld"), 1), ((*bar, "fiber", "kappa"), None),
            ((*bar, "initial"), "flat"), ((*bar, "pins", 0, "select", "vertices"), [0.5]),
            ((*bar, "pins", 0, "motion", "rotate", "degrees"), 3), ((*bar, "touches"), [1]),
            (("colliders", 0, "plane", "height"), 1), (("colliders", 4, "capsule", "radius"), 0),
            (("contact", "self"), "no"), (("damping", "stiffness"), -0.1), (("blades",), [{"cut": []}])]
        self.assertTrue(is_valid(scene, SCHEMA))
        for place, value in spoilt:
            with self.subTest(place=place, value=value):
                other = copy.deepcopy(scene)
                at = other
                for step in place[:-1]:
                    at = at[step]
                at[place[-1]] = value
                self.assertFalse(is_valid(other, SCHEMA))


if __name__ == "__main__":
    unittest.main()

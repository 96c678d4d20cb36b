#!/usr/bin/env python3
"""Holds the table of docs/c_interface.md against the public headers: every function of C++ has its like in C, or a word on why
not, and every function of C is there.

    c_interface_test.py ROOT
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
INCLUDE = ROOT / "include" / "supple"
C_HEADER = "supple_c.h"
# Algebra and number types for energies that are templates: none of this is part of the C interface.
TEMPLATES = {"mat3.h", "own_number.h", "own_material.h", "own_energy.h"}
NOT_FUNCTIONS = {"if", "for", "while", "switch", "return", "sizeof", "static_assert", "requires", "defined", "decltype", "std",
                 "operator", "alignas", "visibility", "noexcept", "concept"}


def code(text):
    """A header without comments, strings, preprocessor lines and bodies of functions."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text)
    text = re.sub(r"^\s*#[^\n]*(?:\\\n[^\n]*)*", "", text, flags=re.M)
    before = None
    while before != text:  # removes braces after a parameter list, innermost first
        before = text
        text = re.sub(r"(\)\s*(?:const)?\s*(?:noexcept)?\s*)\{[^{}]*\}", r"\1;", text)
    return text


def functions_of(header):
    """Names of what is declared in a header: free functions, and public members as Class::name."""
    text = code((INCLUDE / header).read_text())
    names, scopes, at = set(), [], 0
    for match in re.finditer(r"\b(class|struct|enum class|enum)\s+(?:\[\[[^\]]*\]\]\s*)?(\w+)[^;{()]*\{|\bprivate:|[{}]|"
                             r"\b([a-z_]\w*)\s*\(", text):
        kind, scope, function = match.group(1), match.group(2), match.group(3)
        if kind:
            scopes.append([scope, kind.startswith("enum")])
        elif match.group(0) == "{":
            scopes.append([None, False])
        elif match.group(0) == "}":
            scopes.pop()
        elif match.group(0) == "private:":
            scopes[-1][1] = True
        elif function not in NOT_FUNCTIONS and not any(hidden for _, hidden in scopes):
            # A declaration has a type before it; a call, a default argument or a parameter does not.
            before = text[:match.start()].rstrip()
            if not re.search(r"[\w>&*\]]$", before) or re.search(r"\b(return|new)$", before):
                continue
            if text[:match.start()].count("(") != text[:match.start()].count(")"):
                continue
            owners = [name for name, _ in scopes if name]
            names.add("::".join(owners + [function]))
    return names


def table():
    """The rows of the table: names of C++, and what stands beside them."""
    text = (ROOT / "docs" / "c_interface.md").read_text()
    section = text.split("## C++ and C\n")[1].split("\n## ")[0]
    rows = []
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 2 and cells[0] not in ("C++", "---"):
            rows.append((re.findall(r"`([^`]+)`", cells[0]), cells[1]))
    return rows


def in_c(cell):
    """Functions of C that a cell names."""
    return re.findall(r"`(supple_\w+)`", cell)


class CInterface(unittest.TestCase):
    def setUp(self):
        self.own = set()
        for header in sorted(INCLUDE.glob("*.h")):
            if header.name != C_HEADER and header.name not in TEMPLATES:
                self.own |= functions_of(header.name)
        self.c = set(re.findall(r"\b(supple_\w+)\(", code((INCLUDE / C_HEADER).read_text())))
        self.rows = table()

    def test_headers_are_read(self):
        for name in ("generate", "load_scene", "Simulation::step", "Simulation::scene", "RunWatch::add", "compare_solvers",
                     "state_to_bytes", "version_number", "Pose::apply", "Error::kind"):
            self.assertIn(name, self.own)
        for name in ("supple_scene_load", "supple_simulation_step", "supple_last_error_where"):
            self.assertIn(name, self.c)
        self.assertNotIn("Simulation::self", self.own)  # private

    def test_every_function_of_cpp_has_a_row(self):
        named = [name for names, _ in self.rows for name in names]
        self.assertEqual(sorted(self.own - set(named)), [], "without a row in docs/c_interface.md")
        self.assertEqual(sorted(set(named) - self.own), [], "in docs/c_interface.md alone")
        self.assertEqual(sorted(named), sorted(set(named)), "more than one row")

    def test_every_row_has_functions_or_a_reason(self):
        for names, cell in self.rows:
            self.assertTrue(in_c(cell) or len(cell) > 10, names)

    def test_every_function_of_c_is_in_the_table(self):
        named = {name for _, cell in self.rows for name in in_c(cell)}
        named |= {name for name in self.c if name.startswith("supple_session_")}  # only in C
        self.assertEqual(sorted(self.c - named), [], "without a row in docs/c_interface.md")
        self.assertEqual(sorted(named - self.c), [], "in docs/c_interface.md alone")

    def test_structs_have_the_same_fields(self):
        c_text, own_text = code((INCLUDE / C_HEADER).read_text()), code((INCLUDE / "simulation.h").read_text())

        def fields(text, struct):
            body = re.search(r"struct " + struct + r" \{(.*?)\n\}", text, re.S).group(1)
            body = re.sub(r"<[^<>]*>", "", body)
            return set(re.findall(r"(\w+)(?:\[\d+\])?\s*(?:=[^;,]*|\{[^;]*\})?[;,]", body)) - {"struct_size"}

        for own, c in (("StepReport", "SuppleStepReport"), ("Energies", "SuppleEnergies"), ("BodyContact", "SuppleContact"),
                       ("ColliderForce", "SuppleColliderForce"), ("ContactEvent", "SuppleContactEvent"),
                       ("MultiplierStress", "SuppleMultiplierStress")):
            found = fields(own_text, own)
            self.assertGreater(len(found), 1)
            self.assertEqual(found, fields(c_text, c))


if __name__ == "__main__":
    unittest.main()

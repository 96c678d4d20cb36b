#!/usr/bin/env python3
"""Gives scripts/check_text small trees with one fault each: every one must be caught."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_text"
PROGRAM = "int main() {}\n"
C_PROGRAM = "int main(void) { return 0; }\n"
GOOD = {
    "README.md": f"# supple\n[docs](docs/scene.md#the-solver) [web](https://example.org)\n```cpp\n{PROGRAM}```\n",
    "docs/scene.md": "# Scene\n## The `solver`\n[up](../README.md)\n```\n[not a link](nowhere.md)\n```\n",
    "docs/changing.md": f"# Changing\n```cpp\n{PROGRAM}```\n",
    "docs/c_interface.md": f"# C\n```c\n{C_PROGRAM}```\n",
    "tests/package/main.cpp": PROGRAM,
    "tests/package/dragged_block.cpp": PROGRAM,
    "tests/package/pulled_block.c": C_PROGRAM,
    "src/a.cpp": "// relative to the work/ folder, at home/ and at the root\n",
}


def run(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        result = subprocess.run([sys.executable, SCRIPT, "--root", folder], capture_output=True, text=True)
        return result.returncode, result.stdout


class CheckText(unittest.TestCase):
    def caught(self, name, text, message):
        code, output = run({**GOOD, name: text})
        self.assertEqual(code, 1, output)
        self.assertIn(message, output)

    def test_a_good_tree_passes(self):
        code, output = run(GOOD)
        self.assertEqual(code, 0, output)

    def test_a_path_of_a_machine_is_caught(self):
        for path in ("/wo" "rk/main", "/ro" "ot/x", "/ho" "me/somebody/x", "/tm" "p/build-x"):
            with self.subTest(path):
                self.caught("src/b.h", f"// see {path}\n", "src/b.h:1: a path of somebody's machine")

    def test_unfinished_work_is_caught(self):
        self.caught("src/b.h", "\n// TO" "DO: more\n", "src/b.h:2: a note of unfinished work")
        self.caught("src/b.h", "#if " "0\n#endif\n", "switched off")

    def test_a_dead_link_is_caught(self):
        self.caught("docs/b.md", "[x](nowhere.md)\n", "leads nowhere")
        self.caught("docs/b.md", "![x](images/none.png)\n", "leads nowhere")
        self.caught("docs/b.md", "[x](scene.md#no-such-heading)\n", "no heading")

    def test_an_example_that_differs_from_the_tested_program_is_caught(self):
        self.caught("tests/package/main.cpp", "int main() { return 1; }\n", "its cpp is not")
        self.caught("tests/package/dragged_block.cpp", "int main() { return 1; }\n", "docs/changing.md: its cpp is not")
        self.caught("tests/package/pulled_block.c", "int main(void) { return 1; }\n", "its c is not")


if __name__ == "__main__":
    unittest.main()

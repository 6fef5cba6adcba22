#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the installed wheel is whole.  To be run by the Python that has it; `./dev wheel` does."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import ptxopt

HERE = pathlib.Path(__file__).resolve().parent
KERNEL = HERE.parent.parent / "corpus" / "ptx" / "nvcc" / "sm_90" / "redundant_barriers.ptx"
PROGRAMS = pathlib.Path(sys.executable).parent


def output(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, **more).stdout


class Wheel(unittest.TestCase):
    def test_it_is_the_installed_one(self):
        self.assertIn("site-packages", ptxopt.__file__)

    def test_programs(self):
        environment = {**os.environ, "PTXOPT_PTXAS": str(HERE.parent / "tools" / "fake_ptxas.py")}
        for name in ("ptxopt", "ptxcheck", "ptxrun", "ptxreduce", "ptxopt-ptxas", "ptxopt-ptxas-blackwell"):
            self.assertIn(ptxopt.version(), output(PROGRAMS / name, "--version", env=environment))

    def test_programs_elsewhere(self):
        """A link finds the library, a copy says what is wrong."""
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "ptxrun").symlink_to(PROGRAMS / "ptxrun")
            self.assertIn(ptxopt.version(), output(place / "ptxrun", "--version"))
            shutil.copy(PROGRAMS / "ptxrun", place / "copy")
            run = subprocess.run([place / "copy", "--version"], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("link to the program instead of copying it", run.stderr)

    def test_a_prefix_with_the_signs_of_a_pattern(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix = pathlib.Path(folder) / "a[b]*\\"
            (prefix / "bin").mkdir(parents=True)
            shutil.copy(PROGRAMS / "ptxrun", prefix / "bin")
            run = subprocess.run([prefix / "bin" / "ptxrun"], capture_output=True, text=True, check=False)
            self.assertIn("is neither in", run.stderr)
            package = prefix / "lib" / "python3.0" / "site-packages" / "ptxopt"
            package.mkdir(parents=True)
            (package / "libptxopt.so").write_bytes(b"bad")
            run = subprocess.run([prefix / "bin" / "ptxrun"], capture_output=True, text=True, check=False)
            self.assertIn("cannot load the Python package", run.stderr)
            shutil.rmtree(package)
            package.symlink_to(pathlib.Path(ptxopt.__file__).parent)
            self.assertIn(ptxopt.version(), output(prefix / "bin" / "ptxrun", "--version"))

    def test_library_and_program_agree(self):
        self.assertEqual(ptxopt.optimize(KERNEL.read_bytes(), level=3).text,
                         output(PROGRAMS / "ptxopt", "-O3", "-q", KERNEL, "-o", "-"))

    def test_the_example_of_the_readme(self):
        root = HERE.parent.parent
        example = (root / "README.md").read_text().split("```python\n")[1].split("```")[0]
        example += "assert list(b) == list(reversed(a)), b"
        self.assertIn("-\tbar.sync", output(sys.executable, "-c", example, cwd=root))

    def test_a_misspelt_variable(self):
        run = subprocess.run([sys.executable, "-c", "print(1)"], env={"PTXOPT_TRITTON": "2"}, capture_output=True,
                             text=True, check=True)
        self.assertEqual(run.stderr, "ptxopt: warning: PTXOPT_TRITTON has no effect; do you mean PTXOPT_TRITON?\n")

    def test_a_typo_in_the_variable_stops_who_imports_triton_and_nobody_else(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "triton.py").touch()
            environment = {"PTXOPT_TRITON": "max", "PYTHONPATH": folder}
            output(sys.executable, "-c", "import json", env=environment)
            run = subprocess.run([sys.executable, "-c", "import triton"], env=environment, capture_output=True,
                                 text=True, check=False)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("PTXOPT_TRITON must be a level of ptxopt from 0 to 3, not 'max'", run.stderr)

    def test_without_the_variable_nothing_is_loaded(self):
        self.assertEqual(output(sys.executable, "-c", "import sys; print('ptxopt' in sys.modules)").strip(), "False")


if __name__ == "__main__":
    unittest.main()

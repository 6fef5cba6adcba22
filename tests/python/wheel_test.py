#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the installed wheel is whole.  To be run by the Python that has it; `./dev wheel` does."""
import pathlib
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
        for name in ("ptxopt", "ptxrun", "ptxreduce", "ptxopt-ptxas"):
            self.assertIn(ptxopt.version(), output(PROGRAMS / name, "--version"))

    def test_library_and_program_agree(self):
        self.assertEqual(ptxopt.optimize(KERNEL.read_bytes(), level=3).text,
                         output(PROGRAMS / "ptxopt", "-O3", "-q", KERNEL, "-o", "-"))

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

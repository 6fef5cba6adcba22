# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of hooks share: programs run by a Python that has the compiler; no GPU is needed."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77


def python_with(compiler, modules):
    """That which PTXOPT_<COMPILER>_PYTHON names, or the usual one.  Skips the test if that lacks a module."""
    variable = f"PTXOPT_{compiler.upper()}_PYTHON"
    python = os.environ.get(variable) or sys.executable
    if subprocess.run([python, "-c", f"import {modules}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                      check=False).returncode:
        print(f"{python} has no {compiler} ({variable} can name another)")
        sys.exit(SKIPPED)
    return python


class HookTest(unittest.TestCase):
    python = sys.executable
    program = ""  # {before} stands for the first statements, {after} for the last ones
    settings = {}  # of the environment; {work} stands for the folder of the test

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)

    def run_program(self, before="", after="", environment=(), status=0):
        program = self.work / "program.py"
        program.write_text(self.program.replace("{before}", before).replace("{after}", after), encoding="utf-8")
        settings = {name: value.format(work=self.work) for name, value in self.settings.items()}
        run = subprocess.run([self.python, str(program)], capture_output=True, text=True, check=False,
                             env={**os.environ, **settings, **dict(environment)})
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run

    def words(self, *words, **more):
        """What the program prints."""
        return self.run_program(*words, **more).stdout.split()

    def check_wrong_options(self, compiler):
        """They are errors at once."""
        for options, words in (("level=7", "level"), ("passes='no'", "no"), ("assume='no'", "no"),
                               ("retarget='sm_1'", "sm_1")):
            run = self.run_program(f"import ptxopt.{compiler}; ptxopt.{compiler}.enable({options})", status=1)
            self.assertIn(words, run.stderr.splitlines()[-1])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The drop-in under a real JAX from pip, as docs/drop-in.md says; no GPU is needed.

usage: drop_in_jax_test.py PTXOPT-PTXAS

PTXOPT_JAX_PYTHON names the Python that has JAX with its plugin for CUDA 12 and the wheel of nvcc, if it is not
the usual one.  JAX compiles for a GPU that is only described.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

import compilers
import jax_program

DROP_IN = pathlib.Path(sys.argv.pop(1)).resolve()
PYTHON = os.environ.get("PTXOPT_JAX_PYTHON") or compilers.find("python3") or sys.executable
FIND = "import jax, jax_plugins.xla_cuda12, nvidia.cuda_nvcc as n; print(list(n.__path__)[0])"
found = subprocess.run([PYTHON, "-c", FIND], text=True, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL, check=False)
if found.returncode:
    compilers.skip(f"{PYTHON} has no JAX for CUDA 12 (PTXOPT_JAX_PYTHON can name another)")
WHEEL = pathlib.Path(found.stdout.strip())


class Jax(compilers.CompilerTest):
    real_ptxas = str(WHEEL / "bin" / "ptxas")

    def test_link_in_the_wheel(self):
        """A copy of the wheel, in front of the real one, has the link."""
        copy = self.work / "site" / "nvidia" / "cuda_nvcc"
        (copy / "bin").mkdir(parents=True)
        for file in WHEEL.iterdir():
            if file.name != "bin":
                (copy / file.name).symlink_to(file)
        for file in (WHEEL / "bin").iterdir():
            (copy / "bin" / file.name).symlink_to(DROP_IN if file.name == "ptxas" else file)
        (self.work / "program.py").write_text(jax_program.SORT + "compile()\n")
        self.environment.update(PYTHONPATH=str(self.work / "site"), PTXOPT_FLAGS="-O2",
                                PTXOPT_LOG=str(self.work / "log"),
                                JAX_SKIP_CUDA_CONSTRAINTS_CHECK="1")
        self.run_quietly(PYTHON, "program.py")
        entries = [json.loads(line) for line in (self.work / "log").read_text().splitlines()]
        self.assertTrue(entries, "JAX took another ptxas")
        before = sum(entry["barriersBefore"] for entry in entries)
        after = sum(entry["barriersAfter"] for entry in entries)
        self.assertLess(after, before)
        self.assertEqual(sum(self.barriers()), after)


if __name__ == "__main__":
    unittest.main(verbosity=2)

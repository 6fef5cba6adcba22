#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The drop-in under a real Triton; no GPU is needed.

usage: drop_in_triton_test.py PTXOPT-PTXAS

PTXOPT_TRITON_PYTHON names the Python that has Triton, if it is not the usual one.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

import compilers

DROP_IN = pathlib.Path(sys.argv.pop(1)).resolve()
PYTHON = os.environ.get("PTXOPT_TRITON_PYTHON") or compilers.find("python3") or sys.executable
if subprocess.run([PYTHON, "-c", "import triton"], stdout=subprocess.DEVNULL,
                  stderr=subprocess.DEVNULL, check=False).returncode:
    compilers.skip(f"{PYTHON} has no Triton (PTXOPT_TRITON_PYTHON can name another)")

# Prints the version text that goes into the key of Triton's cache, then the size of the cubin.
PROGRAM = """
import sys
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import get_ptxas_version
from triton.compiler import ASTSource

@triton.jit
def count(x, y, n: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(y + i, tl.histogram(tl.load(x + i), n))

arch = int(sys.argv[1])
source = ASTSource(fn=count, signature={"x": "*i32", "y": "*i32", "n": "constexpr"},
                   constexprs={"n": 128})
kernel = triton.compile(source, target=GPUTarget("cuda", arch, 32))
print(get_ptxas_version(arch))
print(len(kernel.asm["cubin"]))
"""


class Triton(compilers.CompilerTest):
    # Triton's own: the PTX that it writes goes by the version of ptxas.
    real_ptxas = subprocess.run(
        [PYTHON, "-c", "import triton.backends.nvidia as n, os;"
         "print(os.path.join(os.path.dirname(n.__file__), 'bin', 'ptxas'))"],
        stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    def test_variables(self):
        (self.work / "program.py").write_text(PROGRAM)
        self.environment["TRITON_PTXAS_PATH"] = str(DROP_IN)
        self.environment["TRITON_PTXAS_BLACKWELL_PATH"] = str(DROP_IN)
        for arch in (80, 90):
            with self.subTest(arch=arch):
                self.environment["TRITON_CACHE_DIR"] = str(self.work / f"cache{arch}")
                output = self.run_quietly(PYTHON, "program.py", arch).splitlines()
                self.assertEqual(len(self.barriers()), 1, "Triton took another ptxas")
                self.assertTrue(any(line.startswith("ptxopt ") for line in output), output)
                self.assertGreater(int(output[-1]), 0)

    def test_finds_the_ptxas_of_the_wheel(self):
        """As installed by pip, with no toolkit on PATH."""
        (self.work / "program.py").write_text(PROGRAM)
        del self.environment["PTXOPT_PTXAS"]
        self.environment.update(
            PATH="/usr/bin:/bin", TRITON_PTXAS_PATH=str(DROP_IN),
            TRITON_PTXAS_BLACKWELL_PATH=str(DROP_IN), TRITON_CACHE_DIR=str(self.work / "cache"),
            PTXOPT_LOG=str(self.work / "log"))
        self.run_quietly(PYTHON, "program.py", 80)
        [entry] = [json.loads(line) for line in (self.work / "log").read_text().splitlines()]
        self.assertEqual(pathlib.Path(entry["ptxas"]).parent, pathlib.Path(self.real_ptxas).parent)


if __name__ == "__main__":
    unittest.main(verbosity=2)

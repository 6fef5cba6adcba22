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
import tempfile
import unittest

import compilers

DROP_IN = pathlib.Path(sys.argv.pop(1)).resolve()
BLACKWELL = DROP_IN.with_name("ptxopt-ptxas-blackwell")
PYTHON = os.environ.get("PTXOPT_TRITON_PYTHON") or compilers.find("python3") or sys.executable
if subprocess.run([PYTHON, "-c", "import triton"], stdout=subprocess.DEVNULL,
                  stderr=subprocess.DEVNULL, check=False).returncode:
    compilers.skip(f"{PYTHON} has no Triton (PTXOPT_TRITON_PYTHON can name another)")

# Prints the version text that goes into the key of Triton's cache, then a hash of the cubin.
PROGRAM = """
import hashlib
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
print(hashlib.sha256(kernel.asm["cubin"]).hexdigest())
"""


class Triton(compilers.CompilerTest):
    # Triton's own: the PTX that it writes goes by the version of ptxas.
    real_ptxas = subprocess.run(
        [PYTHON, "-c", "import triton.backends.nvidia as n, os;"
         "print(os.path.join(os.path.dirname(n.__file__), 'bin', 'ptxas'))"],
        stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    def setUp(self):
        super().setUp()
        (self.work / "program.py").write_text(PROGRAM)
        for name in ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"):
            self.environment.pop(name, None)

    def compile(self, arch):
        """The lines that the program prints; Triton's cache is cold."""
        cache = tempfile.mkdtemp(dir=self.work)
        self.environment["TRITON_CACHE_DIR"] = cache
        return self.run_quietly(PYTHON, "program.py", arch).splitlines()

    def name_both(self):
        self.environment.update(TRITON_PTXAS_PATH=str(DROP_IN),
                                TRITON_PTXAS_BLACKWELL_PATH=str(BLACKWELL))

    def test_variables(self):
        self.name_both()
        for arch in (80, 90):
            with self.subTest(arch=arch):
                output = self.compile(arch)
                self.assertEqual(len(self.barriers()), 1, "Triton took another ptxas")
                self.assertTrue(any(line.startswith("ptxopt ") for line in output), output)

    def test_runs_the_ptxas_that_triton_would_run(self):
        """As installed by pip, with no toolkit on PATH: without a pass, the cubin is Triton's."""
        del self.environment["PTXOPT_PTXAS"]
        self.environment.update(PATH="/usr/bin:/bin", PTXOPT_FLAGS="-O0",
                                PTXOPT_LOG=str(self.work / "log"))
        alone = {arch: self.compile(arch)[-1] for arch in (80, 90)}
        self.name_both()
        for arch in (80, 90):
            output = self.compile(arch)
            self.assertEqual(output[-1], alone[arch], f"another cubin for sm_{arch}")
            self.assertEqual([line for line in output if "ptxopt-ptxas: warning" in line], [])
        entries = [json.loads(line) for line in (self.work / "log").read_text().splitlines()]
        self.assertEqual({pathlib.Path(entry["ptxas"]).parent for entry in entries},
                         {pathlib.Path(self.real_ptxas).parent})
        self.assertEqual(len(entries), 2)

    def test_one_name_for_both(self):
        """There is a warning where that makes a difference."""
        del self.environment["PTXOPT_PTXAS"]
        self.environment.update(TRITON_PTXAS_PATH=str(DROP_IN),
                                TRITON_PTXAS_BLACKWELL_PATH=str(DROP_IN))
        said = "\n".join(self.compile(80))
        folder = pathlib.Path(self.real_ptxas).parent
        releases = {subprocess.run([program, "--version"], text=True, stdout=subprocess.PIPE,
                                   check=True).stdout for program in folder.glob("ptxas*")}
        self.assertEqual("do not say which ptxas Triton means" in said, len(releases) > 1, said)

    def test_faults_are_said_where_triton_shows_them(self):
        self.name_both()
        self.environment.update(PTXOPT_FLAGS="--no-such-flag", PTXOPT_LOGS="x")
        said = "\n".join(self.compile(80))
        self.assertIn("warning: PTXOPT_FLAGS='--no-such-flag'", said)
        self.assertIn("warning: PTXOPT_LOGS is no variable of ptxopt-ptxas; "
                      "did you mean PTXOPT_LOG?", said)
        del self.environment["PTXOPT_LOGS"]
        for variables, what in (({"PTXOPT_STRICT": "1"}, "PTXOPT_STRICT makes this an error"),
                                ({"PTXOPT_PTXAS": "/absent"}, "/absent is not a program")):
            self.environment.update(variables)
            with self.assertRaises(AssertionError) as failure:
                self.compile(80)
            self.assertIn(what, str(failure.exception))


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The drop-in under a real nvcc and a real ccache: what docs/drop-in.md says of caches.

usage: drop_in_ccache_test.py PTXOPT-PTXAS
"""
import pathlib
import shutil
import subprocess
import sys
import unittest

import compilers

DROP_IN = pathlib.Path(sys.argv.pop(1)).resolve()
NVCC = compilers.nvcc_or_skip()
CCACHE = shutil.which("ccache") or compilers.skip("no ccache")


class Ccache(compilers.CompilerTest):
    real_ptxas = compilers.ptxas_or_skip()

    def setUp(self):
        super().setUp()
        (self.work / "kernel.cu").write_text(compilers.KERNEL)
        self.environment["CCACHE_DIR"] = str(self.work / "cache")
        self.environment.pop("CCACHE_DISABLE", None)
        self.compile()

    def compile(self, *words):
        """The barriers that reach ptxas; nothing where ccache answers."""
        self.barriers()
        self.run_quietly(CCACHE, NVCC, "-arch=sm_90", *words, "-c", "kernel.cu", "-o", "kernel.o")
        return self.barriers()

    def name_the_cache(self):
        answer = subprocess.run([DROP_IN, "--version"], env=self.environment, capture_output=True,
                                text=True, check=True).stdout
        self.environment["CCACHE_NAMESPACE"] = answer.splitlines()[-1]

    def check(self, *words):
        self.name_the_cache()
        self.assertEqual(self.compile(*words), [1], "an object that was made without ptxopt")
        self.assertEqual(self.compile(*words), [], "ccache does not know its own object")
        self.environment["PTXOPT_FLAGS"] = "-O0"
        self.name_the_cache()
        self.assertEqual(self.compile(*words), [2], "an object that was made with other flags")
        assumptions = self.work / "assumptions"
        self.environment["PTXOPT_FLAGS"] = f"-O1 --assumptions={assumptions}"
        for text in ("*: assume-1d\n", "*: assume-drf\n"):
            assumptions.write_text(text)
            self.name_the_cache()
            self.assertEqual(self.compile(*words), [1], "an object with other assumptions")

    def test_prefix_in_the_environment(self):
        self.environment["NVCC_APPEND_FLAGS"] = f"--ptxas-prefix {DROP_IN}"
        self.check()

    def test_prefix_on_the_command_line(self):
        self.check(f"--ptxas-prefix={DROP_IN}")


if __name__ == "__main__":
    unittest.main(verbosity=2)

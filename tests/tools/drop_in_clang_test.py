#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The drop-in under a real clang that compiles CUDA.

usage: drop_in_clang_test.py PTXOPT-PTXAS
"""
import pathlib
import subprocess
import sys
import unittest

import compilers

DROP_IN = pathlib.Path(sys.argv.pop(1)).resolve()
CLANG = compilers.find("clang") or compilers.skip("no clang")
if "nvptx64" not in subprocess.run([CLANG, "--print-targets"], stdout=subprocess.PIPE,
                                   text=True, check=False).stdout:
    compilers.skip("this clang does not compile for nvptx64")

# Needs no header of the toolkit, which may be too new for this clang.
PRELUDE = """
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define threadIdx_x __nvvm_read_ptx_sreg_tid_x()
"""


class Clang(compilers.CompilerTest):
    real_ptxas = compilers.ptxas_or_skip()

    def test_ptxas_path(self):
        source = PRELUDE + compilers.KERNEL.replace("threadIdx.x", "threadIdx_x")
        (self.work / "k.cu").write_text(source)
        for level, expected in (("-O2", [1]), ("-O0", [1])):
            with self.subTest(level):
                self.run_quietly(CLANG, "-x", "cuda", "-nocudainc", "-nocudalib", level,
                                 "--cuda-device-only", "--cuda-gpu-arch=sm_80",
                                 f"--ptxas-path={DROP_IN}", "-c", "k.cu", "-o", "k.o")
                self.assertEqual(self.barriers(), expected)
                self.assertTrue((self.work / "k.o").read_bytes().startswith(b"\x7fELF"))


if __name__ == "__main__":
    unittest.main(verbosity=2)

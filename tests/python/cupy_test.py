#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The hook under a real CuPy and NVRTC; a stand-in takes what the driver would load, so no GPU is needed.

PTXOPT_CUPY_PYTHON names the Python that has CuPy, if it is not the usual one.
"""
import unittest

from hooks import HookTest, python_with

# Prints how many barriers the driver gets, or "cubin".
PROGRAM = r"""
{before}
import os
from cupy.cuda import compiler

SOURCE = '''extern "C" __global__ void mirror(float* a) {
  __shared__ float tile[128];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  __syncthreads();
  a[threadIdx.x] = tile[127 - threadIdx.x];
}'''

class Module:
    def load(self, image):
        print("cubin" if image.startswith(b"\x7fELF") else image.count(b"bar.sync"))
    def _set_mapping(self, mapping):
        pass

compiler.function = type("Function", (), {"Module": Module})
compiler._get_arch_for_options_for_nvrtc = compiler._get_arch_for_options_for_nvrtc.__wrapped__  # without a device
def run():
    compiler._compile_module_with_cache(SOURCE, arch="80")
run()
{after}
print("files", len(os.listdir(os.environ["CUPY_CACHE_DIR"])))
"""
ENABLE = "import ptxopt.cupy; ptxopt.cupy.enable({})".format


class CuPy(HookTest):
    python = python_with("CuPy", "cupy_backends.cuda.libs.nvrtc as nvrtc, cupy; nvrtc.getVersion()")
    program = PROGRAM
    settings = {"CUPY_CACHE_DIR": "{work}/cache"}

    def test_a_barrier_goes_and_the_cache_tells_levels_apart(self):
        self.assertEqual(self.words(), ["cubin", "files", "1"])
        self.assertEqual(self.words(ENABLE("")), ["1", "files", "2"])
        self.assertEqual(self.words(ENABLE("")), ["1", "files", "2"])
        self.assertEqual(self.words(ENABLE("level=0")), ["2", "files", "3"])
        self.assertEqual(self.words(), ["cubin", "files", "3"])

    def test_disable(self):
        self.assertEqual(self.words(ENABLE(""), "ptxopt.cupy.disable(); run()"), ["1", "cubin", "files", "2"])

    def test_a_refused_text_leaves_that_of_nvrtc(self):
        run = self.run_program(ENABLE("retarget='ptx1.0,sm_10'"))
        self.assertEqual(run.stderr.count("ptxopt leaves the PTX of CuPy unchanged"), 1, run.stderr)
        self.assertEqual(run.stdout.split()[0], "2")

    def test_wrong_options_are_errors_at_once(self):
        self.check_wrong_options("cupy")

    def test_the_environment_variable(self):
        on_import = "import ptxopt_hooks"  # as ptxopt_hooks.pth does
        self.assertEqual(self.words(on_import, environment={"PTXOPT_CUPY": "2"})[0], "1")


if __name__ == "__main__":
    unittest.main()

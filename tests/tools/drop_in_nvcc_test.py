#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The drop-in under a real nvcc: whole programs that link.

usage: drop_in_nvcc_test.py PTXOPT-PTXAS MAKE-NVCC-BIN
"""
import os
import pathlib
import re
import sys
import unittest

import compilers

MAKE_NVCC_BIN = pathlib.Path(sys.argv.pop(2)).resolve()
DROP_IN = pathlib.Path(sys.argv.pop(1)).resolve()
NVCC = compilers.nvcc_or_skip()

MAIN = """
#include <cstdio>
__global__ void reverse(int* p);
int main() {
  reverse<<<1, 256>>>(nullptr);
  std::printf("ran\\n");
}
"""


class Nvcc(compilers.CompilerTest):
    real_ptxas = compilers.ptxas_or_skip()

    def setUp(self):
        super().setUp()
        (self.work / "one.cu").write_text(compilers.KERNEL + MAIN)
        (self.work / "kernel.cu").write_text(compilers.KERNEL)
        (self.work / "main.cu").write_text(MAIN)

    def make_folder(self):
        self.run_quietly(MAKE_NVCC_BIN, self.work / "toolkit" / "bin", NVCC, DROP_IN)
        return self.work / "toolkit" / "bin" / "nvcc"

    def test_as_a_prefix(self):
        self.run_quietly(NVCC, "--ptxas-prefix", DROP_IN, "-arch=sm_90", "one.cu", "-o", "one")
        self.assertEqual(self.barriers(), [1])
        self.assertEqual(self.run_quietly("./one"), "ran\n")

    def test_as_a_prefix_from_the_environment(self):
        self.environment["NVCC_APPEND_FLAGS"] = f"--ptxas-prefix {DROP_IN}"
        self.run_quietly(NVCC, "-arch=sm_90", "one.cu", "-o", "one")
        self.assertEqual(self.barriers(), [1])
        self.assertEqual(self.run_quietly("./one"), "ran\n")

    def doctor(self):
        text = self.run_quietly(DROP_IN, "--doctor")
        return re.search(r"^nvcc +(.*)", text, re.MULTILINE).group(1)

    def test_the_doctor_knows(self):
        self.environment["PATH"] = f"{pathlib.Path(NVCC).parent}:/usr/bin:/bin"
        self.assertIn("does not call this", self.doctor())
        self.environment["NVCC_PREPEND_FLAGS"] = f"--ptxas-prefix={DROP_IN}"
        self.assertIn("calls this through NVCC_PREPEND_FLAGS", self.doctor())
        del self.environment["NVCC_PREPEND_FLAGS"]
        folder = self.make_folder().parent
        self.environment["PATH"] = f"{folder}:/usr/bin:/bin"
        self.assertIn(f"calls this through {folder}/ptxas", self.doctor())

    def test_as_a_prefix_with_a_space(self):
        """The quotes reach the shell that nvcc starts."""
        program = self.work / "with space" / "ptxopt-ptxas"
        program.parent.mkdir()
        program.symlink_to(DROP_IN)
        self.run_quietly(NVCC, f'--ptxas-prefix="{program}"', "-arch=sm_90", "-cubin", "kernel.cu")
        self.assertEqual(self.barriers(), [1])
        self.environment["NVCC_APPEND_FLAGS"] = f'--ptxas-prefix="{program}"'
        self.run_quietly(NVCC, "-arch=sm_90", "-cubin", "kernel.cu")
        self.assertEqual(self.barriers(), [1])

    def test_a_folder_of_links_and_a_prefix(self):
        """Each text has its turn once."""
        self.environment["NVCC_APPEND_FLAGS"] = f"--ptxas-prefix={DROP_IN}"
        self.environment["PTXOPT_LOG"] = str(self.work / "log")
        del self.environment["PTXOPT_PTXAS"]
        self.run_quietly(self.make_folder(), "-arch=sm_90", "-cubin", "kernel.cu")
        self.assertEqual(len((self.work / "log").read_text().splitlines()), 1)

    def test_the_prefix_finds_the_ptxas_of_its_nvcc(self):
        del self.environment["PTXOPT_PTXAS"]
        self.environment["PATH"] = "/usr/bin:/bin"
        self.run_quietly(NVCC, "--ptxas-prefix", DROP_IN, "-arch=sm_90", "one.cu", "-o", "one")
        self.assertEqual(self.run_quietly("./one"), "ran\n")

    def test_in_a_folder_of_links(self):
        self.run_quietly(self.make_folder(), "-arch=sm_90", "one.cu", "-o", "one")
        self.assertEqual(self.barriers(), [1])
        self.assertEqual(self.run_quietly("./one"), "ran\n")

    def test_the_folder_of_links_needs_no_variable(self):
        nvcc = self.make_folder()
        del self.environment["PTXOPT_PTXAS"]
        self.environment["PATH"] = "/usr/bin:/bin"
        self.run_quietly(nvcc, "-arch=sm_90", "one.cu", "-o", "one")
        self.assertEqual(self.run_quietly("./one"), "ran\n")

    def test_relocatable_code_for_several_targets_at_once(self):
        self.run_quietly(self.make_folder(), "-rdc=true", "-t2",
                         "-gencode", "arch=compute_80,code=sm_80",
                         "-gencode", "arch=compute_90,code=[sm_90,compute_90]",
                         "kernel.cu", "main.cu", "-o", "two")
        self.assertEqual(self.barriers(), [0, 0, 1, 1])
        self.assertEqual(self.run_quietly("./two"), "ran\n")

    def test_the_usual_options(self):
        nvcc = self.make_folder()
        for options, expected in (
                (["-Xptxas", "-v", "-maxrregcount=64", "-lineinfo"], [1]),
                (["-Xptxas", "-dlcm=cg", "-fmad=false", "-split-compile=2"], [1]),
                (["-G"], [2])):
            with self.subTest(options):
                self.run_quietly(nvcc, "-arch=sm_90", "-cubin", *options, "kernel.cu")
                self.assertEqual(self.barriers(), expected)

    def test_messages_are_those_of_ptxas(self):
        (self.work / "kernel.cu").write_text(
            compilers.KERNEL + '__global__ void bad() { asm("no.such.thing;"); }\n')
        words = ("-arch=sm_90", "-cubin", "kernel.cu", "-Xptxas", "-v")
        outputs = []
        for nvcc in (NVCC, self.make_folder()):
            with self.assertRaises(AssertionError) as failure:
                self.run_quietly(nvcc, *words)
            outputs.append(re.sub(r"tmpxft_[0-9a-f]+", "tmpxft", str(failure.exception)))
        self.assertEqual(*outputs)
        self.assertIn("Unknown modifier", outputs[0])


if __name__ == "__main__":
    os.environ.pop("PTXAS_OPTIONS", None)
    unittest.main(verbosity=2)

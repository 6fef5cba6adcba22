#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The hook under a real Triton; no GPU is needed.

PTXOPT_TRITON_PYTHON names the Python that has Triton, if it is not the usual one.
"""
import pathlib
import unittest

from hooks import HookTest, python_with

# Prints how often PTX was written, how many statements it has, and how long it is.
PROGRAM = """
import sys
{before}
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia import compiler
from triton.compiler import ASTSource

written = []
make_ptx = compiler.CUDABackend.make_ptx
def counted(*words):
    written.append(words)
    return make_ptx(*words)
compiler.CUDABackend.make_ptx = counted

@triton.jit
def count(x, y, n: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(y + i, tl.histogram(tl.load(x + i), n))

source = ASTSource(fn=count, signature={"x": "*i32", "y": "*i32", "n": "constexpr"}, constexprs={"n": 128})
kernel = triton.compile(source, target=GPUTarget("cuda", 80, 32))
{after}
print(len(written), kernel.asm["ptx"].count(";"), len(kernel.asm["ptx"]))
"""


class Triton(HookTest):
    python = python_with("Triton", "triton; assert triton.__version__ >= '3.7'")
    program = PROGRAM
    settings = {"TRITON_CACHE_DIR": "{work}/cache", "TRITON_DEFAULT_FP_FUSION": "1"}

    def numbers(self, *words, **more):
        return [int(word) for word in self.words(*words, **more)]

    def test_the_cache_holds_our_ptx_and_tells_levels_apart(self):
        enable = "import ptxopt.triton; ptxopt.triton.enable(level={})".format
        plain = self.numbers()
        ours = self.numbers(enable(2))
        self.assertEqual((plain[0], ours[0]), (1, 1))
        self.assertLess(ours[1], plain[1])
        self.assertEqual(self.numbers(enable(2)), [0, *ours[1:]])
        self.assertEqual(self.numbers(), [0, *plain[1:]])
        self.assertEqual(self.numbers(enable(0)), plain)

    def test_the_example_of_the_readme(self):
        readme = (pathlib.Path(__file__).resolve().parent.parent.parent / "README.md").read_text(encoding="utf-8")
        example = next(block for block in readme.split("```") if "import ptxopt.triton" in block).partition("\n")[2]
        self.assertEqual(self.numbers(example), self.numbers("import ptxopt.triton; ptxopt.triton.enable()",
                                                             environment={"TRITON_ALWAYS_COMPILE": "1"}))

    def test_the_text_states_the_block(self):
        """So that is a fact for ptxopt, too."""
        self.assertEqual(self.words(after="print('.reqntid 128' in kernel.asm['ptx'])")[0], "True")

    def test_disable_brings_back_the_hook_from_before(self):
        run = self.run_program(
            "import ptxopt.triton, triton.knobs\n"
            "calls = []\n"
            "def mine(*words):\n"
            "    calls.append(words)\n"
            "    return ('mine', 'mine')\n"
            "triton.knobs.runtime.add_stages_inspection_hook = mine\n"
            "ptxopt.triton.enable(); ptxopt.triton.enable(level=3)",
            "assert len(calls) == 2 and calls[0] == (), calls\n"
            "ptxopt.triton.disable(); ptxopt.triton.disable()\n"
            "assert triton.knobs.runtime.add_stages_inspection_hook is mine")
        self.assertEqual(run.stderr, "")

    def test_a_refused_text_leaves_that_of_triton(self):
        run = self.run_program("import ptxopt.triton; ptxopt.triton.enable(retarget='ptx1.0,sm_10')")
        self.assertIn("ptxopt leaves the PTX of Triton unchanged", run.stderr)
        self.assertEqual(run.stdout, self.run_program(environment={"TRITON_ALWAYS_COMPILE": "1"}).stdout)

    def test_wrong_options_are_errors_at_once(self):
        self.check_wrong_options("triton")

    def test_the_environment_variable(self):
        plain = self.numbers()
        on_import = "import ptxopt_hooks"  # as ptxopt_hooks.pth does
        self.assertLess(self.numbers(on_import, environment={"PTXOPT_TRITON": "2"})[1], plain[1])


if __name__ == "__main__":
    unittest.main()

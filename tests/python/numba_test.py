#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The hook under a real Numba; no GPU is needed.

PTXOPT_NUMBA_PYTHON names the Python that has Numba, if it is not the usual one.
"""
import unittest

from hooks import HookTest, python_with

# Compiles a kernel with two barriers, of which one orders nothing; prints how many are left.
PROGRAM = """
{before}
from numba import cuda, float32
from numba.cuda import codegen

libraries = []
create = codegen.JITCUDACodegen.create_library
def recorded(*words, **more):
    libraries.append(create(*words, **more))
    return libraries[-1]
codegen.JITCUDACodegen.create_library = recorded

def mirror(a):
    i = cuda.threadIdx.x
    tile = cuda.shared.array(128, float32)
    tile[i] = a[i]
    cuda.syncthreads()
    cuda.syncthreads()
    a[i] = tile[127 - i]

def barriers():
    return cuda.compile_ptx(mirror, (float32[::1],), cc=(8, 0))[0].count("bar.sync")

print(barriers())
{after}
"""
ENABLE = "import ptxopt.numba; ptxopt.numba.enable({})".format
# A run needs a linker of NVIDIA's and, in some versions of Numba, a driver.
CAN_LINK = "libraries[-1]._lto = False; libraries[-1].get_cubin(cc=(8, 0))"


class Numba(HookTest):
    python = python_with("Numba", "numba.cuda.codegen, numba; numba.cuda.compile_ptx")
    program = PROGRAM

    def test_a_barrier_goes(self):
        self.assertEqual(self.words(), ["2"])
        self.assertEqual(self.words(ENABLE("")), ["1"])
        self.assertEqual(self.words(ENABLE("level=0")), ["2"])

    def test_disable(self):
        self.assertEqual(self.words(ENABLE(""), "ptxopt.numba.disable(); print(barriers())"), ["1", "2"])

    def test_a_refused_text_leaves_that_of_numba(self):
        run = self.run_program(ENABLE("retarget='ptx1.0,sm_10'"), "barriers()")
        self.assertEqual(run.stderr.count("ptxopt leaves the PTX of Numba unchanged"), 1, run.stderr)
        self.assertEqual(run.stdout.split(), ["2"])

    def test_what_is_for_a_debugger_stays(self):
        after = ("ptx = cuda.compile_ptx(mirror, (float32[::1],), cc=(8, 0), debug=True, opt=False)[0]\n"
                 "print('debug' in ptx.partition('.target')[2].partition('\\n')[0], ptx.count('bar.sync'))")
        self.assertEqual(self.words(ENABLE(""), after), ["1", "True", "2"])

    def test_wrong_options_are_errors_at_once(self):
        self.check_wrong_options("numba")

    def test_the_environment_variable(self):
        on_import = "import ptxopt_hooks"  # as ptxopt_hooks.pth does
        self.assertEqual(self.words(on_import, environment={"PTXOPT_NUMBA": "2"}), ["1"])

    def test_files_on_disk_are_told_apart(self):
        """The key needs a device; the test has one."""
        after = ("codegen.devices = type('Devices', (), {'get_context': lambda: type('Context', (), {'device': "
                 "type('Device', (), {'compute_capability': (8, 0)})})})\n"
                 "codegen.runtime = type('R', (), {'runtime': type('R', (), {'get_version': lambda: (12, 9)})})\n"
                 "print(hash(codegen.JITCUDACodegen('x').magic_tuple()))")
        keys = [self.words(before, after, environment={"PYTHONHASHSEED": "0"})[1]
                for before in ("", ENABLE(""), ENABLE("3"), ENABLE("3"), ENABLE("assume='assume=cuda'"))]
        self.assertEqual(len(set(keys)), 4)
        self.assertEqual(keys[2], keys[3])

    def test_the_cubin_holds_it_where_numba_would_optimize_at_link_time(self):
        try:
            self.run_program(after=CAN_LINK)
        except AssertionError as error:
            self.skipTest(str(error).strip().splitlines()[-1])
        after = ("library = libraries[-1]\n"
                 "def code():\n"
                 "    library._cubin_cache.clear()\n"
                 "    made = library.get_cubin(cc=(8, 0))\n"
                 "    return bytes(getattr(made, 'code', made))\n"
                 "library._lto = True; by_default = code(); assert library._lto\n"
                 "library._lto = False; print(by_default == code())")
        self.assertEqual(self.words(ENABLE(""), after), ["1", "True"])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The hook under a real Warp, which compiles ahead of time; a stand-in takes what the driver would load.

PTXOPT_WARP_PYTHON names the Python that has Warp, if it is not the usual one.
"""
import unittest

from hooks import HookTest, python_with

# Prints how many statements the driver gets, and how many the file of Warp has.
PROGRAM = r"""
{before}
import importlib
import pathlib
import sys
import warp
inside = "warp._src." if hasattr(warp, "_src") else "warp."  # before 1.10
build, context = (importlib.import_module(inside + name) for name in ("build", "context"))

@warp.kernel
def scale(a: warp.array(dtype=float), n: int):
    i = warp.tid()
    if i < n:
        a[i] = a[i] * 2.0 + a[i] * 2.0

class Core:
    def wp_cuda_load_module(self, context, path):
        print(pathlib.Path(path.decode()).read_text(errors="replace").count(";"))
        return 1
    def __getattr__(self, name):
        return getattr(core, name)

class Device:
    is_cuda, context = True, None

warp.config.quiet = True
warp.init()
folder = pathlib.Path(__file__).parent / "made"
def compile_ahead(use_ptx=True):
    warp.compile_aot_module(sys.modules["__main__"], arch=90, use_ptx=use_ptx, module_dir=str(folder))
    return next(folder.glob("*.ptx" if use_ptx else "*.cubin"))
def load(path):
    global core
    core = context.runtime.core
    context.runtime.core = Core()
    build.load_cuda(str(path), Device())
    context.runtime.core = core
made = compile_ahead()
load(made)
print(made.read_text().count(";"))
{after}
"""
ENABLE = "import ptxopt.warp; ptxopt.warp.enable({})".format


class Warp(HookTest):
    python = python_with("Warp", "warp; warp.compile_aot_module")
    program = PROGRAM
    settings = {"WARP_CACHE_PATH": "{work}/cache"}

    def numbers(self, *words, **more):
        return [int(word) for word in self.words(*words, **more) if word.isdigit()][-2:]

    def test_the_driver_gets_ours_and_the_file_stays(self):
        loaded, written = self.numbers()
        self.assertEqual(loaded, written)
        ours = self.numbers(ENABLE(""))
        self.assertLess(ours[0], written)
        self.assertEqual(ours[1], written)
        self.assertEqual(self.numbers(ENABLE("level=0")), [written, written])

    def test_disable(self):
        after = ("load(made); assert warp.config.cuda_output == 'ptx'\n"
                 "ptxopt.warp.disable(); assert warp.config.cuda_output is None; load(made)")
        ours, plain = self.numbers(ENABLE(""), after)
        self.assertLess(ours, plain)

    def test_a_refused_text_leaves_that_of_warp(self):
        run = self.run_program(ENABLE("retarget='ptx1.0,sm_10'"), "load(made)")
        self.assertEqual(run.stderr.count("ptxopt leaves the PTX of Warp unchanged"), 1, run.stderr)

    def test_nowhere_to_write_leaves_that_of_warp(self):
        run = self.run_program(ENABLE("") + "; import tempfile; tempfile.tempdir = '/dev/null'", "load(made)")
        self.assertEqual(run.stderr.count("set TMPDIR to another folder"), 1, run.stderr)

    def test_cubins_are_loaded_with_a_warning(self):
        run = self.run_program(ENABLE(""), "made = compile_ahead(False); load(made); load(made)")
        self.assertEqual(run.stderr.count("ptxopt does not see modules that Warp compiles to cubins"), 1, run.stderr)
        run = self.run_program("import warp; warp.config.cuda_output = 'cubin'; " + ENABLE(""), status=1)
        self.assertIn("cuda_output", run.stderr.splitlines()[-1])

    def test_wrong_options_are_errors_at_once(self):
        self.check_wrong_options("warp")

    def test_the_environment_variable(self):
        on_import = "import ptxopt_hooks"  # as ptxopt_hooks.pth does
        loaded, written = self.numbers(on_import, environment={"PTXOPT_WARP": "2"})
        self.assertLess(loaded, written)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The hook under a real JAX; no GPU is needed, because JAX compiles for one that is only described.

PTXOPT_JAX_PYTHON names the Python that has JAX with its plugin for CUDA and the wheel of nvcc, if it is not the usual
one.  ptxopt-ptxas must be on PATH.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from hooks import SKIPPED, HookTest, python_with

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import jax_program  # noqa: E402  (found by the line above)

PYTHON = python_with("JAX", "jax._src.lib as l, jax_plugins; open(l.cuda_path + '/bin/ptxas')")
if not shutil.which("ptxopt-ptxas"):
    print("PATH has no ptxopt-ptxas")
    sys.exit(SKIPPED)
PTXAS = pathlib.Path(subprocess.run([PYTHON, "-c", "import jax._src.lib as l; print(l.cuda_path)"], text=True,
                                    stdout=subprocess.PIPE, check=True).stdout.strip()) / "bin" / "ptxas"

PROGRAM = "\n{before}\nimport os\n" + jax_program.SORT + "{after}\n"


def enable(options=""):
    return f"import ptxopt.jax; ptxopt.jax.enable({options})"


class Jax(HookTest):
    python = PYTHON
    program = PROGRAM
    settings = {"PTXOPT_LOG": "{work}/log", "TMPDIR": "{work}/tmp", "JAX_SKIP_CUDA_CONSTRAINTS_CHECK": "1"}

    def setUp(self):
        super().setUp()
        (self.work / "tmp").mkdir()
        self.log = self.work / "log"

    def run_program(self, before="", after="compile()", environment=(), status=0):
        run = super().run_program(before, after, environment, status)
        self.assertEqual(list((self.work / "tmp").glob("ptxopt*")), [])
        return run

    def entries(self):
        """What ptxopt-ptxas was called for since the last question."""
        if not self.log.exists():
            return []
        entries = [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]
        self.log.unlink()
        return entries

    def entry(self):
        entries = self.entries()
        self.assertEqual(len(entries), 1, entries)
        return entries[0]

    def test_what_is_compiled_while_it_is_enabled(self):
        """One after the other in one process, after the backend has come up and compiled."""
        self.run_program(
            "import jax, ptxopt.jax",
            "variables, folder, hook = dict(os.environ), jax._src.lib.cuda_path, jax._src.cache_key.custom_hook\n"
            "compile()\n"
            "ptxopt.jax.enable(); compile()\n"
            "ptxopt.jax.enable(level=0); compile()\n"
            "ptxopt.jax.enable(level=3); compile()\n"
            "assert dict(os.environ) == variables\n"
            "ptxopt.jax.disable(); ptxopt.jax.disable(); compile()\n"
            "assert (jax._src.lib.cuda_path, jax._src.cache_key.custom_hook) == (folder, hook)")
        entries = self.entries()
        self.assertEqual([entry["flags"] for entry in entries], ["-O2", "-O0", "-O3"])
        self.assertEqual([entry["outcome"] for entry in entries], ["optimized", "unchanged", "optimized"])
        self.assertEqual([entry["barriersAfter"] < entry["barriersBefore"] for entry in entries], [True, False, True])
        self.assertTrue(os.path.samefile(entries[0]["ptxas"], PTXAS))

    def test_the_persistent_cache_tells_levels_apart(self):
        cache = self.work / "cache"
        environment = {"JAX_COMPILATION_CACHE_DIR": str(cache), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
                       "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}
        counts = []
        for before in ("", enable(), enable(), enable("level=0"), enable("assume=iter(['assume=cuda'])"),
                       enable("assume=iter(['assume=cuda'])"), ""):
            self.run_program(before, environment=environment)
            counts.append(len(list(cache.glob("jit_*"))))
        if not counts[0]:
            self.skipTest("this JAX keeps nothing of what it compiles for a described GPU")
        self.assertEqual(counts, [1, 2, 2, 3, 4, 4, 4])

    def test_options_reach_ptxopt(self):
        options = ("passes='early-cse<memssa>,dead-sync', retarget='sm_80', "
                   "assume={\"it's\": ['assume=cuda', 'flat-shared']}")
        run = self.run_program(enable(options),
                               "compile(); print(open(jax._src.lib.cuda_path + '/assumptions.txt').read())")
        self.assertTrue(run.stdout.endswith("it's: assume=cuda\nit's: flat-shared\n"), run.stdout)
        entry = self.entry()
        self.assertEqual(entry["outcome"], "optimized")
        self.assertIn("-O2 '--passes=early-cse<memssa>,dead-sync' --for=sm_80 --assumptions=", entry["flags"])

    def test_the_ptxas_of_the_user(self):
        mine = self.work / "my ptxas"
        mine.symlink_to(PTXAS)
        self.run_program(enable(), environment={"PTXOPT_PTXAS": str(mine)})
        self.assertEqual(self.entry()["ptxas"], str(mine))

    def test_hooks_of_others(self):
        mine = "jax._src.cache_key.custom_hook = lambda: 'mine'\n"
        run = self.run_program(after="import ptxopt.jax\n" + mine +
                               "ptxopt.jax.enable()\n"
                               "assert jax._src.cache_key.custom_hook().endswith('mine')\n"
                               "ptxopt.jax.disable()\n"
                               "assert jax._src.cache_key.custom_hook() == 'mine'\n"
                               "ptxopt.jax.enable()\n" + mine +
                               "ptxopt.jax.disable()\n"
                               "assert jax._src.cache_key.custom_hook() == 'mine'")
        self.assertEqual(run.stderr.count("RuntimeWarning"), 1, run.stderr)

    def check_error(self, words, before, environment=()):
        run = self.run_program(before, "", environment, status=1)
        self.assertIn(words, run.stderr)

    def test_wrong_options_are_errors_at_once(self):
        self.check_wrong_options("jax")

    def test_the_environment_variable(self):
        on_import = "import ptxopt_hooks"  # as ptxopt_hooks.pth does
        self.run_program(on_import, environment={"PTXOPT_JAX": "3"})
        self.assertEqual(self.entry()["flags"], "-O3")
        run = self.run_program(on_import, environment={"PTXOPT_JAX": "3", "PTXOPT_FLAGS": "-O1"})
        self.assertIn("PTXOPT_JAX has no effect: PTXOPT_FLAGS is set", run.stderr)
        self.assertEqual(self.entries(), [])

    def test_what_is_missing_is_an_error_at_once(self):
        self.check_error("PTXOPT_FLAGS is set", enable(), {"PTXOPT_FLAGS": "-O1"})
        self.check_error("pip install nvidia-cuda-nvcc", enable(), {"CUDA_ROOT": str(self.work)})
        self.check_error("cannot make a folder of links",
                         "import tempfile; tempfile.tempdir = '/dev/null'; " + enable())
        self.check_error("no plugin for CUDA", "import sys; sys.modules['jax_plugins'] = None; " + enable())
        self.check_error("no program ptxopt-ptxas", "import sysconfig; sysconfig.get_path = lambda name: '/no'; " +
                         enable(), {"PATH": "/no"})

    def test_ptxopt_ptxas_warns_at_once(self):
        """JAX does not show what it says later."""
        run = self.run_program(enable(), "", {"PTXOPT_PTXAS": "/no"})
        self.assertIn("program.py:2: RuntimeWarning: ptxopt-ptxas: warning: PTXOPT_PTXAS=/no is not", run.stderr)


if __name__ == "__main__":
    unittest.main()

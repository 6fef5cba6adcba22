#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PTXOPT_TRITON and its like do when a program imports the compiler; the compilers are stand-ins."""
import unittest

from hooks import HookTest

# A Triton that is new enough, with a place for the hook.
GOOD = "__version__ = '3.9.0'\nclass knobs:\n    class runtime:\n        add_stages_inspection_hook = None\n"
ENABLED = "print(triton.knobs.runtime.add_stages_inspection_hook is not None)\n"


class Variables(HookTest):
    program = "import ptxopt_hooks  # as ptxopt_hooks.pth does\n{before}\n{after}\n"

    def run_with(self, name, text, after, value="2", variable="", status=0):
        (self.work / f"{name}.py").write_text(text, encoding="utf-8")
        return self.run_program(after=after, environment={variable or f"PTXOPT_{name.upper()}": value}, status=status)

    def test_after_any_number_of_questions(self):
        for question in ("", "import importlib.util; importlib.util.find_spec('triton')\n" * 2,
                         "import importlib.machinery as m; m.PathFinder.find_spec('triton')\n"):
            run = self.run_with("triton", GOOD, question + "import triton\n" + ENABLED)
            self.assertEqual((run.stdout, run.stderr), ("True\n", ""), question)

    def test_after_an_import_that_failed(self):
        run = self.run_with("triton", "import os\nif 'late' not in os.environ: raise OSError\n" + GOOD,
                            "import os\ntry:\n    import triton\nexcept OSError:\n    os.environ['late'] = '1'\n"
                            "import triton\n" + ENABLED)
        self.assertEqual((run.stdout, run.stderr), ("True\n", ""))

    def test_a_reload_enables_nothing(self):
        run = self.run_with("triton", GOOD, "import triton, importlib\nimport ptxopt.triton as t; t.disable()\n"
                                            "importlib.reload(triton)\n" + ENABLED)
        self.assertEqual((run.stdout, run.stderr), ("False\n", ""))

    def test_no_place_for_a_hook_is_a_warning(self):
        for name, text in (("triton", ""), ("triton", "__version__ = 'main'"), ("triton", "__version__ = '3.6.0'"),
                           ("warp", ""), ("jax", ""), ("cupy", "")):
            run = self.run_with(name, text, f"import {name}; print('on')")
            self.assertEqual(run.stdout, "on\n")
            self.assertRegex(run.stderr, f"^ptxopt: warning: PTXOPT_{name.upper()} has no effect: .")

    def test_a_missing_compiler_is_an_error_as_ever(self):
        run = self.run_program(after="import no_such_module", environment={"PTXOPT_WARP": "2"}, status=1)
        self.assertIn("No module named 'no_such_module'", run.stderr)

    def test_wrong_names_and_values(self):
        for variable, meant in (("PTXOPT_TRITTON", "PTXOPT_TRITON"), ("PTXOPT_Numba", "PTXOPT_NUMBA")):
            run = self.run_program(environment={variable: "2"})
            self.assertEqual(run.stderr, f"ptxopt: warning: {variable} has no effect; do you mean {meant}?\n")
        for variable in ("PTXOPT_LOG", "PTXOPT_STRICT", "PTXOPT_FLAGS"):
            self.assertEqual(self.run_program(environment={variable: ""}).stderr, "")
        run = self.run_with("triton", GOOD, "import triton", value="max", status=1)
        self.assertIn("PTXOPT_TRITON must be a level of ptxopt from 0 to 3, not 'max'", run.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The steps of action.yml and the hook of .pre-commit-hooks.yaml, run as scripts.

    tests/tools/action_test.py build/release/bin
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOOD = ".version 7.0\n.target sm_80\n.address_size 64\n.entry k() {\n  ret;\n}\n"
WORSE = GOOD.replace("ret;", "bar.sync 0;\n  ret;")


def steps():
    """name -> (environment, script): as much of YAML as action.yml has."""
    with open(os.path.join(ROOT, "action.yml"), encoding="utf-8") as file:
        text = file.read()
    found = {}
    for step in re.split(r"^    - name: ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = step.partition("\n")
        environment = dict(re.findall(r"^        (\w+): \$\{\{ (.*?) \}\}$", rest, re.MULTILINE))
        script = re.search(r"^      run: (?:\|\n((?:        .*\n|\n)*)|(.*)\n)", rest, re.MULTILINE)
        if script:
            found[name] = environment, re.sub(r"^        ", "", script[1] or script[2], flags=re.MULTILINE)
    return found


class Action(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.makedirs(os.path.join(self.folder, "a b", "deep"))
        for name, text in (("good.ptx", GOOD), ("a b/deep/worse.ptx", WORSE), ("bad.txt", "no PTX")):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)

    def run_step(self, name, **inputs):
        environment, script = steps()[name]
        outputs = os.path.join(self.folder, "outputs")
        values = {variable: inputs[source.split(".")[-1]] for variable, source in environment.items()}
        run = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=self.folder,
                             env={**os.environ, **values, "GITHUB_OUTPUT": outputs,
                                  "PATH": PROGRAMS + os.pathsep + os.environ["PATH"]},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return run.returncode, run.stdout

    def test_inputs(self):
        """Each one is used, and each that is used is declared."""
        with open(os.path.join(ROOT, "action.yml"), encoding="utf-8") as file:
            text = file.read()
        declared = set(re.findall(r"^  (\w+):$", text.partition("inputs:\n")[2].partition("runs:\n")[0], re.MULTILINE))
        self.assertEqual(declared, set(re.findall(r"inputs\.(\w+)", text)))
        self.assertIn('pip install --quiet "$PACKAGE"', steps()["Install"][1])

    def test_a_file_that_would_change(self):
        status, output = self.run_step("Check", files="**/*.ptx none/*.ptx", args="-O2", sarif="log.sarif")
        self.assertEqual(status, 0, output)
        with open(os.path.join(self.folder, "log.sarif"), encoding="utf-8") as file:
            results = json.load(file)["runs"][0]["results"]
        places = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results}
        self.assertEqual(places, {"a%20b/deep/worse.ptx"})
        with open(os.path.join(self.folder, "outputs"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "status=2\n")
        self.assertEqual(self.run_step("Judge", status="2", fail="false")[0], 0)
        status, output = self.run_step("Judge", status="2", fail="true")
        self.assertEqual((status, "::error::" in output), (2, True))
        self.assertEqual(self.run_step("Judge", status="0", fail="true")[0], 0)

    def test_files_that_are_wrong_or_missing(self):
        self.assertEqual(self.run_step("Check", files="good.ptx", args="-O2", sarif="log.sarif")[0], 0)
        status, output = self.run_step("Check", files="bad.txt", args="-O2", sarif="log.sarif")
        self.assertEqual((status, "bad.txt:1:1: error" in output), (1, True), output)
        status, output = self.run_step("Check", files="*.cu", args="-O2", sarif="log.sarif")
        self.assertEqual((status, "no file matches *.cu" in output), (1, True), output)

    def test_hook(self):
        with open(os.path.join(ROOT, ".pre-commit-hooks.yaml"), encoding="utf-8") as file:
            hook = dict(re.findall(r"^(?:- |  )(\w+): (.*)$", file.read(), re.MULTILINE))
        self.assertTrue(re.search(hook["files"], "a/k.ptx") and not re.search(hook["files"], "k.ptx.txt"))
        program, *options = hook["entry"].split(" ")
        for name, status in (("good.ptx", 0), ("a b/deep/worse.ptx", 2), ("bad.txt", 1)):
            run = subprocess.run([os.path.join(PROGRAMS, program), *options, name],
                                 cwd=self.folder, capture_output=True)
            self.assertEqual(run.returncode, status, run.stderr)


if __name__ == "__main__":
    PROGRAMS = os.path.abspath(sys.argv.pop())
    unittest.main()

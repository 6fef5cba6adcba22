#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/compiler-explorer/ptxopt-explorer, called as Compiler Explorer calls compilers and tools.

usage: explorer_test.py PTXOPT
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PTXOPT = str(pathlib.Path(sys.argv.pop(1)).resolve())
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples" / "compiler-explorer"
KERNEL = ROOT / "corpus" / "ptx" / "nvcc" / "sm_90_lineinfo" / "redundant_barriers.ptx"


class Explorer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        shutil.copy(KERNEL, self.work / "example.ptx")

    def call(self, *words, status=0):
        run = subprocess.run([str(EXAMPLE / "ptxopt-explorer"), *words], cwd=self.work, capture_output=True, text=True,
                             check=False, env={**os.environ, "PTXOPT": PTXOPT})
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run.stdout

    def test_version_and_options(self):
        expression = re.search(r"versionRe=(.*)", (EXAMPLE / "ptx.local.properties").read_text()).group(1)
        self.assertTrue(re.search(expression, self.call("--version"), re.MULTILINE))
        self.assertIn("-fsave-optimization-record", self.call("--help"))

    def test_a_compiler(self):
        output = self.work / "output.s"
        self.call("-g", "-o", str(output), "-S", "-fcolor-diagnostics", "-O3", "example.ptx")
        self.assertLess(output.read_text().count("bar.sync"), KERNEL.read_text().count("bar.sync"))
        self.assertFalse((self.work / "output.opt.yaml").exists())

    def test_remarks(self):
        self.call("-g", "-o", str(self.work / "output.s"), "-S", "-fsave-optimization-record", "-O2", "example.ptx")
        documents = (self.work / "output.opt.yaml").read_text().split("...\n")
        self.assertEqual(documents.pop(), "")
        lines = KERNEL.read_text().splitlines()
        names = set()
        for document in documents:
            match = re.fullmatch(r'--- !(Passed|Missed|Analysis)\nPass: +"(.*)"\nName: +"(.*)"\n'
                                 r'DebugLoc: +{ File: "example.ptx", Line: (\d+), Column: (\d+) }\n'
                                 r'Function: +"(.*)"\nArgs:\n  - String: +"(.*)"\n(?:  - Source: +"(.*)"\n)?', document)
            self.assertIsNotNone(match, document)
            if match[2] == "dead-sync":
                names.add((match[1], match[3]))
                self.assertIn("bar.sync", lines[int(match[4]) - 1])
                self.assertRegex(match[8], r"^ \(cuda/redundant_barriers.cu:\d+:\d+\)$")
        self.assertEqual(names, {("Passed", "removed"), ("Missed", "kept")})

    def test_tools(self):
        self.assertIn("total: 43 barriers", self.call("--explain-barriers", "example.ptx"))
        self.assertIn("PTX", self.call("--needs", "example.ptx"))
        self.assertIn("-\tbar.sync", self.call("-mtriple=x86_64", "-mcpu=generic", "--diff", "example.ptx"))

    def test_a_wrong_text(self):
        (self.work / "example.ptx").write_text("bad")
        self.call("-g", "-o", "output.s", "-S", "example.ptx", status=1)

    def test_properties_name_what_they_list(self):
        for file in EXAMPLE.glob("*.properties"):
            entries = dict(line.split("=", 1) for line in file.read_text().splitlines()
                           if line and not line.startswith("#"))
            for tool in entries["tools"].split(":"):
                self.assertIn(f"tools.{tool}.exe", entries)
            for compiler in entries.get("group.ptxopt.compilers", "").split(":"):
                self.assertTrue(not compiler or f"compiler.{compiler}.name" in entries)


if __name__ == "__main__":
    unittest.main(verbosity=2)

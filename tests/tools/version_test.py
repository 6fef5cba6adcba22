#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version stands in CMakeLists.txt alone; all programs say it, and CHANGELOG.md is about it.

usage: version_test.py SOURCE-FOLDER PROGRAM-FOLDER
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path(sys.argv.pop(2)).resolve()
SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
VERSION = re.search(r"^project\(ptxopt VERSION (\d+\.\d+\.\d+) ",
                    (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
# What is compiled or installed.  The rest may tell of old versions.
CHECKED = ("src", "include", "cmake", "scripts")


class Version(unittest.TestCase):
    def ask(self, program, environment=None):
        result = subprocess.run([PROGRAMS / program, "--version"], text=True, timeout=60, env=environment,
                                stdin=subprocess.DEVNULL, capture_output=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_programs(self):
        for program in ("ptxopt", "ptxcheck", "ptxrun", "ptxreduce"):
            with self.subTest(program):
                self.assertEqual(self.ask(program), f"{program} {VERSION}\n")

    def test_drop_in(self):
        with tempfile.TemporaryDirectory() as folder:
            ptxas = pathlib.Path(folder) / "ptxas"
            ptxas.write_text("#!/bin/sh\necho release 13.0\n")
            ptxas.chmod(0o755)
            said = self.ask("ptxopt-ptxas", {**os.environ, "PTXOPT_PTXAS": str(ptxas), "PTXOPT_FLAGS": ""})
        self.assertEqual(said, f"release 13.0\nptxopt {VERSION}\n")

    def test_one_place(self):
        found = []
        for path in sorted(path for folder in CHECKED for path in (SOURCE / folder).rglob("*")):
            if path.is_file() and re.search(rf"(?<![\d.]){re.escape(VERSION)}(?![\d.])",
                                            path.read_text(encoding="utf-8", errors="replace")):
                found.append(str(path.relative_to(SOURCE)))
        self.assertEqual(found, [])

    def test_changes(self):
        newest = re.search(r"^## (.*)$", (SOURCE / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
        self.assertIn(newest.split()[0], (VERSION, "Unreleased"))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""./dev says what it installs before it does: with an apt-get that installs nothing.

usage: dev_test.py SOURCE-FOLDER
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()

# Writes down how it was called, and all that ./dev had said by then.
APT_GET = """#!/bin/sh
for word; do case $word in update | install) what=$word ;; esac; done
{ echo "== $what"; cat "$SAID"; } >> "$CALLS"
"""


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        (self.work / "bin").mkdir()
        shutil.copy(SOURCE / "dev", self.work / "dev")
        self.program("apt-get", APT_GET)
        self.program("dpkg-query", "#!/bin/sh\nexit 1\n")  # nothing is installed
        self.program("apt-cache", "#!/bin/sh\nexit 0\n")  # and nothing known
        self.program("sudo", "#!/bin/sh\nexec \"$@\"\n")

    def program(self, name, text):
        path = self.work / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def dev(self, *words):
        """The status, what was said, and what had been said at each call of apt-get."""
        said, calls = self.work / "said", self.work / "calls"
        environment = {**os.environ, "PATH": f"{self.work}/bin:{os.environ['PATH']}",
                       "SAID": str(said), "CALLS": str(calls)}
        with said.open("w") as stream:
            status = subprocess.run([self.work / "dev", *words], stderr=stream, stdin=subprocess.DEVNULL,
                                    env=environment, timeout=60, check=False).returncode
        return status, said.read_text(), calls.read_text().split("== ")[1:] if calls.exists() else []

    def test_says_first(self):
        status, _, calls = self.dev("setup")
        self.assertEqual(status, 0)
        update, install = calls
        self.assertTrue(update.startswith("update\n") and install.startswith("install\n"))
        for package in ("g++", "cmake", "ninja-build", "libcli11-dev", "clang-format"):
            self.assertRegex(update, rf"(?m)^  {package.replace('+', '.')} ")
        self.assertRegex(update, "(?m)apt-get update$")
        self.assertRegex(install, "apt-get install g.. cmake .*clang-format")

    def test_known_packages_need_no_update(self):
        self.program("apt-cache", "#!/bin/sh\necho '  Candidate: 1.0'\n")
        _, said, calls = self.dev("setup")
        self.assertEqual([call.split("\n")[0] for call in calls], ["install"])
        self.assertNotIn("apt-get update", said)

    def test_list_changes_nothing(self):
        status, said, calls = self.dev("setup", "--list")
        self.assertEqual((status, calls), (0, []))
        self.assertRegex(said, "(?m)^  libgtest-dev +unit tests$")
        self.assertEqual(self.dev("setup", "--lists")[::2], (1, []))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/bazel: its kernels go through ptxopt, and again only when something decides otherwise about the code.

    tests/bazel/bazel_test.py --build BUILD --work FOLDER

The status is 77, which CTest counts as skipped, where Bazel or an nvcc with --ptxas-prefix is missing.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/bazel"
TOOLKIT = os.environ.get("PATH", "") + os.pathsep + "/usr/local/cuda/bin"
ARCHITECTURES = 2


class Bazel(unittest.TestCase):
    options = None

    @classmethod
    def bazel(cls, *words):
        return subprocess.run(["bazel", f"--output_user_root={cls.work / 'root'}", *words], cwd=cls.project, text=True,
                              env={**os.environ, "PATH": TOOLKIT}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False)

    @classmethod
    def setUpClass(cls):
        cls.work = cls.options.work
        cls.project = cls.work / "project"
        if cls.work.exists():  # Bazel takes the permission to write from what it makes
            subprocess.run(["chmod", "-R", "u+w", cls.work], check=True)
            shutil.rmtree(cls.work)
        shutil.copytree(EXAMPLE, cls.project)
        (cls.project / "WORKSPACE").touch()
        (cls.project / "ptxopt-ptxas").symlink_to(cls.options.build / "bin/ptxopt-ptxas")

    @classmethod
    def tearDownClass(cls):
        cls.bazel("shutdown")

    def build(self):
        """Builds, and returns what ptxopt has done so far.  The sandbox would not let it write the log."""
        log = self.work / "log.jsonl"
        run = self.bazel("build", "//:scale", "--spawn_strategy=local", f"--action_env=PTXOPT_LOG={log}")
        self.assertEqual(run.returncode, 0, run.stdout)
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]

    def test_example(self):
        entries = self.build()
        self.assertEqual(len(entries), ARCHITECTURES)
        for entry in entries:
            self.assertEqual((entry["names"], entry["barriersBefore"], entry["barriersAfter"]), (["scaleBy"], 2, 0))
            self.assertEqual(entry["flags"], "-O3 --assume=cuda --assumptions=launches.txt")
        self.assertTrue((self.project / "bazel-bin/libscale.a").is_file())
        self.assertEqual(len(self.build()), ARCHITECTURES)
        with open(self.project / "launches.txt", "a", encoding="utf-8") as file:
            file.write("# Another line.\n")
        self.assertEqual(len(self.build()), 2 * ARCHITECTURES)


def has_prefix(nvcc):
    return subprocess.run([nvcc, "--ptxas-prefix=true", "--version"], capture_output=True, check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    Bazel.options, rest = parser.parse_known_args()
    nvcc = shutil.which("nvcc", path=TOOLKIT)
    if not (shutil.which("bazel") and nvcc and has_prefix(nvcc)):
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()

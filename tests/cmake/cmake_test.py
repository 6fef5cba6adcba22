#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt_optimize() in a project that links: with and without, reporting only, by Ninja and by Make.

    tests/cmake/cmake_test.py --build BUILD --work FOLDER --generator Ninja

The status is 77, which CTest counts as skipped, where the generator or an nvcc that can link is missing.  With
cuobjdump the code is looked at, too, and not only the log.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ARCHITECTURES = 3


def run(*words):
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: status {result.returncode}\n{result.stdout}")
    return result.stdout


class Project(unittest.TestCase):
    options = None

    @classmethod
    def setUpClass(cls):
        cls.work = os.path.join(cls.options.work, cls.options.generator.replace(" ", "-"))
        shutil.rmtree(cls.work, ignore_errors=True)
        cls.prefix = os.path.join(cls.work, "prefix")
        run("cmake", "--install", cls.options.build, "--prefix", cls.prefix)
        cls.source = os.path.join(cls.work, "source")
        shutil.copytree(os.path.join(HERE, "project"), cls.source)

    def configure(self, name, *definitions):
        return run("cmake", "-S", self.source, "-B", os.path.join(self.work, name), "-G", self.options.generator,
                   f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CUDA_COMPILER={self.options.nvcc}",
                   "-DCMAKE_BUILD_TYPE=Release", *definitions)

    def make(self, name, *targets):
        return run("cmake", "--build", os.path.join(self.work, name), "--parallel", "2",
                   *(("--target", *targets) if targets else ()))

    def log(self, name):
        path = os.path.join(self.work, name, "log.jsonl")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def check_barriers(self, name, target, expected):
        """In the code of all architectures."""
        if self.options.cuobjdump:
            sass = run(self.options.cuobjdump, "-sass", os.path.join(self.work, name, target))
            self.assertEqual(sass.count("BAR.SYNC"), expected, f"{name}/{target}")

    def test_with_and_without(self):
        self.configure("with")
        self.make("with")
        self.configure("without", "-DPTXOPT_OPTIMIZE=OFF")
        self.make("without")
        run(os.path.join(self.work, "with", "program"))
        self.assertEqual(self.log("without"), [])
        self.check_barriers("without", "libscale.a", 2 * ARCHITECTURES)
        self.check_barriers("with", "libscale.a", 0)
        self.check_barriers("with", "program", 0)
        self.check_barriers("with", "libdebugged.a", 2 * ARCHITECTURES)
        kernels = {}
        for entry in self.log("with"):
            for name in entry.get("names", ()):
                kernels.setdefault((name, entry["outcome"], entry["flags"].split(" --assumptions")[0]), []).append(entry)
        self.assertEqual({key: len(entries) for key, entries in kernels.items()},
                         {("scaleBy", "optimized", "-O3 --assume=cuda"): ARCHITECTURES,
                          ("countUp", "optimized", "-O2"): ARCHITECTURES,
                          ("useTwice", "unchanged", "-O2"): ARCHITECTURES})
        left = [entry["reason"] for entry in self.log("with") if entry["outcome"] == "left alone"]
        self.assertEqual(len(left), ARCHITECTURES)  # the target for a debugger
        # Nothing is compiled twice, until what decides about the code changes.
        lines = len(self.log("with"))
        self.make("with")
        self.assertEqual(len(self.log("with")), lines)
        with open(os.path.join(self.source, "launches.txt"), "a", encoding="utf-8") as file:
            file.write("# Another line.\n")
        self.make("with")
        self.assertEqual(len(self.log("with")), lines + ARCHITECTURES)

    @unittest.skipUnless("Ninja" in sys.argv, "once is enough")
    def test_report_only(self):
        self.configure("report", "-DPTXOPT_REPORT_ONLY=ON")
        self.make("report", "scale")
        self.check_barriers("report", "libscale.a", 2 * ARCHITECTURES)
        entries = [entry for entry in self.log("report") if entry.get("reason") == "PTXOPT_REPORT_ONLY"]
        self.assertEqual(len(entries), ARCHITECTURES)
        self.assertTrue(all(entry["barriersAfter"] < entry["barriersBefore"] for entry in entries), entries)

    @unittest.skipUnless("Ninja" in sys.argv, "once is enough")
    def test_mistakes(self):
        mistakes = {"ptxopt_optimize(none)": "no target 'none'", "ptxopt_optimize(scale LEVEL 4)": "not '4'",
                    "ptxopt_optimize(scale QUICKLY)": "QUICKLY", "ptxopt_optimize(scale LAUNCH no.txt)": "no.txt",
                    "ptxopt_optimize(scale LEVEL)": "LEVEL"}
        project = os.path.join(self.source, "CMakeLists.txt")
        with open(project, encoding="utf-8") as file:
            text = file.read()
        try:
            for line, words in mistakes.items():
                with open(project, "w", encoding="utf-8") as file:
                    file.write(text + line + "\n")
                with self.assertRaises(AssertionError, msg=line) as raised:
                    self.configure("mistakes")
                self.assertIn(words, str(raised.exception))
        finally:
            with open(project, "w", encoding="utf-8") as file:
                file.write(text)


def works(nvcc, generator):
    """CMake can use it: a toolkit without its libraries cannot link."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="ascii") as file:
            file.write("cmake_minimum_required(VERSION 3.22)\nproject(empty LANGUAGES CUDA)\n")
        return subprocess.run(["cmake", "-S", folder, "-B", os.path.join(folder, "build"), "-G", generator,
                               f"-DCMAKE_CUDA_COMPILER={nvcc}"], capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--generator", default="Ninja")
    options, rest = parser.parse_known_args()
    toolkit = os.environ.get("PATH", "") + os.pathsep + "/usr/local/cuda/bin"
    options.nvcc = shutil.which("nvcc", path=toolkit)
    options.cuobjdump = shutil.which("cuobjdump", path=toolkit)
    maker = {"Ninja": "ninja", "Unix Makefiles": "make"}[options.generator]
    if not (options.nvcc and shutil.which(maker) and works(options.nvcc, options.generator)):
        sys.exit(77)
    Project.options = options
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()

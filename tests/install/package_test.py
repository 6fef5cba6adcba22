#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Debian package of a build: what it holds works, it has the same bytes each time, and lintian is content.

    tests/install/package_test.py --build BUILD --work FOLDER

The status is 77, which CTest counts as skipped, where CPack or Debian's tools are missing.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNEL = ROOT / "corpus/ptx/nvcc/sm_90/redundant_barriers.ptx"
MAINTAINER = {"DEBFULLNAME": "Test of the package", "DEBEMAIL": "test@example.org"}
PROGRAMS = ("ptxcheck", "ptxopt", "ptxopt-corpus", "ptxopt-launches", "ptxopt-make-nvcc-bin", "ptxopt-ptxas", "ptxopt-ptxas-blackwell", "ptxreduce", "ptxrun")


def run(*words, **options):
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: status {result.returncode}\n{result.stdout}")
    return result.stdout


class Package(unittest.TestCase):
    options = None

    @classmethod
    def make(cls, name):
        """gzip takes a tenth of the time of xz, which `./dev deb` uses."""
        folder = cls.options.work / name
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1000000000", **MAINTAINER}
        # The mask of the user is in the archive, as CPack writes it.
        run("cpack", "--config", cls.options.build / "CPackConfig.cmake", "-B", folder,
            "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", env=environment, umask=0o022)
        shutil.rmtree(folder / "_CPack_Packages")
        [package] = folder.glob("ptxopt_*.deb")
        return package

    @classmethod
    def setUpClass(cls):
        shutil.rmtree(cls.options.work, ignore_errors=True)
        cls.package = cls.make("first")
        cls.root = cls.options.work / "root"
        run("dpkg-deb", "-x", cls.package, cls.root)
        cls.usr = cls.root / "usr"

    def test_files(self):
        for program in PROGRAMS:
            self.assertTrue(os.access(self.usr / "bin" / program, os.X_OK), program)
            self.assertTrue((self.usr / f"share/man/man1/{program}.1.gz").is_file(), program)
        for name in ("lib/libptxopt.a", "lib/cmake/ptxopt/ptxopt-config.cmake", "include/ptxopt/ptxopt.h",
                     "share/doc/ptxopt/copyright", "share/doc/ptxopt/changelog.gz",
                     "share/zsh/vendor-completions/_ptxopt"):
            self.assertTrue((self.usr / name).is_file(), name)

    def test_control(self):
        control = run("dpkg-deb", "-f", self.package)
        self.assertIn("Maintainer: Test of the package <test@example.org>\n", control)
        # Python is for ptxopt-launches and ptxopt-corpus; shlibdeps finds libc6, and no other library of the system is linked.
        self.assertRegex(control, r"\nDepends: python3, libc6 \(>= [0-9.]+\)\n")
        self.assertIn("\nRecommends: python3-lz4, python3-zstandard\n", control)

    def test_programs(self):
        result = self.options.work / "result.ptx"
        run(self.usr / "bin/ptxopt", KERNEL, "-o", result)
        self.assertLess(result.read_text().count("bar.sync"), KERNEL.read_text().count("bar.sync"))
        said = run(self.usr / "bin/ptxrun", "--compare", KERNEL, result, "--kernel", "_Z10fiveInARowPKiPi")
        self.assertIn("same:", said)
        run(self.usr / "bin/ptxreduce", "--help")
        run(self.usr / "bin/ptxcheck", "--help")
        environment = {**os.environ, "PTXOPT_PTXAS": ROOT / "tests/tools/fake_ptxas.py"}
        said = run(self.usr / "bin/ptxopt-ptxas", "--version", env=environment)
        self.assertIn("ptxopt", said)

    def test_same_bytes(self):
        self.assertEqual(self.make("second").read_bytes(), self.package.read_bytes())

    def test_maintainer_is_needed(self):
        environment = {name: value for name, value in os.environ.items() if name not in MAINTAINER}
        with self.assertRaisesRegex(AssertionError, "Set DEBFULLNAME and DEBEMAIL"):
            run("cpack", "--config", self.options.build / "CPackConfig.cmake", "-B", self.options.work / "none",
                env=environment)

    @unittest.skipUnless(shutil.which("lintian"), "no lintian")
    def test_lintian(self):
        run("lintian", "--pedantic", "--fail-on", "error,warning,pedantic", self.package)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    Package.options, rest = parser.parse_known_args()
    if not all(map(shutil.which, ("cpack", "dpkg-deb", "dpkg-shlibdeps", "file"))):
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the drop-in with real compilers have in common."""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

NOT_THERE = 77  # ctest shows the test as skipped

# Two barriers where one does.
KERNEL = """
__global__ void reverse(int* p) {
  __shared__ int s[256];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  __syncthreads();
  p[threadIdx.x] = s[255 - threadIdx.x];
}
"""


def skip(why):
    print("skipped:", why)
    sys.exit(NOT_THERE)


def find(name, *folders):
    """A program on PATH or where its package puts it."""
    return shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), *folders]))


def nvcc_or_skip():
    return find("nvcc", "/usr/local/cuda/bin") or skip("no nvcc (of the CUDA toolkit)")


def ptxas_or_skip():
    return find("ptxas", "/usr/local/cuda/bin") or skip("no ptxas (of the CUDA toolkit)")


class CompilerTest(unittest.TestCase):
    """Gives a folder to work in, and a ptxas that keeps what it was given and then does its job."""

    real_ptxas = None  # set by the test program

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)
        self.seen = self.work / "seen"
        self.seen.mkdir()
        self.spy = self.work / "spy" / "ptxas"
        self.spy.parent.mkdir()
        self.spy.write_text(
            "#!/bin/sh\n"
            "for word; do\n"
            f'  [ ! -f "$word" ] || cat "$word" >"$(mktemp "{self.seen}/XXXXXX")"\n'
            "done\n"
            f'exec "{self.real_ptxas}" "$@"\n')
        self.spy.chmod(self.spy.stat().st_mode | stat.S_IXUSR)
        self.environment = dict(os.environ, PTXOPT_PTXAS=str(self.spy), PTXOPT_FLAGS="-O1")
        for name in ("NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "PTXOPT_PTXAS_VISITED"):
            self.environment.pop(name, None)

    def run_quietly(self, *words):
        result = subprocess.run([str(word) for word in words], cwd=self.work, text=True,
                                env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        self.assertEqual(result.returncode, 0, result.stdout)
        return result.stdout

    def barriers(self):
        """In every text that reached ptxas since the last question, in no order."""
        counts = []
        for file in self.seen.iterdir():
            text = file.read_text(errors="replace")
            if ".version" in text and not text.startswith("\x7fELF"):
                counts.append(sum("bar.sync" in line and "//" not in line
                                  for line in text.splitlines()))
            file.unlink()
        return sorted(counts)

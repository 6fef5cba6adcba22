#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the host finds by name in a cubin made by nvcc is still there after ptxopt.

usage: host_symbols_test.py PTXOPT
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import compilers

PTXOPT = pathlib.Path(sys.argv.pop(1)).resolve()
NVCC = compilers.nvcc_or_skip()
PTXAS = compilers.ptxas_or_skip()

PROGRAM = r"""
#include <cstdio>
__device__ int counter;
__device__ int neverUsed = 4;
static __device__ float factor = 2.5f;
namespace { __device__ double hidden[3] = {1, 2, 3}; }
template <class T> __device__ T zero;
template __device__ int zero<int>;
__managed__ int managed = 3;
__constant__ float table[4] = {1, 2, 3, 4};
static __constant__ int limit = 9;

__global__ void work(float* out) {
  static __device__ int calls;
  if (threadIdx.x == 0) {
    calls += 1;
    int sum = calls + limit;
    asm volatile("{ .shared .align 16 .b8 handmade[64];\n"  // nvcc splits those that it sees
                 "st.shared.u32 [handmade+8], %0;\n"
                 "st.shared.u32 [handmade+32], %0;\n"
                 "ld.shared.u32 %0, [handmade+8]; }" : "+r"(sum));
    counter = sum;
    printf("%d calls\n", calls);
  }
  out[threadIdx.x] = table[threadIdx.x % 4] * factor + hidden[threadIdx.x % 3] + zero<int> + managed;
}

int main() {
  int value = 1;
  cudaMemcpyToSymbol(counter, &value, sizeof value);
  cudaMemcpyToSymbol(neverUsed, &value, sizeof value);
  cudaMemcpyToSymbol(zero<int>, &value, sizeof value);
  cudaMemcpyToSymbol(limit, &value, sizeof value);
  cudaMemcpyFromSymbol(&value, factor, sizeof value);
  cudaMemcpyFromSymbol(&value, hidden, sizeof value);
  cudaMemcpyFromSymbol(&value, table, sizeof value);
  work<<<1, 64>>>(nullptr);
  return cudaDeviceSynchronize();
}
"""


def symbols(path):
    """Names of the objects in the symbol tables of an ELF file of 64 bits, and their sizes."""
    data = path.read_bytes()
    offset, = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + k * size) for k in range(count)]
    names = {}
    for section in sections:
        if section[1] != 2:  # SHT_SYMTAB
            continue
        strings = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], section[9]):
            name, info, _, _, _, length = struct.unpack_from("<IBBHQQ", data, at)
            if info & 15 not in (1, 13):  # STT_OBJECT, and the variables of a cubin
                continue
            begin = strings + name
            names[data[begin:data.index(b"\0", begin)].decode()] = length
    return names


class HostSymbols(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        (self.work / "host.cu").write_text(PROGRAM)

    def execute(self, *command):
        run = subprocess.run([str(word) for word in command], cwd=self.work, capture_output=True,
                             text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def registered(self):
        """The names under which the host side registers its variables."""
        self.execute(NVCC, "-arch=sm_90", "--cuda", "--keep", "host.cu")
        stub = (self.work / "host.cudafe1.stub.c").read_text()
        return re.findall(r"__cudaRegister(?:Variable|ManagedVariable)\([^,]*,\s*__shadow_var\((\w+),",
                          stub)

    def check(self, *options):
        self.execute(NVCC, "-arch=sm_90", "-ptx", *options, "host.cu", "-o", "in.ptx")
        self.execute(PTXAS, "-arch=sm_90", "-c", "in.ptx", "-o", "in.cubin")
        before = symbols(self.work / "in.cubin")
        self.assertIn("counter", before)
        for pipeline in (["-O2"], ["-O3"], ["--passes=global-opt"]):
            self.execute(PTXOPT, *pipeline, "in.ptx", "-o", "out.ptx")
            self.execute(PTXAS, "-arch=sm_90", "-c", "out.ptx", "-o", "out.cubin")
            after = symbols(self.work / "out.cubin")
            lost = {name: size for name, size in before.items()
                    if after.get(name) != size and "handmade" not in name}
            self.assertEqual(lost, {}, pipeline)
        self.assertIn("handmade$f0[4]", (self.work / "out.ptx").read_text())
        return before

    def test_without_relocatable_code(self):
        names = self.check()
        registered = self.registered()
        self.assertGreaterEqual(len(registered), 7)
        for name in registered:
            self.assertIn(name, names)

    def test_with_relocatable_code(self):
        self.check("-rdc=true")


if __name__ == "__main__":
    unittest.main()

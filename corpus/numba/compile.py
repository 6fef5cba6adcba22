"""Writes one kernel as PTX without a GPU: compile.py NAME ARCH OUT [debug|lineinfo]."""
import sys

from numba import cuda

import kernels

name, arch, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
function, signature = kernels.BUILDS[name]
text, _ = cuda.compile_ptx(function, signature, cc=(arch // 10, arch % 10),
                           debug="debug" in sys.argv[4:], opt="debug" not in sys.argv[4:],
                           lineinfo="lineinfo" in sys.argv[4:])
with open(out, "w") as file:
  file.write(text)

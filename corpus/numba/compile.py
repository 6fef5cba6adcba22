"""Writes one kernel as PTX without a GPU: compile.py MODULE NAME ARCH OUT [debug|lineinfo]."""
import importlib
import sys

from numba import cuda

module, name, arch, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
function, signature = importlib.import_module(module).BUILDS[name]
text, _ = cuda.compile_ptx(function, signature, cc=(arch // 10, arch % 10),
                           debug="debug" in sys.argv[5:], opt="debug" not in sys.argv[5:],
                           lineinfo="lineinfo" in sys.argv[5:])
with open(out, "w") as file:
  file.write(text)

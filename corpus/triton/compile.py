"""Writes one kernel as PTX without a GPU: compile.py MODULE NAME ARCH OUT."""
import importlib
import sys

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

module, name, arch, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
function, types, constants, options = importlib.import_module(module).BUILDS[name]
arguments = [a for a in function.arg_names if a not in constants]
signature = dict(zip(arguments, types.split())) | {c: "constexpr" for c in constants}
# Pointers that are multiples of 16 and strides that are, as a launch would find them.
even = {"k", "stride_a", "stride_b", "stride_c"}
attributes = {(function.arg_names.index(a),): [["tt.divisibility", 16]]
              for a in arguments if signature[a].startswith("*") or a in even}
values = {(function.arg_names.index(c),): v for c, v in constants.items()}
source = ASTSource(function, signature, constexprs=values, attrs=attributes)
kernel = triton.compile(source, target=GPUTarget("cuda", arch, 32), options=options)
with open(out, "w") as file:
  file.write(kernel.asm["ptx"])

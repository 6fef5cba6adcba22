"""Writes one kernel as PTX without a GPU: compile.py MODULE NAME ARCH OUT."""
import importlib
import os
import pathlib
import shutil
import sys
import tempfile

module, name, arch, out = sys.argv[1:]
dump = tempfile.mkdtemp()
os.environ.update(CUTE_DSL_ARCH=f"sm_{arch}", CUTE_DSL_KEEP="ptx", CUTE_DSL_DUMP_DIR=dump)

import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import make_fake_compact_tensor

kernels = importlib.import_module(module)
function, shapes, scalars = kernels.BUILDS[name]
element = getattr(kernels, "TYPES", {}).get(name, cutlass.Float32)
tensors = [make_fake_compact_tensor(element, s, stride_order=tuple(reversed(range(len(s)))),
                                    assumed_align=getattr(kernels, "ALIGNMENT", None))
           for s in shapes]
cute.compile(function, *tensors, *(cutlass.Int32(s) for s in scalars))
shutil.copyfile(next(pathlib.Path(dump).glob("*.ptx")), out)
shutil.rmtree(dump)

"""Writes one kernel as PTX without a GPU: compile.py NAME ARCH OUT."""
import os
import pathlib
import shutil
import sys
import tempfile

name, arch, out = sys.argv[1], sys.argv[2], sys.argv[3]
dump = tempfile.mkdtemp()
os.environ.update(CUTE_DSL_ARCH=f"sm_{arch}", CUTE_DSL_KEEP="ptx", CUTE_DSL_DUMP_DIR=dump)

import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import make_fake_compact_tensor

import kernels

function, shapes, scalars = kernels.BUILDS[name]
tensors = [make_fake_compact_tensor(cutlass.Float32, s, stride_order=tuple(reversed(range(len(s)))))
           for s in shapes]
cute.compile(function, *tensors, *(cutlass.Int32(s) for s in scalars))
shutil.copyfile(next(pathlib.Path(dump).glob("*.ptx")), out)
shutil.rmtree(dump)

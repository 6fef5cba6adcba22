"""Writes a kernel as PTX without a GPU: compile.py MODULE NAME ARCH OUT.

cuTile exports binaries only.  Its compiler hands PTX to the ptxas that lies beside it, so a copy of
the folder with another ptxas keeps the file.
"""
import importlib
import io
import os
import pathlib
import shutil
import sys
import tempfile

import cuda.tile as ct
import nvidia
from cuda.tile import _compile
from cuda.tile import compilation

module, name, arch, out = sys.argv[1:5]

binaries = next(p for root in nvidia.__path__ for p in pathlib.Path(root).glob("*/bin")
                if (p / "tileiras").exists())
with tempfile.TemporaryDirectory() as folder:
  home = pathlib.Path(folder)
  shutil.copytree(binaries.parent, home / "cu13", symlinks=True,
                  ignore=shutil.ignore_patterns("include", "*.a"))
  ptxas = home / "cu13/bin/ptxas"
  ptxas.rename(ptxas.with_name("real-ptxas"))
  ptxas.write_text("#!/bin/sh\nfor word; do case $word in *.ptx) cp \"$word\" "
                   f"'{out}';; esac; done\nexec \"$(dirname \"$0\")/real-ptxas\" \"$@\"\n")
  ptxas.chmod(0o755)
  _compile._find_pip_tileiras = lambda: str(home / "cu13/bin/tileiras")
  kernel, constraints = importlib.import_module(module).BUILDS[name]
  signature = compilation.KernelSignature(constraints,
                                          compilation.CallingConvention.cutile_python_v1(), name)
  compilation.export_kernel(kernel, [signature], io.BytesIO(), gpu_code=f"sm_{arch}",
                            output_format="cubin")

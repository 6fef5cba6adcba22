"""Writes the kernels of one function as PTX without a GPU: compile.py MODULE NAME ARCH OUT."""
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import described_gpu

module, name, arch, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
dump = tempfile.mkdtemp()
os.environ["XLA_FLAGS"] = f"--xla_dump_to={dump} {described_gpu.XLA_FLAGS}"
described_gpu.compile_function(module, name, arch, """
  core_count: 108 fpus_per_core: 64 clock_rate_ghz: 1.41
  shared_memory_per_core: 167936 shared_memory_per_block_optin: 166912
  memory_bandwidth: 1555000000000 l2_cache_size: 41943040 device_memory_size: 42949672960
""")
# XLA also writes a module for constants, which is empty here.
modules = sorted(pathlib.Path(dump).glob("*.ptx"), key=lambda p: p.stat().st_size)
shutil.copyfile(modules[-1], out)
print(*(f"{p.name} {p.stat().st_size}" for p in modules))
shutil.rmtree(dump)

"""Writes the kernel of one function as PTX without a GPU: compile.py MODULE NAME ARCH OUT."""
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import described_gpu

module, name, arch, out = sys.argv[1], sys.argv[2], int(sys.argv[3].rstrip("a")), sys.argv[4]
dump = tempfile.mkdtemp()
os.environ["XLA_FLAGS"] = described_gpu.XLA_FLAGS
os.environ["MOSAIC_GPU_DUMP_PTX"] = "1"
os.environ["MOSAIC_GPU_DUMP_TO"] = dump
described_gpu.compile_function(module, name, arch, """
  core_count: 132 fpus_per_core: 128 clock_rate_ghz: 1.8
  shared_memory_per_core: 233472 shared_memory_per_block_optin: 232448
  memory_bandwidth: 3350000000000 l2_cache_size: 52428800 device_memory_size: 85899345920
""")
modules = list(pathlib.Path(dump).glob("*.ptx"))
assert len(modules) == 1, modules
shutil.copyfile(modules[0], out)
shutil.rmtree(dump)

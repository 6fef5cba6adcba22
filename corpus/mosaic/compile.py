"""Writes the kernel of one function as PTX without a GPU: compile.py MODULE NAME ARCH OUT."""
import importlib
import os
import pathlib
import shutil
import sys
import tempfile

module, name, arch, out = sys.argv[1], sys.argv[2], int(sys.argv[3].rstrip("a")), sys.argv[4]
dump = tempfile.mkdtemp()
os.environ["XLA_FLAGS"] = "--xla_gpu_enable_libnvptxcompiler=false --xla_gpu_autotune_level=0"
os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
os.environ["MOSAIC_GPU_DUMP_PTX"] = "1"
os.environ["MOSAIC_GPU_DUMP_TO"] = dump

import jax
from jax.experimental import topologies
from jax.sharding import SingleDeviceSharding

# A device of data-sheet figures: no GPU is asked.
target = f"""
gpu_device_info {{
  threads_per_block_limit: 1024 threads_per_warp: 32 threads_per_core_limit: 2048
  core_count: 132 fpus_per_core: 128 clock_rate_ghz: 1.8
  shared_memory_per_block: 49152 shared_memory_per_core: 233472
  shared_memory_per_block_optin: 232448
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  memory_bandwidth: 3350000000000 l2_cache_size: 52428800 device_memory_size: 85899345920
  cuda_compute_capability {{ major: {arch // 10} minor: {arch % 10} }}
}}
platform_name: "CUDA" dnn_version_info {{ major: 9 minor: 8 }}
device_description_str: "sm_{arch}"
"""
topology = topologies.get_topology_desc(platform="cuda", topology_name="", topology="1x1x1",
                                        target_config=target)
sharding = SingleDeviceSharding(topology.devices[0])
function, shapes = importlib.import_module(module).BUILDS[name]
jax.jit(function, in_shardings=sharding, out_shardings=sharding).trace(*shapes).lower().compile()
modules = list(pathlib.Path(dump).glob("*.ptx"))
assert len(modules) == 1, modules
shutil.copyfile(modules[0], out)
shutil.rmtree(dump)

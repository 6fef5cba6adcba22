"""Compiles functions of JAX for a GPU of data-sheet figures: no GPU is asked.  JAX must not be imported before."""
import importlib
import os

os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
XLA_FLAGS = "--xla_gpu_enable_libnvptxcompiler=false --xla_gpu_autotune_level=0"

_COMMON = """
  threads_per_block_limit: 1024 threads_per_warp: 32 threads_per_core_limit: 2048
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  shared_memory_per_block: 49152
"""


def compile_function(module, name, arch, figures):
  """Of the BUILDS of a module.  `figures`: the others of `gpu_device_info`, those that differ between GPUs."""
  import jax
  from jax.experimental import topologies
  from jax.sharding import SingleDeviceSharding

  target = f"""
gpu_device_info {{
  {_COMMON} {figures}
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

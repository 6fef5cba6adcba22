# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program for JAX that compiles for a GPU which is only described."""

# A sort of rows: XLA makes it a network in shared memory, with a barrier for each step and too many.
SORT = """
import jax
import jax.numpy as jnp
from jax.experimental import topologies

DEVICE = '''
gpu_device_info {
  cuda_compute_capability { major: 8 }
  threads_per_block_limit: 1024 threads_per_warp: 32 threads_per_core_limit: 2048
  shared_memory_per_block: 49152 shared_memory_per_core: 167936 shared_memory_per_block_optin: 166912
  core_count: 108 fpus_per_core: 64 clock_rate_ghz: 1.4
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
  memory_bandwidth: 1555000000000 l2_cache_size: 41943040 device_memory_size: 42331013120
}
platform_name: "CUDA"
device_description_str: "A100"
'''
place = topologies.get_topology_desc("one", "cuda", target_config=DEVICE, topology="1x1x1")
on = jax.sharding.SingleDeviceSharding(place.devices[0])

def compile():
    jax.clear_caches()
    sort = jax.jit(lambda x: jnp.sort(x, axis=-1), in_shardings=on, out_shardings=on)
    sort.lower(jax.ShapeDtypeStruct((8, 4096), jnp.float32)).compile()
"""

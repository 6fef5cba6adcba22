#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The drop-in under a real JAX from pip, as docs/drop-in.md says; no GPU is needed.

usage: drop_in_jax_test.py PTXOPT-PTXAS

PTXOPT_JAX_PYTHON names the Python that has JAX with its plugin for CUDA 12 and the wheel of nvcc, if it is not
the usual one.  JAX compiles for a GPU that is only described.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

import compilers

DROP_IN = pathlib.Path(sys.argv.pop(1)).resolve()
PYTHON = os.environ.get("PTXOPT_JAX_PYTHON") or compilers.find("python3") or sys.executable
FIND = "import jax, jax_plugins.xla_cuda12, nvidia.cuda_nvcc as n; print(list(n.__path__)[0])"
found = subprocess.run([PYTHON, "-c", FIND], text=True, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL, check=False)
if found.returncode:
    compilers.skip(f"{PYTHON} has no JAX for CUDA 12 (PTXOPT_JAX_PYTHON can name another)")
WHEEL = pathlib.Path(found.stdout.strip())

# A sort of rows: XLA makes it a network in shared memory, with a barrier for each step and too many.
PROGRAM = """
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
sort = jax.jit(lambda x: jnp.sort(x, axis=-1), in_shardings=on, out_shardings=on)
sort.lower(jax.ShapeDtypeStruct((8, 4096), jnp.float32)).compile()
"""


class Jax(compilers.CompilerTest):
    real_ptxas = str(WHEEL / "bin" / "ptxas")

    def test_link_in_the_wheel(self):
        """A copy of the wheel, in front of the real one, has the link."""
        copy = self.work / "site" / "nvidia" / "cuda_nvcc"
        (copy / "bin").mkdir(parents=True)
        for file in WHEEL.iterdir():
            if file.name != "bin":
                (copy / file.name).symlink_to(file)
        for file in (WHEEL / "bin").iterdir():
            (copy / "bin" / file.name).symlink_to(DROP_IN if file.name == "ptxas" else file)
        (self.work / "program.py").write_text(PROGRAM)
        self.environment.update(PYTHONPATH=str(self.work / "site"), PTXOPT_FLAGS="-O2",
                                PTXOPT_LOG=str(self.work / "log"),
                                JAX_SKIP_CUDA_CONSTRAINTS_CHECK="1")
        self.run_quietly(PYTHON, "program.py")
        entries = [json.loads(line) for line in (self.work / "log").read_text().splitlines()]
        self.assertTrue(entries, "JAX took another ptxas")
        before = sum(entry["barriersBefore"] for entry in entries)
        after = sum(entry["barriersAfter"] for entry in entries)
        self.assertLess(after, before)
        self.assertEqual(sum(self.barriers()), after)


if __name__ == "__main__":
    unittest.main(verbosity=2)

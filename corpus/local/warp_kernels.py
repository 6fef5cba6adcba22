"""Kernels in NVIDIA Warp: warp_kernels.py ARCH OUT. The PTX carries Warp's own header code."""
import pathlib
import shutil
import sys
import tempfile

import warp as wp

arch, out = int(sys.argv[1]), sys.argv[2]


@wp.kernel
def integrate(x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3), f: wp.array(dtype=wp.vec3),
              dt: float):
  i = wp.tid()
  speed = v[i] + f[i] * dt
  v[i] = speed
  x[i] = x[i] + speed * dt


@wp.kernel
def spring_forces(x: wp.array(dtype=wp.vec3), f: wp.array(dtype=wp.vec3),
                  pairs: wp.array2d(dtype=int), k: float):
  e = wp.tid()
  i = pairs[e, 0]
  j = pairs[e, 1]
  d = x[j] - x[i]
  force = wp.normalize(d) * (k * (wp.length(d) - 1.0))
  wp.atomic_add(f, i, force)
  wp.atomic_sub(f, j, force)


@wp.kernel
def tile_sum(x: wp.array2d(dtype=float), out: wp.array(dtype=float)):
  i = wp.tid()
  t = wp.tile_load(x[i], shape=1024)
  wp.tile_store(out, wp.tile_sum(t), offset=i)


@wp.kernel
def tile_matmul(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
  i, j = wp.tid()
  total = wp.tile_zeros(shape=(16, 16), dtype=float)
  for k in range(a.shape[1] / 16):
    ta = wp.tile_load(a, shape=(16, 16), offset=(i * 16, k * 16))
    tb = wp.tile_load(b, shape=(16, 16), offset=(k * 16, j * 16))
    wp.tile_matmul(ta, tb, total)
  wp.tile_store(c, total, offset=(i * 16, j * 16))


with tempfile.TemporaryDirectory() as folder:
  wp.config.kernel_cache_dir = folder
  wp.compile_aot_module(sys.modules[__name__], device=None, arch=arch, module_dir=folder,
                        use_ptx=True)
  shutil.copyfile(max(pathlib.Path(folder).rglob("*.ptx"), key=lambda p: p.stat().st_size), out)

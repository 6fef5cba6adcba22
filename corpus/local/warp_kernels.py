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


@wp.kernel
def saxpy(a: float, x: wp.array(dtype=float), y: wp.array(dtype=float)):
  i = wp.tid()
  y[i] = a * x[i] + y[i]


@wp.kernel
def transpose(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float)):
  i, j = wp.tid()
  t = wp.tile_load(a, shape=(32, 32), offset=(i * 32, j * 32), storage="shared")
  wp.tile_store(b, wp.tile_transpose(t), offset=(j * 32, i * 32))


@wp.kernel
def softmax(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
  i = wp.tid()
  t = wp.tile_load(x[i], shape=256)
  most = wp.tile_broadcast(wp.tile_max(t), shape=(256,))
  e = wp.tile_map(wp.exp, t - most)
  total = wp.tile_broadcast(wp.tile_sum(e), shape=(256,))
  wp.tile_store(y[i], wp.tile_map(wp.div, e, total))


@wp.kernel
def layer_norm(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
  i = wp.tid()
  t = wp.tile_load(x[i], shape=512)
  mean = wp.tile_extract(wp.tile_sum(t), 0) / 512.0
  centred = wp.tile_map(wp.sub, t, wp.tile_full(shape=512, value=mean, dtype=float))
  square = wp.tile_extract(wp.tile_sum(wp.tile_map(wp.mul, centred, centred)), 0) / 512.0
  wp.tile_store(y[i], centred * (1.0 / wp.sqrt(square + 0.00001)))


@wp.kernel
def prefix_sum(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
  i = wp.tid()
  wp.tile_store(y[i], wp.tile_scan_inclusive(wp.tile_load(x[i], shape=1024)))


@wp.kernel
def sort_rows(keys: wp.array2d(dtype=int), values: wp.array2d(dtype=int)):
  i = wp.tid()
  k = wp.tile_load(keys[i], shape=512, storage="shared")
  v = wp.tile_load(values[i], shape=512, storage="shared")
  wp.tile_sort(k, v)
  wp.tile_store(keys[i], k)
  wp.tile_store(values[i], v)


@wp.kernel
def histogram(x: wp.array(dtype=int), bins: wp.array(dtype=int)):
  wp.atomic_add(bins, x[wp.tid()], 1)


@wp.kernel
def nearest(points: wp.array2d(dtype=float), query: wp.array(dtype=float),
            best: wp.array(dtype=int)):
  i = wp.tid()
  t = wp.tile_load(points[i], shape=256)
  far = wp.tile_map(wp.abs, t - wp.tile_full(shape=256, value=query[i], dtype=float))
  wp.tile_store(best, wp.tile_argmin(far), offset=i)


with tempfile.TemporaryDirectory() as folder:
  wp.config.kernel_cache_dir = folder
  wp.compile_aot_module(sys.modules[__name__], device=None, arch=arch, module_dir=folder,
                        use_ptx=True)
  shutil.copyfile(max(pathlib.Path(folder).rglob("*.ptx"), key=lambda p: p.stat().st_size), out)

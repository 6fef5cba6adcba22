# Kernels in Pallas for Mosaic GPU. BUILDS at the end gives the shapes of the arguments.
# targets: 90a 100a
# targets matmul_wgmma: 90a
# targets matmul_tcgen05: 100a
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILE = 64
SWIZZLE = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def saxpy(x, y):
  """Tiles come and go by tensor copies, with two of them in flight."""
  def body(x_ref, y_ref, out_ref):
    def step(_, x_tile, y_tile, out_tile):
      out_tile[...] = 2.5 * x_tile[...] + y_tile[...]

    block = pl.BlockSpec((TILE, TILE), lambda i: (jax.lax.axis_index("column"), i))
    plgpu.emit_pipeline(step, grid=(x.shape[1] // TILE,), in_specs=[block, block],
                        out_specs=[block], max_concurrent_steps=2)(x_ref, y_ref, out_ref)

  return plgpu.kernel(body, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
                      grid=(x.shape[0] // TILE,), grid_names=("column",))(x, y)


def row_softmax(x):
  """A row for each block."""
  def body(x_ref, out_ref, row, barrier):
    index = jax.lax.axis_index("row")
    plgpu.copy_gmem_to_smem(x_ref.at[index], row, barrier)
    plgpu.barrier_wait(barrier)
    values = row[...]
    shifted = jnp.exp(values - jnp.max(values))
    row[...] = shifted / jnp.sum(shifted)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(row, out_ref.at[index])
    plgpu.wait_smem_to_gmem(0)

  return plgpu.kernel(body, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(x.shape[0],),
                      grid_names=("row",),
                      scratch_shapes=[plgpu.SMEM((x.shape[1],), x.dtype), plgpu.Barrier()])(x)


def matmul_wgmma(a, b):
  (m, k), n = a.shape, b.shape[1]

  def body(a_ref, b_ref, out_ref, out_tile, acc_ref):
    row, column = jax.lax.axis_index("row"), jax.lax.axis_index("column")

    def step(_, a_tile, b_tile):
      plgpu.wgmma(acc_ref, a_tile, b_tile)
      plgpu.wgmma_wait(1)

    plgpu.emit_pipeline(
        step, grid=(k // TILE,),
        in_specs=[plgpu.BlockSpec((TILE, TILE), lambda i: (row, i), transforms=SWIZZLE,
                                  delay_release=1),
                  plgpu.BlockSpec((TILE, TILE), lambda i: (i, column), transforms=SWIZZLE,
                                  delay_release=1)],
        max_concurrent_steps=2)(a_ref, b_ref)
    out_tile[...] = acc_ref[...].astype(jnp.float16)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(out_tile, out_ref.at[pl.ds(row * TILE, TILE),
                                                 pl.ds(column * TILE, TILE)])
    plgpu.wait_smem_to_gmem(0)

  return plgpu.kernel(
      body, out_shape=jax.ShapeDtypeStruct((m, n), jnp.float16), grid=(m // TILE, n // TILE),
      grid_names=("row", "column"),
      scratch_shapes=[plgpu.SMEM((TILE, TILE), jnp.float16, transforms=SWIZZLE),
                      plgpu.ACC((TILE, TILE), jnp.float32)])(a, b)


def matmul_tcgen05(a, b):
  (m, k), n = a.shape, b.shape[1]
  rows = 128

  def body(a_ref, b_ref, out_ref, a_tile, b_tile, out_tile, acc, loaded, multiplied):
    row, column = jax.lax.axis_index("row"), jax.lax.axis_index("column")

    def step(i, _):
      depth = pl.ds(i * TILE, TILE)
      plgpu.copy_gmem_to_smem(a_ref.at[pl.ds(row * rows, rows), depth], a_tile, loaded)
      plgpu.copy_gmem_to_smem(b_ref.at[depth, pl.ds(column * TILE, TILE)], b_tile, loaded)
      plgpu.barrier_wait(loaded)
      plgpu.tcgen05_mma(acc, a_tile, b_tile, multiplied, accumulate=(i > 0))
      plgpu.barrier_wait(multiplied)
      return _

    jax.lax.fori_loop(0, k // TILE, step, None)
    out_tile[...] = plgpu.async_load_tmem(acc).astype(jnp.float16)
    plgpu.wait_load_tmem()
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(out_tile, out_ref.at[pl.ds(row * rows, rows),
                                                 pl.ds(column * TILE, TILE)])
    plgpu.wait_smem_to_gmem(0)

  return plgpu.kernel(
      body, out_shape=jax.ShapeDtypeStruct((m, n), jnp.float16), grid=(m // rows, n // TILE),
      grid_names=("row", "column"),
      scratch_shapes=[plgpu.SMEM((rows, TILE), jnp.float16, transforms=SWIZZLE),
                      plgpu.SMEM((TILE, TILE), jnp.float16, transforms=SWIZZLE),
                      plgpu.SMEM((rows, TILE), jnp.float16, transforms=SWIZZLE),
                      plgpu.TMEM((rows, TILE), jnp.float32), plgpu.Barrier(num_arrivals=2),
                      plgpu.Barrier(orders_tensor_core=True)])(a, b)


def floats(*shape, type=jnp.float32):
  return jax.ShapeDtypeStruct(shape, type)


halves = functools.partial(floats, type=jnp.float16)

BUILDS = {
    "saxpy": (saxpy, [floats(128, 256), floats(128, 256)]),
    "row_softmax": (row_softmax, [floats(4, 256)]),
    "matmul_wgmma": (matmul_wgmma, [halves(128, 256), halves(256, 128)]),
    "matmul_tcgen05": (matmul_tcgen05, [halves(256, 256), halves(256, 128)]),
}

# The maps of tensors that are tiled have four dimensions: within a tile, and tiles.
# LAUNCH: {"kernel": "saxpy", "grid": 2, "block": 128, "shared": 200000, "buffers":
#   {"x": "buffer:131072:random:f32:1", "y": "buffer:131072:random:f32:2", "out": "buffer:131072"},
#   "args": ["tensormap:&x:f32:256,128:box=64,64;&y:f32:256,128:box=64,64;&out:f32:256,128:box=64,64"]}
# LAUNCH: {"kernel": "row_softmax", "grid": 4, "block": 128, "shared": 4096, "buffers":
#   {"x": "buffer:4096:random:f32:1", "out": "buffer:4096"}, "args": ["&out",
#   "tensormap:&x:f32:256,4:box=256,1"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "matmul_wgmma", "grid": [2, 2], "block": 128, "shared": 65536, "buffers":
#   {"a": "buffer:65536:small:f16:1:4", "b": "buffer:65536:small:f16:2:4", "out": "buffer:32768"},
#   "args": [
#   "tensormap:&a:f16:64,8,4,16:strides=512,128,4096:box=64,8,1,8:swizzle=128B;&b:f16:64,8,2,32:strides=256,128,2048:box=64,8,1,8:swizzle=128B;&out:f16:64,8,2,16:strides=256,128,2048:box=64,8,1,8:swizzle=128B"
#   ]}
# LAUNCH: {"kernel": "matmul_tcgen05", "grid": [2, 2], "block": 128, "shared": 65536, "buffers":
#   {"a": "buffer:131072:small:f16:1:4", "b": "buffer:65536:small:f16:2:4", "out": "buffer:65536"},
#   "args": [
#   "tensormap:&a:f16:64,8,4,32:strides=512,128,4096:box=64,8,1,16:swizzle=128B;&b:f16:64,8,2,32:strides=256,128,2048:box=64,8,1,8:swizzle=128B;&out:f16:64,8,2,32:strides=256,128,2048:box=64,8,1,16:swizzle=128B"
#   ]}

# Kernels in the CuTe DSL. BUILDS at the end gives the function and the shapes of its arguments.
import cutlass
import cutlass.cute as cute
from cutlass.utils import SmemAllocator

BLOCK = 256
TILE = 32


@cute.kernel
def add_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
  i = cute.arch.block_idx()[0] * BLOCK + cute.arch.thread_idx()[0]
  c[i] = a[i] + b[i]


@cute.jit
def add(a, b, c):
  add_kernel(a, b, c).launch(grid=[64, 1, 1], block=[BLOCK, 1, 1])


@cute.kernel
def block_sum_kernel(x: cute.Tensor, out: cute.Tensor):
  t = cute.arch.thread_idx()[0]
  block = cute.arch.block_idx()[0]
  tile = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(BLOCK))
  tile[t] = x[block * BLOCK + t]
  cute.arch.sync_threads()
  for k in cutlass.range_constexpr(8):
    step = BLOCK >> (k + 1)
    if t < step:
      tile[t] = tile[t] + tile[t + step]
    cute.arch.sync_threads()
  if t == 0:
    out[block] = tile[0]


@cute.jit
def block_sum(x, out):
  block_sum_kernel(x, out).launch(grid=[64, 1, 1], block=[BLOCK, 1, 1])


@cute.kernel
def warp_sum_kernel(x: cute.Tensor, out: cute.Tensor):
  t = cute.arch.thread_idx()[0]
  block = cute.arch.block_idx()[0]
  parts = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(8))
  value = x[block * BLOCK + t]
  for k in cutlass.range_constexpr(5):
    value = value + cute.arch.shuffle_sync_bfly(value, 16 >> k)
  if t % 32 == 0:
    parts[t // 32] = value
  cute.arch.sync_threads()
  if t == 0:
    total = parts[0]
    for w in cutlass.range_constexpr(1, 8):
      total = total + parts[w]
    out[block] = total
  cute.arch.sync_threads()


@cute.jit
def warp_sum(x, out):
  warp_sum_kernel(x, out).launch(grid=[64, 1, 1], block=[BLOCK, 1, 1])


@cute.kernel
def transpose_kernel(x: cute.Tensor, out: cute.Tensor):
  tx, ty, _ = cute.arch.thread_idx()
  bx, by, _ = cute.arch.block_idx()
  layout = cute.make_layout((TILE, TILE), stride=(TILE + 1, 1))
  tile = SmemAllocator().allocate_tensor(cutlass.Float32, layout)
  for j in cutlass.range_constexpr(4):
    tile[ty + 8 * j, tx] = x[by * TILE + ty + 8 * j, bx * TILE + tx]
  cute.arch.sync_threads()
  for j in cutlass.range_constexpr(4):
    out[bx * TILE + ty + 8 * j, by * TILE + tx] = tile[tx, ty + 8 * j]


@cute.jit
def transpose(x, out):
  transpose_kernel(x, out).launch(grid=[16, 16, 1], block=[TILE, 8, 1])


@cute.kernel
def matmul_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, k: cutlass.Int32):
  tx, ty, _ = cute.arch.thread_idx()
  bx, by, _ = cute.arch.block_idx()
  smem = SmemAllocator()
  ta = smem.allocate_tensor(cutlass.Float32, cute.make_layout((16, 16), stride=(16, 1)))
  tb = smem.allocate_tensor(cutlass.Float32, cute.make_layout((16, 16), stride=(16, 1)))
  total = cutlass.Float32(0.0)
  for t in range(k // 16):
    ta[ty, tx] = a[by * 16 + ty, t * 16 + tx]
    tb[ty, tx] = b[t * 16 + ty, bx * 16 + tx]
    cute.arch.sync_threads()
    for i in cutlass.range_constexpr(16):
      total = total + ta[ty, i] * tb[i, tx]
    cute.arch.sync_threads()
  c[by * 16 + ty, bx * 16 + tx] = total


@cute.jit
def matmul(a, b, c, k: cutlass.Int32):
  matmul_kernel(a, b, c, k).launch(grid=[32, 32, 1], block=[16, 16, 1])


# The first four warps fill a buffer, the other four empty it; they meet at named barriers.
@cute.kernel
def specialised_kernel(x: cute.Tensor, out: cute.Tensor, rounds: cutlass.Int32):
  t = cute.arch.thread_idx()[0]
  lane = t % 128
  base = cute.arch.block_idx()[0] * rounds * 128
  buffer = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(128))
  if t < 128:
    for r in range(rounds):
      cute.arch.barrier(barrier_id=2, number_of_threads=256)
      buffer[lane] = x[base + r * 128 + lane]
      cute.arch.barrier_arrive(barrier_id=1, number_of_threads=256)
  else:
    for r in range(rounds):
      cute.arch.barrier_arrive(barrier_id=2, number_of_threads=256)
      cute.arch.barrier(barrier_id=1, number_of_threads=256)
      out[base + r * 128 + lane] = buffer[127 - lane] * 2.0


@cute.jit
def specialised(x, out, rounds: cutlass.Int32):
  specialised_kernel(x, out, rounds).launch(grid=[16, 1, 1], block=[256, 1, 1])


BUILDS = {
    "add": (add, [(16384,)] * 3, []),
    "block_sum": (block_sum, [(16384,), (64,)], []),
    "warp_sum": (warp_sum, [(16384,), (64,)], []),
    "transpose": (transpose, [(512, 512)] * 2, []),
    "matmul": (matmul, [(512, 512)] * 3, [512]),
    "specialised": (specialised, [(16384,)] * 2, [8]),
}

# LAUNCH: {"kernel": "add", "grid": 2, "args": ["buffer:2048:random:f32:1",
#   "buffer:2048:random:f32:2", "buffer:2048"]}
# LAUNCH: {"kernel": "block_sum", "grid": 2, "shared": 2048, "args": ["buffer:2048:small:f32:1",
#   "buffer:8"]}
# LAUNCH: {"kernel": "warp_sum", "grid": 2, "shared": 2048, "args": ["buffer:2048:small:f32:1",
#   "buffer:8"]}
# LAUNCH: {"kernel": "transpose", "grid": [2, 1], "shared": 8192, "args":
#   ["buffer:65536:random:f32:1", "buffer:131072"]}
# LAUNCH: {"kernel": "matmul", "grid": [2, 2], "shared": 4096, "args": ["buffer:65536:small:f32:1",
#   "buffer:65536:small:f32:2", "buffer:65536", "s32:32"]}
# LAUNCH: {"kernel": "specialised", "grid": 2, "shared": 2048, "args": ["buffer:3072:random:f32:1",
#   "buffer:3072", "s32:3"]}

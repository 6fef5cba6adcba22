# targets: 90a 100a
# Copies of the tensor memory accelerator and of cp.async in the CuTe DSL. BUILDS at the end gives
# the function and the shapes of its arguments.
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync
from cutlass.utils import SmemAllocator

SIDE = 32
STAGES = 3


# A ring of tiles by tensor map: warp 4 fetches, warps 0 to 3 sum up.
@cute.kernel
def tile_sums_kernel(atom: cute.CopyAtom, x: cute.Tensor, out: cute.Tensor, rounds: cutlass.Int32):
  t = cute.arch.thread_idx()[0]
  warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
  block = cute.arch.block_idx()[0]
  smem = SmemAllocator()
  tiles = smem.allocate_tensor(cutlass.Float32, cute.make_layout((SIDE, SIDE, STAGES),
                                                                 stride=(SIDE, 1, SIDE * SIDE)), 128)
  full = smem.allocate_array(cutlass.Int64, STAGES)
  empty = smem.allocate_array(cutlass.Int64, STAGES)
  if t == 0:
    for s in cutlass.range_constexpr(STAGES):
      cute.arch.mbarrier_init(full + s, 1)
      cute.arch.mbarrier_init(empty + s, 128)
    cute.arch.mbarrier_init_fence()
  cute.arch.sync_threads()
  source = cute.local_tile(x, (SIDE, SIDE), (block, None))
  to, source = cpasync.tma_partition(atom, 0, cute.make_layout(1), cute.group_modes(tiles, 0, 2),
                                     cute.group_modes(source, 0, 2))
  if warp == 4:
    for r in range(rounds):
      s = r % STAGES
      cute.arch.mbarrier_wait(empty + s, r // STAGES % 2 ^ 1)
      with cute.arch.elect_one():
        cute.arch.mbarrier_arrive_and_expect_tx(full + s, SIDE * SIDE * 4)
      cute.copy(atom, source[(None, r)], to[(None, s)], tma_bar_ptr=full + s)
  else:
    total = cutlass.Float32(0.0)
    for r in range(rounds):
      s = r % STAGES
      cute.arch.mbarrier_wait(full + s, r // STAGES % 2)
      for i in cutlass.range_constexpr(SIDE // 4):
        total = total + tiles[t // 32 * 8 + i, t % 32, s]
      cute.arch.mbarrier_arrive(empty + s)
    out[block, t] = total


@cute.jit
def tile_sums(x, out, rounds: cutlass.Int32):
  layout = cute.make_layout((SIDE, SIDE), stride=(SIDE, 1))
  atom, source = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), x, layout,
                                             (SIDE, SIDE))
  tile_sums_kernel(atom, source, out, rounds).launch(grid=[2, 1, 1], block=[160, 1, 1])


# Rows by cp.async, two groups in flight.
@cute.kernel
def async_rows_kernel(x: cute.Tensor, out: cute.Tensor, rounds: cutlass.Int32):
  t = cute.arch.thread_idx()[0]
  smem = SmemAllocator()
  rows = smem.allocate_tensor(cutlass.Float32, cute.make_layout((256, STAGES)), 16)
  atom = cute.make_copy_atom(cpasync.CopyG2SOp(), cutlass.Float32, num_bits_per_copy=128)
  for r in cutlass.range_constexpr(STAGES - 1):
    cute.copy(atom, cute.local_tile(x[(r, None)], (4,), (t,)),
              cute.local_tile(rows[(None, r)], (4,), (t,)))
    cute.arch.cp_async_commit_group()
  total = cutlass.Float32(0.0)
  for r in range(rounds):
    cute.arch.cp_async_wait_group(STAGES - 2)
    cute.arch.sync_threads()
    s = r % STAGES
    for j in cutlass.range_constexpr(4):
      total = total + rows[64 * j + 63 - t, s] * (j + 1)
    n = r + STAGES - 1
    if n < rounds:
      cute.copy(atom, cute.local_tile(x[(n, None)], (4,), (t,)),
                cute.local_tile(rows[(None, n % STAGES)], (4,), (t,)))
    cute.arch.cp_async_commit_group()
  out[t] = total


@cute.jit
def async_rows(x, out, rounds: cutlass.Int32):
  async_rows_kernel(x, out, rounds).launch(grid=[1, 1, 1], block=[64, 1, 1])


# Each block of a cluster stores its words into the next one, which waits for their bytes.
@cute.kernel
def pass_on_kernel(x: cute.Tensor, out: cute.Tensor):
  t = cute.arch.thread_idx()[0]
  block = cute.arch.block_idx()[0]
  rank = cute.arch.block_idx_in_cluster()
  smem = SmemAllocator()
  tile = smem.allocate_tensor(cutlass.Int32, cute.make_layout(64), 16)
  bar = smem.allocate_array(cutlass.Int64, 1)
  if t == 0:
    cute.arch.mbarrier_init(bar, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.mbarrier_arrive_and_expect_tx(bar, 256)
  cute.arch.cluster_arrive()
  cute.arch.cluster_wait()
  cute.arch.store_async_dsmem(tile.iterator + (63 - t), x[block * 64 + t], bar, (rank + 1) % 4)
  cute.arch.mbarrier_wait(bar, 0)
  out[block * 64 + t] = tile[t] + rank
  cute.arch.cluster_arrive()
  cute.arch.cluster_wait()


@cute.jit
def pass_on(x, out):
  pass_on_kernel(x, out).launch(grid=[4, 1, 1], block=[64, 1, 1], cluster=[4, 1, 1])


# Tiles in and out by tensor maps, transposed between; two stages for each way.
@cute.kernel
def transpose_tiles_kernel(load: cute.CopyAtom, x: cute.Tensor, store: cute.CopyAtom,
                           out: cute.Tensor, tiles: cutlass.Int32):
  t = cute.arch.thread_idx()[0]
  warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
  row = cute.arch.block_idx()[0]
  smem = SmemAllocator()
  layout = cute.make_layout((SIDE, SIDE, 2), stride=(SIDE, 1, SIDE * SIDE))
  before = smem.allocate_tensor(cutlass.Float32, layout, 128)
  after = smem.allocate_tensor(cutlass.Float32, layout, 128)
  full = smem.allocate_array(cutlass.Int64, 2)
  if t == 0:
    cute.arch.mbarrier_init(full, 1)
    cute.arch.mbarrier_init(full + 1, 1)
    cute.arch.mbarrier_init_fence()
  cute.arch.sync_threads()
  source = cute.local_tile(x, (SIDE, SIDE), (row, None))
  target = cute.local_tile(out, (SIDE, SIDE), (None, row))
  to, source = cpasync.tma_partition(load, 0, cute.make_layout(1), cute.group_modes(before, 0, 2),
                                     cute.group_modes(source, 0, 2))
  back, target = cpasync.tma_partition(store, 0, cute.make_layout(1),
                                       cute.group_modes(after, 0, 2),
                                       cute.group_modes(target, 0, 2))
  if warp == 0:
    with cute.arch.elect_one():
      cute.arch.mbarrier_arrive_and_expect_tx(full, SIDE * SIDE * 4)
    cute.copy(load, source[(None, 0)], to[(None, 0)], tma_bar_ptr=full)
  for r in range(tiles):
    s = r % 2
    if warp == 0:
      # The stage of the next tile was emptied before the barrier of the last round.
      if r + 1 < tiles:
        with cute.arch.elect_one():
          cute.arch.mbarrier_arrive_and_expect_tx(full + (1 - s), SIDE * SIDE * 4)
        cute.copy(load, source[(None, r + 1)], to[(None, 1 - s)], tma_bar_ptr=full + (1 - s))
      cute.arch.cp_async_bulk_wait_group(1, read=True)
    cute.arch.sync_threads()
    cute.arch.mbarrier_wait(full + s, r // 2 % 2)
    for i in cutlass.range_constexpr(SIDE * SIDE // 128):
      after[t % 32, t // 32 + 4 * i, s] = before[t // 32 + 4 * i, t % 32, s]
    cute.arch.fence_proxy("async.shared", space="cta")
    cute.arch.sync_threads()
    if warp == 0:
      with cute.arch.elect_one():
        cute.copy(store, back[(None, s)], target[(None, r)])
      cute.arch.cp_async_bulk_commit_group()
  if warp == 0:
    cute.arch.cp_async_bulk_wait_group(0)


@cute.jit
def transpose_tiles(x, out, tiles: cutlass.Int32):
  layout = cute.make_layout((SIDE, SIDE), stride=(SIDE, 1))
  load, source = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), x, layout,
                                             (SIDE, SIDE))
  store, target = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileS2GOp(), out, layout,
                                              (SIDE, SIDE))
  transpose_tiles_kernel(load, source, store, target,
                         tiles).launch(grid=[2, 1, 1], block=[128, 1, 1])


BUILDS = {
    "tile_sums": (tile_sums, [(64, 224), (2, 128)], [7]),
    "async_rows": (async_rows, [(7, 256), (64,)], [7]),
    "pass_on": (pass_on, [(256,)] * 2, []),
    "transpose_tiles": (transpose_tiles, [(64, 160), (160, 64)], [5]),
}
# Bytes, and types of elements other than Float32.
ALIGNMENT = 16
TYPES = {"pass_on": cutlass.Int32}

# LAUNCH: {"kernel": "tile_sums", "grid": 2, "shared": 16384, "buffers": {"x":
#   "buffer:57344:small:f32:1"}, "args": ["tensormap:&x:f32:224,64:box=32,32", "buffer:1024",
#   "s32:7"]}
# LAUNCH: {"kernel": "async_rows", "shared": 4096, "args": ["buffer:7168:small:f32:1",
#   "buffer:256", "s32:7"]}
# LAUNCH: {"kernel": "pass_on", "grid": 4, "cluster": 4, "shared": 4096, "args":
#   ["buffer:1024:random:s32:1", "buffer:1024"]}
# LAUNCH: {"kernel": "transpose_tiles", "grid": 2, "shared": 32768, "buffers": {"x":
#   "buffer:40960:random:f32:1", "out": "buffer:40960"}, "args":
#   ["tensormap:&x:f32:160,64:box=32,32", "tensormap:&out:f32:64,160:box=32,32", "s32:5"]}

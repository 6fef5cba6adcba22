// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative groups: the block, tiles of a warp, groups of coalesced threads.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <typename Group>
__device__ int group_sum(const Group& group, int* s, int v) {
  const unsigned rank = group.thread_rank();
  for (unsigned i = group.size() / 2; i > 0; i /= 2) {
    s[rank] = v;
    group.sync();
    if (rank < i) v += s[rank + i];
    group.sync();
  }
  return v;
}

// TRUTH: race-free
// LAUNCH: {"kernel": "group_sum_ok", "block": 64, "args": ["buffer:256:iota:s32", "buffer:20"]}
extern "C" __global__ void group_sum_ok(const int* in, int* out) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  const int v = group_sum(block, s, in[block.thread_rank()]);
  if (block.thread_rank() == 0) out[0] = v;
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  const int w = group_sum(tile, s + 16 * tile.meta_group_rank(), in[block.thread_rank()]);
  if (tile.thread_rank() == 0) out[1 + tile.meta_group_rank()] = w;
}

// TRUTH: racy race: the sum of the block synchronises tiles only
// LAUNCH: {"kernel": "group_sum_race", "block": 64, "args": ["buffer:256:iota:s32", "buffer:4"]}
extern "C" __global__ void group_sum_race(const int* in, int* out) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  const unsigned rank = block.thread_rank();
  int v = in[rank];
  for (unsigned i = block.size() / 2; i > 0; i /= 2) {
    s[rank] = v;
    tile.sync();
    if (rank < i) v += s[rank + i];
    tile.sync();
  }
  if (rank == 0) *out = v;
}

// TRUTH: race-free: rows of eight lanes that wait for each other
// LAUNCH: {"kernel": "tile_rows_ok", "block": 64, "args": ["buffer:256:iota:s32"]}
extern "C" __global__ void tile_rows_ok(int* data) {
  __shared__ int s[8][8];
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
  int* row = s[tile.meta_group_rank()];
  row[tile.thread_rank()] = data[threadIdx.x];
  tile.sync();
  data[threadIdx.x] = row[7 - tile.thread_rank()];
}

// TRUTH: racy missing-syncwarp: each lane reads the row of the tile beside it
// LAUNCH: {"kernel": "tile_rows_race", "block": 64, "args": ["buffer:256:iota:s32"]}
extern "C" __global__ void tile_rows_race(int* data) {
  __shared__ int s[8][8];
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
  s[tile.meta_group_rank()][tile.thread_rank()] = data[threadIdx.x];
  tile.sync();
  data[threadIdx.x] = s[tile.meta_group_rank() ^ 1][7 - tile.thread_rank()];
}

// TRUTH: race-free: one addition for the threads that are here together
// LAUNCH: {"kernel": "coalesced_count_ok", "block": 64,
//          "args": ["buffer:256:small:s32:3:9", "buffer:4"]}
extern "C" __global__ void coalesced_count_ok(const int* in, int* count) {
  if (in[threadIdx.x] > 4) {
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0) atomicAdd(count, active.size());
  }
}

// TRUTH: racy race-global: the leader of each group adds without an atomic
// LAUNCH: {"kernel": "coalesced_count_race", "block": 64,
//          "args": ["buffer:256:small:s32:3:9", "buffer:4"]}
extern "C" __global__ void coalesced_count_race(const int* in, int* count) {
  if (in[threadIdx.x] > 4) {
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0) *count += active.size();
  }
}

// TRUTH: racy divergent-barrier, seen as data-race: the barrier of the block is in a branch that
// one warp takes; the others meet it at the barrier after the branch
// LAUNCH: {"kernel": "branch_sync_bad", "block": 64, "args": ["buffer:256:iota:s32"]}
extern "C" __global__ void branch_sync_bad(int* data) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  const unsigned t = block.thread_rank();
  s[t] = data[t];
  if (t >= 32) {
    block.sync();
    s[t] -= s[t - 32];
  }
  block.sync();
  data[t] = s[63 - t];
}

// TRUTH: race-free
// LAUNCH: {"kernel": "branch_sync_ok", "block": 64, "args": ["buffer:256:iota:s32"]}
extern "C" __global__ void branch_sync_ok(int* data) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  const unsigned t = block.thread_rank();
  s[t] = data[t];
  block.sync();
  if (t >= 32) s[t] -= s[t - 32];
  block.sync();
  data[t] = s[63 - t];
}

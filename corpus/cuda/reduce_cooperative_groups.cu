// Sums with cooperative groups: thread_block, tiles of 32 and 8, a binary partition.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void reduceTree(const int* in, int* out, int n) {
  extern __shared__ int tile[];
  cg::thread_block block = cg::this_thread_block();
  int i = block.group_index().x * block.size() + block.thread_rank();
  tile[block.thread_rank()] = i < n ? in[i] : 0;
  block.sync();
  for (int s = block.size() / 2; s > 0; s >>= 1) {
    if (block.thread_rank() < s) tile[block.thread_rank()] += tile[block.thread_rank() + s];
    block.sync();
  }
  if (block.thread_rank() == 0) out[blockIdx.x] = tile[0];
}

__global__ void reduceTiles(const int* in, int* out, int n) {
  __shared__ int partial[32];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  sum = cg::reduce(warp, sum, cg::plus<int>());
  if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = sum;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    sum = warp.thread_rank() < warp.meta_group_size() ? partial[warp.thread_rank()] : 0;
    sum = cg::reduce(warp, sum, cg::plus<int>());
    if (warp.thread_rank() == 0) atomicAdd(out, sum);
  }
}

__global__ void reduceEights(const float* in, float* out, int n) {
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i < n ? in[i] : 0.0f;
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) x += tile.shfl_down(x, offset);
  tile.sync();
  if (tile.thread_rank() == 0) out[i / 8] = x;
}

// One atomic for all active threads that took the branch.
__global__ void filterAggregated(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] <= 0) return;
  cg::coalesced_group active = cg::coalesced_threads();
  int base = 0;
  if (active.thread_rank() == 0) base = atomicAdd(count, active.size());
  out[active.shfl(base, 0) + active.thread_rank()] = in[i];
}

// LAUNCH: {"kernel": "reduceTree", "block": 64, "grid": 2, "shared": 256, "args":
//   ["buffer:400:random:s32:1", "buffer:8", "s32:100"]}
// LAUNCH: {"kernel": "reduceTiles", "block": 64, "grid": 2, "args": ["buffer:1200:random:s32:1",
//   "buffer:4", "s32:300"]}
// LAUNCH: {"kernel": "reduceEights", "block": 64, "grid": 2, "args": ["buffer:400:small:f32:1",
//   "buffer:64", "s32:100"]}
// LAUNCH: {"kernel": "filterAggregated", "block": 64, "grid": 2, "args":
//   ["buffer:400:iota:s32:-30", "buffer:400", "buffer:4", "s32:100"]}

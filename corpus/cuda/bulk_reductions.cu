// targets: 90a 100a
// Bulk copies that reduce: into global memory by address and by tensor map, and into the shared
// memory of another block of the cluster.
#include "asynchronous.h"

// Parts of rows are added up and the largest kept, one group in flight behind the other.
__global__ void __launch_bounds__(64)
    reduceRows(const int* in, int* sums, int* tops, int rows) {
  constexpr int kSize = 64;
  __shared__ __align__(16) int part[2][kSize];
  int t = threadIdx.x;
  for (int row = blockIdx.x, r = 0; row < rows; row += gridDim.x, ++r) {
    int s = r & 1;
    if (t == 0) waitPutsRead<1>();
    __syncthreads();
    part[s][t] = in[row * kSize + t] - t;
    fenceAsync();
    __syncthreads();
    if (t == 0) {
      asm volatile(
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(sums),
          "r"(sharedAddress(part[s])), "n"(kSize * 4)
          : "memory");
      asm volatile(
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%0], [%1], %2;" ::"l"(tops),
          "r"(sharedAddress(part[s])), "n"(kSize * 4)
          : "memory");
      commitPuts();
    }
  }
  if (t == 0) waitPuts();
}

// Each block adds its tile to one that is shared; what is outside of the tensor is dropped.
__global__ void __launch_bounds__(64)
    reduceTile(const float* in, const __grid_constant__ CUtensorMap to, int shift) {
  constexpr int kRows = 8, kColumns = 32;
  __shared__ __align__(128) float tile[kRows * kColumns];
  for (int i = threadIdx.x; i < kRows * kColumns; i += 64)
    tile[i] = in[blockIdx.x * kRows * kColumns + i];
  fenceAsync();
  __syncthreads();
  if (threadIdx.x < 32 && elect()) {
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
        "[%0, {%1, %2}], [%3];" ::"l"(&to),
        "r"((int)blockIdx.x * shift), "r"(0), "r"(sharedAddress(tile))
        : "memory");
    commitPuts();
    waitPuts();
  }
}

// The blocks of a cluster send their counts to block 0, which waits for the bytes.
__global__ void __launch_bounds__(64) __cluster_dims__(4, 1, 1)
    reduceToLeader(const unsigned* in, unsigned* out) {
  constexpr int kSize = 128;
  __shared__ __align__(16) unsigned mine[kSize], total[kSize];
  __shared__ Barrier done;
  unsigned rank = clusterRank();
  for (int i = threadIdx.x; i < kSize; i += 64) {
    mine[i] = in[blockIdx.x * kSize + i];
    total[i] = 0;
  }
  if (threadIdx.x == 0) {
    init(&done, 1);
    fenceInit();
    if (rank == 0) expect(&done, sizeof(mine) * clusterSize());
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  clusterArrive();
  clusterWait();
  if (threadIdx.x == 0)
    asm volatile(
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
        "[%0], [%1], %2, [%3];" ::"r"(inRank(total, 0)),
        "r"(sharedAddress(mine)), "r"((unsigned)sizeof(mine)), "r"(inRank(&done, 0))
        : "memory");
  if (rank == 0) {
    waitCluster(&done, 0);
    for (int i = threadIdx.x; i < kSize; i += 64) out[blockIdx.x / 4 * kSize + i] = total[i];
  }
  clusterArrive();
  clusterWait();
}

// The next launch may begin while this one still works; it waits before it reads what this one
// writes.
__global__ void __launch_bounds__(128) dependentSteps(float* data, const float* weight, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float w = i < n ? weight[i] : 0;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  __shared__ float tile[128];
  tile[threadIdx.x] = i < n ? data[i] : 0;
  __syncthreads();
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  if (i < n) data[i] = tile[threadIdx.x ^ 1] * 0.5f + w;
}

// LAUNCH: {"kernel": "reduceRows", "block": 64, "grid": 2, "args": ["buffer:2304:small:s32:1",
//   "buffer:256", "buffer:256", "s32:9"]}
// LAUNCH: {"kernel": "reduceTile", "block": 64, "grid": 3, "buffers":
//   {"out": "buffer:1536:small:f32:2"}, "args": ["buffer:3072:small:f32:1",
//   "tensormap:&out:f32:48,8:box=32,8", "s32:12"]}
// LAUNCH: {"kernel": "reduceToLeader", "block": 64, "grid": 4, "args":
//   ["buffer:2048:random:u32:1", "buffer:512"]}
// LAUNCH: {"kernel": "dependentSteps", "block": 128, "grid": 2, "repeat": 3, "dependent": true,
//   "args": ["buffer:800:small:f32:1", "buffer:800:small:f32:2", "s32:200"]}

// targets: 90 100
// Thread block clusters: a histogram spread over the shared memory of the cluster, a ring exchange,
// and a cluster-wide sum.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1)
    clusterHistogram(const int* in, int* bins, int n, int binsPerBlock) {
  extern __shared__ int local[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int b = threadIdx.x; b < binsPerBlock; b += blockDim.x) local[b] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int bin = min(max(in[i], 0), 2 * binsPerBlock - 1);
    int* remote = cluster.map_shared_rank(local, bin / binsPerBlock);
    atomicAdd(remote + bin % binsPerBlock, 1);
  }
  cluster.sync();
  int* mine = bins + cluster.block_rank() * binsPerBlock;
  for (int b = threadIdx.x; b < binsPerBlock; b += blockDim.x) atomicAdd(&mine[b], local[b]);
}

__global__ void __cluster_dims__(4, 1, 1) ringExchange(float* data, int rounds) {
  __shared__ float cell[2][128];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
  cell[0][threadIdx.x] = data[blockIdx.x * 128 + threadIdx.x];
  cluster.sync();
  for (int r = 0; r < rounds; ++r) {
    float* remote = cluster.map_shared_rank(cell[(r + 1) & 1], next);
    remote[threadIdx.x] =
        0.5f * cell[r & 1][threadIdx.x] + 0.5f * cell[r & 1][(threadIdx.x + 1) & 127];
    cluster.sync();
  }
  data[blockIdx.x * 128 + threadIdx.x] = cell[rounds & 1][threadIdx.x];
}

// In inline PTX with arrive and wait apart.
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256)
    clusterSum(const float* in, float* out, int n) {
  __shared__ float partial[8];
  __shared__ float total;
  float sum = 0.0f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) sum += in[i];
  for (int m = 16; m > 0; m >>= 1) sum += __shfl_xor_sync(~0u, sum, m);
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) sum += partial[w];
    total = sum;
  }
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&total)), remote, rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank ^ 1));
  float other;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(other) : "r"(remote) : "memory");
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  if (threadIdx.x == 0 && rank == 0) out[blockIdx.x / 2] = total + other;
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

// LAUNCH: {"kernel": "clusterHistogram", "block": 64, "grid": 4, "shared": 64, "args":
//   ["buffer:800:iota:s32:-10:0.3", "buffer:128", "s32:200", "s32:16"]}
// LAUNCH: {"kernel": "ringExchange", "block": 128, "grid": 4, "args": ["buffer:2048:small:f32:1",
//   "s32:3"]}
// LAUNCH: {"kernel": "clusterSum", "block": 256, "grid": 4, "args": ["buffer:7600:small:f32:1",
//   "buffer:8", "s32:1900"]}

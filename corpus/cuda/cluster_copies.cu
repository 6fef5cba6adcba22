// targets: 90a 100a
// What the blocks of a cluster do to each other's shared memory: multicast, bulk copies, stores and
// reductions that complete on a remote mbarrier, remote arrivals.
#include "asynchronous.h"

// Each block of two fetches one half of a tile for both.
__global__ void __launch_bounds__(128) __cluster_dims__(2, 1, 1)
    multicastHalves(const float* in, float* out, int rounds) {
  constexpr int kStages = 2, kSize = 256;
  __shared__ __align__(128) float tile[kStages][kSize];
  __shared__ Barrier full[kStages], empty[kStages];
  unsigned rank = clusterRank();
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 1);
      init(&empty[s], 2);
    }
    fenceInit();
  }
  clusterArrive();
  clusterWait();
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    int s = r % kStages;
    if (threadIdx.x == 0) {
      waitCluster(&empty[s], r / kStages & 1 ^ 1);
      expect(&full[s], sizeof(tile[0]));
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
          "[%0], [%1], %2, [%3], %4;" ::"r"(sharedAddress(tile[s] + rank * kSize / 2)),
          "l"(in + r * kSize + rank * kSize / 2), "r"(kSize / 2 * 4), "r"(sharedAddress(&full[s])),
          "h"((unsigned short)3)
          : "memory");
    }
    waitCluster(&full[s], r / kStages & 1);
    // The half that the other block has fetched.
    sum += tile[s][rank == 0 ? kSize - 1 - threadIdx.x : threadIdx.x] * (r + 1);
    __syncthreads();
    // Both blocks have done with a stage before either one writes to both.
    if (threadIdx.x < 2) arriveAt(&empty[s], threadIdx.x);
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
  clusterArrive();
  clusterWait();
}

// The blocks of a cluster add up; block 0 reads the parts of the others.
__global__ void __launch_bounds__(128) __cluster_dims__(4, 1, 1)
    sumThroughCluster(const float* in, float* out, int n) {
  __shared__ float part[4];
  __shared__ float total;
  float v = 0;
  unsigned rank = clusterRank();
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) v += in[i];
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(~0u, v, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) total = part[0] + part[1] + part[2] + part[3];
  clusterArrive();
  clusterWait();
  if (rank == 0 && threadIdx.x < 32) {
    float remote = 0;
    if (threadIdx.x < clusterSize())
      asm volatile("ld.shared::cluster.f32 %0, [%1];"
                   : "=f"(remote)
                   : "r"(inRank(&total, threadIdx.x))
                   : "memory");
    for (int step = 16; step > 0; step /= 2) remote += __shfl_xor_sync(~0u, remote, step);
    if (threadIdx.x == 0) out[blockIdx.x / 4] = remote;
  }
  // Nobody leaves while its part is read.
  clusterArrive();
  clusterWait();
}

// Every round each block sends a word a thread to the next one, which waits for the bytes.
__global__ void __launch_bounds__(64) __cluster_dims__(4, 1, 1)
    passStores(const int* in, int* out, int rounds) {
  __shared__ __align__(16) int box[2][64];
  __shared__ Barrier full[2];
  unsigned next = (clusterRank() + 1) % clusterSize();
  int t = threadIdx.x, v = in[blockIdx.x * 64 + t];
  if (t == 0) {
    init(&full[0], 1);
    init(&full[1], 1);
    fenceInit();
  }
  clusterArrive();
  clusterWait();
  for (int r = 0; r < rounds; ++r) {
    int s = r & 1;
    if (t == 0) expect(&full[s], sizeof(box[0]));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                     inRank(&box[s][63 - t], next)),
                 "r"(v + r), "r"(inRank(&full[s], next))
                 : "memory");
    waitCluster(&full[s], r >> 1 & 1);
    v = box[s][t];
    // The box of this round is overwritten in the next but one.
    clusterArrive();
    clusterWait();
  }
  out[blockIdx.x * 64 + t] = v;
}

// All blocks count into the bins of block 0.
__global__ void __launch_bounds__(64) __cluster_dims__(4, 1, 1)
    countInCluster(const int* in, unsigned* out, int each) {
  __shared__ unsigned bins[16];
  __shared__ Barrier counted;
  unsigned rank = clusterRank();
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    init(&counted, 1);
    fenceInit();
    if (rank == 0) expect(&counted, 4 * 64 * each * clusterSize());
  }
  clusterArrive();
  clusterWait();
  for (int r = 0; r < each; ++r) {
    int bin = in[(blockIdx.x * each + r) * 64 + threadIdx.x] & 15;
    asm volatile(
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
        "[%0], %1, [%2];" ::"r"(inRank(&bins[bin], 0)),
        "r"(1), "r"(inRank(&counted, 0))
        : "memory");
  }
  if (rank == 0) {
    waitCluster(&counted, 0);
    if (threadIdx.x < 16) out[blockIdx.x / 4 * 16 + threadIdx.x] = bins[threadIdx.x];
  }
  clusterArrive();
  clusterWait();
}

// Block 0 prepares tiles and copies them into the ring of block 1, which says when a stage is free.
__global__ void __launch_bounds__(64) __cluster_dims__(2, 1, 1)
    handOver(const float* in, float* out, int rounds) {
  constexpr int kStages = 2, kSize = 128;
  __shared__ __align__(128) float tile[kStages][kSize];
  __shared__ Barrier full[kStages], empty[kStages];
  unsigned rank = clusterRank();
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 1);
      init(&empty[s], 1);
    }
    fenceInit();
  }
  clusterArrive();
  clusterWait();
  for (int r = 0; r < rounds; ++r) {
    int s = r % kStages;
    if (rank == 0) {
      // Then the copy of two rounds ago has read this block's stage too.
      waitCluster(&empty[s], r / kStages & 1 ^ 1);
      for (int i = threadIdx.x; i < kSize; i += 64) tile[s][i] = 2 * in[r * kSize + i];
      fenceAsync();
      __syncthreads();
      if (threadIdx.x == 0)
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
            "[%0], [%1], %2, [%3];" ::"r"(inRank(tile[s], 1)),
            "r"(sharedAddress(tile[s])), "r"((unsigned)sizeof(tile[0])), "r"(inRank(&full[s], 1))
            : "memory");
    } else {
      if (threadIdx.x == 0) expect(&full[s], sizeof(tile[0]));
      waitCluster(&full[s], r / kStages & 1);
      for (int i = threadIdx.x; i < kSize; i += 64)
        out[r * kSize + i] = tile[s][i] + tile[s][kSize - 1 - i];
      __syncthreads();
      if (threadIdx.x == 0) arriveAt(&empty[s], 0);
    }
  }
  clusterArrive();
  clusterWait();
}

// LAUNCH: {"kernel": "multicastHalves", "block": 128, "grid": 2, "args":
//   ["buffer:5120:small:f32:1", "buffer:1024", "s32:5"]}
// LAUNCH: {"kernel": "sumThroughCluster", "block": 128, "grid": 4, "args":
//   ["buffer:4000:small:f32:1", "buffer:4", "s32:1000"]}
// LAUNCH: {"kernel": "passStores", "block": 64, "grid": 4, "args": ["buffer:1024:small:s32:1",
//   "buffer:1024", "s32:5"]}
// LAUNCH: {"kernel": "countInCluster", "block": 64, "grid": 4, "args": ["buffer:3072:small:s32:1",
//   "buffer:64", "s32:3"]}
// LAUNCH: {"kernel": "handOver", "block": 64, "grid": 2, "args": ["buffer:2560:small:f32:1",
//   "buffer:2560", "s32:5"]}

// targets: 100a
// also: new
// clusterlaunchcontrol: blocks that take the work of blocks that have not started.
#include "asynchronous.h"

struct Response {
  unsigned long long words[2];
};

__device__ void request(Response* to, Barrier* bar) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], "
      "[%1];" ::"r"(sharedAddress(to)),
      "r"(sharedAddress(bar))
      : "memory");
}
// In all blocks of the cluster.
__device__ void requestForAll(Response* to, Barrier* bar) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
      ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(sharedAddress(to)),
      "r"(sharedAddress(bar))
      : "memory");
}
// The first block of the cluster that was cancelled; -1: there was none.
__device__ int answerOf(const Response& from) {
  int block;
  asm volatile(
      "{\n\t"
      ".reg .b128 response;\n\t"
      ".reg .pred cancelled;\n\t"
      "mov.b128 response, {%1, %2};\n\t"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 cancelled, response;\n\t"
      "mov.b32 %0, -1;\n\t"
      "@cancelled clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %0, response;\n\t"
      "}"
      : "=r"(block)
      : "l"(from.words[0]), "l"(from.words[1])
      : "memory");
  return block;
}

// Every block squares a part, and then the parts of the blocks that it cancels.
__global__ void __launch_bounds__(64) squareParts(const float* in, float* out) {
  __shared__ __align__(16) Response response;
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, 1);
  __syncthreads();
  for (int block = blockIdx.x, round = 0; block >= 0; ++round) {
    // Who asked last has been read by all.
    if (threadIdx.x == 0) {
      fenceAsync();
      expect(&bar, sizeof response);
      request(&response, &bar);
    }
    int i = block * 64 + threadIdx.x;
    out[i] = in[i] * in[i];
    wait(&bar, round & 1);
    block = answerOf(response);
    __syncthreads();
  }
}

// The answer is in a ring, so that the next request need not wait for all to have read it.
__global__ void __launch_bounds__(96) sumParts(const int* in, int* out) {
  constexpr int kStages = 2;
  __shared__ __align__(16) Response response[kStages];
  __shared__ Barrier full[kStages], empty[kStages];
  __shared__ int partial[2];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 1);
      init(&empty[s], 65);
    }
  __syncthreads();
  int block = blockIdx.x;
  if (warp == 2) {
    if (lane == 0) {
      for (int i = 0; block >= 0; ++i) {
        int s = i % kStages;
        wait(&empty[s], i / kStages & 1 ^ 1);
        fenceAsync();
        expect(&full[s], sizeof(Response));
        request(&response[s], &full[s]);
        wait(&full[s], i / kStages & 1);
        block = answerOf(response[s]);
        arrive(&empty[s]);
      }
    }
    return;
  }
  for (int i = 0; block >= 0; ++i) {
    int s = i % kStages;
    int v = in[block * 64 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (lane == 0) partial[warp] = v;
    namedBarrier<1, 64>();
    if (threadIdx.x == 0) out[block] = partial[0] + partial[1];
    namedBarrier<1, 64>();
    wait(&full[s], i / kStages & 1);
    block = answerOf(response[s]);
    arrive(&empty[s]);
  }
}

// Clusters of two: one asks for both, and each takes the block of its own rank.
__global__ void __launch_bounds__(32) __cluster_dims__(2, 1, 1)
    reversePairs(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) Response response;
  __shared__ Barrier bar;
  unsigned rank = clusterRank();
  if (threadIdx.x == 0) {
    init(&bar, 1);
    fenceInit();
  }
  clusterArrive();
  clusterWait();
  for (int block = blockIdx.x - rank, round = 0; block >= 0; ++round) {
    if (threadIdx.x == 0) {
      fenceAsync();
      expect(&bar, sizeof response);
    }
    clusterArrive();
    clusterWait();
    if (rank == 0 && threadIdx.x == 0) requestForAll(&response, &bar);
    int mine = block + rank;
    out[mine * 32 + 31 - threadIdx.x] = in[mine * 32 + threadIdx.x];
    waitCluster(&bar, round & 1);
    block = answerOf(response);
    __syncwarp();
  }
  clusterArrive();
  clusterWait();
}

// LAUNCH: {"kernel": "squareParts", "block": 64, "grid": 12, "args":
//   ["buffer:3072:random:f32:1", "buffer:3072"]}
// LAUNCH: {"kernel": "sumParts", "block": 96, "grid": 10, "args":
//   ["buffer:2560:random:s32:2", "buffer:40"]}
// LAUNCH: {"kernel": "reversePairs", "block": 32, "grid": 8, "cluster": 2, "args":
//   ["buffer:1024:random:u32:3", "buffer:1024"]}

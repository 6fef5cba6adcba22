// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues and work lists in shared memory.

// TRUTH: race-free: the current list is read, the next one filled; all agree about its length
// between two barriers
// LAUNCH: {"kernel": "rounds_ok", "block": 64, "args": ["buffer:256:small:s32:3:40", "buffer:256"]}
extern "C" __global__ void rounds_ok(const int* in, int* steps) {
  __shared__ int list[2][64], length[2];
  const int t = threadIdx.x;
  list[0][t] = in[t] * 64 + t;
  if (t == 0) length[0] = 64;
  int now = 0, count = 64;
  while (count > 0) {
    if (t == 0) length[now ^ 1] = 0;
    __syncthreads();
    if (t < count) {
      const int item = list[now][t];
      if (item >= 128)
        list[now ^ 1][atomicAdd(&length[now ^ 1], 1)] = item / 128 * 64 + item % 64;
      else
        steps[item % 64] = 1;
    }
    __syncthreads();
    now ^= 1;
    count = length[now];
  }
}

// TRUTH: racy race: the length of the next list is reset while others read it for the last round
// LAUNCH: {"kernel": "rounds_race", "block": 64,
//          "args": ["buffer:256:small:s32:3:40", "buffer:256"]}
extern "C" __global__ void rounds_race(const int* in, int* steps) {
  __shared__ int list[2][64], length;
  const int t = threadIdx.x;
  list[0][t] = in[t] * 64 + t;
  int now = 0, count = 64;
  while (count > 0) {
    if (t == 0) length = 0;
    __syncthreads();
    if (t < count) {
      const int item = list[now][t];
      if (item >= 128)
        list[now ^ 1][atomicAdd(&length, 1)] = item / 128 * 64 + item % 64;
      else
        steps[item % 64] = 1;
    }
    __syncthreads();
    now ^= 1;
    count = length;
  }
}

// TRUTH: race-free: one thread draws the next piece of work for the block
// LAUNCH: {"kernel": "draw_ok", "grid": 2, "block": 64,
//          "args": ["buffer:4", "buffer:1K:iota:s32", "4"]}
extern "C" __global__ void draw_ok(int* next, int* data, int pieces) {
  __shared__ int piece;
  for (;;) {
    if (threadIdx.x == 0) piece = atomicAdd(next, 1);
    __syncthreads();
    const int mine = piece;
    __syncthreads();
    if (mine >= pieces) break;
    data[mine * 64 + threadIdx.x] *= 2;
  }
}

// TRUTH: racy race: the next draw may come before a slow warp has read this one
// LAUNCH: {"kernel": "draw_race", "grid": 2, "block": 64,
//          "args": ["buffer:4", "buffer:1K:iota:s32", "4"]}
extern "C" __global__ void draw_race(int* next, int* data, int pieces) {
  __shared__ int piece;
  for (;;) {
    if (threadIdx.x == 0) piece = atomicAdd(next, 1);
    __syncthreads();
    const int mine = piece;
    if (mine >= pieces) break;
    data[mine * 64 + threadIdx.x] *= 2;
  }
}

// TRUTH: race-free: a warp draws for itself and passes the number on by a shuffle
// LAUNCH: {"kernel": "warp_draw_ok", "block": 64,
//          "args": ["buffer:4", "buffer:1K:iota:s32", "8"]}
extern "C" __global__ void warp_draw_ok(int* next, int* data, int pieces) {
  const unsigned lane = threadIdx.x % warpSize;
  while (true) {
    int piece;
    if (lane == 0) piece = atomicAdd(next, 1);
    piece = __shfl_sync(0xffffffff, piece, 0);
    if (piece >= pieces) return;
    data[piece * 32 + lane] += piece;
  }
}

// TRUTH: racy missing-syncwarp: the number goes through shared memory, and the first lane may draw
// again too early
// LAUNCH: {"kernel": "warp_draw_race", "block": 64,
//          "args": ["buffer:4", "buffer:1K:iota:s32", "8"]}
extern "C" __global__ void warp_draw_race(int* next, int* data, int pieces) {
  __shared__ int drawn[2];
  const unsigned lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  while (true) {
    if (lane == 0) drawn[warp] = atomicAdd(next, 1);
    __syncwarp();
    const int piece = drawn[warp];
    if (piece >= pieces) return;
    data[piece * 32 + lane] += piece;
  }
}

// TRUTH: race-free, seen as outcomes: a place for each of the 64 threads, in any order
// LAUNCH: {"kernel": "ring_ok", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void ring_ok(const int* in, int* out) {
  __shared__ int ring[64];
  __shared__ unsigned tail;
  if (threadIdx.x == 0) tail = 0;
  __syncthreads();
  ring[atomicAdd(&tail, 1u) & 63] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = ring[threadIdx.x];
}

// TRUTH: racy race: the ring has 32 places for 64 threads
// LAUNCH: {"kernel": "ring_race", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void ring_race(const int* in, int* out) {
  __shared__ int ring[32];
  __shared__ unsigned tail;
  if (threadIdx.x == 0) tail = 0;
  __syncthreads();
  ring[atomicAdd(&tail, 1u) & 31] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = ring[threadIdx.x & 31];
}

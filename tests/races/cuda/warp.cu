// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of one warp: __syncwarp(), volatile, shuffles, rows that belong to one warp.

// TRUTH: race-free
// LAUNCH: {"kernel": "warp_tree_ok", "block": 64, "args": ["buffer:256:iota:s32", "buffer:8"]}
extern "C" __global__ void warp_tree_ok(const int* in, int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x, lane = t & 31;
  tile[t] = in[t];
  __syncwarp();
  for (int s = 16; s > 0; s >>= 1) {
    if (lane < s) tile[t] += tile[t + s];
    __syncwarp();
  }
  if (lane == 0) out[t >> 5] = tile[t];
}

// TRUTH: racy missing-syncwarp: lanes of a warp need not run in step since sm_70
// LAUNCH: {"kernel": "warp_tree_race", "block": 64, "args": ["buffer:256:iota:s32", "buffer:8"]}
extern "C" __global__ void warp_tree_race(const int* in, int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x, lane = t & 31;
  tile[t] = in[t];
  __syncwarp();
  for (int s = 16; s > 0; s >>= 1) {
    if (lane < s) tile[t] += tile[t + s];
  }
  if (lane == 0) out[t >> 5] = tile[t];
}

// TRUTH: race-free
// LAUNCH: {"kernel": "volatile_tail_ok", "block": 64, "args": ["buffer:256:iota:s32", "buffer:4"]}
extern "C" __global__ void volatile_tail_ok(const int* in, int* out) {
  __shared__ volatile int tile[64];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  if (t < 32) {
#pragma unroll
    for (int s = 32; s > 0; s >>= 1) {
      const int x = tile[t + s];
      __syncwarp();
      tile[t] += x;
      __syncwarp();
    }
  }
  if (t == 0) *out = tile[0];
}

// TRUTH: racy missing-syncwarp, seen as outcomes: volatile accesses are strong and do not race, but
// the sum depends on the order of the lanes
// LAUNCH: {"kernel": "volatile_tail_race", "block": 64,
//          "args": ["buffer:256:iota:s32", "buffer:4"]}
extern "C" __global__ void volatile_tail_race(const int* in, int* out) {
  __shared__ volatile int tile[64];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  if (t < 32) {
#pragma unroll
    for (int s = 32; s > 0; s >>= 1) tile[t] += tile[t + s];
  }
  if (t == 0) *out = tile[0];
}

// TRUTH: race-free: each warp keeps to its row, so that no barrier of the block is needed
// LAUNCH: {"kernel": "warp_rows_ok", "block": 128, "args": ["buffer:512:iota:s32", "3"]}
extern "C" __global__ void warp_rows_ok(int* data, int rounds) {
  __shared__ int rows[4][32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  rows[warp][lane] = data[threadIdx.x];
  for (int i = 0; i < rounds; ++i) {
    __syncwarp();
    const int next = rows[warp][(lane + 1) & 31];
    __syncwarp();
    rows[warp][lane] = next + 1;
  }
  data[threadIdx.x] = rows[warp][lane];
}

// TRUTH: racy race: the last lane reads the first word of the next row, which is another warp's
// LAUNCH: {"kernel": "warp_rows_race", "block": 128, "args": ["buffer:512:iota:s32", "3"]}
extern "C" __global__ void warp_rows_race(int* data, int rounds) {
  __shared__ int rows[4 * 32 + 1];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int* row = rows + warp * 32;
  row[lane] = data[threadIdx.x];
  if (threadIdx.x == 127) row[32] = 0;
  for (int i = 0; i < rounds; ++i) {
    __syncwarp();
    const int next = row[lane + 1];
    __syncwarp();
    row[lane] = next + 1;
  }
  data[threadIdx.x] = row[lane];
}

// TRUTH: race-free
// LAUNCH: {"kernel": "lane_reverse_ok", "block": 64, "args": ["buffer:512:iota:s32", "2"]}
extern "C" __global__ void lane_reverse_ok(int* data, int count) {
  __shared__ int stage[64];
  const unsigned t = threadIdx.x;
  for (int i = 0; i < count; ++i) {
    stage[t] = data[i * 64 + t];
    __syncwarp();
    data[i * 64 + t] = stage[t ^ 31];
    __syncwarp();
  }
}

// TRUTH: racy missing-syncwarp: the stores of the next round are not held back, across the back
// edge only
// LAUNCH: {"kernel": "lane_reverse_race", "block": 64, "args": ["buffer:512:iota:s32", "2"]}
extern "C" __global__ void lane_reverse_race(int* data, int count) {
  __shared__ int stage[64];
  const unsigned t = threadIdx.x;
  for (int i = 0; i < count; ++i) {
    stage[t] = data[i * 64 + t];
    __syncwarp();
    data[i * 64 + t] = stage[t ^ 31];
  }
}

__device__ __forceinline__ int warp_max(int v) {
  for (int d = 16; d > 0; d >>= 1) v = max(v, __shfl_down_sync(0xffffffffu, v, d));
  return v;
}

// TRUTH: race-free
// LAUNCH: {"kernel": "broadcast_ok", "block": 64,
//          "args": ["buffer:256:random:s32:7", "buffer:256"]}
extern "C" __global__ void broadcast_ok(const int* in, int* out) {
  __shared__ int largest[2];
  const int v = in[threadIdx.x], m = warp_max(v), warp = threadIdx.x >> 5;
  if ((threadIdx.x & 31) == 0) largest[warp] = m;
  __syncwarp();
  out[threadIdx.x] = largest[warp] - v;
}

// TRUTH: racy missing-syncwarp: a shuffle orders no accesses to memory, and this one is before the
// store
// LAUNCH: {"kernel": "broadcast_race", "block": 64,
//          "args": ["buffer:256:random:s32:7", "buffer:256"]}
extern "C" __global__ void broadcast_race(const int* in, int* out) {
  __shared__ int largest[2];
  const int v = in[threadIdx.x], m = warp_max(v), warp = threadIdx.x >> 5;
  if ((threadIdx.x & 31) == 0) largest[warp] = m;
  out[threadIdx.x] = largest[warp] - v;
}

// TRUTH: race-free: one atomic of each warp reserves places for all its lanes
// LAUNCH: {"kernel": "aggregated_ok", "block": 128,
//          "args": ["buffer:512:iota:s32", "buffer:512", "buffer:4"]}
extern "C" __global__ void aggregated_ok(const int* in, int* out, int* count) {
  const int v = in[threadIdx.x], lane = threadIdx.x & 31;
  const bool keep = v % 3 == 0;
  const unsigned mask = __ballot_sync(0xffffffffu, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(0xffffffffu, base, 0);
  // Which places a warp gets depends on the schedule, so what it stores there does not.
  if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = 1;
}

// TRUTH: racy race-global: the leaders of the warps reserve by a plain load and store
// LAUNCH: {"kernel": "aggregated_race", "block": 128,
//          "args": ["buffer:512:iota:s32", "buffer:512", "buffer:4"]}
extern "C" __global__ void aggregated_race(const int* in, int* out, int* count) {
  const int v = in[threadIdx.x], lane = threadIdx.x & 31;
  const bool keep = v % 3 == 0;
  const unsigned mask = __ballot_sync(0xffffffffu, keep);
  int base = 0;
  if (lane == 0) {
    base = *count;
    *count = base + __popc(mask);
  }
  base = __shfl_sync(0xffffffffu, base, 0);
  if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = 1;
}

// TRUTH: race-free: a half of a warp waits for itself only
// LAUNCH: {"kernel": "half_warp_ok", "block": 32, "args": ["buffer:128:iota:s32"]}
extern "C" __global__ void half_warp_ok(int* data) {
  __shared__ int s[32];
  const int lane = threadIdx.x;
  s[lane] = data[lane];
  if (lane < 16) {
    __syncwarp(0x0000ffff);
    data[lane] = s[15 - lane];
  } else {
    __syncwarp(0xffff0000);
    data[lane] = s[47 - lane];
  }
}

// TRUTH: racy missing-syncwarp: the lower half reads what the upper half stores
// LAUNCH: {"kernel": "half_warp_race", "block": 32, "args": ["buffer:128:iota:s32"]}
extern "C" __global__ void half_warp_race(int* data) {
  __shared__ int s[32];
  const int lane = threadIdx.x;
  s[lane] = data[lane];
  if (lane < 16) {
    __syncwarp(0x0000ffff);
    data[lane] = s[31 - lane];
  } else {
    __syncwarp(0xffff0000);
    data[lane] = s[47 - lane];
  }
}

// TRUTH: racy missing-syncwarp: a vote makes the lanes meet, but orders no accesses to memory
// LAUNCH: {"kernel": "vote_race", "block": 32, "args": ["buffer:128:iota:s32"]}
extern "C" __global__ void vote_race(int* data) {
  __shared__ int s[32];
  const int lane = threadIdx.x & 31;
  const int v = data[lane];
  s[lane] = v;
  if (__any_sync(0xffffffffu, v > 20)) data[lane] = s[lane ^ 1];
}

// TRUTH: race-free
// LAUNCH: {"kernel": "vote_ok", "block": 32, "args": ["buffer:128:iota:s32"]}
extern "C" __global__ void vote_ok(int* data) {
  __shared__ int s[32];
  const int lane = threadIdx.x & 31;
  const int v = data[lane];
  s[lane] = v;
  if (__any_sync(0xffffffffu, v > 20)) {
    __syncwarp();
    data[lane] = s[lane ^ 1];
  }
}

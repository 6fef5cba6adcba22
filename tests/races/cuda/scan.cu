// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prefix sums of a block.

// TRUTH: race-free: each round reads one half of the buffer and writes the other
// LAUNCH: {"kernel": "hillis_steele_ok", "block": 64, "shared": 512,
//          "args": ["buffer:256:iota:s32"]}
extern "C" __global__ void hillis_steele_ok(int* data) {
  extern __shared__ int temp[];
  const int t = threadIdx.x, n = blockDim.x;
  int out = 0, in = 1;
  temp[t] = data[t];
  __syncthreads();
  for (int offset = 1; offset < n; offset <<= 1) {
    out = 1 - out;
    in = 1 - out;
    const int x = temp[in * n + t];
    temp[out * n + t] = t >= offset ? x + temp[in * n + t - offset] : x;
    __syncthreads();
  }
  data[t] = temp[out * n + t];
}

// TRUTH: racy race: one buffer, and no barrier between a round's loads and its stores
// LAUNCH: {"kernel": "hillis_steele_race", "block": 64, "shared": 256,
//          "args": ["buffer:256:iota:s32"]}
extern "C" __global__ void hillis_steele_race(int* data) {
  extern __shared__ int temp[];
  const int t = threadIdx.x, n = blockDim.x;
  temp[t] = data[t];
  __syncthreads();
  for (int offset = 1; offset < n; offset <<= 1) {
    if (t >= offset) temp[t] += temp[t - offset];
    __syncthreads();
  }
  data[t] = temp[t];
}

// TRUTH: race-free
// LAUNCH: {"kernel": "blelloch_ok", "block": 64, "args": ["buffer:512:iota:s32", "buffer:512"]}
extern "C" __global__ void blelloch_ok(const int* in, int* out) {
  __shared__ int temp[128];
  const int t = threadIdx.x;
  int offset = 1;
  temp[2 * t] = in[2 * t];
  temp[2 * t + 1] = in[2 * t + 1];
  for (int d = 64; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];
    offset <<= 1;
  }
  if (t == 0) temp[127] = 0;
  for (int d = 1; d < 128; d <<= 1) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      const int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
      const int x = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += x;
    }
  }
  __syncthreads();
  out[2 * t] = temp[2 * t];
  out[2 * t + 1] = temp[2 * t + 1];
}

// TRUTH: racy race: the way down has no barrier between its rounds
// LAUNCH: {"kernel": "blelloch_race", "block": 64, "args": ["buffer:512:iota:s32", "buffer:512"]}
extern "C" __global__ void blelloch_race(const int* in, int* out) {
  __shared__ int temp[128];
  const int t = threadIdx.x;
  int offset = 1;
  temp[2 * t] = in[2 * t];
  temp[2 * t + 1] = in[2 * t + 1];
  for (int d = 64; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];
    offset <<= 1;
  }
  if (t == 0) temp[127] = 0;
  __syncthreads();
  for (int d = 1; d < 128; d <<= 1) {
    offset >>= 1;
    if (t < d) {
      const int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
      const int x = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += x;
    }
  }
  __syncthreads();
  out[2 * t] = temp[2 * t];
  out[2 * t + 1] = temp[2 * t + 1];
}

__device__ __forceinline__ int warp_inclusive(int v, int lane) {
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const int up = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += up;
  }
  return v;
}

// TRUTH: race-free
// LAUNCH: {"kernel": "warp_block_scan_ok", "block": 128, "args": ["buffer:512:iota:s32"]}
extern "C" __global__ void warp_block_scan_ok(int* data) {
  __shared__ int sums[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int v = warp_inclusive(data[threadIdx.x], lane);
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    const int total = warp_inclusive(lane < blockDim.x / 32 ? sums[lane] : 0, lane);
    sums[lane] = total;
  }
  __syncthreads();
  data[threadIdx.x] = warp > 0 ? v + sums[warp - 1] : v;
}

// TRUTH: racy race: the scanned sums are read before the first warp has stored them
// LAUNCH: {"kernel": "warp_block_scan_race", "block": 128, "args": ["buffer:512:iota:s32"]}
extern "C" __global__ void warp_block_scan_race(int* data) {
  __shared__ int sums[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int v = warp_inclusive(data[threadIdx.x], lane);
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    const int total = warp_inclusive(lane < blockDim.x / 32 ? sums[lane] : 0, lane);
    sums[lane] = total;
  }
  data[threadIdx.x] = warp > 0 ? v + sums[warp - 1] : v;
}

// TRUTH: race-free
// LAUNCH: {"kernel": "scan_chunks_ok", "block": 64, "args": ["buffer:1K:iota:s32", "256"]}
extern "C" __global__ void scan_chunks_ok(int* data, int n) {
  __shared__ int tile[64];
  __shared__ int carry;
  const int t = threadIdx.x;
  if (t == 0) carry = 0;
  for (int base = 0; base < n; base += 64) {
    tile[t] = data[base + t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
      const int add = t >= d ? tile[t - d] : 0;
      __syncthreads();
      tile[t] += add;
      __syncthreads();
    }
    data[base + t] = tile[t] + carry;
    __syncthreads();
    if (t == 63) carry += tile[63];
  }
}

// TRUTH: racy race: the last thread moves the carry on while others still add the old one
// LAUNCH: {"kernel": "scan_chunks_race", "block": 64, "args": ["buffer:1K:iota:s32", "256"]}
extern "C" __global__ void scan_chunks_race(int* data, int n) {
  __shared__ int tile[64];
  __shared__ int carry;
  const int t = threadIdx.x;
  if (t == 0) carry = 0;
  for (int base = 0; base < n; base += 64) {
    tile[t] = data[base + t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
      const int add = t >= d ? tile[t - d] : 0;
      __syncthreads();
      tile[t] += add;
      __syncthreads();
    }
    data[base + t] = tile[t] + carry;
    if (t == 63) carry += tile[63];
    __syncthreads();
  }
}

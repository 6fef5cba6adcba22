// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, minima and positions of maxima of a block through shared memory.

// TRUTH: race-free
// LAUNCH: {"kernel": "block_sum_ok", "block": 128, "args": ["buffer:512:iota:s32", "buffer:4"]}
extern "C" __global__ void block_sum_ok(const int* in, int* out) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (t < s) tile[t] += tile[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

// TRUTH: racy race: the rounds of the tree are not separated
// LAUNCH: {"kernel": "block_sum_race", "block": 128, "args": ["buffer:512:iota:s32", "buffer:4"]}
extern "C" __global__ void block_sum_race(const int* in, int* out) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (t < s) tile[t] += tile[t + s];
  }
  __syncthreads();
  if (t == 0) out[blockIdx.x] = tile[0];
}

extern __shared__ float scratch[];

// TRUTH: race-free
// LAUNCH: {"kernel": "dynamic_sum_ok", "grid": 2, "block": 64, "shared": 256,
//          "args": ["buffer:1K:iota:f32", "buffer:8", "200"]}
extern "C" __global__ void dynamic_sum_ok(const float* __restrict__ in, float* __restrict__ out,
                                          int n) {
  const unsigned t = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  scratch[t] = sum;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) scratch[t] += scratch[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = scratch[0];
}

// TRUTH: racy race: no barrier between the stores and the first round
// LAUNCH: {"kernel": "dynamic_sum_race", "grid": 2, "block": 64, "shared": 256,
//          "args": ["buffer:1K:iota:f32", "buffer:8", "200"]}
extern "C" __global__ void dynamic_sum_race(const float* __restrict__ in, float* __restrict__ out,
                                            int n) {
  const unsigned t = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  scratch[t] = sum;
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) scratch[t] += scratch[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = scratch[0];
}

struct Minimum {
  __device__ static float of(float a, float b) { return a < b ? a : b; }
};
struct Maximum {
  __device__ static float of(float a, float b) { return a > b ? a : b; }
};

// All threads get the result; kTail is the barrier that lets the caller use the tile again.
template <typename Op, bool kTail>
__device__ float all_reduce(float value, float* tile) {
  const int t = threadIdx.x;
  tile[t] = value;
  __syncthreads();
  for (int s = blockDim.x >> 1; s > 0; s >>= 1) {
    if (t < s) tile[t] = Op::of(tile[t], tile[t + s]);
    __syncthreads();
  }
  const float result = tile[0];
  if (kTail) __syncthreads();
  return result;
}

// TRUTH: race-free
// LAUNCH: {"kernel": "normalize_ok", "block": 64, "args": ["buffer:256:iota:f32:3:2"]}
extern "C" __global__ void __launch_bounds__(256) normalize_ok(float* data) {
  __shared__ float tile[256];
  const float x = data[threadIdx.x];
  const float lo = all_reduce<Minimum, true>(x, tile);
  const float hi = all_reduce<Maximum, true>(x, tile);
  data[threadIdx.x] = (x - lo) / (hi - lo);
}

// TRUTH: racy race: the second call stores to the tile while others still read the first result
// LAUNCH: {"kernel": "normalize_race", "block": 64, "args": ["buffer:256:iota:f32:3:2"]}
extern "C" __global__ void __launch_bounds__(256) normalize_race(float* data) {
  __shared__ float tile[256];
  const float x = data[threadIdx.x];
  const float lo = all_reduce<Minimum, false>(x, tile);
  const float hi = all_reduce<Maximum, false>(x, tile);
  data[threadIdx.x] = (x - lo) / (hi - lo);
}

__device__ int warp_sum(int v) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffffu, v, offset);
  return v;
}

// TRUTH: race-free
// LAUNCH: {"kernel": "two_stage_sum_ok", "block": 128, "args": ["buffer:512:iota:s32", "buffer:4"]}
extern "C" __global__ void two_stage_sum_ok(const int* in, int* out) {
  __shared__ int partial[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int v = warp_sum(in[threadIdx.x]);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < (blockDim.x >> 5) ? partial[lane] : 0;
    v = warp_sum(v);
    if (lane == 0) *out = v;
  }
}

// TRUTH: racy race: the first warp reads the partial sums before the others stored them; one warp
// alone would be right
// LAUNCH: {"kernel": "two_stage_sum_race", "block": 128,
//          "args": ["buffer:512:iota:s32", "buffer:4"]}
extern "C" __global__ void two_stage_sum_race(const int* in, int* out) {
  __shared__ int partial[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int v = warp_sum(in[threadIdx.x]);
  if (lane == 0) partial[warp] = v;
  __syncwarp();
  if (warp == 0) {
    v = lane < (blockDim.x >> 5) ? partial[lane] : 0;
    v = warp_sum(v);
    if (lane == 0) *out = v;
  }
}

// TRUTH: race-free: the last steps are one warp's, with a __syncwarp() after each half
// LAUNCH: {"kernel": "unrolled_sum_ok", "block": 256, "args": ["buffer:1K:iota:s32", "buffer:4"]}
extern "C" __global__ void __launch_bounds__(256) unrolled_sum_ok(const int* in, int* out) {
  __shared__ int tile[256];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  if (t < 128) tile[t] += tile[t + 128];
  __syncthreads();
  if (t < 64) tile[t] += tile[t + 64];
  __syncthreads();
  if (t < 32) {
    int v = tile[t] + tile[t + 32];
#pragma unroll
    for (int s = 16; s > 0; s >>= 1) {
      tile[t] = v;
      __syncwarp();
      if (t < s) v += tile[t + s];
      __syncwarp();
    }
    if (t == 0) *out = v;
  }
}

// TRUTH: racy race: the step of 64 threads is taken for one of a single warp
// LAUNCH: {"kernel": "unrolled_sum_race", "block": 256, "args": ["buffer:1K:iota:s32", "buffer:4"]}
extern "C" __global__ void __launch_bounds__(256) unrolled_sum_race(const int* in, int* out) {
  __shared__ int tile[256];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  if (t < 128) tile[t] += tile[t + 128];
  __syncthreads();
  if (t < 64) tile[t] += tile[t + 64];
  __syncwarp();
  if (t < 32) {
    int v = tile[t] + tile[t + 32];
#pragma unroll
    for (int s = 16; s > 0; s >>= 1) {
      tile[t] = v;
      __syncwarp();
      if (t < s) v += tile[t + s];
      __syncwarp();
    }
    if (t == 0) *out = v;
  }
}

struct Best {
  float value;
  int index;
};

// TRUTH: race-free
// LAUNCH: {"kernel": "argmax_ok", "block": 64, "args": ["buffer:256:random:f32:5", "buffer:4"]}
extern "C" __global__ void argmax_ok(const float* in, int* out) {
  __shared__ Best best[64];
  const int t = threadIdx.x;
  best[t] = Best{in[t], t};
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (t < s && best[t + s].value > best[t].value) best[t] = best[t + s];
    __syncthreads();
  }
  if (t == 0) *out = best[0].index;
}

// TRUTH: racy race: right for a block of 32 threads, which needs no more than __syncwarp()
// LAUNCH: {"kernel": "argmax_race", "block": 64, "args": ["buffer:256:random:f32:5", "buffer:4"]}
extern "C" __global__ void argmax_race(const float* in, int* out) {
  __shared__ Best best[64];
  const int t = threadIdx.x;
  best[t] = Best{in[t], t};
  __syncwarp();
  for (int s = 32; s > 0; s >>= 1) {
    if (t < s && best[t + s].value > best[t].value) best[t] = best[t + s];
    __syncwarp();
  }
  if (t == 0) *out = best[0].index;
}

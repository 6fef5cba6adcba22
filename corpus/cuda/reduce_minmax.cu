// also: clang
// Minimum, maximum and position of the maximum of a block: helpers that are inlined with a
// barrier at the head and one at the tail, so that pairs of barriers meet back to back.
#include <float.h>

struct Best {
  float value;
  int index;
};

__device__ float blockMin(float value, float* tile) {
  __syncthreads();
  tile[threadIdx.x] = value;
  __syncthreads();
  for (int s = blockDim.x >> 1; s > 0; s >>= 1) {
    if (threadIdx.x < s) tile[threadIdx.x] = fminf(tile[threadIdx.x], tile[threadIdx.x + s]);
    __syncthreads();
  }
  float result = tile[0];
  __syncthreads();
  return result;
}

__device__ float blockMax(float value, float* tile) {
  __syncthreads();
  tile[threadIdx.x] = value;
  __syncthreads();
  for (int s = blockDim.x >> 1; s > 0; s >>= 1) {
    if (threadIdx.x < s) tile[threadIdx.x] = fmaxf(tile[threadIdx.x], tile[threadIdx.x + s]);
    __syncthreads();
  }
  float result = tile[0];
  __syncthreads();
  return result;
}

__global__ void rangeOfBlock(const float* in, float2* out, int n) {
  __shared__ float tile[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float lo = blockMin(i < n ? in[i] : FLT_MAX, tile);
  float hi = blockMax(i < n ? in[i] : -FLT_MAX, tile);
  if (threadIdx.x == 0) out[blockIdx.x] = make_float2(lo, hi);
}

__global__ void normaliseBlock(float* data, int n) {
  __shared__ float tile[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i < n ? data[i] : 0.0f;
  float lo = blockMin(i < n ? x : FLT_MAX, tile);
  float hi = blockMax(i < n ? x : -FLT_MAX, tile);
  __syncthreads();
  if (i < n) data[i] = (x - lo) / (hi - lo);
  __syncthreads();
}

__global__ void argmax(const float* in, Best* out, int n) {
  __shared__ Best best[8];
  Best mine = {-FLT_MAX, -1};
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (in[i] > mine.value) mine = {in[i], i};
  for (int offset = 16; offset > 0; offset >>= 1) {
    Best other = {__shfl_down_sync(~0u, mine.value, offset),
                  __shfl_down_sync(~0u, mine.index, offset)};
    if (other.value > mine.value) mine = other;
  }
  if ((threadIdx.x & 31) == 0) best[threadIdx.x >> 5] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w)
      if (best[w].value > mine.value) mine = best[w];
    *out = mine;
  }
}

// LAUNCH: {"kernel": "rangeOfBlock", "block": 64, "grid": 2, "args": ["buffer:400:random:f32:1",
//   "buffer:16", "s32:100"]}
// LAUNCH: {"kernel": "normaliseBlock", "block": 64, "grid": 2, "args": ["buffer:400:random:f32:1",
//   "s32:100"]}
// LAUNCH: {"kernel": "argmax", "block": 64, "args": ["buffer:800:random:f32:1", "buffer:8",
//   "s32:200"]}

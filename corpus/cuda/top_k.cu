// also: clang
// The k largest: by repeated maximum, by a heap in registers, by radix selection.
#include <float.h>

__global__ void __launch_bounds__(256)
    topRepeated(const float* in, float* value, int* index, int n, int k) {
  extern __shared__ float copy[];
  __shared__ float bestValue[8];
  __shared__ int bestIndex[8];
  for (int i = threadIdx.x; i < n; i += 256) copy[i] = in[(size_t)blockIdx.x * n + i];
  __syncthreads();
  for (int r = 0; r < k; ++r) {
    float v = -FLT_MAX;
    int at = -1;
    for (int i = threadIdx.x; i < n; i += 256)
      if (copy[i] > v) v = copy[i], at = i;
    for (int d = 16; d > 0; d >>= 1) {
      float ov = __shfl_down_sync(~0u, v, d);
      int oi = __shfl_down_sync(~0u, at, d);
      if (ov > v) v = ov, at = oi;
    }
    if ((threadIdx.x & 31) == 0) bestValue[threadIdx.x >> 5] = v, bestIndex[threadIdx.x >> 5] = at;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < 8; ++w)
        if (bestValue[w] > v) v = bestValue[w], at = bestIndex[w];
      value[blockIdx.x * k + r] = v;
      index[blockIdx.x * k + r] = at;
      if (at >= 0) copy[at] = -FLT_MAX;
    }
    __syncthreads();
  }
}

__global__ void topFour(const float* in, float4* out, int n) {
  float a = -FLT_MAX, b = a, c = a, d = a;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float v = in[i], t;
    t = fmaxf(a, v);
    v = fminf(a, v);
    a = t;
    t = fmaxf(b, v);
    v = fminf(b, v);
    b = t;
    t = fmaxf(c, v);
    v = fminf(c, v);
    c = t;
    d = fmaxf(d, v);
  }
  out[threadIdx.x] = make_float4(a, b, c, d);
}

__global__ void __launch_bounds__(256)
    radixSelect(const unsigned* keys, int n, int k, unsigned* result) {
  __shared__ int bins[256];
  __shared__ unsigned prefix;
  __shared__ int rest;
  if (threadIdx.x == 0) prefix = 0, rest = k;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bins[threadIdx.x] = 0;
    __syncthreads();
    unsigned mask = shift == 24 ? 0 : ~0u << (shift + 8);
    for (int i = threadIdx.x; i < n; i += 256)
      if ((keys[i] & mask) == prefix) atomicAdd(&bins[keys[i] >> shift & 255], 1);
    __syncthreads();
    if (threadIdx.x == 0) {
      int digit = 255;
      while (digit > 0 && rest > bins[digit]) rest -= bins[digit--];
      prefix |= unsigned(digit) << shift;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *result = prefix;
}

// LAUNCH: {"kernel": "topRepeated", "block": 256, "grid": 2, "shared": 1200, "args":
//   ["buffer:2400:random:f32:1", "buffer:40", "buffer:40", "s32:300", "s32:5"]}
// LAUNCH: {"kernel": "topFour", "block": 32, "args": ["buffer:1200:random:f32:1", "buffer:512",
//   "s32:300"]}
// LAUNCH: {"kernel": "radixSelect", "block": 256, "args": ["buffer:2000:random:u32:1", "s32:500",
//   "s32:37", "buffer:4"]}

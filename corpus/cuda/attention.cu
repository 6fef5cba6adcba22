// targets: 80 90 100
// Attention of one tile of queries over all keys with an online softmax; keys and values arrive by
// cp.async in two buffers.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <float.h>

constexpr int kWidth = 64;
constexpr int kKeys = 32;

__global__ void __launch_bounds__(128)
    attentionTile(const half* q, const half* k, const half* v, half* out, int length, float scale) {
  __shared__ __align__(16) half keys[2][kKeys][kWidth];
  __shared__ __align__(16) half values[2][kKeys][kWidth];
  size_t head = (size_t)blockIdx.y * length * kWidth;
  int row = blockIdx.x * 128 + threadIdx.x;
  q += head;
  k += head;
  v += head;

  auto fetch = [&](int buffer, int first) {
    for (int i = threadIdx.x; i < kKeys * kWidth / 8; i += 128) {
      int r = i / (kWidth / 8), c = i % (kWidth / 8) * 8;
      __pipeline_memcpy_async(&keys[buffer][r][c], k + (first + r) * kWidth + c, 16);
      __pipeline_memcpy_async(&values[buffer][r][c], v + (first + r) * kWidth + c, 16);
    }
    __pipeline_commit();
  };

  half2 query[kWidth / 2];
  for (int c = 0; c < kWidth / 2; ++c)
    query[c] =
        row < length ? reinterpret_cast<const half2*>(q + row * kWidth)[c] : __float2half2_rn(0.0f);
  float acc[kWidth];
#pragma unroll
  for (int c = 0; c < kWidth; ++c) acc[c] = 0.0f;
  float top = -FLT_MAX, sum = 0.0f;

  fetch(0, 0);
  for (int first = 0, buffer = 0; first < length; first += kKeys, buffer ^= 1) {
    if (first + kKeys < length) {
      fetch(buffer ^ 1, first + kKeys);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    for (int j = 0; j < kKeys; ++j) {
      half2 dot = __float2half2_rn(0.0f);
#pragma unroll
      for (int c = 0; c < kWidth / 2; ++c)
        dot = __hfma2(query[c], reinterpret_cast<half2*>(keys[buffer][j])[c], dot);
      float score = scale * (__low2float(dot) + __high2float(dot));
      float next = fmaxf(top, score), shrink = __expf(top - next), p = __expf(score - next);
      sum = sum * shrink + p;
      top = next;
#pragma unroll
      for (int c = 0; c < kWidth; ++c)
        acc[c] = acc[c] * shrink + p * __half2float(values[buffer][j][c]);
    }
    __syncthreads();
  }
  if (row < length)
#pragma unroll
    for (int c = 0; c < kWidth; ++c) out[head + row * kWidth + c] = __float2half(acc[c] / sum);
}

// Scores of a decode step: one query, one warp for each key block, softmax over shared memory.
__global__ void __launch_bounds__(256)
    decodeStep(const float* q, const float* k, const float* v, float* out, int length) {
  extern __shared__ float score[];
  __shared__ float stat[8];
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  for (int j = warp; j < length; j += 8) {
    float dot = q[lane] * k[j * 64 + lane] + q[lane + 32] * k[j * 64 + lane + 32];
    for (int m = 16; m > 0; m >>= 1) dot += __shfl_xor_sync(~0u, dot, m);
    if (lane == 0) score[j] = dot * 0.125f;
  }
  __syncthreads();
  float top = -FLT_MAX;
  for (int j = threadIdx.x; j < length; j += 256) top = fmaxf(top, score[j]);
  for (int m = 16; m > 0; m >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, m));
  if (lane == 0) stat[warp] = top;
  __syncthreads();
  for (int w = 0; w < 8; ++w) top = fmaxf(top, stat[w]);
  float sum = 0.0f;
  for (int j = threadIdx.x; j < length; j += 256) sum += score[j] = __expf(score[j] - top);
  for (int m = 16; m > 0; m >>= 1) sum += __shfl_xor_sync(~0u, sum, m);
  __syncthreads();
  if (lane == 0) stat[warp] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int w = 0; w < 8; ++w) sum += stat[w];
  if (threadIdx.x < 64) {
    float a = 0.0f;
    for (int j = 0; j < length; ++j) a += score[j] * v[j * 64 + threadIdx.x];
    out[threadIdx.x] = a / sum;
  }
}

// LAUNCH: {"kernel": "attentionTile", "block": 128, "grid": [1, 1], "args":
//   ["buffer:8192:random:f16:1", "buffer:8192:random:f16:2", "buffer:8192:random:f16:3",
//   "buffer:8192", "s32:64", "f32:0.125"]}
// LAUNCH: {"kernel": "decodeStep", "block": 256, "shared": 160, "args": ["buffer:256:random:f32:1",
//   "buffer:10240:random:f32:2", "buffer:10240:random:f32:3", "buffer:256", "s32:40"]}

// also: clang
// Softmax of rows: three passes with block reductions, one warp a row, and the online form.
#include <float.h>

template <typename Combine>
__device__ float blockReduce(float value, float* tile, Combine combine) {
  __syncthreads();
  for (int offset = 16; offset > 0; offset >>= 1)
    value = combine(value, __shfl_xor_sync(~0u, value, offset));
  if ((threadIdx.x & 31) == 0) tile[threadIdx.x >> 5] = value;
  __syncthreads();
  value = tile[0];
  for (int w = 1; w < blockDim.x >> 5; ++w) value = combine(value, tile[w]);
  return value;
}

__global__ void softmaxRows(const float* in, float* out, int columns) {
  __shared__ float tile[32];
  const float* x = in + (size_t)blockIdx.x * columns;
  float* y = out + (size_t)blockIdx.x * columns;
  float top = -FLT_MAX;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) top = fmaxf(top, x[c]);
  top = blockReduce(top, tile, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(x[c] - top);
  sum = blockReduce(sum, tile, [](float a, float b) { return a + b; });
  for (int c = threadIdx.x; c < columns; c += blockDim.x) y[c] = expf(x[c] - top) / sum;
}

__global__ void softmaxWarp(const float* in, float* out, int rows) {
  int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), lane = threadIdx.x & 31;
  if (row >= rows) return;
  float x[4], top = -FLT_MAX, sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 4; ++k) top = fmaxf(top, x[k] = in[row * 128 + lane + 32 * k]);
  for (int m = 16; m > 0; m >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, m));
#pragma unroll
  for (int k = 0; k < 4; ++k) sum += x[k] = __expf(x[k] - top);
  for (int m = 16; m > 0; m >>= 1) sum += __shfl_xor_sync(~0u, sum, m);
  float scale = __fdividef(1.0f, sum);
#pragma unroll
  for (int k = 0; k < 4; ++k) out[row * 128 + lane + 32 * k] = x[k] * scale;
}

__global__ void softmaxOnline(const float* in, float* out, int columns) {
  __shared__ float tops[256], sums[256];
  const float* x = in + (size_t)blockIdx.x * columns;
  float top = -FLT_MAX, sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 256) {
    float next = fmaxf(top, x[c]);
    sum = sum * __expf(top - next) + __expf(x[c] - next);
    top = next;
  }
  tops[threadIdx.x] = top;
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) {
      float a = tops[threadIdx.x], b = tops[threadIdx.x + s], next = fmaxf(a, b);
      sums[threadIdx.x] =
          sums[threadIdx.x] * __expf(a - next) + sums[threadIdx.x + s] * __expf(b - next);
      tops[threadIdx.x] = next;
    }
    __syncthreads();
  }
  top = tops[0];
  sum = sums[0];
  for (int c = threadIdx.x; c < columns; c += 256)
    out[(size_t)blockIdx.x * columns + c] = __expf(x[c] - top) / sum;
}

__global__ void crossEntropy(const float* logits, const int* label, float* loss, int classes) {
  __shared__ float tile[32];
  const float* x = logits + (size_t)blockIdx.x * classes;
  float top = -FLT_MAX, sum = 0.0f;
  for (int c = threadIdx.x; c < classes; c += blockDim.x) top = fmaxf(top, x[c]);
  top = blockReduce(top, tile, [](float a, float b) { return fmaxf(a, b); });
  __syncthreads();
  for (int c = threadIdx.x; c < classes; c += blockDim.x) sum += expf(x[c] - top);
  sum = blockReduce(sum, tile, [](float a, float b) { return a + b; });
  __syncthreads();
  if (threadIdx.x == 0) loss[blockIdx.x] = logf(sum) + top - x[label[blockIdx.x]];
}

// LAUNCH: {"kernel": "softmaxRows", "block": 64, "grid": 2, "args": ["buffer:800:random:f32:1",
//   "buffer:800", "s32:100"], "broken": {"clang/*_O2/*": ["uninitialised", "data-race"]}}
// LAUNCH: {"kernel": "softmaxWarp", "block": 64, "grid": 2, "args": ["buffer:1536:random:f32:1",
//   "buffer:1536", "s32:3"]}
// LAUNCH: {"kernel": "softmaxOnline", "block": 256, "grid": 2, "args": ["buffer:2400:random:f32:1",
//   "buffer:2400", "s32:300"]}
// LAUNCH: {"kernel": "crossEntropy", "block": 64, "grid": 2, "args": ["buffer:800:random:f32:1",
//   "buffer:8:values:s32:7,55", "buffer:8", "s32:100"], "broken": {"clang/*_O2/*":
//   ["uninitialised", "data-race"]}}

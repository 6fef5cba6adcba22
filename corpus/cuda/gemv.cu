// Matrix times vector: a block a row, a warp a row, transposed, quantised to four bits.
#include <cuda_fp16.h>

__global__ void gemvBlock(const float* a, const float* x, float* y, int columns, float alpha,
                          float beta) {
  extern __shared__ float tile[];
  const float* row = a + (size_t)blockIdx.x * columns;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += row[c] * x[c];
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x >> 1; s > 16; s >>= 1) {
    if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x < 16) {
    sum = tile[threadIdx.x] + tile[threadIdx.x + 16];
    for (int m = 8; m > 0; m >>= 1) sum += __shfl_xor_sync(0xffff, sum, m);
    if (threadIdx.x == 0) y[blockIdx.x] = alpha * sum + beta * y[blockIdx.x];
  }
}

__global__ void gemvTransposed(const float* a, const float* x, float* y, int rows, int columns) {
  __shared__ float xs[128];
  int c = blockIdx.x * 128 + threadIdx.x;
  float sum = 0.0f;
  for (int r = 0; r < rows; r += 128) {
    __syncthreads();
    xs[threadIdx.x] = r + threadIdx.x < rows ? x[r + threadIdx.x] : 0.0f;
    __syncthreads();
    if (c < columns)
      for (int k = 0; k < min(128, rows - r); ++k) sum += a[(size_t)(r + k) * columns + c] * xs[k];
  }
  __syncthreads();
  if (c < columns) y[c] = sum;
}

__global__ void __launch_bounds__(128)
    gemvInt4(const uint4* weight, const half* scale, const half2* x, float* y, int groups) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x & 31;
  float sum = 0.0f;
  for (int g = lane; g < groups; g += 32) {
    uint4 q = weight[(size_t)row * groups + g];
    unsigned word[4] = {q.x, q.y, q.z, q.w};
    half2 acc = __float2half2_rn(0.0f);
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        unsigned pair = (word[i] >> 4 * k & 0x000f000fu) | 0x64006400u;
        half2 v = __hsub2(*reinterpret_cast<half2*>(&pair), __float2half2_rn(1032.0f));
        acc = __hfma2(v, x[g * 16 + i * 4 + k], acc);
      }
    sum += (__low2float(acc) + __high2float(acc)) * __half2float(scale[(size_t)row * groups + g]);
  }
  for (int m = 16; m > 0; m >>= 1) sum += __shfl_xor_sync(~0u, sum, m);
  if (lane == 0) y[row] = sum;
}

// LAUNCH: {"kernel": "gemvBlock", "block": 64, "grid": 3, "shared": 256, "args":
//   ["buffer:1200:small:f32:1", "buffer:400:small:f32:2", "buffer:12:small:f32:3", "s32:100",
//   "f32:2", "f32:3"]}
// LAUNCH: {"kernel": "gemvTransposed", "block": 128, "grid": 2, "args":
//   ["buffer:78000:small:f32:1", "buffer:520:small:f32:2", "buffer:600", "s32:130", "s32:150"]}
// LAUNCH: {"kernel": "gemvInt4", "block": 128, "args": ["buffer:2560:random:u32:1",
//   "buffer:320:small:f16:2:4", "buffer:2560:small:f16:3:4", "buffer:16", "s32:40"]}

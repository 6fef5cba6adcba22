// Root-mean-square normalisation in half precision, fused with the residual; rotary embedding;
// SwiGLU.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void __launch_bounds__(256) rmsNorm(const half2* in, const half2* gamma, half2* residual,
                                               half2* out, int pairs, float epsilon) {
  __shared__ float partial[8];
  __shared__ float scale;
  size_t row = (size_t)blockIdx.x * pairs;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < pairs; c += 256) {
    half2 v = __hadd2(in[row + c], residual[row + c]);
    residual[row + c] = v;
    float2 f = __half22float2(v);
    sum += f.x * f.x + f.y * f.y;
  }
  for (int m = 16; m > 0; m >>= 1) sum += __shfl_xor_sync(~0u, sum, m);
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < 8 ? partial[threadIdx.x] : 0.0f;
    for (int m = 4; m > 0; m >>= 1) sum += __shfl_xor_sync(~0u, sum, m);
    if (threadIdx.x == 0) scale = rsqrtf(sum / (2 * pairs) + epsilon);
  }
  __syncthreads();
  for (int c = threadIdx.x; c < pairs; c += 256) {
    float2 f = __half22float2(residual[row + c]), g = __half22float2(gamma[c]);
    out[row + c] = __floats2half2_rn(f.x * scale * g.x, f.y * scale * g.y);
  }
  __syncthreads();
}

__global__ void rotaryEmbedding(__nv_bfloat162* q, const float2* table, int heads, int halfWidth) {
  int position = blockIdx.x;
  for (int i = threadIdx.x; i < heads * halfWidth; i += blockDim.x) {
    float2 cs = table[position * halfWidth + i % halfWidth];
    __nv_bfloat162* p = q + (size_t)position * heads * halfWidth + i;
    float2 v = __bfloat1622float2(*p);
    *p = __floats2bfloat162_rn(v.x * cs.x - v.y * cs.y, v.x * cs.y + v.y * cs.x);
  }
}

__global__ void swiGlu(const __nv_bfloat16* gate, const __nv_bfloat16* up, __nv_bfloat16* out,
                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float g = __bfloat162float(gate[i]);
  out[i] = __float2bfloat16(g / (1.0f + __expf(-g)) * __bfloat162float(up[i]));
}

// LAUNCH: {"kernel": "rmsNorm", "block": 256, "grid": 2, "args": ["buffer:1200:random:f16:1",
//   "buffer:600:random:f16:2", "buffer:1200:random:f16:3", "buffer:1200", "s32:150", "f32:0.001"]}
// LAUNCH: {"kernel": "rotaryEmbedding", "block": 32, "grid": 2, "args":
//   ["buffer:320:random:bf16:1", "buffer:160:random:f32:2", "s32:4", "s32:10"]}
// LAUNCH: {"kernel": "swiGlu", "block": 32, "grid": 2, "args": ["buffer:100:random:bf16:1",
//   "buffer:100:random:bf16:2", "buffer:100", "s32:50"]}

// targets: 80 90 100
// Half and bfloat16 arithmetic, conversions to and from eight-bit floats, packed atomics.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__global__ void halfMath(const half2* a, const half2* b, half2* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  half2 x = a[i], y = b[i];
  half2 r = __hfma2_relu(x, y, __hmax2(x, y));
  r = __hadd2(r, h2exp2(__hmul2_sat(x, y)));
  if (__hbgt2(x, y)) r = __hneg2(r);
  r = __hmin2(r, h2rcp(__habs2(y)));
  out[i] = __lows2half2(r, h2tanh(x));
}

__global__ void bfloatMath(const __nv_bfloat162* a, __nv_bfloat162* out, float* wide, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_bfloat162 x = a[i];
  out[i] = __hfma2(x, x, __floats2bfloat162_rn(1.0f, -1.0f));
  wide[2 * i] = __low2float(x);
  wide[2 * i + 1] = __high2float(x);
}

__global__ void toFp8(const float2* in, __nv_fp8x2_storage_t* e4m3, __nv_fp8x2_storage_t* e5m2,
                      half2* back) {
  int i = threadIdx.x;
  e4m3[i] = __nv_cvt_float2_to_fp8x2(in[i], __NV_SATFINITE, __NV_E4M3);
  e5m2[i] = __nv_cvt_float2_to_fp8x2(in[i], __NV_SATFINITE, __NV_E5M2);
  back[i] = half2(__nv_cvt_fp8x2_to_halfraw2(e4m3[i], __NV_E4M3));
}

__global__ void dotHalf(const half* a, const half* b, float* out, int n) {
  __shared__ half tile[128];
  half sum = __float2half(0.0f);
  for (int i = threadIdx.x; i < n; i += 128) sum = __hfma(a[i], b[i], sum);
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) tile[threadIdx.x] = __hadd(tile[threadIdx.x], tile[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = __half2float(tile[0]) + short(__half2int_rz(tile[0]));
}

__global__ void scatterAdd(const int* index, const half2* value, half2* table,
                           __nv_bfloat162* other) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&table[index[i]], value[i]);
  atomicAdd(&other[index[i]], __floats2bfloat162_rn(__low2float(value[i]), __high2float(value[i])));
}

// LAUNCH: {"kernel": "halfMath", "block": 32, "grid": 2, "args": ["buffer:200:random:f16:1",
//   "buffer:200:random:f16:2", "buffer:200", "s32:50"]}
// LAUNCH: {"kernel": "bfloatMath", "block": 32, "grid": 2, "args": ["buffer:200:random:bf16:1",
//   "buffer:200", "buffer:400", "s32:50"]}
// LAUNCH: {"kernel": "toFp8", "block": 32, "args": ["buffer:256:iota:f32:-20:0.7", "buffer:64",
//   "buffer:64", "buffer:128"]}
// LAUNCH: {"kernel": "dotHalf", "block": 128, "args": ["buffer:400:small:f16:1:4",
//   "buffer:400:small:f16:2:4", "buffer:4", "s32:200"]}
// LAUNCH: {"kernel": "scatterAdd", "block": 32, "grid": 2, "args": ["buffer:256:small:s32:1:10",
//   "buffer:256:small:f16:2:8", "buffer:40", "buffer:40"], "expect": {"nvcc/sm_80/*":
//   ["data-race"]}}

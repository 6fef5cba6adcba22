// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are templates, with the fused steps of deep learning: softmax, norms, attention.

constexpr int kThreads = 64;

struct Sum {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

struct Largest {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};

// One value for each warp, and a barrier before and after them.
template <typename T, typename Op>
__device__ T block_all(T v, T* partial, Op op) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, d));
  __syncthreads();
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  return op(partial[0], partial[1]);
}

// The same without the first barrier.
template <typename T, typename Op>
__device__ T block_all_once(T v, T* partial, Op op) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, d));
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  return op(partial[0], partial[1]);
}

// TRUTH: race-free
// LAUNCH: {"kernel": "softmax_ok<float>", "grid": 2, "block": 64, "args": ["buffer:512:iota:f32"]}
template <typename T>
__global__ void __launch_bounds__(kThreads) softmax_ok(T* rows) {
  __shared__ T partial[2];
  T* row = rows + blockIdx.x * kThreads;
  const T top = block_all(row[threadIdx.x], partial, Largest());
  const T e = exp(row[threadIdx.x] - top);
  row[threadIdx.x] = e / block_all(e, partial, Sum());
}
template __global__ void softmax_ok<float>(float*);

// TRUTH: racy race: the partial sums replace the partial maxima too early
// LAUNCH: {"kernel": "softmax_race<float>", "grid": 2, "block": 64, "args":
// ["buffer:512:iota:f32"]}
template <typename T>
__global__ void __launch_bounds__(kThreads) softmax_race(T* rows) {
  __shared__ T partial[2];
  T* row = rows + blockIdx.x * kThreads;
  const T top = block_all_once(row[threadIdx.x], partial, Largest());
  const T e = exp(row[threadIdx.x] - top);
  row[threadIdx.x] = e / block_all_once(e, partial, Sum());
}
template __global__ void softmax_race<float>(float*);

// TRUTH: race-free: two arrays for two sums need one barrier each
// LAUNCH: {"kernel": "layer_norm_ok<double>", "block": 64, "args": ["buffer:512:iota:f64"]}
template <typename T>
__global__ void layer_norm_ok(T* row) {
  __shared__ T first[2], second[2];
  const T x = row[threadIdx.x];
  const T mean = block_all_once(x, first, Sum()) / kThreads;
  const T d = x - mean;
  const T variance = block_all_once(d * d, second, Sum()) / kThreads;
  row[threadIdx.x] = d * rsqrt(variance + T(1e-5));
}
template __global__ void layer_norm_ok<double>(double*);

// TRUTH: racy race: rows follow each other, and the sums of a row replace those of the row before,
// which others still read
// LAUNCH: {"kernel": "rms_norm_race<float>", "block": 64, "args": ["buffer:512:iota:f32", "2"]}
template <typename T>
__global__ void rms_norm_race(T* data, int rows) {
  __shared__ T partial[2];
  for (int r = 0; r < rows; ++r) {
    const T x = data[r * kThreads + threadIdx.x];
    const T mean = block_all_once(x * x, partial, Sum()) / kThreads;
    data[r * kThreads + threadIdx.x] = x * rsqrt(mean + T(1e-5));
  }
}
template __global__ void rms_norm_race<float>(float*, int);

// TRUTH: race-free: each warp handles a query; keys and values are loaded by the block
// LAUNCH: {"kernel": "attention_ok<4>", "block": 64,
//          "args": ["buffer:32:random:f32:1", "buffer:1K:random:f32:2", "buffer:1K:random:f32:3",
//                   "buffer:32", "64"]}
template <int D>
__global__ void attention_ok(const float* q, const float* k, const float* v, float* out, int keys) {
  __shared__ float ks[32][D + 1], vs[32][D + 1];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float sum[D] = {}, weight = 0.0f;
  for (int base = 0; base < keys; base += 32) {
    for (int i = threadIdx.x; i < 32 * D; i += kThreads) {
      ks[i / D][i % D] = k[base * D + i];
      vs[i / D][i % D] = v[base * D + i];
    }
    __syncthreads();
    float dot = 0.0f;
    for (int d = 0; d < D; ++d) dot += q[warp * D + d] * ks[lane][d];
    const float w = exp2f(dot);
    weight += w;
    for (int d = 0; d < D; ++d) sum[d] += w * vs[lane][d];
    __syncthreads();
  }
  for (int m = 16; m > 0; m >>= 1) {
    weight += __shfl_xor_sync(0xffffffffu, weight, m);
    for (int d = 0; d < D; ++d) sum[d] += __shfl_xor_sync(0xffffffffu, sum[d], m);
  }
  for (int d = 0; d < D; ++d)
    if (lane == d) out[warp * D + d] = sum[d] / weight;
}
template __global__ void attention_ok<4>(const float*, const float*, const float*, float*, int);

// TRUTH: racy race: the barrier at the end of a step is __syncwarp(), although both warps load
// LAUNCH: {"kernel": "attention_race<4>", "block": 64,
//          "args": ["buffer:32:random:f32:1", "buffer:1K:random:f32:2", "buffer:1K:random:f32:3",
//                   "buffer:32", "64"]}
template <int D>
__global__ void attention_race(const float* q, const float* k, const float* v, float* out,
                               int keys) {
  __shared__ float ks[32][D + 1], vs[32][D + 1];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float sum[D] = {}, weight = 0.0f;
  for (int base = 0; base < keys; base += 32) {
    for (int i = threadIdx.x; i < 32 * D; i += kThreads) {
      ks[i / D][i % D] = k[base * D + i];
      vs[i / D][i % D] = v[base * D + i];
    }
    __syncthreads();
    float dot = 0.0f;
    for (int d = 0; d < D; ++d) dot += q[warp * D + d] * ks[lane][d];
    const float w = exp2f(dot);
    weight += w;
    for (int d = 0; d < D; ++d) sum[d] += w * vs[lane][d];
    __syncwarp();
  }
  for (int m = 16; m > 0; m >>= 1) {
    weight += __shfl_xor_sync(0xffffffffu, weight, m);
    for (int d = 0; d < D; ++d) sum[d] += __shfl_xor_sync(0xffffffffu, sum[d], m);
  }
  for (int d = 0; d < D; ++d)
    if (lane == d) out[warp * D + d] = sum[d] / weight;
}
template __global__ void attention_race<4>(const float*, const float*, const float*, float*, int);

// TRUTH: race-free: the same kernel with the barrier of the block, as its parameter says
// LAUNCH: {"kernel": "rotate_rows<64>", "block": 64, "args": ["buffer:512:iota:s32", "2"]}
// TRUTH: racy race: a barrier of the warp is too little for rows of 64
// LAUNCH: {"kernel": "rotate_rows<32>", "block": 64, "args": ["buffer:512:iota:s32", "2"]}
template <int kGroup>
__global__ void rotate_rows(int* data, int rows) {
  __shared__ int s[64];
  const unsigned t = threadIdx.x;
  for (int r = 0; r < rows; ++r) {
    s[t] = data[r * 64 + t];
    if (kGroup > 32)
      __syncthreads();
    else
      __syncwarp();
    data[r * 64 + t] = s[(t + 1) & 63];
    if (kGroup > 32)
      __syncthreads();
    else
      __syncwarp();
  }
}
template __global__ void rotate_rows<64>(int*, int);
template __global__ void rotate_rows<32>(int*, int);

// also: clang
// Layer normalisation by two block sums and by Welford's update; batch statistics.

__inline__ __device__ float blockSumAll(float value) {
  static __shared__ float partial[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int m = 16; m > 0; m >>= 1) value += __shfl_xor_sync(~0u, value, m);
  __syncthreads();
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  value = lane < blockDim.x >> 5 ? partial[lane] : 0.0f;
  for (int m = 16; m > 0; m >>= 1) value += __shfl_xor_sync(~0u, value, m);
  return value;
}

__global__ void layerNorm(const float* in, const float* gamma, const float* beta, float* out,
                          int columns, float epsilon) {
  __shared__ float mean, scale;
  const float* x = in + (size_t)blockIdx.x * columns;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += x[c];
  sum = blockSumAll(sum);
  if (threadIdx.x == 0) mean = sum / columns;
  __syncthreads();
  float square = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) square += (x[c] - mean) * (x[c] - mean);
  square = blockSumAll(square);
  if (threadIdx.x == 0) scale = rsqrtf(square / columns + epsilon);
  __syncthreads();
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[(size_t)blockIdx.x * columns + c] = (x[c] - mean) * scale * gamma[c] + beta[c];
}

struct Moments {
  float mean, m2, count;
};

__device__ Moments merge(Moments a, Moments b) {
  float count = a.count + b.count, delta = b.mean - a.mean;
  if (count == 0.0f) return a;
  return {a.mean + delta * b.count / count, a.m2 + b.m2 + delta * delta * a.count * b.count / count,
          count};
}

__global__ void layerNormWelford(const float4* in, float4* out, int quads, float epsilon) {
  __shared__ Moments partial[32];
  const float4* x = in + (size_t)blockIdx.x * quads;
  Moments m = {0.0f, 0.0f, 0.0f};
  for (int c = threadIdx.x; c < quads; c += blockDim.x) {
    float4 v = x[c];
    float e[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      m.count += 1.0f;
      float delta = e[k] - m.mean;
      m.mean += delta / m.count;
      m.m2 += delta * (e[k] - m.mean);
    }
  }
  for (int d = 16; d > 0; d >>= 1) {
    Moments other = {__shfl_down_sync(~0u, m.mean, d), __shfl_down_sync(~0u, m.m2, d),
                     __shfl_down_sync(~0u, m.count, d)};
    m = merge(m, other);
  }
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = m;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x >> 5; ++w) m = merge(m, partial[w]);
    partial[0] = m;
  }
  __syncthreads();
  float mean = partial[0].mean, scale = rsqrtf(partial[0].m2 / (4 * quads) + epsilon);
  for (int c = threadIdx.x; c < quads; c += blockDim.x) {
    float4 v = x[c];
    out[(size_t)blockIdx.x * quads + c] = make_float4((v.x - mean) * scale, (v.y - mean) * scale,
                                                      (v.z - mean) * scale, (v.w - mean) * scale);
  }
}

__global__ void batchStatistics(const float* in, float* mean, float* variance, int batch,
                                int channels, int pixels) {
  __shared__ float sums[256], squares[256];
  float s = 0.0f, q = 0.0f;
  for (int b = 0; b < batch; ++b)
    for (int p = threadIdx.x; p < pixels; p += 256) {
      float v = in[(b * channels + blockIdx.x) * pixels + p];
      s += v;
      q += v * v;
    }
  sums[threadIdx.x] = s;
  squares[threadIdx.x] = q;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (threadIdx.x < d) sums[threadIdx.x] += sums[threadIdx.x + d];
    __syncthreads();
    if (threadIdx.x < d) squares[threadIdx.x] += squares[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    float m = sums[0] / (batch * pixels);
    mean[blockIdx.x] = m;
    variance[blockIdx.x] = squares[0] / (batch * pixels) - m * m;
  }
}

// LAUNCH: {"kernel": "layerNorm", "block": 64, "grid": 2, "args": ["buffer:800:random:f32:1",
//   "buffer:400:random:f32:2", "buffer:400:random:f32:3", "buffer:800", "s32:100", "f32:0.001"]}
// LAUNCH: {"kernel": "layerNormWelford", "block": 64, "grid": 2, "args":
//   ["buffer:3200:random:f32:1", "buffer:3200", "s32:100", "f32:0.001"]}
// LAUNCH: {"kernel": "batchStatistics", "block": 256, "grid": 2, "args":
//   ["buffer:4800:small:f32:1", "buffer:8", "buffer:8", "s32:2", "s32:2", "s32:300"]}

// also: clang
// Radix-2 and radix-4 Fourier transforms in shared memory and one global Stockham step.

__device__ float2 multiply(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ float2 add(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}
__device__ float2 sub(float2 a, float2 b) {
  return make_float2(a.x - b.x, a.y - b.y);
}
__device__ float2 twiddle(float turn) {
  float2 w;
  sincospif(-2.0f * turn, &w.y, &w.x);
  return w;
}

__global__ void __launch_bounds__(256) fft512(float2* data) {
  __shared__ float2 tile[512];
  int t = threadIdx.x;
  data += blockIdx.x * 512;
  tile[__brev(t) >> 23] = data[t];
  tile[__brev(t + 256) >> 23] = data[t + 256];
  __syncthreads();
#pragma unroll
  for (int half = 1; half < 512; half *= 2) {
    int k = t & (half - 1), i = 2 * t - k;
    float2 a = tile[i], b = multiply(tile[i + half], twiddle(float(k) / (2 * half)));
    __syncthreads();
    tile[i] = add(a, b);
    tile[i + half] = sub(a, b);
    __syncthreads();
  }
  data[t] = tile[t];
  data[t + 256] = tile[t + 256];
}

__device__ void butterfly4(float2 (&v)[4]) {
  float2 a = add(v[0], v[2]), b = sub(v[0], v[2]), c = add(v[1], v[3]), d = sub(v[1], v[3]);
  d = make_float2(d.y, -d.x);
  v[0] = add(a, c);
  v[1] = add(b, d);
  v[2] = sub(a, c);
  v[3] = sub(b, d);
}

__global__ void __launch_bounds__(64) fft256(const float2* in, float2* out) {
  __shared__ float re[256], im[256];
  int t = threadIdx.x;
  float2 v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) v[k] = in[blockIdx.x * 256 + t + 64 * k];
#pragma unroll
  for (int ns = 1; ns < 256; ns *= 4) {
    float turn = float(t % ns) / (4 * ns);
#pragma unroll
    for (int k = 1; k < 4; ++k) v[k] = multiply(v[k], twiddle(k * turn));
    butterfly4(v);
    int to = t / ns * ns * 4 + t % ns;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      re[to + k * ns] = v[k].x;
      im[to + k * ns] = v[k].y;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = make_float2(re[t + 64 * k], im[t + 64 * k]);
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) out[blockIdx.x * 256 + t + 64 * k] = v[k];
}

__global__ void stockhamStep(const float2* in, float2* out, int n, int ns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n / 2) return;
  float2 a = in[j], b = multiply(in[j + n / 2], twiddle(float(j % ns) / (2 * ns)));
  int to = j / ns * ns * 2 + j % ns;
  out[to] = add(a, b);
  out[to + ns] = sub(a, b);
}

// LAUNCH: {"kernel": "fft512", "block": 256, "args": ["buffer:4096:random:f32:1"]}
// LAUNCH: {"kernel": "fft256", "block": 64, "grid": 2, "args": ["buffer:4096:random:f32:1",
//   "buffer:4096"]}
// LAUNCH: {"kernel": "stockhamStep", "block": 16, "grid": 2, "args": ["buffer:512:random:f32:1",
//   "buffer:512", "s32:64", "s32:4"]}

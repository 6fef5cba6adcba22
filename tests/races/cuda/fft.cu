// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier and Hadamard transforms of a block.

// TRUTH: race-free: a butterfly belongs to one thread
// LAUNCH: {"kernel": "fft_in_place_ok", "block": 32, "args": ["buffer:512:iota:f32"]}
extern "C" __global__ void fft_in_place_ok(float2* data) {
  __shared__ float2 s[64];
  const unsigned t = threadIdx.x;
  s[__brev(t) >> 26] = data[t];
  s[__brev(t + 32) >> 26] = data[t + 32];
  __syncthreads();
  for (unsigned half = 1; half < 64; half <<= 1) {
    const unsigned k = t & (half - 1), i = ((t - k) << 1) + k, j = i + half;
    float sine, cosine;
    sincospif(-(float)k / half, &sine, &cosine);
    const float2 a = s[i], b = s[j];
    const float2 w = {b.x * cosine - b.y * sine, b.x * sine + b.y * cosine};
    s[i] = {a.x + w.x, a.y + w.y};
    s[j] = {a.x - w.x, a.y - w.y};
    __syncthreads();
  }
  data[t] = s[t];
  data[t + 32] = s[t + 32];
}

// TRUTH: racy race: the stages are not separated
// LAUNCH: {"kernel": "fft_in_place_race", "block": 32, "args": ["buffer:512:iota:f32"]}
extern "C" __global__ void fft_in_place_race(float2* data) {
  __shared__ float2 s[64];
  const unsigned t = threadIdx.x;
  s[__brev(t) >> 26] = data[t];
  s[__brev(t + 32) >> 26] = data[t + 32];
  __syncthreads();
  for (unsigned half = 1; half < 64; half <<= 1) {
    const unsigned k = t & (half - 1), i = ((t - k) << 1) + k, j = i + half;
    float sine, cosine;
    sincospif(-(float)k / half, &sine, &cosine);
    const float2 a = s[i], b = s[j];
    const float2 w = {b.x * cosine - b.y * sine, b.x * sine + b.y * cosine};
    s[i] = {a.x + w.x, a.y + w.y};
    s[j] = {a.x - w.x, a.y - w.y};
  }
  __syncthreads();
  data[t] = s[t];
  data[t + 32] = s[t + 32];
}

// TRUTH: race-free: out of place, with two arrays that change their roles
// LAUNCH: {"kernel": "stockham_ok", "block": 32, "args": ["buffer:256:iota:f32"]}
extern "C" __global__ void stockham_ok(float* data) {
  __shared__ float buffer[2][64];
  const int t = threadIdx.x;
  float *from = buffer[0], *to = buffer[1];
  from[t] = data[t];
  from[t + 32] = data[t + 32];
  for (int n = 1; n < 64; n *= 2) {
    __syncthreads();
    const float a = from[t], b = from[t + 32];
    const int k = t % n, base = (t / n) * 2 * n + k;
    to[base] = a + b;
    to[base + n] = a - b;
    float* other = from;
    from = to;
    to = other;
  }
  __syncthreads();
  data[t] = from[t];
  data[t + 32] = from[t + 32];
}

// TRUTH: racy race: the barrier is after the loads, and none after the stores
// LAUNCH: {"kernel": "stockham_race", "block": 32, "args": ["buffer:256:iota:f32"]}
extern "C" __global__ void stockham_race(float* data) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = data[t];
  s[t + 32] = data[t + 32];
  __syncthreads();
  for (int n = 1; n < 64; n *= 2) {
    const float a = s[t], b = s[t + 32];
    __syncthreads();
    const int k = t % n, base = (t / n) * 2 * n + k;
    s[base] = a + b;
    s[base + n] = a - b;
  }
  __syncthreads();
  data[t] = s[t];
  data[t + 32] = s[t + 32];
}

// Real and imaginary parts go through the same array, one after the other.
template <bool kBetween>
__device__ __forceinline__ float2 exchange(float* s, float2 v, int to) {
  s[to] = v.x;
  __syncthreads();
  v.x = s[threadIdx.x];
  if (kBetween) __syncthreads();
  s[to] = v.y;
  __syncthreads();
  v.y = s[threadIdx.x];
  __syncthreads();
  return v;
}

// TRUTH: race-free
// LAUNCH: {"kernel": "exchange_ok", "block": 64, "args": ["buffer:512:iota:f32"]}
extern "C" __global__ void exchange_ok(float2* data) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  float2 v = exchange<true>(s, data[t], (t % 8) * 8 + t / 8);
  v = exchange<true>(s, {v.x + v.y, v.x - v.y}, t ^ 63);
  data[t] = v;
}

// TRUTH: racy race: imaginary parts are stored while real parts are read
// LAUNCH: {"kernel": "exchange_race", "block": 64, "args": ["buffer:512:iota:f32"]}
extern "C" __global__ void exchange_race(float2* data) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  float2 v = exchange<false>(s, data[t], (t % 8) * 8 + t / 8);
  v = exchange<false>(s, {v.x + v.y, v.x - v.y}, t ^ 63);
  data[t] = v;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms: shared atomics, one for each warp, one column for each thread, packed counters.

constexpr int kBins = 32;

// TRUTH: race-free
// LAUNCH: {"kernel": "histogram_ok", "grid": 2, "block": 64,
//          "args": ["buffer:2K:small:u32:3:31", "buffer:128", "500"]}
extern "C" __global__ void histogram_ok(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned bins[kBins];
  if (threadIdx.x < kBins) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&bins[in[i] % kBins], 1u);
  __syncthreads();
  if (threadIdx.x < kBins) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// TRUTH: racy race: counting begins before the bins are zero
// LAUNCH: {"kernel": "histogram_zero_race", "grid": 2, "block": 64,
//          "args": ["buffer:2K:small:u32:3:31", "buffer:128", "500"]}
extern "C" __global__ void histogram_zero_race(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned bins[kBins];
  if (threadIdx.x < kBins) bins[threadIdx.x] = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&bins[in[i] % kBins], 1u);
  __syncthreads();
  if (threadIdx.x < kBins) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// TRUTH: racy race: the increment is a plain load and store
// LAUNCH: {"kernel": "histogram_increment_race", "grid": 2, "block": 64,
//          "args": ["buffer:2K:small:u32:3:31", "buffer:128", "500"]}
extern "C" __global__ void histogram_increment_race(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned bins[kBins];
  if (threadIdx.x < kBins) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    bins[in[i] % kBins]++;
  __syncthreads();
  if (threadIdx.x < kBins) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// TRUTH: racy race: the bins are merged while other warps count
// LAUNCH: {"kernel": "histogram_merge_race", "grid": 2, "block": 64,
//          "args": ["buffer:2K:small:u32:3:31", "buffer:128", "500"]}
extern "C" __global__ void histogram_merge_race(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned bins[kBins];
  if (threadIdx.x < kBins) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&bins[in[i] % kBins], 1u);
  if (threadIdx.x < kBins) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// TRUTH: race-free: a warp zeroes and counts in bins of its own
// LAUNCH: {"kernel": "warp_histogram_ok", "block": 128,
//          "args": ["buffer:1K:small:u32:3:31", "buffer:128"]}
extern "C" __global__ void warp_histogram_ok(const unsigned* in, unsigned* out) {
  __shared__ unsigned bins[4][kBins];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  bins[warp][lane] = 0;
  __syncwarp();
  atomicAdd(&bins[warp][in[threadIdx.x] & 31], 1u);
  atomicAdd(&bins[warp][in[threadIdx.x + 128] & 31], 1u);
  __syncthreads();
  if (warp == 0) out[lane] = bins[0][lane] + bins[1][lane] + bins[2][lane] + bins[3][lane];
}

// TRUTH: racy missing-syncwarp: lanes count before the other lanes have zeroed their bins
// LAUNCH: {"kernel": "warp_histogram_race", "block": 128,
//          "args": ["buffer:1K:small:u32:3:31", "buffer:128"]}
extern "C" __global__ void warp_histogram_race(const unsigned* in, unsigned* out) {
  __shared__ unsigned bins[4][kBins];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  bins[warp][lane] = 0;
  atomicAdd(&bins[warp][in[threadIdx.x] & 31], 1u);
  atomicAdd(&bins[warp][in[threadIdx.x + 128] & 31], 1u);
  __syncthreads();
  if (warp == 0) out[lane] = bins[0][lane] + bins[1][lane] + bins[2][lane] + bins[3][lane];
}

// TRUTH: race-free: each thread has a column of its own, so that no atomics are needed
// LAUNCH: {"kernel": "column_histogram_ok", "block": 64,
//          "args": ["buffer:1K:small:u32:3:7", "buffer:32", "256"]}
extern "C" __global__ void column_histogram_ok(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned counts[8 * 64];
  const unsigned t = threadIdx.x;
  for (int b = 0; b < 8; ++b) counts[b * 64 + t] = 0;
  for (int i = t; i < n; i += 64) counts[(in[i] & 7) * 64 + t]++;
  __syncthreads();
  if (t < 8) {
    unsigned sum = 0;
    for (int i = 0; i < 64; ++i) sum += counts[t * 64 + i];
    out[t] = sum;
  }
}

// TRUTH: racy race: columns are 32 apart for 64 threads, so that a bin of one thread is the next
// bin of another
// LAUNCH: {"kernel": "column_histogram_race", "block": 64,
//          "args": ["buffer:1K:small:u32:3:7", "buffer:32", "256"]}
extern "C" __global__ void column_histogram_race(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned counts[8 * 32 + 32];
  const unsigned t = threadIdx.x;
  for (int b = 0; b < 8; ++b) counts[b * 32 + t] = 0;
  for (int i = t; i < n; i += 64) counts[(in[i] & 7) * 32 + t]++;
  __syncthreads();
  if (t < 8) {
    unsigned sum = 0;
    for (int i = 0; i < 32; ++i) sum += counts[t * 32 + i];
    out[t] = sum;
  }
}

// TRUTH: race-free: four threads share a word, but each counts in its own byte
// LAUNCH: {"kernel": "byte_counters_ok", "block": 64,
//          "args": ["buffer:1K:small:u32:3:7", "buffer:64", "256"]}
extern "C" __global__ void byte_counters_ok(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned char odd[64];
  const int t = threadIdx.x;
  odd[t] = 0;
  for (int i = t; i < n; i += 64) odd[t] += in[i] & 1;
  __syncthreads();
  if (t < 16) out[t] = odd[4 * t] + odd[4 * t + 1] + odd[4 * t + 2] + odd[4 * t + 3];
}

// TRUTH: racy race: each thread adds to its byte by way of the whole word
// LAUNCH: {"kernel": "byte_counters_race", "block": 64,
//          "args": ["buffer:1K:small:u32:3:7", "buffer:64", "256"]}
extern "C" __global__ void byte_counters_race(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned odd[16];
  const int t = threadIdx.x;
  if (t < 16) odd[t] = 0;
  __syncthreads();
  for (int i = t; i < n; i += 64) odd[t >> 2] += (in[i] & 1) << (8 * (t & 3));
  __syncthreads();
  if (t < 16) out[t] = odd[t];
}

// TRUTH: race-free: all counting is atomic
// LAUNCH: {"kernel": "global_histogram_ok", "block": 64,
//          "args": ["buffer:256:small:u32:3:15", "buffer:64"]}
extern "C" __global__ void global_histogram_ok(const unsigned* in, unsigned* bins) {
  const unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(bins + (v & 15), v > 7 ? 2u : 1u);
}

// TRUTH: racy race-global: large values are counted without an atomic
// LAUNCH: {"kernel": "global_histogram_race", "block": 64,
//          "args": ["buffer:256:small:u32:3:15", "buffer:64"]}
extern "C" __global__ void global_histogram_race(const unsigned* in, unsigned* bins) {
  const unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (v > 7)
    bins[v & 15] += 2;
  else
    atomicAdd(bins + (v & 15), 1u);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compaction, partition and run lengths: places come from sums over the block.

// TRUTH: race-free: kept elements get places in their order
// LAUNCH: {"kernel": "compact_ok", "block": 64,
//          "args": ["buffer:256:small:s32:4:9", "buffer:256", "buffer:4"]}
extern "C" __global__ void compact_ok(const int* in, int* out, int* count) {
  __shared__ int s[64];
  const int t = threadIdx.x, v = in[t], keep = v > 4;
  s[t] = keep;
  __syncthreads();
  for (int d = 1; d < 64; d <<= 1) {
    const int add = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += add;
    __syncthreads();
  }
  if (keep) out[s[t] - 1] = v;
  if (t == 63) *count = s[t];
}

// TRUTH: racy race-global: an inclusive sum is taken for an exclusive one where v is even, so that
// an element meets the one after it
// LAUNCH: {"kernel": "compact_race", "block": 64,
//          "args": ["buffer:256:small:s32:4:9", "buffer:260", "buffer:4"]}
extern "C" __global__ void compact_race(const int* in, int* out, int* count) {
  __shared__ int s[64];
  const int t = threadIdx.x, v = in[t], keep = v > 4;
  s[t] = keep;
  __syncthreads();
  for (int d = 1; d < 64; d <<= 1) {
    const int add = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += add;
    __syncthreads();
  }
  if (keep) out[v & 1 ? s[t] - 1 : s[t]] = v;
  if (t == 63) *count = s[t];
}

// TRUTH: race-free: counts of the warps go through shared memory
// LAUNCH: {"kernel": "ballot_compact_ok", "block": 128,
//          "args": ["buffer:512:small:s32:4:9", "buffer:512", "5"]}
extern "C" __global__ void __launch_bounds__(1024)
    ballot_compact_ok(const int* in, int* out, int limit) {
  __shared__ int base[33];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, v = in[threadIdx.x];
  const unsigned mask = __ballot_sync(~0u, v < limit);
  if (lane == 0) base[warp + 1] = __popc(mask);
  if (threadIdx.x == 0) base[0] = 0;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < blockDim.x / 32; ++w) base[w] += base[w - 1];
  __syncthreads();
  if (v < limit) out[base[warp] + __popc(mask & ((1u << lane) - 1))] = v;
}

// TRUTH: racy race: the second barrier is __syncwarp(), which helps the first warp only
// LAUNCH: {"kernel": "ballot_compact_race", "block": 128,
//          "args": ["buffer:512:small:s32:4:9", "buffer:512", "5"]}
extern "C" __global__ void __launch_bounds__(1024)
    ballot_compact_race(const int* in, int* out, int limit) {
  __shared__ int base[33];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, v = in[threadIdx.x];
  const unsigned mask = __ballot_sync(~0u, v < limit);
  if (lane == 0) base[warp + 1] = __popc(mask);
  if (threadIdx.x == 0) base[0] = 0;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < blockDim.x / 32; ++w) base[w] += base[w - 1];
  __syncwarp();
  if (v < limit) out[base[warp] + __popc(mask & ((1u << lane) - 1))] = v;
}

// TRUTH: race-free, seen as outcomes: small elements from the front, large ones from the back
// LAUNCH: {"kernel": "partition_ok", "block": 64, "args": ["buffer:256:small:s32:4:9"]}
extern "C" __global__ void partition_ok(int* data) {
  __shared__ int front, back;
  const int v = data[threadIdx.x];
  if (threadIdx.x == 0) front = 0;
  if (threadIdx.x == 32) back = blockDim.x;
  __syncthreads();
  const int place = v < 5 ? atomicAdd(&front, 1) : atomicSub(&back, 1) - 1;
  data[place] = v;
}

// TRUTH: racy race-global: the element is read after the barrier, when others already store
// LAUNCH: {"kernel": "partition_race", "block": 64, "args": ["buffer:256:small:s32:4:9"]}
extern "C" __global__ void partition_race(int* data) {
  __shared__ int front, back;
  if (threadIdx.x == 0) front = 0;
  if (threadIdx.x == 32) back = blockDim.x;
  __syncthreads();
  const int v = data[threadIdx.x];
  const int place = v < 5 ? atomicAdd(&front, 1) : atomicSub(&back, 1) - 1;
  data[place] = v;
}

// TRUTH: race-free: the first thread of a run writes its length
// LAUNCH: {"kernel": "run_lengths_ok", "block": 64,
//          "args": ["buffer:256:small:s32:4:1", "buffer:256"]}
extern "C" __global__ void run_lengths_ok(const int* in, int* length) {
  __shared__ int s[65];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (t == 0) s[64] = -1;
  __syncthreads();
  const bool first = t == 0 || s[t - 1] != s[t];
  int n = 0;
  if (first)
    while (s[t + n] == s[t]) ++n;
  __syncthreads();
  s[t] = n;
  __syncthreads();
  length[t] = t % 2 ? s[t] : s[t ^ 1] + s[t];
}

// TRUTH: racy race: lengths replace the elements that other threads still compare
// LAUNCH: {"kernel": "run_lengths_race", "block": 64,
//          "args": ["buffer:256:small:s32:4:1", "buffer:256"]}
extern "C" __global__ void run_lengths_race(const int* in, int* length) {
  __shared__ int s[65];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (t == 0) s[64] = -1;
  __syncthreads();
  const bool first = t == 0 || s[t - 1] != s[t];
  int n = 0;
  if (first)
    while (s[t + n] == s[t] && t + n < 64) ++n;
  s[t] = n;
  __syncthreads();
  length[t] = t % 2 ? s[t] : s[t ^ 1] + s[t];
}

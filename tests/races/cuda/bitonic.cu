// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting networks and merges of a block.

// TRUTH: race-free: in each step a pair belongs to its lower thread
// LAUNCH: {"kernel": "bitonic_ok", "block": 64, "args": ["buffer:256:random:u32:9"]}
extern "C" __global__ void bitonic_ok(unsigned* keys) {
  __shared__ unsigned s[64];
  const unsigned t = threadIdx.x;
  s[t] = keys[t];
  __syncthreads();
  for (unsigned k = 2; k <= 64; k <<= 1) {
    for (unsigned j = k >> 1; j > 0; j >>= 1) {
      const unsigned other = t ^ j;
      if (other > t) {
        const unsigned a = s[t], b = s[other];
        if ((a > b) == ((t & k) == 0)) s[t] = b, s[other] = a;
      }
      __syncthreads();
    }
  }
  keys[t] = s[t];
}

// TRUTH: racy race: the barrier is in the outer loop only
// LAUNCH: {"kernel": "bitonic_race", "block": 64, "args": ["buffer:256:random:u32:9"]}
extern "C" __global__ void bitonic_race(unsigned* keys) {
  __shared__ unsigned s[64];
  const unsigned t = threadIdx.x;
  s[t] = keys[t];
  __syncthreads();
  for (unsigned k = 2; k <= 64; k <<= 1) {
    for (unsigned j = k >> 1; j > 0; j >>= 1) {
      const unsigned other = t ^ j;
      if (other > t) {
        const unsigned a = s[t], b = s[other];
        if ((a > b) == ((t & k) == 0)) s[t] = b, s[other] = a;
      }
    }
    __syncthreads();
  }
  keys[t] = s[t];
}

// TRUTH: race-free: steps within a warp need __syncwarp() only, but the step after one between
// warps needs the barrier
// LAUNCH: {"kernel": "bitonic_warps_ok", "block": 128, "args": ["buffer:512:random:u32:9"]}
extern "C" __global__ void bitonic_warps_ok(unsigned* keys) {
  __shared__ unsigned s[128];
  const unsigned t = threadIdx.x;
  unsigned last = 128;
  s[t] = keys[t];
  for (unsigned k = 2; k <= 128; k <<= 1) {
    for (unsigned j = k >> 1; j > 0; j >>= 1) {
      if (j >= 32 || last >= 32)
        __syncthreads();
      else
        __syncwarp();
      const unsigned other = t ^ j;
      if (other > t) {
        const unsigned a = s[t], b = s[other];
        if ((a > b) == ((t & k) == 0)) s[t] = b, s[other] = a;
      }
      last = j;
    }
  }
  __syncwarp();
  keys[t] = s[t];
}

// TRUTH: racy race: the step of 16 follows the one of 32, which was between warps
// LAUNCH: {"kernel": "bitonic_warps_race", "block": 128, "args": ["buffer:512:random:u32:9"]}
extern "C" __global__ void bitonic_warps_race(unsigned* keys) {
  __shared__ unsigned s[128];
  const unsigned t = threadIdx.x;
  s[t] = keys[t];
  for (unsigned k = 2; k <= 128; k <<= 1) {
    for (unsigned j = k >> 1; j > 0; j >>= 1) {
      if (j >= 32)
        __syncthreads();
      else
        __syncwarp();
      const unsigned other = t ^ j;
      if (other > t) {
        const unsigned a = s[t], b = s[other];
        if ((a > b) == ((t & k) == 0)) s[t] = b, s[other] = a;
      }
    }
  }
  __syncwarp();
  keys[t] = s[t];
}

__device__ __forceinline__ void order(int& a, int& b) {
  if (a > b) {
    const int c = a;
    a = b;
    b = c;
  }
}

// TRUTH: race-free: even and odd pairs in turn
// LAUNCH: {"kernel": "odd_even_ok", "block": 32, "args": ["buffer:256:random:s32:9"]}
extern "C" __global__ void odd_even_ok(int* keys) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = keys[t];
  s[t + 32] = keys[t + 32];
  __syncthreads();
  for (int round = 0; round < 64; ++round) {
    const int i = 2 * t + (round & 1);
    if (i < 63) order(s[i], s[i + 1]);
    __syncthreads();
  }
  keys[t] = s[t];
  keys[t + 32] = s[t + 32];
}

// TRUTH: racy race: each thread orders its element and the next one, so that pairs overlap
// LAUNCH: {"kernel": "odd_even_race", "block": 64, "args": ["buffer:256:random:s32:9"]}
extern "C" __global__ void odd_even_race(int* keys) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = keys[t];
  __syncthreads();
  for (int round = 0; round < 64; ++round) {
    if (t < 63) order(s[t], s[t + 1]);
    __syncthreads();
  }
  keys[t] = s[t];
}

// TRUTH: race-free: each thread finds the rank of its key; ties are broken by position
// LAUNCH: {"kernel": "rank_sort_ok", "block": 64, "args": ["buffer:256:small:s32:9:20"]}
extern "C" __global__ void rank_sort_ok(int* keys) {
  __shared__ int s[64], sorted[64];
  const int t = threadIdx.x, key = keys[t];
  s[t] = key;
  __syncthreads();
  int rank = 0;
  for (int i = 0; i < 64; ++i) rank += s[i] < key || (s[i] == key && i < t);
  sorted[rank] = key;
  __syncthreads();
  keys[t] = sorted[t];
}

// TRUTH: racy race: equal keys get the same rank, and the places after it stay empty
// LAUNCH: {"kernel": "rank_sort_race", "block": 64, "args": ["buffer:256:small:s32:9:20"]}
extern "C" __global__ void rank_sort_race(int* keys) {
  __shared__ int s[64], sorted[64];
  const int t = threadIdx.x, key = keys[t];
  s[t] = key;
  sorted[t] = 0;
  __syncthreads();
  int rank = 0;
  for (int i = 0; i < 64; ++i) rank += s[i] < key;
  sorted[rank] = key;
  __syncthreads();
  keys[t] = sorted[t];
}

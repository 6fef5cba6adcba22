// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers that only a part of the threads reaches.

// TRUTH: racy divergent-barrier: only the lower half of a warp is at the barrier
// LAUNCH: {"kernel": "half_waits_bad", "block": 64, "args": ["buffer:256:iota:s32"]}
extern "C" __global__ void half_waits_bad(int* data) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = data[t];
  if ((t & 16) == 0) __syncthreads();
  if (t < 32) s[t] += 1;
  __syncthreads();
  data[t] = s[63 - t];
}

// TRUTH: race-free: the condition is the same for all threads
// LAUNCH: {"kernel": "all_wait_ok", "block": 64, "args": ["buffer:256:iota:s32", "1"]}
extern "C" __global__ void all_wait_ok(int* data, int twice) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  int v = s[63 - t];
  if (twice) {
    __syncthreads();
    s[t] = v;
    __syncthreads();
    v += s[t ^ 1];
  }
  data[t] = v;
}

// TRUTH: racy divergent-barrier: each thread makes as many rounds as it has elements
// LAUNCH: {"kernel": "own_rounds_bad", "block": 32,
//          "args": ["buffer:128:small:s32:3:4", "buffer:128"]}
extern "C" __global__ void own_rounds_bad(const int* lengths, int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  int sum = 0;
  s[t] = t;
  for (int i = 0; i < lengths[t]; ++i) {
    __syncthreads();
    sum += s[(t + i) & 31];
  }
  __syncthreads();
  out[t] = sum;
}

// TRUTH: race-free: all threads make as many rounds as the longest list needs
// LAUNCH: {"kernel": "own_rounds_ok", "block": 32,
//          "args": ["buffer:128:small:s32:3:4", "buffer:128"]}
extern "C" __global__ void own_rounds_ok(const int* lengths, int* out) {
  __shared__ int s[32], longest;
  const int t = threadIdx.x, length = lengths[t];
  int sum = 0;
  if (t == 0) longest = 0;
  __syncthreads();
  atomicMax(&longest, length);
  __syncthreads();
  const int rounds = longest;
  for (int i = 0; i < rounds; ++i) {
    s[t] = sum + i;
    __syncthreads();
    if (i < length) sum += s[(t + i) & 31];
    __syncthreads();
  }
  out[t] = sum;
}

// TRUTH: racy uninitialised: threads beyond n return before they fill the tile, which the others
// read; CUDA lets exited threads count as arrived
// LAUNCH: {"kernel": "early_return_bad", "block": 64,
//          "args": ["buffer:256:iota:s32", "buffer:256", "40"]}
extern "C" __global__ void early_return_bad(const int* in, int* out, int n) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t >= n) return;
  tile[t] = in[t];
  __syncthreads();
  out[t] = tile[63 - t];
}

// TRUTH: race-free: whole blocks return early
// LAUNCH: {"kernel": "early_return_ok", "grid": 2, "block": 64,
//          "args": ["buffer:512:iota:s32", "buffer:512", "64"]}
extern "C" __global__ void early_return_ok(const int* in, int* out, int n) {
  __shared__ int tile[64];
  const int t = threadIdx.x, base = blockIdx.x * blockDim.x;
  if (base >= n) return;
  tile[t] = base + t < n ? in[base + t] : 0;
  __syncthreads();
  if (base + t < n) out[base + t] = tile[63 - t];
}

// TRUTH: racy divergent-barrier: odd and even lanes wait at two different barriers
// LAUNCH: {"kernel": "two_arms_bad", "block": 64, "args": ["buffer:256:iota:s32"]}
extern "C" __global__ void two_arms_bad(int* data) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = data[t];
  if (t & 1) {
    __syncthreads();
    data[t] = s[t - 1] * 2;
  } else {
    __syncthreads();
    data[t] = s[t + 1] + 5;
  }
}

// TRUTH: race-free: a barrier in each arm, but a block takes one arm
// LAUNCH: {"kernel": "two_arms_ok", "grid": 2, "block": 64, "args": ["buffer:512:iota:s32"]}
extern "C" __global__ void two_arms_ok(int* data) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int* own = data + blockIdx.x * 64;
  s[t] = own[t];
  if (blockIdx.x & 1) {
    __syncthreads();
    own[t] = s[t ^ 1] * 2;
  } else {
    __syncthreads();
    own[t] = s[63 - t] + 5;
  }
}

// TRUTH: racy divergent-barrier, seen as data-race: the second half waits once less than the first,
// so that the barrier in the branch meets the one after it
// LAUNCH: {"kernel": "warp_branch_bad", "block": 128, "args": ["buffer:512:iota:s32"]}
extern "C" __global__ void warp_branch_bad(int* data) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = data[t];
  if (t < 64) {
    __syncthreads();
    s[t] += s[t + 64];
  }
  __syncthreads();
  data[t] = s[t & 63];
}

// TRUTH: race-free
// LAUNCH: {"kernel": "warp_branch_ok", "block": 128, "args": ["buffer:512:iota:s32"]}
extern "C" __global__ void warp_branch_ok(int* data) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  data[t] = s[t & 63];
}

// TRUTH: racy divergent-barrier: a thread that has converged leaves the loop and its barriers
// LAUNCH: {"kernel": "leave_loop_bad", "block": 64, "args": ["buffer:256:small:s32:5:90"]}
extern "C" __global__ void leave_loop_bad(int* data) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int v = data[t];
  for (int round = 0; round < 8; ++round) {
    s[t] = v;
    __syncthreads();
    v = (v + s[(t + 1) & 63]) / 3;
    if (v < 5) break;
    __syncthreads();
  }
  __syncthreads();
  data[t] = v + s[63 - t];
}

// TRUTH: race-free: the block leaves the loop when all threads agree
// LAUNCH: {"kernel": "leave_loop_ok", "block": 64, "args": ["buffer:256:small:s32:5:90"]}
extern "C" __global__ void leave_loop_ok(int* data) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int v = data[t];
  for (int round = 0; round < 8; ++round) {
    s[t] = v;
    __syncthreads();
    v = (v + s[(t + 1) & 63]) / 3;
    if (__syncthreads_and(v < 5)) break;
  }
  __syncthreads();
  data[t] = v + s[63 - t];
}

__device__ __noinline__ int rotate_in_block(int* s, int v) {
  __syncthreads();
  s[threadIdx.x] = v;
  __syncthreads();
  return s[(threadIdx.x + 1) % blockDim.x];
}

// TRUTH: racy divergent-barrier: the barriers are in a function, and the call under a condition on
// the data of the thread
// LAUNCH: {"kernel": "call_bad", "block": 64, "args": ["buffer:256:iota:s32:-20"]}
extern "C" __global__ void call_bad(int* data) {
  __shared__ int s[64];
  int v = data[threadIdx.x];
  s[threadIdx.x] = 0;
  if (v > 0) v = rotate_in_block(s, v);
  __syncthreads();
  data[threadIdx.x] = v + s[63 - threadIdx.x];
}

// TRUTH: race-free: the condition is on an argument of the kernel
// LAUNCH: {"kernel": "call_ok", "block": 64, "args": ["buffer:256:iota:s32:-20", "2"]}
extern "C" __global__ void call_ok(int* data, int times) {
  __shared__ int s[64];
  int v = data[threadIdx.x];
  s[threadIdx.x] = 0;
  for (int i = 0; i < times; ++i) v = rotate_in_block(s, v);
  __syncthreads();
  data[threadIdx.x] = v + s[63 - threadIdx.x];
}

// TRUTH: racy divergent-barrier: two of three cases of a switch on the thread have a barrier
// LAUNCH: {"kernel": "switch_bad", "block": 96, "args": ["buffer:384:iota:s32"]}
extern "C" __global__ void switch_bad(int* data) {
  __shared__ int s[96];
  const int t = threadIdx.x;
  s[t] = data[t];
  int v = 0;
  switch (t % 3) {
    case 0:
      __syncthreads();
      v = s[t + 1];
      break;
    case 1:
      v = t;
      break;
    default:
      __syncthreads();
      v = s[t - 1];
  }
  __syncthreads();
  data[t] = v;
}

// TRUTH: race-free
// LAUNCH: {"kernel": "switch_ok", "block": 96, "args": ["buffer:384:iota:s32", "2"]}
extern "C" __global__ void switch_ok(int* data, int mode) {
  __shared__ int s[96];
  const int t = threadIdx.x;
  s[t] = data[t];
  int v = 0;
  switch (mode) {
    case 0:
      __syncthreads();
      v = s[95 - t];
      break;
    case 1:
      v = t;
      break;
    default:
      __syncthreads();
      v = s[(t + 1) % 96];
  }
  data[t] = v;
}

// TRUTH: racy divergent-barrier: the second operand of && runs only where the first is true
// LAUNCH: {"kernel": "short_circuit_bad", "block": 32, "args": ["buffer:128:iota:s32", "20"]}
extern "C" __global__ void short_circuit_bad(int* data, int n) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = data[t];
  if (t < n && __syncthreads_or(s[t] > 10)) data[t] = -1;
  __syncthreads();
  data[t] += s[31 - t];
}

// TRUTH: race-free
// LAUNCH: {"kernel": "short_circuit_ok", "block": 32, "args": ["buffer:128:iota:s32", "20"]}
extern "C" __global__ void short_circuit_ok(int* data, int n) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = data[t];
  if (__syncthreads_or(t < n && s[t] > 10) && t < n) data[t] = -1;
  data[t] += s[31 - t];
}

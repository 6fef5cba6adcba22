// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flags, tickets and locks: what is published needs a fence on both sides.

__device__ unsigned tickets_ok, tickets_race;

__device__ __noinline__ int sum_of_warp(int v) {
  for (int mask = 16; mask > 0; mask /= 2) v += __shfl_xor_sync(0xffffffffu, v, mask);
  return v;
}

// TRUTH: race-free
// LAUNCH: {"kernel": "last_block_ok", "grid": 3, "block": 32,
//          "args": ["buffer:384:iota:s32", "buffer:12", "buffer:4"]}
extern "C" __global__ void last_block_ok(const int* in, int* part, int* out) {
  __shared__ bool last;
  const int v = sum_of_warp(in[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x == 0) {
    part[blockIdx.x] = v;
    __threadfence();
    last = atomicAdd(&tickets_ok, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += part[b];
    *out = sum;
    tickets_ok = 0;
  }
}

// TRUTH: racy missing-fence: the part is not published before the ticket is drawn
// LAUNCH: {"kernel": "last_block_race", "grid": 3, "block": 32,
//          "args": ["buffer:384:iota:s32", "buffer:12", "buffer:4"]}
extern "C" __global__ void last_block_race(const int* in, int* part, int* out) {
  __shared__ bool last;
  const int v = sum_of_warp(in[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x == 0) {
    part[blockIdx.x] = v;
    last = atomicAdd(&tickets_race, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += part[b];
    *out = sum;
    tickets_race = 0;
  }
}

// TRUTH: race-free: the second warp waits for the flag of the first
// LAUNCH: {"kernel": "warp_flag_ok", "block": 64, "args": ["buffer:128:iota:s32", "buffer:128"]}
extern "C" __global__ void warp_flag_ok(const int* in, int* out) {
  __shared__ int data[32];
  __shared__ volatile int ready;
  const int lane = threadIdx.x & 31;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[lane] = in[lane] * 2;
    __syncwarp();
    __threadfence_block();
    if (lane == 0) ready = 1;
  } else {
    while (ready == 0) {
    }
    __threadfence_block();
    out[lane] = data[31 - lane];
  }
}

// TRUTH: racy missing-fence: neither the stores nor the loads of the data are ordered with the flag
// LAUNCH: {"kernel": "warp_flag_race", "block": 64, "args": ["buffer:128:iota:s32", "buffer:128"]}
extern "C" __global__ void warp_flag_race(const int* in, int* out) {
  __shared__ int data[32];
  __shared__ volatile int ready;
  const int lane = threadIdx.x & 31;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[lane] = in[lane] * 2;
    __syncwarp();
    if (lane == 0) ready = 1;
  } else {
    while (ready == 0) {
    }
    out[lane] = data[31 - lane];
  }
}

// TRUTH: race-free: the first block sends a message to the second
// LAUNCH: {"kernel": "block_message_ok", "grid": 2, "block": 32,
//          "args": ["buffer:128", "buffer:4", "buffer:128"]}
extern "C" __global__ void block_message_ok(int* box, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    box[threadIdx.x] = 3 * threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (threadIdx.x == 0) {
      while (*flag == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[threadIdx.x] = box[threadIdx.x];
  }
}

// TRUTH: racy missing-fence: the receiver has none between the flag and the message
// LAUNCH: {"kernel": "block_message_race", "grid": 2, "block": 32,
//          "args": ["buffer:128", "buffer:4", "buffer:128"]}
extern "C" __global__ void block_message_race(int* box, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    box[threadIdx.x] = 3 * threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    while (*flag == 0) {
    }
    out[threadIdx.x] = box[threadIdx.x];
  }
}

__device__ __forceinline__ void store_release(int* p, int v) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

__device__ __forceinline__ void store_relaxed(int* p, int v) {
  asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

__device__ __forceinline__ int load_acquire(const int* p) {
  int v;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

// TRUTH: race-free: release and acquire
// LAUNCH: {"kernel": "chain_ok", "grid": 3, "block": 1, "args": ["buffer:16", "buffer:16"]}
extern "C" __global__ void chain_ok(int* sums, int* flags) {
  const int b = blockIdx.x;
  int before = 0;
  if (b > 0) {
    while (load_acquire(&flags[b - 1]) == 0) {
    }
    before = sums[b - 1];
  }
  sums[b] = before + b + 1;
  store_release(&flags[b], 1);
}

// TRUTH: racy missing-fence: the flag is stored relaxed
// LAUNCH: {"kernel": "chain_race", "grid": 3, "block": 1, "args": ["buffer:16", "buffer:16"]}
extern "C" __global__ void chain_race(int* sums, int* flags) {
  const int b = blockIdx.x;
  int before = 0;
  if (b > 0) {
    while (load_acquire(&flags[b - 1]) == 0) {
    }
    before = sums[b - 1];
  }
  sums[b] = before + b + 1;
  store_relaxed(&flags[b], 1);
}

// TRUTH: race-free: one thread of each warp takes the lock, with a fence after it and one before
// its release
// LAUNCH: {"kernel": "lock_ok", "block": 96, "args": ["buffer:8", "buffer:384:iota:s32"]}
extern "C" __global__ void lock_ok(int* total, const int* in) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence_block();
    sum += in[threadIdx.x];
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) *total = sum;
}

// TRUTH: racy missing-fence: the lock is released while the store to the sum may still be under way
// LAUNCH: {"kernel": "lock_race", "block": 96, "args": ["buffer:8", "buffer:384:iota:s32"]}
extern "C" __global__ void lock_race(int* total, const int* in) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence_block();
    sum += in[threadIdx.x];
    atomicExch(&lock, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) *total = sum;
}

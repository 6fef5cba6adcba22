// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named barriers: producers that arrive, consumers that wait, groups of warps.

__device__ __forceinline__ void sync_on(int id, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}

__device__ __forceinline__ void arrive_on(int id, int count) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}

// TRUTH: race-free
// LAUNCH: {"kernel": "handoff_ok", "block": 64, "args": ["buffer:128:iota:s32", "buffer:128"]}
extern "C" __global__ void handoff_ok(const int* in, int* out) {
  __shared__ int s[32];
  const int lane = threadIdx.x & 31;
  if (threadIdx.x < 32) {
    s[lane] = in[lane] + 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[lane] = s[31 - lane];
  }
}

// TRUTH: racy barrier-count: the consumer expects 32 threads, the producer 64
// LAUNCH: {"kernel": "handoff_count_bad", "block": 64,
//          "args": ["buffer:128:iota:s32", "buffer:128"]}
extern "C" __global__ void handoff_count_bad(const int* in, int* out) {
  __shared__ int s[32];
  const int lane = threadIdx.x & 31;
  if (threadIdx.x < 32) {
    s[lane] = in[lane] + 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 32;" ::: "memory");
    out[lane] = s[31 - lane];
  }
}

// TRUTH: racy barrier-count: the producer arrives at one barrier, the consumer waits at another
// LAUNCH: {"kernel": "handoff_id_bad", "block": 64, "args": ["buffer:128:iota:s32", "buffer:128"]}
extern "C" __global__ void handoff_id_bad(const int* in, int* out) {
  __shared__ int s[32];
  const int lane = threadIdx.x & 31;
  if (threadIdx.x < 32) {
    s[lane] = in[lane] + 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 2, 64;" ::: "memory");
    out[lane] = s[31 - lane];
  }
  __syncthreads();
}

// TRUTH: race-free: each pair of warps has a barrier of its own
// LAUNCH: {"kernel": "groups_ok", "block": 128, "args": ["buffer:512:iota:s32"]}
extern "C" __global__ void groups_ok(int* data) {
  __shared__ int s[128];
  const int t = threadIdx.x, group = t >> 6;
  s[t] = data[t];
  for (int i = 0; i < 2; ++i) {
    sync_on(1 + group, 64);
    const int v = s[t ^ 63];
    sync_on(1 + group, 64);
    s[t] = v + i;
  }
  data[t] = s[t];
}

// TRUTH: racy race: warps of both groups meet at one barrier, and the first two of four go on
// LAUNCH: {"kernel": "groups_race", "block": 128, "args": ["buffer:512:iota:s32"]}
extern "C" __global__ void groups_race(int* data) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = data[t];
  for (int i = 0; i < 2; ++i) {
    sync_on(1, 64);
    const int v = s[t ^ 63];
    sync_on(1, 64);
    s[t] = v + i;
  }
  data[t] = s[t];
}

// TRUTH: racy barrier-count: 96 threads of the block come, the barrier waits for 128
// LAUNCH: {"kernel": "too_many_bad", "block": 128, "args": ["buffer:512:iota:s32"]}
extern "C" __global__ void too_many_bad(int* data) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  if (t < 96) {
    const int v = s[95 - t];
    sync_on(3, 128);
    s[t] = v;
  }
  __syncthreads();
  data[t] = s[127 - t];
}

// TRUTH: race-free: the last warp takes no part in the named barrier
// LAUNCH: {"kernel": "too_many_ok", "block": 128, "args": ["buffer:512:iota:s32"]}
extern "C" __global__ void too_many_ok(int* data) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  if (t < 96) {
    const int v = s[95 - t];
    sync_on(3, 96);
    s[t] = v;
  }
  __syncthreads();
  data[t] = s[127 - t];
}

// TRUTH: race-free: one warp fills two slots in turn, another empties them; barriers 1 and 2 say
// that a slot is full, 3 and 4 that it is empty
// LAUNCH: {"kernel": "pipeline_ok", "block": 64,
//          "args": ["buffer:512:iota:s32", "buffer:512", "4"]}
extern "C" __global__ void pipeline_ok(const int* in, int* out, int count) {
  __shared__ int slot[2][32];
  const int lane = threadIdx.x & 31;
  if (threadIdx.x < 32) {
    for (int i = 0; i < count; ++i) {
      if (i >= 2) sync_on(3 + (i & 1), 64);
      slot[i & 1][lane] = in[i * 32 + lane];
      arrive_on(1 + (i & 1), 64);
    }
  } else {
    for (int i = 0; i < count; ++i) {
      sync_on(1 + (i & 1), 64);
      out[i * 32 + lane] = slot[i & 1][lane ^ 1];
      if (i + 2 < count) arrive_on(3 + (i & 1), 64);
    }
  }
}

// TRUTH: racy race: the producer fills a slot before it waits until it is empty
// LAUNCH: {"kernel": "pipeline_race", "block": 64,
//          "args": ["buffer:512:iota:s32", "buffer:512", "4"]}
extern "C" __global__ void pipeline_race(const int* in, int* out, int count) {
  __shared__ int slot[2][32];
  const int lane = threadIdx.x & 31;
  if (threadIdx.x < 32) {
    for (int i = 0; i < count; ++i) {
      slot[i & 1][lane] = in[i * 32 + lane];
      if (i >= 2) sync_on(3 + (i & 1), 64);
      arrive_on(1 + (i & 1), 64);
    }
  } else {
    for (int i = 0; i < count; ++i) {
      sync_on(1 + (i & 1), 64);
      out[i * 32 + lane] = slot[i & 1][lane ^ 1];
      if (i + 2 < count) arrive_on(3 + (i & 1), 64);
    }
  }
}

// TRUTH: racy race: the count lets barrier 0 go when half of the block has come
// LAUNCH: {"kernel": "half_count_race", "block": 128, "args": ["buffer:512:iota:s32"]}
extern "C" __global__ void __launch_bounds__(128) half_count_race(int* data) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = data[t];
  asm volatile("bar.sync 0, 64;" ::: "memory");
  data[t] = s[(t + 64) & 127];
}

// TRUTH: race-free
// LAUNCH: {"kernel": "full_count_ok", "block": 128, "args": ["buffer:512:iota:s32"]}
extern "C" __global__ void __launch_bounds__(128) full_count_ok(int* data) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = data[t];
  asm volatile("bar.sync 0, 128;" ::: "memory");
  data[t] = s[(t + 64) & 127];
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies to shared memory: waits, barriers, stages.
// targets: 90

template <typename T>
__device__ __forceinline__ void copy_async(T* to, const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 16, "sizes of cp.async");
  const unsigned address = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(sizeof(T))
               : "memory");
}

__device__ __forceinline__ void commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int kPending>
__device__ __forceinline__ void wait_for_all_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// TRUTH: race-free: each thread waits for its copies, then all wait for each other
// LAUNCH: {"kernel": "copy_tile_ok", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void copy_tile_ok(const int* in, int* out) {
  __shared__ int tile[64];
  copy_async(&tile[threadIdx.x], &in[threadIdx.x]);
  commit();
  wait_for_all_but<0>();
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// TRUTH: racy missing-wait: the barrier does not cover copies that are under way
// LAUNCH: {"kernel": "copy_tile_bad", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void copy_tile_bad(const int* in, int* out) {
  __shared__ int tile[64];
  copy_async(&tile[threadIdx.x], &in[threadIdx.x]);
  commit();
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// TRUTH: racy race: a thread waits for its own copies only
// LAUNCH: {"kernel": "copy_tile_race", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void copy_tile_race(const int* in, int* out) {
  __shared__ int tile[64];
  copy_async(&tile[threadIdx.x], &in[threadIdx.x]);
  commit();
  wait_for_all_but<0>();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// TRUTH: racy missing-wait: the wait stands after the barrier, so that the copies of others may
// still be under way
// LAUNCH: {"kernel": "wait_late_bad", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void wait_late_bad(const int* in, int* out) {
  __shared__ int tile[64];
  copy_async(&tile[threadIdx.x], &in[threadIdx.x]);
  commit();
  __syncthreads();
  wait_for_all_but<0>();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// TRUTH: race-free: a thread reads only what it copied itself, and needs no barrier
// LAUNCH: {"kernel": "copy_own_ok", "block": 64,
//          "args": ["buffer:1K:iota:s32", "buffer:256"]}
extern "C" __global__ void copy_own_ok(const int4* in, int* out) {
  __shared__ int4 own[64];
  const unsigned t = threadIdx.x;
  copy_async(&own[t], &in[t]);
  commit();
  wait_for_all_but<0>();
  out[t] = own[t].x + own[t].y * own[t].z - own[t].w;
}

// TRUTH: racy missing-wait: a thread reads its own words while the copy may still be under way
// LAUNCH: {"kernel": "copy_own_bad", "block": 64,
//          "args": ["buffer:1K:iota:s32", "buffer:256"]}
extern "C" __global__ void copy_own_bad(const int4* in, int* out) {
  __shared__ int4 own[64];
  const unsigned t = threadIdx.x;
  own[t] = make_int4(0, 0, 0, 0);
  copy_async(&own[t], &in[t]);
  commit();
  out[t] = own[t].x + own[t].y * own[t].z - own[t].w;
}

// TRUTH: race-free: the next tile is under way while this one is read; no group is pending at last
// LAUNCH: {"kernel": "two_stages_ok", "block": 64,
//          "args": ["buffer:1K:iota:f32", "buffer:256", "4"]}
extern "C" __global__ void two_stages_ok(const float* in, float* out, int tiles) {
  __shared__ float stage[2][64];
  const int t = threadIdx.x;
  float sum = 0.0f;
  copy_async(&stage[0][t], &in[t]);
  commit();
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) copy_async(&stage[(i + 1) & 1][t], &in[(i + 1) * 64 + t]);
    commit();
    wait_for_all_but<1>();
    __syncthreads();
    sum += stage[i & 1][63 - t] * (i + 1);
    __syncthreads();
  }
  out[t] = sum;
}

// TRUTH: racy missing-wait: the last round commits no group, so that the wait leaves its copy
// pending
// LAUNCH: {"kernel": "two_stages_bad", "block": 64,
//          "args": ["buffer:1K:iota:f32", "buffer:256", "4"]}
extern "C" __global__ void two_stages_bad(const float* in, float* out, int tiles) {
  __shared__ float stage[2][64];
  const int t = threadIdx.x;
  float sum = 0.0f;
  copy_async(&stage[0][t], &in[t]);
  commit();
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) {
      copy_async(&stage[(i + 1) & 1][t], &in[(i + 1) * 64 + t]);
      commit();
    }
    wait_for_all_but<1>();
    __syncthreads();
    sum += stage[i & 1][63 - t] * (i + 1);
    __syncthreads();
  }
  out[t] = sum;
}

// TRUTH: racy race: the copy of the next round overwrites the stage that slow threads still read
// LAUNCH: {"kernel": "two_stages_race", "block": 64,
//          "args": ["buffer:1K:iota:f32", "buffer:256", "4"]}
extern "C" __global__ void two_stages_race(const float* in, float* out, int tiles) {
  __shared__ float stage[2][64];
  const int t = threadIdx.x;
  float sum = 0.0f;
  copy_async(&stage[0][t], &in[t]);
  commit();
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) copy_async(&stage[(i + 1) & 1][t], &in[(i + 1) * 64 + t]);
    commit();
    wait_for_all_but<1>();
    __syncthreads();
    sum += stage[i & 1][63 - t] * (i + 1);
  }
  out[t] = sum;
}

// TRUTH: race-free: three stages; the stage that is filled was read two rounds ago, before the
// barrier of the last round
// LAUNCH: {"kernel": "three_stages_ok", "block": 64,
//          "args": ["buffer:2K:iota:f32", "buffer:256", "6"]}
extern "C" __global__ void __block_size__((64, 1, 1))
    three_stages_ok(const float* in, float* out, int tiles) {
  __shared__ float stage[3][64];
  const int t = threadIdx.x;
  float sum = 0.0f;
  copy_async(&stage[0][t], &in[t]);
  commit();
  copy_async(&stage[1][t], &in[64 + t]);
  commit();
  for (int i = 0; i < tiles; ++i) {
    wait_for_all_but<1>();
    __syncthreads();
    if (i + 2 < tiles) copy_async(&stage[(i + 2) % 3][t], &in[(i + 2) * 64 + t]);
    commit();
    sum += stage[i % 3][63 - t] * (i + 1);
  }
  out[t] = sum;
}

// TRUTH: racy race: the copy is issued before the barrier, when others may read the stage
// LAUNCH: {"kernel": "three_stages_race", "block": 64,
//          "args": ["buffer:2K:iota:f32", "buffer:256", "6"]}
extern "C" __global__ void __block_size__((64, 1, 1))
    three_stages_race(const float* in, float* out, int tiles) {
  __shared__ float stage[3][64];
  const int t = threadIdx.x;
  float sum = 0.0f;
  copy_async(&stage[0][t], &in[t]);
  commit();
  copy_async(&stage[1][t], &in[64 + t]);
  commit();
  for (int i = 0; i < tiles; ++i) {
    if (i + 2 < tiles) copy_async(&stage[(i + 2) % 3][t], &in[(i + 2) * 64 + t]);
    commit();
    wait_for_all_but<2>();
    __syncthreads();
    sum += stage[i % 3][63 - t] * (i + 1);
  }
  out[t] = sum;
}

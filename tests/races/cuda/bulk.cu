// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bulk copies, which access shared memory by the async proxy: fences of proxies, mbarrier objects.
// targets: 90

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void proxy_fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void bulk_store(void* to, const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until the sources of this thread's bulk copies have been read.
__device__ __forceinline__ void wait_for_reads() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// Bulk copies see the object by the async proxy.
__device__ __forceinline__ void init(unsigned long long* mbar, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(mbar)), "r"(count)
               : "memory");
  proxy_fence();
}

__device__ __forceinline__ void expect(unsigned long long* mbar, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(mbar)),
               "r"(bytes)
               : "memory");
}

__device__ __forceinline__ void bulk_load(void* to, const void* from, unsigned bytes,
                                          unsigned long long* mbar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(mbar))
      : "memory");
}

__device__ __forceinline__ void wait_phase(unsigned long long* mbar, unsigned parity) {
  unsigned done = 0;
  while (!done)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(shared_address(mbar)), "r"(parity)
        : "memory");
}

// TRUTH: race-free: every writer has a fence between the proxies, before the barrier
// LAUNCH: {"kernel": "store_tile_ok", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void store_tile_ok(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  tile[63 - threadIdx.x] = in[threadIdx.x] * 2;
  proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(out, tile, sizeof tile);
    wait_for_reads();
  }
}

// TRUTH: racy proxy: the manual (async proxy) wants a fence.proxy.async between the plain stores and
// a bulk copy that reads them
// LAUNCH: {"kernel": "store_tile_proxy", "block": 64,
//          "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void store_tile_proxy(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  tile[63 - threadIdx.x] = in[threadIdx.x] * 2;
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(out, tile, sizeof tile);
    wait_for_reads();
  }
}

// TRUTH: racy race: the fence is there, but nothing waits for the other threads
// LAUNCH: {"kernel": "store_tile_race", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void store_tile_race(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  tile[63 - threadIdx.x] = in[threadIdx.x] * 2;
  proxy_fence();
  if (threadIdx.x == 0) {
    bulk_store(out, tile, sizeof tile);
    wait_for_reads();
  }
}

// TRUTH: race-free: the tile is filled again when the copy has read it
// LAUNCH: {"kernel": "store_rounds_ok", "block": 64,
//          "args": ["buffer:512:iota:s32", "buffer:512", "2"]}
extern "C" __global__ void store_rounds_ok(const int* in, int* out, int rounds) {
  __shared__ alignas(128) int tile[64];
  for (int i = 0; i < rounds; ++i) {
    tile[threadIdx.x ^ 5] = in[i * 64 + threadIdx.x];
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      bulk_store(out + i * 64, tile, sizeof tile);
      wait_for_reads();
    }
    __syncthreads();
  }
}

// TRUTH: racy missing-wait: the copy of the first round may read what the second round stores
// LAUNCH: {"kernel": "store_rounds_bad", "block": 64,
//          "args": ["buffer:512:iota:s32", "buffer:512", "2"]}
extern "C" __global__ void store_rounds_bad(const int* in, int* out, int rounds) {
  __shared__ alignas(128) int tile[64];
  for (int i = 0; i < rounds; ++i) {
    tile[threadIdx.x ^ 5] = in[i * 64 + threadIdx.x];
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) bulk_store(out + i * 64, tile, sizeof tile);
    __syncthreads();
  }
  if (threadIdx.x == 0) wait_for_reads();
}

// TRUTH: racy proxy: the fence of the first thread covers its own stores only (no barrier lies
// between the stores of the others and the fence)
// LAUNCH: {"kernel": "one_fence_proxy", "block": 64,
//          "args": ["buffer:512:iota:s32", "buffer:512", "2"]}
extern "C" __global__ void one_fence_proxy(const int* in, int* out, int rounds) {
  __shared__ alignas(128) int tile[64];
  for (int i = 0; i < rounds; ++i) {
    tile[threadIdx.x ^ 5] = in[i * 64 + threadIdx.x];
    if (threadIdx.x == 0) proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      bulk_store(out + i * 64, tile, sizeof tile);
      wait_for_reads();
    }
    __syncthreads();
  }
}

// TRUTH: race-free: all threads wait for the phase that the copy completes
// LAUNCH: {"kernel": "load_tile_ok", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void load_tile_ok(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  __shared__ unsigned long long mbar;
  if (threadIdx.x == 0) init(&mbar, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&mbar, sizeof tile);
    bulk_load(tile, in, sizeof tile, &mbar);
  }
  wait_phase(&mbar, 0);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// TRUTH: racy missing-wait: only the thread that issues the copy waits, after the barrier
// LAUNCH: {"kernel": "load_tile_bad", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void load_tile_bad(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  __shared__ unsigned long long mbar;
  if (threadIdx.x == 0) {
    init(&mbar, 1);
    expect(&mbar, sizeof tile);
    bulk_load(tile, in, sizeof tile, &mbar);
  }
  __syncthreads();
  if (threadIdx.x == 0) wait_phase(&mbar, 0);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// TRUTH: racy race: threads may wait on the mbarrier before it is initialised
// LAUNCH: {"kernel": "early_wait_race", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void early_wait_race(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  __shared__ unsigned long long mbar;
  if (threadIdx.x == 0) {
    init(&mbar, 1);
    expect(&mbar, sizeof tile);
    bulk_load(tile, in, sizeof tile, &mbar);
  }
  wait_phase(&mbar, 0);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// TRUTH: race-free: the plain stores of a round have a fence before the copy writes the tile again
// LAUNCH: {"kernel": "load_rounds_ok", "block": 64,
//          "args": ["buffer:512:iota:s32", "buffer:512", "2"]}
extern "C" __global__ void load_rounds_ok(const int* in, int* out, int rounds) {
  __shared__ alignas(128) int tile[64];
  __shared__ unsigned long long mbar;
  if (threadIdx.x == 0) init(&mbar, 1);
  __syncthreads();
  for (int i = 0; i < rounds; ++i) {
    if (threadIdx.x == 0) {
      expect(&mbar, sizeof tile);
      bulk_load(tile, in + i * 64, sizeof tile, &mbar);
    }
    wait_phase(&mbar, i & 1);
    const int v = tile[63 - threadIdx.x];
    __syncthreads();
    tile[threadIdx.x] = v + i;
    __syncthreads();
    out[i * 64 + threadIdx.x] = tile[threadIdx.x ^ 1];
    proxy_fence();
    __syncthreads();
  }
}

// TRUTH: racy race: the next copy begins while slow threads still read the tile
// LAUNCH: {"kernel": "load_rounds_race", "block": 64,
//          "args": ["buffer:512:iota:s32", "buffer:512", "2"]}
extern "C" __global__ void load_rounds_race(const int* in, int* out, int rounds) {
  __shared__ alignas(128) int tile[64];
  __shared__ unsigned long long mbar[2];
  if (threadIdx.x < 2) init(&mbar[threadIdx.x], 1);
  __syncthreads();
  for (int i = 0; i < rounds; ++i) {
    if (threadIdx.x == 0) {
      expect(&mbar[i & 1], sizeof tile);
      bulk_load(tile, in + i * 64, sizeof tile, &mbar[i & 1]);
    }
    wait_phase(&mbar[i & 1], i >> 1 & 1);
    out[i * 64 + threadIdx.x] = tile[63 - threadIdx.x];
  }
}

// targets: 100a
// Tensor memory: exchange between warps, copies from shared memory, allocations that take turns,
// and a product whose loads, products and stores are left to different warps.
#include <cuda_bf16.h>

#include "asynchronous.h"

template <int kColumns>
__device__ void allocate(unsigned* slot) {
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                   sharedAddress(slot)),
               "n"(kColumns)
               : "memory");
}
template <int kColumns>
__device__ void release(unsigned base) {
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(base), "n"(kColumns));
}
__device__ void relinquish() {
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
}
__device__ void before() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
__device__ void after() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }
__device__ void waitLoads() { asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory"); }
__device__ void waitStores() { asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory"); }
__device__ void load4(unsigned at, unsigned (&r)[4]) {
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at)
               : "memory");
}
__device__ void store4(unsigned at, const unsigned (&r)[4]) {
  asm volatile("tcgen05.st.sync.aligned.32x32b.x4.b32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(r[0]),
               "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}
// When all that the thread has issued is done.
__device__ void commitTo(Barrier* bar) {
  asm volatile(
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
          sharedAddress(bar))
      : "memory");
}

// Warps 0 to 3 write a ring of columns, warps 4 to 7 with the same lanes read it.
__global__ void __launch_bounds__(256) columnRing(const uint4* in, uint4* out, int rounds) {
  constexpr int kStages = 2;
  __shared__ unsigned slot;
  __shared__ Barrier full[kStages], empty[kStages];
  int warp = threadIdx.x / 32, t = threadIdx.x % 128;
  if (warp == 0) allocate<32>(&slot);
  if (threadIdx.x == 0)
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 128);
      init(&empty[s], 128);
    }
  before();
  __syncthreads();
  after();
  unsigned base = slot + (warp % 4 * 32 << 16);
  for (int r = 0; r < rounds; ++r) {
    int s = r % kStages;
    if (warp < 4) {
      wait(&empty[s], r / kStages & 1 ^ 1);
      after();
      uint4 v = in[r * 128 + t];
      unsigned word[4] = {v.w, v.z, v.y, v.x};
      store4(base + s * 4, word);
      waitStores();
      before();
      arrive(&full[s]);
    } else {
      wait(&full[s], r / kStages & 1);
      after();
      unsigned word[4];
      load4(base + s * 4, word);
      waitLoads();
      before();
      arrive(&empty[s]);
      out[r * 128 + t] = make_uint4(word[0] + r, word[1], word[2], word[3]);
    }
  }
  before();
  __syncthreads();
  if (warp == 0) {
    after();
    release<32>(slot);
    relinquish();
  }
}

// Rows of 32 bytes, as core matrices of 8 rows of 16 bytes, go to columns two at a time, while bulk
// copies fill the next stage.
__global__ void __launch_bounds__(128) copyRing(const uint4* in, uint4* out, int rounds) {
  constexpr int kStages = 2;
  __shared__ __align__(128) uint4 rows[kStages][256];
  __shared__ Barrier full[kStages], copied[kStages];
  __shared__ unsigned slot;
  int warp = threadIdx.x / 32, t = threadIdx.x;
  if (warp == 0) {
    allocate<32>(&slot);
    relinquish();
  }
  if (t == 0) {
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 1);
      init(&copied[s], 1);
    }
    fenceInit();
  }
  before();
  __syncthreads();
  after();
  unsigned base = slot;
  auto fill = [&](int r) {
    expect(&full[r % kStages], sizeof(rows[0]));
    fetch(rows[r % kStages], in + r * 256, sizeof(rows[0]), &full[r % kStages]);
  };
  if (t == 0) fill(0);
  for (int r = 0; r < rounds; ++r) {
    int s = r % kStages;
    if (t == 0) {
      if (r + 1 < rounds) fill(r + 1);
      wait(&full[s], r / kStages & 1);
      // 128 bytes from one piece of a row to the next, 256 from eight rows to the next.
      unsigned long long d = (sharedAddress(rows[s]) & 0x3ffff) >> 4 | 8ull << 16 | 16ull << 32 |
                             1ull << 46;
      asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(base + s * 8), "l"(d)
                   : "memory");
      commitTo(&copied[s]);
    }
    wait(&copied[s], r / kStages & 1);
    after();
    unsigned word[4], other[4];
    load4(base + (warp * 32 << 16) + s * 8, word);
    load4(base + (warp * 32 << 16) + s * 8 + 4, other);
    waitLoads();
    out[r * 128 + t] = make_uint4(word[0] + other[3], word[1] + other[2], word[2] ^ other[1],
                                  word[3] ^ other[0]);
    // The columns and the stage are used again.
    before();
    __syncthreads();
    after();
  }
  if (warp == 0) release<32>(base);
}

// Four warps want a half of tensor memory each: two must wait until the others have freed it.
__global__ void __launch_bounds__(128) allocationsInTurn(const unsigned* in, unsigned* out) {
  __shared__ unsigned slot[4];
  int warp = threadIdx.x / 32;
  allocate<256>(&slot[warp]);
  __syncwarp();
  unsigned base = slot[warp] + (warp * 32 << 16), v = in[threadIdx.x];
  unsigned word[4] = {v, v + 1, v * 3, ~v};
  store4(base + 252, word);
  waitStores();
  unsigned back[4];
  load4(base + 252, back);
  waitLoads();
  out[threadIdx.x] = back[0] ^ back[1] ^ back[2] ^ back[3];
  release<256>(slot[warp]);
  // One warp gives up the permit of all.
  __syncthreads();
  if (warp == 0) relinquish();
}

// c (128 x n) = a (128 x k) * b (n x k)^T, 32 columns at a time: warp 4 fetches, warp 5 multiplies,
// warps 0 to 3 store. Two accumulators: one is filled while the other one is stored.
__global__ void __launch_bounds__(192)
    matmulTensorMemory(const __grid_constant__ CUtensorMap mapA,
                       const __grid_constant__ CUtensorMap mapB, float* c, int n, int k) {
  constexpr int kStages = 3, kM = 128, kN = 32, kK = 64;
  // bf16 in, f32 out.
  constexpr unsigned kInstruction = 1u << 4 | 1u << 7 | 1u << 10 | kN / 8 << 17 | kM / 16 << 24;
  extern __shared__ __align__(1024) unsigned char arena[];
  __shared__ Barrier full[kStages], empty[kStages], ready[2], taken[2];
  __shared__ unsigned slot;
  auto* as = reinterpret_cast<__nv_bfloat16(*)[kM * kK]>(arena);
  auto* bs = reinterpret_cast<__nv_bfloat16(*)[kN * kK]>(arena + kStages * sizeof(as[0]));
  int warp = threadIdx.x / 32, rounds = k / kK, tiles = n / kN;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 1);
      init(&empty[s], 1);
    }
    for (int d = 0; d < 2; ++d) {
      init(&ready[d], 1);
      init(&taken[d], 128);
    }
    fenceInit();
  }
  if (warp == 0) {
    allocate<64>(&slot);
    relinquish();
  }
  before();
  __syncthreads();
  after();
  unsigned base = slot;
  if (warp == 4) {
    if (elect()) {
      for (int i = 0; i < tiles * rounds; ++i) {
        int s = i % kStages;
        wait(&empty[s], i / kStages & 1 ^ 1);
        expect(&full[s], sizeof(as[0]) + sizeof(bs[0]));
        fetchTile(as[s], &mapA, i % rounds * kK, 0, &full[s]);
        fetchTile(bs[s], &mapB, i % rounds * kK, i / rounds * kN, &full[s]);
      }
    }
  } else if (warp == 5) {
    if (elect()) {
      for (int i = 0; i < tiles * rounds; ++i) {
        int s = i % kStages, tile = i / rounds, r = i % rounds;
        if (r == 0) {
          wait(&taken[tile & 1], tile >> 1 & 1 ^ 1);
          after();
        }
        wait(&full[s], i / kStages & 1);
        after();
        auto descriptor = [](const void* p) {
          return (sharedAddress(p) & 0x3ffff) >> 4 | 64ull << 32 | 1ull << 46 | 2ull << 61;
        };
        for (int kk = 0; kk < kK; kk += 16)
          asm volatile(
              "{\n\t"
              ".reg .pred accumulate;\n\t"
              "setp.ne.b32 accumulate, %4, 0;\n\t"
              "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, accumulate;\n\t"
              "}" ::"r"(base + (tile & 1) * kN),
              "l"(descriptor(as[s] + kk)), "l"(descriptor(bs[s] + kk)), "r"(kInstruction),
              "r"(r + kk)
              : "memory");
        commitTo(&empty[s]);
        if (r == rounds - 1) commitTo(&ready[tile & 1]);
      }
    }
  } else {
    for (int tile = 0; tile < tiles; ++tile) {
      wait(&ready[tile & 1], tile >> 1 & 1);
      after();
      unsigned word[kN / 4][4];
#pragma unroll
      for (int j = 0; j < kN / 4; ++j)
        load4(base + (warp * 32 << 16) + (tile & 1) * kN + j * 4, word[j]);
      waitLoads();
      before();
      arrive(&taken[tile & 1]);
#pragma unroll
      for (int j = 0; j < kN; ++j)
        c[(size_t)threadIdx.x * n + tile * kN + j] = __uint_as_float(word[j / 4][j % 4]);
    }
  }
  before();
  __syncthreads();
  after();
  if (warp == 0) release<64>(base);
}

// LAUNCH: {"kernel": "columnRing", "block": 256, "args": ["buffer:10240:random:u32:1",
//   "buffer:10240", "s32:5"]}
// LAUNCH: {"kernel": "copyRing", "block": 128, "args": ["buffer:20480:random:u32:1",
//   "buffer:10240", "s32:5"]}
// LAUNCH: {"kernel": "allocationsInTurn", "block": 128, "args": ["buffer:512:random:u32:1",
//   "buffer:512"]}
// LAUNCH: {"kernel": "matmulTensorMemory", "block": 192, "shared": 65536, "buffers":
//   {"a": "buffer:49152:small:bf16:1:8", "b": "buffer:36864:small:bf16:2:8"}, "args":
//   ["tensormap:&a:bf16:192,128:box=64,128:swizzle=128B",
//   "tensormap:&b:bf16:192,96:box=64,32:swizzle=128B", "buffer:49152", "s32:96", "s32:192"]}

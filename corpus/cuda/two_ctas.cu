// targets: 100a
// also: new
// Products of two blocks of a cluster (.cta_group::2): each has half of the rows of A and of the
// columns of B, and the first one issues the products for both.
#include <cuda_bf16.h>

#include "asynchronous.h"

template <int kColumns>
__device__ void allocate(unsigned* slot) {
  asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                   sharedAddress(slot)),
               "n"(kColumns)
               : "memory");
}
template <int kColumns>
__device__ void release(unsigned base) {
  asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(base), "n"(kColumns));
}
__device__ void relinquish() {
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;");
}
__device__ void before() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
__device__ void after() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }
__device__ void load8(unsigned at, float (&r)[8]) {
  unsigned w[8];
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
               : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]),
                 "=r"(w[7])
               : "r"(at)
               : "memory");
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
  for (int j = 0; j < 8; ++j) r[j] = __uint_as_float(w[j]);
}
// Of 64 bf16 in a row, swizzled.
__device__ unsigned long long descriptorOf(const void* p) {
  return (sharedAddress(p) & 0x3ffff) >> 4 | 64ull << 32 | 1ull << 46 | 2ull << 61;
}
__device__ void multiplyPair(unsigned d, unsigned long long a, unsigned long long b,
                             unsigned instruction, bool accumulates) {
  asm volatile(
      "{\n\t"
      ".reg .pred accumulate;\n\t"
      "setp.ne.b32 accumulate, %4, 0;\n\t"
      "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, accumulate;\n\t"
      "}" ::"r"(d),
      "l"(a), "l"(b), "r"(instruction), "r"((unsigned)accumulates)
      : "memory");
}
// At this mbarrier of both blocks, when all that the thread has issued is done.
__device__ void commitBoth(Barrier* bar) {
  asm volatile(
      "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
      "[%0], %1;" ::"r"(sharedAddress(bar)),
      "h"((unsigned short)3)
      : "memory");
}
// A tile for this block, whose bytes count for the mbarrier of the first block of the pair.
__device__ void fetchForPair(void* to, const CUtensorMap* map, int x, int y, Barrier* bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(sharedAddress(to)),
      "l"(map), "r"(x), "r"(y), "r"(sharedAddress(bar) & 0xfeffffff)
      : "memory");
}

constexpr int kM = 128, kN = 16, kK = 64;  // of each block
// bf16 in, f32 out; the rows and columns of both.
constexpr unsigned kPair = 1u << 4 | 1u << 7 | 1u << 10 | 2 * kN / 8 << 17 | 2 * kM / 16 << 24;

// c (256 x 32) = a (256 x k) * b (32 x k)^T. Each block fetches what it has, and says so to the
// first one.
__global__ void __launch_bounds__(128) __cluster_dims__(2, 1, 1)
    matmulPair(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB,
               float* c, int k) {
  __shared__ __align__(1024) __nv_bfloat16 a[kM * kK], b[kN * kK];
  __shared__ Barrier full, both, done;
  __shared__ unsigned slot;
  int warp = threadIdx.x / 32;
  unsigned rank = clusterRank();
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&both, 2);
    init(&done, 1);
    fenceInit();
  }
  if (warp == 0) {
    allocate<32>(&slot);
    relinquish();
  }
  before();
  clusterArrive();
  clusterWait();
  after();
  unsigned base = slot;
  for (int r = 0; r < k / kK; ++r) {
    if (threadIdx.x == 0) {
      expect(&full, sizeof a + sizeof b);
      fetchTile(a, &mapA, r * kK, rank * kM, &full);
      fetchTile(b, &mapB, r * kK, rank * kN, &full);
      wait(&full, r & 1);
      arriveAt(&both, 0);
      if (rank == 0) {
        waitCluster(&both, r & 1);
        after();
        for (int kk = 0; kk < kK; kk += 16)
          multiplyPair(base, descriptorOf(a + kk), descriptorOf(b + kk), kPair, r + kk != 0);
        commitBoth(&done);
      }
    }
    waitCluster(&done, r & 1);
    __syncthreads();  // or thread 0 may complete the next phase before a thread waits for this one
  }
  after();
  for (int j = 0; j < 2 * kN; j += 8) {
    float v[8];
    load8(base + (warp * 32 << 16) + j, v);
    for (int i = 0; i < 8; ++i) c[(rank * kM + threadIdx.x) * 2 * kN + j + i] = v[i];
  }
  before();
  clusterArrive();
  clusterWait();
  after();
  if (warp == 0) release<32>(base);
}

// The same in a ring of stages: the copies of both blocks count for one mbarrier, and the products
// give a stage back to both.
__global__ void __launch_bounds__(192) __cluster_dims__(2, 1, 1)
    matmulPairRing(const __grid_constant__ CUtensorMap mapA,
                   const __grid_constant__ CUtensorMap mapB, float* c, int k) {
  constexpr int kStages = 3;
  constexpr unsigned kStageBytes = (kM + kN) * kK * sizeof(__nv_bfloat16);
  extern __shared__ __align__(1024) unsigned char arena[];
  __shared__ Barrier full[kStages], empty[kStages], ready;
  __shared__ unsigned slot;
  auto* a = reinterpret_cast<__nv_bfloat16(*)[kM * kK]>(arena);
  auto* b = reinterpret_cast<__nv_bfloat16(*)[kN * kK]>(arena + kStages * sizeof(a[0]));
  int warp = threadIdx.x / 32, rounds = k / kK;
  unsigned rank = clusterRank();
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 1);
      init(&empty[s], 1);
    }
    init(&ready, 1);
    fenceInit();
  }
  if (warp == 0) {
    allocate<32>(&slot);
    relinquish();
  }
  before();
  clusterArrive();
  clusterWait();
  after();
  unsigned base = slot;
  if (warp == 4 && elect()) {
    for (int r = 0; r < rounds; ++r) {
      int s = r % kStages;
      waitCluster(&empty[s], r / kStages & 1 ^ 1);
      if (rank == 0) expect(&full[s], 2 * kStageBytes);
      fetchForPair(a[s], &mapA, r * kK, rank * kM, &full[s]);
      fetchForPair(b[s], &mapB, r * kK, rank * kN, &full[s]);
    }
  } else if (warp == 5 && rank == 0 && elect()) {
    for (int r = 0; r < rounds; ++r) {
      int s = r % kStages;
      waitCluster(&full[s], r / kStages & 1);
      after();
      for (int kk = 0; kk < kK; kk += 16)
        multiplyPair(base, descriptorOf(a[s] + kk), descriptorOf(b[s] + kk), kPair, r + kk != 0);
      commitBoth(&empty[s]);
    }
    commitBoth(&ready);
  }
  __syncwarp();
  if (warp < 4) {
    waitCluster(&ready, 0);
    after();
    for (int j = 0; j < 2 * kN; j += 8) {
      float v[8];
      load8(base + (warp * 32 << 16) + j, v);
      for (int i = 0; i < 8; ++i) c[(rank * kM + threadIdx.x) * 2 * kN + j + i] = v[i];
    }
  }
  before();
  clusterArrive();
  clusterWait();
  after();
  if (warp == 0) release<32>(base);
}

// LAUNCH: {"kernel": "matmulPair", "block": 128, "grid": 2, "cluster": 2, "buffers":
//   {"a": "buffer:98304:small:bf16:1:8", "b": "buffer:12288:small:bf16:2:8"}, "args":
//   ["tensormap:&a:bf16:192,256:box=64,128:swizzle=128B",
//   "tensormap:&b:bf16:192,32:box=64,16:swizzle=128B", "buffer:32768", "s32:192"]}
// LAUNCH: {"kernel": "matmulPairRing", "block": 192, "grid": 2, "cluster": 2, "shared": 57344,
//   "buffers": {"a": "buffer:163840:small:bf16:1:8", "b": "buffer:20480:small:bf16:2:8"}, "args":
//   ["tensormap:&a:bf16:320,256:box=64,128:swizzle=128B",
//   "tensormap:&b:bf16:320,32:box=64,16:swizzle=128B", "buffer:32768", "s32:320"]}

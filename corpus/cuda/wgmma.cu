// targets: 90a
// Warp-group matrix products fed by TMA: one producer warp group, two consumer warp groups,
// register reallocation, full and empty mbarriers, and a named barrier for the epilogue.
#include <cuda.h>
#include <cuda_bf16.h>

constexpr int kStages = 3;
constexpr int kM = 128, kN = 64, kK = 64;

__device__ unsigned sharedAddress(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void waitPhase(unsigned bar, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra again;\n"
      "}\n" ::"r"(bar),
      "r"(parity)
      : "memory");
}

__device__ void loadTile(unsigned to, const CUtensorMap* map, int x, int y, unsigned bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, "
      "%4}], [%2];" ::"r"(to),
      "l"(map), "r"(bar), "r"(x), "r"(y)
      : "memory");
}

// Descriptor of a K-major tile with 128-byte swizzle.
__device__ unsigned long long descriptor(unsigned address) {
  unsigned long long d = (address & 0x3ffff) >> 4;
  return d | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ void wgmma64x64(float (&d)[32], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, p, 1, 1, 0, 0;\n"
      "}\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(keep));
}

__global__ void __launch_bounds__(384, 1)
    matmulWarpSpecialised(const __grid_constant__ CUtensorMap mapA,
                          const __grid_constant__ CUtensorMap mapB, float* c, int n, int k) {
  extern __shared__ __align__(1024) unsigned char arena[];
  __shared__ unsigned long long full[kStages], empty[kStages];
  auto* as = reinterpret_cast<__nv_bfloat16(*)[kM * kK]>(arena);
  auto* bs = reinterpret_cast<__nv_bfloat16(*)[kN * kK]>(arena + kStages * sizeof(as[0]));
  int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(&full[s])));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(sharedAddress(&empty[s])));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  int rounds = k / kK;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      for (int r = 0; r < rounds; ++r) {
        int s = r % kStages;
        unsigned bar = sharedAddress(&full[s]);
        waitPhase(sharedAddress(&empty[s]), (r / kStages & 1) ^ 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                     "n"((kM + kN) * kK * 2)
                     : "memory");
        loadTile(sharedAddress(as[s]), &mapA, r * kK, blockIdx.y * kM, bar);
        loadTile(sharedAddress(bs[s]), &mapB, r * kK, blockIdx.x * kN, bar);
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float acc[32];
    for (int r = 0; r < rounds; ++r) {
      int s = r % kStages;
      waitPhase(sharedAddress(&full[s]), r / kStages & 1);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int kk = 0; kk < kK; kk += 16)
        wgmma64x64(acc, descriptor(sharedAddress(as[s] + (group - 1) * 64 * kK + kk)),
                   descriptor(sharedAddress(bs[s] + kk)), r > 0 || kk > 0);
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (threadIdx.x % 128 == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sharedAddress(&empty[s]))
                     : "memory");
    }
    // The two consumer groups meet before they reuse the stages as a staging area.
    asm volatile("bar.sync 1, 256;" ::: "memory");
    float* stage = reinterpret_cast<float*>(arena);
    int t = threadIdx.x % 128, row = (group - 1) * 64 + t / 32 * 16 + t % 32 / 4;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      int col = j * 8 + t % 4 * 2;
      stage[row * kN + col] = acc[4 * j];
      stage[row * kN + col + 1] = acc[4 * j + 1];
      stage[(row + 8) * kN + col] = acc[4 * j + 2];
      stage[(row + 8) * kN + col + 1] = acc[4 * j + 3];
    }
    asm volatile("bar.sync 1, 256;" ::: "memory");
    for (int i = threadIdx.x - 128; i < kM * kN; i += 256)
      c[(size_t)(blockIdx.y * kM + i / kN) * n + blockIdx.x * kN + i % kN] = stage[i];
  }
}

// LAUNCH: {"kernel": "matmulWarpSpecialised", "block": 384, "grid": [2, 1], "shared": 131072,
//   "buffers": {"a": "buffer:32768:small:bf16:1:8", "b": "buffer:32768:small:bf16:2:8"}, "args":
//   ["tensormap:&a:bf16:128,128:box=64,128:swizzle=128B",
//   "tensormap:&b:bf16:128,128:box=64,64:swizzle=128B", "buffer:65536", "s32:128", "s32:128"]}

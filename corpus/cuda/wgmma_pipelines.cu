// targets: 90a
// More ways to feed wgmma: two consumer groups that take turns at tiles of their own, matrix A from
// registers with a product in flight, and eight-bit floats.
#include <cuda_bf16.h>

#include "asynchronous.h"

// Descriptor of a K-major tile with 128-byte swizzle.
__device__ unsigned long long descriptor(const void* p) {
  unsigned long long d = (sharedAddress(p) & 0x3ffff) >> 4;
  return d | 1ull << 16 | 64ull << 32 | 1ull << 62;
}
__device__ void wgmmaFence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void wgmmaCommit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kGroups>
__device__ void wgmmaWait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kGroups) : "memory");
}

#define ACCUMULATORS                                                                            \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}"
#define OPERANDS(d)                                                                             \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),           \
      "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),   \
      "+f"(d[14]), "+f"(d[15])

// 64 x 32; the columns of a thread are 8 * j + lane % 4 * 2 and the next.
__device__ void wgmmaBf16(float (&d)[16], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %18, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 " ACCUMULATORS
      ", %16, %17, p, 1, 1, 0, 0;\n\t}"
      : OPERANDS(d)
      : "l"(a), "l"(b), "r"(keep));
}
__device__ void wgmmaRegisters(float (&d)[16], const unsigned (&a)[4], unsigned long long b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 " ACCUMULATORS
      ", {%16, %17, %18, %19}, %20, 1, 1, 1, 0;"
      : OPERANDS(d)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
__device__ void wgmmaFp8(float (&d)[16], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %18, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e4m3 " ACCUMULATORS
      ", %16, %17, p, 1, 1;\n\t}"
      : OPERANDS(d)
      : "l"(a), "l"(b), "r"(keep));
}

__device__ void storeTile(float* c, int n, const float (&d)[16]) {
  int t = threadIdx.x % 128, row = t / 32 * 16 + t % 32 / 4;
  for (int j = 0; j < 4; ++j)
    for (int h = 0; h < 2; ++h)
      *reinterpret_cast<float2*>(c + (size_t)(row + 8 * h) * n + j * 8 + t % 4 * 2) =
          make_float2(d[4 * j + 2 * h], d[4 * j + 2 * h + 1]);
}

// Tiles of 64 x 32, down the rows of a. While one group multiplies, the other one stores.
__global__ void __launch_bounds__(384, 1)
    matmulPingPong(const __grid_constant__ CUtensorMap mapA,
                   const __grid_constant__ CUtensorMap mapB, float* c, int tiles, int k) {
  constexpr int kStages = 3, kM = 64, kN = 32, kK = 64;
  extern __shared__ __align__(1024) unsigned char arena[];
  __shared__ Barrier full[kStages], empty[kStages];
  auto* as = reinterpret_cast<__nv_bfloat16(*)[kM * kK]>(arena);
  auto* bs = reinterpret_cast<__nv_bfloat16(*)[kN * kK]>(arena + kStages * sizeof(as[0]));
  int group = threadIdx.x / 128, rounds = k / kK;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 1);
      init(&empty[s], 128);
    }
    fenceInit();
  }
  __syncthreads();
  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 256) {
      for (int i = 0; i < tiles * rounds; ++i) {
        int s = i % kStages;
        wait(&empty[s], i / kStages & 1 ^ 1);
        expect(&full[s], sizeof(as[0]) + sizeof(bs[0]));
        fetchTile(as[s], &mapA, i % rounds * kK, i / rounds * kM, &full[s]);
        fetchTile(bs[s], &mapB, i % rounds * kK, 0, &full[s]);
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  // Group 0 begins.
  if (group == 1) namedArrive<1, 256>();
  for (int tile = group; tile < tiles; tile += 2) {
    float d[16];
    if (group == 0)
      namedBarrier<1, 256>();
    else
      namedBarrier<2, 256>();
    for (int r = 0; r < rounds; ++r) {
      int i = tile * rounds + r, s = i % kStages;
      wait(&full[s], i / kStages & 1);
      wgmmaFence();
#pragma unroll
      for (int kk = 0; kk < kK; kk += 16)
        wgmmaBf16(d, descriptor(as[s] + kk), descriptor(bs[s] + kk), r > 0 || kk > 0);
      wgmmaCommit();
      wgmmaWait<0>();
      arrive(&empty[s]);
    }
    // Nobody comes after the last tile but one of the other group.
    if (group == 0)
      namedArrive<2, 256>();
    else if (tile + 1 < tiles)
      namedArrive<1, 256>();
    storeTile(c + (size_t)tile * kM * kN, kN, d);
  }
}

// The rows of a come from global memory straight into registers; one product is in flight while the
// next fragment is loaded.
__global__ void __launch_bounds__(160, 1)
    matmulRegisters(const unsigned* a, const __grid_constant__ CUtensorMap mapB, float* c, int k) {
  constexpr int kStages = 2, kN = 32, kK = 64;
  __shared__ __align__(1024) __nv_bfloat16 bs[kStages][kN * kK];
  __shared__ Barrier full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 1);
      init(&empty[s], 4);
    }
    fenceInit();
  }
  __syncthreads();
  int rounds = k / kK, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 4) {
    if (elect()) {
      for (int r = 0; r < rounds; ++r) {
        int s = r % kStages;
        wait(&empty[s], r / kStages & 1 ^ 1);
        expect(&full[s], sizeof(bs[0]));
        fetchTile(bs[s], &mapB, r * kK, 0, &full[s]);
      }
    }
    return;
  }
  // Words of two elements.
  const unsigned* row = a + (warp * 16 + lane / 4) * (k / 2) + lane % 4;
  float d[16] = {};
  unsigned x[2][4];
  auto load = [&](unsigned(&to)[4], int at) {
    to[0] = row[at / 2];
    to[1] = row[at / 2 + 8 * (k / 2)];
    to[2] = row[at / 2 + 4];
    to[3] = row[at / 2 + 8 * (k / 2) + 4];
  };
  load(x[0], 0);
  for (int r = 0; r < rounds; ++r) {
    int s = r % kStages;
    wait(&full[s], r / kStages & 1);
#pragma unroll
    for (int j = 0; j < kK / 16; ++j) {
      wgmmaFence();
      wgmmaRegisters(d, x[j % 2], descriptor(bs[s] + j * 16));
      wgmmaCommit();
      // The other fragment may still be read by the product before.
      wgmmaWait<1>();
      int next = r * kK + (j + 1) * 16;
      if (next < k) load(x[(j + 1) % 2], next);
    }
    wgmmaWait<0>();
    __syncwarp();
    if (lane == 0) arrive(&empty[s]);
  }
  storeTile(c, kN, d);
}

// One warp group does all: it fetches two rounds ahead of the products.
__global__ void __launch_bounds__(128, 1)
    matmulFp8(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB,
              float* c, float scale, int k) {
  constexpr int kStages = 3, kM = 64, kN = 32, kK = 128;
  __shared__ __align__(1024) unsigned char as[kStages][kM * kK], bs[kStages][kN * kK];
  __shared__ Barrier full[kStages];
  int rounds = k / kK;
  auto load = [&](int r) {
    int s = r % kStages;
    expect(&full[s], sizeof(as[0]) + sizeof(bs[0]));
    fetchTile(as[s], &mapA, r * kK, blockIdx.x * kM, &full[s]);
    fetchTile(bs[s], &mapB, r * kK, 0, &full[s]);
  };
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) init(&full[s], 1);
    fenceInit();
    for (int r = 0; r < kStages - 1 && r < rounds; ++r) load(r);
  }
  __syncthreads();
  float d[16];
  for (int r = 0; r < rounds; ++r) {
    int s = r % kStages;
    wait(&full[s], r / kStages & 1);
    wgmmaFence();
#pragma unroll
    for (int kk = 0; kk < kK; kk += 32)
      wgmmaFp8(d, descriptor(as[s] + kk), descriptor(bs[s] + kk), r > 0 || kk > 0);
    wgmmaCommit();
    wgmmaWait<0>();
    // All warps have done with the stage before this one.
    __syncthreads();
    if (threadIdx.x == 0 && r + kStages - 1 < rounds) load(r + kStages - 1);
  }
  for (float& x : d) x *= scale;
  storeTile(c + (size_t)blockIdx.x * kM * kN, kN, d);
}

// LAUNCH: {"kernel": "matmulPingPong", "block": 384, "shared": 65536, "buffers":
//   {"a": "buffer:98304:small:bf16:1:8", "b": "buffer:12288:small:bf16:2:8"}, "args":
//   ["tensormap:&a:bf16:192,256:box=64,64:swizzle=128B",
//   "tensormap:&b:bf16:192,32:box=64,32:swizzle=128B", "buffer:32768", "s32:4", "s32:192"]}
// LAUNCH: {"kernel": "matmulRegisters", "block": 160, "buffers":
//   {"b": "buffer:12288:small:bf16:2:8"}, "args": ["buffer:24576:small:bf16:1:8",
//   "tensormap:&b:bf16:192,32:box=64,32:swizzle=128B", "buffer:8192", "s32:192"]}
// LAUNCH: {"kernel": "matmulFp8", "block": 128, "grid": 2, "buffers":
//   {"a": "buffer:65536:small:u8:1:64", "b": "buffer:16384:small:u8:2:64"}, "args":
//   ["tensormap:&a:u8:512,128:box=128,64:swizzle=128B",
//   "tensormap:&b:u8:512,32:box=128,32:swizzle=128B", "buffer:16384", "f32:0.5", "s32:512"]}

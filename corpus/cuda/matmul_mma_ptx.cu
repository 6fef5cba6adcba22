// targets: 80 90 100
// Matrix product on tensor cores in inline PTX: cp.async in four stages, ldmatrix, mma.sync.
#include <cuda_fp16.h>

constexpr int kStages = 4;
constexpr int kBlockM = 64, kBlockN = 64, kBlockK = 32;

__device__ unsigned sharedAddress(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void copyAsync16(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(to)), "l"(from)
               : "memory");
}

__device__ void commitGroup() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int kPending>
__device__ void waitGroup() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

__device__ void loadMatrix4(unsigned (&r)[4], const half* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(sharedAddress(p)));
}

__device__ void loadMatrix2Transposed(unsigned (&r)[2], const half* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(sharedAddress(p)));
}

__device__ void mma16816(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void __launch_bounds__(128)
    matmulMma(const half* a, const half* b, float* c, int m, int n, int k) {
  __shared__ __align__(16) half as[kStages][kBlockM][kBlockK + 8];
  __shared__ __align__(16) half bs[kStages][kBlockK][kBlockN + 8];
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  a += blockIdx.y * kBlockM * k;
  b += blockIdx.x * kBlockN;
  float acc[8][4] = {};

  auto loadStage = [&](int stage, int t) {
    for (int i = threadIdx.x; i < kBlockM * kBlockK / 8; i += 128) {
      int r = i / (kBlockK / 8), q = i % (kBlockK / 8) * 8;
      copyAsync16(&as[stage][r][q], a + r * k + t + q);
    }
    for (int i = threadIdx.x; i < kBlockK * kBlockN / 8; i += 128) {
      int r = i / (kBlockN / 8), q = i % (kBlockN / 8) * 8;
      copyAsync16(&bs[stage][r][q], b + (t + r) * n + q);
    }
  };

#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    if (s * kBlockK < k) loadStage(s, s * kBlockK);
    commitGroup();
  }
  for (int t = 0, stage = 0; t < k; t += kBlockK) {
    waitGroup<kStages - 2>();
    __syncthreads();
    int next = t + (kStages - 1) * kBlockK;
    if (next < k) loadStage((stage + kStages - 1) % kStages, next);
    commitGroup();
#pragma unroll
    for (int kk = 0; kk < kBlockK; kk += 16) {
      unsigned fa[4];
      loadMatrix4(fa, &as[stage][warp * 16 + lane % 16][kk + lane / 16 * 8]);
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        unsigned fb[2];
        loadMatrix2Transposed(fb, &bs[stage][kk + lane % 16][j * 8]);
        mma16816(acc[j], fa, fb);
      }
    }
    stage = (stage + 1) % kStages;
  }
  waitGroup<0>();
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    int row = blockIdx.y * kBlockM + warp * 16 + lane / 4;
    int col = blockIdx.x * kBlockN + j * 8 + lane % 4 * 2;
    *reinterpret_cast<float2*>(&c[row * n + col]) = make_float2(acc[j][0], acc[j][1]);
    *reinterpret_cast<float2*>(&c[(row + 8) * n + col]) = make_float2(acc[j][2], acc[j][3]);
  }
}

// LAUNCH: {"kernel": "matmulMma", "block": 128, "args": ["buffer:20480:small:f16:1:17",
//   "buffer:20480:small:f16:2:17", "buffer:16384", "s32:64", "s32:64", "s32:160"]}

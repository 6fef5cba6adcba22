// targets: 90a 100a
// Pipelines of cp.async: by groups, by mbarriers, and one that feeds ldmatrix and mma, whose result
// leaves by stmatrix and a bulk copy.
#include <cuda_fp16.h>

#include "asynchronous.h"

__device__ inline void copy16(void* to, const void* from, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(sharedAddress(to)), "l"(from),
               "r"(valid ? 16 : 0)
               : "memory");
}
__device__ inline void commitCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kGroups>
__device__ inline void waitCopies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
}

__device__ inline void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b, unsigned c) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "r"(c));
}

// A sum over windows of rows: three groups are in flight, and each thread reads what others copied.
__global__ void __launch_bounds__(64) pipelineGroups(const float4* in, float4* out, int rounds) {
  constexpr int kStages = 4;
  __shared__ float4 row[kStages][64];
  int t = threadIdx.x;
  for (int r = 0; r < kStages - 1; ++r) {
    copy16(&row[r][t], in + r * 64 + t, r < rounds);
    commitCopies();
  }
  float4 sum = {0, 0, 0, 0};
  for (int r = 0; r < rounds; ++r) {
    waitCopies<kStages - 2>();
    __syncthreads();
    float4 v = row[r % kStages][(t + r) % 64];
    sum.x += v.x;
    sum.y = fmaxf(sum.y, v.y);
    sum.z += v.z * v.w;
    sum.w += v.x > v.w ? 1 : 0;
    int next = r + kStages - 1;
    copy16(&row[next % kStages][t], in + (next < rounds ? next : 0) * 64 + t, next < rounds);
    commitCopies();
  }
  waitCopies<0>();
  out[t] = sum;
}

// The copies arrive at the mbarrier of their stage; the readers at that of the empty ones.
__global__ void __launch_bounds__(128) pipelineBarriers(const uint4* in, unsigned* out, int rounds) {
  constexpr int kStages = 2;
  __shared__ uint4 tile[kStages][64];
  __shared__ Barrier full[kStages], empty[kStages];
  int t = threadIdx.x % 64;
  if (threadIdx.x == 0)
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 64);
      init(&empty[s], 64);
    }
  __syncthreads();
  if (threadIdx.x < 64) {
    for (int r = 0; r < rounds; ++r) {
      int s = r % kStages;
      if (r >= kStages) wait(&empty[s], r / kStages - 1 & 1);
      copy16(&tile[s][t], in + r * 64 + t, true);
      asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(sharedAddress(&full[s]))
                   : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
  } else {
    unsigned sum = 0;
    for (int r = 0; r < rounds; ++r) {
      int s = r % kStages;
      wait(&full[s], r / kStages & 1);
      uint4 v = tile[s][63 - t];
      sum = sum * 3 + (v.x ^ v.y) + (v.z ^ v.w);
      arrive(&empty[s]);
    }
    out[t] = sum;
  }
}

// c (64 x 64) = a (64 x k) * b (64 x k)^T. Four warps of 16 rows each; 16 halves of k in a round.
__global__ void __launch_bounds__(128)
    pipelineMma(const __half* a, const __half* b, __half* c, int k) {
  constexpr int kStages = 3, kK = 16;
  __shared__ __align__(128) __half as[kStages][64 * kK], bs[kStages][64 * kK], cs[64 * 64];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  // Rows are two pieces of 16 bytes, which change places in every other four rows.
  auto at = [](int row, int piece) { return row * kK + (piece ^ row / 4 % 2) * 8; };
  auto load = [&](int r) {
    int row = t / 2, piece = t % 2, s = r % kStages;
    if (r * kK < k) {
      copy16(&as[s][at(row, piece)], a + row * k + r * kK + piece * 8, true);
      copy16(&bs[s][at(row, piece)], b + row * k + r * kK + piece * 8, true);
    }
    commitCopies();
  };
  load(0);
  load(1);
  float acc[8][4] = {};
  for (int r = 0; r * kK < k; ++r) {
    int s = r % kStages;
    waitCopies<1>();
    __syncthreads();
    load(r + 2);
    unsigned x[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(sharedAddress(&as[s][at(warp * 16 + lane % 16, lane / 16)]))
                 : "memory");
#pragma unroll
    for (int n = 0; n < 8; n += 2) {
      // Both pieces of 16 rows.
      unsigned y[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3])
                   : "r"(sharedAddress(
                       &bs[s][at(n * 8 + lane % 8 + lane / 16 * 8, lane / 8 % 2)]))
                   : "memory");
      multiply(acc[n], x, y[0], y[1]);
      multiply(acc[n + 1], x, y[2], y[3]);
    }
  }
  for (int n = 0; n < 8; n += 2) {
    unsigned word[4];
    for (int j = 0; j < 4; ++j) {
      __half2 pair = __floats2half2_rn(acc[n + j / 2][j % 2 * 2], acc[n + j / 2][j % 2 * 2 + 1]);
      word[j] = *reinterpret_cast<unsigned*>(&pair);
    }
    int row = warp * 16 + lane % 16, column = n * 8 + lane / 16 * 8;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     sharedAddress(&cs[row * 64 + column])),
                 "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])
                 : "memory");
  }
  // A warp sends the rows that are its own.
  fenceAsync();
  __syncwarp();
  if (elect()) {
    put(c + warp * 16 * 64, cs + warp * 16 * 64, 16 * 64 * 2);
    commitPuts();
    waitPuts();
  }
}

// Tiles of 8 x 8 halves are transposed by the store.
__global__ void __launch_bounds__(64) transposeMatrices(const unsigned* in, uint4* out) {
  __shared__ __align__(16) __half tile[64][8];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned v[4];
  for (int j = 0; j < 4; ++j) v[j] = in[((blockIdx.x * 2 + warp) * 4 + j) * 32 + lane];
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   sharedAddress(tile[warp * 32 + lane])),
               "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
               : "memory");
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = *reinterpret_cast<uint4*>(tile[threadIdx.x ^ 8]);
}

// LAUNCH: {"kernel": "pipelineGroups", "block": 64, "args": ["buffer:7168:small:f32:1",
//   "buffer:1024", "s32:7"]}
// LAUNCH: {"kernel": "pipelineBarriers", "block": 128, "args": ["buffer:5120:random:u32:1",
//   "buffer:256", "s32:5"]}
// LAUNCH: {"kernel": "pipelineMma", "block": 128, "args": ["buffer:10240:small:f16:1:8",
//   "buffer:10240:small:f16:2:8", "buffer:8192", "s32:80"]}
// LAUNCH: {"kernel": "transposeMatrices", "block": 64, "grid": 2, "args":
//   ["buffer:2048:random:u32:1", "buffer:2048"]}

// Matrix products on tensor cores through the warp matrix functions.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// One warp, one 16 x 16 tile, straight from global memory.
__global__ void wmmaDirect(const half* a, const half* b, float* c, int n) {
  int warpRow = (blockIdx.y * blockDim.y + threadIdx.y) * 16;
  int warpCol = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 16;
  if (warpRow >= n || warpCol >= n) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + warpRow * n + k, n);
    wmma::load_matrix_sync(fb, b + warpCol * n + k, n);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  wmma::store_matrix_sync(c + warpRow * n + warpCol, acc, n, wmma::mem_row_major);
}

// Eight warps share 64 x 64 results through shared memory.
__global__ void __launch_bounds__(256) wmmaShared(const half* a, const half* b, half* c, int n) {
  __shared__ half as[64][24], bs[16][72];
  __shared__ half stage[8][16 * 32];
  int warp = threadIdx.x / 32, warpRow = warp / 2 * 16, warpCol = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> acc[2];
  wmma::fill_fragment(acc[0], __float2half(0.0f));
  wmma::fill_fragment(acc[1], __float2half(0.0f));
  for (int k = 0; k < n; k += 16) {
    for (int i = threadIdx.x; i < 64 * 16; i += 256) {
      as[i / 16][i % 16] = a[(blockIdx.y * 64 + i / 16) * n + k + i % 16];
      bs[i / 64][i % 64] = b[(k + i / 64) * n + blockIdx.x * 64 + i % 64];
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::load_matrix_sync(fa, &as[warpRow][0], 24);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      wmma::load_matrix_sync(fb, &bs[0][warpCol + 16 * j], 72);
      wmma::mma_sync(acc[j], fa, fb, acc[j]);
    }
    __syncthreads();
  }
  wmma::store_matrix_sync(&stage[warp][0], acc[0], 32, wmma::mem_row_major);
  wmma::store_matrix_sync(&stage[warp][16], acc[1], 32, wmma::mem_row_major);
  // Each warp reads its own stage only.
  __syncthreads();
  for (int i = threadIdx.x % 32; i < 16 * 32; i += 32)
    c[(blockIdx.y * 64 + warpRow + i / 32) * n + blockIdx.x * 64 + warpCol + i % 32] =
        stage[warp][i];
}

__global__ void wmmaInt8(const signed char* a, const signed char* b, int* c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> acc;
  wmma::fill_fragment(acc, 0);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * n + k, n);
    wmma::load_matrix_sync(fb, b + blockIdx.x * 16 * n + k, n);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, acc, n, wmma::mem_row_major);
}

// LAUNCH: {"kernel": "wmmaDirect", "block": [64, 2], "args": ["buffer:2048:small:f16:1:17",
//   "buffer:2048:small:f16:2:17", "buffer:4096", "s32:32"]}
// LAUNCH: {"kernel": "wmmaShared", "block": 256, "args": ["buffer:8192:small:f16:1:4",
//   "buffer:8192:small:f16:2:4", "buffer:8192", "s32:64"]}
// LAUNCH: {"kernel": "wmmaInt8", "block": 32, "grid": [2, 2], "args": ["buffer:1024:random:s8:1",
//   "buffer:1024:random:s8:2", "buffer:4096", "s32:32"]}

// also: clang
// All shortest paths in blocks: the diagonal tile, the row and column tiles, the rest.

constexpr int kTile = 32;

__global__ void __launch_bounds__(1024) diagonalTile(int* d, int n, int block) {
  __shared__ int tile[kTile][kTile];
  int i = block * kTile + threadIdx.y, j = block * kTile + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = d[i * n + j];
  __syncthreads();
  for (int k = 0; k < kTile; ++k) {
    int via = tile[threadIdx.y][k] + tile[k][threadIdx.x];
    __syncthreads();
    tile[threadIdx.y][threadIdx.x] = min(tile[threadIdx.y][threadIdx.x], via);
    __syncthreads();
  }
  d[i * n + j] = tile[threadIdx.y][threadIdx.x];
}

__global__ void __launch_bounds__(1024) crossTiles(int* d, int n, int block) {
  __shared__ int pivot[kTile][kTile], tile[kTile][kTile];
  if (blockIdx.x == block) return;
  bool row = blockIdx.y == 0;
  int ti = row ? block : blockIdx.x, tj = row ? blockIdx.x : block;
  int i = ti * kTile + threadIdx.y, j = tj * kTile + threadIdx.x;
  pivot[threadIdx.y][threadIdx.x] =
      d[(block * kTile + threadIdx.y) * n + block * kTile + threadIdx.x];
  int best = tile[threadIdx.y][threadIdx.x] = d[i * n + j];
  __syncthreads();
  for (int k = 0; k < kTile; ++k) {
    best = min(best, row ? pivot[threadIdx.y][k] + tile[k][threadIdx.x]
                         : tile[threadIdx.y][k] + pivot[k][threadIdx.x]);
    __syncthreads();
    tile[threadIdx.y][threadIdx.x] = best;
    __syncthreads();
  }
  d[i * n + j] = best;
}

__global__ void __launch_bounds__(1024) otherTiles(int* d, int n, int block) {
  __shared__ int left[kTile][kTile], top[kTile][kTile];
  if (blockIdx.x == block || blockIdx.y == block) return;
  int i = blockIdx.y * kTile + threadIdx.y, j = blockIdx.x * kTile + threadIdx.x;
  left[threadIdx.y][threadIdx.x] = d[i * n + block * kTile + threadIdx.x];
  top[threadIdx.y][threadIdx.x] = d[(block * kTile + threadIdx.y) * n + j];
  __syncthreads();
  int best = d[i * n + j];
#pragma unroll
  for (int k = 0; k < kTile; ++k) best = min(best, left[threadIdx.y][k] + top[k][threadIdx.x]);
  d[i * n + j] = best;
}

// LAUNCH: {"kernel": "diagonalTile", "block": [32, 32], "args": ["buffer:16384:small:s32:1:1000",
//   "s32:64", "s32:1"]}
// LAUNCH: {"kernel": "crossTiles", "block": [32, 32], "grid": [2, 2], "args":
//   ["buffer:16384:small:s32:1:1000", "s32:64", "s32:1"]}
// LAUNCH: {"kernel": "otherTiles", "block": [32, 32], "grid": [2, 2], "args":
//   ["buffer:16384:small:s32:1:1000", "s32:64", "s32:1"]}

// also: clang clang-debug
// Matrix transposes: naive, tiled, tiled without bank conflicts, in place by pairs of tiles.

constexpr int kTile = 32;
constexpr int kRows = 8;

__global__ void copyTiles(float* out, const float* in, int width) {
  __shared__ float tile[kTile * kTile];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    tile[(threadIdx.y + j) * kTile + threadIdx.x] = in[(y + j) * width + x];
  // Redundant: each thread reads back what it wrote.
  __syncthreads();
  for (int j = 0; j < kTile; j += kRows)
    out[(y + j) * width + x] = tile[(threadIdx.y + j) * kTile + threadIdx.x];
}

__global__ void transposeNaive(float* out, const float* in, int width) {
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  int height = gridDim.y * kTile;
  for (int j = 0; j < kTile; j += kRows) out[x * height + y + j] = in[(y + j) * width + x];
}

__global__ void transposeTiled(float* out, const float* in, int width) {
  __shared__ float tile[kTile][kTile];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  int height = gridDim.y * kTile;
  for (int j = 0; j < kTile; j += kRows)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transposePadded(double* out, const double* in, int width, int height) {
  __shared__ double tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transposeInPlace(float* data, int width) {
  __shared__ float upper[kTile][kTile + 1], lower[kTile][kTile + 1];
  if (blockIdx.x < blockIdx.y) return;
  int ux = blockIdx.x * kTile + threadIdx.x, uy = blockIdx.y * kTile + threadIdx.y;
  int lx = blockIdx.y * kTile + threadIdx.x, ly = blockIdx.x * kTile + threadIdx.y;
  upper[threadIdx.y][threadIdx.x] = data[uy * width + ux];
  lower[threadIdx.y][threadIdx.x] = data[ly * width + lx];
  __syncthreads();
  data[uy * width + ux] = lower[threadIdx.x][threadIdx.y];
  if (blockIdx.x != blockIdx.y) data[ly * width + lx] = upper[threadIdx.x][threadIdx.y];
}

// LAUNCH: {"kernel": "copyTiles", "block": [32, 8], "grid": [2, 1], "args": ["buffer:8192",
//   "buffer:8192:random:f32:1", "s32:64"]}
// LAUNCH: {"kernel": "transposeNaive", "block": [32, 8], "grid": [2, 1], "args": ["buffer:8192",
//   "buffer:8192:random:f32:1", "s32:64"]}
// LAUNCH: {"kernel": "transposeTiled", "block": [32, 8], "grid": [2, 1], "args": ["buffer:8192",
//   "buffer:8192:random:f32:1", "s32:64"]}
// LAUNCH: {"kernel": "transposePadded", "block": [32, 8], "grid": [2, 1], "args": ["buffer:12000",
//   "buffer:12000:random:f64:1", "s32:50", "s32:30"]}
// LAUNCH: {"kernel": "transposeInPlace", "block": [32, 32], "grid": [2, 2], "args":
//   ["buffer:16384:random:f32:1", "s32:64"]}

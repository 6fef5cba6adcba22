// also: clang clang60
// Single-precision matrix products: naive, tiled, register-blocked.

__global__ void matmulNaive(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

template <int kTile>
__global__ void matmulTiled(const float* a, const float* b, float* c, int n) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < n; t += kTile) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

template __global__ void matmulTiled<16>(const float*, const float*, float*, int);
template __global__ void matmulTiled<32>(const float*, const float*, float*, int);

// Edges that do not fill a tile.
__global__ void matmulGuarded(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[16][17], bs[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < (k + 15) / 16; ++t) {
    int ak = t * 16 + threadIdx.x, bk = t * 16 + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < m && ak < k ? a[row * k + ak] : 0.0f;
    bs[threadIdx.y][threadIdx.x] = col < n && bk < k ? b[bk * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum = fmaf(as[threadIdx.y][i], bs[i][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

// 64 x 64 results a block, 4 x 4 a thread.
__global__ void __launch_bounds__(256)
    matmulRegisterBlocked(const float* __restrict__ a, const float* __restrict__ b,
                          float* __restrict__ c, int n) {
  __shared__ float as[16][64], bs[16][64];
  int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
  float acc[4][4] = {};
  for (int t = 0; t < n; t += 16) {
    float4 av = *reinterpret_cast<const float4*>(
        &a[(blockIdx.y * 64 + threadIdx.x / 4) * n + t + threadIdx.x % 4 * 4]);
    as[threadIdx.x % 4 * 4 + 0][threadIdx.x / 4] = av.x;
    as[threadIdx.x % 4 * 4 + 1][threadIdx.x / 4] = av.y;
    as[threadIdx.x % 4 * 4 + 2][threadIdx.x / 4] = av.z;
    as[threadIdx.x % 4 * 4 + 3][threadIdx.x / 4] = av.w;
    *reinterpret_cast<float4*>(&bs[ty][tx * 4]) =
        *reinterpret_cast<const float4*>(&b[(t + ty) * n + blockIdx.x * 64 + tx * 4]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float4 x = *reinterpret_cast<float4*>(&as[k][ty * 4]);
      float4 y = *reinterpret_cast<float4*>(&bs[k][tx * 4]);
      float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] += xs[i] * ys[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(&c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4]) =
        make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// LAUNCH: {"kernel": "matmulNaive", "block": [16, 8], "grid": [2, 3], "args":
//   ["buffer:1600:small:f32:1", "buffer:1600:small:f32:2", "buffer:1600", "s32:20"]}
// LAUNCH: {"kernel": "matmulTiled<16>", "block": [16, 16], "grid": [2, 2], "args":
//   ["buffer:4096:small:f32:1", "buffer:4096:small:f32:2", "buffer:4096", "s32:32"]}
// LAUNCH: {"kernel": "matmulTiled<32>", "block": [32, 32], "args": ["buffer:4096:small:f32:1",
//   "buffer:4096:small:f32:2", "buffer:4096", "s32:32"]}
// LAUNCH: {"kernel": "matmulGuarded", "block": [16, 16], "grid": [2, 2], "args":
//   ["buffer:1440:small:f32:1", "buffer:1800:small:f32:2", "buffer:2000", "s32:20", "s32:25",
//   "s32:18"]}
// LAUNCH: {"kernel": "matmulRegisterBlocked", "block": 256, "args": ["buffer:16384:small:f32:1",
//   "buffer:16384:small:f32:2", "buffer:16384", "s32:64"]}

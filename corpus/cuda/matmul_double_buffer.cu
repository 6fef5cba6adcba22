// also: clang
// Tiled matrix products with two buffers: one barrier a round is enough, two are one too many.

__global__ void __launch_bounds__(256)
    matmulDoubleBuffer(const float* a, const float* b, float* c, int n) {
  __shared__ float as[2][16][16], bs[2][16][16];
  int x = threadIdx.x & 15, y = threadIdx.x >> 4;
  int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0.0f;
  as[0][y][x] = a[row * n + x];
  bs[0][y][x] = b[y * n + col];
  __syncthreads();
  int buffer = 0;
  for (int t = 16; t < n; t += 16) {
    float nextA = a[row * n + t + x], nextB = b[(t + y) * n + col];
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += as[buffer][y][k] * bs[buffer][k][x];
    buffer ^= 1;
    as[buffer][y][x] = nextA;
    bs[buffer][y][x] = nextB;
    __syncthreads();
  }
#pragma unroll
  for (int k = 0; k < 16; ++k) sum += as[buffer][y][k] * bs[buffer][k][x];
  c[row * n + col] = sum;
}

// As careful people write it: a barrier before and after each exchange of buffers.
__global__ void __launch_bounds__(256)
    matmulDoubleBufferCareful(const float* a, const float* b, float* c, int n) {
  __shared__ float as[2][16][16], bs[2][16][16];
  int x = threadIdx.x & 15, y = threadIdx.x >> 4;
  int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0.0f;
  as[0][y][x] = a[row * n + x];
  bs[0][y][x] = b[y * n + col];
  __syncthreads();
  for (int t = 16, buffer = 0; t <= n; t += 16, buffer ^= 1) {
    if (t < n) {
      as[buffer ^ 1][y][x] = a[row * n + t + x];
      bs[buffer ^ 1][y][x] = b[(t + y) * n + col];
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[buffer][y][k] * bs[buffer][k][x];
    __syncthreads();
  }
  __syncthreads();
  c[row * n + col] = sum;
}

// LAUNCH: {"kernel": "matmulDoubleBuffer", "block": 256, "grid": [2, 2], "args":
//   ["buffer:4096:small:f32:1", "buffer:4096:small:f32:2", "buffer:4096", "s32:32"]}
// LAUNCH: {"kernel": "matmulDoubleBufferCareful", "block": 256, "grid": [2, 2], "args":
//   ["buffer:4096:small:f32:1", "buffer:4096:small:f32:2", "buffer:4096", "s32:32"]}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices by tiles in shared memory, with one and with two buffers.

constexpr int kTile = 8;

// TRUTH: race-free
// LAUNCH: {"kernel": "matmul_ok", "grid": [2, 1], "block": [8, 8],
//          "args": ["buffer:1K:iota:f32", "buffer:1K:iota:f32", "buffer:1K", "16"]}
extern "C" __global__ void matmul_ok(const float* a, const float* b, float* c, int n) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < n; k0 += kTile) {
    as[ty][tx] = a[row * n + k0 + tx];
    bs[ty][tx] = b[(k0 + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// TRUTH: racy race: the next tiles are stored while others still multiply, across the back edge
// only
// LAUNCH: {"kernel": "matmul_race", "grid": [2, 1], "block": [8, 8],
//          "args": ["buffer:1K:iota:f32", "buffer:1K:iota:f32", "buffer:1K", "16"]}
extern "C" __global__ void matmul_race(const float* a, const float* b, float* c, int n) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < n; k0 += kTile) {
    as[ty][tx] = a[row * n + k0 + tx];
    bs[ty][tx] = b[(k0 + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += as[ty][k] * bs[k][tx];
  }
  c[row * n + column] = sum;
}

template <int T>
struct Tiles {
  float a[T][T + 1];
  float b[T][T + 1];
};

template <int T>
__device__ void load_tiles(Tiles<T>& tiles, const float* a, const float* b, int n, int k0) {
  tiles.a[threadIdx.y][threadIdx.x] = a[threadIdx.y * n + k0 + threadIdx.x];
  tiles.b[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + threadIdx.x];
}

// TRUTH: race-free: the tiles of the next step go to the other buffer; one barrier for each step
// LAUNCH: {"kernel": "matmul_double_ok", "block": [8, 8],
//          "args": ["buffer:1K:iota:f32", "buffer:1K:iota:f32", "buffer:1K", "16"]}
extern "C" __global__ void matmul_double_ok(const float* a, const float* b, float* c, int n) {
  __shared__ Tiles<8> tiles[2];
  float sum = 0.0f;
  int now = 0;
  load_tiles<8>(tiles[0], a, b, n, 0);
  __syncthreads();
  for (int k0 = 8; k0 <= n; k0 += 8) {
    if (k0 < n) load_tiles<8>(tiles[now ^ 1], a, b, n, k0);
    for (int k = 0; k < 8; ++k) sum += tiles[now].a[threadIdx.y][k] * tiles[now].b[k][threadIdx.x];
    __syncthreads();
    now ^= 1;
  }
  c[threadIdx.y * n + threadIdx.x] = sum;
}

// TRUTH: racy race: the next tiles go to the buffer that is read
// LAUNCH: {"kernel": "matmul_double_race", "block": [8, 8],
//          "args": ["buffer:1K:iota:f32", "buffer:1K:iota:f32", "buffer:1K", "16"]}
extern "C" __global__ void matmul_double_race(const float* a, const float* b, float* c, int n) {
  __shared__ Tiles<8> tiles[2];
  float sum = 0.0f;
  int now = 0;
  load_tiles<8>(tiles[0], a, b, n, 0);
  __syncthreads();
  for (int k0 = 8; k0 <= n; k0 += 8) {
    if (k0 < n) load_tiles<8>(tiles[now], a, b, n, k0);
    for (int k = 0; k < 8; ++k) sum += tiles[now].a[threadIdx.y][k] * tiles[now].b[k][threadIdx.x];
    __syncthreads();
    now ^= 1;
  }
  c[threadIdx.y * n + threadIdx.x] = sum;
}

// TRUTH: racy race: the barrier runs only in odd steps
// LAUNCH: {"kernel": "matmul_alternate_race", "block": [8, 8],
//          "args": ["buffer:2K:iota:f32", "buffer:2K:iota:f32", "buffer:2K", "16"]}
extern "C" __global__ void matmul_alternate_race(const float* a, const float* b, float* c, int n) {
  __shared__ Tiles<8> tiles[2];
  float sum = 0.0f;
  for (int step = 0; step * 8 < n; ++step) {
    Tiles<8>& tile = tiles[step & 1];
    load_tiles<8>(tile, a, b, n, step * 8);
    if (step & 1) __syncthreads();
    for (int k = 0; k < 8; ++k) sum += tile.a[threadIdx.y][k] * tile.b[k][threadIdx.x];
  }
  c[threadIdx.y * n + threadIdx.x] = sum;
}

// TRUTH: race-free: two buffers in turn, loaded and read in the same step, need one barrier
// LAUNCH: {"kernel": "matmul_alternate_ok", "block": [8, 8],
//          "args": ["buffer:4K:iota:f32", "buffer:4K:iota:f32", "buffer:4K", "32"]}
extern "C" __global__ void matmul_alternate_ok(const float* a, const float* b, float* c, int n) {
  __shared__ Tiles<8> tiles[2];
  float sum = 0.0f;
  for (int step = 0; step * 8 < n; ++step) {
    Tiles<8>& tile = tiles[step & 1];
    load_tiles<8>(tile, a, b, n, step * 8);
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += tile.a[threadIdx.y][k] * tile.b[k][threadIdx.x];
  }
  c[threadIdx.y * n + threadIdx.x] = sum;
}

// TRUTH: race-free: each thread computes a 2 x 2 block of the product, and loads two rows of four
// LAUNCH: {"kernel": "matmul_registers_ok", "block": 64,
//          "args": ["buffer:1K:iota:f32", "buffer:1K:iota:f32", "buffer:1K"]}
extern "C" __global__ void __launch_bounds__(64)
    matmul_registers_ok(const float* __restrict__ a, const float* __restrict__ b, float* c) {
  __shared__ float as[16 * 16], bs[16 * 16];
  const unsigned t = threadIdx.x, x = (t % 8) * 2, y = (t / 8) * 2;
  for (unsigned i = t; i < 256; i += 64) {
    as[i] = a[i];
    bs[i] = b[i];
  }
  __syncthreads();
  float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
  for (unsigned k = 0; k < 16; ++k) {
    const float a0 = as[y * 16 + k], a1 = as[y * 16 + 16 + k];
    const float b0 = bs[k * 16 + x], b1 = bs[k * 16 + x + 1];
    s00 += a0 * b0, s01 += a0 * b1, s10 += a1 * b0, s11 += a1 * b1;
  }
  c[y * 16 + x] = s00, c[y * 16 + x + 1] = s01;
  c[y * 16 + 16 + x] = s10, c[y * 16 + 17 + x] = s11;
}

// TRUTH: racy race-global: the blocks of 2 x 2 lie one column apart and not two, so neighbours
// store to the same element
// LAUNCH: {"kernel": "matmul_registers_race", "block": 64,
//          "args": ["buffer:1K:iota:f32", "buffer:1K:iota:f32", "buffer:1K"]}
extern "C" __global__ void __launch_bounds__(64)
    matmul_registers_race(const float* __restrict__ a, const float* __restrict__ b, float* c) {
  __shared__ float as[16 * 16], bs[16 * 16];
  const unsigned t = threadIdx.x, x = t % 8, y = (t / 8) * 2;
  for (unsigned i = t; i < 256; i += 64) {
    as[i] = a[i];
    bs[i] = b[i];
  }
  __syncthreads();
  float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
  for (unsigned k = 0; k < 16; ++k) {
    const float a0 = as[y * 16 + k], a1 = as[y * 16 + 16 + k];
    const float b0 = bs[k * 16 + x], b1 = bs[k * 16 + x + 1];
    s00 += a0 * b0, s01 += a0 * b1, s10 += a1 * b0, s11 += a1 * b1;
  }
  c[y * 16 + x] = s00, c[y * 16 + x + 1] = s01;
  c[y * 16 + 16 + x] = s10, c[y * 16 + 17 + x] = s11;
}

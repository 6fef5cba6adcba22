// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposition and permutation of tiles.

// TRUTH: race-free
// LAUNCH: {"kernel": "transpose_tile_ok", "grid": [2, 1], "block": [16, 16],
//          "args": ["buffer:2K:iota:f32", "buffer:2K", "32", "16"]}
extern "C" __global__ void transpose_tile_ok(const float* in, float* out, int width, int height) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

// TRUTH: racy race: a column is read before its rows are stored
// LAUNCH: {"kernel": "transpose_tile_race", "grid": [2, 1], "block": [16, 16],
//          "args": ["buffer:2K:iota:f32", "buffer:2K", "32", "16"]}
extern "C" __global__ void transpose_tile_race(const float* in, float* out, int width, int height) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

// TRUTH: race-free: a block of 32 x 4 threads moves a tile of 32 x 32
// LAUNCH: {"kernel": "transpose_rows_ok", "block": [32, 4],
//          "args": ["buffer:4K:iota:u32", "buffer:4K"]}
extern "C" __global__ void transpose_rows_ok(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[32 * 33];
  for (unsigned j = threadIdx.y; j < 32; j += blockDim.y)
    tile[j * 33 + threadIdx.x] = in[j * 32 + threadIdx.x];
  __syncthreads();
  for (unsigned j = threadIdx.y; j < 32; j += blockDim.y)
    out[j * 32 + threadIdx.x] = tile[threadIdx.x * 33 + j];
}

// TRUTH: racy race: the rows of the tile overlap by one element, a pitch of 31 and not 33
// LAUNCH: {"kernel": "transpose_rows_race", "block": [32, 4],
//          "args": ["buffer:4K:iota:u32", "buffer:4K"]}
extern "C" __global__ void transpose_rows_race(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[32 * 33];
  for (unsigned j = threadIdx.y; j < 32; j += blockDim.y)
    tile[j * 31 + threadIdx.x] = in[j * 32 + threadIdx.x];
  __syncthreads();
  for (unsigned j = threadIdx.y; j < 32; j += blockDim.y)
    out[j * 32 + threadIdx.x] = tile[threadIdx.x * 31 + j];
}

// TRUTH: race-free: the pair (x, y), (y, x) is exchanged by one thread, the one below the diagonal
// LAUNCH: {"kernel": "transpose_in_place_ok", "block": [16, 16], "args": ["buffer:1K:iota:s32"]}
extern "C" __global__ void transpose_in_place_ok(int* m) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x < y && y < 16) {
    const int a = m[y * 16 + x];
    m[y * 16 + x] = m[x * 16 + y];
    m[x * 16 + y] = a;
  }
}

// TRUTH: racy race-global: both threads of a pair exchange it
// LAUNCH: {"kernel": "transpose_in_place_race", "block": [16, 16], "args": ["buffer:1K:iota:s32"]}
extern "C" __global__ void transpose_in_place_race(int* m) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x != y && x < 16 && y < 16) {
    const int a = m[y * 16 + x];
    m[y * 16 + x] = m[x * 16 + y];
    m[x * 16 + y] = a;
  }
}

// TRUTH: race-free: the columns of a row are mixed by xor with the row, one to one
// LAUNCH: {"kernel": "swizzle_ok", "block": [32, 8], "args": ["buffer:1K:iota:s32", "buffer:1K"]}
extern "C" __global__ void swizzle_ok(const int* in, int* out) {
  __shared__ int tile[8][32];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x ^ y] = in[y * 32 + x];
  __syncthreads();
  const int r = x & 7, c = (x >> 3) | (y << 2);
  out[y * 32 + x] = tile[r][c ^ r];
}

// TRUTH: racy race: `or` in place of `xor` puts several columns of a row into one word
// LAUNCH: {"kernel": "swizzle_race", "block": [32, 8], "args": ["buffer:1K:iota:s32", "buffer:1K"]}
extern "C" __global__ void swizzle_race(const int* in, int* out) {
  __shared__ int tile[8][32];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = 0;
  __syncthreads();
  tile[y][x | y] = in[y * 32 + x];
  __syncthreads();
  const int r = x & 7, c = (x >> 3) | (y << 2);
  out[y * 32 + x] = tile[r][c | r];
}

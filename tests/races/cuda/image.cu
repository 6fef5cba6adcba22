// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters of images: halos, separable passes, sums of rows and columns.

typedef unsigned char byte;

// TRUTH: race-free: threads of a 2-D block load a tile with its halo in linear order
// LAUNCH: {"kernel": "box_blur_ok", "block": [16, 8],
//          "args": ["buffer:180:small:u8:3:200", "buffer:128"]}
extern "C" __global__ void box_blur_ok(const byte* in, byte* out) {
  __shared__ byte tile[10][18];
  const int t = threadIdx.y * 16 + threadIdx.x;
  for (int i = t; i < 180; i += 128) tile[i / 18][i % 18] = in[i];
  __syncthreads();
  int sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) sum += tile[threadIdx.y + dy][threadIdx.x + dx];
  out[t] = sum / 9;
}

// TRUTH: racy race: the second pass of the loads is after the barrier
// LAUNCH: {"kernel": "box_blur_race", "block": [16, 8],
//          "args": ["buffer:180:small:u8:3:200", "buffer:128"]}
extern "C" __global__ void box_blur_race(const byte* in, byte* out) {
  __shared__ byte tile[10][18];
  const int t = threadIdx.y * 16 + threadIdx.x;
  tile[t / 18][t % 18] = in[t];
  __syncthreads();
  if (t < 52) tile[(t + 128) / 18][(t + 128) % 18] = in[t + 128];
  int sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) sum += tile[threadIdx.y + dy][threadIdx.x + dx];
  out[t] = sum / 9;
}

__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};

// TRUTH: race-free: rows are filtered into a second array, columns from there
// LAUNCH: {"kernel": "separable_ok", "block": [16, 8],
//          "args": ["buffer:512:iota:f32", "buffer:512"]}
extern "C" __global__ void separable_ok(const float* in, float* out) {
  __shared__ float a[8][18], b[10][16];
  const int x = threadIdx.x, y = threadIdx.y;
  a[y][x + 1] = in[y * 16 + x];
  if (x < 2) a[y][x * 17] = 0.0f;
  if (y < 2) b[y * 9][x] = 0.0f;
  __syncthreads();
  b[y + 1][x] = weights[0] * a[y][x] + weights[1] * a[y][x + 1] + weights[2] * a[y][x + 2];
  __syncthreads();
  out[y * 16 + x] = weights[0] * b[y][x] + weights[1] * b[y + 1][x] + weights[2] * b[y + 2][x];
}

// TRUTH: racy race: the columns are filtered before their rows are done
// LAUNCH: {"kernel": "separable_race", "block": [16, 8],
//          "args": ["buffer:512:iota:f32", "buffer:512"]}
extern "C" __global__ void separable_race(const float* in, float* out) {
  __shared__ float a[8][18], b[10][16];
  const int x = threadIdx.x, y = threadIdx.y;
  a[y][x + 1] = in[y * 16 + x];
  if (x < 2) a[y][x * 17] = 0.0f;
  if (y < 2) b[y * 9][x] = 0.0f;
  __syncthreads();
  b[y + 1][x] = weights[0] * a[y][x] + weights[1] * a[y][x + 1] + weights[2] * a[y][x + 2];
  out[y * 16 + x] = weights[0] * b[y][x] + weights[1] * b[y + 1][x] + weights[2] * b[y + 2][x];
}

// TRUTH: race-free: thread t sums row t, then column t
// LAUNCH: {"kernel": "integral_ok", "block": 32, "args": ["buffer:4K:small:u32:3:9"]}
extern "C" __global__ void integral_ok(unsigned* m) {
  __shared__ unsigned s[32][33];
  const int t = threadIdx.x;
  for (int y = 0; y < 32; ++y) s[y][t] = m[y * 32 + t];
  __syncthreads();
  for (int x = 1; x < 32; ++x) s[t][x] += s[t][x - 1];
  __syncthreads();
  for (int y = 1; y < 32; ++y) s[y][t] += s[y - 1][t];
  for (int y = 0; y < 32; ++y) m[y * 32 + t] = s[y][t];
}

// TRUTH: racy missing-syncwarp: rows and columns are not separated; the block is a single warp
// LAUNCH: {"kernel": "integral_race", "block": 32, "args": ["buffer:4K:small:u32:3:9"]}
extern "C" __global__ void integral_race(unsigned* m) {
  __shared__ unsigned s[32][33];
  const int t = threadIdx.x;
  for (int y = 0; y < 32; ++y) s[y][t] = m[y * 32 + t];
  __syncthreads();
  for (int x = 1; x < 32; ++x) s[t][x] += s[t][x - 1];
  for (int y = 1; y < 32; ++y) s[y][t] += s[y - 1][t];
  for (int y = 0; y < 32; ++y) m[y * 32 + t] = s[y][t];
}

// TRUTH: race-free: pixels of four bytes; each thread converts its own
// LAUNCH: {"kernel": "gray_ok", "block": [8, 8], "args": ["buffer:256:small:u8:3:250", "8"]}
extern "C" __global__ void gray_ok(uchar4* image, int pitch) {
  uchar4& p = image[threadIdx.y * pitch + threadIdx.x];
  const byte g = (p.x * 77 + p.y * 150 + p.z * 29) >> 8;
  p = make_uchar4(g, g, g, p.w);
}

// TRUTH: racy race-global: pixels have three bytes, but a store of a word covers the next pixel's
// first one
// LAUNCH: {"kernel": "gray_race", "block": [8, 8], "args": ["buffer:256:small:u8:3:250", "8"]}
extern "C" __global__ void gray_race(byte* image, int pitch) {
  byte* p = image + 3 * (threadIdx.y * pitch + threadIdx.x);
  const byte g = (p[0] * 77 + p[1] * 150 + p[2] * 29) >> 8;
  for (int i = 0; i < 4; ++i) p[i] = i < 3 ? g : 0;
}

// TRUTH: race-free: odd rows are written, even ones read
// LAUNCH: {"kernel": "deinterlace_ok", "block": [16, 8], "args": ["buffer:512:iota:f32"]}
extern "C" __global__ void deinterlace_ok(float* image) {
  const int x = threadIdx.x, y = threadIdx.y, pitch = blockDim.x;
  if (y & 1) {
    const float above = image[(y - 1) * pitch + x];
    const float below = y + 1 < blockDim.y ? image[(y + 1) * pitch + x] : above;
    image[y * pitch + x] = 0.5f * (above + below);
  }
}

// TRUTH: racy race-global: odd rows are written from the rows two above, which are odd, too
// LAUNCH: {"kernel": "deinterlace_race", "block": [16, 8], "args": ["buffer:512:iota:f32"]}
extern "C" __global__ void deinterlace_race(float* image) {
  const int x = threadIdx.x, y = threadIdx.y, pitch = blockDim.x;
  if (y & 1) {
    const float above = image[(y - 1) * pitch + x];
    const float below = y > 1 ? image[(y - 2) * pitch + x] : above;
    image[y * pitch + x] = 0.5f * (above + below);
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils with a halo in shared memory, and in time steps.

constexpr int kRadius = 2;
constexpr int kBlock = 64;

// TRUTH: race-free
// LAUNCH: {"kernel": "stencil_1d_ok", "grid": 2, "block": 64,
//          "args": ["buffer:528:iota:s32", "buffer:512"]}
extern "C" __global__ void stencil_1d_ok(const int* in, int* out) {
  __shared__ int tile[kBlock + 2 * kRadius];
  const int g = blockIdx.x * kBlock + threadIdx.x, l = threadIdx.x + kRadius;
  tile[l] = in[g + kRadius];
  if (threadIdx.x < kRadius) {
    tile[l - kRadius] = in[g];
    tile[l + kBlock] = in[g + kBlock + kRadius];
  }
  __syncthreads();
  int sum = 0;
#pragma unroll
  for (int o = -kRadius; o <= kRadius; ++o) sum += tile[l + o];
  out[g] = sum;
}

// TRUTH: racy race: the halo is stored after the barrier
// LAUNCH: {"kernel": "stencil_1d_race", "grid": 2, "block": 64,
//          "args": ["buffer:528:iota:s32", "buffer:512"]}
extern "C" __global__ void stencil_1d_race(const int* in, int* out) {
  __shared__ int tile[kBlock + 2 * kRadius];
  const int g = blockIdx.x * kBlock + threadIdx.x, l = threadIdx.x + kRadius;
  tile[l] = in[g + kRadius];
  __syncthreads();
  if (threadIdx.x < kRadius) {
    tile[l - kRadius] = in[g];
    tile[l + kBlock] = in[g + kBlock + kRadius];
  }
  int sum = 0;
#pragma unroll
  for (int o = -kRadius; o <= kRadius; ++o) sum += tile[l + o];
  out[g] = sum;
}

// TRUTH: race-free: the reads of a step and its stores have a barrier between them
// LAUNCH: {"kernel": "heat_steps_ok", "block": 64, "args": ["buffer:264:random:f32:3", "3"]}
extern "C" __global__ void heat_steps_ok(float* u, int steps) {
  __shared__ float rod[kBlock + 2];
  const int i = threadIdx.x + 1;
  rod[i] = u[i];
  if (threadIdx.x == 0) rod[0] = u[0];
  if (threadIdx.x == kBlock - 1) rod[kBlock + 1] = u[kBlock + 1];
  __syncthreads();
  for (int k = 0; k < steps; ++k) {
    const float next = 0.25f * rod[i - 1] + 0.5f * rod[i] + 0.25f * rod[i + 1];
    __syncthreads();
    rod[i] = next;
    __syncthreads();
  }
  u[i] = rod[i];
}

// TRUTH: racy race: nothing separates the stores of a step from the loads of the next one
// LAUNCH: {"kernel": "heat_steps_race", "block": 64, "args": ["buffer:264:random:f32:3", "3"]}
extern "C" __global__ void heat_steps_race(float* u, int steps) {
  __shared__ float rod[kBlock + 2];
  const int i = threadIdx.x + 1;
  rod[i] = u[i];
  if (threadIdx.x == 0) rod[0] = u[0];
  if (threadIdx.x == kBlock - 1) rod[kBlock + 1] = u[kBlock + 1];
  __syncthreads();
  for (int k = 0; k < steps; ++k) {
    const float next = 0.25f * rod[i - 1] + 0.5f * rod[i] + 0.25f * rod[i + 1];
    __syncthreads();
    rod[i] = next;
  }
  u[i] = rod[i];
}

// TRUTH: race-free: two arrays in turn need one barrier for each step
// LAUNCH: {"kernel": "heat_ping_pong_ok", "block": 64, "args": ["buffer:264:random:f32:3", "4"]}
extern "C" __global__ void heat_ping_pong_ok(float* u, int steps) {
  __shared__ float a[kBlock + 2], b[kBlock + 2];
  const int i = threadIdx.x + 1;
  a[i] = b[i] = u[i];
  if (i == 1) a[0] = b[0] = 0.0f;
  if (i == kBlock) a[kBlock + 1] = b[kBlock + 1] = 0.0f;
  __syncthreads();
  float *from = a, *to = b;
  for (int k = 0; k < steps; ++k) {
    to[i] = 0.5f * (from[i - 1] + from[i + 1]);
    __syncthreads();
    float* other = from;
    from = to;
    to = other;
  }
  u[i] = from[i];
}

// TRUTH: racy race: from the second step on, one array is read and written
// LAUNCH: {"kernel": "heat_ping_pong_race", "block": 64, "args": ["buffer:264:random:f32:3", "4"]}
extern "C" __global__ void heat_ping_pong_race(float* u, int steps) {
  __shared__ float a[kBlock + 2], b[kBlock + 2];
  const int i = threadIdx.x + 1;
  a[i] = b[i] = u[i];
  if (i == 1) a[0] = b[0] = 0.0f;
  if (i == kBlock) a[kBlock + 1] = b[kBlock + 1] = 0.0f;
  __syncthreads();
  float *from = a, *to = b;
  for (int k = 0; k < steps; ++k) {
    to[i] = 0.5f * (from[i - 1] + from[i + 1]);
    __syncthreads();
    from = to;
  }
  u[i] = from[i];
}

// TRUTH: race-free
// LAUNCH: {"kernel": "jacobi_2d_ok", "block": [16, 8],
//          "args": ["buffer:720:iota:f32", "buffer:512"]}
extern "C" __global__ void jacobi_2d_ok(const float* in, float* out) {
  __shared__ float tile[10][18];
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  tile[y][x] = in[y * 18 + x];
  if (threadIdx.x == 0) tile[y][0] = in[y * 18];
  if (threadIdx.x == 15) tile[y][17] = in[y * 18 + 17];
  if (threadIdx.y == 0) tile[0][x] = in[x];
  if (threadIdx.y == 7) tile[9][x] = in[9 * 18 + x];
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] =
      0.25f * (tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1]);
}

// TRUTH: racy race: the tile has one column too few, so that the right halo of a row is the left
// halo of the next row
// LAUNCH: {"kernel": "jacobi_2d_race", "block": [16, 8],
//          "args": ["buffer:720:iota:f32", "buffer:512"]}
extern "C" __global__ void jacobi_2d_race(const float* in, float* out) {
  __shared__ float tile[10 * 17 + 1];
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  tile[y * 17 + x] = in[y * 18 + x];
  if (threadIdx.x == 0) tile[y * 17] = in[y * 18];
  if (threadIdx.x == 15) tile[y * 17 + 17] = in[y * 18 + 17];
  if (threadIdx.y == 0) tile[x] = in[x];
  if (threadIdx.y == 7) tile[9 * 17 + x] = in[9 * 18 + x];
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = 0.25f * (tile[(y - 1) * 17 + x] + tile[(y + 1) * 17 + x] +
                                                 tile[y * 17 + x - 1] + tile[y * 17 + x + 1]);
}

// TRUTH: race-free: even points are updated from odd ones, then odd points from even ones
// LAUNCH: {"kernel": "red_black_ok", "block": 64, "args": ["buffer:264:iota:f32", "3"]}
extern "C" __global__ void red_black_ok(float* u, int sweeps) {
  __shared__ float s[66];
  const int i = threadIdx.x + 1;
  s[i] = u[i];
  if (i == 1) s[0] = u[0];
  if (i == 64) s[65] = u[65];
  for (int k = 0; k < sweeps; ++k) {
    __syncthreads();
    if ((i & 1) == 0) s[i] = 0.5f * (s[i - 1] + s[i + 1]);
    __syncthreads();
    if (i & 1) s[i] = 0.5f * (s[i - 1] + s[i + 1]);
  }
  u[i] = s[i];
}

// TRUTH: racy race: the two colours of a sweep are not separated
// LAUNCH: {"kernel": "red_black_race", "block": 64, "args": ["buffer:264:iota:f32", "3"]}
extern "C" __global__ void red_black_race(float* u, int sweeps) {
  __shared__ float s[66];
  const int i = threadIdx.x + 1;
  s[i] = u[i];
  if (i == 1) s[0] = u[0];
  if (i == 64) s[65] = u[65];
  for (int k = 0; k < sweeps; ++k) {
    __syncthreads();
    if ((i & 1) == 0) s[i] = 0.5f * (s[i - 1] + s[i + 1]);
    if (i & 1) s[i] = 0.5f * (s[i - 1] + s[i + 1]);
  }
  u[i] = s[i];
}

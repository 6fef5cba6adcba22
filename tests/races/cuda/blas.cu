// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dense linear algebra: dot, axpy, gemv, triangular systems, rank-1 updates.

// TRUTH: race-free
// LAUNCH: {"kernel": "axpy_ok", "grid": 2, "block": 64,
//          "args": ["200", "2.5", "buffer:800:iota:f32", "buffer:800:iota:f32"]}
extern "C" __global__ void axpy_ok(int n, float a, const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] += a * x[i];
}

// TRUTH: racy race-global: each thread takes a run of four, but runs begin three apart
// LAUNCH: {"kernel": "axpy_race", "block": 64,
//          "args": ["190", "2.5", "buffer:800:iota:f32", "buffer:800:iota:f32"]}
extern "C" __global__ void axpy_race(int n, float a, const float* x, float* y) {
  const int first = threadIdx.x * 3;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (first + k < n) y[first + k] += a * x[first + k];
}

template <typename T, int kThreads>
struct Adder {
  T tile[kThreads];
  __device__ T sum(T v) {
    tile[threadIdx.x] = v;
    __syncthreads();
#pragma unroll
    for (int s = kThreads / 2; s > 0; s /= 2) {
      if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
      __syncthreads();
    }
    return tile[0];
  }
};

// TRUTH: race-free: one block for each row
// LAUNCH: {"kernel": "gemv_ok", "grid": 2, "block": 32,
//          "args": ["buffer:512:iota:f64", "buffer:256:iota:f64", "buffer:16", "32"]}
extern "C" __global__ void gemv_ok(const double* a, const double* x, double* y, int columns) {
  __shared__ Adder<double, 32> adder;
  double sum = 0;
  for (int c = threadIdx.x; c < columns; c += 32) sum += a[blockIdx.x * columns + c] * x[c];
  sum = adder.sum(sum);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

// TRUTH: racy race: the block takes several rows, and begins the next sum while the last one is
// still read
// LAUNCH: {"kernel": "gemv_race", "block": 64,
//          "args": ["buffer:1K:iota:f64", "buffer:512:iota:f64", "buffer:1K", "64", "2"]}
extern "C" __global__ void gemv_race(const double* a, const double* x, double* y, int columns,
                                     int rows) {
  __shared__ Adder<double, 64> adder;
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = threadIdx.x; c < columns; c += 64) sum += a[r * columns + c] * x[c];
    y[r * 64 + threadIdx.x] = adder.sum(sum) + threadIdx.x;
  }
}

// TRUTH: race-free: thread i finishes x[i] in step i, and the others read it after the barrier
// LAUNCH: {"kernel": "forward_ok", "block": 64,
//          "args": ["buffer:16K:fill:f32:2", "buffer:256:iota:f32"]}
extern "C" __global__ void forward_ok(const float* l, float* b) {
  __shared__ float x[64];
  const int i = threadIdx.x;
  x[i] = b[i];
  for (int k = 0; k < 64; ++k) {
    if (i == k) x[k] /= l[k * 64 + k];
    __syncthreads();
    if (i > k) x[i] -= l[i * 64 + k] * x[k];
  }
  b[i] = x[i];
}

// TRUTH: racy race: no barrier between the division and its use
// LAUNCH: {"kernel": "forward_race", "block": 64,
//          "args": ["buffer:16K:fill:f32:2", "buffer:256:iota:f32"]}
extern "C" __global__ void forward_race(const float* l, float* b) {
  __shared__ float x[64];
  const int i = threadIdx.x;
  x[i] = b[i];
  for (int k = 0; k < 64; ++k) {
    if (i == k) x[k] /= l[k * 64 + k];
    if (i > k) x[i] -= l[i * 64 + k] * x[k];
    __syncthreads();
  }
  b[i] = x[i];
}

// TRUTH: race-free: step k reads row and column k and updates only what is behind both
// LAUNCH: {"kernel": "lu_ok", "block": [8, 8], "args": ["buffer:256:random:f32:8"]}
extern "C" __global__ void lu_ok(float* m) {
  __shared__ float a[8][8];
  const int x = threadIdx.x, y = threadIdx.y;
  a[y][x] = m[y * 8 + x];
  for (int k = 0; k < 7; ++k) {
    __syncthreads();
    if (x == k && y > k) a[y][k] /= a[k][k];
    __syncthreads();
    if (x > k && y > k) a[y][x] -= a[y][k] * a[k][x];
  }
  m[y * 8 + x] = a[y][x];
}

// TRUTH: racy race: the update of a step is not separated from the division of the next
// LAUNCH: {"kernel": "lu_race", "block": [8, 8], "args": ["buffer:256:random:f32:8"]}
extern "C" __global__ void lu_race(float* m) {
  __shared__ float a[8][8];
  const int x = threadIdx.x, y = threadIdx.y;
  a[y][x] = m[y * 8 + x];
  __syncthreads();
  for (int k = 0; k < 7; ++k) {
    if (x == k && y > k) a[y][k] /= a[k][k];
    __syncthreads();
    if (x > k && y > k) a[y][x] -= a[y][k] * a[k][x];
  }
  m[y * 8 + x] = a[y][x];
}

// TRUTH: race-free: each row is scaled by one warp
// LAUNCH: {"kernel": "scale_rows_ok", "block": [32, 4], "args": ["buffer:1K:iota:f32:1", "8"]}
extern "C" __global__ void scale_rows_ok(float* m, int rows) {
  for (int r = threadIdx.y; r < rows; r += blockDim.y) {
    float* row = m + r * 32;
    float sum = row[threadIdx.x];
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    row[threadIdx.x] /= sum;
  }
}

// TRUTH: racy race-global: the first element of the row is the scale, and is scaled as well
// LAUNCH: {"kernel": "scale_rows_race", "block": [32, 4], "args": ["buffer:1K:iota:f32:1", "8"]}
extern "C" __global__ void scale_rows_race(float* m, int rows) {
  for (int r = threadIdx.y; r < rows; r += blockDim.y) {
    float* row = m + r * 32;
    row[threadIdx.x] /= row[0];
  }
}

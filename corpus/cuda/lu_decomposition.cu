// also: clang
// Dense factorisations in shared memory: LU of a tile, Cholesky of a small matrix, Gauss
// elimination.

constexpr int kTile = 16;

__global__ void luDiagonal(float* a, int n, int offset) {
  __shared__ float tile[kTile][kTile];
  int t = threadIdx.x;
  float* m = a + offset * n + offset;
  for (int i = 0; i < kTile; ++i) tile[i][t] = m[i * n + t];
  __syncthreads();
  for (int i = 0; i < kTile - 1; ++i) {
    if (t > i) {
      for (int j = 0; j < i; ++j) tile[t][i] -= tile[t][j] * tile[j][i];
      tile[t][i] /= tile[i][i];
    }
    __syncthreads();
    if (t > i)
      for (int j = 0; j < i + 1; ++j) tile[i + 1][t] -= tile[i + 1][j] * tile[j][t];
    __syncthreads();
  }
  for (int i = 1; i < kTile; ++i) m[i * n + t] = tile[i][t];
}

__global__ void __launch_bounds__(32) choleskySmall(double* matrices, int n) {
  extern __shared__ double l[];
  double* a = matrices + (size_t)blockIdx.x * n * n;
  for (int i = threadIdx.x; i < n * n; i += 32) l[i] = a[i];
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (threadIdx.x == 0) l[k * n + k] = sqrt(l[k * n + k]);
    __syncthreads();
    for (int i = k + 1 + threadIdx.x; i < n; i += 32) l[i * n + k] /= l[k * n + k];
    __syncthreads();
    for (int i = k + 1 + threadIdx.x; i < n; i += 32)
      for (int j = k + 1; j <= i; ++j) l[i * n + j] -= l[i * n + k] * l[j * n + k];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n * n; i += 32) a[i] = l[i];
}

__global__ void gaussMultipliers(const float* a, float* m, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1 - k) return;
  m[n * (i + k + 1) + k] = a[n * (i + k + 1) + k] / a[n * k + k];
}

__global__ void gaussUpdate(float* a, float* b, const float* m, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n - 1 - k || j >= n - k) return;
  a[n * (i + 1 + k) + j + k] -= m[n * (i + 1 + k) + k] * a[n * k + j + k];
  if (j == 0) b[i + 1 + k] -= m[n * (i + 1 + k) + k] * b[k];
}

// LAUNCH: {"kernel": "luDiagonal", "block": 16, "args": ["buffer:4096:random:f32:1", "s32:32",
//   "s32:16"]}
// LAUNCH: {"kernel": "choleskySmall", "block": 32, "grid": 2, "shared": 128, "args":
//   ["buffer:256:values:f64:4,2,1,0,2,5,3,1,1,3,6,2,0,1,2,7,9,1,2,3,1,8,1,2,2,1,7,1,3,2,1,6",
//   "s32:4"]}
// LAUNCH: {"kernel": "gaussMultipliers", "block": 32, "args": ["buffer:1600:random:f32:1",
//   "buffer:1600", "s32:20", "s32:3"]}
// LAUNCH: {"kernel": "gaussUpdate", "block": [8, 4], "grid": [2, 3], "args":
//   ["buffer:576:small:f32:1", "buffer:48:small:f32:2", "buffer:576:small:f32:3", "s32:12",
//   "s32:2"]}

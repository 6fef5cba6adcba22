// also: clang
// One-dimensional stencils: halo in shared memory, several steps in one launch, moving average.

constexpr int kRadius = 3;
constexpr int kBlock = 256;

__constant__ float weight[2 * kRadius + 1];

__global__ void stencilHalo(const float* in, float* out, int n) {
  __shared__ float tile[kBlock + 2 * kRadius];
  int g = blockIdx.x * kBlock + threadIdx.x, s = threadIdx.x + kRadius;
  tile[s] = g < n ? in[g] : 0.0f;
  if (threadIdx.x < kRadius) {
    tile[s - kRadius] = g >= kRadius ? in[g - kRadius] : 0.0f;
    tile[s + kBlock] = g + kBlock < n ? in[g + kBlock] : 0.0f;
  }
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int k = -kRadius; k <= kRadius; ++k) sum += weight[k + kRadius] * tile[s + k];
  if (g < n) out[g] = sum;
}

// The early exit before the barrier that people write although they should not.
__global__ void stencilEarlyExit(const float* in, float* out, int n) {
  __shared__ float tile[kBlock + 2];
  int g = blockIdx.x * kBlock + threadIdx.x;
  if (g >= n) return;
  tile[threadIdx.x + 1] = in[g];
  if (threadIdx.x == 0) tile[0] = g > 0 ? in[g - 1] : in[g];
  if (threadIdx.x == kBlock - 1 || g == n - 1) tile[threadIdx.x + 2] = in[min(g + 1, n - 1)];
  __syncthreads();
  out[g] = 0.25f * tile[threadIdx.x] + 0.5f * tile[threadIdx.x + 1] + 0.25f * tile[threadIdx.x + 2];
}

// Dynamic programming over rows with a shrinking halo: two barriers in each step.
__global__ void pathFinder(int steps, const int* wall, const int* source, int* result, int columns,
                           int firstRow, int border) {
  __shared__ int previous[kBlock], current[kBlock];
  int small = kBlock - 2 * steps;
  int x = small * blockIdx.x - border + threadIdx.x, tx = threadIdx.x;
  bool inside = x >= 0 && x < columns;
  previous[tx] = inside ? source[x] : 0x7fffffff;
  __syncthreads();
  bool computed = false;
  for (int i = 0; i < steps; ++i) {
    computed = false;
    if (tx >= i + 1 && tx <= kBlock - 2 - i && inside) {
      computed = true;
      int west = previous[max(tx - 1, 0)], up = previous[tx],
          east = previous[min(tx + 1, kBlock - 1)];
      current[tx] = min(west, min(up, east)) + wall[columns * (firstRow + i) + x];
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (computed) previous[tx] = current[tx];
    __syncthreads();
  }
  if (computed) result[x] = current[tx];
}

__global__ void wave1d(float* u, float* v, int n, int steps) {
  extern __shared__ float line[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) line[i] = u[i];
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      if (i > 0 && i < n - 1) v[i] += 0.1f * (line[i - 1] - 2.0f * line[i] + line[i + 1]);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) line[i] += v[i];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) u[i] = line[i];
}

// LAUNCH: {"kernel": "stencilHalo", "block": 256, "grid": 2, "args": ["buffer:1200:small:f32:1",
//   "buffer:1200", "s32:300"], "set": {"weight": "buffer:28:values:f32:1,2,3,4,3,2,1"}}
// LAUNCH: {"kernel": "stencilEarlyExit", "block": 256, "grid": 2, "args":
//   ["buffer:1200:small:f32:1", "buffer:1200", "s32:300"]}
// LAUNCH: {"kernel": "pathFinder", "block": 256, "grid": 2, "args": ["s32:3",
//   "buffer:6000:small:s32:1", "buffer:1200:small:s32:2", "buffer:1200", "s32:300", "s32:1",
//   "s32:3"]}
// LAUNCH: {"kernel": "wave1d", "block": 32, "shared": 400, "args": ["buffer:400:random:f32:1",
//   "buffer:400:random:f32:2", "s32:100", "s32:3"]}

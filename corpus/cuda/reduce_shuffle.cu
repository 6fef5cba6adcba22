// also: clang
// Sums by warp shuffles: one warp, a block in two stages, and a block with one atomic a warp.

__device__ float warpSum(float value) {
  for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down_sync(~0u, value, offset);
  return value;
}

__device__ float warpSumAll(float value) {
  for (int mask = 16; mask > 0; mask >>= 1) value += __shfl_xor_sync(~0u, value, mask);
  return value;
}

// The human habit: a barrier at the head (the array may be in use from the call before) and one
// at the tail, whether or not the caller needs them.
__device__ float blockSum(float value) {
  __shared__ float partial[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  value = warpSum(value);
  __syncthreads();
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  value = threadIdx.x < (blockDim.x + 31) / 32 ? partial[lane] : 0.0f;
  if (warp == 0) value = warpSum(value);
  return value;
}

__global__ void reduceWarpAtomic(const float* in, float* out, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    sum += in[i];
  sum = warpSum(sum);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, sum);
}

__global__ void reduceTwoStage(const float* in, float* out, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    sum += in[i];
  sum = blockSum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// Three block sums after one another: of six barriers the first is redundant.
__global__ void momentsOfBlock(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i < n ? in[i] : 0.0f;
  float m1 = blockSum(x);
  float m2 = blockSum(x * x);
  float m3 = blockSum(x * x * x);
  if (threadIdx.x == 0) {
    out[3 * blockIdx.x] = m1;
    out[3 * blockIdx.x + 1] = m2;
    out[3 * blockIdx.x + 2] = m3;
  }
}

__global__ void rowSums(const float* in, float* out, int columns) {
  const float* row = in + (size_t)blockIdx.x * columns;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 32) sum += row[c];
  sum = warpSumAll(sum);
  out[blockIdx.x * 32 + threadIdx.x] = sum;
}

// LAUNCH: {"kernel": "reduceWarpAtomic", "block": 64, "grid": 2, "args": ["buffer:800:small:f32:1",
//   "buffer:4", "s32:200"]}
// LAUNCH: {"kernel": "reduceTwoStage", "block": 64, "grid": 2, "args": ["buffer:800:small:f32:1",
//   "buffer:8", "s32:200"]}
// LAUNCH: {"kernel": "momentsOfBlock", "block": 64, "grid": 2, "args":
//   ["buffer:400:small:f32:1:17", "buffer:24", "s32:100"]}
// LAUNCH: {"kernel": "rowSums", "block": 32, "grid": 2, "args": ["buffer:400:small:f32:1",
//   "buffer:256", "s32:50"]}

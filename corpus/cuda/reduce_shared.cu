// also: clang
// Block sums through shared memory: the classic series from interleaved addressing to a full
// unroll.

extern __shared__ float dynamicTile[];

// Interleaved addressing with a modulo test: divergent, one barrier in each round.
__global__ void reduceInterleaved(const float* in, float* out, int n) {
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  dynamicTile[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) dynamicTile[tid] += dynamicTile[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = dynamicTile[0];
}

// Strided index instead of the modulo test.
__global__ void reduceStrided(const float* in, float* out, int n) {
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  dynamicTile[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    int index = 2 * s * tid;
    if (index < blockDim.x) dynamicTile[index] += dynamicTile[index + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = dynamicTile[0];
}

// Sequential addressing: halves from the top.
__global__ void reduceSequential(const float* in, float* out, int n) {
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  dynamicTile[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) dynamicTile[tid] += dynamicTile[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = dynamicTile[0];
}

// The last warp works without block barriers on a volatile pointer, as code before sm_70 did,
// here with the warp barriers that independent thread scheduling asks for.
__device__ void lastWarpVolatile(volatile float* tile, int tid) {
  float sum = tile[tid];
  sum += tile[tid + 32];
  __syncwarp();
  tile[tid] = sum;
  __syncwarp();
  sum += tile[tid + 16];
  __syncwarp();
  tile[tid] = sum;
  __syncwarp();
  sum += tile[tid + 8];
  __syncwarp();
  tile[tid] = sum;
  __syncwarp();
  sum += tile[tid + 4];
  __syncwarp();
  tile[tid] = sum;
  __syncwarp();
  sum += tile[tid + 2];
  __syncwarp();
  tile[tid] = sum;
  __syncwarp();
  sum += tile[tid + 1];
  __syncwarp();
  tile[tid] = sum;
}

__global__ void reduceVolatileWarp(const float* in, float* out, int n) {
  __shared__ float tile[256 + 32];
  int tid = threadIdx.x;
  int i = blockIdx.x * 512 + tid;
  float sum = i < n ? in[i] : 0.0f;
  if (i + 256 < n) sum += in[i + 256];
  tile[tid] = sum;
  __syncthreads();
  for (int s = 128; s > 32; s >>= 1) {
    if (tid < s) tile[tid] += tile[tid + s];
    __syncthreads();
  }
  if (tid < 32) lastWarpVolatile(tile, tid);
  if (tid == 0) out[blockIdx.x] = tile[0];
}

// Unrolled for a block size known at compile time, over a grid-stride loop.
template <int kBlock>
__device__ float blockSum(float value, float* tile) {
  int tid = threadIdx.x;
  tile[tid] = value;
  __syncthreads();
  if (kBlock >= 512) {
    if (tid < 256) tile[tid] += tile[tid + 256];
    __syncthreads();
  }
  if (kBlock >= 256) {
    if (tid < 128) tile[tid] += tile[tid + 128];
    __syncthreads();
  }
  if (kBlock >= 128) {
    if (tid < 64) tile[tid] += tile[tid + 64];
    __syncthreads();
  }
  if (kBlock >= 64) {
    if (tid < 32) tile[tid] += tile[tid + 32];
    __syncthreads();
  }
  if (tid < 32) {
    float sum = tile[tid];
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(~0u, sum, offset);
    if (tid == 0) tile[0] = sum;
  }
  __syncthreads();
  return tile[0];
}

template <int kBlock>
__global__ void __launch_bounds__(kBlock) reduceUnrolled(const float* in, float* out, int n) {
  __shared__ float tile[kBlock];
  float sum = 0.0f;
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += kBlock * gridDim.x) sum += in[i];
  sum = blockSum<kBlock>(sum, tile);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

template __global__ void reduceUnrolled<64>(const float*, float*, int);
template __global__ void reduceUnrolled<512>(const float*, float*, int);

// LAUNCH: {"kernel": "reduceInterleaved", "block": 64, "grid": 2, "shared": 256, "args":
//   ["buffer:400:small:f32:1", "buffer:8", "s32:100"]}
// LAUNCH: {"kernel": "reduceStrided", "block": 64, "grid": 2, "shared": 256, "args":
//   ["buffer:400:small:f32:1", "buffer:8", "s32:100"]}
// LAUNCH: {"kernel": "reduceSequential", "block": 64, "grid": 2, "shared": 256, "args":
//   ["buffer:400:small:f32:1", "buffer:8", "s32:100"]}
// LAUNCH: {"kernel": "reduceVolatileWarp", "block": 256, "grid": 2, "args":
//   ["buffer:3600:small:f32:1", "buffer:8", "s32:900"]}
// LAUNCH: {"kernel": "reduceUnrolled<64>", "block": 64, "grid": 2, "args":
//   ["buffer:800:small:f32:1", "buffer:8", "s32:200"]}
// LAUNCH: {"kernel": "reduceUnrolled<512>", "block": 512, "args": ["buffer:2800:small:f32:1",
//   "buffer:4", "s32:700"]}
